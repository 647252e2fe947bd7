"""Sentences: rules in words for readers who know nothing of attackers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.auditors.attack.columns.columns import OutcomeColumns, bit_columns_for, columns_for
from audit.auditors.attack.finding.sentences import describe_rule, name_bits
from audit.auditors.attack.scores.rules import GuessingRule, Score
from audit.auditors.attack.scores.scores import KINDS, Behind
from audit.auditors.attack.scores.simple_scores import Cells, Silent, Single
from audit.auditors.attack.scores.trees import Tree, Trees
from audit.auditors.attack.scores.weighings import Bins, Linear, Network, Scaling
from audit.auditors.attack.veils.causes import CAUSES, describe_leaks
from audit.auditors.attack.veils.row_veils import Sorted
from audit.subjects.outcomes import Ended, Outcomes, Raised
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

pytestmark = pytest.mark.smoke

PAIR = Pair([{"x": "a"}], [{"x": "a"}, {"x": "v2"}])
OUTPUTS: list[Any] = [
    *[1.5, math.nan, math.inf, -math.inf, -0.0, 2],
    *[[1.5, 2.0], [math.inf, 3.0], None, Raised("KeyError"), Ended("time"), object()],
    *["yes 3", "yes 3", "no 4.5", {"v1": 3.5, "v2": 1.0}, {"v1": 2.5}],
    *[pd.DataFrame({"x": values}) for values in (["a", "v2"], ["a", None], ["a", "strange"])],
]
RUNS = Runs(
    Outcomes.of_outputs(OUTPUTS * 3), np.random.default_rng(0).random(len(OUTPUTS) * 3) < 0.5
)
COLUMNS = columns_for(RUNS, PAIR)
BITS = bit_columns_for(Runs(Outcomes.of_outputs([0.1, 0.7, 0.9]), np.array([True, False, True])))


def take(*names: str) -> OutcomeColumns:
    return COLUMNS.take([COLUMNS.names.index(name) for name in names])


def bins(columns: OutcomeColumns) -> Bins:
    steps = len(columns)
    return Bins(columns, (np.array([0.5]),) * steps, (np.array([-1.0, 1.0]),) * steps)


def all_scores() -> list[Score]:
    two = COLUMNS.take([0, len(COLUMNS) - 1])
    scaling = Scaling(np.zeros(2), np.ones(2))
    tree = Tree((0, 1, -1, -1, -1), (0.5, 0.5, 0, 0, 0), (1, 2, 0, 0, 0), (4, 3, 0, 0, 0),
                (0, 0, 0.1, -0.2, 1.7))  # fmt: skip
    cells = Cells(np.arange(3, dtype=np.uint64), np.array([-1.0, 0.5, 2.0]), ("'yes'", "nothing"))
    return [
        Silent(),
        cells,
        *(
            Single(COLUMNS.take([k]), rising)
            for k in range(len(COLUMNS))
            for rising in (True, False)
        ),
        *(bins(COLUMNS.take([k])) for k in range(len(COLUMNS))),
        bins(two),
        bins(BITS),
        Linear(two, scaling, np.array([1.0, -2.0])),
        Trees(two, (tree,)),
        Network(two, scaling, ((np.ones((2, 1)), np.zeros(1)),)),
        Behind("the leak of low bits", (Sorted(),), bins(two)),
    ]


ENDS = [(0.0, 1.0), (-1.0, 0.0), (-1.0, math.inf), (-math.inf, -0.0), (-math.inf, math.inf)]


@pytest.mark.parametrize(("low", "high"), ENDS)
def test_every_rule_is_told_in_plain_words(low: float, high: float) -> None:
    scores = all_scores()
    assert {score.to_json()["score"] for score in scores} == KINDS.keys()
    for score in scores:
        lines = describe_rule(GuessingRule(score, low, high))
        assert lines
        for line in lines:
            for bad in ("minus the", "comes to at least", "decision trees", "-0", "network on"):
                assert bad not in line, line
            assert len(line) < 400 and line == line.strip()


@pytest.mark.parametrize(
    ("name", "rising", "high", "low", "words"),
    [
        ("the value at v2 is no number", False, -0.0, -1.0, "the output has a number at v2"),
        ("the value at v2 is no number", True, 1.0, 0.0, "the output has no number at v2"),
        ("the output is inf", True, 1.0, 0.0, "the output is plus infinity"),
        ("the output is -0", False, 0.0, -1.0, "the output is not minus zero"),
        ("rows with x v2", True, 1.0, 0.0, "category 'v2' appears in column x"),
        ("rows with x v2", False, 0.0, -1.0, "category 'v2' does not appear in column x"),
        ("rows", True, 3.0, 2.0, "the number of rows is at least 3"),
        ("missing values of x", True, 1.0, 0.0, "a missing value appears in column x"),
    ],
)
def test_one_column_is_told_by_what_it_says(
    name: str, rising: bool, high: float, low: float, words: str
) -> None:
    if name == "the output is inf" or name == "the output is -0":
        numbers = Runs(Outcomes.of_outputs([1.0, math.inf, -0.0]), np.array([True, False, True]))
        columns = columns_for(numbers, PAIR)
        columns = columns.take([columns.names.index(name)])
    else:
        columns = take(name)
    lines = describe_rule(GuessingRule(Single(columns, rising), low, high))
    assert lines[0] == f"it guesses B where {words}"


def test_shapes_are_told_as_what_the_subject_did() -> None:
    told = set()
    for k in range(len(COLUMNS)):
        told |= set(describe_rule(GuessingRule(Single(COLUMNS.take([k]), True), 0.0, 1.0)))
    assert "it guesses B where the subject raised KeyError" in told
    assert "it guesses A where the run was not ended from outside (time)" in told
    assert "it guesses B where the output is a number (float float64)" in told
    assert any(line.startswith("it guesses B where the output is a table of x (") for line in told)


def test_steps_of_one_number_are_told_as_stretches_of_its_values() -> None:
    columns = columns_for(Runs(Outcomes.of_outputs([0.5, 2.0]), np.array([True, False])), PAIR)
    score = Bins(columns, (np.array([1.0, 2.0, 4.0]),), (np.array([-1.0, 2.0, -1.0, 2.0]),))
    assert describe_rule(GuessingRule(score, -1.0, 2.0)) == (
        "it guesses B where the output is at least 1 and below 2, or at least 4",
        "it guesses A where the output is below 1, or at least 2 and below 4",
    )


def test_what_looks_at_bits_says_of_which_number_and_why() -> None:
    score = bins(BITS)
    assert name_bits(score) == ("the output",)
    assert name_bits(bins(take("rows"))) == ()
    first = describe_rule(GuessingRule(score, -1.0, 1.0))[0]
    assert "the low bits of the output" in first and "Mironov 2012" in first


def test_of_many_columns_the_most_telling_are_named_first() -> None:
    columns = COLUMNS.take([0, 1, 2, 3, 4])
    scaling = Scaling(np.zeros(5), np.ones(5))
    score = Linear(columns, scaling, np.array([1.0, 0.0, 5.0, -7.0, 0.5]))
    preface = describe_rule(GuessingRule(score, -1.0, 1.0))[0]
    shown = [f"whether {describe_rule(GuessingRule(Single(columns.take([k]), True), 0.0, 1.0))[0]}"
             .replace("it guesses B where ", "") for k in (3, 2, 0)]  # fmt: skip
    assert f"{', '.join(shown)} and 1 more" in preface
    assert preface.startswith("it weighs 4 features, the most telling first: ")
    assert preface.endswith("; the rule itself is in the certificate")


def test_a_rule_that_always_guesses_names_no_value_for_both() -> None:
    columns = COLUMNS.take([0])
    never = math.nextafter(2.0, -math.inf)
    assert describe_rule(GuessingRule(Single(columns, True), never, 2.0))[1] == (
        "it guesses A otherwise"
    )


def test_leaks_are_listed_as_a_phrase() -> None:
    assert describe_leaks(["low-bits"]) == "the leak of low bits"
    assert describe_leaks(["low-bits", "order", "schema"]) == (
        "the leaks of low bits, the order of records and the schema"
    )
    for kind in CAUSES.values():
        assert kind.mend.endswith(".") and kind.mend[0].isupper() and ". " not in kind.mend
