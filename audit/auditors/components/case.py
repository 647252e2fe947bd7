"""What is examined in component mode, and how a finding of it is stated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from audit.auditors.components.asking import Ask
from audit.auditors.components.looking import STRETCHES, Looked
from audit.auditors.components.readable import Readable, find_readable
from audit.auditors.components.recording.named import Named
from audit.auditors.components.recording.steps import Entry
from audit.statements.evidence import Decision
from audit.statements.finding import Excess, Finding, Rigour, Shown
from audit.subjects.pair import Pair
from proofs.guarantees import Guarantee

NAME = "components"

ALARM = 1e-6
"""The largest probability that an honest subject is accused by runs."""

MOST_TESTED = 4
"""The most pairs whose outputs are tested by runs; each has its share of the alarm."""

HIDDEN = "the two given databases show it; --data-is-public shows how"
"""What is told of databases that are the user's own."""


@dataclass(frozen=True, eq=False)
class Case:
    """What is examined: how it is asked, against which claim, on which pairs of neighbours.

    ``named``: functions that are recorded as one call each. ``shrinks``: records may be left out
    of a pair; ``simplifies``: values of its records may be others. ``hidden``: it holds databases
    of the user, of which nothing is told. ``alarm``: the error of what runs refute. ``doubles``:
    the claim speaks of the doubles that come out, and not of real numbers. ``again``: the command
    that shows the same.
    """

    ask: Ask
    guarantee: Guarantee
    pairs: Sequence[Pair]
    seed: int = 0
    named: Sequence[Named] = ()
    shrinks: bool = True
    simplifies: bool = True
    hidden: bool = False
    alarm: float = ALARM
    doubles: bool = False
    again: str = ""

    def covers(self) -> str:
        """What was looked at."""
        largest = max(max(len(pair.first), len(pair.second)) for pair in self.pairs)
        return (
            f"{len(self.pairs)} pairs of neighbours, of at most {largest} records, "
            f"{len(STRETCHES)} transcripts each; by the word of the process that ran the subject"
        )

    def show_pair(self, looked: Looked) -> Shown | None:
        """The pair as a finding shows it."""
        return None if self.hidden else Shown(looked.pair.first, looked.pair.second)


def state_finding(
    case: Case,
    looked: Looked,
    about: str,
    declared: str,
    found: str,
    place: str,
    decision: Decision,
    error: float | None = None,
    excess: Excess | None = None,
) -> Finding:
    """A finding on a pair, at a line; ``error``: of one that runs show."""
    return Finding(
        auditor=NAME,
        about=about,
        decision=decision,
        declared=declared,
        found=HIDDEN if case.hidden else found,
        rigour=Rigour.FLOOR if error is None else Rigour.STATISTICAL,
        covers=case.covers(),
        again=case.again,
        pair=case.show_pair(looked),
        responsible=place,
        error=error,
        excess=excess,
    )


def read_on_both(case: Case, looked: Looked, entries: Sequence[Entry]) -> Mapping[Entry, Readable]:
    """How answers show where the output is the same on both databases once they are."""
    runs = looked.transcripts
    if any(one.differs and not one.leaves for one in runs):
        return {}
    unequal = {leaf for one in runs for leaf in one.leaves}
    found = find_readable(case.ask, looked, runs[0], entries)
    return {entry: one for entry, one in found.items() if one.leaf not in unequal}
