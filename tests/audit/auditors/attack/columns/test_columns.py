"""Columns of outcomes: what they say of numbers, bits, text and nested data."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.auditors.attack.columns.columns import bit_columns_for, columns_for, columns_from_json
from audit.auditors.attack.columns.cuts import Tally, count_by_bin, cuts, merge_bins
from audit.subjects.outcomes import Ended, Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

PAIR = Pair([{"x": 1, "y": "q"}], [{"x": 1, "y": "q"}, {"x": 2, "y": "b"}])

ZOO: list[Any] = [
    None,
    Raised("ValueError"),
    Ended("time"),
    1.5,
    math.nan,
    math.inf,
    -math.inf,
    -0.0,
    1e308,
    5e-324,
    [1, 2, 3],
    "abc 7 -3.5e400",
    "",
    {"a": [1, 2], "b": {"c": math.inf}},
    [{"x": 1, "y": "q"}, {"x": None}],
    [{"x": 2}],
    pd.DataFrame({"x": [1, 2, None], "y": ["a", "b", None]}),
    pd.DataFrame({"x": [], "z": []}),
    pd.DataFrame({"x": [[1], [2]], "y": [{"k": 1}, {"k": 1}]}),
    np.arange(6.0).reshape(3, 2),
    np.zeros(0),
    object(),
]


def runs_of(outputs: list[Any]) -> Runs:
    return Runs(Outcomes.of_outputs(outputs), np.arange(len(outputs)) % 2 == 0)


def column(outputs: list[Any], name: str, pair: Pair = PAIR) -> list[float]:
    columns = columns_for(runs_of(outputs), pair)
    matrix = columns.matrix(Outcomes.of_outputs(outputs))
    found: list[float] = matrix[:, columns.names.index(name)].tolist()
    return found


def test_the_columns_of_any_outcome_are_finite_whatever_they_were_learned_from() -> None:
    fresh = Outcomes.of_outputs(ZOO)
    for learned in ([], ZOO[:1], ZOO[3:9], ZOO[11:16], ZOO):
        columns = columns_for(runs_of(learned * 2), PAIR)
        matrix = columns.matrix(fresh)
        assert matrix.shape == (len(ZOO), len(columns.names))
        assert np.isfinite(matrix).all()


@pytest.mark.parametrize("bits", [False, True])
def test_the_columns_of_an_outcome_never_depend_on_the_runs_beside_it(bits: bool) -> None:
    runs = runs_of(ZOO * 3)
    columns = bit_columns_for(runs) if bits else columns_for(runs, PAIR)
    whole = columns.matrix(runs.outcomes)
    assert whole.any(axis=0).sum() > 20 - 10 * bits
    for run in range(len(ZOO)):
        alone = columns.matrix(runs.outcomes.take(np.array([run])))
        assert alone.tolist() == whole[run : run + 1].tolist()


def test_columns_read_back_from_sorted_json_are_the_same_and_so_are_some_of_them() -> None:
    runs = runs_of(ZOO * 3)
    for columns in (columns_for(runs, PAIR), bit_columns_for(runs)):
        text = json.dumps(columns.to_json(), sort_keys=True)
        again = columns_from_json(json.loads(text))
        matrix = columns.matrix(runs.outcomes)
        assert again.names == columns.names
        assert (again.matrix(runs.outcomes) == matrix).all()
        for some in ([0], [len(columns.names) - 1], list(range(1, len(columns.names), 3))):
            few = columns.take(some)
            assert few.names == tuple(columns.names[place] for place in some)
            assert (few.matrix(runs.outcomes) == matrix[:, some]).all()
            read = columns_from_json(json.loads(json.dumps(few.to_json(), sort_keys=True)))
            assert (read.matrix(runs.outcomes) == matrix[:, some]).all()


def test_a_function_applied_piece_by_piece_sees_every_run_once_and_in_order() -> None:
    values = np.arange(70_000.0)
    mixed: list[Any] = [value if value % 3 else f"{value}" for value in values[:40_000].tolist()]
    for outcomes in (Outcomes.of_batch(values, len(values)), Outcomes.of_outputs(mixed)):
        runs = Runs(outcomes, np.arange(len(outcomes)) % 2 == 0)
        columns = columns_for(runs, PAIR)
        whole = columns.matrix(outcomes).sum(axis=1)
        assert (columns.apply(lambda matrix: matrix.sum(axis=1), outcomes) == whole).all()


def test_shapes_are_columns_where_there_are_several() -> None:
    found = column([1.0, None, Raised("ValueError"), None], "the output is nothing")
    assert found == [0, 1, 0, 1]
    assert column([1.0, Raised("KeyError")], "the output is raised KeyError") == [0, 1]


def test_a_number_has_its_value_and_flags_for_what_is_no_finite_number() -> None:
    outputs = [1.5, math.nan, math.inf, -math.inf, -0.0, 0.0]
    assert column(outputs, "the output") == [1.5, 0, 0, 0, 0, 0]
    assert column(outputs, "the output is no number") == [0, 1, 0, 0, 0, 0]
    assert column(outputs, "the output is inf") == [0, 0, 1, 0, 0, 0]
    assert column(outputs, "the output is -inf") == [0, 0, 0, 1, 0, 0]
    assert column(outputs, "the output is -0") == [0, 0, 0, 0, 1, 0]


def test_numbers_of_an_output_are_looked_at_one_by_one_and_together() -> None:
    outputs = [[3.0, -1.0, 0.0], [1.0, 2.0, 2.0]]
    assert column(outputs, "coordinate 2") == [-1, 2]
    assert column(outputs, "the sum of the output") == [2, 5]
    assert column(outputs, "the largest of the output") == [3, 2]
    assert column(outputs, "the smallest of the output") == [-1, 1]
    assert column(outputs, "the place of the largest of the output") == [0, 1]
    assert column(outputs, "the number of zeros of the output") == [1, 0]


def test_of_very_many_numbers_those_are_taken_that_the_coin_moves_or_spreads() -> None:
    # A shift of half a deviation in 4000 runs lies some 15 standard errors from none.
    rng = np.random.default_rng(1)
    coins = rng.integers(0, 2, 4000).astype(np.bool_)
    batch = rng.normal(size=(4000, 300))
    batch[:, 251] += 0.5 * coins
    batch[:, 252] *= 1 + 0.5 * coins
    runs = Runs(Outcomes.of_batch(batch, 4000), coins)
    names = columns_for(runs, PAIR).names
    assert {"coordinate 252", "coordinate 253"} <= set(names)
    assert len(names) < 100


def test_numbers_in_text_and_in_nested_data_are_read() -> None:
    texts = ["count -3, share .25", "count 4, share 1e-1"]
    assert column(texts, "number 1 in the text") == [-3, 4]
    assert column(texts, "number 2 in the text") == [0.25, 0.1]
    nested: list[Any] = [{"a": [1, True], "b": 0.5}, {"a": [2, False], "b": math.nan}]
    assert column(nested, "the value at a.0") == [1, 2]
    assert column(nested, "the value at a.1") == [1, 0]
    assert column(nested, "the value at b") == [0.5, 0]
    assert column(nested, "the value at b is no number") == [0, 1]


def test_text_has_its_length_and_kinds_of_characters_and_frequent_texts() -> None:
    texts = ["Ab 1!\n", "xyz", "xyz", "!!"]
    assert column(texts, "the length of the output") == [6, 3, 3, 2]
    assert column(texts, "the number of lines") == [1, 0, 0, 0]
    assert column(texts, "the number of capitals") == [1, 0, 0, 0]
    assert column(texts, "the number of '!'") == [1, 0, 0, 2]
    assert column(texts, "the output is 'xyz'") == [0, 1, 1, 0]


def test_the_bits_of_a_double_are_those_of_its_exact_fraction() -> None:
    rng = np.random.default_rng(2)
    some = [*(rng.normal(size=200) * 2.0 ** rng.integers(-60, 60, 200)), 1, 0.5, 6, 0.1, -7, 2**60]
    values = [float(value) for value in some] + [5e-324, 2.0**-1060 * 3]
    outcomes = Outcomes.of_outputs(values)
    columns = bit_columns_for(Runs(outcomes, np.zeros(len(values), np.bool_)))
    matrix = columns.matrix(outcomes).astype(int)
    assert columns.names[0] == "lowest bit of the output"
    for value, (lowest, exponent, zeros, last, fraction) in zip(values, matrix, strict=True):
        exact = abs(Fraction(value))
        multiple = exact / Fraction(2) ** int(lowest)
        assert multiple.denominator == 1 and multiple.numerator % 2 == 1
        assert exact.denominator == 2 ** int(fraction)
        if abs(value) > 1e-300:
            assert 2.0**exponent <= abs(value) < 2.0 ** (exponent + 1)
            assert lowest == exponent - 52 + zeros
            assert last == int(exact / Fraction(2) ** int(exponent - 52)) % 8


def test_cuts_separate_few_values_and_atoms_and_halve_towards_the_tails() -> None:
    assert cuts(np.array([1.0, 1, 2, 4]), 8).tolist() == [1.5, 3]
    assert len(cuts(np.ones(5), 8)) == 0 == len(cuts(np.zeros(0), 8))
    close = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert (np.searchsorted(cuts(close, 8), close, side="right") == [0, 1]).all()
    rng = np.random.default_rng(3)
    values = np.concatenate([rng.normal(size=5000), np.full(2000, 0.25)])
    edges = cuts(values, 16)
    bins = np.bincount(np.searchsorted(edges, values, side="right"))
    alone = np.searchsorted(edges, 0.25, side="right")
    assert bins[alone] == 2000 and bins.min() > 0
    assert bins[0] < 40 and bins[-1] < 40 and len(bins) < 40


def test_neighbouring_bins_are_merged_until_all_that_are_left_differ() -> None:
    # Chances of the coin on three plateaus; a false edge needs a χ² of one degree above 14: 2e-4
    # each, of 27 edges within plateaus.
    rng = np.random.default_rng(4)
    values = rng.random(60_000)
    chances = np.select([values < 0.3, values < 0.6], [0.3, 0.7], 0.5)
    coins = rng.random(60_000) < chances
    edges = np.arange(1, 30) / 30
    found = merge_bins(Tally(edges, count_by_bin(values, coins, edges)), 14.0)
    assert found.edges.tolist() == [edges[8], edges[17]]
    assert (found.counts == count_by_bin(values, coins, found.edges)).all()


def test_a_value_that_is_rare_among_very_many_runs_has_a_bin_of_its_own() -> None:
    column = np.zeros(150_000)
    column[-1] = 1.0
    tally = Tally.of(column, np.arange(150_000) % 2 == 1)
    assert tally.counts.tolist() == [[75_000, 0], [74_999, 1]]
