from __future__ import annotations

import math
from fractions import Fraction

import pytest

from audit.report.utility import words
from tests.audit.report.utility.samples import score


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.1, "0.1"),
        (1 / 81, "0.0123457"),
        (987654.4, "987,654"),
        (12345.678, "12,345.7"),
        (9999.5, "9,999.5"),
        (999.5, "999.5"),
        (-0.25, "−0.25"),
        (-20000.0, "−20,000"),
        (1e-7, "10⁻⁷"),
        (-2.5e-12, "−2.5 × 10⁻¹²"),
        (1e6, "1,000,000"),
        (123456789.0, "123,457,000"),
        (2e30, "2 × 10³⁰"),
        (math.inf, "∞"),
        (-math.inf, "−∞"),
        (math.nan, "–"),
        (None, "–"),
    ],
)
def test_values_are_rounded_to_be_read(value: float | None, text: str) -> None:
    assert words.value_text(value) == text


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (886.289, 4.6, "886.3"),
        (886.289, 0.046, "886.289"),
        (886.289, 46.0, "886"),
        (0.123456, 0.0123, "0.123"),
        (0.0, 0.01, "0"),
        (886.289, 0.0, "886.289"),
        (886.289, None, "886.289"),
        (987654.3, 5000.0, "987,700"),
    ],
)
def test_a_score_has_the_digits_that_its_error_leaves(
    value: float, error: float | None, text: str
) -> None:
    own = score(value, ends=(0.0, 1e6), standard_error=error)
    assert words.score_text(own) == text


def test_ranges_and_directions_are_said() -> None:
    assert words.range_text(score(0.5)) == "0 to 1"
    assert words.range_text(score(0.5, ends=(0.0, 1e6))) == "0 to 1,000,000"
    assert words.range_text(score(0.5, ends=(-math.inf, math.inf))) == "−∞ to ∞"
    assert words.range_text(score(0.1, ends=(0.0, 0.25))) == "0 to 0.25"
    assert words.direction_text(score(0.5)) == "↓ lower is better"
    assert words.direction_text(score(0.5, direction="higher")) == "↑ higher is better"


def test_modes_and_draws_are_said() -> None:
    assert words.mode_text(score(0.5)) == "sound definition"
    assert words.mode_text(score(0.5, mode="nist-2018")) == "reproduces nist-2018"
    assert words.draws_text(score(0.5)) == ""
    assert words.draws_text(score(0.5, seed=3)) == "seed 3"
    assert words.draws_text(score(0.5, drawn=(1,), seed=3)) == "1 draw, seed 3"
    assert words.draws_text(score(0.5, drawn=(1, 2))) == "2 draws"


def test_errors_replicates_and_brackets_are_said() -> None:
    assert words.error_text(score(0.5, standard_error=0.0123)) == "± 0.012"
    assert words.error_text(score(0.5)) == ""
    assert words.error_text(score(None, standard_error=0.1)) == ""
    # 0.5, 0.3, 0.7: mean 0.5, standard deviation 0.2.
    own = score(0.5, replicates=(0.3, 0.7), bracket=(Fraction(1, 4), Fraction(1, 2)))
    assert words.remarks(own) == (
        "all that is known: from 0.25 to 0.5",
        "mean 0.5, standard deviation 0.2 over 3 seeds",
    )
    assert words.remarks(score(0.5)) == ()
    assert words.remarks(score(0.5, ends=(0.0, math.inf), replicates=(math.inf,))) == ()


def test_entries_of_a_breakdown_are_told_by_their_type() -> None:
    assert [words.entry_text(e) for e in ("a", 12345, -1234, 0.123456, None, math.inf)] == [
        "a",
        "12,345",
        "−1,234",
        "0.1235",
        "–",
        "∞",
    ]
