"""Events: every answer's chance under every database, and the cost that goes with it."""

from __future__ import annotations

import functools
import itertools
from fractions import Fraction

import numpy as np
import pytest

from synthesizers.budget import FREE, Cost
from synthesizers.domain import Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.events import (
    Coordinate,
    Databases,
    Draw,
    Event,
    Measure,
    Sanitize,
    Select,
)
from synthesizers.exact import Exact, add, compare, enclose, is_zero, multiply
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.public_laws import Multinomial, UniformChoice
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.laws.subsample import Subsample
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit, databases
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace, clamped_mass
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    Marginal,
    ModelError,
    Total,
    answers_of_histograms,
)
from synthesizers.selection import Exponential

pytestmark = pytest.mark.smoke

HALF = Fraction(1, 2)
ONE: Exact = Fraction(1)
DOMAIN = Domain.from_cells("2x2")
SMALL = Databases(DOMAIN, databases(AddRemove(), 4, 2))
A1 = Marginal(("a1",))

EVENTS: list[Event] = [
    Measure(A1, DiscreteLaplace(HALF), -1, 2),
    Measure(Total(), RoundedLaplace(Fraction(3, 2)), 0, 3),
    Measure(CellCounts((0, 3)), DiscreteGaussian(Fraction(2)), 0, 2),
    Measure(BoundedSum("a2", (-3, 2), -2, 2), DiscreteLaplace(Fraction(2)), 1, 1),
    Select(A1, Exponential(HALF)),
    Select(ModelError((A1, Marginal(("a2",))), ((1, 0), (0, 2))), Exponential(Fraction(1, 3))),
    Sanitize(Subsample(HALF)),
    Sanitize(DirichletMultinomial((HALF,), 2)),
    Sanitize(PlugInMultinomial((HALF, Fraction(1), Fraction(2), Fraction(1, 3)), 2)),
    Sanitize(RandomizedResponse(Fraction(1))),
    Draw(Multinomial(2, (1, 0, 3))),
    Draw(UniformChoice(3)),
]


def direct(event: Event, counts: list[int], outcome: tuple[int, ...]) -> Exact:
    """The chance of one answer under one database, asked of the laws themselves."""
    row = np.array([counts])
    if isinstance(event, Measure):
        truths = answers_of_histograms(event.query, DOMAIN, row)[0].tolist()
        parts = (
            clamped_mass(event.noise, truth, answer, event.low, event.high)
            for truth, answer in zip(truths, outcome, strict=True)
        )
        return functools.reduce(multiply, parts, ONE)
    if isinstance(event, Select):
        scores = answers_of_histograms(event.scores, DOMAIN, row)[0].tolist()
        return event.noise.chances(scores)[outcome[0]]
    if isinstance(event, Sanitize):
        return event.law.chance(tuple(counts), outcome)
    return event.law.chance(outcome)


