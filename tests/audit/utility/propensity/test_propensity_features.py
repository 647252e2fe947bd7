from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from audit.utility.pair import Pair
from audit.utility.propensity.features import (
    parameters,
    regression_features,
    shares,
    tree_features,
)
from audit.utility.records import of_frame
from synthesizers.domain import Attribute, Domain
from tests.audit.utility.propensity import slow_propensity as slow

WAGES = Domain(
    "wages",
    (
        Attribute.binned("wage", [0, 10, 1000], missing=True),
        Attribute("rank", ("10", "2", "3"), ordinal=True),
        Attribute("town", ("7", "8", "9"), missing=True),
    ),
)


def table(wages, ranks, towns, outside="refuse"):
    frame = pd.DataFrame({"wage": wages, "rank": ranks, "town": towns}, dtype=str)
    return of_frame(frame, WAGES, outside)


REAL = table(["5.5", "", "900"], ["10", "2", "2"], ["7", "8", "8"])
SYNTHETIC = table(["5.5", "7", ""], ["3", "3", "10"], ["9", "", "8"])


def test_a_tree_sees_ranks_of_numbers_an_indicator_and_codes():
    features = tree_features((REAL, SYNTHETIC))
    assert features.owners == ("wage", "wage", "rank", "town")
    # Numbers with 0 for missing: 5.5 0 900 5.5 7 0.
    assert features.matrix[:, 0].tolist() == [1, 0, 3, 1, 2, 0]
    assert features.matrix[:, 1].tolist() == [0, 1, 0, 0, 0, 1]
    # An ordinal attribute is compared by its numbers 10 2 2 3 3 10, not by its codes.
    assert features.matrix[:, 2].tolist() == [2, 0, 0, 1, 1, 2]
    assert features.matrix[:, 3].tolist() == [0, 1, 1, 2, 3, 1]
    assert features.matrix.dtype == np.float32


def test_a_regression_sees_numbers_and_a_column_a_further_level():
    features = regression_features((REAL, SYNTHETIC), False)
    assert features.owners == ("wage", "wage", "rank", "town", "town", "town")
    wages = np.array([5.5, 0, 900, 5.5, 7, 0])
    assert features.matrix[:, 0] == pytest.approx((wages - wages.mean()) / wages.std())
    assert features.matrix[:, 1].tolist() == [0, 1, 0, 0, 0, 1]
    towns = [[0, 0, 0], [1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
    assert features.matrix[:, 3:].tolist() == towns
    assert parameters((REAL, SYNTHETIC), False) == 7


def test_interactions_are_the_products_of_columns_of_two_attributes():
    plain = regression_features((REAL, SYNTHETIC), False).matrix
    features = regression_features((REAL, SYNTHETIC), True)
    assert parameters((REAL, SYNTHETIC), True) == 7 + 2 * 1 + 2 * 3 + 1 * 3
    assert features.matrix.shape == (6, 17)
    assert features.owners[6:8] == ("wage × rank",) * 2
    assert features.owners[8:14] == ("wage × town",) * 6
    assert (features.matrix[:, :6] == plain).all()
    assert (features.matrix[:, 6] == plain[:, 0] * plain[:, 2]).all()
    assert (features.matrix[:, 16] == plain[:, 2] * plain[:, 5]).all()


@pytest.mark.parametrize("interactions", [False, True])
def test_the_columns_span_all_indicators_of_levels(interactions):
    pair = slow.random_pair("3x2x4", (40, 60), seed=0)
    ours = regression_features(pair.tables, interactions).matrix
    ours = np.column_stack([np.ones(100), ours])
    plain = slow.one_hot(pair, interactions)
    ranks = [np.linalg.matrix_rank(m) for m in (ours, plain, np.column_stack([ours, plain]))]
    assert len(set(ranks)) == 1


def test_where_one_table_names_bins_alone_middles_stand_on_both_sides():
    named = table(["[0, 10)", "[10, 1000]", ""], ["10", "2", "2"], ["7", "8", "8"])
    features = tree_features((named, SYNTHETIC))
    # 5, 505, missing; 5.5 and 7 are in the bin of 5.
    assert features.matrix[:, 0].tolist() == [1, 2, 0, 1, 1, 0]


def test_values_outside_the_domain_are_a_level_or_have_an_indicator():
    foreign = table(["5.5", "no", ""], ["10", "17", "2"], ["7", "99", ""], outside="cell")
    features = tree_features((REAL, foreign))
    assert features.owners == ("wage", "wage", "wage", "rank", "rank", "town")
    assert features.matrix[:, 1].tolist() == [0, 1, 0, 0, 0, 1]
    assert features.matrix[:, 2].tolist() == [0, 0, 0, 0, 1, 0]
    assert features.matrix[:, 4].tolist() == [0, 0, 0, 0, 1, 0]
    assert features.matrix[:, 5].tolist() == [0, 1, 1, 0, 4, 3]


def test_huge_numbers_stay_finite():
    wide = Domain("wide", (Attribute.binned("x", [-(10**99), 0, 10**99]),))
    tables = [
        of_frame(pd.DataFrame({"x": values}, dtype=str), wide)
        for values in (["-9e98", "1"], ["9e98", "2"])
    ]
    assert np.isfinite(regression_features((tables[0], tables[1]), False).matrix).all()
    assert tree_features((tables[0], tables[1])).matrix[:, 0].tolist() == [0, 1, 3, 2]


def test_constant_attributes_take_no_parameter_of_a_factor():
    pair = Pair.of(REAL.take(np.array([1, 2])), REAL.take(np.array([1])), WAGES)
    assert "town" not in regression_features(pair.tables, False).owners


def test_shares_add_up_by_owner():
    assert shares(("a", "b", "a"), [1.0, 2.0, 5.0]) == {"a": 0.75, "b": 0.25}
    assert shares(("a", "b"), [0.0, 0.0]) == {"a": 0.0, "b": 0.0}
