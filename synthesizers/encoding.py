"""From the texts in a column to the codes of an attribute.

A column is coded through its distinct texts: each is looked at once, and the
records follow by indexing. Errors name the attribute and the rule, never a text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Attribute
from synthesizers.errors import InputError
from synthesizers.numerals import is_decimal
from synthesizers.quantities import Quantity, has_zone

_WHOLE_FLOAT = re.compile(r"(-?(?:0|[1-9][0-9]*))\.0+")


@dataclass(frozen=True)
class Fault:
    """Why a text has no code: what is wrong with it, and the mend; ``what`` follows "has"."""

    what: str
    mend: str


NO_VALUE = Fault(
    "no value and the domain declares no missing value",
    "declare missing = true, or complete the table",
)
UNDECLARED = Fault(
    "a value that the domain does not declare", "add it to the values, or correct the table"
)
NO_NUMBER = Fault(
    "a value that is neither a finite number nor the label of a bin",
    "write it as a plain decimal, or correct the table",
)
NO_DATE = Fault(
    "a value that is neither a date or time in the calendar nor the label of a bin",
    "write dates as 2020-01-31, with a time 2020-01-31T17:30:00, or correct the table",
)
ZONED = Fault(
    "a time that names its zone",
    "write all times by one clock, without a zone, as in 2020-01-31T17:30:00",
)


def code_texts(
    attribute: Attribute, texts: Sequence[str]
) -> tuple[NDArray[np.int64], dict[Fault, list[int]]]:
    """Return the code of each text, [len(texts)], and the places of texts without one, by fault.

    A label stands for its own code. Otherwise an empty text is the missing
    value, a whole number written as a float (``1.0``) is the value of that
    integer, and a number, or a date or time, falls into its bin: left-closed, the last edge
    included.
    The code of a text that none of these covers is -1.

    **Guarantee.** A number is compared with the edges exactly, as the decimal
    that is written: rounding to a float is monotone, so only a number that
    rounds to an edge can be misplaced, and these are compared as rationals.
    Backed by the comparison with rational bisection in
    ``tests/synthesizers/test_tables.py``.
    """
    code_of = {label: code for code, label in enumerate(attribute.labels)}
    codes = np.fromiter((code_of.get(text, -1) for text in texts), np.int64, len(texts))
    faults: dict[Fault, list[int]] = {}
    unknown = np.flatnonzero(codes < 0).tolist()
    empty = [place for place in unknown if not texts[place]]
    if empty and attribute.missing:
        codes[empty] = attribute.size - 1
    elif empty:
        faults[NO_VALUE] = empty
    unknown = [place for place in unknown if texts[place]]
    if unknown:
        rest = [texts[place] for place in unknown]
        if attribute.edges is None:
            found, fault_of = _codes_of_whole_floats(code_of, rest)
        else:
            found, fault_of = _bins_of(attribute, attribute.edges, rest)
        codes[unknown] = found
        for place in np.flatnonzero(found < 0).tolist():
            faults.setdefault(fault_of(place), []).append(unknown[place])
    return codes, faults


def encode_texts(attribute: Attribute, texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the code of each text, [len(texts)], as `code_texts`.

    Raises ``InputError`` for a text without a code.
    """
    codes, faults = code_texts(attribute, texts)
    for fault in faults:
        raise InputError(f"attribute {attribute.name!r}: a record has {fault.what}; {fault.mend}")
    return codes


def _codes_of_whole_floats(
    code_of: dict[str, int], texts: Sequence[str]
) -> tuple[NDArray[np.int64], Callable[[int], Fault]]:
    codes = np.full(len(texts), -1, dtype=np.int64)
    for position, text in enumerate(texts):
        whole = _WHOLE_FLOAT.fullmatch(text)
        if whole is not None:
            digits = whole.group(1)
            codes[position] = code_of.get("0" if digits == "-0" else digits, -1)
    return codes, lambda place: UNDECLARED


def _bins_of(
    attribute: Attribute, edges: tuple[Fraction, ...], texts: Sequence[str]
) -> tuple[NDArray[np.int64], Callable[[int], Fault]]:
    quantity = attribute.quantity
    if quantity is Quantity.NUMBERS:
        numbers = np.array([float(text) if is_decimal(text) else np.nan for text in texts])
    else:
        read = [quantity.double(text) for text in texts]
        numbers = np.array([np.nan if number is None else number for number in read])
    rounded_edges = np.array([float(edge) for edge in edges])
    bins = np.searchsorted(rounded_edges, numbers, side="right").astype(np.int64) - 1
    for position in np.flatnonzero(np.isin(numbers, rounded_edges)).tolist():
        exact = quantity.read(texts[position])
        assert exact is not None
        on_last_edge = exact == edges[-1]
        bins[position] = len(edges) - 2 if on_last_edge else bisect_right(edges, exact) - 1
    outside = Fault(
        f"a value outside the bins from {quantity.write(edges[0])} to {quantity.write(edges[-1])}",
        "widen the bins, or correct the table",
    )
    absent = np.isnan(numbers)
    bins[absent | (bins > len(edges) - 2)] = -1

    def fault_of(place: int) -> Fault:
        if not absent[place]:
            return outside
        if quantity is Quantity.NUMBERS:
            return NO_NUMBER
        return ZONED if has_zone(texts[place]) else NO_DATE

    return bins, fault_of
