"""Ledgers as documents: what `dp-audit release --ledger` writes, and lists of expressions.

A release's ledger shows what one run asked. Where a program could have asked
something else after another answer, the costs of that one run prove nothing; what
holds is the guarantee of the budget that its curator never exceeds. The events
themselves count only where a single one, asked before any answer was seen, used
the budget up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from proofs.accounts import of_events, of_terms
from proofs.components import Component
from proofs.errors import ProofError
from proofs.expressions import parse
from proofs.ledgers import about_program, of_budget, shape_of
from synthesizers.budget import Budget, PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import Neighbours, neighbours_from

SCHEMA = "dp-audit/ledger/1"


@dataclass(frozen=True)
class Account:
    """Components under one neighbouring relation."""

    components: tuple[Component, ...]
    neighbours: Neighbours


def of_release(document: Mapping[str, Any]) -> Account:
    """The account of one release's ledger; raises InputError."""
    if document.get("schema") != SCHEMA:
        raise ProofError(f"a release's ledger has the schema {SCHEMA!r}")
    try:
        relation = neighbours_from(
            str(document["neighbours"]), str(document["unit"]), document["max_records"]
        )
        domain = Domain.from_json(document["domain"])
        budget = _budget(document["budget"], relation)
        program, events = document["program"], document["events"]
        if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
            raise TypeError
        if not isinstance(program, dict):
            raise TypeError
    except (KeyError, TypeError, AttributeError):
        raise ProofError(
            "the ledger is incomplete: it needs program, neighbours, unit, max_records, domain, "
            "budget and events, as dp-audit release --ledger writes them"
        ) from None
    found = None
    private = [event for event in events if event.get("event") != "draw"]
    if private == events[:1] and private and _used_up(budget, private[0], relation):
        found = _of_only_event(private[0], domain, relation, program)
    found = found or of_budget(budget, relation, {**program, "rows": document.get("rows")})
    if found is None:
        raise ProofError(
            "the release was made without a finite budget under these neighbours, so that what "
            "this one run happened to ask proves nothing"
        )
    return Account(found, relation)


def _of_only_event(
    event: Mapping[str, Any], domain: Domain, relation: Neighbours, program: dict[str, Any]
) -> tuple[Component, ...] | None:
    try:
        (found,) = of_events([event], shape_of(domain), relation)
    except ProofError:
        return None
    theorems = tuple(about_program(theorem, program, None) for theorem in found.theorems)
    return (replace(found, theorems=theorems),)


def _used_up(budget: Budget, event: Mapping[str, Any], relation: Neighbours) -> bool:
    """Whether an event's stated cost is all of the budget, counted under the same relation."""
    if budget.neighbours not in (None, relation):
        return False
    cost = event.get("cost")
    if not isinstance(cost, dict):
        raise ProofError("every event of a ledger states its cost")
    match budget:
        case PureBudget(epsilon):
            return cost.get("epsilon") == str(epsilon)
        case ZCDPBudget(rho):
            return cost.get("rho") == str(rho)
        case _:
            return False


def _budget(data: Any, relation: Neighbours) -> Budget:
    counted = None
    if "counted_under" in data:
        unit = relation.unit
        counted = neighbours_from(str(data["counted_under"]), unit.name, unit.max_records)
    if "epsilon" in data:
        return PureBudget(parse_rational(data["epsilon"], "the budget's epsilon"), counted)
    if "rho" in data:
        return ZCDPBudget(parse_rational(data["rho"], "the budget's rho"), counted)
    return UnlimitedBudget()


def of_list(document: Mapping[str, Any]) -> Account:
    """The account of a TOML list: ``neighbours``, ``mechanisms``; for persons ``unit``.

    Raises InputError.
    """
    known = {"neighbours", "unit", "max_records", "mechanisms"}
    spare = sorted(set(document) - known)
    if spare:
        raise InputError(
            f"a ledger of expressions has the keys {', '.join(sorted(known))}; found {spare[0]!r}"
        )
    mechanisms = document.get("mechanisms")
    if not isinstance(mechanisms, list) or not all(isinstance(m, str) for m in mechanisms):
        raise InputError("mechanisms is a list of texts such as '1000 * gaussian(sigma=30)'")
    if not mechanisms:
        raise InputError("mechanisms is empty; write one or more accounting expressions")
    most = document.get("max_records")
    if most is not None and type(most) is not int:
        raise InputError("max_records must be a whole number")
    if "neighbours" not in document:
        raise InputError("a ledger of expressions states its neighbours")
    relation = neighbours_from(
        str(document["neighbours"]), str(document.get("unit", "record")), most
    )
    terms = [term for text in mechanisms for term in parse(text)]
    return Account(of_terms(terms, relation), relation)
