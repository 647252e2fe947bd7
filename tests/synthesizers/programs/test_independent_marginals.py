"""Independent marginals: what is asked and what is made of it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.budget import ZCDPBudget
from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.programs.independent_marginals import IndependentMarginals
from synthesizers.queries import Marginal
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.programs.answering import on_answers

ONE = Fraction(1)
LAPLACE = IndependentMarginals(ONE, noise="laplace")
SIX = Domain.from_cells("2x3")


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_every_attribute_has_an_equal_share_of_epsilon(neighbours: Neighbours) -> None:
    setting = Setting.of(SIX, neighbours, 6)
    _, curator = on_answers(LAPLACE, setting, [(3, 3), (2, 2, 2)])
    lengths = neighbours.unit.max_records * (2 if isinstance(neighbours, ReplaceOne) else 1)
    for event, name in zip(curator.ledger, SIX.names, strict=True):
        assert isinstance(event, Measure) and event.query == Marginal((name,))
        assert event.noise == DiscreteLaplace(Fraction(2 * lengths))
    assert curator.spent.epsilon == 1


def test_gaussian_noise_spends_all_of_rho() -> None:
    program = IndependentMarginals(ONE, Fraction(1, 10**9), slack=3)
    setting = Setting.of(SIX, ReplaceOne(), 6)
    _, curator = on_answers(program, setting, [(3, 3), (2, 2, 2)])
    budget = program.budget(setting)
    assert isinstance(budget, ZCDPBudget) and curator.spent.rho == budget.rho
    event = curator.ledger[0]
    # L2² = 2 under replace-one, half of rho: variance 2/(2·rho/2).
    assert isinstance(event, Measure)
    assert event.noise == DiscreteGaussian(2 / budget.rho) and (event.low, event.high) == (-3, 9)


def test_the_product_of_clipped_counts_is_rounded() -> None:
    setting = Setting.of(SIX, AddRemove(), 10)
    output, _ = on_answers(LAPLACE, setting, [(3, 1), (-2, 4, 4)])
    # 10 rows over weights 3·(0, 4, 4), 1·(0, 4, 4): quotas 3.75, 3.75, 1.25, 1.25.
    assert output.histogram().tolist() == [0, 4, 4, 0, 1, 1]


def test_nothing_left_is_uniform() -> None:
    output, _ = on_answers(LAPLACE, Setting.of(SIX, AddRemove(), 12), [(0, -1), (0, 0, -7)])
    assert output.histogram().tolist() == [2] * 6


@given(
    st.lists(st.integers(-3, 9), min_size=2, max_size=2),
    st.lists(st.integers(-3, 9), min_size=3, max_size=3),
    st.integers(0, 20),
)
def test_against_whole_numbers(first: list[int], second: list[int], rows: int) -> None:
    def weights(counts: list[int]) -> list[int]:
        clipped = [max(count, 0) for count in counts]
        return clipped if any(clipped) else [1] * len(counts)

    output, _ = on_answers(LAPLACE, Setting.of(SIX, AddRemove(), rows), [first, second])
    products = [a * b for a in weights(first) for b in weights(second)]
    # Ties of remainders may be broken otherwise in doubles, by one record.
    wanted = largest_remainder(products, rows)
    assert np.abs(output.histogram() - wanted).max(initial=0) <= 1
    assert output.records == rows


def test_rows_follow_the_smallest_attribute_where_nobody_states_them() -> None:
    output, _ = on_answers(LAPLACE, Setting.of(SIX, AddRemove(), None), [(3, 4), (90, 90, 90)])
    assert output.records == 7


def test_attributes_of_one_value_are_known_where_n_is() -> None:
    domain = Domain.from_cells("1x2")
    output, curator = on_answers(LAPLACE, Setting.of(domain, ReplaceOne(), 5), [(2, 3)])
    assert len(curator.ledger) == 1 and output.histogram().tolist() == [2, 3]
    _, curator = on_answers(LAPLACE, Setting.of(domain, AddRemove(), 5), [(5,), (2, 3)])
    assert curator.spent.epsilon == 1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"epsilon": Fraction(0), "noise": "laplace"}, "epsilon must be positive"),
        ({"epsilon": ONE}, "needs a delta"),
        ({"epsilon": ONE, "delta": Fraction(2)}, "delta < 1"),
        ({"epsilon": ONE, "delta": Fraction(1, 9), "noise": "laplace"}, "no delta"),
    ],
)
def test_bad_parameters(given: dict[str, Fraction], words: str) -> None:
    with pytest.raises(InputError, match=words):
        IndependentMarginals(**given)


def test_a_table_of_many_cells_keeps_its_marginals() -> None:
    domain = Domain.from_cells("40x30x20")
    codes = np.random.default_rng(1).binomial(np.array([39, 29, 19]), 0.3, (5000, 3))
    data = Dataset(domain, codes.astype(np.int64))
    setting = Setting.of(domain, AddRemove(), 5000)
    result = run(LAPLACE, data, setting, LAPLACE.budget(setting), InsecureSeededEntropy(3))
    for column, size in enumerate(domain.shape):
        true = np.bincount(codes[:, column], minlength=size)
        drawn = np.bincount(result.output.codes[:, column], minlength=size)
        # Noise of scale 3 in each of at most 40 cells: a sum of sizes beyond 40·3·8 has
        # probability < 40·exp(-8); seeded, so it fails always or never.
        assert np.abs(true - drawn).sum() < 960


@pytest.mark.slow
def test_adult(shared_data: Path) -> None:
    domain = load_domain(shared_data / "adult_coded.schema.json")
    data = read_table(shared_data / "adult_coded.csv.gz", domain)
    setting = Setting.of(domain, AddRemove(), data.records)
    program = IndependentMarginals(ONE, Fraction(1, 10**9))
    output = run(program, data, setting, program.budget(setting), InsecureSeededEntropy(3)).output
    for column, size in enumerate(domain.shape):
        true = np.bincount(data.codes[:, column], minlength=size)
        drawn = np.bincount(output.codes[:, column], minlength=size)
        assert np.abs(true - drawn).sum() / 2 < 0.05 * data.records
