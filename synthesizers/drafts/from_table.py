"""A draft of a table: the values that occur, ranges of whole numbers, bins at percentiles.

All of that is of the records themselves. It costs no privacy where they are public or synthetic;
of a confidential table it gives away what it says, and the draft tells so at every attribute.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synthesizers.attributes import Attribute
from synthesizers.column_schemas import MAX_INTEGERS
from synthesizers.csv_files import open_csv
from synthesizers.drafts.draft import Bins, Column, Complete, Draft, Gap, LeftOut, list_values
from synthesizers.drafts.percentiles import percentile_edges, set_apart
from synthesizers.errors import InputError
from synthesizers.numerals import is_decimal, number_text
from synthesizers.parquet import parquet_columns, parquet_frames
from synthesizers.quantities import DAY, Quantity
from synthesizers.tables import OTHER_SIGNS, distinct_texts

MOST_VALUES = 200
"""The most distinct texts of a column that are taken for its values: more are names or remarks."""

MOST_CODES = 20
"""The most whole numbers that are taken for codes, of which 2 is not more than 1: as many as a
questionnaire has answers. More are taken for amounts. Nobody can tell: a reader is asked."""

USUAL_BINS = 20
"""Bins of a column of numbers where nothing is said: those of SDNist's report."""

MISSING_TEXTS = ("N", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>", "?", ".", "-")
"""Texts that are taken for a missing value where all others of a column are numbers or dates."""

GIVES_AWAY = (
    "Which values occur is told of every attribute with values: one that a single record has tells "
    "that this record is there.",
    "The least and the largest of a range, or of bins, are numbers of single records.",
    "Edges of bins are percentiles. It is told, too, which columns have missing values.",
    "No claim of (ε, δ) covers any of this: such a claim is about what a program does once the "
    "domain is public. Write from public knowledge what can occur, in place of what does.",
)
"""What a draft of a confidential table gives away."""

_CODE = re.compile(r"-?0[0-9]+")


@dataclass(frozen=True)
class Counted:
    """The distinct texts of a column, and how many records have each: ``counts`` [texts]."""

    texts: tuple[str, ...]
    counts: NDArray[np.int64]
    records: int

    @property
    def unique(self) -> bool:
        """Whether every record has a text of its own, and there are more than a few."""
        return self.records > MOST_CODES and len(self.texts) == self.records


def draft_table(
    table: str | Path | pd.DataFrame,
    bins: Bins,
    individual: str | None = None,
    *,
    confidential: bool = False,
) -> Draft:
    """The draft of a table: a CSV or Parquet file, or a data frame.

    ``individual``: its id column. Raises ``InputError`` for a file that cannot be read, a table
    without records, an id column that it lacks, and bins of such a column.
    """
    frame, name = _read(table)
    names = [str(column) for column in frame.columns]
    # A file without a header has a record in its place: nothing of it is quoted.
    if len(set(names)) < len(names):
        raise InputError("the table has two columns of the same name; rename or drop one")
    for sign, spoken in OTHER_SIGNS:
        if len(names) == 1 and sign in names[0]:
            raise InputError(f"its fields are parted by {spoken}: write the file with commas")
    if not len(frame):
        raise InputError("the table has no records, and nothing is drafted of it")
    told = [column for column, _ in (*bins.named, *bins.apart)]
    for asked in (*told, *filter(None, [individual])):
        if asked not in names:
            raise InputError(f"the table has no column {asked!r}")
    columns: list[Column] = []
    for place, column in enumerate(names):
        if column == individual:
            columns.append(LeftOut(column, "the id column; [individual] names it"))
            continue
        held = _count(column, frame.iloc[:, place])
        columns.append(_column(column, held, bins, confidential))
    kind = "the CONFIDENTIAL table" if confidential else "the public table"
    notes = ("WHAT THIS FILE GIVES AWAY:", *GIVES_AWAY) if confidential else ()
    return Draft(name, f"{kind} {name}", tuple(columns), individual, notes)


def _read(table: str | Path | pd.DataFrame) -> tuple[pd.DataFrame, str]:
    if isinstance(table, pd.DataFrame):
        return table, "domain"
    path = Path(table)
    stem = path.name.split(".")[0]
    name = stem if stem.isprintable() and stem not in ("", "-") else "domain"
    if path.name.endswith(".parquet"):
        columns = parquet_columns(path)
        return next(parquet_frames(path, columns, None)), name
    with open_csv(table) as file:
        frame = next(file.frames(None), None)
        return pd.DataFrame(columns=list(file.names)) if frame is None else frame, name


def _count(name: str, series: pd.Series) -> tuple[Counted, bool]:
    """The texts of a column but for the empty one, and whether a record has none."""
    places, texts = distinct_texts(name, series)
    counts = np.bincount(places[places >= 0], minlength=len(texts))
    kept = [at for at, text in enumerate(texts) if text]
    absent = bool((places < 0).any()) or len(kept) < len(texts)
    return Counted(tuple(texts[at] for at in kept), counts[kept], len(series)), absent


def _column(name: str, held: tuple[Counted, bool], bins: Bins, confidential: bool) -> Column:
    counted, absent = held
    label = _missing_text(counted.texts)
    missing: bool | str = label or absent
    there = [at for at, text in enumerate(counted.texts) if text != label]
    texts, counts = [counted.texts[at] for at in there], counted.counts[there]
    if not texts:
        return Gap(name, "values", "the values that can occur: no record has one", missing=missing)
    quantity = _quantity(texts)
    if quantity is None:
        return _categories(name, texts, missing, confidential)
    found = _bin_numbers(name, quantity, texts, counts, bins, missing)
    numbered = counted.unique and all("." not in text for text in texts)
    about = "Every record has another: is it an id? Then --id says so." if numbered else ""
    check = _SECRET if confidential else "the range that occurs; widen it to what can"
    if quantity is Quantity.NUMBERS:
        codes = "are they codes? List them as values, without an order"
        amounts = "are they amounts? Add ordinal = true"
        check = f"{check}; {codes if found.ordinal else amounts}"
    return Complete(found, about, check)


_SECRET = "the ends and the edges are those of records: write public ones in their place"
_SECRET_VALUES = "these are the values that occur: write those that can in their place"


def _categories(
    name: str, texts: Sequence[str], missing: bool | str, confidential: bool
) -> Complete | Gap:
    if len(texts) > MOST_VALUES:
        ask = (
            f"the values that can occur: there are more than {MOST_VALUES} in the table. An id "
            "column is named by --id"
        )
        return Gap(name, "values", ask, missing=missing)
    draft = list_values(name, sorted(texts), missing=missing)
    check = _SECRET_VALUES if confidential else "the values that occur; add those that can"
    return Complete(draft.attribute, draft.about, check)


def _missing_text(texts: Sequence[str]) -> str:
    """The text that stands for a missing value beside numbers or dates; empty if there is none."""
    for text in MISSING_TEXTS:
        rest = [other for other in texts if other != text]
        if text in texts and rest and _quantity(rest) is not None:
            return text
    return ""


def _quantity(texts: Sequence[str]) -> Quantity | None:
    """What all texts are; None if they are codes such as 007, or texts of no kind."""
    if all(is_decimal(text) and _CODE.fullmatch(text) is None for text in texts):
        return Quantity.NUMBERS
    if all(Quantity.TIMES.read(text) is not None for text in texts):
        return Quantity.TIMES
    moments = [Quantity.MOMENTS.read(text) for text in texts]
    if None in moments:
        return None
    whole = all(moment is not None and moment % DAY == 0 for moment in moments)
    return Quantity.DATES if whole else Quantity.MOMENTS


def _bin_numbers(
    name: str,
    quantity: Quantity,
    texts: Sequence[str],
    counts: NDArray[np.int64],
    bins: Bins,
    missing: bool | str,
) -> Attribute:
    """The whole numbers from the least to the largest if they are few, or bins at percentiles."""
    label = missing if isinstance(missing, str) else ""
    total: dict[Fraction, int] = {}
    for text, count in zip(texts, counts.tolist(), strict=True):
        number = quantity.read(text)
        assert number is not None
        total[number] = total.get(number, 0) + count
    numbers = sorted(total)
    step = DAY if quantity is Quantity.DATES else 1
    whole = all(number.denominator == 1 for number in numbers)
    many = bins.of(name)
    few = numbers[-1] - numbers[0] < MAX_INTEGERS if many is None else len(numbers) <= many
    if quantity is Quantity.NUMBERS and whole and few and all(map(_is_plain, texts)):
        span = numbers[-1] - numbers[0] < MAX_INTEGERS
        listed_all = range(int(numbers[0]), int(numbers[-1]) + 1) if span else numbers
        values = tuple(str(value) for value in listed_all)
        return Attribute(name, values, len(values) > MOST_CODES, None, bool(missing), label)
    apart = {number for column, number in bins.apart if column == name}
    rest = [number for number in numbers if number not in apart] or numbers
    weights = np.array([total[number] for number in rest], dtype=np.int64)
    edges = percentile_edges(rest, weights, many or USUAL_BINS, step if whole else None)
    for code in sorted(apart):
        edges = set_apart(edges, code)
    return Attribute.binned(
        name, edges, ordinal=True, missing=bool(missing), missing_label=label, quantity=quantity
    )


def _is_plain(text: str) -> bool:
    """Whether a whole number is written so that a table with it is read: 12, or 12.0."""
    whole = number_text(Fraction(text))
    return text == whole or re.fullmatch(rf"{whole}\.0+", text) is not None
