"""Numbers and arrays that tell the tape what foreign code does with them.

They are what draws of noise come back as. Each entry knows the step that made it. Their values are
those that plain numbers and arrays would have, to the bit: only the tape can put others there.
"""

from __future__ import annotations

import math
import numbers
import operator
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from audit.auditors.components.recording.places import place_of
from audit.auditors.components.recording.tape import Tape

PLAIN = -1
"""In place of an entry: a number that is neither noise nor a noisy answer."""

_SHIFT = 32

_REDUCED = frozenset({"add", "maximum", "minimum", "logical_or", "logical_and"})
"""Ufuncs whose reductions are taken down."""


def entry_of(code: int) -> tuple[int, int]:
    """The entry of an array's code."""
    return code >> _SHIFT, code & ((1 << _SHIFT) - 1)


def codes_of(number: int, shape: tuple[int, ...]) -> Any:
    """The codes of all entries of a step, in the shape of its answer."""
    many = math.prod(shape)
    return ((number << _SHIFT) + np.arange(many, dtype=np.int64)).reshape(shape)


class TracedArray(np.ndarray):
    """An array, some of whose entries are traced: ``codes`` of the same shape, or None."""

    codes: Any = None
    tape: Any = None

    def __array_finalize__(self, source: Any) -> None:
        # Whatever numpy makes of one of us on its own is not traced.
        self.codes, self.tape = None, getattr(source, "tape", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        known = _FUNCTIONS.get(function)
        if known is None or self.codes is None:
            return super().__array_function__(function, types, args, options)
        return known(*args, **options)

    def __getitem__(self, index: Any) -> Any:
        index = strip(index)
        found = super().__getitem__(index)
        if self.codes is None:
            return found
        return trace(found, self.codes[index], self.tape)

    def __setitem__(self, index: Any, value: Any) -> None:
        index = strip(index)
        super().__setitem__(index, strip(value))
        if self.codes is not None:
            self.codes[index] = codes_in(value)

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()

    def __reduce__(self) -> Any:
        return np.asarray(self).__reduce__()

    def tolist(self) -> Any:
        """As numpy does, with traced numbers."""
        plain = super().tolist()
        return plain if self.codes is None else _trace_nested(plain, self.codes, self.tape)

    def item(self, *args: Any) -> Any:
        """As numpy does, a traced number."""
        found = super().item(*args)
        return found if self.codes is None else trace(found, self.codes.item(*args), self.tape)

    def argmax(self, *args: Any, **options: Any) -> Any:
        """As numpy does; the tape is told."""
        return _reduce_plainly("argmax", self, args, options)

    def argmin(self, *args: Any, **options: Any) -> Any:
        """As numpy does; the tape is told."""
        return _reduce_plainly("argmin", self, args, options)

    def round(self, decimals: int = 0, out: Any = None) -> Any:
        """As numpy does."""
        plain = np.asarray(self).round(decimals)
        if out is not None or self.codes is None:
            return super().round(decimals, out)
        return _record_mapped("round", [self], plain, self.tape)

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """As numpy does: floats that stay floats stay what they are."""
        plain = np.asarray(self).astype(dtype, *args, **options)
        if self.codes is None or plain.dtype.kind not in "iuf":
            return plain
        if plain.dtype == self.dtype:
            return trace(plain, self.codes.copy(), self.tape)
        return _record_mapped("astype", [self], plain, self.tape)


def _keep_codes(name: str) -> Any:
    """A method that moves entries about, and changes none."""
    plain = getattr(np.ndarray, name)

    def moved(self: TracedArray, *args: Any, **options: Any) -> Any:
        found = plain(self, *args, **options)
        if self.codes is None:
            return found
        return trace(found, plain(self.codes, *args, **options), self.tape)

    moved.__doc__ = "As numpy does."
    return moved


for _method in (
    *("reshape", "ravel", "flatten", "copy", "transpose", "squeeze", "take", "repeat"),
    *("__copy__", "swapaxes", "diagonal"),
):
    setattr(TracedArray, _method, _keep_codes(_method))
TracedArray.T = property(lambda self: self.transpose())  # type: ignore[assignment, method-assign]


class TracedFloat(float):
    """A float of Python."""

    code = PLAIN
    tape: Any = None


class TracedInt(int):
    """An integer of Python."""

    code = PLAIN
    tape: Any = None


class TracedFloat64(np.float64):
    """A float of numpy."""

    code = PLAIN
    tape: Any = None


class TracedInt64(np.int64):
    """An integer of numpy."""

    code = PLAIN
    tape: Any = None


_SCALARS = {
    float: TracedFloat,
    int: TracedInt,
    np.float64: TracedFloat64,
    np.int64: TracedInt64,
}
TRACED = tuple(_SCALARS.values())
_PLAIN_OF = {traced: plain for plain, traced in _SCALARS.items()}


def trace(plain: Any, codes: Any, tape: Tape) -> Any:
    """A number or an array as one that is traced, by its codes; others as they are."""
    if isinstance(plain, np.ndarray) and plain.shape == np.shape(codes):
        if plain.dtype.kind not in "iuf":
            return np.asarray(plain)
        found = plain.view(TracedArray)
        found.codes, found.tape = np.asarray(codes), tape
        return found
    kind = _SCALARS.get(_PLAIN_OF.get(type(plain), type(plain)))
    code = PLAIN if np.ndim(codes) else int(codes)
    if kind is None or code == PLAIN:
        return strip(plain)
    scalar = kind(plain)
    scalar.code, scalar.tape = code, tape
    return scalar


def _trace_nested(plain: Any, codes: Any, tape: Tape) -> Any:
    if not isinstance(plain, list):
        return trace(plain, codes, tape)
    return [_trace_nested(one, own, tape) for one, own in zip(plain, codes)]


def strip(value: Any) -> Any:
    """A value without what traces it; lists and tuples entry by entry."""
    if isinstance(value, TracedArray):
        return value.view(np.ndarray)
    plain = _PLAIN_OF.get(type(value))
    if plain is not None:
        return plain(value)
    if type(value) in (list, tuple):
        return type(value)(strip(one) for one in value)
    return value


def codes_in(value: Any) -> Any:
    """The codes of a value's entries; `PLAIN` for all that is not traced."""
    if isinstance(value, TRACED):
        return np.int64(value.code)
    if isinstance(value, TracedArray) and value.codes is not None:
        return value.codes
    if type(value) in (list, tuple) and any(map(_is_traced, value)):
        return np.array([codes_in(one) for one in value])
    return np.full(np.shape(value), PLAIN, dtype=np.int64)


def _is_traced(value: Any) -> bool:
    if isinstance(value, TracedArray):
        return value.codes is not None
    return isinstance(value, TRACED)


def _tape_of(values: Sequence[Any]) -> Tape | None:
    """The tape of the first of these that is traced, if it takes steps down now."""
    for value in values:
        found = _tape_of(value) if type(value) in (list, tuple) else None
        if found is None and _is_traced(value):
            found = value.tape
        if found is not None:
            return found if found.open else None
    return None


def operand(value: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """An argument's entries as the tape has them, broadcast to a shape."""
    plain = np.broadcast_to(np.asarray(strip(value)), shape).ravel().tolist()
    codes = np.broadcast_to(codes_in(value), shape).ravel().tolist()
    pairs = zip(plain, codes)
    return tuple(number if code == PLAIN else entry_of(code) for number, code in pairs)


def _record_mapped(name: str, inputs: Sequence[Any], plain: Any, tape: Tape | None) -> Any:
    """The result of an operation entry by entry; ``plain``: what numpy or Python makes of it."""
    if tape is None or not tape.open or np.asarray(plain).dtype.kind not in "biuf":
        return plain
    shape = np.shape(plain)
    operands = tuple(operand(one, shape) for one in inputs)
    computed = np.asarray(plain).ravel().tolist()
    number, answer = tape.operate(name, operands, computed, place_of(sys._getframe(1)))
    return restore(plain, answer, number, tape)


def restore(plain: Any, answer: Sequence[Any], number: int | None, tape: Tape) -> Any:
    """What a step gives back: of the type of ``plain``, with the tape's numbers, and traced.

    ``number``: of the step, None for one that was not taken down.
    """
    if number is None:
        return plain
    traced = [tape.traces(number, place) for place in range(len(answer))]
    if isinstance(plain, np.ndarray):
        array = np.array(answer, dtype=plain.dtype).reshape(plain.shape)
        codes = codes_of(number, plain.shape)
        if not all(traced):
            codes = np.where(np.array(traced).reshape(plain.shape), codes, PLAIN)
        return trace(array, codes, tape)
    # Python has one True.
    if isinstance(plain, (bool, np.bool_)):
        return type(plain)(answer[0])
    found = type(plain)(answer[0])
    return trace(found, codes_of(number, ()), tape) if traced[0] else found


def apply_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """A ufunc on values, some of which are traced."""
    out = options.pop("out", None)
    tape = _tape_of(inputs)
    plainly = getattr(ufunc, method)
    if out is not None:
        options["out"] = tuple(strip(one) for one in out)
    plain = plainly(*[strip(one) for one in inputs], **options)
    simple = out is None or (len(out) == 1 and isinstance(out[0], np.ndarray))
    if tape is None or not simple or "where" in options and options["where"] is not True:
        return plain if out is None else out[0] if len(out) == 1 else out
    if method == "__call__" and ufunc.signature is None and ufunc.nout == 1:
        found = _record_mapped(ufunc.__name__, inputs, plain, tape)
    elif method == "reduce" and ufunc.__name__ in _REDUCED:
        axis = options.get("axis", inputs[1] if len(inputs) > 1 else 0)
        found = _record_reduced(f"reduced {ufunc.__name__}", inputs[0], axis, plain, tape)
    else:
        found = plain
    return found if out is None else _write_out(out[0], found)


def _write_out(target: Any, found: Any) -> Any:
    """A result where the caller wants it; an array that was not traced before is seen as one."""
    np.copyto(strip(target), strip(found), casting="unsafe")
    codes = codes_in(found)
    if isinstance(target, TracedArray) and target.codes is not None:
        target.codes[...] = codes
        return target
    return trace(strip(target), np.array(codes), found.tape) if _is_traced(found) else target


def _record_reduced(name: str, array: Any, axis: Any, plain: Any, tape: Tape) -> Any:
    """A reduction: what each result is made of is its operand."""
    size = np.size(plain)
    if np.asarray(plain).dtype.kind not in "biuf" or isinstance(axis, tuple):
        return plain
    flat = np.arange(np.size(array)).reshape(np.shape(array))
    groups = flat.reshape(1, -1) if axis is None else np.moveaxis(flat, axis, -1)
    entries = operand(array, np.shape(array))
    rows = groups.reshape(size, -1).tolist() if size else []
    operands = tuple(tuple(entries[place] for place in row) for row in rows)
    computed = np.asarray(plain).ravel().tolist()
    number, answer = tape.operate(name, operands, computed, place_of(sys._getframe(1)))
    return restore(plain, answer, number, tape)


def _reduce_plainly(name: str, array: TracedArray, args: Any, options: Any) -> Any:
    plain = getattr(np.asarray(array), name)(*args, **options)
    if array.codes is None or not array.tape.open:
        return plain
    axis = options.get("axis", args[0] if args else None)
    return _record_reduced(name, array, axis, plain, array.tape)


def _where(condition: Any, *branches: Any) -> Any:
    plain = np.where(strip(condition), *map(strip, branches))
    tape = _tape_of(branches)
    if tape is None or len(branches) != 2:
        return plain
    codes = np.where(strip(condition), *map(codes_in, branches))
    return trace(plain, codes, tape)


def _concatenate(arrays: Any, *args: Any, **options: Any) -> Any:
    plain = np.concatenate([strip(one) for one in arrays], *args, **options)
    tape = _tape_of(list(arrays))
    if tape is None:
        return plain
    kept = {name: value for name, value in options.items() if name == "axis"}
    codes = np.concatenate([codes_in(one) for one in arrays], *args[:1], **kept)
    return trace(plain, codes, tape)


_FUNCTIONS: dict[Any, Callable[..., Any]] = {np.where: _where, np.concatenate: _concatenate}

_BINARY = {
    "add": ("add", operator.add),
    "sub": ("subtract", operator.sub),
    "mul": ("multiply", operator.mul),
    "truediv": ("divide", operator.truediv),
    "floordiv": ("floor_divide", operator.floordiv),
    "mod": ("remainder", operator.mod),
    "pow": ("power", operator.pow),
    "and": ("bitwise_and", operator.and_),
    "xor": ("bitwise_xor", operator.xor),
}
_COMPARED = {
    "lt": ("less", operator.lt),
    "le": ("less_equal", operator.le),
    "gt": ("greater", operator.gt),
    "ge": ("greater_equal", operator.ge),
    "eq": ("equal", operator.eq),
    "ne": ("not_equal", operator.ne),
}
_UNARY = {
    "neg": ("negative", operator.neg),
    "pos": ("positive", operator.pos),
    "abs": ("absolute", operator.abs),
    "floor": ("floor", math.floor),
    "ceil": ("ceil", math.ceil),
    "trunc": ("trunc", math.trunc),
}


def _between(name: str, plainly: Callable[[Any, Any], Any], reflected: bool) -> Any:
    def traced(self: Any, other: Any) -> Any:
        if not isinstance(other, (numbers.Number, np.generic)):
            return NotImplemented
        inputs = (other, self) if reflected else (self, other)
        plain = plainly(*map(strip, inputs))
        if not isinstance(plain, (bool, int, float, np.generic)):
            return plain
        return _record_mapped(name, inputs, plain, _tape_of(inputs))

    return traced


def _alone(name: str, plainly: Callable[[Any], Any]) -> Any:
    def traced(self: Any) -> Any:
        return _record_mapped(name, (self,), plainly(strip(self)), _tape_of((self,)))

    return traced


def _round(self: Any, digits: Any = None) -> Any:
    return _record_mapped("round", (self,), round(strip(self), digits), _tape_of((self,)))


def _scalar_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    return apply_ufunc(ufunc, method, inputs, options)


def _whole(self: Any) -> int:
    plain = int(strip(self))
    return int(strip(_record_mapped("trunc", (self,), plain, _tape_of((self,)))))


def _spell(self: Any) -> str:
    return repr(strip(self))


def _same(self: Any, memo: Any = None) -> Any:
    return self


def _reduce_ex(self: Any, protocol: Any) -> Any:
    return strip(self).__reduce_ex__(protocol)


for _kind in TRACED:
    _own = dir(_PLAIN_OF[_kind])
    for _word, (_name, _operator) in _BINARY.items():
        if f"__{_word}__" in _own:
            setattr(_kind, f"__{_word}__", _between(_name, _operator, False))
            setattr(_kind, f"__r{_word}__", _between(_name, _operator, True))
    for _word, (_name, _operator) in _COMPARED.items():
        setattr(_kind, f"__{_word}__", _between(_name, _operator, False))
    for _word, (_name, _unary) in _UNARY.items():
        if f"__{_word}__" in _own:
            setattr(_kind, f"__{_word}__", _alone(_name, _unary))
    _kind.__round__ = _round  # type: ignore[attr-defined]
    if issubclass(_kind, float):
        _kind.__int__ = _whole  # type: ignore[attr-defined]
    _kind.__hash__ = _PLAIN_OF[_kind].__hash__  # type: ignore[attr-defined]
    _kind.__reduce_ex__ = _reduce_ex  # type: ignore[attr-defined]
    _kind.__repr__ = _kind.__str__ = _spell  # type: ignore[attr-defined]
    _kind.__copy__ = _same  # type: ignore[attr-defined]
    _kind.__deepcopy__ = _same  # type: ignore[attr-defined]
    _kind.__array_ufunc__ = _scalar_ufunc  # type: ignore[attr-defined]
