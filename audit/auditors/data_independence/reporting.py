"""Findings of data independence, from what the search saw and what was read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from audit.auditors.data_independence.facets import Facet
from audit.auditors.data_independence.observing import seeded_globals
from audit.auditors.data_independence.poisoned import Poisoned, Touch
from audit.auditors.data_independence.recorded_draws import recording
from audit.auditors.data_independence.searching import Effort, Seen
from audit.auditors.data_independence.separation import LEARNING
from audit.auditors.data_independence.subjects import AuditedFunction
from audit.auditors.data_independence.surroundings import overseen
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown
from audit.subjects.function import fresh, generator
from audit.subjects.pair import Pair
from proofs.guarantees import Guarantee
from synthesizers.neighbours import Neighbours, describe


def touches(
    subject: AuditedFunction, database: Any, seed: int, measures: Sequence[Callable[..., Any]] = ()
) -> tuple[tuple[Touch, ...], bool]:
    """What a run read outside measurements, and whether there were any; see `poisoned`.

    A run that the poisoned database ends, because it is no list of Python's own, has read what it
    had read until then.
    """
    poisoned = Poisoned(fresh(database)(), measures)
    try:
        with seeded_globals(seed, 0), overseen(lambda _: None):
            subject.run(poisoned.database, recording(generator(seed, 0).bit_generator, None))
    except (Exception, SystemExit):
        return poisoned.touches, poisoned.has_boundary
    return poisoned.touches, poisoned.has_boundary


@dataclass(frozen=True)
class Report:
    """What was looked at, from which findings are written."""

    subject: AuditedFunction
    guarantee: Guarantee | None
    neighbours: Neighbours
    pairs: Sequence[Pair]
    seed: int
    effort: Effort
    visible: frozenset[Facet]

    @property
    def covers(self) -> str:
        """Which databases were looked at."""
        kind = "pair" if len(self.pairs) == 1 else "pairs"
        largest = max((length(d) for p in self.pairs for d in (p.first, p.second)), default=0)
        return (
            f"{len(self.pairs)} {kind} of neighbours ({describe(self.neighbours)}), of at most "
            f"{largest} records; no random generator is kept from one run to the next"
        )

    def finding(self, facet: Facet, seen: Seen | None) -> Finding:
        """What was seen of a facet."""
        declared = "the same on neighbours"
        if self.guarantee is not None:
            declared += f", or as private as {self.guarantee}"
        if seen is None:
            return Finding(
                auditor="data independence",
                about=facet.value,
                decision=Decision.of_declaration(False),
                declared=declared,
                found=f"no difference beyond noise in {2 * LEARNING} runs of a pair",
                rigour=Rigour.STATISTICAL,
                covers=self.covers,
                again=self._replay("domain=domain"),
                error=self.effort.alarm,
            )
        exact = seen.rigour is Rigour.EXACT
        first, second = seen.rule.told()
        words = f"{seen.rule.name[1]}: {first} on the first database, {second} on the second"
        when = ", settled before anything random" if exact else f", in {seen.runs} runs"
        return Finding(
            auditor="data independence",
            about=facet.value,
            decision=Decision.of_declaration(seen.violated),
            declared=declared,
            found=words + when + ("" if seen.violated else self._excuse(facet)),
            rigour=seen.rigour,
            covers=self.covers,
            again=self._replay("pairs=[(finding.pair.first, finding.pair.second)]"),
            pair=Shown(seen.pair.first, seen.pair.second),
            responsible=self._responsible(facet, seen),
            error=None if exact else self.effort.alarm,
        )

    def reading(self, measures: Sequence[Callable[..., Any]]) -> list[Finding]:
        """Where the data are read outside measurements, if the subject has any."""
        for pair in self.pairs:
            database = max(pair.first, pair.second, key=length)
            if not _is_records(database):
                continue
            found, inside = touches(self.subject, database, self.seed, measures)
            if not (inside or measures):
                return []
            if found:
                return [self.read(pair, found)]
        return [] if not measures else [self.read(self.pairs[0], ())]

    def read(self, pair: Pair, found: Sequence[Touch]) -> Finding:
        """What was read past measurements, on a pair that shows it."""
        return Finding(
            auditor="data independence",
            about="data read outside measurements",
            decision=Decision.of_declaration(bool(found)),
            declared="the data are read by measurements alone",
            found="; ".join(map(str, found[:3])) if found else "nothing was read elsewhere",
            rigour=Rigour.EXACT,
            covers="one run on a database of each pair",
            again=self._replay("pairs=[(finding.pair.first, finding.pair.second)]"),
            pair=Shown(pair.first, pair.second) if found else None,
            responsible=str(found[0]) if found else None,
        )

    def _responsible(self, facet: Facet, seen: Seen) -> str:
        name = seen.rule.name[1]
        if facet is not Facet.ROWS or self.subject.opaque or not _is_records(seen.pair.first):
            return name
        database = max(seen.pair.first, seen.pair.second, key=length)
        read = [one for one in touches(self.subject, database, self.seed)[0] if one.what == "len"]
        return f"{name}; {read[0]}" if read else name

    def _excuse(self, facet: Facet) -> str:
        if facet not in self.visible:
            return "; it was not said to be visible"
        if self.guarantee is None:
            return "; without a guarantee it is not known how much may depend on the data"
        return f"; more than {self.effort.runs} runs would be needed to refute {self.guarantee}"

    def _replay(self, databases: str) -> str:
        asked = "neighbours" if self.guarantee is None else "claim"
        return (
            "from audit.auditors.data_independence import examine\n"
            f"examine(subject, {asked}, {databases}, seed={self.seed})  # {self.subject.name}"
        )


def length(database: Any) -> int:
    """How many records a database holds, as far as it says."""
    return len(database) if hasattr(database, "__len__") else 1


def _is_records(database: Any) -> bool:
    return isinstance(database, list) and all(isinstance(record, dict) for record in database)
