"""Perturbation tables: designed for a wanted variance, or read from a file."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from synthesizers.errors import InputError
from synthesizers.laws.cell_keys import Changes, PerturbationTable
from synthesizers.laws.chance_files import chance, read_lines, require_whole
from synthesizers.laws.maximum_entropy import maximum_entropy, round_to_sum, variances
from synthesizers.numerals import number_text, rational

MAX_DEVIATION = 15
"""The largest deviation of a designed table (agencies take 1 to 10)."""

MAX_KEYS = 2**32
"""The largest number of keys."""

COLUMNS = ["count", "change", "chance"]


@dataclass(frozen=True, slots=True)
class Design:
    """What a perturbation table shall be like (Marley & Leaver 2011; Giessing 2016).

    No count changes by more than ``deviation``. The changes of every count have
    mean 0 and variance ``variance``, and the largest entropy that this allows.
    Chances are multiples of 1/``keys``. No count from 1 to ``smallest`` - 1
    comes out.
    """

    deviation: int
    variance: Fraction
    keys: int
    smallest: int

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("deviation", self.deviation, 1, MAX_DEVIATION),
            ("keys", self.keys, 2, MAX_KEYS),
            ("smallest", self.smallest, 1, MAX_DEVIATION),
        ):
            if not least <= value <= most:
                raise InputError(f"{name} must be from {least} to {most}, found {value}")
        if self.variance <= 0:
            raise InputError(f"variance must be positive, found {number_text(self.variance)}")

    @property
    def last(self) -> int:
        """The count from which on every change is possible, so that one row serves them all."""
        return self.deviation + (self.smallest if self.smallest > 1 else 0)

    def changes(self, count: int) -> list[int]:
        """The changes that a count may undergo, ascending."""
        span = range(-min(count, self.deviation), self.deviation + 1)
        return [change for change in span if count + change == 0 or count + change >= self.smallest]


@lru_cache(maxsize=256)
def design_table(design: Design) -> PerturbationTable:
    """The table of a design; InputError where some count has no law with the wanted moments.

    Maximum entropy is rounded to multiples of 1/keys: see `round_to_sum`. Sums are
    exactly 1, means as near 0 as that allows, and variances what they come to.
    """
    return PerturbationTable(tuple(_row(design, count) for count in range(1, design.last + 1)))


def _row(design: Design, count: int) -> Changes:
    changes = design.changes(count)
    low, high = variances(changes)
    if not low <= design.variance <= high:
        possible = f"from {low} to {high}" if high else "0 alone"
        raise InputError(
            f"a count of {count} cannot change with mean 0 and variance "
            f"{number_text(design.variance)}: its variance can be {possible}; take another "
            "variance, a larger deviation or a smaller smallest"
        )
    keys = round_to_sum(changes, maximum_entropy(changes, design.variance), design.keys)
    row = [(v, Fraction(number, design.keys)) for v, number in zip(changes, keys, strict=True)]
    if (0, Fraction(1)) in row:
        raise InputError(
            f"with variance {number_text(design.variance)} and {design.keys} keys a count of "
            f"{count} would never change; take a larger variance or more keys"
        )
    return tuple((change, part) for change, part in row if part)


def read_perturbation_table(path: str) -> PerturbationTable:
    """The table of a CSV file with the columns count, change and chance.

    Counts go from 1 up without a gap, in any order of lines; the last one's
    changes are those of all larger counts. A count of 0 may stand there with its
    only change, 0. Raises InputError, naming the line or the count, for
    anything else.
    """
    (_, header), *lines = read_lines(path)
    if header != COLUMNS:
        raise InputError(f"{path}: the first line must be {','.join(COLUMNS)}")
    rows: dict[int, dict[int, Fraction]] = {}
    for number, cells in lines:
        where = f"{path}, line {number}"
        if len(cells) != len(COLUMNS):
            raise InputError(f"{where}: expected a count, a change and a chance")
        count, change = (_whole(text, where) for text in cells[:2])
        row = rows.setdefault(count, {})
        if change in row:
            raise InputError(f"{where}: a count of {count} has this change twice; keep one")
        row[change] = chance(cells[2], where)
    for count, row in rows.items():
        require_whole(row.values(), f"{path}, count {count}")
    found = {count: {c: p for c, p in row.items() if p} for count, row in rows.items()}
    if found.pop(0, {0: Fraction(1)}) != {0: Fraction(1)}:
        raise InputError(f"{path}: a count of 0 stays 0; drop its other changes")
    if sorted(found) != list(range(1, len(found) + 1)):
        raise InputError(f"{path}: the counts must go from 1 up without a gap")
    try:
        return PerturbationTable(tuple(tuple(sorted(found[i].items())) for i in sorted(found)))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _whole(text: str, where: str) -> int:
    value = rational(text)
    if value is None or value.denominator != 1:
        raise InputError(f"{where}: count and change are whole numbers, found {text[:40]!r}")
    return int(value)
