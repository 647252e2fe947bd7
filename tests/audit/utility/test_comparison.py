from __future__ import annotations

import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from audit.utility.associations import Associations
from audit.utility.comparison import compare, margin_of_draws, quantile
from audit.utility.propensity.logistic import LogisticPMSE
from audit.utility.score import Score, standard_error
from synthesizers.errors import InputError
from tests.audit.utility.made_scores import made, of_draws
from tests.audit.utility.mixed_tables import MIXED, records

INF = math.inf


def test_the_confidence_is_95_percent_two_sided() -> None:
    assert 2 * norm.sf(quantile(INF)) == pytest.approx(0.05, abs=1e-12)


def test_few_values_widen_the_margin_as_in_tables_of_students_law() -> None:
    # Fisher & Yates' table, P = 0.05: 12.706, 2.776 and 2.262 for 1, 4 and 9 degrees of freedom.
    assert [round(quantile(values), 3) for values in (2, 5, 10)] == [12.706, 2.776, 2.262]
    assert margin_of_draws(of_draws([1.0, 2.0, 3.0, 4.0, 5.0], 2.0)) == 2 * quantile(5)
    assert margin_of_draws(made(3.0, standard_error=2.0)) == 2 * quantile(INF)
    assert margin_of_draws(made(3.0)) == 0


@pytest.mark.parametrize(("direction", "outcome"), [("lower", 1), ("higher", -1)])
def test_the_direction_says_which_value_is_better(direction: str, outcome: int) -> None:
    few, many = made(1.0, direction=direction), made(2.0, direction=direction)
    assert compare(few, many).outcome == outcome
    assert compare(many, few).outcome == -outcome


def test_values_without_draws_tie_where_they_are_equal_but_for_rounding() -> None:
    assert compare(made(0.1 + 0.2), made(0.3)).outcome == 0
    assert compare(made(0.3000001), made(0.3)).outcome == -1
    # What rounding leaves of a perfect value, in the range of the metric.
    assert compare(made(0.0, highest=1.0), made(1e-13, highest=1.0)).outcome == 0
    assert compare(made(0.0, highest=1.0), made(1e-11, highest=1.0)).outcome == 1
    assert compare(made(0.0), made(1e-10)).outcome == 0
    assert compare(made(0.0, highest=INF), made(1e-29, highest=INF)).outcome == 0
    assert compare(made(0.0, highest=INF), made(1e-11, highest=INF)).outcome == 1


def test_two_copies_of_the_real_table_tie_whatever_the_order_of_their_rows() -> None:
    real = records(1, 200)
    shuffled = real.take(np.random.default_rng(2).permutation(200))
    for metric in (Associations(), LogisticPMSE()):
        scores = [metric(real, copy, MIXED) for copy in (real, shuffled)]
        assert scores[0].value != scores[1].value
        assert compare(*scores).outcome == 0


def test_exact_values_tie_where_the_fractions_are_equal() -> None:
    third = Fraction(1, 3)
    near = made(float(third), exact=third + Fraction(1, 10**30))
    assert compare(made(float(third), exact=third), near).outcome == 1
    assert compare(made(1 / 3, exact=third), made(1 / 3, exact=third)).outcome == 0


def test_infinite_values_tie_with_each_other_and_lose_to_finite_ones() -> None:
    infinite = made(INF, highest=INF)
    assert compare(infinite, made(INF, highest=INF)).outcome == 0
    assert compare(infinite, made(900.0, highest=INF)).outcome == -1


def test_draws_are_compared_pair_by_pair() -> None:
    # Differences 4, 4, 4, 8: mean 5, standard deviation 2, standard error 1; 5 > 3.18.
    first = of_draws([13.0, 203.0, 503.0, 908.0], 200.0)
    second = of_draws([9.0, 199.0, 499.0, 900.0], 200.0)
    found = compare(first, second)
    assert (found.basis, found.outcome) == ("paired draws", -1)
    assert (found.difference, found.margin) == pytest.approx((5.0, quantile(4)))
    # Differences 1, 1, 1, 5: mean 2, standard error 1; 2 < 3.18.
    wider = of_draws([10.0, 200.0, 500.0, 905.0], 200.0)
    assert compare(wider, second).outcome == 0
    # The same values on other draws: the draws' own spread drowns the difference.
    moved = of_draws([9.0, 199.0, 499.0, 900.0], 200.0, drawn=(4, 5, 6, 7))
    assert compare(first, moved).basis == "standard errors"
    assert compare(first, moved).outcome == 0


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), min_size=2, max_size=8),
)
def test_paired_differences_are_those_of_the_plain_definition(pairs: list[tuple[int, int]]) -> None:
    both = [[float(pair[side]) for pair in pairs] for side in (0, 1)]
    errors = [standard_error(tuple(parts)) for parts in both]
    first, second = (of_draws(parts, error) for parts, error in zip(both, errors, strict=True))
    differences = [a - b for a, b in pairs]
    mean = statistics.mean(differences)
    error = statistics.stdev(differences) / math.sqrt(len(differences))
    found = compare(first, second)
    margin = quantile(len(pairs)) * error
    if abs(abs(mean) - margin) > 1e-9:
        assert (found.outcome == 0) == (abs(mean) < margin or mean == 0)
        assert found.outcome * mean <= 0
    assert found.difference == pytest.approx(mean)
    assert compare(second, first) == found.turned()


