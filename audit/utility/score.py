"""What a metric says: a number with all that is needed to read it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from synthesizers.errors import InputError

Direction = Literal["higher", "lower"]
"""Which end of its range a score should be near."""

MOST_ROWS = 1000
"""The most rows of a breakdown of which the worst are listed: all pairs of 45 attributes."""

Entry = str | int | float | None
"""One entry of a breakdown; None is an undefined number."""


@dataclass(frozen=True)
class Breakdown:
    """What a score is made of, as a table; the rows that matter most come first.

    ``name`` says of what the rows are, so that a report can draw them: "marginals",
    "pairs", "groups", "densities", "cells", …; ``plotted`` is the column to be drawn, if that
    is not the first one of numbers.

    Raises ``InputError`` for a row that is not as wide as the header, or a column to be
    drawn that there is not.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    note: str = ""
    plotted: str = ""

    @classmethod
    def of_worst(
        cls,
        name: str,
        columns: tuple[str, ...],
        worst_first: Sequence[tuple[Entry, ...]],
        plotted: str = "",
    ) -> Breakdown:
        """The first ``MOST_ROWS`` rows, with a note that says how many are left out."""
        left = len(worst_first) - MOST_ROWS
        note = f"{left} better {name} are left out" if left > 0 else ""
        return cls(name, columns, tuple(worst_first[:MOST_ROWS]), note, plotted)

    def __post_init__(self) -> None:
        """Refuse a row that is not as wide as the header, and an unknown column."""
        if self.plotted and self.plotted not in self.columns:
            raise InputError(f"a breakdown has no column {self.plotted!r} to draw")
        if any(len(row) != len(self.columns) for row in self.rows):
            raise InputError(f"every row of a breakdown needs {len(self.columns)} entries")


@dataclass(frozen=True)
class Score:
    """The value of one metric, its range and direction, and where it comes from.

    ``value`` is None exactly where the score is ``undefined``, which says why.
    ``mode`` is "fixed", or the official program that is reproduced. ``drawn``
    holds the random draws in plain JSON, to be given again; ``parts`` what each of
    them contributed, in the same order, so that two tables scored on the same
    draws can be compared draw by draw. ``standard_error`` is the Monte-Carlo one
    over draws; ``replicates`` are the values of further seeds. ``exact`` is the
    value as a fraction where it has one; ``bracket`` encloses a value that was
    not computed to the end. ``stated``: parameters, null, omissions, whatever a
    reader has to know beside the number.

    Raises ``InputError`` for a value outside its range, or a value together with
    a reason why there is none.
    """

    metric: str
    value: float | None
    lowest: float
    highest: float
    direction: Direction
    mode: str = "fixed"
    seed: int | None = None
    drawn: tuple[object, ...] = ()
    parts: tuple[float, ...] = ()
    standard_error: float | None = None
    replicates: tuple[float, ...] = ()
    exact: Fraction | None = None
    bracket: tuple[Fraction, Fraction] | None = None
    stated: tuple[str, ...] = ()
    details: tuple[Breakdown, ...] = ()
    undefined: str | None = None

    def __post_init__(self) -> None:
        """Refuse a score that contradicts itself."""
        if (self.value is None) != (self.undefined is not None):
            raise InputError(f"{self.metric}: a score has either a value or a reason for none")
        if self.value is not None and not self.lowest <= self.value <= self.highest:
            raise InputError(
                f"{self.metric}: the value lies outside {self.lowest:g} to {self.highest:g}"
            )

    @property
    def draws(self) -> int | None:
        """The number of random draws behind the value; None for a metric without."""
        return len(self.drawn) or None

    def breakdown(self, name: str) -> Breakdown | None:
        """The breakdown of that name, if the score has one."""
        return next((detail for detail in self.details if detail.name == name), None)


class Undefined(Exception):
    """A score has no value, for the reason that the message gives."""


def standard_error(parts: tuple[float, ...]) -> float | None:
    """The standard error of the mean of independent draws; None for fewer than two."""
    if len(parts) < 2:
        return None
    mean = math.fsum(parts) / len(parts)
    spread = math.fsum((part - mean) ** 2 for part in parts)
    return math.sqrt(spread / (len(parts) - 1) / len(parts))


def jackknife_parts(value: float, without: Sequence[float]) -> tuple[float, ...]:
    """What each of n draws contributes to a value that is no mean of theirs.

    ``without`` [n] are the values that leave out one draw each. The contributions have
    ``value`` for mean, and their standard error is that of the jackknife (Efron and Stein
    1981, "The jackknife estimate of variance"): unlike a linearisation at the value, it
    is not too small where a few draws decide.
    """
    middle = math.fsum(without) / len(without)
    return tuple(value + (len(without) - 1) * (middle - left) for left in without)
