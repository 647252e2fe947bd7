"""Criteria in words: what is asked, and what a figure is."""

from __future__ import annotations

from fractions import Fraction

from audit.report.words import above, below, number
from audit.review.criteria.criterion import Criterion
from audit.review.criteria.figures import Figure, Range

NOTHING = "–"


def condition_text(criterion: Criterion) -> str:
    """What is asked of the figure: ``at least 800``."""
    if criterion.among is not None:
        return f"one of {', '.join(criterion.among)}"
    sides = (("at least", criterion.at_least), ("at most", criterion.at_most))
    return " and ".join(f"{word} {exact_text(end)}" for word, end in sides if end is not None)


def figure_text(figure: Figure) -> str:
    """The figure: a text, a number, or the ends between which it lies, rounded outwards."""
    value = figure.value
    if value is None:
        return "undefined"
    if isinstance(value, str):
        return value
    if value.low == value.high:
        return number(value.low) if value.low != -float("inf") else "-∞"
    return f"{_low(value)} to {_high(value)}"


def exact_text(value: Fraction) -> str:
    """A threshold as it was stated: a decimal where it is a short one, otherwise the fraction."""
    decimal = number(value, 17)
    return decimal if Fraction(decimal) == value else str(value)


def _low(value: Range) -> str:
    return "-∞" if value.low == -float("inf") else below(value.low)


def _high(value: Range) -> str:
    return "∞" if value.high == float("inf") else above(value.high)
