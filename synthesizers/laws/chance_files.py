"""Small public files of chances: CSV lines whose numbers are read exactly."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path

from synthesizers.errors import InputError
from synthesizers.numerals import number_text, rational

MAX_CHARACTERS = 2**24
"""The longest file that is read."""

Line = tuple[int, list[str]]


def read_lines(path: str) -> list[Line]:
    """The lines of a CSV file that are not blank, each with its number in the file.

    Raises InputError for a file that cannot be read, is not UTF-8 text, is too
    long, or has nothing in it.
    """
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            text = file.read(MAX_CHARACTERS + 1)
        if len(text) > MAX_CHARACTERS:
            raise InputError(f"{path} is longer than {MAX_CHARACTERS} characters; no such file is")
        reader = csv.reader(text.splitlines(), strict=True)
        lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except (UnicodeDecodeError, csv.Error):
        raise InputError(f"{path} is not a well-formed CSV file of UTF-8 text") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or 'damaged'}") from error
    found = [(number, cells) for number, cells in lines if any(cells)]
    if not found:
        raise InputError(f"{path} is empty; expected lines of numbers")
    return found


def chance(text: str, where: str) -> Fraction:
    """A chance as a decimal or a fraction; InputError, naming ``where``, for anything else."""
    value = rational(text)
    if value is None or not 0 <= value <= 1:
        raise InputError(
            f"{where}: expected a chance from 0 to 1 as a decimal or a fraction, such as 0.25 or "
            f"1/3, found {text[:40]!r}"
        )
    return value


def require_whole(chances: Iterable[Fraction], where: str) -> None:
    """Raise InputError, naming ``where``, unless the chances sum to exactly 1."""
    total = sum(chances, Fraction(0))
    if total != 1:
        raise InputError(
            f"{where}: the chances sum to {number_text(total)}, expected exactly 1; write what no "
            "decimal says exactly as a fraction, such as 1/3"
        )
