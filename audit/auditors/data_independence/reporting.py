"""Findings of data independence, from what the search saw and what was read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from audit.auditors.data_independence.case import Case, length
from audit.auditors.data_independence.facets import Facet
from audit.auditors.data_independence.observing import seed_globals
from audit.auditors.data_independence.poisoned import Poisoned, Touch
from audit.auditors.data_independence.recorded_draws import recording
from audit.auditors.data_independence.searching import Seen
from audit.auditors.data_independence.separation import LEARNING
from audit.auditors.data_independence.subjects import AuditedFunction
from audit.auditors.data_independence.surroundings import overseen
from audit.auditors.data_independence.token_words import describe_name
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown
from audit.subjects.function import fresh, generator
from audit.subjects.pair import Pair
from synthesizers.neighbours import describe


def touches(
    subject: AuditedFunction, database: Any, seed: int, measures: Sequence[Callable[..., Any]] = ()
) -> tuple[tuple[Touch, ...], bool]:
    """What a run read outside measurements, and whether there were any; see `poisoned`.

    A run that the poisoned database ends, because it is no list of Python's own, has read what it
    had read until then.
    """
    poisoned = Poisoned(fresh(database)(), measures)
    try:
        with seed_globals(seed, 0), overseen(lambda _: None):
            subject.run(poisoned.database, recording(generator(seed, 0).bit_generator, None))
    except (Exception, SystemExit):
        return poisoned.touches, poisoned.has_boundary
    return poisoned.touches, poisoned.has_boundary


def facet_finding(case: Case, facet: Facet, seen: Seen | None) -> Finding:
    """What was seen of a facet; None where it told no neighbours apart."""
    declared = "the same on neighbours"
    if case.guarantee is not None:
        declared += f", or as private as {case.guarantee}"
    if seen is None:
        return Finding(
            auditor="data independence",
            about=facet.value,
            decision=Decision.KEPT,
            declared=declared,
            found=f"no difference beyond noise in {2 * LEARNING} runs of a pair",
            rigour=Rigour.STATISTICAL,
            covers=_covers(case),
            again=_again(case, "domain=domain"),
            error=case.alarm,
        )
    exact = seen.rigour is Rigour.EXACT
    first, second = seen.rule.describe()
    name = describe_name(seen.rule.name[1])
    words = f"{name}: {first} on the first database, {second} on the second"
    when = ", settled before anything random" if exact else f", in {seen.runs} runs"
    return Finding(
        auditor="data independence",
        about=facet.value,
        decision=Decision.of_declaration(seen.violated),
        declared=declared,
        found=words + when + ("" if seen.violated else _excuse(case, facet)),
        rigour=seen.rigour,
        covers=_covers(case),
        again=_again(case, _PAIR),
        pair=Shown(seen.pair.first, seen.pair.second),
        responsible=_responsible(case, facet, seen),
        error=None if exact else case.alarm,
    )


def reading_findings(case: Case, measures: Sequence[Callable[..., Any]]) -> Iterator[Finding]:
    """Where the data are read outside measurements, if the subject has any."""
    for pair, database in case.larger_databases():
        if not _is_records(database):
            continue
        reads, inside = touches(case.subject, database, case.seed, measures)
        if not (inside or measures):
            return
        if reads:
            yield reading_finding(case, pair, reads)
            return
    if measures:
        yield reading_finding(case, case.pairs[0], ())


def reading_finding(case: Case, pair: Pair, reads: Sequence[Touch]) -> Finding:
    """What was read past measurements, on a pair that shows it."""
    return Finding(
        auditor="data independence",
        about="data read outside measurements",
        decision=Decision.of_declaration(bool(reads)),
        declared="the data are read by measurements alone",
        found="; ".join(map(str, reads[:3])) if reads else "nothing was read elsewhere",
        rigour=Rigour.EXACT,
        covers="one run on a database of each pair",
        again=_again(case, _PAIR),
        pair=Shown(pair.first, pair.second) if reads else None,
        responsible=str(reads[0]) if reads else None,
    )


def _covers(case: Case) -> str:
    """Which databases were looked at."""
    kind = "pair" if len(case.pairs) == 1 else "pairs"
    largest = max(length(database) for _, database in case.larger_databases())
    return (
        f"{len(case.pairs)} {kind} of neighbours ({describe(case.neighbours)}), of at most "
        f"{largest} records; no random generator is kept from one run to the next"
    )


def _responsible(case: Case, facet: Facet, seen: Seen) -> str:
    name = describe_name(seen.rule.name[1])
    if facet is not Facet.ROWS or case.subject.opaque or not _is_records(seen.pair.first):
        return name
    database = max(seen.pair.first, seen.pair.second, key=length)
    read = [one for one in touches(case.subject, database, case.seed)[0] if one.what == "len"]
    return f"{name}; {read[0]}" if read else name


def _excuse(case: Case, facet: Facet) -> str:
    if facet not in case.visible:
        return "; it was not said to be visible"
    if case.guarantee is None:
        return "; without a guarantee it is not known how much may depend on the data"
    return f"; more than {case.runs} runs would be needed to refute {case.guarantee}"


_PAIR = "pairs=[(finding.pair.first, finding.pair.second)]"


def _again(case: Case, databases: str) -> str:
    stated = "neighbours" if case.guarantee is None else "claim"
    return (
        "from audit.auditors.data_independence import examine\n"
        f"examine(subject, {stated}, {databases}, seed={case.seed})  # {case.subject.name}"
    )


def _is_records(database: Any) -> bool:
    return isinstance(database, list) and all(isinstance(record, dict) for record in database)
