"""A call of noise: how it goes on the tape of the run, and what it gives back.

Where no tape is open, it is the plain call.
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from audit.auditors.components.recording.places import place_of
from audit.auditors.components.recording.primitives import Primitive, Said, read_unknown
from audit.auditors.components.recording.tape import Tape
from audit.auditors.components.recording.tracers import codes_of, strip, trace


class Current:
    """The tape of the run that is being made; None outside of one."""

    tape: Tape | None = None


CURRENT = Current()


def record_call(
    primitive: str,
    plain: Callable[[], Any],
    read: Callable[[], Said],
    libraries: tuple[str, ...] = (),
) -> Any:
    """The answer of a call of noise, taken down on the tape of the run, if that is open.

    ``plain``: makes the call; ``read``: says what its arguments do.
    """
    tape = CURRENT.tape
    if tape is None or not tape.open:
        return plain()
    said = read()
    place = place_of(sys._getframe(2), ("scipy", "torch", *libraries))
    hidden = () if said.value is None else numbers_of(said.value)
    found: list[Any] = []

    def draw() -> Sequence[Any]:
        found.append(plain())
        return _stretch_noise(leaves(found[0]), said, tape.stretch)

    number, answer = tape.call(
        draw,
        primitive=primitive,
        law=said.law,
        parameters={name: plain_of(one) for name, one in said.parameters.items()},
        value=None if said.value is None else hidden,
        place=place,
        sensitivity=_number(said.sensitivity),
        norm=said.norm,
        epsilon=_number(said.epsilon),
        delta=_number(said.delta),
    )
    return rebuild(found[0], answer, number, tape)


def leaves(found: Any) -> tuple[Any, ...]:
    """What came of a call, flat: numbers as those of Python; anything else as its text."""
    if isinstance(found, (list, tuple)):
        return tuple(leaf for one in found for leaf in leaves(one))
    if isinstance(found, (np.ndarray, np.generic)):
        return tuple(np.asarray(strip(found)).ravel().tolist())
    if isinstance(found, (bool, int, float, str, bytes)) or found is None:
        return (strip(found),)
    if hasattr(found, "tolist"):
        return leaves(np.asarray(found.tolist()))
    return (f"{type(found).__name__}",)


def rebuild(found: Any, answer: Sequence[Any], number: int, tape: Tape) -> Any:
    """What a call gives back: of the same type, with the tape's numbers, traced."""
    rest = iter(answer)
    place = [0]

    def build(one: Any) -> Any:
        if type(one) in (list, tuple):
            return type(one)(build(inner) for inner in one)
        many = len(leaves(one))
        start, place[0] = place[0], place[0] + many
        taken = [next(rest) for _ in range(many)]
        if isinstance(one, np.ndarray):
            array = np.array(taken, dtype=one.dtype).reshape(one.shape)
            return trace(array, codes_of(number, (start + many,))[start:].reshape(one.shape), tape)
        if isinstance(one, (bool, np.bool_)):
            return type(one)(taken[0])
        if isinstance(one, (int, float, np.generic)):
            return trace(type(one)(taken[0]), codes_of(number, (start + 1,))[start], tape)
        if hasattr(one, "new_tensor"):
            return one.new_tensor(taken).reshape(one.shape)
        return taken[0] if isinstance(one, (str, bytes)) else one

    return build(found)


def _stretch_noise(drawn: tuple[Any, ...], said: Said, stretch: int) -> tuple[Any, ...]:
    if stretch == 1 or not said.symmetric:
        return drawn
    values = numbers_of(0 if said.value is None else said.value)
    spread = values if len(values) == len(drawn) else (values * len(drawn))[: len(drawn)]
    return tuple(value + (one - value) * stretch for one, value in zip(drawn, spread))


def numbers_of(value: Any) -> tuple[Any, ...]:
    """The numbers of a value, flat."""
    return tuple(np.asarray(strip(value)).ravel().tolist())


def plain_of(value: Any) -> Any:
    """A parameter as a number, a text or a tuple of these."""
    value = strip(value)
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    array = np.asarray(value)
    if array.dtype.kind in "US":
        return tuple(map(repr, array.ravel().tolist()))
    if array.dtype.kind not in "biuf":
        return str(type(value).__name__)
    return array.item() if array.ndim == 0 else tuple(array.ravel().tolist())


def _number(value: Any) -> Any:
    if value is None:
        return None
    found = plain_of(value)
    known = isinstance(found, (int, float)) and not isinstance(found, bool)
    return found if known and math.isfinite(found) else None


def arguments_of(signature: Any, args: Any, options: Any) -> dict[str, Any]:
    """All arguments of a call by name; those that can't be bound make the plain call raise."""
    try:
        bound = signature.bind(*args, **options)
    except (TypeError, AttributeError):
        return {}
    bound.apply_defaults()
    found = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            found.update(found.pop(name, {}))
    return found


def _signature(plain: Any) -> Any:
    try:
        return inspect.signature(plain)
    except (TypeError, ValueError):
        return None


def record(plain: Any, primitive: Primitive) -> Any:
    """A callable in the place of a primitive."""
    signature = _signature(plain)

    @functools.wraps(plain)
    def answer(*args: Any, **options: Any) -> Any:
        def read() -> Said:
            given = arguments_of(signature, args, options)
            if signature is None:
                given = {**dict(zip(primitive.names, args)), **options}
            return read_said(primitive.read, given)

        def call() -> Any:
            return plain(*strip(args), **{name: strip(one) for name, one in options.items()})

        made = record_call(primitive.name, call, read, primitive.libraries)
        return args[0].copy_(made) if primitive.in_place else made

    return answer


def read_said(said: Callable[[dict[str, Any]], Said], given: dict[str, Any]) -> Said:
    """What a call's arguments say; nothing is known of those that can't be read."""
    try:
        return said(given)
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError):
        # Of another version, or called as its author never meant: what it draws is unknown.
        return read_unknown(given)
