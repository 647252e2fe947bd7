"""Bounds that hold whatever a solver returns."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.channels.measures.mechanisms import Mechanisms, mechanisms
from audit.channels.measures.optimum_bounds import Mechanism, least_loss_below, private_mechanisms
from synthesizers.intervals import Interval, exp_interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, databases
from tests.audit.channels.slow_measures import SHAPES
from tests.audit.channels.slow_optimum import channel_of_tables, least_losses, tables

F = Fraction
ANY = st.one_of(
    st.floats(0, 1),
    st.floats(allow_nan=True, allow_infinity=True),
    st.sampled_from([0.0, -1.0, 1e-300, 1e300, math.nan, math.inf, -math.inf]),
)
CASES: list[tuple[Neighbours, list[list[int]], int]] = [
    (ReplaceOne(), databases(ReplaceOne(), 2, 3).tolist(), 3),
    (ReplaceOne(), databases(ReplaceOne(), 3, 2).tolist(), 2),
    (AddRemove(), databases(AddRemove(), 2, 2).tolist(), 1),
    *((neighbours, [list(row) for row in listed], 2) for neighbours, listed in SHAPES),
]
EPSILONS = (F(0), F(1, 10**9), F(1, 2), F(1), F(6), F(40))


def space(case: int) -> Mechanisms:
    """The mechanisms of a case, from its databases to all tables of its number of records."""
    neighbours, listed, records = CASES[case]
    outputs = [tuple(map(int, row)) for row in tables(len(listed[0]), records)]
    return mechanisms(channel_of_tables(neighbours, listed, outputs), np.array(outputs))


def drawn(data: st.DataObject, count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Any numbers, a few of them repeated."""
    few = data.draw(st.lists(ANY, min_size=1, max_size=6))
    picks = data.draw(st.integers(0, 10**6))
    return np.random.default_rng(picks).choice(np.array(few), count)


@given(st.data(), st.integers(0, len(CASES) - 1), st.sampled_from(EPSILONS[:5]))
def test_any_multipliers_give_a_bound_from_below(
    data: st.DataObject, case: int, epsilon: Fraction
) -> None:
    competitors = space(case)
    neighbours, listed, records = CASES[case]
    truth = least_losses(neighbours, listed, tables(len(listed[0]), records), float(epsilon))
    prices = drawn(data, len(competitors.limits))
    factor = exp_interval(epsilon)
    uniform = competitors.sizes.astype(np.float64)
    assert 0 <= least_loss_below(competitors, factor, uniform, prices) <= truth[0] + 1e-9
    prior = drawn(data, len(competitors.sizes))
    assert 0 <= least_loss_below(competitors, factor, prior, prices) <= truth[1] + 1e-9


@given(st.data(), st.integers(0, len(CASES) - 1), st.sampled_from(EPSILONS))
def test_any_chances_become_private_mechanisms(
    data: st.DataObject, case: int, epsilon: Fraction
) -> None:
    competitors = space(case)
    factor = exp_interval(epsilon)
    found = private_mechanisms(competitors, factor, drawn(data, len(competitors.owners)))
    assert found
    for one in found:
        check(competitors, one, factor)


def check(competitors: Mechanisms, one: Mechanism, factor: Interval) -> None:
    """A mechanism against its definition, and its losses against their own."""
    chances = [F(weight) / one.total for weight in one.weights]
    assert min(chances) >= 0
    sums = [F(0)] * len(competitors.sizes)
    losses = [F(0)] * len(competitors.sizes)
    for entry, chance in enumerate(chances):
        owner = competitors.owners[entry]
        sums[owner] += int(competitors.copies[entry]) * chance
        losses[owner] += int(competitors.copies[entry] * competitors.losses[entry]) * chance
    assert sums == [1] * len(sums)
    assert losses == one.losses(competitors)
    for a, b in competitors.limits.tolist():
        assert chances[a] <= factor.lower * chances[b]


def test_exact_multipliers_give_the_optimum_of_one_bit() -> None:
    # Two databases (1,0), (0,1) and the same two outputs: one class of two, entries "right" (loss
    # 0) and "wrong" (loss 2); e^ε = 3. The optimum has Pr[wrong] = 1/4 and loss 1/2. The limit
    # wrong - right/3 >= 0 has a price y at which both entries are worth the same, with weight 2
    # for the class 0 + y/3 = 2·2 - y: y = 3, worth 1, which is 1/2 a database.
    listed = [[0, 1], [1, 0]]
    outputs = np.array(listed)
    competitors = mechanisms(channel_of_tables(ReplaceOne(), listed, listed), outputs)
    assert competitors.losses.tolist() == [0, 2] or competitors.losses.tolist() == [2, 0]
    right = competitors.losses.tolist().index(0)
    prices = np.array([3.0 if a == right else 0.0 for a, _ in competitors.limits.tolist()])
    factor = Interval(F(3), F(3))
    bound = least_loss_below(competitors, factor, np.array([2.0]), prices)
    assert bound <= F(1, 2)
    assert bound == pytest.approx(0.5, abs=1e-15)
    chances = np.array([0.75 if entry == right else 0.25 for entry in range(2)])
    found = private_mechanisms(competitors, factor, chances)
    assert [one.losses(competitors) for one in found] == [[1], [F(1, 2)]]


def test_a_proposal_that_is_private_is_left_as_it_is() -> None:
    competitors = space(1)
    uniform = np.full(len(competitors.owners), 1 / competitors.outputs)
    for epsilon in EPSILONS:
        for one in private_mechanisms(competitors, exp_interval(epsilon), uniform):
            assert {F(weight) / one.total for weight in one.weights} == {F(1, competitors.outputs)}


def test_near_misses_cost_little() -> None:
    competitors = space(0)
    # Truth-telling with a thousandth too little in every other place.
    chances = np.where(competitors.losses == 0, 0.9, 0.1 / (competitors.outputs - 1))
    wanted = math.log(0.9 / (0.1 / (competitors.outputs - 1)))
    factor = exp_interval(F(wanted) - F(1, 10**12))
    mixed = private_mechanisms(competitors, factor, chances)[-1]
    honest = float((chances * competitors.copies * competitors.losses).sum())
    honest /= len(competitors.sizes)
    spent = sum(map(float, mixed.losses(competitors))) / len(competitors.sizes)
    assert spent == pytest.approx(honest, abs=1e-9)
