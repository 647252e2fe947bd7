from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, mannwhitneyu

from audit.utility.records import of_frame
from audit.utility.synthpop.table_utilities import STATISTICS, TableUtility, table_utilities
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, NUMERIC, coded, frame, records


def slow_synthpop(d: list[int], s: list[int]) -> dict[str, float | None]:
    """The definitions cell by cell; ranks and distances from every record's own score."""
    cells = [(a, b) for a, b in zip(d, s, strict=True) if a + b > 0]
    n, m = sum(d), sum(s)
    c = m / (n + m)
    df = len(cells) - 1
    out: dict[str, float | None] = {"df": df}
    out["VW"] = sum((b - a * c / (1 - c)) ** 2 / ((a + b) * c) for a, b in cells)
    out["pMSE"] = sum((a + b) * (b / (a + b) - c) ** 2 for a, b in cells) / (n + m)
    out["FT"] = 4 * sum((math.sqrt(b) - math.sqrt(a * c / (1 - c))) ** 2 for a, b in cells)
    out["JSD"] = sum(
        (x * math.log2(2 * x / (x + y)) if x else 0) / 2
        + (y * math.log2(2 * y / (x + y)) if y else 0) / 2
        for x, y in ((a / n, b / m) for a, b in cells)
    )
    out["MabsDD"] = sum(abs(b - a * c / (1 - c)) for a, b in cells) / m
    out["WMabsDD"] = sum(
        abs(b - a * c / (1 - c)) / math.sqrt((a + b) * c) for a, b in cells
    ) / math.sqrt(2 / math.pi)
    out["dBhatt"] = math.sqrt(max(0, 1 - sum(math.sqrt(a / n * b / m) for a, b in cells)))
    real = [b / (a + b) for a, b in cells for _ in range(a)]
    synthetic = [b / (a + b) for a, b in cells for _ in range(b)]
    out["SPECKS"] = float(ks_2samp(synthetic, real, method="asymp").statistic)
    out["U"] = float(mannwhitneyu(synthetic, real, method="asymptotic").statistic)
    right = sum(b if b / m > a / n else a for a, b in cells)
    out["PO50"] = right / (n + m) * 100 - 50
    both = [(a, b) for a, b in cells if a and b]
    a_all, b_all = sum(a for a, _ in both), sum(b for _, b in both)
    out["G"] = 2 * sum(b * math.log(b / b_all * a_all / a) for a, b in both)
    out["dfG"] = len(both) - 1
    for name in ("VW", "FT", "WMabsDD"):
        out["S_" + name] = out[name] / df if df else None
    out["S_pMSE"] = out["S_VW"]
    out["S_JSD"] = out["JSD"] * 2 * (n + m) / math.log(2) / df if df else None
    out["S_G"] = out["G"] / out["dfG"] if out["dfG"] > 0 else None
    return out


def slow_fixed(d: list[int], s: list[int]) -> dict[str, float | None]:
    out = slow_synthpop(d, s)
    n, m = sum(d), sum(s)
    c = m / (n + m)
    df = out["df"]
    likelihood = 0.0
    for a, b in zip(d, s, strict=True):
        likelihood += b * math.log(b / ((a + b) * c)) if b else 0
        likelihood += a * math.log(a / ((a + b) * (1 - c))) if a else 0
    out["G"] = 2 * likelihood / (1 - c)
    out["dfG"] = df
    out["S_G"] = out["G"] / df if df else None
    out["S_JSD"] = out["JSD"] * 8 * m * math.log(2) / df if df else None
    out["PO50"] = 25 * sum(abs(a / n - b / m) for a, b in zip(d, s, strict=True))
    return out


SLOW = {"synthpop": slow_synthpop, "fixed": slow_fixed}


@pytest.mark.parametrize("mode", ["fixed", "synthpop"])
@pytest.mark.parametrize("cells", [1, 2, 3, 7, 40])
@pytest.mark.parametrize("sizes", [(50, 50), (30, 200), (400, 20)])
def test_every_statistic_is_its_definition(mode: str, cells: int, sizes: tuple[int, int]) -> None:
    random = np.random.default_rng([cells, *sizes])
    for sharpness in (0.2, 5.0):
        d = random.multinomial(sizes[0], random.dirichlet(np.full(cells, sharpness)))
        s = random.multinomial(sizes[1], random.dirichlet(np.full(cells, sharpness)))
        found = table_utilities(d, s, mode=mode)
        expected = SLOW[mode](d.tolist(), s.tolist())
        assert found.keys() == expected.keys() == {*STATISTICS, "df", "dfG"}
        for name, value in expected.items():
            near = None if value is None else pytest.approx(value, rel=1e-9, abs=1e-7)
            assert found[name] == near, name


