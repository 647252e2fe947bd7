"""The auditor of data independence: nothing beside the declared noisy answers tells neighbours.

What can be seen of a run (schema, number of rows, logs, files, exceptions, fitted attributes,
seeds, scales of noise) must be the same on neighbours, or as private as the guarantee says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from audit.auditors.data_independence.facets import RELEASED, Facet
from audit.auditors.data_independence.pairs import neighbouring
from audit.auditors.data_independence.recorded_draws import overheard
from audit.auditors.data_independence.reporting import Report, length
from audit.auditors.data_independence.searching import Effort, Search
from audit.auditors.data_independence.subjects import AuditedFunction, audited_program, reached
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.databases import dataset_of_records
from audit.subjects.pair import Pair
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ApproxDP, Guarantee
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours
from synthesizers.plain import is_integer

_REFERENCE = ApproxDP(Fraction(1))
"""What pairs are made for where no guarantee is told; single steps do not depend on it."""


def examine(
    subject: AuditedFunction,
    claim: Claim | Neighbours,
    domain: Domain | None = None,
    *,
    records: int | None = None,
    pairs: Sequence[tuple[Any, Any]] | None = None,
    seed: int = 0,
    visible: frozenset[Facet] = RELEASED,
    measures: Sequence[Callable[..., Any]] = (),
    effort: Effort | None = None,
) -> tuple[Finding, ...]:
    """One finding for each visible facet, and one for what is read outside measurements.

    ``claim``: with its guarantee, the domain and number of records; of neighbours alone, these
    are told beside them, and only what is settled before anything random is accused. ``pairs``:
    databases to look at instead of generated ones, on the caller's word that they are neighbours.
    ``visible``: what the mechanism's users see. ``measures``: the functions that may read the
    data; see `poisoned`.

    Deterministic given ``seed``, as far as the subject draws from what it is handed and from the
    global generators of numpy and Python. Raises InputError without a domain or pairs,
    ProtocolError where every run raises, or one returns an iterator.

    Guarantee
    ---------
    STATISTICAL: a mechanism that satisfies the guarantee with all visible facets released is
    accused with a chance of at most ``effort.alarm``, whatever varies with its noise, if its runs
    are independent. EXACT: the facet was settled before the first random draw, and differs between
    neighbours: its loss is infinite, if the subject draws from what it is handed, what it makes in
    a run, or the global generators. Backed by
    ``tests/audit/auditors/data_independence/test_honest_mechanisms.py``.
    """
    effort = Effort() if effort is None else effort
    _check(subject, claim, seed)
    guarantee: Guarantee | None = None
    neighbours = claim if not isinstance(claim, Claim) else claim.neighbours
    if isinstance(claim, Claim):
        guarantee, domain = claim.guarantee, claim.domain if domain is None else domain
        records = claim.records if records is None else records
    if pairs is not None:
        listed = tuple(_pair(one) for one in pairs)
    elif domain is None:
        raise InputError("without a domain no databases can be made up: give a domain, or pairs")
    else:
        reference = _REFERENCE if guarantee is None else guarantee
        listed = neighbouring(domain, neighbours, records, reference, effort.pairs)
    if not listed:
        raise InputError("there is no pair of databases to look at: give one or more")
    shrinks = not neighbours.records_public or records is None
    search = Search(subject, guarantee, listed, seed, visible, effort, shrinks)
    with overheard(search.listener):
        seen = search.found()
    report = Report(subject, guarantee, neighbours, listed, seed, effort, visible)
    findings = [report.finding(f, seen.get(f)) for f in Facet if f in visible or f in seen]
    if not subject.opaque:
        findings += report.reading(measures)
    return tuple(findings)


def _check(subject: object, claim: object, seed: object) -> None:
    if not isinstance(subject, AuditedFunction):
        raise InputError(f"expected audited(function), found {type(subject).__name__}")
    if not isinstance(claim, Claim | Neighbours):
        raise InputError(f"expected a Claim or neighbours, found {type(claim).__name__}")
    if not is_integer(seed) or seed < 0:
        raise InputError(f"the seed must be a whole number of at least 0, found {seed!r}")


def _pair(given: object) -> Pair:
    if not isinstance(given, Sequence) or len(given) != 2:
        raise InputError("expected pairs of two databases each")
    return Pair(given[0], given[1])


def examine_program(
    subject: ProgramSubject,
    claim: Claim,
    setting: Setting,
    *,
    seed: int = 0,
    effort: Effort | None = None,
) -> tuple[Finding, ...]:
    """The same of a program of a curator, and whether it reached the data past the curator.

    Raises InputError where the claim has no domain or speaks of other neighbours.
    """
    if claim.neighbours != setting.neighbours:
        raise InputError("the claim and the setting speak of different neighbours; give one")
    records = setting.records if claim.records is None else claim.records
    effort = Effort() if effort is None else effort
    ran = audited_program(subject, setting)
    found = examine(ran, claim, records=records, seed=seed, effort=effort)
    listed = neighbouring(
        claim.require_domain(), claim.neighbours, records, claim.guarantee, effort.pairs
    )
    report = Report(ran, claim.guarantee, claim.neighbours, listed, seed, effort, RELEASED)
    for pair in listed:
        dataset = dataset_of_records(max(pair.first, pair.second, key=length), setting.domain)
        read = reached(subject, setting, dataset, seed)
        if read:
            return (*found, report.read(pair, read))
    return (*found, report.read(listed[0], ()))
