"""What is attacked, and what its runs must be: comparable outputs, drawn independently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.auditors.attack.independence.independence import (
    FALSE_ALARM,
    Independence,
    RunsKind,
    examine,
    take_initial,
)
from audit.auditors.attack.independence.orders import LONGEST
from audit.auditors.attack.independence.probing import guard
from audit.subjects.black_box import BlackBox
from audit.subjects.failures import describe_failure, unread_always
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs, Source
from synthesizers.errors import ProtocolError

LEAST_LOOKED_AT = 200
"""Runs on a pair that independence is judged by, at least, where more can be had (the weakest
correlation seen is then some 0.6)."""


@dataclass(frozen=True, eq=False)
class AttackedBox:
    """What is attacked: where its runs come from, and the box itself unless they are given."""

    source: Source
    box: BlackBox | None


def note_comparison(seen: Independence, shared: int, stands: bool) -> dict[str, int]:
    """How many runs a submission served, and how many first runs they were compared with.

    Nothing where the finding does not stand by these runs: see
    `audit.auditors.attack.finding.confirming`.
    """
    return {"shared_runs": shared, "fresh_runs": seen.compared} if seen.compared and stands else {}


@dataclass(eq=False)
class Recorded:
    """A source that keeps what it gave, up to what independence is judged by."""

    source: Source
    kept: dict[int, list[Runs]] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)

    def blocks(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Any:
        """As the source's."""
        for block in self.source.blocks(stage, pair, number, runs, start):
            if self.sizes.get(number, 0) < LONGEST:
                self.kept.setdefault(number, []).append(block)
                self.sizes[number] = self.sizes.get(number, 0) + len(block)
            yield block

    def runs(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Runs:
        """As the source's."""
        return Runs.join(self.blocks(stage, pair, number, runs, start))


def require_outputs(runs: Runs) -> None:
    """Raise ProtocolError where no run gave an output, or none that can be compared."""
    failed = describe_failure(runs.outcomes)
    if failed is not None:
        raise ProtocolError(
            f"{failed}; a subject that never gives an output can't be audited: check that it runs "
            "on these databases, and that all it reads lies in its own folder"
        )
    unread = unread_always(runs)
    if unread is not None:
        raise ProtocolError(
            f"outputs of type {unread} on both databases hold what can't be compared; return "
            "numbers, text, a table, or lists and mappings of these"
        )


def judge_runs(
    target: AttackedBox, pair: Pair, runs: Runs, seed: int, error: float = FALSE_ALARM / 3
) -> Independence:
    """Independence of runs on a pair; of a box that can be run, by new calls as well."""
    if target.box is None:
        return examine(runs, seed, error=error)
    return guard(target.box, pair, runs, seed, error=error)


def judge_all(
    target: AttackedBox, recorded: Recorded, pairs: Sequence[Pair], leading: int, seed: int
) -> Independence:
    """Independence on every pair that was bet on; more runs are made of the leading one if few."""
    runs = Runs.join(recorded.kept[leading])
    if target.box is not None and len(runs) < LEAST_LOOKED_AT:
        more = LEAST_LOOKED_AT - len(runs)
        runs = Runs.join([runs, target.source.runs("check", pairs[leading], leading, more)])
    # How many runs there are was decided by what they showed, but for a length that was fixed.
    error = FALSE_ALARM / 3 / (1 + len(recorded.kept))
    part, share = (runs, 1.0) if len(runs) == LEAST_LOOKED_AT else take_initial(runs)
    found = judge_runs(target, pairs[leading], part, seed, error * share)
    for parts in recorded.kept.values():
        part, share = take_initial(Runs.join(parts))
        other = examine(part, seed, error=error * share)
        if found.kind is not RunsKind.DEPENDENT and other.kind is RunsKind.DEPENDENT:
            found = other
    return found
