"""Generators that modules hold from before a run.

Within a recorded run they draw on the tape, and from where the run's seed puts them, so that the
run can be made again; they are as before when it is over.
"""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from audit.auditors.components.recording.calls import CURRENT
from audit.auditors.components.recording.entropy import PLAIN, SYSTEM, bytes_of
from audit.auditors.components.recording.generators import (
    RecordedGenerator,
    RecordedRandom,
    RecordedState,
    RecordedSystem,
)
from audit.auditors.components.recording.places import place_of

FIXED_BITS = 64
"""A seed of fewer bits was somebody's choice: the system gives numpy 128, of which the first 64
are 0 with a chance of 2^-64."""

HELD = "held by a module: "
"""How the maker of a generator begins that a module holds, and whose seed is fixed."""

_PYTHON = ((random.Random, RecordedRandom), (random.SystemRandom, RecordedSystem))
_OF_NUMPY = (np.random.Generator, np.random.RandomState)
"""The classes themselves: while something is recorded, modules have others by these names."""


class HeldGenerator(RecordedGenerator):
    """A generator that a module holds; one with a fixed seed says so before each of its draws."""

    name = ""
    seed: str | None = None

    def __getattribute__(self, name: str) -> Any:
        seed, tape = object.__getattribute__(self, "seed"), CURRENT.tape
        draws = not name.startswith("_") and name != "bit_generator"
        if draws and seed is not None and tape is not None and tape.open:
            maker = HELD + object.__getattribute__(self, "name")
            tape.seed(maker, seed, place_of(sys._getframe(1)))
        return object.__getattribute__(self, name)


_held: list[Any] = []
"""Those of the recording that is being made."""


@contextmanager
def replace_held() -> Iterator[None]:
    """Within this, generators that modules hold, and those of Python, draw on the tape."""
    undo: list[Callable[[], None]] = []
    made: dict[int, Any] = {}
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if not isinstance(names, dict) or getattr(module, "__name__", "").startswith("audit."):
            continue
        for name, value in list(names.items()):
            if type(value) in [plain for plain, _ in _PYTHON]:
                made[id(value)] = value
            elif type(value) in _OF_NUMPY:
                if id(value) not in made:
                    made[id(value)] = _record(value, f"{module.__name__}.{name}")
                names[name] = made[id(value)]
                undo.append(functools.partial(names.__setitem__, name, value))
    for plain, recorded in _PYTHON:
        for name in [name for name in vars(recorded) if not name.startswith("_")]:
            own = vars(plain).get(name)
            back = functools.partial(setattr, plain, name, own)
            undo.append(functools.partial(delattr, plain, name) if own is None else back)
            setattr(plain, name, vars(recorded)[name])
    _held[:] = made.values()
    try:
        yield
    finally:
        _held.clear()
        for step in reversed(undo):
            step()


def _record(plain: Any, name: str) -> Any:
    """A recorded generator over the same bits."""
    if type(plain) is _OF_NUMPY[1]:
        return RecordedState(plain._bit_generator)
    held = HeldGenerator(plain.bit_generator)
    entropy = getattr(getattr(plain.bit_generator, "seed_seq", None), "entropy", None)
    if isinstance(entropy, int) and entropy.bit_length() <= FIXED_BITS:
        held.name, held.seed = name, str(entropy)
    return held


@contextmanager
def freeze(seed: int) -> Iterator[None]:
    """Within this, the system's entropy, and what modules hold, follow from a seed."""
    kept = [_state_of(one) for one in _held]
    for place, one in enumerate(_held):
        _put(one, _fresh_state(one, [seed, place]))
    SYSTEM.source = bytes_of(seed)
    try:
        yield
    finally:
        SYSTEM.source = PLAIN
        for one, state in zip(_held, kept):
            _put(one, state)


def _state_of(held: Any) -> Any:
    if isinstance(held, _PYTHON[1][0]):
        # Its entropy is the system's; of every two normal draws it keeps one.
        return vars(held)["gauss_next"]
    if isinstance(held, _PYTHON[0][0]):
        return held.getstate()
    if isinstance(held, _OF_NUMPY[1]):
        return held.get_state(legacy=False)
    return held.bit_generator.state


def _fresh_state(held: Any, seeds: list[int]) -> Any:
    """A state of its kind that follows from whole numbers."""
    if isinstance(held, _PYTHON[1][0]):
        return None
    if isinstance(held, _PYTHON[0][0]):
        return _PYTHON[0][0](repr(seeds)).getstate()
    old = isinstance(held, _OF_NUMPY[1])
    bits = held._bit_generator if old else held.bit_generator
    state = type(bits)(np.random.SeedSequence(seeds)).state
    return {**state, "has_gauss": 0, "gauss": 0.0} if old else state


def _put(held: Any, state: Any) -> None:
    if isinstance(held, _PYTHON[1][0]):
        vars(held)["gauss_next"] = state
    elif isinstance(held, _PYTHON[0][0]):
        held.setstate(state)
    elif isinstance(held, _OF_NUMPY[1]):
        held.set_state(state)
    else:
        held.bit_generator.state = state