def test_where_all_draws_there_are_were_taken_nothing_is_left_to_chance() -> None:
    first, second = of_draws([1.0, 2.0, 9.0], 0.0), of_draws([1.5, 2.5, 8.1], 0.0)
    found = compare(first, second)
    assert (found.basis, found.margin, found.outcome) == ("paired draws", 0.0, 1)
    assert compare(first, of_draws([2.0, 9.0, 1.0], 0.0)).outcome == 0


def test_draws_from_a_small_number_leave_a_part_to_chance() -> None:
    parts = ([1.0, 4.0, 9.0, 2.0], [3.0, 4.5, 9.5, 2.0])
    usual = [standard_error(tuple(p)) or 0.0 for p in parts]
    first, second = (of_draws(p, 0.6 * error) for p, error in zip(parts, usual, strict=True))
    differences = tuple(a - b for a, b in zip(*parts, strict=True))
    assert compare(first, second).margin == pytest.approx(
        0.6 * quantile(4) * (standard_error(differences) or 0.0)
    )


@pytest.mark.parametrize(
    "second",
    [
        of_draws([1.0, 2.0], None),
        of_draws([1.0, 2.0, 3.0], 0.1),
        of_draws([1.0, 2.0], 0.1, drawn=(1, 0)),
        made(1.5, drawn=(0, 1), standard_error=0.1),
        made(INF, highest=INF, drawn=(0, 1), parts=(1.0, INF), standard_error=0.1),
        made(1.5, standard_error=0.1),
    ],
)
def test_draws_that_do_not_pair_are_not_paired(second: Score) -> None:
    first = of_draws([4.0, 1.0], 0.1)
    for found in (compare(first, second), compare(second, first)):
        assert found.basis == "standard errors"


def test_standard_errors_add_as_squares() -> None:
    first, second = made(10.0, standard_error=3.0), made(20.0, standard_error=4.0)
    found = compare(first, second)
    assert (found.outcome, found.margin) == (1, pytest.approx(5 * quantile(INF)))
    assert compare(first, made(19.7, standard_error=4.0)).outcome == 0
    assert compare(made(10.0), made(20.0, standard_error=4.0)).margin == pytest.approx(
        4 * quantile(INF)
    )


def test_replicates_tell_the_spread_where_they_tell_more() -> None:
    spread = statistics.stdev([5.0, 1.0, 9.0])
    margin = pytest.approx(quantile(3) * spread)
    assert compare(made(5.0, replicates=(1.0, 9.0)), made(6.0)).margin == margin
    both = made(5.0, replicates=(1.0, 9.0), standard_error=0.1)
    assert compare(both, made(6.0)).margin == margin
    more = made(5.0, replicates=(4.9, 5.1), standard_error=3.0)
    assert compare(more, made(6.0)).margin == pytest.approx(3 * quantile(INF))
    assert compare(made(5.0, replicates=(INF,), highest=INF), made(6.0)).basis == "values"


def test_brackets_tie_where_they_meet() -> None:
    wide = made(5.0, bracket=(Fraction(3), Fraction(5)))
    assert compare(wide, made(4.0)).outcome == 0
    assert compare(wide, made(6.0)).outcome == 1
    assert compare(made(2.0), wide).outcome == 1
    assert compare(wide, made(9.0, bracket=(Fraction(5), Fraction(9)))).outcome == 0
    assert compare(wide, made(9.0, bracket=(Fraction(51, 10), Fraction(9)))).outcome == 1
    assert compare(wide, made(6.0, standard_error=1.0)).outcome == 0


def test_an_undefined_score_is_not_compared() -> None:
    with pytest.raises(InputError, match="undefined"):
        compare(made(None), made(1.0))


def test_equal_files_are_told_apart_in_about_five_percent_of_comparisons() -> None:
    """2000 comparisons of like files of 200 paired normal draws.

    Each tells them apart with probability 0.05 exactly, as the differences are normal. Fewer
    than 40 or more than 165 then do so with probability below 1e-9 (both binomial tails).
    """
    random = np.random.default_rng(0)
    apart = 0
    for _ in range(2000):
        shared = random.normal(500, 100, 200)
        parts = [shared + random.normal(0, 5, 200) for _ in range(2)]
        errors = [float(p.std(ddof=1)) / math.sqrt(200) for p in parts]
        both = [of_draws(p.tolist(), e) for p, e in zip(parts, errors, strict=True)]
        apart += abs(compare(*both).outcome)
    assert 40 <= apart <= 165
