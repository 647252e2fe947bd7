"""Scores and breakdowns: what they refuse, and what a breakdown leaves out."""

from __future__ import annotations

import math

import pytest

from audit.utility.score import MOST_ROWS, Breakdown, Score, standard_error
from synthesizers.errors import InputError


def test_a_score_has_a_value_or_a_reason() -> None:
    for value, reason in ((0.5, "why"), (None, None)):
        with pytest.raises(InputError, match="either a value or a reason"):
            Score("m", value, 0.0, 1.0, "lower", undefined=reason)


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan])
def test_a_value_lies_in_its_range(value: float) -> None:
    with pytest.raises(InputError, match="outside 0 to 1"):
        Score("m", value, 0.0, 1.0, "lower")


def test_the_standard_error_is_that_of_the_mean() -> None:
    # Deviations -1, 0, 1: variance 1, of the mean a third of it.
    assert standard_error((1.0, 2.0, 3.0)) == pytest.approx(math.sqrt(1 / 3))
    assert standard_error((1.0,)) is None


def test_a_breakdown_refuses_a_row_of_another_width_and_an_unknown_column() -> None:
    with pytest.raises(InputError, match="2 entries"):
        Breakdown("cells", ("a", "b"), (("x",),))
    with pytest.raises(InputError, match="no column 'c'"):
        Breakdown("cells", ("a", "b"), (("x", 1),), plotted="c")


@pytest.mark.parametrize(
    ("rows", "note"),
    [(MOST_ROWS, ""), (MOST_ROWS + 7, "7 better queries are left out")],
)
def test_the_first_rows_are_kept_and_the_others_counted(rows: int, note: str) -> None:
    given = [(f"q{k}", float(-k)) for k in range(rows)]
    detail = Breakdown.of_worst("queries", ("query", "error"), given, "error")
    assert detail.rows == tuple(given[:MOST_ROWS])
    assert (detail.note, detail.plotted) == (note, "error")
