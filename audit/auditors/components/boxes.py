"""The components auditor on a black box: a function or an estimator, recorded where it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from audit.auditors.components.asking import Ask, ask_live, ask_process
from audit.auditors.components.case import Case
from audit.auditors.components.examine import MOST_PAIRS, examine
from audit.auditors.data_independence.pairs import list_neighbours
from audit.auditors.effort import Effort
from audit.auditors.registry import LeftOut
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.isolated import IsolatedBox
from audit.subjects.subject import BlackBoxSubject
from synthesizers.errors import InputError, ProtocolError

NO_RUNS = 0.0
"""The alarm of what is left to the attack: the whole of it is shared out among others."""


def asking(subject: BlackBoxSubject, record: Sequence[str] = ()) -> Ask:
    """How recordings of a subject are asked for; raises LeftOut where they can't be."""
    if subject.live is not None:
        return ask_live(subject.live, subject.name, record)
    if isinstance(subject.box, IsolatedBox):
        return ask_process(subject.box, record)
    raise LeftOut("nobody can look at its calls as it runs")


def examine_box(subject: BlackBoxSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """What calls of noise inside a subject hide and spend: see `examine`.

    What only plain runs could refute is left to the attack: it leaves the claim UNDECIDED here.
    Raises LeftOut where it can't be recorded.
    """
    attack = effort.require_attack()
    ask = asking(subject)
    if attack.pair is None and claim.domain is None:
        raise LeftOut("without a domain or a pair there are no databases to look at")
    try:
        pairs = (
            list_neighbours(claim, MOST_PAIRS, attack.min_records)
            if attack.pair is None
            else (attack.pair,)
        )
        case = Case(
            ask,
            claim.guarantee,
            pairs,
            attack.seed,
            shrinks=attack.pair is None and attack.min_records == 0 and not _fixed(claim),
            simplifies=attack.pair is None and claim.neighbours.unit.is_record,
            hidden=attack.pair is not None and not attack.data_is_public,
            alarm=NO_RUNS,
            again=(
                f"dp_audit.components({subject.name!r}, {str(claim.guarantee)!r}, "
                f"neighbours={claim.neighbours.name!r}, seed={attack.seed}, …)"
            ),
        )
        yield from examine(case).findings
    except (InputError, ProtocolError) as error:
        raise LeftOut(str(error)) from None


def _fixed(claim: Claim) -> bool:
    """Whether all databases have one public number of records."""
    return claim.neighbours.records_public and claim.records is not None
