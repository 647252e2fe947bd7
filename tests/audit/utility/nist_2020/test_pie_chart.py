from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from audit.utility.nist_2020.pie_chart import InvPie, PieChart
from audit.utility.score import Score
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.nist_2020.slow_nist_2020 import slow_pie_row, slow_program_pie_row

NAMES = {"place": "neighborhood", "period": "month", "type": "incident_type"}
Counts = NDArray[np.int64]


def frame(counts: Counts) -> pd.DataFrame:
    """A record for each incident; ``counts`` [places, periods, types]."""
    cells = np.repeat(np.arange(counts.size), counts.ravel())
    columns = np.unravel_index(cells, counts.shape)
    return pd.DataFrame(dict(zip(("neighborhood", "month", "incident_type"), columns, strict=True)))


def grid(shape: tuple[int, ...]) -> Domain:
    return Domain(
        "incidents",
        tuple(
            Attribute(name, tuple(map(str, range(size))))
            for name, size in zip(
                ("month", "incident_type", "neighborhood"),
                (shape[1], shape[2], shape[0]),
                strict=True,
            )
        ),
    )


def scored(real: Counts, synthetic: Counts, mode: str = "fixed") -> Score:
    return PieChart(mode=mode)(frame(real), frame(synthetic), grid(real.shape))


def one_row(real: list[int], synthetic: list[int], mode: str = "fixed") -> dict[str, float]:
    """The components of a row that stands beside an identical one, so that no table is empty."""
    pair = [np.array([[[1] + [0] * (len(row) - 1), row]]) for row in (real, synthetic)]
    score = scored(pair[0], pair[1], mode)
    groups = score.breakdown("groups")
    assert groups is not None
    found = {str(row[0]): row for row in groups.rows}
    assert found["0, 0"][1] == 1.0
    return dict(zip(groups.columns[1:], (float(v or 0) for v in found["0, 1"][1:]), strict=True))


def drawn(shape: tuple[int, int, int], seed: int) -> tuple[Counts, Counts]:
    random = np.random.default_rng(seed)
    real = random.poisson(random.gamma(0.3, 8, shape))
    synthetic = random.poisson(real * 0.8 + 0.1)
    synthetic[::3] = real[::3]
    real[1 % shape[0], 0] = 0
    synthetic[-1, -1] = 0
    real[-1, 0, 0] += 700
    real[0, 0, 0] += 1
    synthetic[0, 0, 0] += 1
    return real, synthetic


SHAPES = [(4, 3, 5), (7, 2, 40), (3, 2, 1), (2, 4, 174), (1, 1, 3), (12, 12, 9)]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_both_modes_are_the_slow_ones(shape: tuple[int, int, int], seed: int) -> None:
    real, synthetic = drawn(shape, seed)
    rows = [table.reshape(-1, shape[2]).tolist() for table in (real, synthetic)]
    official = [slow_program_pie_row(a, b) for a, b in zip(*rows, strict=True)]
    sound = [slow_pie_row(a, b) for a, b in zip(*rows, strict=True)]
    program = scored(real, synthetic, "sprint-1")
    assert program.value == float(np.sum(official))
    assert program.highest == shape[0] * shape[1]
    assert scored(real, synthetic).value == pytest.approx(sum(sound))
    inverse = InvPie(mode="sprint-1")(frame(real), frame(synthetic), grid(shape))
    assert inverse.value == pytest.approx(1 - sum(official) / len(official))
    fixed = InvPie()(frame(real), frame(synthetic), grid(shape))
    assert fixed.value == pytest.approx(1 - sum(sound) / len(sound))
    assert fixed.direction == "lower"


def test_two_disjoint_types_lose_the_distance_and_the_misleading_type() -> None:
    row = one_row([10, 0, 0], [0, 10, 0])
    assert row["Jensen-Shannon distance"] == pytest.approx(1)
    assert row["misleading types"] == pytest.approx(0.2)
    assert row["bias"] == 0
    assert row["score"] == 0


def test_half_a_wrong_type_is_scored_as_worked_out_by_hand() -> None:
    # p = (1, 0), q = (1/2, 1/2): divergence log2(4/3)/2 + (log2(2/3)/2 + 1/2)/2.
    row = one_row([10, 0], [5, 5])
    divergence = math.log2(4 / 3) / 2 + (math.log2(2 / 3) / 2 + 1 / 2) / 2
    assert row["Jensen-Shannon distance"] == pytest.approx(math.sqrt(divergence))
    assert row["score"] == pytest.approx(1 - math.sqrt(divergence) - 0.2)


