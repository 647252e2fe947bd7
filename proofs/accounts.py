"""From accounting expressions and ledgers to components: what is known of each mechanism named.

A mechanism of an expression rests on the open hypothesis that its sensitivity, or its
guarantee, is as stated under the stated neighbours; an event of a ledger does not: its
query and its domain are there, and the kernel derives the sensitivity from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import mpmath

from proofs.components import Component, additive_theorems, component, event_theorems, stated
from proofs.errors import ProofError
from proofs.expressions import Term
from proofs.guarantees import ApproxDP
from proofs.judgments import Private, canonical, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.search.decimals import smallest_proved
from synthesizers.intervals import to_mpf
from synthesizers.neighbours import Neighbours


def of_terms(terms: Sequence[Term], neighbours: Neighbours) -> tuple[Component, ...]:
    """The components of an expression; ProofError where a rule refuses one of its terms."""
    counts: dict[str, int] = {}
    theorems: dict[str, list[Theorem]] = {}
    for term in terms:
        single = Term(1, term.name, term.parameters, term.inner)
        name = str(single)
        counts[name] = counts.get(name, 0) + term.count
        if name not in theorems:
            theorems[name] = _theorems(single, neighbours)
    return tuple(component(name, counts[name], found) for name, found in theorems.items())


def of_events(
    events: Sequence[Mapping[str, Any]], shape: Mapping[str, int], neighbours: Neighbours
) -> tuple[Component, ...]:
    """The components of a ledger's events, equal ones counted.

    Raises ProofError for an event that is malformed, or whose law no rule knows.
    """
    counts: dict[str, int] = {}
    kept: dict[str, Mapping[str, Any]] = {}
    for event in events:
        asked = {key: value for key, value in event.items() if key not in ("cost", "sensitivity")}
        name = canonical(asked)
        counts[name] = counts.get(name, 0) + 1
        kept[name] = asked
    found = []
    for name, event in kept.items():
        theorems = event_theorems(event, shape, neighbours)
        if not theorems:
            law = event.get("law")
            known = law.get("law") if isinstance(law, Mapping) else "its law"
            raise ProofError(
                f"no rule gives a finite guarantee for {known} under {neighbours.name}; such an "
                "event has no privacy theorem"
            )
        found.append(component(_event_name(event), counts[name], theorems))
    return tuple(found)


def _event_name(event: Mapping[str, Any]) -> str:
    """An event in few words."""
    law = event.get("noise") or event.get("law") or {}
    own = {key: value for key, value in law.items() if key != "law" and isinstance(value, str)}
    query = event.get("query") or event.get("scores") or {}
    words = f"{law.get('law')}({', '.join(f'{key}={value}' for key, value in own.items())})"
    asked = json.dumps(query.get("attributes") or query.get("kind") or "the table")
    return f"{words} on {asked}"[:120]


def _theorems(term: Term, neighbours: Neighbours) -> list[Theorem]:
    given = term.parameters
    sensitivity = given.get("sensitivity", Fraction(1))
    match term.name:
        case "gaussian" | "discrete_gaussian":
            law = term.name.replace("_", "-")
            if "mu" in given:
                squared = (sensitivity / given["mu"]) ** 2
            else:
                squared = given.get("sigma_squared") or given["sigma"] ** 2
            return additive_theorems(stated(neighbours, sensitivity, str(term)), law, squared)
        case "laplace" | "discrete_laplace":
            if "scale" not in given and given["epsilon"] == 0:
                return [_free(neighbours)]
            scale = given.get("scale") or sensitivity / given["epsilon"]
            if scale == 0:
                return [_free(neighbours)]
            law = term.name.replace("_", "-")
            return additive_theorems(stated(neighbours, sensitivity, str(term)), law, scale)
        case "randomized_response":
            one = stated(neighbours, Fraction(1), str(term))
            return [prove("response", [one], {"epsilon": given["epsilon"]})]
        case "exponential":
            if given["epsilon"] == 0:
                return [_free(neighbours)]
            scores = stated(neighbours, Fraction(1), str(term))
            rules = ("exponential", "exponential-zcdp")
            return [prove(rule, [scores], {"rate": given["epsilon"] / 2}) for rule in rules]
        case "pure":
            point = ApproxDP(given["epsilon"], given.get("delta", Fraction(0)))
            return [_stated_guarantee(term, neighbours, guarantee_to_json(point))]
        case "zcdp":
            rho = {"kind": "zcdp", "rho": str(given["rho"])}
            return [_stated_guarantee(term, neighbours, rho)]
        case _:
            return _sampled(term, neighbours)


def _free(neighbours: Neighbours) -> Theorem:
    """Noise without end, or a query that never moves: nothing is told."""
    return prove("public-draw", [], {"neighbours": neighbours, "law": {"law": "independent"}})


def _stated_guarantee(term: Term, neighbours: Neighbours, guarantee: Mapping[str, Any]) -> Theorem:
    given = {"neighbours": neighbours, "mechanism": str(term), "guarantee": guarantee}
    return prove("stated-guarantee", [], given)


def _sampled(term: Term, neighbours: Neighbours) -> list[Theorem]:
    """A mechanism on a Poisson sample."""
    rate, inner = term.parameters["q"], term.inner
    assert inner is not None
    if rate == 1:
        return _theorems(inner, neighbours)
    if inner.name == "gaussian":
        sensitivity = inner.parameters.get("sensitivity", Fraction(1))
        squared = inner.parameters.get("sigma_squared")
        if squared is None:
            sigma = inner.parameters.get("sigma") or sensitivity / inner.parameters["mu"]
            squared = sigma**2
        one = stated(neighbours, sensitivity, str(inner))
        given = {"fraction": rate, "sigma_squared": squared}
        return [prove("poisson-gaussian", [one], given)]
    whole = component(str(inner), 1, _theorems(inner, neighbours)).of(ApproxDP)
    if whole is None:
        raise ProofError(
            f"{inner.name} on a Poisson sample has no rule here; gaussian has, and so has "
            "everything with a pure guarantee"
        )
    premise, point = whole
    assert isinstance(premise.judgment, Private)
    return [
        smallest_proved(
            lambda: mpmath.log1p(to_mpf(rate) * mpmath.expm1(to_mpf(point.epsilon))),
            lambda epsilon: prove("poisson", [premise], {"fraction": rate, "epsilon": epsilon}),
        )
    ]
