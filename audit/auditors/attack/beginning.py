"""Before an attack: whether the subject runs, whether it reads its input, and what is planned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from audit.auditors.attack.alive import conclude_silent, look_at
from audit.auditors.attack.beside import count_runs_beside
from audit.auditors.attack.finding.evidence import About
from audit.auditors.attack.independence.starting import start
from audit.auditors.attack.pairs.far_tables import list_far_pairs
from audit.auditors.attack.plan import make_plan
from audit.auditors.effort import Attack, Effort
from audit.parallel import here
from audit.statements.claim import Claim
from audit.statements.evidence import Evidence
from audit.subjects.black_box import BlackBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from synthesizers.domain import Domain


def start_and_plan(
    box: BlackBox, claim: Claim, attack: Attack, effort: Effort, auditors: Iterable[str] = ()
) -> None:
    """Start a box, and tell the plan of its attack, with what ``auditors`` do before.

    Raises ProtocolError where it gives no output at all.
    """
    public = attack.pair is None or attack.data_is_public
    seconds = start(box, _first_pairs(claim, attack), attack.seed, public, effort.tell)
    jobs = 1 if effort.share is here else effort.jobs
    beside = count_runs_beside(box, claim, attack, auditors)
    effort.tell(make_plan(claim, attack, seconds / jobs, beside).words())


def begin(box: BlackBox, claim: Claim, attack: Attack, effort: Effort) -> Evidence | None:
    """See what a box reads of its input; start it, and plan, unless that was done.

    None where it reads all that it is handed, or so few runs, or so small a claim, could not show
    it. Raises ProtocolError where it gives no output at all.
    """
    if not effort.planned:
        start_and_plan(box, claim, attack, effort)
    if attack.pair is not None and not _is_of_domain(attack.pair, claim.domain):
        return None
    source = Drawing(box, Seeds(attack.seed, attack.look), effort.share)
    looks = look_at(source, list_far_pairs(claim, attack.min_records), attack)
    return conclude_silent(looks, claim, attack)


def report_interruption(claim: Claim, attack: Attack) -> Evidence:
    """The evidence of an attack that was interrupted as it began."""
    pair = next(_first_pairs(claim, attack), Pair(None, None))
    return About(claim, attack, pair, attack.mode).interrupted_evidence()


def _first_pairs(claim: Claim, attack: Attack) -> Iterator[Pair]:
    """Where a subject is started: on the given pair, or on tables of the claim's size.

    None without a pair and a domain, which the attack refuses.
    """
    if attack.pair is not None:
        yield attack.pair
    else:
        pairs = list_far_pairs(claim, attack.min_records)
        # The last ones of each encoding, whose values differ within a table, if they can; one that
        # is empty fails in other ways.
        full = {far.encoding: far.pair for far in pairs if far.values}
        yield from full.values() or [far.pair for far in pairs]


def _is_of_domain(pair: Pair, domain: Domain | None) -> bool:
    """Whether both databases are lists of records by attribute, as tables that are made up are."""
    if domain is None:
        return False
    names = {*domain.names}
    records: list[Any] = []
    for database in (pair.first, pair.second):
        if not isinstance(database, list):
            return False
        records += database
    return all(isinstance(one, dict) and {*one} - {domain.individual} == names for one in records)
