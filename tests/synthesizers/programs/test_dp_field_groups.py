"""DPFieldGroups: groups, thresholds, draws."""

from __future__ import annotations

import bisect
from fractions import Fraction

import numpy as np
import pytest

from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.events import Draw, Measure
from synthesizers.laws.public_laws import Multinomial
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.dp_field_groups import DPFieldGroups, keep_large
from synthesizers.queries import Marginal
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.programs.answering import on_answers

ONE = Fraction(1)
EIGHT = Domain.from_cells("2x2x2")
PAIR = DPFieldGroups(ONE, (("a1", "a3"), ("a2",)))


@pytest.mark.parametrize(
    ("cells", "chance"), [(2, 0.28), (10, 0.075), (100, 0.011), (1_000_000, 5.6e-6)]
)
def test_how_often_an_empty_cell_survives(cells: int, chance: float) -> None:
    # Bowen & Snoke's description and Gardner's constant: exp(-1.9·log10(cells))/2. At a scale of
    # many counts the discrete law is the continuous one.
    scale = 1000
    values = range(int(0.5 * scale), 12 * scale, scale // 100)
    noisy = np.zeros(cells, np.int64)

    def survives(value: int) -> bool:
        noisy[0] = value
        return bool(keep_large(noisy, scale)[0])

    least = values[bisect.bisect_left(values, True, key=survives)]
    a = np.exp(-1 / scale)
    # P[Z >= t] = a^t/(1 + a) of the discrete Laplace law.
    assert a**least / (1 + a) == pytest.approx(chance, rel=0.02)


def test_counts_at_the_threshold_stay() -> None:
    # Ten cells, scale 10: the limit is 19.
    assert keep_large(np.array([19, 18, -30, 0, 40, 0, 0, 0, 0, 0]), 10.0).tolist() == [
        19, 0, 0, 0, 40, 0, 0, 0, 0, 0,
    ]  # fmt: skip
    assert keep_large(np.array([-3]), 10.0).tolist() == [0]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_each_group_has_an_equal_share(neighbours: Neighbours) -> None:
    _, curator = on_answers(PAIR, Setting.of(EIGHT, neighbours, 4), [(9, 9, 9, 9), (20, 20)])
    moves = neighbours.unit.max_records * (2 if isinstance(neighbours, ReplaceOne) else 1)
    first, second, draw = curator.ledger
    assert isinstance(first, Measure) and first.query == Marginal(("a1", "a3"))
    assert isinstance(second, Measure) and second.query == Marginal(("a2",))
    assert first.noise == second.noise == DiscreteLaplace(Fraction(2 * moves))
    assert curator.spent.epsilon == 1 and isinstance(draw, Draw)


def test_rows_are_drawn_of_the_product_of_what_is_left() -> None:
    # Scale 2: the limits are 2.29 of four cells and 1.14 of two.
    _, curator = on_answers(PAIR, Setting.of(EIGHT, AddRemove(), 5), [(3, 2, 7, -5), (2, 1)])
    draw = curator.ledger[-1]
    assert isinstance(draw, Draw) and isinstance(draw.law, Multinomial)
    # Cells a1, a2, a3: 3 at (0, ·, 0) and 7 at (1, ·, 0), 2 at a2 = 0.
    assert draw.law.weights == (6, 0, 0, 0, 14, 0, 0, 0) and draw.law.records == 5


def test_a_group_of_which_nothing_is_left_is_uniform() -> None:
    _, curator = on_answers(PAIR, Setting.of(EIGHT, AddRemove(), 5), [(0, 0, 0, 0), (9, 0)])
    draw = curator.ledger[-1]
    assert isinstance(draw, Draw) and isinstance(draw.law, Multinomial)
    assert draw.law.weights == (9, 9, 0, 0, 9, 9, 0, 0)


def test_one_value_needs_no_question_where_n_is_public() -> None:
    one = Domain.from_cells("1x2")
    program = DPFieldGroups(ONE, (("a1",), ("a2",)))
    _, curator = on_answers(program, Setting.of(one, ReplaceOne(), 4), [(3, 9)])
    assert len(curator.ledger) == 2


def test_unstated_rows_are_the_noisy_sum_of_the_smallest_group() -> None:
    output, _ = on_answers(PAIR, Setting.of(EIGHT, AddRemove(), None), [(9, 9, 9, 9), (4, 3)])
    assert output.records == 7


def test_bad_input() -> None:
    with pytest.raises(InputError, match="epsilon"):
        DPFieldGroups(Fraction(0))
    with pytest.raises(InputError, match="once"):
        DPFieldGroups(ONE, (("a1",), ("a1",)))
    setting = Setting.of(EIGHT, AddRemove(), 4)
    with pytest.raises(InputError, match="no attribute"):
        on_answers(DPFieldGroups(ONE, (("b",),)), setting, [])
    wide = Domain.from_cells("5000x3000").attributes
    huge = Domain("huge", (*wide, *Domain.from_cells("9").attributes))
    with pytest.raises(TooLargeError, match="cells"):
        on_answers(DPFieldGroups(ONE, (huge.names,)), Setting.of(huge, AddRemove(), 4), [])


def test_a_table_of_many_cells() -> None:
    domain = Domain.from_cells("12x12x12x12")
    generator = np.random.default_rng(2)
    same = generator.integers(0, 12, 4000)
    codes = np.stack([same, same, generator.integers(0, 12, 4000), same], axis=1)
    setting = Setting.of(domain, AddRemove(), 4000)
    program = DPFieldGroups(ONE, (("a1", "a4"),), cells=144)
    output = run(
        program, Dataset(domain, codes), setting, program.budget(setting), InsecureSeededEntropy(3)
    ).output
    assert output.records == 4000
    # About 333 records in each of twelve cells, scale 3, limit 12: the others are empty but for a
    # chance of 0.0083 each.
    assert (output.codes[:, 0] == output.codes[:, 3]).mean() > 0.95
    # Groups are independent: an equal code has chance 1/12, deviation 0.0044.
    assert abs((output.codes[:, 0] == output.codes[:, 1]).mean() - 1 / 12) < 0.03
