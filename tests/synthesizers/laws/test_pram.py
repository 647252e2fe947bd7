"""PRAM against every vector of answers, and its cost against the exhaustive loss."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import UNBOUNDED
from synthesizers.errors import InputError, TooLargeError
from synthesizers.exact import ExpRational
from synthesizers.intervals import log_interval
from synthesizers.laws.pram import MAX_VALUES, PostRandomisation, Weights, read_matrix, retaining
from synthesizers.laws.responses import MAX_RECORDS, RandomizedResponse
from synthesizers.neighbours import AddRemove, ReplaceOne, databases
from synthesizers.randomness import InsecureSeededEntropy
from tests.synthesizers.brute_force import RELATIONS
from tests.synthesizers.slow_tables import (
    Law,
    by_records,
    far,
    largest_ratio,
    law_of,
    require_law,
)
from tests.synthesizers.tables_on_disk import written

UNEVEN = ((3, 1, 2), (0, 6, 0), (1, 1, 4))
POSITIVE = ((3, 1, 2), (1, 4, 1), (1, 1, 4))
FLIP = retaining(Fraction(3, 4), 2)


def slow(counts: tuple[int, ...], weights: Weights, before: int, after: int) -> Law:
    """Every record's cell taken apart into (before, value, after), and put together again."""

    def answer(cell: int, to: int) -> Fraction:
        place = np.unravel_index([cell, to], (before, len(weights), after))
        (b, b2), (value, other), (a, a2) = (axis.tolist() for axis in place)
        stays = (b, a) == (b2, a2)
        return Fraction(weights[value][other], sum(weights[value])) * stays

    return by_records(counts, answer)


CASES: list[tuple[Weights, int, int, tuple[int, ...]]] = [
    (((1,),), 1, 1, (3,)),
    (((1,),), 2, 1, (3, 1)),
    (FLIP, 1, 1, (0, 0)),
    (FLIP, 1, 1, (2, 3)),
    (FLIP, 2, 1, (2, 0, 1, 1)),
    (FLIP, 1, 2, (2, 0, 1, 1)),
    (FLIP, 1, 3, (1, 0, 2, 1, 0, 0)),
    (FLIP, 2, 2, (1, 0, 0, 1, 0, 2, 0, 0)),
    (POSITIVE, 1, 1, (1, 2, 1)),
    (UNEVEN, 1, 1, (2, 1, 1)),
    (UNEVEN, 2, 1, (1, 0, 1, 0, 1, 1)),
    (UNEVEN, 1, 2, (1, 0, 1, 0, 1, 1)),
    (retaining(Fraction(1, 5), 4), 1, 1, (1, 0, 2, 1)),
]


@pytest.mark.parametrize(("weights", "before", "after", "counts"), CASES)
def test_law_against_every_vector_of_answers(
    weights: Weights, before: int, after: int, counts: tuple[int, ...]
) -> None:
    law = PostRandomisation(weights, before, after)
    assert law_of(law, counts) == slow(counts, weights, before, after)


@pytest.mark.parametrize(("weights", "before", "after"), [
    (FLIP, 1, 1), (FLIP, 2, 1), (FLIP, 1, 2), (POSITIVE, 1, 1), (UNEVEN, 1, 1),
    (retaining(Fraction(1), 2), 1, 1), (retaining(Fraction(0), 3), 1, 1), (((1,),), 1, 1),
])  # fmt: skip
@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
def test_it_is_a_law(neighbours: Any, size: int, weights: Weights, before: int, after: int) -> None:
    cells = len(weights) * before * after
    require_law(PostRandomisation(weights, before, after), neighbours, cells, size)


@pytest.mark.parametrize("cells", [1, 2, 3])
def test_randomized_response_is_the_case_of_even_odds(cells: int) -> None:
    """At ε where e^ε stands for the number 5: the exponential sums evaluated at 5."""
    response = RandomizedResponse(Fraction(1))
    law = PostRandomisation(retaining(Fraction(5, 4 + cells), cells))

    def at_five(terms: dict[Fraction, Fraction]) -> Fraction:
        return sum((c * Fraction(5) ** int(power) for power, c in terms.items()), Fraction(0))

    for counts in databases(ReplaceOne(), cells, 3).tolist():
        found = law_of(law, counts)
        for outcome in response.outcomes(np.array([counts])):
            chance = response.chance(tuple(counts), outcome)
            if isinstance(chance, ExpRational):
                chance = at_five(chance.numerator) / at_five(chance.denominator)
            assert chance == found[outcome]


