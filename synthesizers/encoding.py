"""From the texts in a column to the codes of an attribute.

A column is coded through its distinct texts: each is looked at once, and the
records follow by indexing. Errors name the attribute and the rule, never a text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Attribute
from synthesizers.errors import InputError
from synthesizers.numerals import is_decimal, number_text

_WHOLE_FLOAT = re.compile(r"(-?(?:0|[1-9][0-9]*))\.0+")


def encode_texts(attribute: Attribute, texts: Sequence[str]) -> NDArray[np.int64]:
    """Return the code of each text, [len(texts)].

    A label stands for its own code. Otherwise an empty text is the missing
    value, a whole number written as a float (``1.0``) is the value of that
    integer, and a number falls into its bin: left-closed, the last edge included.

    Raises ``InputError`` for a text that none of these covers.

    **Guarantee.** A number is compared with the edges exactly, as the decimal
    that is written: rounding to a float is monotone, so only a number that
    rounds to an edge can be misplaced, and these are compared as rationals.
    Backed by the comparison with rational bisection in
    ``tests/synthesizers/test_tables.py``.
    """
    code_of = {label: code for code, label in enumerate(attribute.labels)}
    codes = np.fromiter((code_of.get(text, -1) for text in texts), np.int64, len(texts))
    unknown = [place for place in np.flatnonzero(codes < 0).tolist() if texts[place]]
    if len(unknown) < np.count_nonzero(codes < 0):
        codes[codes < 0] = missing_code(attribute)
    if unknown:
        rest = [texts[place] for place in unknown]
        if attribute.edges is None:
            codes[unknown] = _codes_of_whole_floats(attribute, code_of, rest)
        else:
            codes[unknown] = _bins_of_numbers(attribute, attribute.edges, rest)
    return codes


def missing_code(attribute: Attribute) -> int:
    """Return the code of a record without a value; ``InputError`` if none is declared."""
    if not attribute.missing:
        raise InputError(
            f"attribute {attribute.name!r}: a record has no value and the domain declares no "
            "missing value; declare missing = true, or complete the table"
        )
    return attribute.size - 1


def _codes_of_whole_floats(
    attribute: Attribute, code_of: dict[str, int], texts: Sequence[str]
) -> NDArray[np.int64]:
    codes = np.empty(len(texts), dtype=np.int64)
    for position, text in enumerate(texts):
        whole = _WHOLE_FLOAT.fullmatch(text)
        digits = "" if whole is None else whole.group(1)
        code = code_of.get("0" if digits == "-0" else digits, -1)
        if code < 0 or not digits:
            raise InputError(
                f"attribute {attribute.name!r}: a record has a value that the domain does not "
                "declare; add it to the values, or correct the table"
            )
        codes[position] = code
    return codes


def _bins_of_numbers(
    attribute: Attribute, edges: tuple[Fraction, ...], texts: Sequence[str]
) -> NDArray[np.int64]:
    if not all(map(is_decimal, texts)):
        raise InputError(
            f"attribute {attribute.name!r}: a record has a value that is neither a finite number "
            "nor the label of a bin; write it as a plain decimal, or correct the table"
        )
    numbers = np.fromiter(map(float, texts), np.float64, len(texts))
    rounded_edges = np.array([float(edge) for edge in edges])
    bins = np.searchsorted(rounded_edges, numbers, side="right").astype(np.int64) - 1
    for position in np.flatnonzero(np.isin(numbers, rounded_edges)).tolist():
        exact = Fraction(texts[position])
        on_last_edge = exact == edges[-1]
        bins[position] = len(edges) - 2 if on_last_edge else bisect_right(edges, exact) - 1
    if bins.min() < 0 or bins.max() > len(edges) - 2:
        raise InputError(
            f"attribute {attribute.name!r}: a record has a value outside the bins from "
            f"{number_text(edges[0])} to {number_text(edges[-1])}; widen the bins, or correct the "
            "table"
        )
    return bins
