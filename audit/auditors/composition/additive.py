"""What a function's output is made of: a statistic plus its own draws of noise, entry by entry.

The function is run on both databases of a pair with the same noise, and with none. Where every
entry of the output is, to the last bit, the silent entry plus one draw of Laplace or normal noise,
it is known how far the pair moves the statistic, and how wide the noise is that hides it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.auditors.data_independence.observing import seed_globals
from audit.auditors.data_independence.recorded_draws import (
    Draw,
    Listener,
    RecordingGenerator,
    Seeding,
    overheard,
    place_of,
)
from audit.auditors.data_independence.surroundings import overseen
from audit.subjects.function import fresh, generator
from audit.subjects.pair import Pair

STREAMS = 6
"""Streams of noise under which additivity is verified: two of each of `STRETCHES`."""

STRETCHES = (1, 4, 64)
"""By how much the noise of a stream is multiplied, in turn, so that clamping and rounding far from
the statistic show too."""

Function = Callable[[Any, np.random.Generator], Any]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Term:
    """One entry of the output: how far a pair moves it, and the draw that hides it.

    ``law``: laplace or normal; ``scale``: b or σ; ``place``: the line that draws.
    """

    law: str
    scale: Fraction
    moved: Fraction
    place: str

    @property
    def spent(self) -> Fraction:
        """|Δ|/b, or |Δ|/σ."""
        return abs(self.moved) / self.scale


def terms_of(function: Function, pair: Pair, seed: int) -> tuple[Term, ...] | None:
    """What each entry of the output is made of on a pair; None where it is no statistic plus noise.

    Entries that are the same in all runs on both databases are left out.
    """
    listener = Listener()
    with overheard(listener):
        return terms_heard(function, pair, seed, listener)


def terms_heard(
    function: Function, pair: Pair, seed: int, listener: Listener
) -> tuple[Term, ...] | None:
    """The same, within `overheard` by ``listener``."""
    found: list[list[list[_Ran]]] = []
    for stream in range(STREAMS):
        found.append([])
        for database in (pair.first, pair.second):
            both = []
            for stretch in (0, STRETCHES[stream % len(STRETCHES)]):
                ran = _run(function, database, seed, stream, stretch, listener)
                if ran is None:
                    return None
                both.append(ran)
            found[-1].append(both)
    return _match(found)


@dataclass(frozen=True, eq=False)
class _Ran:
    """A run: its output's entries, and the noise of each draw, entry by entry."""

    output: Floats
    noise: Floats
    laws: tuple[tuple[str, float, str], ...]


class _Steered(RecordingGenerator):
    """Gives Laplace and normal noise, stretched or silenced, and keeps it; says what else is asked.

    The same bits are spent whatever the stretch, so that two runs have the same noise.
    """

    stretch = 1
    foreign = False

    def begin(self, stretch: int) -> None:
        """Start a run."""
        self.stretch, self.foreign = stretch, False
        self.noise: list[Floats] = []
        self.laws: list[tuple[str, float, str]] = []
        self.note = self._hear

    def _hear(self, _: Draw | Seeding) -> None:
        self.foreign = True

    def laplace(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """A Laplace draw."""
        return self._add("laplace", loc, scale, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """A normal draw."""
        return self._add("normal", loc, scale, size)

    def _add(self, law: str, loc: Any, scale: Any, size: Any) -> Any:
        shape = np.broadcast_shapes(np.shape(loc), np.shape(scale)) if size is None else size
        hear, self.note = self.note, None
        plain = getattr(np.random.Generator, law)
        noise = np.asarray(plain(self, 0.0, scale, shape), np.float64) * self.stretch
        self.note = hear
        place = place_of(sys._getframe(2))
        scales = np.broadcast_to(np.asarray(scale, np.float64), noise.shape).ravel().tolist()
        self.laws += [(law, one, place) for one in scales]
        self.noise.append(noise.ravel())
        found = np.asarray(loc) + noise
        return found if found.ndim else float(found)


def _run(
    function: Function, database: Any, seed: int, stream: int, stretch: int, listener: Listener
) -> _Ran | None:
    """One run; None where it draws from anything else, raises, or returns no numbers."""
    rng = _Steered(generator(seed, stream).bit_generator)
    rng.begin(stretch)
    with seed_globals(seed, stream):
        listener.note = rng._hear
        try:
            with overseen(lambda _: None):
                output = _entries(function(fresh(database)(), rng))
        except (Exception, SystemExit):
            return None
        finally:
            listener.note = None
    if rng.foreign or output is None:
        return None
    noise = np.concatenate([np.zeros(0), *rng.noise])
    return _Ran(output, noise, tuple(rng.laws))


def _entries(output: Any) -> Floats | None:
    """All numbers of an output in order; None where it holds anything else but names."""
    match output:
        case pd.DataFrame() | pd.Series():
            return _entries(output.to_numpy())
        case np.ndarray() if output.dtype.kind in "iuf":
            return output.astype(np.float64).ravel()
        case bool() | int() | float() | np.number():
            return np.array([float(output)])
        case Mapping():
            return _join(list(output.values()))
        case list() | tuple():
            return _join(list(output))
        case None:
            return np.zeros(0)
    return None


def _join(parts: list[Any]) -> Floats | None:
    found = [_entries(part) for part in parts]
    if any(part is None for part in found):
        return None
    return np.concatenate([np.zeros(0), *(part for part in found if part is not None)])


def _match(streams: list[list[list[_Ran]]]) -> tuple[Term, ...] | None:
    """Each entry's draw, the same in all streams and on both databases."""
    silent = [streams[0][side][0].output for side in (0, 1)]
    laws = streams[0][0][1].laws
    every = [run for stream in streams for both in stream for run in both]
    if any(run.laws != laws or len(run.output) != len(silent[0]) for run in every):
        return None
    constant = np.all([run.output == silent[0] for run in every], axis=0)
    taken: dict[int, int] = {}
    first = streams[0][0][1]
    for entry in np.flatnonzero(~constant).tolist():
        same = np.flatnonzero(silent[0][entry] + first.noise == first.output[entry])
        free = [draw for draw in same.tolist() if draw not in taken]
        if not free:
            return None
        taken[free[0]] = entry
    entries = np.array(list(taken.values()), np.intp)
    draws = np.array(list(taken), np.intp)
    for stream in streams:
        for side, (quiet, noisy) in enumerate(stream):
            still = np.array_equal(quiet.output, silent[side])
            sums = silent[side][entries] + noisy.noise[draws]
            if not still or not np.array_equal(sums, noisy.output[entries]):
                return None
    terms = []
    for draw, entry in taken.items():
        law, scale, place = laws[draw]
        before, after = float(silent[0][entry]), float(silent[1][entry])
        if not (scale > 0 and np.isfinite([scale, before, after]).all()):
            return None
        terms.append(Term(law, Fraction(scale), Fraction(after) - Fraction(before), place))
    return tuple(terms)
