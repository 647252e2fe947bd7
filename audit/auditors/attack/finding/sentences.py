"""Sentences: when a rule guesses which database, in words that need no knowledge of attackers.

A is the first database and B the second, as in every report.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from audit.auditors.attack.columns.columns import OutcomeColumns
from audit.auditors.attack.columns.number_columns import BITS, NumberColumns, NumberFeature
from audit.auditors.attack.columns.table_columns import TableColumns, TableFeature
from audit.auditors.attack.finding.clauses import state_columns
from audit.auditors.attack.scores.rules import GuessingRule, Score
from audit.auditors.attack.scores.scores import Behind
from audit.auditors.attack.scores.simple_scores import Cells, Silent, Single
from audit.auditors.attack.scores.weighings import Bins, Weighing

MOST_NAMED = 3
"""Columns that a sentence names, those that tell most (a reader remembers no more)."""

MOST_INTERVALS = 3
"""Stretches of values that a sentence lists; of more, what the rule weighs is said instead."""


def describe_rule(rule: GuessingRule) -> tuple[str, ...]:
    """When the rule guesses which database, a sentence each."""
    score = rule.score
    if isinstance(score, Behind):
        inner = describe_rule(GuessingRule(score.of, rule.low, rule.high))
        return (f"behind {score.leaks}:", *inner)
    ends = [("B", True, rule.high), ("A", False, rule.low)]
    used = [(name, above, end) for name, above, end in ends if math.isfinite(end)]
    if isinstance(score, Silent) or not used:
        return ("it never guesses",)
    told = [f"it guesses {name} where {_where(score, above, end)}" for name, above, end in used]
    if len(told) == 2 and math.nextafter(rule.high, -math.inf) <= rule.low:
        told[1] = "it guesses A otherwise"
    return (*_preface(score), *told)


def name_columns(names: Sequence[str], weights: Sequence[float]) -> str:
    """The columns of the largest weights, the largest first."""
    order = sorted(range(len(names)), key=lambda place: -weights[place])
    named = [names[place] for place in order[:MOST_NAMED] if weights[place] > 0]
    left = sum(weight > 0 for weight in weights) - len(named)
    return ", ".join(named) + (f" and {left} more" if left else "")


def name_bits(score: Score, share: float = 0.5) -> tuple[str, ...]:
    """The numbers whose bits a score looks at, where these have more than a share of the weight."""
    columns, weights = _weigh(score)
    bits = [
        (weight, feature.name.removeprefix(f"{feature.what} of "))
        for weight, feature in zip(weights, _features(columns), strict=True)
        if isinstance(feature, NumberFeature) and feature.what in BITS and weight > 0
    ]
    if sum(weight for weight, _ in bits) <= share * sum(weights):
        return ()
    bits.sort(key=lambda bit: -bit[0])
    return tuple(dict.fromkeys(name for _, name in bits))


def _preface(score: Score) -> tuple[str, ...]:
    """What has to be known of a rule before its thresholds say anything."""
    bits = name_bits(score)
    told = []
    if bits:
        told.append(
            f"it looks at the low bits of {_list(bits)}, where noise in floating point betrays "
            "what it is added to (Mironov 2012)"
        )
    if not isinstance(score, Single | Cells) and _intervals(score, True, 0.0) is None:
        columns, weights = _weigh(score)
        number = sum(weight > 0 for weight in weights)
        several = f"{number} features, the most telling first: " if number > 1 else ""
        told.append(
            f"it weighs {several}{name_columns(_nouns(columns), weights)}; the rule itself is in "
            "the certificate"
        )
    return tuple(told)


def _where(score: Score, above: bool, end: float) -> str:
    """Where a score comes to at least ``end``, or at most."""
    match score:
        case Single(rising=True):
            return _of_column(score.column, above, end)
        case Single():
            return _of_column(score.column, not above, -end)
        case Cells():
            return _of_cells(score, above, end)
    found = _intervals(score, above, end)
    if found is not None:
        return found
    return _say_for(*(("B", "A", end) if above else ("A", "B", -end)))


def _say_for(name: str, other: str, least: float) -> str:
    """That what is weighed speaks for a database by at least so much, in numbers above 0."""
    if least < 0:
        return f"it speaks for {other} by at most {_number(-least)}"
    return f"it speaks for {name} by at least {_number(least)}"


def _of_column(columns: OutcomeColumns, above: bool, end: float) -> str:
    """Where the only column comes to at least ``end``, or at most."""
    name, clause = _noun(columns.names[0]), state_columns(columns)[0]
    if clause is not None:
        if (above and end <= 0) or (not above and end < 0):
            return "the output is anything" if above else "nothing at all is put out"
        if end <= 1 if above else end < 1:
            return clause[0] if above else clause[1]
    return f"{name} is {_at(above)} {_number(end)}"


def _of_cells(score: Cells, above: bool, end: float) -> str:
    """Where the outcome is one of those with such values."""
    chosen = score.values >= end if above else score.values <= end
    number = int(np.count_nonzero(chosen))
    example = score.telling[0 if above else 1]
    if example.startswith("raised "):
        example = f"an exception ({example.removeprefix('raised ')})"
    unseen = end <= 0.0 if above else end >= 0.0
    others = ", or one that was never seen before" if unseen else ""
    if number == 0:
        return "the output is one that was never seen before" if unseen else "no output is"
    if number == 1:
        return f"the output is {example}{others}"
    return f"the output is one of {number} values, such as {example}{others}"


def _intervals(score: Score, above: bool, end: float) -> str | None:
    """The values for which steps on one number come to so much; None for any other score."""
    if not isinstance(score, Bins) or len(score.edges) != 1 or state_columns(score.columns)[0]:
        return None
    values = score.values[0]
    chosen = values >= end if above else values <= end
    ends = [-math.inf, *score.edges[0].tolist(), math.inf]
    found: list[tuple[float, float]] = []
    for (low, high), member in zip(pairwise(ends), chosen.tolist(), strict=True):
        if member and found and found[-1][1] == low:
            found[-1] = found[-1][0], high
        elif member:
            found.append((low, high))
    if len(found) > MOST_INTERVALS:
        return None
    name = _noun(score.columns.names[0])
    if not found:
        return "nothing at all is put out"
    return f"{name} is " + ", or ".join(_interval(*stretch) for stretch in found)


def _interval(low: float, high: float) -> str:
    if math.isinf(low):
        return "anything" if math.isinf(high) else f"below {_number(high)}"
    if math.isinf(high):
        return f"at least {_number(low)}"
    return f"at least {_number(low)} and below {_number(high)}"


def _weigh(score: Score) -> tuple[OutcomeColumns, Sequence[float]]:
    """The columns of a score, and how much each of them matters."""
    match score:
        case Behind():
            return _weigh(score.of)
        case Single():
            return score.column, [1.0]
        case Weighing():
            return score.columns, score.weigh_columns()
    return OutcomeColumns(()), []


def _features(columns: OutcomeColumns) -> list[NumberFeature | TableFeature | None]:
    """What each column measures, where it is of numbers or of tables."""
    found: list[NumberFeature | TableFeature | None] = []
    for family in columns.families:
        if isinstance(family, NumberColumns | TableColumns):
            found += family.features
        else:
            found += [None] * len(family.names)
    return found


_COUNTED = ("rows", "distinct values", "missing values", "trailing zeros", "fraction bits")
"""Beginnings of columns' names that stand for how many there are."""


def _noun(name: str) -> str:
    """The name of a column as the subject of a sentence."""
    return f"the number of {name}" if name.startswith(_COUNTED) else name


def _nouns(columns: OutcomeColumns) -> list[str]:
    """The columns as objects of a sentence: a flag is what it flags."""
    counts = [isinstance(feature, TableFeature) for feature in _features(columns)]
    return [
        _noun(name) if clause is None or counted else f"whether {clause[0]}"
        for name, clause, counted in zip(columns.names, state_columns(columns), counts, strict=True)
    ]


def _list(names: Sequence[str]) -> str:
    shown = list(names[:MOST_NAMED])
    return ", ".join(shown) + (f" and {len(names) - len(shown)} more" if names[MOST_NAMED:] else "")


def _at(above: bool) -> str:
    return "at least" if above else "at most"


def _number(value: float) -> str:
    # Minus zero is zero.
    return f"{value + 0.0:.6g}"
