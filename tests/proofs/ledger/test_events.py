"""Events of ledgers as theorems: the curator's own prices, and no number of doubtful meaning."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs.ledger.events import AMOUNTS, event_theorem
from proofs.ledger.programs import shape_of
from proofs.parts import Part, attains
from proofs.profiles.entry_moments import concentration, largest, pairs, total
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


def part_of_event(event: dict[str, Any], neighbours: Neighbours) -> Part:
    theorem = event_theorem(event, shape_of(DOMAIN), neighbours)
    assert theorem is not None
    return Part("an event", 1, theorem)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("name", EVENTS)
def test_what_is_proved_of_an_event_is_what_the_curator_charges(
    name: str, neighbours: Neighbours
) -> None:
    event = EVENTS[name]
    cost = event.cost(DOMAIN, neighbours)
    if cost.epsilon is None and cost.rho is None:
        assert event_theorem(plain(event, neighbours), shape_of(DOMAIN), neighbours) is None
        return
    entries = part_of_event(plain(event, neighbours), neighbours).entries
    if cost.epsilon is not None:
        # Logarithms are rounded up, each on its own.
        epsilon = sum(count * largest(entry) for count, entry in entries)
        assert abs(epsilon - cost.epsilon) <= cost.epsilon / 10**15
    if cost.rho is not None:
        rho = total((count, concentration(entry, 128)) for count, entry in entries).upper
        assert rho <= cost.rho * (1 + F(1, 10**15))


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
        event_theorem(event, shape_of(DOMAIN), AddRemove())


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
        found = event_theorem({"event": "sanitize", "law": law}, shape_of(DOMAIN), ReplaceOne())
    except InputError:
        return
    assert found is None


def test_a_selection_by_another_law_is_refused() -> None:
    event = plain(EVENTS["select"], AddRemove())
    event["noise"] = {"law": "permute-and-flip", "rate": "1/5"}
    with pytest.raises(InputError, match="select"):
        event_theorem(event, shape_of(DOMAIN), AddRemove())


def test_a_matrix_of_another_domain_has_no_theorem() -> None:
    rows = [["3/4", "1/4"], ["1/4", "3/4"]]
    law = {"law": "post-randomisation", "before": 1, "after": 1, "matrix": rows}
    event = {"event": "sanitize", "law": law}
    assert event_theorem(event, {"a": 2}, ReplaceOne())
    assert event_theorem(event, {"a": 3}, ReplaceOne()) is None


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("name", ["discrete-laplace", "rounded-laplace", "discrete-gaussian"])
def test_the_pair_of_a_derived_sensitivity_need_not_be_attained(
    name: str, neighbours: Neighbours
) -> None:
    found = part_of_event(plain(EVENTS[name], neighbours), neighbours)
    assert pairs(found.entries) and not attains(found)


def test_every_law_has_its_amount() -> None:
    for law in ("rounded-laplace", "discrete-laplace", "discrete-gaussian"):
        event = plain(EVENTS[law], AddRemove())
        assert set(event["noise"]) == {"law", AMOUNTS[law]}
        assert part_of_event(event, AddRemove()).entries
