"""PrivSyn: what it asks, how it splits its budget, and what it makes of true answers."""

from __future__ import annotations

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
    pairs = [(a, b) for b in range(len(domain.shape)) for a in range(b)]
    # Mean total variation: 0.051 of a tree (MST) at epsilon 1, 0.0446 of a sample of 10 %.
    for epsilon, most in ((1, 0.045), (10, 0.025)):
        program = PrivSyn(Fraction(epsilon), DELTA)
        setting = Setting.of(domain, AddRemove(), data.records)
        entropy = InsecureSeededEntropy(1)
        output = run(program, data, setting, program.budget(setting), entropy).output
        mean = np.mean([largest_distance(data, output, [pair]) / 2 for pair in pairs])
        assert mean < most