def answers(coordinates: tuple[Coordinate, ...]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Every answer with the places of its coordinates."""
    return [
        (places, tuple(v for c, p in zip(coordinates, places, strict=True) for v in c.outcomes[p]))
        for places in itertools.product(*(range(len(c.outcomes)) for c in coordinates))
    ]


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_chances_are_those_of_the_laws_and_sum_to_one(event: Event) -> None:
    coordinates = event.coordinates(SMALL)
    listed = answers(coordinates)
    assert len(listed) == event.width(SMALL) == len({outcome for _, outcome in listed})
    for number, counts in enumerate(SMALL.rows.tolist()):
        total: Exact = Fraction(0)
        for places, outcome in listed:
            parts = (c.exact[p, number] for c, p in zip(coordinates, places, strict=True))
            chance = functools.reduce(multiply, parts, ONE)
            order = compare(chance, direct(event, counts, outcome))
            assert order == 0 or (order is None and isinstance(event, Measure))
            total = add(total, chance)
        assert compare(total, Fraction(1)) in (0, None)
        whole = enclose(total)
        assert (whole.upper - whole.lower) * 2**150 < 1


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_doubles_are_within_their_stated_error_and_share_their_zeros(event: Event) -> None:
    for coordinate in event.coordinates(SMALL):
        assert coordinate.floats.shape == coordinate.exact.shape
        assert coordinate.floats.shape == (len(coordinate.outcomes), len(SMALL.rows))
        unit = Fraction(coordinate.error, 2**53)
        pairs = zip(coordinate.floats.ravel(), coordinate.exact.ravel(), strict=True)
        for rounded, exact in pairs:
            interval = enclose(exact)
            assert (rounded == 0) == is_zero(exact)
            assert Fraction(float(rounded)) >= interval.lower * (1 - unit)
            assert Fraction(float(rounded)) <= interval.upper * (1 + unit)


def test_a_chance_too_small_for_doubles_is_refused_and_kept_exactly() -> None:
    event = Measure(Total(), DiscreteLaplace(Fraction(1, 400)), 0, 5)
    (coordinate,) = event.coordinates(SMALL)
    with pytest.raises(TooLargeError, match="normal doubles"):
        _ = coordinate.floats
    assert not any(is_zero(chance) for chance in coordinate.exact.ravel())


@pytest.mark.parametrize(
    ("neighbours", "l1", "l2_squared"),
    [
        (AddRemove(), 1, 1),
        (ReplaceOne(), 2, 2),
        (AddRemove(Unit("person", 3)), 3, 9),
        (ReplaceOne(Unit("person", 3)), 6, 18),
    ],
)
def test_costs(neighbours: AddRemove | ReplaceOne, l1: int, l2_squared: int) -> None:
    laplace = Measure(A1, DiscreteLaplace(HALF), 0, 1)
    assert laplace.cost(DOMAIN, neighbours).epsilon == 2 * l1
    rounded = Measure(A1, RoundedLaplace(HALF), 0, 1)
    assert rounded.cost(DOMAIN, neighbours) == laplace.cost(DOMAIN, neighbours)
    gaussian = Measure(A1, DiscreteGaussian(Fraction(2)), 0, 1)
    assert gaussian.cost(DOMAIN, neighbours) == Cost(None, Fraction(l2_squared, 4))
    m = neighbours.unit.max_records
    chosen = Select(A1, Exponential(HALF)).cost(DOMAIN, neighbours).epsilon
    assert chosen == (Fraction(m, 2) if isinstance(neighbours, AddRemove) else Fraction(m))
    law = DirichletMultinomial((HALF,), 2)
    assert Sanitize(law).cost(DOMAIN, neighbours) == law.cost(neighbours)
    assert Draw(UniformChoice(3)).cost(DOMAIN, neighbours) == FREE


def test_bounds_from_numpy_stay_exact() -> None:
    event = Measure(Total(), DiscreteLaplace(HALF), np.int64(0), np.int64(2))
    same = Measure(Total(), DiscreteLaplace(HALF), 0, 2)
    assert event == same and type(event.low) is int
    found, wanted = event.coordinates(SMALL)[0], same.coordinates(SMALL)[0]
    assert (found.exact == wanted.exact).all()


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Measure(Total(), DiscreteLaplace(HALF), 0, 10**9), "total"),
        (Draw(UniformChoice(10**9)), "uniform"),
        (Draw(Multinomial(60, (1,) * 12)), "multinomial"),
    ],
)
def test_answers_too_many_to_list_are_refused_at_once(event: Event, words: str) -> None:
    assert event.width(SMALL) > 10**8
    with pytest.raises(TooLargeError, match=words):
        event.coordinates(SMALL)


@pytest.mark.parametrize(("low", "high"), [(2, 1), (0.0, 1), (0, None), (True, 2), (0, 10**30)])
def test_bounds_are_whole_and_ordered(low: object, high: object) -> None:
    with pytest.raises(InputError, match="measurement"):
        Measure(Total(), DiscreteLaplace(HALF), low, high)


@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_plain_data_carry_the_cost(event: Event) -> None:
    for neighbours in (AddRemove(), ReplaceOne(Unit("person", 2))):
        data = event.to_json(DOMAIN, neighbours)
        assert data["event"] == event.kind
        assert data["cost"] == event.cost(DOMAIN, neighbours).to_json()
