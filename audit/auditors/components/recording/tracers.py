"""Numbers and arrays that tell the tape what foreign code does with them.

They are what draws of noise come back as. Each entry knows the step that made it. Their values are
those that plain numbers and arrays would have, to the bit: only the tape can put others there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

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
TracedArray.T = property(lambda self: self.transpose())  # type: ignore[assignment, method-assign]  # as numpy has it


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
PLAIN_OF = {traced: plain for plain, traced in _SCALARS.items()}


def trace(plain: Any, codes: Any, tape: Tape) -> Any:
    """A number or an array as one that is traced, by its codes; others as they are."""
    if isinstance(plain, np.ndarray) and plain.shape == np.shape(codes):
        if plain.dtype.kind not in "iuf":
            return np.asarray(plain)
        found = plain.view(TracedArray)
        found.codes, found.tape = np.asarray(codes), tape
        return found
    kind = _SCALARS.get(PLAIN_OF.get(type(plain), type(plain)))
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
    plain = PLAIN_OF.get(type(value))
    if plain is not None:
        return plain(value)
    if type(value) in (list, tuple):
        entries = [strip(one) for one in value]
        # What holds nothing traced stays the same object: a shuffle answers in it.
        same = all(one is other for one, other in zip(entries, value))
        return value if same else type(value)(entries)
    return value


def codes_in(value: Any) -> Any:
    """The codes of a value's entries; `PLAIN` for all that is not traced."""
    if isinstance(value, TRACED):
        return np.int64(getattr(value, "code", PLAIN))
    if isinstance(value, TracedArray) and value.codes is not None:
        return value.codes
    if type(value) in (list, tuple) and any(map(is_traced, value)):
        return np.array([codes_in(one) for one in value])
    return np.full(np.shape(value), PLAIN, dtype=np.int64)


def is_traced(value: Any) -> bool:
    """Whether a number or an array is one of these."""
    if isinstance(value, TracedArray):
        return value.codes is not None
    return isinstance(value, TRACED)


def tape_of(values: Sequence[Any]) -> Tape | None:
    """The tape of the first of these that is traced, if it takes steps down now."""
    for value in values:
        found = tape_of(value) if type(value) in (list, tuple) else None
        if found is None and is_traced(value):
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
