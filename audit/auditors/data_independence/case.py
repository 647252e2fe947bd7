"""What an examination of data independence looks at, and how far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from audit.auditors.data_independence.facets import Facet
from audit.auditors.data_independence.looking import Looking, look_from_within
from audit.auditors.data_independence.subjects import AuditedFunction
from audit.auditors.effort import Effort
from audit.subjects.pair import Pair
from proofs.guarantees import Guarantee
from synthesizers.neighbours import Neighbours

MOST_PAIRS = 48
"""Pairs that are looked at unless told otherwise: all kinds of
`audit.auditors.attack.pairs.patterns` of a small domain."""

MOST_RUNS = 4000
"""The most runs of a test: enough for ε up to 5.4, a second or so where a run takes 0.2 ms."""

NO_BUDGET = 10**9
"""More runs than the pairs of any examination take."""


@dataclass(frozen=True, eq=False)
class Case:
    """A subject, what it claims, the pairs it is looked at on, and the facets that others see.

    ``guarantee``: None where none is stated; then only what is settled before anything random is
    accused. ``shrinks``: the pairs may be made smaller. ``budget``: the most runs in all. ``look``:
    how one of them is made. ``copied``: what runs show is looked at in copies of this process, too,
    where it can be copied.
    """

    subject: AuditedFunction
    guarantee: Guarantee | None
    neighbours: Neighbours
    pairs: Sequence[Pair]
    visible: frozenset[Facet]
    effort: Effort
    shrinks: bool
    budget: int = NO_BUDGET
    look: Looking = look_from_within
    copied: bool = True

    @property
    def seed(self) -> int:
        """All randomness that the subject is handed follows from it."""
        return self.effort.seed

    @property
    def alarm(self) -> float:
        """The largest probability that an honest subject is accused of anything."""
        return self.effort.alarm

    @property
    def runs(self) -> int:
        """The most of one test."""
        return MOST_RUNS if self.effort.runs is None else self.effort.runs

    def larger_databases(self) -> Iterator[tuple[Pair, Any]]:
        """Each pair with the one of its databases that has more records."""
        for pair in self.pairs:
            yield pair, max(pair.first, pair.second, key=length)


def length(database: Any) -> int:
    """How many records a database holds, as far as it says."""
    return len(database) if hasattr(database, "__len__") else 1
