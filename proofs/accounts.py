"""From accounting expressions and ledgers to components: what is known of each mechanism named.

A mechanism of an expression rests on the open hypothesis that its sensitivity, or its
guarantee, is as stated under the stated neighbours; an event of a ledger does not: its
query and its domain are there, and the kernel derives the sensitivity from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath

from proofs.components import (
    Component,
    additive_theorems,
    component,
    event_theorems,
    with_stated_sensitivity,
)
from proofs.errors import ProofError
from proofs.expressions import Term
from proofs.guarantees import ApproxDP
from proofs.judgments import Private, canonical, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.search.decimals import smallest_proved
from synthesizers.errors import TooLargeError
from synthesizers.intervals import to_mpf
from synthesizers.neighbours import Neighbours

MAX_DIFFERENT = 1000
"""The most different mechanisms that are added up."""


def of_terms(terms: Sequence[Term], neighbours: Neighbours) -> tuple[Component, ...]:
    """The components of an expression, equal terms counted.

    Raises InputError where a rule refuses a term, or for more than `MAX_DIFFERENT` of them.
    """
    counts: dict[str, int] = {}
    singles: dict[str, Term] = {}
    for term in terms:
        single = replace(term, count=1)
        name = str(single)
        counts[name] = counts.get(name, 0) + term.count
        singles[name] = single
    if len(singles) > MAX_DIFFERENT:
        raise TooLargeError(
            f"at most {MAX_DIFFERENT} different mechanisms are added up, found {len(singles)}"
        )
    return tuple(
        component(name, counts[name], _theorems(single, neighbours))
        for name, single in singles.items()
    )


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
    """An event that has a theorem in few words."""
    law = event["noise"] if "noise" in event else event["law"]
    own = {key: value for key, value in law.items() if key != "law" and isinstance(value, str)}
    query = event.get("query", event.get("scores", {}))
    words = f"{law['law']}({', '.join(f'{key}={value}' for key, value in own.items())})"
    asked = json.dumps(query.get("attributes", query.get("kind", "the table")))
    return f"{words} on {asked}"[:120]


def _theorems(term: Term, neighbours: Neighbours) -> list[Theorem]:
    given = term.parameters
    match term.name:
        case "gaussian" | "discrete_gaussian" | "laplace" | "discrete_laplace":
            sensitivity = given.get("sensitivity", Fraction(1))
            amount = _amount(given, sensitivity)
            if not amount:
                return [_free(neighbours)]
            law = term.name.replace("_", "-")
            return additive_theorems(
                with_stated_sensitivity(neighbours, sensitivity, str(term)), law, amount
            )
        case "randomized_response":
            one = with_stated_sensitivity(neighbours, Fraction(1), str(term))
            return [prove("response", [one], {"epsilon": given["epsilon"]})]
        case "exponential":
            if given["epsilon"] == 0:
                return [_free(neighbours)]
            scores = with_stated_sensitivity(neighbours, Fraction(1), str(term))
            rules = ("exponential", "exponential-zcdp")
            return [prove(rule, [scores], {"rate": given["epsilon"] / 2}) for rule in rules]
        case "pure":
            point = ApproxDP(given["epsilon"], given.get("delta", Fraction(0)))
            return [_take_guarantee_as_stated(term, neighbours, guarantee_to_json(point))]
        case "zcdp":
            rho = {"kind": "zcdp", "rho": str(given["rho"])}
            return [_take_guarantee_as_stated(term, neighbours, rho)]
        case "allocated" | "fixed_size":
            return _in_secret(term, neighbours)
        case _:
            return _sampled(term, neighbours)


def _amount(given: Mapping[str, Fraction], sensitivity: Fraction) -> Fraction:
    """A variance or a scale; 0 where nothing is told, be the noise without end or the answer fixed.

    That is so of an epsilon of 0, and of a guarantee for an answer that never moves.
    """
    if "scale" in given:
        return given["scale"]
    if "epsilon" in given:
        return sensitivity / given["epsilon"] if given["epsilon"] else Fraction(0)
    if "mu" in given:
        return (sensitivity / given["mu"]) ** 2
    return given["sigma_squared"] if "sigma_squared" in given else given["sigma"] ** 2


def _free(neighbours: Neighbours) -> Theorem:
    """Noise without end, or a query that never moves: nothing is told."""
    return prove("public-draw", [], {"neighbours": neighbours, "law": {"law": "independent"}})


def _take_guarantee_as_stated(
    term: Term, neighbours: Neighbours, guarantee: Mapping[str, Any]
) -> Theorem:
    given = {"neighbours": neighbours, "mechanism": str(term), "guarantee": guarantee}
    return prove("stated-guarantee", [], given)


def _in_secret(term: Term, neighbours: Neighbours) -> list[Theorem]:
    """A Gaussian in some of several steps, or on a sample of a fixed size."""
    given, inner = term.parameters, term.inner
    assert inner is not None
    if inner.name != "gaussian":
        raise ProofError(f"{inner.name} within {term.name} has no rule here; gaussian has")
    sensitivity = inner.parameters.get("sensitivity", Fraction(1))
    squared = _amount(inner.parameters, sensitivity)
    if not squared or not sensitivity:
        return [_free(neighbours)]
    if term.name == "fixed_size" and given["sample"] == given["records"]:
        return _theorems(inner, neighbours)
    one = with_stated_sensitivity(neighbours, sensitivity, str(inner))
    own = {**{name: int(value) for name, value in given.items()}, "sigma_squared": squared}
    if term.name == "fixed_size":
        return [prove("fixed-size-gaussian", [one], own)]
    return [prove("allocated-gaussian", [one], {"times": 1, **own})]


def _sampled(term: Term, neighbours: Neighbours) -> list[Theorem]:
    """A mechanism on a Poisson sample; of all records, it is the mechanism."""
    rate, inner = term.parameters["q"], term.inner
    assert inner is not None
    if rate == 1:
        return _theorems(inner, neighbours)
    if inner.name == "gaussian":
        sensitivity = inner.parameters.get("sensitivity", Fraction(1))
        if sensitivity == 0:
            return [_free(neighbours)]
        squared = _amount(inner.parameters, sensitivity)
        one = with_stated_sensitivity(neighbours, sensitivity, str(inner))
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
