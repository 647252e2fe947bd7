from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import pearsonr
from scipy.stats.contingency import association

from audit.utility.associations import Associations, Correlations, cramers_v
from audit.utility.pair import Pair
from audit.utility.records import Records, of_frame
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, NUMERIC, coded, records


def table_of(records: Records, first: str, second: str) -> np.ndarray:
    """The contingency table without empty rows and columns."""
    return pd.crosstab(records.column(first), records.column(second)).to_numpy()


def slow_v(table: np.ndarray, corrected: bool) -> float:
    """Bergsma (2013), equations of section 3, cell by cell."""
    n = table.sum()
    r, c = table.shape
    chi = 0.0
    for i, j in itertools.product(range(r), range(c)):
        expected = table[i].sum() * table[:, j].sum() / n
        chi += (table[i, j] - expected) ** 2 / expected
    phi = chi / n
    if not corrected:
        return math.sqrt(phi / min(r - 1, c - 1))
    phi = max(0.0, phi - (r - 1) * (c - 1) / (n - 1))
    return math.sqrt(phi / min(r - (r - 1) ** 2 / (n - 1) - 1, c - (c - 1) ** 2 / (n - 1) - 1))


def slow_association(records: Records, first: str, second: str, corrected: bool) -> float:
    if first in NUMERIC and second in NUMERIC:
        x, y = records.numbers(first), records.numbers(second)
        both = ~np.isnan(x) & ~np.isnan(y)
        return float(pearsonr(x[both], y[both])[0])
    return slow_v(table_of(records, first, second), corrected)


@pytest.mark.parametrize("corrected", [True, False])
@pytest.mark.parametrize("sizes", [(300, 300), (120, 500)])
def test_it_is_its_definition_on_mixed_tables(corrected: bool, sizes: tuple[int, int]) -> None:
    real, synthetic = records(1, sizes[0]), records(2, sizes[1], shift=0.3)
    score = Associations(correction=corrected)(real, synthetic, MIXED)
    breakdown = score.breakdown("pairs")
    assert breakdown is not None
    assert {row[:2] for row in breakdown.rows} == set(itertools.combinations(MIXED.names, 2))
    for first, second, here, there, apart, measure in breakdown.rows:
        assert here == pytest.approx(slow_association(real, str(first), str(second), corrected))
        assert there == pytest.approx(
            slow_association(synthetic, str(first), str(second), corrected)
        )
        assert apart == pytest.approx(abs(here - there))
        assert (measure == "Pearson") == (first in NUMERIC and second in NUMERIC)
    apart = [row[4] for row in breakdown.rows]
    assert score.value == pytest.approx(sum(apart) / len(apart))
    assert apart == sorted(apart, reverse=True)


def test_the_plain_value_is_that_of_scipy() -> None:
    pair = Pair.of(records(1, 200), records(2, 100), MIXED)
    for names in itertools.combinations(("colour", "sex", "type"), 2):
        found = cramers_v(pair.marginal(names), corrected=False)
        expected = [association(table_of(t, *names), method="cramer") for t in pair.tables]
        assert found == pytest.approx(expected)


def test_hand_computed_values() -> None:
    # A perfect association of two binary attributes, and none.
    real = coded((2, 2), [(0, 0)] * 5 + [(1, 1)] * 5)
    synthetic = coded((2, 2), [(0, 0), (0, 1), (1, 0), (1, 1)])
    score = Associations(correction=False)(real, synthetic, real.domain)
    assert score.value == pytest.approx(1.0)
    # With the correction: φ² = 1 - 1/9, rows and columns 2 - 1/9 each, so V² = (8/9)/(8/9).
    assert Associations()(real, synthetic, real.domain).value == pytest.approx(1.0)


def test_the_correction_takes_away_what_chance_makes() -> None:
    # 400 records of independent columns of 8 values: V is about sqrt(7/400) = 0.13, since φ²
    # is about 49/400. χ² has 49 degrees of freedom; by the bound of Laurent and Massart it lies
    # below 49 + 2·sqrt(49·22) + 44 = 159 with probability above 1 - 3e-10: φ̃² < 0.28.
    random = np.random.default_rng(7)
    rows = [tuple(row) for row in random.integers(8, size=(400, 2)).tolist()]
    pair = Pair.of(coded((8, 8), rows), coded((8, 8), rows), coded((8, 8), rows).domain)
    plain = cramers_v(pair.marginal(("a0", "a1")), corrected=False)[0]
    less = cramers_v(pair.marginal(("a0", "a1")), corrected=True)[0]
    assert plain is not None and less is not None
    assert less < plain and less < 0.2


