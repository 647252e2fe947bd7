"""The auditor of data independence: nothing beside the declared noisy answers tells neighbours.

What can be seen of a run (schema, number of rows, logs, files, exceptions, fitted attributes,
seeds, scales of noise) must be the same on neighbours, or as private as the guarantee says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from audit.auditors.data_independence.case import MOST_PAIRS, Case
from audit.auditors.data_independence.facets import RELEASED, Facet
from audit.auditors.data_independence.pairs import list_neighbours
from audit.auditors.data_independence.reporting import (
    facet_finding,
    reading_finding,
    reading_findings,
)
from audit.auditors.data_independence.searching import search
from audit.auditors.data_independence.subjects import AuditedFunction, find_touches, wrap_program
from audit.auditors.effort import Effort
from audit.statements.claim import Claim
from audit.statements.finding import Finding
from audit.subjects.databases import dataset_of_records
from audit.subjects.pair import Pair
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ApproxDP, Guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours

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
    a run, or the global generators. Either is seen again in copies of this process in which the
    subject had not run before, where it can be copied: what runs of one process have in common
    accuses nobody then, but for noise of a generator that was made before and is drawn from once.
    Backed by ``tests/audit/auditors/data_independence/test_honest_mechanisms.py`` and
    ``tests/audit/subjects/test_forked.py``.
    """
    if not isinstance(subject, AuditedFunction):
        raise InputError(f"expected audited(function), found {type(subject).__name__}")
    effort = replace(Effort() if effort is None else effort, seed=seed)
    if not isinstance(claim, Claim | Neighbours):
        raise InputError(f"expected a Claim or neighbours, found {type(claim).__name__}")
    guarantee: Guarantee | None = None
    neighbours = claim if not isinstance(claim, Claim) else claim.neighbours
    if isinstance(claim, Claim):
        guarantee, domain = claim.guarantee, claim.domain if domain is None else domain
        records = claim.records if records is None else records
    if pairs is not None:
        listed = tuple(map(_pair, pairs))
    else:
        listed = _make_pairs(domain, neighbours, records, guarantee, effort)
    if not listed:
        raise InputError("there is no pair of databases to look at: give one or more")
    shrinks = not neighbours.records_public or records is None
    case = Case(subject, guarantee, neighbours, listed, visible, effort, shrinks)
    return (*_of_facets(case), *(() if subject.opaque else reading_findings(case, measures)))


def _pair(given: object) -> Pair:
    if not isinstance(given, Sequence) or len(given) != 2:
        raise InputError("expected pairs of two databases each")
    return Pair(given[0], given[1])


def _make_pairs(
    domain: Domain | None,
    neighbours: Neighbours,
    records: int | None,
    guarantee: Guarantee | None,
    effort: Effort,
) -> tuple[Pair, ...]:
    if domain is None:
        raise InputError("without a domain no databases can be made up: give a domain, or pairs")
    most = MOST_PAIRS if effort.pairs is None else effort.pairs
    claim = Claim(guarantee or _REFERENCE, neighbours, "output", domain, records)
    return list_neighbours(claim, most)


def _of_facets(case: Case) -> Iterator[Finding]:
    """One finding for each facet that is visible, or was seen to tell neighbours apart."""
    seen = search(case)
    for facet in Facet:
        if facet in case.visible or facet in seen:
            yield facet_finding(case, facet, seen.get(facet))


def examine_program(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Finding]:
    """The same of a program of a curator, and whether it reached the data past the curator.

    Raises InputError where the claim has no domain, or no size that the program needs.
    """
    setting = effort.setting(claim)
    records = setting.records if claim.records is None else claim.records
    pairs = _make_pairs(claim.domain, claim.neighbours, records, claim.guarantee, effort)
    shrinks = not claim.neighbours.records_public or records is None
    program = wrap_program(subject, setting)
    case = Case(program, claim.guarantee, claim.neighbours, pairs, RELEASED, effort, shrinks)
    yield from _of_facets(case)
    for pair, database in case.larger_databases():
        dataset = dataset_of_records(database, setting.domain)
        touches = find_touches(subject, setting, dataset, case.seed)
        if touches:
            yield reading_finding(case, pair, touches)
            return
    yield reading_finding(case, pairs[0], ())
