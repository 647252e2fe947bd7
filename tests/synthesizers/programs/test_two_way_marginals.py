"""All two-way marginals: what is asked, and both ways of fitting them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.calibration import zcdp_rho
from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian
from synthesizers.programs.two_way_marginals import TwoWayMarginals
from synthesizers.queries import Marginal
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.programs.answering import chained_table, on_answers, on_counts, pair_errors

ONE, DELTA = Fraction(1), Fraction(1, 10**9)
RHO = zcdp_rho(ONE, DELTA)
PROGRAM = TwoWayMarginals(ONE, DELTA)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_every_pair_has_an_equal_share_of_rho(neighbours: Neighbours) -> None:
    data = chained_table("2x3x2", 40)
    setting = Setting.of(data.domain, neighbours, 40)
    output, curator = on_counts(PROGRAM, setting, data, lambda query: 0)
    lengths = neighbours.unit.max_records**2 * (2 if isinstance(neighbours, ReplaceOne) else 1)
    for event, pair in zip(curator.ledger, combinations(data.domain.names, 2), strict=True):
        assert isinstance(event, Measure) and event.query == Marginal(pair)
        assert event.noise == DiscreteGaussian(lengths * 3 / (2 * RHO))
    assert curator.spent.rho == RHO and output.records == 40


def test_pairs_of_one_cell_are_known_where_n_is_public() -> None:
    domain = Domain.from_cells("1x1x2")
    setting = Setting.of(domain, ReplaceOne(), 8)
    output, curator = on_answers(PROGRAM, setting, [(6, 2), (6, 2)])
    assert [event.query for event in curator.ledger if isinstance(event, Measure)] == [
        Marginal(("a1", "a3")), Marginal(("a2", "a3"))
    ]  # fmt: skip
    assert curator.spent.rho == RHO and output.histogram().tolist() == [6, 2]


def test_one_attribute_is_asked_alone() -> None:
    setting = Setting.of(Domain.from_cells("3"), AddRemove(), 6)
    output, _ = on_answers(PROGRAM, setting, [(1, 2, 3)])
    assert output.histogram().tolist() == [1, 2, 3]


@pytest.mark.parametrize("model_cells", [0, 100_000])
def test_both_ways_are_near_to_exact_pairs(model_cells: int) -> None:
    # 7200 cells. Without noise, pairs are kept up to drawing 30 000 records: 30 cells or fewer have
    # total variation 0.02 at most; independent columns would err by 0.3 on every neighbouring pair.
    data = chained_table("4x5x6x5x4x3", 30_000)
    program = TwoWayMarginals(ONE, DELTA, model_cells)
    setting = Setting.of(data.domain, AddRemove(), None)
    output, _ = on_counts(program, setting, data, lambda query: 0)
    assert abs(output.records - 30_000) <= 1
    assert pair_errors(data, output) < 0.02


def test_the_whole_table_keeps_what_pairs_imply() -> None:
    # a1 = a2 and a2 = a3 for all records: so a1 = a3, in every record but a fraction.
    codes = np.repeat(np.array([[0, 0, 0], [1, 1, 1]]), 50, axis=0)
    data = Dataset(Domain.from_cells("2x2x2"), codes)
    setting = Setting.of(data.domain, ReplaceOne(), 100)
    output, _ = on_counts(TwoWayMarginals(ONE, DELTA, steps=2000), setting, data, lambda query: 0)
    counts = output.histogram()
    assert counts[0] + counts[7] >= 98 and abs(counts[0] - counts[7]) <= 1


@given(st.lists(st.integers(-9, 9), min_size=12, max_size=12))
def test_equal_answers_give_equal_outputs(noise: list[int]) -> None:
    setting = Setting.of(Domain.from_cells("2x2x2"), AddRemove(), 10)
    answers = [noise[:4], noise[4:8], noise[8:]]
    for model_cells in (0, 100):
        program = TwoWayMarginals(ONE, DELTA, model_cells, 20, 3)
        outputs = [on_answers(program, setting, answers)[0].histogram() for _ in range(2)]
        assert (outputs[0] == outputs[1]).all() and outputs[0].sum() == 10


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"epsilon": Fraction(0)}, "epsilon > 0"),
        ({"delta": Fraction(1)}, "delta"),
        ({"steps": 0}, "steps"),
        ({"rounds": 0}, "rounds"),
    ],
)
def test_parameters_that_do_not_fit(changes: dict[str, Any], words: str) -> None:
    values: dict[str, Any] = {"epsilon": ONE, "delta": DELTA, **changes}
    with pytest.raises(InputError, match=words):
        TwoWayMarginals(**values)