def test_a_constant_real_column_is_left_out_and_a_constant_synthetic_one_shows_nothing() -> None:
    domain = Domain("d", tuple(Attribute(n, ("0", "1"), ordinal=n == "z") for n in "xyz"))
    real = Records(domain, np.array([[0, 0, 0], [1, 1, 0], [0, 0, 0], [1, 1, 0]]))
    synthetic = Records(domain, np.array([[0, 0, 0], [0, 1, 1], [0, 0, 0]]))
    score = Associations(correction=False)(real, synthetic, domain)
    breakdown = score.breakdown("pairs")
    assert breakdown is not None
    # x and y hang together in the real table alone; z is constant there.
    assert breakdown.rows[0] == ("x", "y", 1.0, None, 1.0, "Cramér's V")
    assert {row[:3] for row in breakdown.rows[1:]} == {("x", "z", None), ("y", "z", None)}
    assert score.value == 1.0
    assert any("2 of 3 pairs have no real association" in text for text in score.stated)
    assert any("1 have none in the synthetic table alone" in text for text in score.stated)


def test_without_any_real_association_it_is_undefined() -> None:
    real = coded((2, 2), [(0, 0), (0, 0)])
    score = Associations()(real, coded((2, 2), [(0, 1), (1, 0)]), real.domain)
    assert score.value is None
    assert score.undefined == "no pair of attributes has a real association"


pairs = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(-3, 3)), st.one_of(st.none(), st.integers(-3, 3))),
    min_size=1,
    max_size=20,
)


@given(pairs, st.sampled_from([1.0, 1e-200, 1e98]))
def test_correlations_leave_out_gaps_and_keep_any_scale(
    rows: list[tuple[int | None, int | None]], scale: float
) -> None:
    domain = Domain(
        "d",
        tuple(Attribute.binned(n, [-(10**100), 10**100], missing=True) for n in ("x", "y")),
    )
    numbers = np.array([[math.nan if v is None else v * scale for v in row] for row in rows])
    table = Records(
        domain,
        np.zeros((len(rows), 2), dtype=np.int64),
        {"x": numbers[:, 0], "y": numbers[:, 1]},
    )
    found = Correlations(table, ("x", "y"))("x", "y")
    kept = [(x, y) for x, y in rows if x is not None and y is not None]
    if len({x for x, _ in kept}) < 2 or len({y for _, y in kept}) < 2:
        assert found is None
    else:
        expected = pearsonr(*np.array(kept, dtype=float).T)[0]
        assert found == pytest.approx(expected, abs=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), min_size=2, max_size=30),
    st.booleans(),
)
def test_the_value_ignores_labels_and_order(rows: list[tuple[int, int]], corrected: bool) -> None:
    other = [((a + 1) % 3, 3 - b) for a, b in rows[::-1]]
    here = coded((3, 4), rows)
    pair = Pair.of(here, coded((3, 4), other), here.domain)
    found = cramers_v(pair.marginal(("a0", "a1")), corrected=corrected)
    assume(found[0] is not None)
    assert found[0] == pytest.approx(found[1])
    assert 0 <= found[0] <= 1


def test_a_table_against_itself_has_no_difference() -> None:
    real = records(1, 150)
    assert Associations()(real, real, MIXED).value == 0


def test_attributes_may_be_named_as_numbers_or_not() -> None:
    real, synthetic = records(1, 100), records(2, 100)
    breakdown = Associations(numeric=())(real, synthetic, MIXED).breakdown("pairs")
    assert breakdown is not None
    assert {row[5] for row in breakdown.rows} == {"Cramér's V"}
    breakdown = Associations(numeric=("sex", "age"))(real, synthetic, MIXED).breakdown("pairs")
    assert breakdown is not None
    assert [row[:2] for row in breakdown.rows if row[5] == "Pearson"] == [("sex", "age")]


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="needs two attributes"):
        Associations().check(Domain("one", (Attribute("x", ("0", "1")),)))
    with pytest.raises(InputError, match="must be numbers"):
        Associations(numeric=("colour",)).check(MIXED)


def test_numbers_behind_bins_count_and_not_their_middles() -> None:
    domain = Domain("d", (Attribute.binned("x", [0, 10]), Attribute.binned("y", [0, 10])))
    frame = pd.DataFrame({"x": ["1", "2", "3"], "y": ["2", "4", "6"]})
    table = of_frame(frame, domain)
    assert Correlations(table, ("x", "y"))("x", "y") == pytest.approx(1.0)
