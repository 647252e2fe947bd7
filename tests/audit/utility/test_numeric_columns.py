from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from audit.utility.numeric_columns import (
    equal_width_groups,
    midpoints_note,
    numeric_names,
    quantile_groups,
    regroup,
)
from audit.utility.pair import Pair
from audit.utility.records import of_dataset, of_frame
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, frame, records


def r_quantile(ascending: list[float], share: float) -> float:
    """R's ``quantile`` of type 7, one at a time, in doubles."""
    place = 1 + (len(ascending) - 1) * share
    low, high = ascending[math.floor(place) - 1], ascending[math.ceil(place) - 1]
    part = place - math.floor(place)
    return low if part == 0 or low == high else (1 - part) * low + part * high


def slow_quantile_groups(real: list[float], synthetic: list[float], groups: int) -> list[list[int]]:
    """Left-closed intervals between distinct quantiles, the last closed; -1 for NaN."""
    pooled = sorted(x for x in [*real, *synthetic] if not math.isnan(x))
    distinct = sorted(set(pooled))
    if len(distinct) <= groups:
        return [
            [distinct.index(x) if x in distinct else -1 for x in xs] for xs in (real, synthetic)
        ]
    breaks = sorted({pooled[-1], *(r_quantile(pooled, k * (1 / groups)) for k in range(groups))})

    def group(x: float) -> int:
        if math.isnan(x):
            return -1
        inside = [k for k in range(len(breaks) - 1) if breaks[k] <= x < breaks[k + 1]]
        return inside[0] if inside else len(breaks) - 2

    return [[group(x) for x in xs] for xs in (real, synthetic)]


numbers = st.lists(
    st.one_of(st.integers(-5, 5).map(float), st.integers(-40, 40).map(lambda k: k / 8)),
    min_size=1,
    max_size=40,
)


# 3 · 0.2 is not 0.6 in doubles, and a cut lies beside the number: as it does in R.
@example([4.0], [0.0] * 6 + [1.0, -1.0, 2.0, 3.0], 5)
@given(numbers, numbers, st.integers(2, 6))
def test_quantile_groups_are_those_of_r(
    real: list[float], synthetic: list[float], groups: int
) -> None:
    found = quantile_groups(np.array(real), np.array(synthetic), groups)
    expected = slow_quantile_groups(real, synthetic, groups)
    assert [found[0].tolist(), found[1].tolist()] == expected
    assert max(found[0].max(), found[1].max()) < len(found[2])


def test_quantile_groups_of_columns_at_the_edge() -> None:
    nan = math.nan
    here, there, labels = quantile_groups(np.array([nan, 3.0]), np.array([3.0, nan]), 5)
    assert (here.tolist(), there.tolist(), labels) == ([-1, 0], [0, -1], ("any number",))
    here, there, labels = quantile_groups(np.array([nan]), np.array([nan]), 5)
    assert (here.tolist(), there.tolist()) == ([-1], [-1])
    # One value of most records: the quantiles 0 and 0.2 … 0.8 coincide.
    here, there, labels = quantile_groups(np.array([0.0] * 95 + [1, 2, 3, 4, 5.0]), np.zeros(9), 5)
    assert len(labels) == 1
    assert labels == ("any number",)


def test_equal_width_groups_are_of_the_real_numbers_with_open_ends() -> None:
    here, there, labels = equal_width_groups(
        np.array([0.0, 10.0, 4.0, math.nan]), np.array([-7.0, 99.0, 5.0]), 10
    )
    assert here.tolist() == [0, 9, 4, -1]
    assert there.tolist() == [0, 9, 5]
    assert labels[0] == "below 1" and labels[-1] == "9 or more" and len(labels) == 10


def test_numeric_attributes_are_binned_or_ordinal_numbers_unless_named() -> None:
    assert numeric_names(MIXED) == ("rooms", "wage", "age")
    assert numeric_names(MIXED, ()) == ()
    assert numeric_names(MIXED, ("age", "sex")) == ("sex", "age")
    with pytest.raises(InputError, match="its values must be numbers"):
        numeric_names(MIXED, ("colour",))
    with pytest.raises(InputError, match="no attribute 'town'"):
        numeric_names(MIXED, ("town",))


def test_regrouping_keeps_missing_values_and_values_outside_the_domain_apart() -> None:
    domain = Domain(
        "d",
        (
            Attribute("x", ("1", "2", "3"), ordinal=True, missing=True),
            Attribute("y", ("a", "b")),
        ),
    )
    rows = {"x": ["1", "3", "", "7"], "y": ["a", "b", "a", "b"]}
    table = of_frame(pd.DataFrame(rows), domain, "cell")
    pair = regroup(Pair.of(table, table, domain), ["x"], lambda a, b: quantile_groups(a, b, 5))
    # Two groups, "1" and "3"; then the missing value, then the one outside.
    assert pair.tables[0].column("x").tolist() == [0, 1, 2, 3]
    assert pair.tables[0].column("y").tolist() == [0, 1, 0, 1]
    assert pair.marginal(("x", "y")).real.tolist() == [1, 1, 1, 1]
    assert pair.domain.attribute("x").labels == ("below 3", "3 or more", "")


def test_regrouping_leaves_the_counts_of_other_attributes_alone() -> None:
    pair = Pair.of(records(1, 50), records(2, 70), MIXED)
    other = regroup(pair, ["age", "wage"], lambda a, b: quantile_groups(a, b, 3))
    for names in (("sex",), ("colour", "type")):
        before, after = pair.marginal(names), other.marginal(names)
        assert before.real.tolist() == after.real.tolist()
        assert before.synthetic.tolist() == after.synthetic.tolist()


def test_middles_of_bins_are_told() -> None:
    exact = of_frame(frame(1, 20), MIXED)
    dataset = of_dataset(Dataset(MIXED, exact.codes))
    assert midpoints_note(Pair.of(exact, exact, MIXED), ["age", "rooms"]) == ()
    (said,) = midpoints_note(Pair.of(exact, dataset, MIXED), ["age", "rooms"])
    assert said == "the middle of its bin stands for a number of age"
    (every,) = midpoints_note(Pair.of(dataset, exact, MIXED))
    assert every == "the middle of its bin stands for a number of wage, age"
