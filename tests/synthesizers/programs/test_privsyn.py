"""PrivSyn: what it asks, how it splits its budget, and what it makes of true answers."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from synthesizers.budget import ZCDPBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian
from synthesizers.programs.privsyn import PrivSyn
from synthesizers.queries import IndependenceDistance, Marginal, RecodedMarginal
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.programs.answering import on_answers, pair_errors
from tests.synthesizers.truthful import dependent_records, largest_distance, truthful

DELTA = Fraction(1, 10**9)


def asked(program: PrivSyn, data: Dataset, neighbours: Neighbours) -> tuple[Dataset, list[Measure]]:
    setting = Setting.of(data.domain, neighbours, data.records)
    budget = program.budget(setting)
    curator = Curator(setting, budget, truthful(data))
    output = program(curator)
    assert isinstance(budget, ZCDPBudget) and curator.spent.rho is not None
    assert curator.spent.rho <= budget.rho
    return output, [event for event in curator.ledger if isinstance(event, Measure)]


def prices(questions: list[Measure], domain: Domain, neighbours: Neighbours) -> list[Fraction]:
    found = [question.cost(domain, neighbours).rho for question in questions]
    return [rho for rho in found if rho is not None]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_a_tenth_on_distances_a_tenth_on_single_attributes_and_the_rest_on_choices(
    neighbours: Neighbours,
) -> None:
    data = dependent_records(2000, Domain.from_cells("2x3x2x4"), 0)
    program = PrivSyn(Fraction(20), DELTA, rounds=2)
    rho = program.budget(Setting.of(data.domain, neighbours, 2000)).rho
    _, questions = asked(program, data, neighbours)
    costs = prices(questions, data.domain, neighbours)
    assert isinstance(questions[0].query, IndependenceDistance)
    assert questions[0].query.size(data.domain) == 6 and costs[0] == rho / 10
    assert all(isinstance(question.query, Marginal) for question in questions[1:5])
    assert costs[1:5] == [rho / 40] * 4
    chosen = questions[5:]
    assert chosen and all(isinstance(question.query, RecodedMarginal) for question in chosen)
    assert sum(costs) == rho
    cells = [question.query.size(data.domain) for question in chosen]
    for size, cost in zip(cells, costs[5:], strict=True):
        share = size ** (2 / 3) / sum(other ** (2 / 3) for other in cells)
        assert float(cost / (rho * 8 / 10)) == pytest.approx(share, rel=1e-5)


def test_the_noise_of_the_distances() -> None:
    # Four binary attributes, six pairs of sensitivity 4: variance 16·6/(2·rho/10).
    data = dependent_records(10, Domain.from_cells("2x2x2x2"), 0)
    program = PrivSyn(Fraction(1), DELTA, rounds=1, scale=3)
    rho = program.budget(Setting.of(data.domain, AddRemove(), 10)).rho
    for neighbours in (AddRemove(), ReplaceOne()):
        _, questions = asked(program, data, neighbours)
        assert questions[0].noise == DiscreteGaussian(9 * 16 * 6 * 10 / (2 * rho))


def test_a_pair_is_chosen_where_its_distance_is_above_its_expected_noise() -> None:
    # The noise of four cells under L2 = 1, √2: 4·√(L2²/(π·8/10·rho)).
    program = PrivSyn(Fraction(1), DELTA, rounds=1, scale=3)
    domain = Domain.from_cells("2x2")
    rho = float(program.rho)
    noise = 4 * (1 / (math.pi * 0.8 * rho)) ** 0.5
    for neighbours, times, views in (
        (AddRemove(), 0.97, 0), (AddRemove(), 1.03, 1), (ReplaceOne(), 1.37, 0),
        (ReplaceOne(), 1.45, 1),
    ):  # fmt: skip
        setting = Setting.of(domain, neighbours, 10**4)
        answers = [(round(3 * times * noise),), (5000, 5000), (5000, 5000), *[(9,) * 4] * views]
        _, curator = on_answers(program, setting, answers)
        assert len([event for event in curator.ledger if isinstance(event, Measure)]) == 3 + views


def test_where_no_pair_is_chosen_two_tenths_are_spent() -> None:
    setting = Setting.of(Domain.from_cells("2x2"), AddRemove(), 10)
    program = PrivSyn(Fraction(1), DELTA, rounds=1)
    _, curator = on_answers(program, setting, [(0,), (5, 5), (5, 5)])
    assert curator.spent.rho == program.rho * 2 / 10


def test_shares_of_two_chosen_pairs() -> None:
    setting = Setting.of(Domain.from_cells("2x2x3x4"), AddRemove(), 10**6)
    far, many = 10**6, 10**5
    answers = [(far, 0, 0, 0, 0, far), *[(many,) * size for size in (2, 2, 3, 4, 4, 12)]]
    program = PrivSyn(Fraction(1), DELTA, rounds=1)
    _, curator = on_answers(program, setting, answers)
    *_, first, second = (event for event in curator.ledger if isinstance(event, Measure))
    costs = prices([first, second], setting.domain, AddRemove())
    assert [event.query.size(setting.domain) for event in (first, second)] == [4, 12]
    # 12 cells have 3^(2/3) = 2.08 times the share of 4.
    assert float(costs[1] / costs[0]) == pytest.approx(3 ** (2 / 3), rel=1e-5)
    assert sum(costs) == program.rho * 8 / 10


def test_bounds_of_distances_are_in_their_steps() -> None:
    program = PrivSyn(Fraction(1), DELTA, rounds=1, scale=3, slack=5)
    setting = Setting.of(Domain.from_cells("2x2"), ReplaceOne(), 10)
    _, curator = on_answers(program, setting, [(-5,), (5, 5), (5, 5)])
    bounds = [(event.low, event.high) for event in curator.ledger if isinstance(event, Measure)]
    assert bounds == [(-5, 65), (-5, 15), (-5, 15)]


def test_values_below_three_deviations_are_put_together() -> None:
    setting = Setting.of(Domain.from_cells("4x2"), AddRemove(), 10**6)
    program = PrivSyn(Fraction(1), DELTA, rounds=1)
    # Two one-way marginals at a tenth of rho: variance 10/rho.
    rho = float(program.rho)
    three = 3 * (10 / rho) ** 0.5
    above, below, many = round(three) + 1, round(three) - 1, 10**5
    # A distance that is worth the noise of six cells, as are left, but not of eight.
    distance = round(7 * (1 / (math.pi * 0.8 * rho)) ** 0.5)
    answers = [(distance,), (many, below, above, below), (many, many), (many,) * 6]
    _, curator = on_answers(program, setting, answers)
    queries = [event.query for event in curator.ledger if isinstance(event, Measure)]
    assert queries[-1] == RecodedMarginal(("a1", "a2"), ((0, 2, 1, 2), (0, 1)))


def test_dependent_pairs_are_chosen_and_others_are_not() -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, 4, 5000)
    codes = np.stack([x, random.integers(0, 4, 5000), (x + 1) % 4], axis=1)
    data = Dataset(Domain.from_cells("4x4x4"), codes)
    output, questions = asked(PrivSyn(Fraction(3, 10), DELTA), data, AddRemove())
    assert [question.query.attributes for question in questions[4:]] == [("a1", "a3")]
    assert largest_distance(data, output, [(0, 2)]) < 0.01


def test_rare_values_are_put_together_before_they_are_measured() -> None:
    counts = np.array([[900, 20], [3, 1], [30, 800], [2, 5]])
    data = Dataset.from_histogram(Domain.from_cells("4x2"), counts.ravel())
    output, questions = asked(PrivSyn(Fraction(3), DELTA), data, AddRemove())
    assert questions[-1].query == RecodedMarginal(("a1", "a2"), ((0, 2, 1, 2), (0, 1)))
    found = output.histogram().reshape(4, 2)
    assert found.sum() == 1761 and np.abs(found.sum(axis=1) - counts.sum(axis=1))[[0, 2]].max() < 20


def test_true_answers_become_records_of_nearly_the_same_pairs() -> None:
    data = dependent_records(4000, Domain.from_cells("2x3x3x2"), 2)
    for gamma in (1, 5000):
        output, questions = asked(PrivSyn(Fraction(30), DELTA, gamma), data, AddRemove())
        merged = [q for q in questions[5:] if len(q.query.to_json()["attributes"]) > 2]
        assert bool(merged) == (gamma == 5000)
        pairs = [(a, b) for a in range(4) for b in range(a)]
        assert largest_distance(data, output, pairs) < 0.03


def test_one_attribute_has_the_whole_budget() -> None:
    data = dependent_records(50, Domain.from_cells("3"), 0)
    program = PrivSyn(Fraction(1), DELTA, rounds=1)
    _, questions = asked(program, data, ReplaceOne())
    rho = program.budget(Setting.of(data.domain, ReplaceOne(), 50)).rho
    assert prices(questions, data.domain, ReplaceOne()) == [rho]


def test_parameters_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="scale of distances"):
        PrivSyn(Fraction(1), DELTA, scale=0)
    with pytest.raises(InputError, match="delta"):
        PrivSyn(Fraction(1), Fraction(1))


@pytest.mark.slow
def test_pairs_of_adult(shared_data: Path) -> None:
    domain = load_domain(shared_data / "adult_coded.schema.json")
    data = read_table(shared_data / "adult_coded.csv.gz", domain)
    # Mean total variation: 0.051 of a tree (MST) at epsilon 1, 0.0446 of a sample of 10 %.
    for epsilon, most in ((1, 0.045), (10, 0.025)):
        program = PrivSyn(Fraction(epsilon), DELTA)
        setting = Setting.of(domain, AddRemove(), data.records)
        entropy = InsecureSeededEntropy(1)
        output = run(program, data, setting, program.budget(setting), entropy).output
        assert pair_errors(data, output) < most
