"""Ledgers as documents: what `dp-audit release --ledger` writes, and lists of expressions.

A release's ledger shows what one run asked. Where a program could have asked
something else after another answer, the costs of that one run prove nothing; what
holds is the guarantee of the budget that its curator never exceeds. The events
themselves count only where a single one, asked before any answer was seen, used
the budget up.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from proofs.errors import ProofError
from proofs.ledger.events import of_events
from proofs.ledger.expressions import Term, parse
from proofs.ledger.programs import about_program, of_budget, shape_of
from proofs.ledger.terms import of_terms
from proofs.parts import Part
from proofs.search.ways import by_sum, concentrate, stated_value
from synthesizers.budget import (
    Budget,
    PureBudget,
    SampledGaussianBudget,
    UnlimitedBudget,
    ZCDPBudget,
)
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.neighbours import Neighbours, neighbours_from

SCHEMA = "dp-audit/ledger/1"

MOST_RECORDS = 10**12
"""The most records of a person in a file (no table has more)."""


@dataclass(frozen=True)
class Composition:
    """Parts under one neighbouring relation."""

    parts: tuple[Part, ...]
    neighbours: Neighbours


def of_release(document: Mapping[str, Any]) -> Composition:
    """The composition of one release's ledger; raises InputError."""
    if document.get("schema") != SCHEMA:
        raise ProofError(f"a release's ledger has the schema {SCHEMA!r}")
    try:
        relation = _relation(document["neighbours"], document["unit"], document["max_records"])
        domain = Domain.from_json(document["domain"])
        budget = _budget(document["budget"], relation)
        program = _require_names(document["program"])
        events = [_require_names(event) for event in document["events"]]
    except (KeyError, TypeError, AttributeError):
        raise ProofError(
            "the ledger is incomplete: it needs program, neighbours, unit, max_records, domain, "
            "budget and events, as dp-audit release --ledger writes them"
        ) from None
    private = [event for event in events if event.get("event") != "draw"]
    found = None
    if len(private) == 1 and private[0] is events[0]:
        found = _of_only_event(events[0], domain, relation, budget, program)
    try:
        found = found or of_budget(budget, relation, {**program, "rows": document.get("rows")})
    except ProofError as error:
        raise ProofError(
            "the release was made without a finite budget under these neighbours, so that what "
            f"this one run happened to ask proves nothing ({error})"
        ) from None
    return Composition(found, relation)


def _require_names(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError
    return value


def _relation(name: object, unit: object, most: object) -> Neighbours:
    if type(name) is not str or type(unit) is not str:
        raise InputError("neighbours and unit are texts, such as add-remove and record")
    if most is not None and (type(most) is not int or abs(most) > MOST_RECORDS):
        raise InputError(f"max_records must be a whole number of at most {MOST_RECORDS}")
    return neighbours_from(name[:40], unit[:40], most)


def _of_only_event(
    event: Mapping[str, Any],
    domain: Domain,
    relation: Neighbours,
    budget: Budget,
    program: dict[str, Any],
) -> tuple[Part, ...] | None:
    """The part of a run's first question, if it used the budget up; otherwise None."""
    try:
        (found,) = of_events([event], shape_of(domain), relation)
    except InputError:
        return None
    if budget.neighbours not in (None, relation) or not _uses_up(budget, found):
        return None
    # A program that is not ours could have asked otherwise in another run.
    if program.get("kind") != "program":
        return None
    # What else would be found from a repeated run would not be about the program.
    about = about_program(found.theorem, program, None)
    return (replace(found, theorem=about, repetition=None),)


def _uses_up(budget: Budget, asked: Part) -> bool:
    """Whether what is proved of a question is its budget: then its cost was no less.

    The cost that a ledger states is not looked at. A curator that counts ρ charges a bounded loss
    of ε at ε²/2.
    """
    proved: set[Fraction] = set()
    with contextlib.suppress(InputError):
        proved.add(stated_value(by_sum(asked.theorem)))
    match budget:
        case PureBudget(epsilon):
            return epsilon in proved
        case ZCDPBudget(rho):
            proved = {epsilon**2 / 2 for epsilon in proved}
            with contextlib.suppress(InputError):
                proved.add(stated_value(concentrate([asked])))
            return rho in proved
        case _:
            return False


def _budget(data: Any, relation: Neighbours) -> Budget:
    counted = None
    if "counted_under" in data:
        unit = _require_names(data["counted_unit"])
        counted = _relation(data["counted_under"], unit["name"], unit["max_records"])
    match sorted(set(_require_names(data)) - {"counted_under", "counted_unit"}):
        case ["epsilon"]:
            return PureBudget(parse_rational(data["epsilon"], "the budget's epsilon"), counted)
        case ["rho"]:
            return ZCDPBudget(parse_rational(data["rho"], "the budget's rho"), counted)
        case ["sampled"]:
            steps = _require_names(data["sampled"])
            rate, squared = (parse_rational(steps[name], name) for name in ("rate", "mu_squared"))
            return SampledGaussianBudget(rate, squared, steps["steps"])
        case ["unlimited"]:
            return UnlimitedBudget()
    raise ProofError("a ledger's budget is one of epsilon, rho, sampled and unlimited")


def of_list(document: Mapping[str, Any]) -> Composition:
    """The composition of a TOML list: ``neighbours``, ``mechanisms``; for persons ``unit``.

    Raises InputError.
    """
    known = {"neighbours", "unit", "max_records", "mechanisms"}
    spare = sorted(set(document) - known)
    if spare:
        keys = ", ".join(sorted(known))
        raise InputError(f"a ledger of expressions has the keys {keys}; found {spare[0][:40]!r}")
    mechanisms = document.get("mechanisms")
    if not isinstance(mechanisms, list) or not all(isinstance(m, str) for m in mechanisms):
        raise InputError("mechanisms is a list of texts such as '1000 * gaussian(sigma=30)'")
    if not mechanisms:
        raise InputError("mechanisms is empty; write one or more accounting expressions")
    if "neighbours" not in document:
        raise InputError("a ledger of expressions states its neighbours, or --neighbours does")
    relation = _relation(
        document["neighbours"], document.get("unit", "record"), document.get("max_records")
    )
    terms: list[Term] = []
    for place, text in enumerate(mechanisms, start=1):
        try:
            terms += parse(text)
        except ProofError as error:
            raise ProofError(f"line {place} of mechanisms: {error}") from None
    return Composition(of_terms(terms, relation), relation)
