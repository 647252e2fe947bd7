"""The sensitivity auditor on a black box: the queries that it exposes, beside what they state."""

from __future__ import annotations

from collections.abc import Iterator

from audit.auditors.effort import Effort
from audit.auditors.exposed import find_exposed, query_of
from audit.auditors.registry import LeftOut
from audit.auditors.sensitivity.declaration import parse_declaration
from audit.auditors.sensitivity.examine import StatedQuery
from audit.auditors.sensitivity.examine import examine as examine_query
from audit.auditors.sensitivity.search import EXAMPLES
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.isolated import IsolatedBox
from audit.subjects.subject import BlackBoxSubject
from synthesizers.errors import InputError, ProtocolError


def examine_box(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """What each query that a subject exposes can change by, on databases of the claim.

    Raises LeftOut where it exposes none, or one that can't be examined.
    """
    if isinstance(subject.box, IsolatedBox) and subject.box.python is not None:
        raise LeftOut(
            "the queries that it exposes are asked by code of dp-audit in its process, which "
            "another interpreter does not have: leave out --python"
        )
    try:
        queries = find_exposed(subject).queries
        if not queries:
            raise LeftOut(
                "it exposes no query; dp-audit sensitivity examines a function by its name"
            )
        if claim.domain is None:
            raise LeftOut("without a domain there are no databases to ask its queries about")
        attack = effort.require_attack()
        records = None if claim.records is None else (claim.records,)
        for name, bounds in queries.items():
            stated = StatedQuery(
                name, query_of(subject, name), claim.domain, parse_declaration(bounds)
            )
            examples = min(EXAMPLES, attack.runs_beside)
            yield from examine_query(
                stated, claim.neighbours, records, examples=examples, seed=attack.seed
            )
    except (InputError, ProtocolError) as error:
        raise LeftOut(str(error)) from None
