"""DPSyn-2020: what it asks, at what noise, and what it makes of true answers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from synthesizers.budget import PureBudget, ZCDPBudget
from synthesizers.calibration import zcdp_rho
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.programs.dpsyn_2020 import DPSyn2020
from synthesizers.queries import Marginal
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.truthful import dependent_records, largest_distance, truthful

DELTA = Fraction(1, 10**9)
PEOPLE = Domain("people", Domain.from_cells("2x3x2x4").attributes, individual="person")


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("cells", ["1", "3", "2x2", "2x3x2x4"])
@pytest.mark.parametrize("delta", [DELTA, Fraction(1, 4)])
def test_it_asks_for_all_pairs_and_spends_all(
    neighbours: Neighbours, cells: str, delta: Fraction
) -> None:
    program = DPSyn2020(Fraction(1, 2), delta, rounds=1)
    domain = Domain.from_cells(cells)
    setting = Setting.of(domain, neighbours, 20)
    budget = program.budget(setting)
    data = dependent_records(20, domain, 0)
    curator = Curator(setting, budget, truthful(data))
    assert program(curator).records == 20
    questions = [event for event in curator.ledger if isinstance(event, Measure)]
    k = max(1, len(domain.shape) * (len(domain.shape) - 1) // 2)
    assert len({question.query for question in questions}) == len(questions) == k
    assert all(isinstance(question.query, Marginal) for question in questions)
    (noise,) = {question.noise for question in questions}
    if cells == "1" and neighbours.records_public:
        assert curator.spent.rho == 0
    elif isinstance(noise, DiscreteLaplace):
        assert isinstance(budget, PureBudget) and curator.spent.epsilon == budget.epsilon
    else:
        assert isinstance(budget, ZCDPBudget) and curator.spent.rho == budget.rho


def test_the_law_of_smaller_variance_is_taken() -> None:
    # k pairs, epsilon = 1: Laplace 2k², Gaussian k/(2·0.014973) = 33.4k: equal near k = 16.7.
    rho = zcdp_rho(Fraction(1), DELTA)
    for d, law in ((6, DiscreteLaplace), (7, DiscreteGaussian)):
        domain = Domain.from_cells("x".join(["2"] * d))
        program = DPSyn2020(Fraction(1), DELTA)
        noise = program.noise(Setting.of(domain, AddRemove(), 5))
        assert isinstance(noise, law)
        k = d * (d - 1) // 2
        person = program.noise(Setting.of(domain, AddRemove(Unit("person", 3)), 5))
        if isinstance(noise, DiscreteLaplace):
            assert noise.scale == k and person == DiscreteLaplace(Fraction(3 * k))
        else:
            assert noise.variance == k / (2 * rho)
            assert person == DiscreteGaussian(9 * k / (2 * rho))
    public = DPSyn2020(Fraction(1), DELTA).noise(
        Setting.of(Domain.from_cells("2x2"), ReplaceOne(), 5)
    )
    assert public == DiscreteLaplace(Fraction(2))


def test_true_answers_become_records_of_nearly_the_same_pairs() -> None:
    data = dependent_records(3000, PEOPLE, 2)
    setting = Setting(PEOPLE, AddRemove(), None, None)
    program = DPSyn2020(Fraction(1), DELTA)
    outputs = [
        program(Curator(setting, program.budget(setting), truthful(data, seed)))
        for seed in (1, 1, 2)
    ]
    # n is private and nobody stated a number of rows: it follows from the answers.
    assert all(output.records == 3000 for output in outputs)
    pairs = [(a, b) for a in range(4) for b in range(a)]
    assert largest_distance(data, outputs[0], pairs) < 0.02
    assert np.array_equal(outputs[0].codes, outputs[1].codes)
    assert not np.array_equal(outputs[0].codes, outputs[2].codes)


def test_answers_without_counts_give_records_all_the_same() -> None:
    setting = Setting.of(Domain.from_cells("2x2x2"), AddRemove(), 7)
    program = DPSyn2020(Fraction(1), DELTA, rounds=2)
    for low in (-50, 0):
        curator = Curator(
            setting,
            program.budget(setting),
            lambda event, low=low: (low,) * 4 if isinstance(event, Measure) else (1,),
        )
        assert program(curator).records == 7


def test_parameters_that_do_not_fit() -> None:
    for epsilon, delta in ((0, "1/10"), (1, "0"), (1, "1")):
        with pytest.raises(InputError, match="epsilon > 0 and 0 < delta < 1"):
            DPSyn2020(Fraction(epsilon), Fraction(delta))
