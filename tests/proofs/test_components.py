"""Events of ledgers as theorems: the curator's own prices, and no number of doubtful meaning."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs.components import AMOUNTS, Component, attains, component, event_theorems
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Dominated, Private
from proofs.kernel import prove
from proofs.ledgers import shape_of
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.events import Event, Measure, Sanitize, Select
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace
from synthesizers.queries import Marginal, ModelError
from synthesizers.selection import Exponential

F = Fraction
DOMAIN = Domain.from_cells("2x3")
NAMES = DOMAIN.names
PERSON = Unit("person", 2)
RELATIONS: tuple[Neighbours, ...] = (
    AddRemove(),
    ReplaceOne(),
    AddRemove(PERSON),
    ReplaceOne(PERSON),
)


def measured(noise: Any) -> Measure:
    return Measure(Marginal(NAMES), noise, 0, 9)


EVENTS: dict[str, Event] = {
    "discrete-laplace": measured(DiscreteLaplace(F(3))),
    "rounded-laplace": measured(RoundedLaplace(F(3))),
    "discrete-gaussian": measured(DiscreteGaussian(F(3))),
    "select": Select(ModelError((Marginal(NAMES),), ((1, 1, 1, 1, 1, 1),)), Exponential(F(1, 5))),
    "dirichlet": Sanitize(DirichletMultinomial((F(1, 2),), 5)),
    "plug-in": Sanitize(PlugInMultinomial((F(1, 2),), 5)),
    "responses": Sanitize(RandomizedResponse(F(1))),
}


def plain(event: Event, neighbours: Neighbours) -> dict[str, Any]:
    return event.to_json(DOMAIN, neighbours)


def asked(event: dict[str, Any], neighbours: Neighbours) -> Component:
    found = event_theorems(event, shape_of(DOMAIN), neighbours)
    return component("an event", 1, found)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("name", EVENTS)
def test_what_is_proved_of_an_event_is_what_the_curator_charges(
    name: str, neighbours: Neighbours
) -> None:
    event = EVENTS[name]
    cost = event.cost(DOMAIN, neighbours)
    found = asked(plain(event, neighbours), neighbours)
    if cost.epsilon is None and cost.rho is None:
        assert not found.theorems
        return
    own, concentrated = found.of(ApproxDP), found.of(ZCDP)
    if cost.epsilon is not None:
        # Logarithms are rounded up, each on its own.
        assert own is not None and own[1].delta == 0
        assert abs(own[1].epsilon - cost.epsilon) <= cost.epsilon / 10**15
    if cost.rho is not None:
        assert concentrated is not None and concentrated[1].rho <= cost.rho * (1 + F(1, 10**15))


CHANGES: dict[str, tuple[str, Any]] = {
    "a float": ("noise", {"law": "discrete-laplace", "scale": 2.0}),
    "a truth value": ("noise", {"law": "discrete-laplace", "scale": True}),
    "a variance for a scale": ("noise", {"law": "discrete-laplace", "variance": "2"}),
    "a scale for a variance": ("noise", {"law": "discrete-gaussian", "scale": "2"}),
    "no number": ("noise", {"law": "discrete-laplace"}),
    "a scale of 0": ("noise", {"law": "discrete-laplace", "scale": "0"}),
    "a negative scale": ("noise", {"law": "discrete-laplace", "scale": "-2"}),
    "an unknown law": ("noise", {"law": "cauchy", "scale": "2"}),
    "a law of another type": ("noise", {"law": ["laplace"], "scale": "2"}),
    "a list": ("noise", []),
    "a text": ("noise", "laplace"),
    "nothing": ("noise", None),
    "an unknown query": ("query", {"kind": "median"}),
    "a query as text": ("query", "marginal"),
    "an unknown attribute": ("query", {"kind": "marginal", "attributes": ["income"]}),
    "a kind of event": ("event", "guess"),
    "a kind of another type": ("event", {"measure": 1}),
}


@pytest.mark.parametrize("name", CHANGES)
def test_an_event_that_no_ledger_writes_is_refused(name: str) -> None:
    key, value = CHANGES[name]
    event = {**plain(EVENTS["discrete-laplace"], AddRemove()), key: value}
    with pytest.raises(InputError):
        event_theorems(event, shape_of(DOMAIN), AddRemove())


@pytest.mark.parametrize(
    "law",
    [
        {"law": "dirichlet-multinomial", "alpha": [0.5], "records": 5},
        {"law": "dirichlet-multinomial", "alpha": ["0"], "records": 5},
        {"law": "dirichlet-multinomial", "alpha": [], "records": 5},
        {"law": "dirichlet-multinomial", "alpha": ["1"], "records": 5.7},
        {"law": "dirichlet-multinomial", "alpha": ["1"], "records": "5"},
        {"law": "randomized-response", "epsilon": 1.0},
        {"law": "post-randomisation", "before": 1, "after": 1, "matrix": [["1", "0"], ["1/2"]]},
        {"law": "post-randomisation", "before": "1" * 6, "after": 10**12, "matrix": [["1"]]},
        ["dirichlet-multinomial"],
        None,
        5,
    ],
    ids=str,
)
def test_a_law_that_no_ledger_writes_has_no_theorem(law: Any) -> None:
    try:
        found = event_theorems({"event": "sanitize", "law": law}, shape_of(DOMAIN), ReplaceOne())
    except InputError:
        return
    assert found == []


def test_a_selection_by_another_law_is_refused() -> None:
    event = plain(EVENTS["select"], AddRemove())
    event["noise"] = {"law": "permute-and-flip", "rate": "1/5"}
    with pytest.raises(InputError, match="select"):
        event_theorems(event, shape_of(DOMAIN), AddRemove())


def test_a_matrix_of_another_domain_has_no_theorem() -> None:
    rows = [["3/4", "1/4"], ["1/4", "3/4"]]
    law = {"law": "post-randomisation", "before": 1, "after": 1, "matrix": rows}
    event = {"event": "sanitize", "law": law}
    assert event_theorems(event, {"a": 2}, ReplaceOne())
    assert event_theorems(event, {"a": 3}, ReplaceOne()) == []


def test_the_strongest_theorem_of_a_kind_is_taken() -> None:
    given = {"neighbours": AddRemove(), "mechanism": "both"}
    point = {"kind": "approx", "delta": "0"}
    both = [
        prove("stated-guarantee", [], {**given, "guarantee": {**point, "epsilon": epsilon}})
        for epsilon in ("2", "1")
    ]
    own = component("both", 1, both).of(ApproxDP)
    assert own is not None and own[1].epsilon == 1


def test_a_guarantee_that_may_fail_has_a_pair_and_no_rho() -> None:
    point = {"kind": "approx", "epsilon": "1", "delta": "1/100"}
    given = {"neighbours": AddRemove(), "mechanism": "m", "guarantee": point}
    found = component("m", 1, [prove("stated-guarantee", [], given)])
    assert found.of(Dominated) is not None and found.of(ZCDP) is None


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("name", ["discrete-laplace", "rounded-laplace", "discrete-gaussian"])
def test_the_pair_of_a_derived_sensitivity_need_not_be_attained(
    name: str, neighbours: Neighbours
) -> None:
    found = asked(plain(EVENTS[name], neighbours), neighbours)
    assert found.of(Dominated) is not None and not attains(found)


def test_every_law_has_its_amount() -> None:
    for law in ("rounded-laplace", "discrete-laplace", "discrete-gaussian"):
        event = plain(EVENTS[law], AddRemove())
        assert set(event["noise"]) == {"law", AMOUNTS[law]}
        (first, *_) = event_theorems(event, shape_of(DOMAIN), AddRemove())
        assert isinstance(first.judgment, Private)