def test_a_hand_computed_example() -> None:
    # d = (30, 10), s = (10, 30): c = 1/2, N = 80.
    found = table_utilities([[30], [10]], [[10], [30]], mode="synthpop")
    # (10 - 30)²/(40/2) + (30 - 10)²/(40/2) = 40, over 1 degree of freedom.
    assert found["VW"] == pytest.approx(40)
    assert found["S_pMSE"] == pytest.approx(40)
    # Every record's score is 1/4 away from... 30/40 or 10/40: (1/4)² each.
    assert found["pMSE"] == pytest.approx(1 / 16)
    assert found["SPECKS"] == pytest.approx(0.5)
    assert found["MabsDD"] == pytest.approx(1.0)
    # 60 of 80 are told apart.
    assert found["PO50"] == pytest.approx(25)
    assert found["FT"] == pytest.approx(8 * (math.sqrt(30) - math.sqrt(10)) ** 2)
    # Synthetic above real: 30·30 pairs; level: 10·30 + 30·10 by half.
    assert found["U"] == pytest.approx(900 + 300)
    assert found["G"] == pytest.approx(2 * (30 - 10) * math.log(3))
    # 1 minus the entropy of (3/4, 1/4) in bits.
    assert found["JSD"] == pytest.approx(1 + 0.75 * math.log2(0.75) + 0.25 * math.log2(0.25))


counts = st.lists(st.integers(0, 30), min_size=2, max_size=12)


@given(counts, counts, st.sampled_from(["fixed", "synthpop"]))
def test_every_statistic_lies_in_its_range(d: list[int], s: list[int], mode: str) -> None:
    size = min(len(d), len(s))
    d, s = [1, *d[:size]], [1, *s[:size]]
    found = table_utilities(d, s, mode=mode)
    for name, highest in STATISTICS.items():
        value = found[name]
        lowest = -50 if (name, mode) == ("PO50", "synthpop") else 0
        assert value is None or lowest <= value <= highest, name
    order = np.random.default_rng(1).permutation(len(d))
    again = table_utilities(np.array(d)[order], np.array(s)[order], mode=mode)
    for name, value in found.items():
        assert again[name] == (None if value is None else pytest.approx(value, abs=1e-9)), name


@pytest.mark.parametrize("mode", ["fixed", "synthpop"])
def test_equal_tables_are_perfect_but_for_ranks(mode: str) -> None:
    found = table_utilities([5, 0, 7, 9], [10, 0, 14, 18], mode=mode)
    imperfect = {"U", "df", "dfG"} | ({"PO50"} if mode == "synthpop" else set())
    assert {name for name, value in found.items() if value != pytest.approx(0)} == imperfect
    # The program calls a tie real: 21 of 63 are right.
    if mode == "synthpop":
        assert found["PO50"] == pytest.approx(100 / 3 - 50)


def test_tables_without_a_common_cell_are_the_worst_and_not_the_best() -> None:
    fixed = table_utilities([5, 5, 0], [0, 0, 10])
    program = table_utilities([5, 5, 0], [0, 0, 10], mode="synthpop")
    assert (fixed["JSD"], fixed["SPECKS"], fixed["PO50"], fixed["dBhatt"]) == (1, 1, 50, 1)
    assert program["G"] == 0
    assert program["S_G"] is None
    # Two samples that share nothing: 2·N·ln 2 on the scale of two samples, doubled.
    assert fixed["G"] == pytest.approx(2 * 2 * 20 * math.log(2))


