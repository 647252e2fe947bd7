"""What foreign code does with traced numbers and arrays: each operation goes on the tape."""

from __future__ import annotations

import functools
import math
import numbers
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from audit.auditors.components.recording.places import place_of
from audit.auditors.components.recording.tape import Tape
from audit.auditors.components.recording.tracers import (
    PLAIN_OF,
    TRACED,
    TracedArray,
    codes_in,
    is_traced,
    operand,
    restore,
    strip,
    tape_of,
    trace,
)

_REDUCED = frozenset({"add", "maximum", "minimum", "logical_or", "logical_and"})
"""Ufuncs whose reductions are taken down."""


def _array_ufunc(self: TracedArray, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    return apply_ufunc(ufunc, method, inputs, options)


def _array_function(self: TracedArray, function: Any, types: Any, args: Any, options: Any) -> Any:
    known = _FUNCTIONS.get(function)
    if known is None or self.codes is None:
        return np.ndarray.__array_function__(self, function, types, args, options)
    return known(*args, **options)


def _argmax(self: TracedArray, *args: Any, **options: Any) -> Any:
    """As numpy does; the tape is told."""
    return _reduce_plainly("argmax", self, args, options)


def _argmin(self: TracedArray, *args: Any, **options: Any) -> Any:
    """As numpy does; the tape is told."""
    return _reduce_plainly("argmin", self, args, options)


def _round_array(self: TracedArray, decimals: int = 0, out: Any = None) -> Any:
    """As numpy does."""
    plain = np.asarray(self).round(decimals)
    if out is not None or self.codes is None:
        return np.ndarray.round(self, decimals, out)
    return _record_mapped("round", [self], plain, self.tape)


def _astype(self: TracedArray, dtype: Any, *args: Any, **options: Any) -> Any:
    """As numpy does: floats that stay floats stay what they are."""
    plain = np.asarray(self).astype(dtype, *args, **options)
    if self.codes is None or plain.dtype.kind not in "iuf":
        return plain
    if plain.dtype == self.dtype:
        return trace(plain, self.codes.copy(), self.tape)
    return _record_mapped("astype", [self], plain, self.tape)


def _record_mapped(name: str, inputs: Sequence[Any], plain: Any, tape: Tape | None) -> Any:
    """The result of an operation entry by entry; ``plain``: what numpy or Python makes of it."""
    if tape is None or not tape.open or np.asarray(plain).dtype.kind not in "biuf":
        return plain
    shape = np.shape(plain)
    operands = tuple(operand(one, shape) for one in inputs)
    computed = np.asarray(plain).ravel().tolist()
    number, answer = tape.operate(name, operands, computed, place_of(sys._getframe(1)))
    return restore(plain, answer, number, tape)


def apply_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """A ufunc on values, some of which are traced."""
    out = options.pop("out", None)
    tape = tape_of(inputs)
    plainly = getattr(ufunc, method)
    if out is not None:
        options["out"] = tuple(strip(one) for one in out)
    plain = plainly(*[strip(one) for one in inputs], **options)
    simple = out is None or (len(out) == 1 and isinstance(out[0], np.ndarray))
    if tape is None or not simple or ("where" in options and options["where"] is not True):
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
    return trace(strip(target), np.array(codes), found.tape) if is_traced(found) else target


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
    tape = tape_of(branches)
    if tape is None or len(branches) != 2:
        return plain
    codes = np.where(strip(condition), *map(codes_in, branches))
    return trace(plain, codes, tape)


def _concatenate(arrays: Any, *args: Any, **options: Any) -> Any:
    plain = np.concatenate([strip(one) for one in arrays], *args, **options)
    tape = tape_of(list(arrays))
    if tape is None:
        return plain
    kept = {name: value for name, value in options.items() if name == "axis"}
    codes = np.concatenate([codes_in(one) for one in arrays], *args[:1], **kept)
    return trace(plain, codes, tape)


def search_sorted(a: Any, v: Any, side: Any = "left", sorter: Any = None) -> Any:
    """`numpy.searchsorted`; the tape is told of all comparisons that its answer follows from."""
    plain = _SEARCH(strip(a), strip(v), side, sorter)
    if is_traced(v) and not is_traced(a):
        compare = np.greater if side == "left" else np.greater_equal
        compare(v[..., None] if isinstance(v, np.ndarray) else v, np.asarray(a))
    return plain


_SEARCH = np.searchsorted
_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.concatenate: _concatenate,
    np.searchsorted: search_sorted,
}

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
_UNARY: dict[str, tuple[str, Callable[[Any], Any]]] = {
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
        return _record_mapped(name, inputs, plain, tape_of(inputs))

    return traced


def _alone(name: str, plainly: Callable[[Any], Any]) -> Any:
    def traced(self: Any) -> Any:
        return _record_mapped(name, (self,), plainly(strip(self)), tape_of((self,)))

    return traced


def _round(self: Any, digits: Any = None) -> Any:
    return _record_mapped("round", (self,), round(strip(self), digits), tape_of((self,)))


def _scalar_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    return apply_ufunc(ufunc, method, inputs, options)


def _whole(self: Any) -> int:
    plain = int(strip(self))
    return int(strip(_record_mapped("trunc", (self,), plain, tape_of((self,)))))


_OPERATIONS = {
    "__array_ufunc__": _array_ufunc,
    "__array_function__": _array_function,
    "argmax": _argmax,
    "argmin": _argmin,
    "round": _round_array,
    "astype": _astype,
}


def _spell(self: Any) -> str:
    return repr(strip(self))


def _same(self: Any, memo: Any = None) -> Any:
    return self


def _reduce_ex(self: Any, protocol: Any) -> Any:
    return strip(self).__reduce_ex__(protocol)


def attach() -> None:
    """Give traced numbers and arrays their operations."""
    for name, operation in _OPERATIONS.items():
        setattr(TracedArray, name, operation)
    for kind in TRACED:
        for name, operation in _operations_of(kind, dir(PLAIN_OF[kind])):
            setattr(kind, name, operation)


def _operations_of(kind: type, own: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for word, (name, between) in _BINARY.items():
        if f"__{word}__" in own:
            yield f"__{word}__", _between(name, between, False)
            yield f"__r{word}__", _between(name, between, True)
    for word, (name, between) in _COMPARED.items():
        yield f"__{word}__", _between(name, between, False)
    for word, (name, alone) in _UNARY.items():
        if f"__{word}__" in own:
            yield f"__{word}__", _alone(name, alone)
    if issubclass(kind, float):
        yield "__int__", _whole
    yield "__round__", _round
    yield "__hash__", PLAIN_OF[kind].__hash__
    yield "__reduce_ex__", _reduce_ex
    yield from (("__repr__", _spell), ("__str__", _spell))
    yield from (("__copy__", _same), ("__deepcopy__", _same))
    yield "__array_ufunc__", _scalar_ufunc


FORMULAS = ("log", "log1p", "log2", "log10", "exp", "expm1", "sqrt", "fabs", "copysign", "pow")
"""Functions of `math` that formulas for noise are made of."""


def follow(name: str) -> Callable[..., Any]:
    """A function of `math` that the tape is told of where it is given a traced number."""
    plainly = getattr(math, name)

    @functools.wraps(plainly)
    def traced(*args: Any) -> Any:
        plain = plainly(*map(strip, args))
        tape = tape_of(args)
        return plain if tape is None else _record_mapped(name, args, plain, tape)

    return traced
