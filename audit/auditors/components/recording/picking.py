"""Draws from a population, taken down as draws of places in it: what lies there is data.

On a neighbour the same places are answered, so that what is picked there is the neighbour's own.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, MutableSequence, Sequence
from typing import Any

import numpy as np

from audit.auditors.components.recording.calls import CURRENT, record
from audit.auditors.components.recording.primitives import Primitive
from audit.auditors.components.recording.tracers import codes_in, strip, tape_of, trace

Bound = inspect.BoundArguments


def record_draw(plain: Any, primitive: Primitive) -> Any:
    """A method of a generator in whose place draws are recorded; by places where it picks."""
    library, _, name = primitive.where.partition(":")
    known = _PICKS.get((library.partition(".")[0], name))
    if known is None:
        return record(plain, primitive)
    population, pick = known
    return pick(plain, primitive, population, inspect.signature(plain))


def _pick_in_numpy(
    plain: Any, primitive: Primitive, population: str, signature: inspect.Signature
) -> Any:
    """``choice`` and ``permutation`` of NumPy, which take a number for so many places."""
    drawn = record(plain, primitive)

    @functools.wraps(plain)
    def pick(*args: Any, **options: Any) -> Any:
        bound = _bind(signature, args, options, population)
        if bound is None or np.ndim(strip(bound.arguments[population])) == 0:
            return drawn(*args, **options)
        among = _as_array(bound.arguments[population])
        axis = int(bound.arguments.get("axis", 0))
        bound.arguments[population] = among.shape[axis]
        bound.arguments.pop("axis", None)
        places = strip(drawn(*bound.args, **bound.kwargs))
        return among[places] if among.ndim == 1 else among.take(places, axis)

    return pick


def _pick_in_python(
    plain: Any, primitive: Primitive, population: str, signature: inspect.Signature
) -> Any:
    """``choice``, ``choices`` and ``sample`` of Python, which take any sequence."""
    drawn = record(plain, primitive)

    @functools.wraps(plain)
    def pick(*args: Any, **options: Any) -> Any:
        bound = _bind(signature, args, options, population)
        among = None if bound is None else bound.arguments[population]
        if bound is None or not isinstance(among, Sequence) or bound.arguments.get("counts"):
            return drawn(*args, **options)
        bound.arguments[population] = range(len(among))
        places = strip(drawn(*bound.args, **bound.kwargs))
        return [among[one] for one in places] if isinstance(places, list) else among[places]

    return pick


def _shuffle(
    plain: Any, primitive: Primitive, population: str, signature: inspect.Signature
) -> Any:
    """``shuffle``, which answers in its argument."""

    @functools.wraps(plain)
    def arrange(*args: Any, **options: Any) -> Any:
        bound = signature.bind(*args, **options)
        array = isinstance(bound.arguments[population], np.ndarray)
        many = len(bound.arguments[population])
        places = np.arange(many) if array else list(range(many))
        bound.arguments[population] = places
        plain(*bound.args, **bound.kwargs)
        return places

    drawn = record(arrange, primitive)

    @functools.wraps(plain)
    def shuffle(*args: Any, **options: Any) -> Any:
        bound = _bind(signature, args, options, population)
        among = None if bound is None else bound.arguments[population]
        known = isinstance(among, MutableSequence | np.ndarray)
        if bound is None or among is None or not known or bound.arguments.get("axis", 0) != 0:
            return plain(*args, **options)
        places = strip(drawn(*args, **options))
        if isinstance(among, np.ndarray):
            among[...] = among[places]
        else:
            among[:] = [among[one] for one in places]
        return None

    return shuffle


_PICKS: dict[tuple[str, str], tuple[str, Callable[..., Any]]] = {
    ("numpy", "choice"): ("a", _pick_in_numpy),
    ("numpy", "permutation"): ("x", _pick_in_numpy),
    ("numpy", "shuffle"): ("x", _shuffle),
    ("random", "choice"): ("seq", _pick_in_python),
    ("random", "choices"): ("population", _pick_in_python),
    ("random", "sample"): ("population", _pick_in_python),
    ("random", "shuffle"): ("x", _shuffle),
}
"""By library and method: the name of the population, and how it is picked from."""


def _bind(signature: inspect.Signature, args: Any, options: Any, population: str) -> Bound | None:
    """The arguments by name; None outside of what is recorded, or where the call will raise."""
    if CURRENT.tape is None or not CURRENT.tape.open:
        return None
    try:
        bound = signature.bind(*args, **options)
    except TypeError:
        return None
    return bound if population in bound.arguments else None


def _as_array(among: Any) -> Any:
    """A population as an array, whose entries stay traced."""
    plain, tape = np.asarray(strip(among)), tape_of([among])
    return plain if tape is None else trace(plain, codes_in(among), tape)
