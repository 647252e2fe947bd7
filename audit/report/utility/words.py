"""Words and numbers of utility reports: scores, ranges, directions, uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal

from audit.report.powers import spell_power
from audit.report.words import duration, number, plural
from audit.utility.metric import FIXED
from audit.utility.results import UtilityResults
from audit.utility.score import Entry, Score

NOTICE = (
    "Everything here was computed on the confidential data and is not private itself: no noise "
    "was added, and no certificate covers it. Keep it where the confidential data is kept, or "
    "spend privacy budget on what you publish of it."
)
"""What heads every report of utility."""

DIGITS = 6
"""Significant digits of a score."""

GROUPED = 1_000
"""From this number on thousands are set apart."""

MOST_GROUPED = 10**9
"""From this number on a power of ten is read more easily than the zeros."""

FEW_DIGITS = 4
"""Significant digits of what stands beside a score or inside a picture."""


def utility_title(results: UtilityResults) -> str:
    """The question that a report of utility answers."""
    files = results.synthetics
    of = f"is {files[0]}" if len(files) == 1 else f"are {len(files)} synthetic tables"
    return f"How useful {of} in place of {results.real}?"


def value_text(value: float | None, digits: int = DIGITS) -> str:
    """A number to be read: ``0.0123457``, ``987,654``, ``1.2 × 10⁻⁷``, ``−∞``; ``–`` for none."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    text = number(value, digits)
    if GROUPED <= abs(value) < MOST_GROUPED:
        whole, dot, rest = f"{Decimal(text):f}".partition(".")
        text = f"{int(whole):,}{dot}{rest}"
    return spell_power(text).replace("-", "−")


def score_text(score: Score) -> str:
    """The value of a score, to no more digits than its standard error leaves a meaning to."""
    value, error = score.value, score.standard_error
    if value is None or not error or not math.isfinite(value) or not math.isfinite(error):
        return value_text(value)
    places = 1 - math.floor(math.log10(error))
    size = math.floor(math.log10(abs(value))) if value else 0
    return value_text(value, min(max(size + 1 + places, 2), DIGITS))


def entry_text(entry: Entry, digits: int = FEW_DIGITS) -> str:
    """One entry of a breakdown."""
    if isinstance(entry, str):
        return entry
    if isinstance(entry, int):
        return group_digits(entry)
    return value_text(entry, digits)


def group_digits(count: int) -> str:
    """A count with its thousands set apart, as ``1,204``."""
    return f"{count:,}".replace("-", "−")


def join_names(names: Sequence[str]) -> str:
    """Names as a sentence lists them: ``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def range_text(score: Score) -> str:
    """``0 to 1,000``; an end that is infinite is said to be so."""
    ends = [
        group_digits(int(end)) if math.isfinite(end) and end == int(end) else value_text(end)
        for end in (score.lowest, score.highest)
    ]
    return f"{ends[0]} to {ends[1]}"


def direction_text(score: Score) -> str:
    """Which end is better, with an arrow."""
    return "↑ higher is better" if score.direction == "higher" else "↓ lower is better"


def mode_text(score: Score) -> str:
    """Which definition was followed."""
    return "sound definition" if score.mode == FIXED else f"reproduces {score.mode}"


def draws_text(score: Score) -> str:
    """The random draws behind a score, or nothing for one without."""
    if score.draws is None:
        return "" if score.seed is None else f"seed {score.seed}"
    drawn = plural(score.draws, "draw")
    return drawn if score.seed is None else f"{drawn}, seed {score.seed}"


def facts_text(score: Score) -> str:
    """Range, direction, mode and draws on one line."""
    facts = (range_text(score), direction_text(score), mode_text(score), draws_text(score))
    return " · ".join(fact for fact in facts if fact)


def error_text(score: Score) -> str:
    """The Monte-Carlo standard error, as ``± 0.0021``; nothing without one."""
    if score.value is None or score.standard_error is None:
        return ""
    return f"± {value_text(score.standard_error, 2)}"


def remarks(score: Score) -> tuple[str, ...]:
    """What belongs beside a value: its bracket, and the values of further seeds."""
    found = []
    if score.bracket is not None:
        low, high = (value_text(float(end)) for end in score.bracket)
        found.append(f"all that is known: from {low} to {high}")
    if score.value is not None and score.replicates:
        values = (score.value, *score.replicates)
        if all(map(math.isfinite, values)):
            mean = math.fsum(values) / len(values)
            spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (len(values) - 1))
            found.append(
                f"mean {value_text(mean)}, standard deviation {value_text(spread, 2)} over "
                f"{len(values)} seeds"
            )
    return tuple(found)


def cost_text(metric: str, seconds: float) -> str:
    """Why a metric was left out, and how it is asked for."""
    return f"it would take about {duration(seconds)} a table; ask for it with --metric {metric}"