@pytest.mark.parametrize("sizes", [(5000, 5000), (20000, 2000), (4000, 16000)])
def test_standardised_statistics_have_mean_one_under_the_fitted_null(
    sizes: tuple[int, int],
) -> None:
    # 400 draws over 100 cells of equal chance, 99 degrees of freedom each. The sum of 400
    # χ² variables has 39 600; by Laurent and Massart it is off by more than
    # 2·sqrt(39 600·22) + 44 (a share of 0.049) with probability below 2·exp(-22) < 6e-10.
    # S_WMabsDD is a mean of 40 000 |z|/E|z|, of standard deviation 0.76: 0.049 is 13 of its own.
    # The statistics are χ² only about: 0.02 is left for that.
    random = np.random.default_rng(5)
    n, m = sizes
    d = np.full(100, n // 100)
    means = dict.fromkeys([name for name in STATISTICS if name.startswith("S_")], 0.0)
    for s in random.multinomial(m, np.full(100, 0.01), size=400):
        found = table_utilities(d, s)
        for name in means:
            means[name] += (found[name] or 0.0) / 400
    # WMabsDD counts all 100 cells and not 99, and a gap of variance 99/100.
    assert means == {name: pytest.approx(1, abs=0.07) for name in means}


def test_counts_that_are_none_are_refused() -> None:
    with pytest.raises(InputError, match="the same shape"):
        table_utilities([1, 2], [[1, 2]])
    with pytest.raises(InputError, match="both tables need records"):
        table_utilities([0, 0], [1, 2])
    with pytest.raises(InputError, match="finite and at least 0"):
        table_utilities([-1, 2], [1, 2])
    with pytest.raises(InputError, match="both tables need records"):
        table_utilities([], [])


def quantile_codes(seeds: tuple[int, int], sizes: tuple[int, int]) -> list[np.ndarray]:
    """The mixed tables with five quantile groups of both for every numeric column."""
    tables = [records(seed, size) for seed, size in zip(seeds, sizes, strict=True)]
    codes = [table.codes.copy() for table in tables]
    for name in NUMERIC:
        numbers = [table.numbers(name) for table in tables]
        pooled = np.concatenate(numbers)
        breaks = np.unique(np.quantile(pooled[~np.isnan(pooled)], np.linspace(0, 1, 6)))
        for table, column in zip(codes, numbers, strict=True):
            group = np.clip(np.digitize(column, breaks) - 1, 0, len(breaks) - 2)
            table[:, MIXED.position(name)] = np.where(np.isnan(column), 99, group)
    return codes


@pytest.mark.parametrize("mode", ["fixed", "synthpop"])
@pytest.mark.parametrize("statistic", ["S_pMSE", "S_G", "PO50", "JSD"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_the_score_is_the_mean_over_all_tables_in_quantile_groups(
    mode: str, statistic: str, k: int
) -> None:
    real, synthetic = records(1, 150), records(2, 220)
    codes = quantile_codes((1, 2), (150, 220))
    expected = {}
    for columns in itertools.combinations(range(6), k):
        rows = [list(map(tuple, table[:, columns].tolist())) for table in codes]
        cells = sorted({*rows[0], *rows[1]})
        d, s = ([own.count(cell) for cell in cells] for own in rows)
        expected[tuple(MIXED.names[c] for c in columns)] = SLOW[mode](d, s)[statistic]
    metric = TableUtility(statistic=statistic, mode=mode, k=k)
    score = metric(real, synthetic, MIXED)
    assert score.value == pytest.approx(np.mean(list(expected.values())))
    breakdown = score.breakdown("pairs" if k == 2 else "marginals")
    assert breakdown is not None
    if k == 2:
        found = {(a, b): value for a, b, value, *_ in breakdown.rows}
        assert found == {names: pytest.approx(value) for names, value in expected.items()}
        assert breakdown.columns[:3] == ("first attribute", "second attribute", statistic)
    assert len(breakdown.rows) == len(expected)


def test_declared_bins_can_stand_in_place_of_quantile_groups() -> None:
    real, synthetic = records(1, 150), records(2, 220)
    score = TableUtility(declared_bins=True, k=1)(real, synthetic, MIXED)
    expected = []
    for column in range(6):
        d, s = (np.bincount(t.codes[:, column], minlength=9) for t in (real, synthetic))
        expected.append(slow_fixed(d.tolist(), s.tolist())["S_pMSE"])
    assert score.value == pytest.approx(np.mean(expected))


def test_undefined_tables_are_left_out_and_counted() -> None:
    real = coded((2, 2, 3), [(0, 0, 0), (0, 0, 1), (0, 0, 2)])
    score = TableUtility()(real, real, real.domain)
    assert score.value == 0
    assert any("1 tables are left out" in text for text in score.stated)
    breakdown = score.breakdown("pairs")
    assert breakdown is not None and breakdown.rows[-1][:3] == ("a0", "a1", None)
    only = coded((2, 2), [(0, 0)])
    assert TableUtility()(only, only, only.domain).undefined is not None


def test_the_worst_cells_are_listed_with_their_z() -> None:
    real = coded((2, 2), [(0, 0)] * 30 + [(1, 1)] * 10)
    synthetic = coded((2, 2), [(0, 0)] * 10 + [(1, 1)] * 30)
    cells = TableUtility()(real, synthetic, real.domain).breakdown("cells")
    assert cells is not None
    z = 20 / math.sqrt(20)
    assert cells.rows == (
        ("a0 × a1", "0 × 0", 30, 10, pytest.approx(-z)),
        ("a0 × a1", "1 × 1", 10, 30, pytest.approx(z)),
    )


def test_values_outside_the_domain_are_cells() -> None:
    strange = frame(2, 60)
    strange.loc[:19, "sex"] = "3"
    score = TableUtility(k=1)(records(1, 60), of_frame(strange, MIXED, "cell"), MIXED)
    cells = score.breakdown("cells")
    assert cells is not None
    assert ("sex", "outside the domain", 0, 20) in {row[:4] for row in cells.rows}


def test_the_null_of_a_ratio_is_stated() -> None:
    score = TableUtility()(records(1, 100), records(2, 50), MIXED)
    assert any("drawn from the fitted real one" in t and "= 1.5" in t for t in score.stated)


@pytest.mark.parametrize(
    "fields",
    [{"statistic": "pmse"}, {"k": 0}, {"groups": 1}, {"mode": "synthpop-1.4"}],
)
def test_parameters_out_of_range_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InputError, match="table-utility"):
        TableUtility(**fields)


def test_the_range_is_that_of_the_statistic() -> None:
    assert TableUtility(statistic="pMSE").span == (0, 0.25)
    assert TableUtility().span == (0, math.inf)
    assert TableUtility(statistic="PO50", mode="synthpop").span[0] == -50
