from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp, pearsonr
from scipy.stats.contingency import association

from audit.utility.records import Records, of_frame
from audit.utility.score import Score
from audit.utility.sdmetrics.column_pair_trends import ColumnPairTrends
from audit.utility.sdmetrics.column_shapes import ColumnShapes
from audit.utility.sdmetrics.quality import Quality
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, NUMERIC, coded, frame, records

SIZES = [(200, 200), (120, 500), (400, 60)]


def two_frames(sizes: tuple[int, int], shift: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A real and a synthetic table; the synthetic one alone has grey records."""
    real, synthetic = frame(1, sizes[0]), frame(2, sizes[1], shift=shift)
    return real.replace({"colour": {"grey": "red"}}), synthetic


def plain(table: pd.DataFrame) -> pd.DataFrame:
    """A frame of numbers and texts with None for a missing value; "N" stays a value."""
    out = pd.DataFrame(index=table.index)
    for name in MIXED.names:
        if name in NUMERIC:
            out[name] = pd.to_numeric(table[name], errors="coerce")
        else:
            out[name] = table[name].astype(object).where(table[name] != "", None)
    return out


def slow_shape(real: pd.Series, synthetic: pd.Series, numeric: bool) -> float:
    """``KSComplement`` and ``TVComplement`` of SDMetrics 0.32."""
    here, there = real.dropna(), synthetic.dropna()
    if numeric:
        return 1 - float(ks_2samp(here.round(14), there.round(14)).statistic)
    counts, other = here.value_counts().to_dict(), there.value_counts().to_dict()
    for value in other:
        counts[value] = counts.get(value, 1e-6)
    total = sum(counts.values())
    gaps = [abs(counts[v] / total - other.get(v, 0) / len(there)) for v in counts]
    return 1 - sum(gaps) / 2


def joint(first: list[object], second: list[object]) -> pd.Series:
    return pd.Series(list(zip(first, second, strict=True))).value_counts()


def slow_pair(real: pd.DataFrame, synthetic: pd.DataFrame, first: str, second: str) -> float | None:
    """The score of a pair in ``ColumnPairTrends`` of SDMetrics 0.32 with its thresholds."""
    if first in NUMERIC and second in NUMERIC:
        found = [pearsonr(*t[[first, second]].dropna().to_numpy().T)[0] for t in (real, synthetic)]
        return None if abs(found[0]) <= 0.5 else 1 - abs(found[0] - found[1]) / 2
    tables = []
    for table in (real, synthetic):
        columns: list[list[object]] = []
        for name in (first, second):
            column: list[object] = table[name].tolist()
            if name in NUMERIC:
                edges = np.histogram(table[name].dropna(), bins=10)[1]
                column = [sum(x >= e for e in edges) if x == x else 11 for x in column]
            columns.append(["missing" if x is None else x for x in column])
        tables.append(columns)
    strength = association(pd.crosstab(*map(np.array, map(list, tables[0]))).to_numpy())
    if strength <= 0.3:
        return None
    shares = [joint(*columns) / len(columns[0]) for columns in tables]
    return 1 - float(shares[0].sub(shares[1], fill_value=0).abs().sum()) / 2


def rows_of(score: Score, name: str) -> tuple[tuple[object, ...], ...]:
    breakdown = score.breakdown(name)
    assert breakdown is not None
    return breakdown.rows


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("shift", [0.0, 0.5])
def test_the_mode_of_sdmetrics_is_its_arithmetic(sizes: tuple[int, int], shift: float) -> None:
    frames = two_frames(sizes, shift)
    real, synthetic = (of_frame(f, MIXED) for f in frames)
    here, there = map(plain, frames)
    shapes = ColumnShapes(mode="sdmetrics")(real, synthetic, MIXED)
    expected = {n: slow_shape(here[n], there[n], n in NUMERIC) for n in MIXED.names}
    found = {row[0]: row[1] for row in rows_of(shapes, "marginals")}
    assert found == pytest.approx(expected, rel=1e-12)
    assert shapes.value == pytest.approx(np.mean(list(expected.values())))

    trends = ColumnPairTrends(mode="sdmetrics")(real, synthetic, MIXED)
    pairs = {p: slow_pair(here, there, *p) for p in itertools.combinations(MIXED.names, 2)}
    for row in rows_of(trends, "pairs"):
        value = pairs[row[:2]]
        assert row[2] == (None if value is None else pytest.approx(value)), row[:2]
    counted = [value for value in pairs.values() if value is not None]
    assert 0 < len(counted) < len(pairs)
    assert trends.value == pytest.approx(np.mean(counted))
    both = Quality(mode="sdmetrics")(real, synthetic, MIXED)
    assert both.value == pytest.approx((shapes.value + trends.value) / 2)


@pytest.mark.parametrize("sizes", SIZES)
def test_the_mode_of_sdmetrics_agrees_with_sdmetrics(sizes: tuple[int, int]) -> None:
    pytest.importorskip("sdmetrics")
    from sdmetrics.reports.single_table import _properties

    frames = two_frames(sizes, 0.4)
    real, synthetic = (of_frame(f, MIXED) for f in frames)
    here, there = map(plain, frames)
    kinds = {n: "numerical" if n in NUMERIC else "categorical" for n in MIXED.names}
    metadata = {"columns": {name: {"sdtype": kind} for name, kind in kinds.items()}}
    shapes = _properties.ColumnShapes().get_score(here, there, metadata)
    own = ColumnShapes(mode="sdmetrics")(real, synthetic, MIXED)
    assert own.value == pytest.approx(shapes, rel=1e-12)
    trends = _properties.ColumnPairTrends()
    with_thresholds = hasattr(trends, "real_association_threshold")
    if with_thresholds:
        trends.real_correlation_threshold, trends.real_association_threshold = 0.5, 0.3
    value = trends.get_score(here, there, metadata)
    score = ColumnPairTrends(mode="sdmetrics")(real, synthetic, MIXED)
    details = trends.details.set_index(["Column 1", "Column 2"])["Score"]
    for first, second, found, *_ in rows_of(score, "pairs"):
        # Before 0.32 there were no thresholds, and every pair had a score.
        if found is not None:
            assert found == pytest.approx(details[first, second], rel=1e-12)
        elif with_thresholds:
            assert math.isnan(details[first, second])
    if with_thresholds:
        assert score.value == pytest.approx(value, rel=1e-12)


def slow_fixed_pair(real: Records, synthetic: Records, first: str, second: str) -> float:
    tables = (real, synthetic)
    if first in NUMERIC and second in NUMERIC:
        found = []
        for table in tables:
            x, y = table.numbers(first), table.numbers(second)
            both = ~np.isnan(x + y)
            found.append(pearsonr(x[both], y[both])[0])
        return 1 - abs(found[0] - found[1]) / 2
    cells: list[list[list[object]]] = [[], []]
    for name in (first, second):
        edges = np.histogram(
            real.numbers(name)[~np.isnan(real.numbers(name))] if name in NUMERIC else [], bins=10
        )[1]
        for own, table in zip(cells, tables, strict=True):
            if name in NUMERIC:
                numbers = table.numbers(name).tolist()
                own.append([-1 if x != x else sum(x >= e for e in edges[1:-1]) for x in numbers])
            else:
                own.append(table.column(name).tolist())
    shares = [joint(*own) / len(own[0]) for own in cells]
    return 1 - float(shares[0].sub(shares[1], fill_value=0).abs().sum()) / 2


@pytest.mark.parametrize("sizes", SIZES)
def test_the_fixed_mode_is_its_definition(sizes: tuple[int, int]) -> None:
    real, synthetic = records(1, sizes[0]), records(2, sizes[1], shift=0.4)
    shapes = ColumnShapes()(real, synthetic, MIXED)
    for name, value, measure in rows_of(shapes, "marginals"):
        assert (measure == "KS complement") == (name in NUMERIC)
        if name in NUMERIC:
            lowest = [np.nan_to_num(t.numbers(str(name)), nan=-1e6) for t in (real, synthetic)]
            expected = 1 - ks_2samp(*lowest).statistic
        else:
            codes = [pd.Series(t.column(str(name))) for t in (real, synthetic)]
            shares = [c.value_counts(normalize=True) for c in codes]
            expected = 1 - shares[0].sub(shares[1], fill_value=0).abs().sum() / 2
        assert value == pytest.approx(expected), name
    trends = ColumnPairTrends()(real, synthetic, MIXED)
    rows = rows_of(trends, "pairs")
    assert {row[:2] for row in rows} == set(itertools.combinations(MIXED.names, 2))
    for first, second, value, *_ in rows:
        expected = slow_fixed_pair(real, synthetic, str(first), str(second))
        assert value == pytest.approx(expected), (first, second)
    values = [row[2] for row in rows]
    assert values == sorted(values)
    assert trends.value == pytest.approx(np.mean(values))
    both = Quality()(real, synthetic, MIXED)
    assert both.value == pytest.approx((shapes.value + trends.value) / 2)
    assert both.breakdown("pairs") == trends.breakdown("pairs")
    assert both.breakdown("marginals") == shapes.breakdown("marginals")


def test_bins_of_one_table_each_hide_a_shift_and_those_of_the_real_one_show_it() -> None:
    domain = Domain(
        "d", (Attribute("x", tuple(map(str, range(200))), ordinal=True), Attribute("y", ("a", "b")))
    )
    random = np.random.default_rng(1)
    numbers = random.integers(100, size=500)
    kind = (numbers + random.integers(30, size=500) > 60).astype(int)
    real = Records(domain, np.column_stack([numbers, kind]))
    shifted = Records(domain, np.column_stack([numbers + 100, kind]))
    assert ColumnPairTrends(mode="sdmetrics")(real, shifted, domain).value == pytest.approx(1)
    assert ColumnPairTrends()(real, shifted, domain).value == pytest.approx(
        # Whatever was below the last bin is in the wrong place.
        np.mean(numbers >= np.histogram(numbers)[1][-2])
    )


def test_weak_pairs_are_counted_in_the_fixed_mode_and_told() -> None:
    real, synthetic = records(1, 200), records(2, 200)
    fixed, program = (
        ColumnPairTrends(mode=mode)(real, synthetic, MIXED) for mode in ("fixed", "sdmetrics")
    )
    left = sum(row[2] is None for row in rows_of(program, "pairs"))
    assert all(row[2] is not None for row in rows_of(fixed, "pairs"))
    assert any(text.startswith(f"{left} of 15 pairs are left out") for text in program.stated)
    assert any(f"{left} weak pairs that SDMetrics" in text for text in fixed.stated)


def test_correlations_that_are_undefined() -> None:
    domain = Domain("d", tuple(Attribute(n, ("0", "1", "2"), ordinal=True) for n in "xyz"))
    real = Records(domain, np.array([[0, 0, 1], [1, 1, 1], [2, 2, 1]]))
    synthetic = Records(domain, np.array([[0, 1, 1], [1, 1, 0], [2, 1, 1]]))
    rows = {
        row[:2]: row[2] for row in rows_of(ColumnPairTrends()(real, synthetic, domain), "pairs")
    }
    # A correlation of 1 against a column that does not vary; z does not vary in the real table.
    assert rows == {("x", "y"): pytest.approx(0.5), ("x", "z"): None, ("y", "z"): None}
    program = ColumnPairTrends(mode="sdmetrics")(real, synthetic, domain)
    assert program.undefined == "no pair of attributes counts"
    shapes = ColumnShapes(mode="sdmetrics")(real, synthetic, domain)
    assert Quality(mode="sdmetrics")(real, synthetic, domain).value == shapes.value


def test_quality_is_undefined_where_one_half_is_in_the_fixed_mode() -> None:
    domain = Domain("d", tuple(Attribute(n, ("0", "1"), ordinal=True) for n in "xy"))
    constant = Records(domain, np.array([[0, 0], [0, 0]]))
    score = Quality()(constant, constant, domain)
    assert score.value is None
    assert score.undefined == "column-pair-trends: no pair of attributes counts"


def test_columns_without_any_value() -> None:
    domain = Domain("d", (Attribute("x", ("a",), missing=True), Attribute("y", ("a", "b"))))
    real = Records(domain, np.array([[1, 0], [1, 1]]))
    fixed, program = (ColumnShapes(mode=m)(real, real, domain) for m in ("fixed", "sdmetrics"))
    assert (fixed.value, program.value) == (1, 1)
    assert rows_of(program, "marginals")[-1][:2] == ("x", None)
    assert "1 attributes without any value are left out" in program.stated


def test_missing_values_count_in_the_fixed_mode() -> None:
    domain = Domain("d", (Attribute.binned("x", [0, 10], missing=True),))
    real = of_frame(pd.DataFrame({"x": ["1", "2", "3", "4"]}), domain)
    half = of_frame(pd.DataFrame({"x": ["1", "2", "3", "4", "", "", "", ""]}), domain)
    assert ColumnShapes(mode="sdmetrics")(real, half, domain).value == 1
    assert ColumnShapes()(real, half, domain).value == 0.5


codes = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=25)


@given(codes, codes, st.sampled_from(["fixed", "sdmetrics"]))
def test_scores_lie_in_their_range_and_a_table_is_like_itself(
    here: list[tuple[int, int]], there: list[tuple[int, int]], mode: str
) -> None:
    real, synthetic = coded((2, 3), here), coded((2, 3), there)
    for metric in (ColumnShapes, ColumnPairTrends, Quality):
        value = metric(mode=mode)(real, synthetic, real.domain).value
        assert value is None or 0 <= value <= 1
        same = metric(mode=mode)(real, real, real.domain).value
        assert same is None or same == pytest.approx(1)


@pytest.mark.parametrize("sizes", [(900, 700), (9_000, 12_000), (12_000, 50), (10_001, 7)])
def test_distances_are_those_of_scipy_to_the_last_bit(sizes: tuple[int, int]) -> None:
    # Above 10 000 records SciPy no longer rounds to a multiple of 1/(n·m).
    domain = Domain("d", (Attribute.binned("x", [-10, 10]),))
    for seed in range(6):
        random = np.random.default_rng(seed)
        numbers = [random.normal(size=n).round(3) for n in sizes]
        tables = [Records(domain, np.zeros((len(x), 1), dtype=np.int64), {"x": x}) for x in numbers]
        method = "auto" if max(sizes) <= 1000 else "asymp"
        expected = 1 - ks_2samp(*numbers, method=method).statistic
        assert ColumnShapes(mode="sdmetrics")(*tables, domain).value == expected


def test_what_does_not_fit_is_refused() -> None:
    one = Domain("one", (Attribute("x", ("0", "1")),))
    with pytest.raises(InputError, match="needs two attributes"):
        Quality().check(one)
    with pytest.raises(InputError, match="must be numbers"):
        ColumnShapes(numeric=("colour",)).check(MIXED)
    with pytest.raises(InputError, match="the mode must be one of fixed, sdmetrics"):
        Quality(mode="sdmetrics-0.32")