@pytest.mark.parametrize("retain", [Fraction(3, 4), Fraction(1, 3), Fraction(1, 10)])
@pytest.mark.parametrize("cells", [2, 3])
@pytest.mark.parametrize("size", [1, 3])
def test_keeping_with_a_chance_costs_the_log_of_its_odds(
    retain: Fraction, cells: int, size: int
) -> None:
    odds = retain * (cells - 1) / (1 - retain)
    ratio = max(odds, 1 / odds)
    law = PostRandomisation(retaining(retain, cells))
    assert largest_ratio(law, ReplaceOne(), cells, size) == ratio
    epsilon = law.cost(ReplaceOne()).epsilon
    assert epsilon is not None
    exact = log_interval(ratio)
    assert exact.lower <= epsilon and epsilon - exact.upper < Fraction(1, 2**60)
    assert round(float(epsilon), 6) == round(math.log(ratio), 6)


@pytest.mark.parametrize("size", [1, 2])
def test_the_largest_ratio_within_a_column_is_the_cost(size: int) -> None:
    law = PostRandomisation(POSITIVE)
    # Columns (3, 1, 1), (1, 4, 1), (2, 1, 4) over rows that sum to 6.
    assert largest_ratio(law, ReplaceOne(), 3, size) == 4
    epsilon = law.cost(ReplaceOne()).epsilon
    assert epsilon is not None and 0 <= epsilon - log_interval(Fraction(4)).upper < Fraction(1, 10)


def test_an_outcome_that_is_never_shown_costs_nothing() -> None:
    law = PostRandomisation(((2, 1, 0), (1, 2, 0), (1, 2, 0)))
    assert largest_ratio(law, ReplaceOne(), 3, 2) == 2
    epsilon = law.cost(ReplaceOne()).epsilon
    assert epsilon is not None and abs(epsilon - log_interval(Fraction(2)).upper) < Fraction(1, 10)


@pytest.mark.parametrize(("weights", "before", "after"), [
    (UNEVEN, 1, 1), (FLIP, 2, 1), (FLIP, 1, 2), (retaining(Fraction(1), 2), 1, 1),
    (retaining(Fraction(0), 3), 1, 1),
])  # fmt: skip
def test_what_has_no_finite_bound_says_so(weights: Weights, before: int, after: int) -> None:
    law = PostRandomisation(weights, before, after)
    assert {law.cost(neighbours) for neighbours in RELATIONS} == {UNBOUNDED}
    assert largest_ratio(law, ReplaceOne(), len(weights) * before * after, 2) is None


def test_a_private_number_of_records_shows() -> None:
    law = PostRandomisation(FLIP)
    finite = {n: law.cost(n).epsilon is not None for n in RELATIONS}
    assert finite == {neighbours: neighbours == ReplaceOne() for neighbours in RELATIONS}
    assert largest_ratio(law, AddRemove(), 2, 1) is None


def test_a_single_value_is_kept_and_costs_nothing() -> None:
    law = PostRandomisation(retaining(Fraction(1, 3), 1))
    assert law.cost(ReplaceOne()).epsilon == 0 and law_of(law, (4,)) == {(4,): 1}


@pytest.mark.parametrize(("weights", "before", "after"), [(UNEVEN, 1, 1), (UNEVEN, 2, 2)])
def test_draws_pass_through_the_matrix(weights: Weights, before: int, after: int) -> None:
    # 60 000 records a value, in one cell each; a right sampler fails with probability at most
    # 3 · 10^-10: see `far`.
    law = PostRandomisation(weights, before, after)
    for value, row in enumerate(weights):
        counts = np.zeros(law.shape, np.int64)
        counts[-1, value, 0] = 60_000
        drawn = law.sample(counts.ravel(), InsecureSeededEntropy(4, value)).reshape(law.shape)
        assert drawn.sum() == drawn[-1, :, 0].sum() == 60_000
        assert not far(drawn[-1, :, 0].tolist(), [Fraction(w, 6) for w in row])
        assert not any(count for count, w in zip(drawn[-1, :, 0], row, strict=True) if not w)


