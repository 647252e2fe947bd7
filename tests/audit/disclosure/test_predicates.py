from __future__ import annotations

import numpy as np

from audit.disclosure.predicates import (
    HIGHEST,
    LOWEST,
    Condition,
    at_random,
    count_isolating,
    count_matches,
    of_one_column,
    of_record,
)
from audit.disclosure.tables import NOWHERE

VALUES = np.array(
    [[0, 5.0, 1], [0, 7.0, 1], [1, 7.0, 2], [2, 9.0, NOWHERE], [0, 8.0, 2]], dtype=np.float64
)
ORDERED = [False, True, True]


def test_those_of_one_column_are_values_that_occur_once_and_the_ends() -> None:
    found = {predicate[0] for predicate in of_one_column(VALUES, ORDERED)}
    assert found == {
        Condition(0, 1, 1),
        Condition(0, 2, 2),
        Condition(1, LOWEST, 5),
        Condition(1, 8, 8),
        Condition(1, 9, HIGHEST),
        Condition(2, NOWHERE, NOWHERE),
    }
    assert all(count_matches((one,), VALUES) == 1 for one in found)


def test_those_of_a_record_look_away_from_the_median() -> None:
    middles = np.array([0, 7.0, 1.5])
    columns = np.array([0, 1, 2])
    assert of_record(VALUES[4], columns, ORDERED, middles) == (
        Condition(0, 0, 0),
        Condition(1, 8, HIGHEST),
        Condition(2, 2, HIGHEST),
    )
    # Below the median a missing value is no number.
    low = of_record(VALUES[0], columns[2:], ORDERED, middles)
    assert low == (Condition(2, LOWEST, 1),) and count_matches(low, VALUES) == 2
    gone = of_record(VALUES[3], columns[2:], ORDERED, middles)
    assert count_matches(gone, VALUES) == 1


def test_a_predicate_isolates_if_exactly_one_record_satisfies_it() -> None:
    one = (Condition(0, 0, 0), Condition(1, 8, HIGHEST))
    two, none = (Condition(0, 0, 0), Condition(1, 7, HIGHEST)), (Condition(0, 3, 3),)
    assert [count_matches(each, VALUES) for each in (one, two, none)] == [1, 2, 0]
    assert count_isolating([one, two, none, one], VALUES) == 2


def test_random_ones_use_values_that_there_are() -> None:
    random = np.random.default_rng(0)
    held = [np.unique(column) for column in VALUES.T]
    made = [at_random(held, np.array([0, 1]), ORDERED, random) for _ in range(100)]
    assert {one[0].low for one in made} == {0, 1, 2}
    assert {(one[1].low == LOWEST, one[1].high == HIGHEST) for one in made} == {
        (False, False),
        (True, False),
        (False, True),
    }