@pytest.mark.parametrize("mode", PieChart.modes)
@pytest.mark.parametrize(("few", "misleading"), [(4, 0.0), (5, 0.2), (6, 0.2)])
def test_a_share_of_five_percent_is_kept_and_less_is_ignored(
    mode: str, few: int, misleading: float
) -> None:
    row = one_row([100, 0], [100 - few, few], mode)
    assert row["misleading types"] == misleading


@pytest.mark.parametrize("mode", PieChart.modes)
@pytest.mark.parametrize(("gap", "bias"), [(499, 0.0), (500, 0.0), (501, 0.25)])
def test_a_bias_is_more_than_500_records(mode: str, gap: int, bias: float) -> None:
    row = one_row([100, 0], [100 + gap, 0], mode)
    assert row["bias"] == bias
    assert row["score"] == pytest.approx(1 - bias, abs=1e-5)


def test_proportional_rows_have_no_distance_in_the_sound_mode_alone() -> None:
    assert one_row([1, 2], [2, 4])["score"] == 1.0
    assert 0 < one_row([1, 2], [2, 4], "sprint-1")["Jensen-Shannon distance"] < 1e-4


@pytest.mark.parametrize("metric", [PieChart, InvPie])
def test_many_proportional_rows_take_the_program_to_the_root_of_a_negative_number(
    metric: type[PieChart | InvPie],
) -> None:
    # Rounding takes every third such row below 0.
    real = np.random.default_rng(0).integers(3, 20, (20, 5, 3))
    tables = frame(real), frame(5 * real)
    program = metric(mode="sprint-1")(*tables, grid(real.shape))
    assert program.value is None and "square root of a negative" in str(program.undefined)
    assert metric()(*tables, grid(real.shape)).value == (100.0 if metric is PieChart else 0.0)


@pytest.mark.parametrize(("real", "synthetic"), [([0, 0, 0], [3, 1, 0]), ([3, 1, 0], [0, 0, 0])])
def test_a_row_on_one_side_is_lost_and_in_the_program_an_even_pie(
    real: list[int], synthetic: list[int]
) -> None:
    assert one_row(real, synthetic)["score"] == 0.0
    distance = one_row(real, synthetic, "sprint-1")["Jensen-Shannon distance"]
    assert 0.3 < distance < 0.6


def test_rows_whose_types_are_all_ignored_are_alike_only_with_each_other() -> None:
    even = [1] * 25
    assert one_row(even, [2] * 25)["score"] == 1.0
    assert one_row(even, [25] + [0] * 24)["score"] == 0.0
    assert one_row([25] + [0] * 24, even)["score"] == 0.0
    assert one_row([0] * 25, even)["score"] == 0.0


@pytest.mark.parametrize("mode", PieChart.modes)
def test_a_table_against_itself_has_all_rows(mode: str) -> None:
    real, _ = drawn((6, 4, 8), 3)
    score = scored(real, real, mode)
    assert score.value == 24.0 == score.highest
    assert InvPie(mode=mode)(frame(real), frame(real), grid(real.shape)).value == 0.0


def test_the_worst_rows_come_first_with_their_counts() -> None:
    real, synthetic = drawn((30, 20, 6), 1)
    score = scored(real, synthetic)
    groups = score.breakdown("groups")
    assert groups is not None
    values = [float(row[1] or 0) for row in groups.rows]
    assert values == sorted(values)
    assert len(values) == 600
    for row in groups.rows[:50]:
        place, period = map(int, str(row[0]).split(", "))
        assert row[2] == real[place, period].sum()
        assert row[3] == synthetic[place, period].sum()


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(PieChart.modes))
def test_scores_stay_in_their_range_and_ignore_the_order_of_rows(seed: int, mode: str) -> None:
    random = np.random.default_rng(seed)
    real, synthetic = random.integers(0, 4, (2, 3, 2, 4))
    real[0, 0, 0] = synthetic[0, 0, 0] = 1
    score = scored(real, synthetic, mode)
    assert score.value is None or 0 <= score.value <= 6
    turned = [frame(table).iloc[::-1].reset_index(drop=True) for table in (real, synthetic)]
    assert PieChart(mode=mode)(turned[0], turned[1], grid(real.shape)).value == score.value


def test_attributes_that_do_not_fit_are_refused() -> None:
    domain = grid((2, 2, 2))
    with pytest.raises(InputError, match="holds the place"):
        PieChart(place="x").check(domain)
    with pytest.raises(InputError, match="holds the type"):
        InvPie(type="x").check(domain)
    with pytest.raises(InputError, match="three attributes"):
        PieChart(place="month", period="month")
    with pytest.raises(InputError, match="mode"):
        InvPie(mode="sprint-3")
    assert list(PieChart().marginals_read(domain)) == [("month", "incident_type", "neighborhood")]
