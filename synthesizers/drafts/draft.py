"""A draft: what a source says of a domain, what it leaves open, and both as a TOML file.

Whatever a source says is a stranger's text: names and values are quoted, and comments hold
printable signs alone, so that nothing of it can become a line of the file.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from synthesizers.attributes import Attribute, first_repeated, require_text
from synthesizers.column_schemas import MAX_INTEGERS
from synthesizers.domain_toml import FILL_IN, attribute_line, quote, write_line
from synthesizers.errors import InputError
from synthesizers.numerals import number_text

LONGEST_COMMENT = 700
"""Characters of a comment: room for what a data dictionary says of twenty codes."""

WIDTH = 96
"""Characters of a line of comment."""


@dataclass(frozen=True)
class Complete:
    """A column that the source declares: ``about`` it, and what a reader must ``check``."""

    attribute: Attribute
    about: str = ""
    check: str = ""

    @property
    def name(self) -> str:
        """The column."""
        return self.attribute.name

    def line(self) -> str:
        """Its line in the file."""
        return attribute_line(self.attribute)


@dataclass(frozen=True)
class Gap:
    """A column of which the source does not say the values or the bins.

    ``ask``: what to write. ``missing``: whether a value may be missing, or how tables write that.
    """

    name: str
    key: Literal["values", "bins"]
    ask: str
    about: str = ""
    ordinal: bool = False
    missing: bool | str = False

    def __post_init__(self) -> None:
        """Refuse a name that no attribute can have, or such a text for a missing value."""
        require_text(self.name, "the name of a column")
        if isinstance(self.missing, str):
            require_text(self.missing, f"column {self.name!r}: its missing value")

    def line(self) -> str:
        """Its line in the file, which is refused until the text in it is replaced."""
        declared = f"{self.key} = {quote(FILL_IN)}"
        return write_line(self.name, declared, ordinal=self.ordinal, missing=self.missing)


@dataclass(frozen=True)
class LeftOut:
    """A column that is no attribute, and why."""

    name: str
    why: str


Column = Complete | Gap | LeftOut


@dataclass(frozen=True)
class Draft:
    """What a source says of a domain.

    ``source``: what it is, in words. ``notes``: what holds of the whole. ``individual``: the id
    column. Raises ``InputError`` for no attribute and for a name that comes twice.
    """

    name: str
    source: str
    columns: tuple[Column, ...]
    individual: str | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what could be no domain once its gaps are filled."""
        require_text(self.name, "the name of a domain")
        if not self.attributes:
            raise InputError(f"{self.source} declares no column that could be an attribute")
        repeated = first_repeated(column.name for column in self.columns)
        if repeated is not None:
            raise InputError(f"the column {repeated!r} is declared twice; keep it once")
        if self.individual is not None:
            require_text(self.individual, "the id column")

    @property
    def attributes(self) -> tuple[Complete | Gap, ...]:
        """The columns that are attributes."""
        return tuple(column for column in self.columns if not isinstance(column, LeftOut))

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """The attributes that are to be filled in."""
        return tuple(column for column in self.columns if isinstance(column, Gap))

    @property
    def checks(self) -> tuple[Complete, ...]:
        """The attributes that a reader must check."""
        complete = (column for column in self.columns if isinstance(column, Complete))
        return tuple(column for column in complete if column.check)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The columns that are none."""
        return tuple(column for column in self.columns if isinstance(column, LeftOut))

    def toml(self) -> str:
        """The file: what is left open is marked, and commented.

        **Guarantee.** Without gaps, ``domain_from_toml`` reads it as the attributes above, whatever
        signs names, values and comments hold: backed by
        ``tests/synthesizers/drafts/test_draft.py``.
        """
        lines = comment(f"A draft of a domain file by dp-audit domain, from {self.source}.")
        for note in self.notes:
            lines += comment(note)
        if self.gaps:
            lines += comment(f"Write values or bins in place of {FILL_IN!r}, or delete the line.")
        lines += [f"name = {quote(self.name)}", "", "[attributes]"]
        for column in self.attributes:
            told = [column.about]
            told += [f"FILL IN: {column.ask}" if isinstance(column, Gap) else _say_check(column)]
            notes = [line for text in told if text for line in comment(text)]
            # A line with comments stands apart, and the others below each other.
            lines += ["", *notes] if notes else []
            lines.append(column.line())
        left = [line for one in self.left_out for line in comment(f"{one.name}: {one.why}")]
        if left:
            lines += ["", "# Left out:", *left]
        if self.individual is not None:
            lines += ["", "[individual]", f"id = {quote(self.individual)}"]
        return "\n".join(lines) + "\n"


def comment(text: str) -> list[str]:
    """Return a text as lines of comment: its printable signs, and not too many."""
    plain = " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
    short = textwrap.shorten(plain, LONGEST_COMMENT, placeholder=" …")
    return [f"# {line}" for line in textwrap.wrap(short, WIDTH, break_on_hyphens=False)] or ["#"]


def _say_check(column: Complete) -> str:
    return f"CHECK: {column.check}" if column.check else ""


def bound_numbers(
    name: str,
    low: Fraction,
    high: Fraction,
    *,
    whole: bool,
    bins: int | None = None,
    about: str = "",
    missing: bool | str = False,
) -> Complete | Gap:
    """Return a column of numbers of which both ends are known.

    At most ``MAX_INTEGERS`` whole numbers are a value each; others have ``bins`` of equal width, or
    are a gap where it is not said how many. Raises ``InputError`` if the ends are in no order.
    """
    if high < low:
        raise InputError(f"column {name!r}: its maximum is below its minimum")
    label = missing if isinstance(missing, str) else ""
    if whole and high - low < MAX_INTEGERS:
        values = tuple(str(value) for value in range(int(low), int(high) + 1))
        return Complete(Attribute(name, values, True, None, bool(missing), label), about)
    if bins is not None and low < high:
        steps = [low + (high - low) * k / bins for k in range(bins + 1)]
        edges = sorted({Fraction(int(step // 1)) for step in steps}) if whole else steps
        binned = Attribute.binned(
            name, edges, ordinal=True, missing=bool(missing), missing_label=label
        )
        return Complete(binned, about, "bins of equal width, from one end to the other")
    ends = f"{number_text(low)} to {number_text(high)}"
    example = f"bins = [{number_text(low)}, …, {number_text(high)}]"
    ask = f"bins from {ends}, as in {example}; --bins {name}=20 makes 20 of equal width"
    return Gap(name, "bins", ask, about, True, missing)


def list_values(
    name: str,
    values: Sequence[str],
    *,
    ordinal: bool = False,
    about: str = "",
    missing: bool | str = False,
) -> Complete:
    """Return a column of which all values are known, those of a missing one among them."""
    label = missing if isinstance(missing, str) else ""
    kept = tuple(value for value in dict.fromkeys(values) if value and value != label)
    absent = bool(missing) or "" in values
    return Complete(Attribute(name, kept, ordinal, None, absent, label), about)


@dataclass(frozen=True)
class Bins:
    """How many bins columns of numbers are to have: the ``named`` ones, and ``all`` others.

    ``apart``: numbers that are codes, by column; each has a bin of its own.
    """

    all: int | None = None
    named: tuple[tuple[str, int], ...] = ()
    apart: tuple[tuple[str, Fraction], ...] = ()

    def of(self, name: str) -> int | None:
        """Those of a column; None where nothing is said."""
        return dict(self.named).get(name, self.all)