def test_a_table_of_another_size_is_refused() -> None:
    law = PostRandomisation(FLIP, 1, 2)
    for call in (law.sample, lambda counts, _: law.outcomes(counts[None, :])):
        with pytest.raises(InputError, match="4 cells"):
            call(np.array([1, 1, 0]), InsecureSeededEntropy(1))


def test_more_than_can_be_listed_is_refused() -> None:
    law = PostRandomisation(FLIP)
    with pytest.raises(TooLargeError, match=str(MAX_RECORDS)):
        law.chance((MAX_RECORDS, 1), (MAX_RECORDS, 1))
    many = PostRandomisation(retaining(Fraction(1, 2), 200))
    with pytest.raises(TooLargeError, match="fewer cells or records"):
        many.outcomes(databases(AddRemove(), 200, 2))


def test_numbers_and_plain_data() -> None:
    rows = tuple(tuple(np.int64(weight) for weight in row) for row in FLIP)
    law = PostRandomisation(rows, np.int64(2), 1)
    assert law == PostRandomisation(FLIP, 2, 1) and hash(law) == hash(PostRandomisation(FLIP, 2, 1))
    assert all(type(weight) is int for row in law.weights for weight in row)
    assert type(law.before) is type(law.after) is int
    matrix = [["3/4", "1/4"], ["1/4", "3/4"]]
    wanted = {"law": "post-randomisation", "matrix": matrix, "before": 2, "after": 1}
    assert law.to_json() == wanted


@pytest.mark.parametrize(
    ("weights", "before", "words"),
    [
        ((), 1, "square"),
        (((1, 1),), 1, "square"),
        (((1, 0), (1,)), 1, "square"),
        (((1, 0), (1, 1)), 1, "same positive sum"),
        (((0, 0), (0, 0)), 1, "same positive sum"),
        (((2, -1), (0, 1)), 1, "whole numbers"),
        (((0.5, 0.5), (0.5, 0.5)), 1, "whole numbers"),
        (FLIP, 0, "before and after"),
        (FLIP, 1.0, "before and after"),
    ],
)
def test_matrices_are_checked(weights: Any, before: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        PostRandomisation(weights, before)


def test_too_many_values_for_a_matrix() -> None:
    with pytest.raises(InputError, match="one attribute"):
        retaining(Fraction(1, 2), MAX_VALUES + 1)


def test_a_matrix_file_is_taken_exactly(tmp_path: Path) -> None:
    weights = read_matrix(str(written(tmp_path, "0.1, 0.9,0\n\n1/3,1/3,1/3\n0,1e-1,.9\n")))
    rows = [[Fraction(weight, sum(row)) for weight in row] for row in weights]
    tenth, third = Fraction(1, 10), Fraction(1, 3)
    assert rows == [[tenth, 9 * tenth, 0], [third] * 3, [0, tenth, 9 * tenth]]
    law = PostRandomisation(weights)
    assert law.to_json()["matrix"][0] == ["1/10", "9/10", "0"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("0.5,0.5\n", "line 1: found 2 numbers in a file of 1 lines"),
        ("a,b\n0.5,0.5\n0.5,0.5\n", "no header"),
        ("0.5,0.5\n0.5\n", "line 2: found 1 numbers"),
        ("0.5,0.5\n0.5,0.4\n", "line 2: the chances sum to 0.9, expected exactly 1"),
        ("0.5,0.5\n0.333,0.6667\n", "sum to 0.9997"),
        ("1.5,-0.5\n0.5,0.5\n", "line 1, column 1: expected a chance from 0 to 1"),
        ("0.5,half\n0.5,0.5\n", "line 1, column 2: .* found 'half'"),
    ],
)
def test_matrix_files_that_are_none(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_matrix(str(written(tmp_path, text)))
