"""A search for neighbours between which a function changes much: floors, wherever it looks.

Chains and families of databases first (`audit.auditors.sensitivity.families`), then databases that
Hypothesis makes up, led by ``target`` towards larger changes. What exceeds is shrunk.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise

from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings, target
from hypothesis import strategies as st

from audit.auditors.sensitivity.answers import Answering, Seen, see
from audit.auditors.sensitivity.declaration import Declared, Norm, Size
from audit.auditors.sensitivity.extremes import Extreme, Extremes, lighter
from audit.auditors.sensitivity.families import FAMILIES, SIZES, chains, moves
from audit.auditors.sensitivity.moves import Move, Owned, shrunk
from audit.auditors.sensitivity.records import Records
from audit.auditors.sensitivity.storage import storage_apart
from audit.auditors.sensitivity.tolerance import Tolerance
from synthesizers.neighbours import AddRemove, Neighbours

EXAMPLES = 300
"""Pairs that Hypothesis makes up (three times its own default)."""

CLIMBING = 2
"""The most pairs in all, in units of those drawn at random: as many again are for the climb towards
larger changes."""

SMALL_REST = 6
"""The most parts of a rest that is made up record by record (exhaustion
covers what is smaller, families what is larger)."""


@dataclass(frozen=True)
class Sought:
    """What is searched: databases over ``space``, of ``records`` records where these are given.

    ``examples``: how many pairs Hypothesis makes up; ``seed``: what they follow from.
    """

    space: Records
    neighbours: Neighbours
    records: int | None = None
    examples: int = EXAMPLES
    seed: int = 0

    @property
    def exact(self) -> bool:
        """Whether all databases have the same number of records."""
        return self.records is not None and self.neighbours.records_public


def search(
    answering: Answering, sought: Sought, declared: Declared, tolerance: Tolerance | None = None
) -> Extremes:
    """For every declared norm the largest change that was met, and the smallest pair beyond.

    Deterministic for a deterministic function and a seed. Empty where no pair that has answers
    could be made.
    """
    tally = _Tally(declared, tolerance or Tolerance())
    individual = sought.space.individual

    def ask(move: Move) -> Seen:
        return see(answering, *move.databases(individual))

    for chain in chains(sought.space, sought.neighbours, sought.records):
        asked = ((d, answering.answer(d)) for d in chain.databases(individual))
        for step, ((first, before), (second, after)) in enumerate(pairwise(asked)):
            tally.take(Seen(first, second, (before, after)), partial(chain.move, step))
    for move in moves(sought.space, sought.neighbours, sought.records):
        tally.take(ask(move), partial(_itself, move))
    _try_generated(sought, ask, tally)
    return tally.extremes(ask, sought)


def _itself(move: Move) -> Move:
    return move


class _Tally:
    """The largest change so far, and the smallest pair beyond what was declared."""

    def __init__(self, declared: Declared, tolerance: Tolerance) -> None:
        self.declared, self.tolerance = declared, tolerance
        self._largest: dict[Norm, tuple[Size, Seen]] = {}
        self._beyond: dict[Norm, tuple[Seen, Callable[[], Move]]] = {}

    def take(self, pair: Seen, move: Callable[[], Move]) -> dict[Norm, Size]:
        """Count a pair in; the norms of its change."""
        if not pair.answered:
            return {}
        changes = pair.changes
        sizes = {norm: norm.of(changes) for norm, _ in self.declared}
        for norm, bound in self.declared:
            size = sizes[norm]
            if norm not in self._largest or size > self._largest[norm][0]:
                self._largest[norm] = (size, pair)
            if self.tolerance.exceeds(norm, bound, size, pair) and (
                norm not in self._beyond or lighter(pair, self._beyond[norm][0])
            ):
                self._beyond[norm] = (pair, move)
        return sizes

    def extremes(self, ask: Callable[[Move], Seen], sought: Sought) -> Extremes:
        """What was found, with what exceeds made small."""
        return {
            norm: Extreme(self._largest[norm][1], self._shrunk(norm, bound, ask, sought))
            for norm, bound in self.declared
            if norm in self._largest
        }

    def _shrunk(
        self, norm: Norm, bound: Fraction, ask: Callable[[Move], Seen], sought: Sought
    ) -> Seen | None:
        if norm not in self._beyond:
            return None

        def exceeds(move: Move) -> bool:
            pair = ask(move)
            return self.tolerance.exceeds(norm, bound, pair.size(norm), pair)

        start = self._beyond[norm][1]()
        simplest = sought.space.list_records() or sought.space.telling()
        return ask(shrunk(start, exceeds, simplest, not sought.exact))


def _try_generated(sought: Sought, ask: Callable[[Move], Seen], tally: _Tally) -> None:
    """Pairs that Hypothesis makes up."""
    strategy = drawn_moves(sought)
    if strategy is None or not sought.examples:
        return

    calls = itertools.count()

    def count() -> None:
        # Drawn first, so that pairs are counted that are given up while they are made: a climb may
        # go on for tens of thousands of these.
        if next(calls) >= CLIMBING * sought.examples:
            raise _Enough

    @seed(sought.seed)
    @settings(
        max_examples=sought.examples,
        deadline=None,
        database=None,
        phases=(Phase.generate, Phase.target),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(st.builds(count), strategy)
    def look(_: None, move: Move) -> None:
        if not move.differs:
            return
        for norm, size in tally.take(ask(move), partial(_itself, move)).items():
            # What is infinite can't become larger.
            if math.isfinite(size):
                target(float(min(size, Fraction(10**300))), label=norm.value)

    with storage_apart(), contextlib.suppress(_Enough):
        look()


class _Enough(KeyboardInterrupt):
    """The search has made its calls: the one exception that Hypothesis lets through at once."""


def drawn_moves(sought: Sought) -> st.SearchStrategy[Move] | None:
    """Moves of the relation: a rest, made up or of a family, and a unit's records.

    None where the number of records leaves no room for a unit.
    """
    space, neighbours = sought.space, sought.neighbours
    most = neighbours.unit.max_records
    if sought.records is not None:
        most = min(most, sought.records)
    if most < 1:
        return None
    room = None if sought.records is None else sought.records - most
    record = space.strategy()
    unit = st.lists(record, min_size=1, max_size=most).map(tuple)
    gone: st.SearchStrategy[Owned] = st.just(())
    if not isinstance(neighbours, AddRemove):
        single = record.map(lambda one: (one,))
        gone = single if neighbours.unit.is_record else st.just(()) | unit
    parts = (
        unit if space.individual is not None and room is None else record.map(lambda one: (one,))
    )
    least = room if sought.exact and room is not None else 0
    limit = SMALL_REST if room is None else room if sought.exact else min(room, SMALL_REST)
    made = st.lists(parts, min_size=least, max_size=limit).map(tuple)
    sizes = [size for size in SIZES if room is None or size <= room]
    if sizes and not sought.exact:
        made = made | st.builds(
            lambda name, size: tuple((one,) for one in FAMILIES[name](space, size)),
            st.sampled_from(list(FAMILIES)),
            st.integers(1, min(sizes[-1], LARGEST_DRAWN)),
        )
    return st.builds(Move, made, gone, unit, st.integers(0, SMALL_REST))


LARGEST_DRAWN = 300
"""The most records of a family that Hypothesis draws (chains and listed
sizes go further)."""
