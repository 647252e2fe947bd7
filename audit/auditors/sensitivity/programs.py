"""The sensitivity auditor on a program: each of its queries beside what the query states."""

from __future__ import annotations

from collections.abc import Iterator

from audit.auditors.effort import Effort
from audit.auditors.questions import questions_of
from audit.auditors.sensitivity.examine import examine as examine_query
from audit.auditors.sensitivity.examine import state_query
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.subject import ProgramSubject
from synthesizers.event_words import describe
from synthesizers.events import Measure, MeasureBest, MeasureSampled, Select
from synthesizers.queries import Query


def examine(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """What each query of a program can change by, on databases of any size.

    Of a selection, the scores. Raises TooLargeError where the program's questions can't be listed.
    """
    domain = claim.require_domain()
    queries: dict[Query, str] = {}
    for event in questions_of(subject, claim, effort):
        match event:
            case (
                Measure(query=query)
                | MeasureSampled(query=query)
                | MeasureBest(query=query)
                | Select(scores=query)
            ):
                queries.setdefault(query, describe(event))
    for query, name in queries.items():
        yield from examine_query(
            state_query(name, query, domain, claim.neighbours), claim.neighbours, seed=effort.seed
        )
