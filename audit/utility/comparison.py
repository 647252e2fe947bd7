"""Which of two scores of one metric is better, or whether they cannot be told apart."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from scipy.special import ndtri, stdtrit

from audit.utility.score import Score, standard_error
from synthesizers.errors import InputError

CONFIDENCE = 0.95
"""Two-sided confidence of one comparison (the customary level)."""


def quantile(values: float) -> float:
    """How many standard errors, estimated from so many values, a difference by chance may have.

    Student's law with one degree of freedom less than there are values, two-sided at
    ``CONFIDENCE``; the normal law for an infinite number.
    """
    level = (1 + CONFIDENCE) / 2
    return float(ndtri(level) if math.isinf(values) else stdtrit(values - 1, level))


ROUNDING = 1e-12
"""Difference that the order of a sum in doubles can make, relative to the values, and to the
range of a metric (to 1 where that is infinite): near a best value of 0 nothing but rounding
is left of some metrics."""

Basis = Literal["releases", "paired draws", "standard errors", "brackets", "values"]
"""What a comparison rests on, in the order in which it is sought below."""


@dataclass(frozen=True)
class Comparison:
    """``outcome``: 1 where the first score is better, -1 where the second is, 0 for a tie.

    ``difference`` is the first's minus the second's, of the values or, with paired
    draws, of the mean of what the draws contributed; ``margin``: up to which size it
    is a tie.
    """

    outcome: Literal[-1, 0, 1]
    difference: float
    margin: float
    basis: Basis

    def turned(self) -> Comparison:
        """The same comparison with the scores exchanged."""
        outcomes: dict[int, Literal[-1, 0, 1]] = {-1: 1, 0: 0, 1: -1}
        return Comparison(outcomes[self.outcome], -self.difference, self.margin, self.basis)


def margin_of_draws(score: Score) -> float:
    """The half-width of the confidence interval of a score over its random draws.

    A standard error of which the number of draws is not known is taken as it is.
    """
    values = len(score.drawn) if len(score.drawn) > 1 else math.inf
    return quantile(values) * (score.standard_error or 0.0)


def compare(first: Score, second: Score) -> Comparison:
    """Two scores of one metric, both with a value.

    They tie where the values are equal, but for rounding; else

    - where one of them was not computed to the end, if the brackets meet;
    - on the same random draws, if the mean of the paired differences is within ``quantile``
      of its standard errors. The draws' own difficulty is then the same on both sides;
    - with other random draws, if the values are within the combined margins of error. A
      score's is ``quantile`` times the Monte-Carlo standard error over its draws, or times
      the standard deviation over its replicates, whichever is larger.

    Raises ``InputError`` for a score without a value.
    """
    if first.value is None or second.value is None:
        raise InputError("an undefined score cannot be compared")
    order = _order(first, second)
    difference = 0.0 if first.value == second.value else first.value - second.value
    if first.bracket is not None or second.bracket is not None:
        ends = _ends(first), _ends(second)
        apart = max(low for low, _ in ends) > min(high for _, high in ends)
        margin = 0.0 if apart else abs(difference)
        return _judge(first, order, difference, margin, "brackets")
    paired = _paired_difference(first, second)
    if paired is not None:
        mean, error = paired
        return _judge(first, order, mean, quantile(len(first.parts)) * error, "paired draws")
    margins = _margin(first), _margin(second)
    if margins != (None, None):
        margin = math.hypot(*(part or 0.0 for part in margins))
        return _judge(first, order, difference, margin, "standard errors")
    return _judge(first, order, difference, 0.0, "values")


def compare_releases(first: Sequence[Score], second: Sequence[Score]) -> Comparison:
    """The scores of several releases of two programs, each with a value, at least two a program.

    The programs tie where the difference of their means is within the margin of Welch's test
    (1947) at ``CONFIDENCE``: what releases of one program differ by among themselves, and draws
    that are not the same for all, are in it. Raises ``InputError`` for an undefined score, or a
    program of one release.
    """
    samples = [[score.value for score in scores] for scores in (first, second)]
    values = [[value for value in sample if value is not None] for sample in samples]
    if min(map(len, values)) < 2 or values != samples:
        raise InputError("programs are compared by at least two releases each, all with a value")
    means = [statistics.fmean(sample) for sample in values]
    squares = [statistics.variance(sample) / len(sample) for sample in values]
    margin = 0.0
    if sum(squares) > 0:
        degrees = sum(squares) ** 2 / sum(
            square**2 / (len(sample) - 1) for square, sample in zip(squares, values, strict=True)
        )
        margin = quantile(degrees + 1) * math.sqrt(sum(squares))
    difference = means[0] - means[1]
    return _judge(first[0], difference, difference, margin, "releases")


def _order(first: Score, second: Score) -> float:
    """Above 0 where the first value is larger, 0 where they are equal but for rounding."""
    if first.exact is not None and second.exact is not None:
        return float((first.exact > second.exact) - (first.exact < second.exact))
    assert first.value is not None and second.value is not None
    width = first.highest - first.lowest
    least = ROUNDING * (width if math.isfinite(width) else 1.0)
    if math.isclose(first.value, second.value, rel_tol=ROUNDING, abs_tol=least):
        return 0.0
    return 1.0 if first.value > second.value else -1.0


def _judge(of: Score, order: float, difference: float, margin: float, basis: Basis) -> Comparison:
    """``order`` says which is better; ``difference`` whether that is more than chance."""
    if order == 0 or (margin and abs(difference) <= margin):
        return Comparison(0, difference, margin, basis)
    return Comparison(
        1 if (order > 0) == (of.direction == "higher") else -1, difference, margin, basis
    )


def _paired_difference(first: Score, second: Score) -> tuple[float, float] | None:
    """The mean of the paired differences and its standard error; None without pairs."""
    errors = first.standard_error, second.standard_error
    if errors[0] is None or errors[1] is None or not first.drawn or first.drawn != second.drawn:
        return None
    if not len(first.parts) == len(second.parts) == len(first.drawn):
        return None
    differences = tuple(a - b for a, b in zip(first.parts, second.parts, strict=True))
    own = [standard_error(parts) for parts in (first.parts, second.parts, differences)]
    known = [error for error in own if error is not None and math.isfinite(error)]
    if len(known) < len(own):
        return None
    # Of draws without repetition from a small number a part only is left to chance, and
    # nothing where all were taken; the scores' own errors tell which part.
    part = max(
        min(error / usual, 1.0) if usual else 0.0
        for error, usual in ((errors[0], known[0]), (errors[1], known[1]))
    )
    return math.fsum(differences) / len(differences), part * known[2]


def _margin(score: Score) -> float | None:
    """How far the value may be off by the draws alone; None where nothing says."""
    known = [] if score.standard_error is None else [margin_of_draws(score)]
    assert score.value is not None
    values = score.value, *score.replicates
    if score.replicates and all(map(math.isfinite, values)):
        known.append(quantile(len(values)) * statistics.stdev(values))
    return max(known, default=None)


def _ends(score: Score) -> tuple[Fraction | float, Fraction | float]:
    if score.bracket is not None:
        return score.bracket
    assert score.value is not None
    room = _margin(score) or 0.0
    return score.value - room, score.value + room
