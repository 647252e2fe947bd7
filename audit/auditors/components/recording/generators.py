"""Generators of NumPy and Python whose draws go on the tape, and what makes them."""

from __future__ import annotations

import functools
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from audit.auditors.components.recording.calls import CURRENT
from audit.auditors.components.recording.entropy import urandom
from audit.auditors.components.recording.picking import record_draw
from audit.auditors.components.recording.places import SEEDED, place_of
from audit.auditors.components.recording.primitives import (
    Primitive,
    Said,
    law_of_numpy,
    law_of_python,
)
from audit.auditors.components.recording.tape import Tape
from audit.auditors.components.recording.tracers import PLAIN, codes_in, strip

STATES = frozenset(
    {
        *("seed", "get_state", "set_state", "getstate", "setstate", "get_bit_generator"),
        *("set_bit_generator", "VERSION"),
    }
)
"""Methods of generators that draw nothing."""


class RecordedGenerator(np.random.Generator):
    """A generator of numpy whose draws go on the tape; over the same bits, the same values."""

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Independent generators, recorded too."""
        return [RecordedGenerator(child.bit_generator) for child in super().spawn(n_children)]


def _method(owner: type, name: str, called: str, said: Callable[[dict[str, Any]], Said]) -> Any:
    plain = getattr(owner, name)
    return record_draw(plain, Primitive(f"{called}:{name}", said))


for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in ("spawn", "bit_generator"):
        setattr(
            RecordedGenerator,
            _name,
            _method(np.random.Generator, _name, "numpy.random.Generator", law_of_numpy(_name)),
        )


class RecordedState(np.random.RandomState):
    """An old generator of numpy, recorded."""


for _name in dir(np.random.RandomState):
    if not _name.startswith("_") and _name not in STATES:
        setattr(
            RecordedState,
            _name,
            _method(np.random.RandomState, _name, "numpy.random.RandomState", law_of_numpy(_name)),
        )


class RecordedRandom(random.Random):
    """A generator of Python, recorded."""

    def __init__(self, x: Any = None) -> None:
        # What C reads of the system's entropy no run could repeat.
        super().__init__(urandom(32) if x is None else x)


class RecordedSystem(random.SystemRandom):
    """The generator of the system's entropy, recorded."""


for _name in dir(random.Random):
    if not _name.startswith("_") and _name not in STATES:
        for _kind, _plain in (
            (RecordedRandom, random.Random),
            (RecordedSystem, random.SystemRandom),
        ):
            setattr(_kind, _name, _method(_plain, _name, "random", law_of_python(_name)))


def record_default_rng(plain: Any) -> Any:
    """`numpy.random.default_rng`, which makes recorded generators."""

    @functools.wraps(plain)
    def default_rng(seed: Any = None) -> Any:
        if isinstance(seed, np.random.Generator) or CURRENT.tape is None:
            return plain(seed)
        with CURRENT.tape if CURRENT.tape.open else Tape():
            made = RecordedGenerator(plain(seed).bit_generator)
        place = place_of(sys._getframe(1), SEEDED)
        CURRENT.tape.seed("numpy.random.default_rng", _spell_seed(seed), place)
        return made

    return default_rng


def _spell_seed(seed: Any) -> str | None:
    """A seed as text; of one that was drawn, as of none."""
    drawn = bool(np.any(codes_in(seed) != PLAIN)) if isinstance(seed, (int, np.ndarray)) else False
    return None if seed is None or drawn else repr(strip(seed))[:80]


def record_maker(plain: Any, recorded: Any) -> Any:
    """A class as those who ask `isinstance` know it, which makes recorded generators."""

    class Maker(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, plain)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, plain)

        def __call__(cls, *args: Any, **options: Any) -> Any:
            if cls is not maker or CURRENT.tape is None:
                return type.__call__(plain if cls is maker else cls, *args, **options)
            name = f"{plain.__module__.split('.')[0]}.{plain.__name__}"
            seed = args[0] if args else next(iter(options.values()), None)
            CURRENT.tape.seed(name, _spell_seed(seed), place_of(sys._getframe(1), SEEDED))
            # What it reads of the system's entropy is no draw of the foreign code.
            with CURRENT.tape:
                return recorded(*args, **options)

    maker = Maker(plain.__name__, (plain,), {"__module__": plain.__module__})
    return maker
