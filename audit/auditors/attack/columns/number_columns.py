"""Columns of outcomes that are made of numbers: their values, and the bits that hold them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.subjects.outcomes import Outcomes, number_length, places_looked_at
from audit.subjects.plain_data import leaves

FloatArray = NDArray[np.float64]

ORIGINS = ("numbers", "text", "data")
"""The kinds of outcomes in which numbers are found."""

LARGEST = 1e150
"""Values are clipped to this size (their squares are finite)."""

MOST_IN_TEXT = 64
"""Numbers that are read in one text."""

HELD_AT_ONCE = 2**21
"""Numbers of whole outputs that are held at once (16 MB)."""

SINGLE = ("value", "no number", "inf", "-inf", "-0")
WHOLE = ("sum", "largest", "smallest", "place of the largest", "number of zeros")
BITS = ("lowest bit", "exponent", "trailing zeros", "last bits", "fraction bits")

_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


@dataclass(frozen=True)
class NumberFeature:
    """One column. ``what``: of SINGLE, BITS or WHOLE; ``key``: of which number ("" for WHOLE)."""

    name: str
    what: str
    key: str


@dataclass(frozen=True)
class NumberColumns:
    """Columns of the numbers of all outcomes of one kind; 0 for outcomes of another.

    ``origin``: "numbers" (keys are places in the output), "text" (the places of numbers in it)
    or "data" (paths).
    """

    origin: str
    features: tuple[NumberFeature, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is."""
        return tuple(feature.name for feature in self.features)

    def rows(self, outcomes: Outcomes) -> FloatArray:
        """[columns, runs], finite numbers."""
        found = np.zeros((len(self.features), len(outcomes)))
        keys = list(dict.fromkeys(f.key for f in self.features if f.key))
        for place, (shape, block) in enumerate(zip(outcomes.shapes, outcomes.blocks, strict=True)):
            if shape.kind != self.origin or not len(block):
                continue
            everything = len(outcomes.blocks[place]) == len(outcomes)
            where = slice(None) if everything else np.flatnonzero(outcomes.of == place)
            values = dict(zip(keys, numbers_of(block, self.origin, keys), strict=True))
            for row, feature in enumerate(self.features):
                if feature.key:
                    found[row, where] = _single(feature.what, values[feature.key])
                else:
                    found[row, where] = _whole(feature.what, np.asarray(block))
        return found

    def take(self, places: Sequence[int]) -> NumberColumns:
        """Some of the columns."""
        return replace(self, features=tuple(self.features[place] for place in places))

    def to_json(self) -> dict[str, Any]:
        """The columns as plain data."""
        features = [[f.name, f.what, f.key] for f in self.features]
        return {"family": "numbers", "origin": self.origin, "features": features}


def number_columns_from_json(data: dict[str, Any]) -> NumberColumns:
    """The columns that `NumberColumns.to_json` wrote; ValueError where there are no such."""
    features = tuple(NumberFeature(*feature) for feature in data["features"])
    if any(f.what not in (SINGLE + BITS if f.key else WHOLE) for f in features):
        raise ValueError("there are no such columns")
    return NumberColumns(data["origin"], features)


def value_features(outcomes: Outcomes, origin: str, keys: Sequence[str]) -> list[NumberFeature]:
    """The values of some numbers, and flags for what is no finite number where that occurs."""
    names = _names(outcomes, origin, keys)
    found = [NumberFeature(names[key], "value", key) for key in keys]
    for place, (shape, block) in enumerate(zip(outcomes.shapes, outcomes.blocks, strict=True)):
        if shape.kind != origin or not len(outcomes.blocks[place]):
            continue
        for key, values in zip(keys, numbers_of(block, origin, keys), strict=True):
            for what in SINGLE[1:]:
                feature = NumberFeature(f"{names[key]} is {what}", what, key)
                if feature not in found and bool(_single(what, values).any()):
                    found.append(feature)
    return found


def whole_features(origin: str, count: int) -> list[NumberFeature]:
    """What all numbers of an output give together."""
    if origin != "numbers" or count < 2:
        return []
    return [NumberFeature(f"the {what} of the output", what, "") for what in WHOLE]


def bit_features(outcomes: Outcomes, origin: str, keys: Sequence[str]) -> list[NumberFeature]:
    """The bits of some numbers."""
    names = _names(outcomes, origin, keys)
    return [NumberFeature(f"{what} of {names[key]}", what, key) for key in keys for what in BITS]


def number_keys(outcomes: Outcomes, origin: str, most: int) -> list[str]:
    """The keys of numbers in outcomes of one kind, the first ``most`` of them."""
    found: dict[str, None] = {}
    for shape, block in zip(outcomes.shapes, outcomes.blocks, strict=True):
        if shape.kind != origin or not len(block):
            continue
        if isinstance(block, np.ndarray):
            found.update(dict.fromkeys(map(str, range(min(block.shape[1], most)))))
            continue
        for content in block:
            if len(found) >= most:
                break
            found.update(dict.fromkeys(_parse_numbers(content, origin)))
    return list(found)[:most]


def numbers_of(block: Any, origin: str, keys: Sequence[str]) -> list[FloatArray]:
    """The numbers with each key, one an outcome of the block; NaN where there is none."""
    if isinstance(block, np.ndarray):
        places = [int(key) for key in keys]
        absent = np.full(len(block), math.nan)
        return [block[:, place] if place < block.shape[1] else absent for place in places]
    found = np.full((len(keys), len(block)), math.nan)
    for outcome, content in enumerate(block):
        held = _parse_numbers(content, origin)
        for row, key in enumerate(keys):
            if key in held:
                found[row, outcome] = held[key]
    return list(found)


def _parse_numbers(content: str, origin: str) -> dict[str, float]:
    if origin == "text":
        found = islice(_NUMBER.finditer(content), MOST_IN_TEXT)
        return {str(place): float(match[0]) for place, match in enumerate(found)}
    return leaves(content)


def _names(outcomes: Outcomes, origin: str, keys: Sequence[str]) -> dict[str, str]:
    if origin == "text":
        return {key: f"number {int(key) + 1} in the text" for key in keys}
    if origin == "data":
        return {key: f"the value at {key}" for key in keys}
    blocks = zip(outcomes.shapes, outcomes.blocks, strict=True)
    held, shape = max(
        ((np.shape(block)[1], shape) for shape, block in blocks if shape.kind == "numbers"),
        key=lambda one: one[0],
    )
    if held == 1:
        return {"0": "the output"}
    places = places_looked_at(max(held, number_length(shape)))
    return {key: f"coordinate {places[int(key)] + 1}" for key in keys}


def _single(what: str, values: FloatArray) -> FloatArray:
    match what:
        case "value":
            return np.clip(np.where(np.isfinite(values), values, 0.0), -LARGEST, LARGEST)
        case "no number":
            return np.asarray(np.isnan(values), np.float64)
        case "inf":
            return np.asarray(values == math.inf, np.float64)
        case "-inf":
            return np.asarray(values == -math.inf, np.float64)
        case "-0":
            return np.asarray((values == 0) & np.signbit(values), np.float64)
    return _bits(what, values)


def _bits(what: str, values: FloatArray) -> FloatArray:
    """Of the double ±m·2^e with whole m < 2^53: what low bits of m are, and where they stand.

    Noise that is added in doubles leaves the grid of the true value's own exponent, whatever its
    law in real numbers (Mironov 2012, section 4).
    """
    bits = np.ascontiguousarray(values).view(np.int64)
    exponent = (bits >> 52) & 0x7FF
    mantissa = (bits & ((1 << 52) - 1)) | np.where(exponent > 0, 1 << 52, 0)
    lowest = mantissa & -mantissa
    # A power of two below 2^53 is a double, whose exponent says its place.
    zeros = np.where(mantissa > 0, np.frexp(lowest.astype(np.float64))[1] - 1, 53)
    # The exponent of the largest power of two of which the value is a multiple.
    last = np.where(mantissa > 0, np.maximum(exponent, 1) - 1075 + zeros, 1024)
    match what:
        case "lowest bit":
            found = last
        case "exponent":
            found = exponent - 1023
        case "trailing zeros":
            found = zeros
        case "last bits":
            found = mantissa & 7
        case _:
            # How many bits lie behind the point: 0 for a whole number.
            found = -np.minimum(last, 0)
    return np.where(np.isfinite(values), found, 0).astype(np.float64)


def _whole(what: str, block: FloatArray) -> FloatArray:
    """A few rows at a time; a row's result never depends on the rows beside it."""
    if not block.shape[1]:
        return np.zeros(len(block))
    rows = max(1, HELD_AT_ONCE // block.shape[1])
    parts = [_whole_of(what, block[at : at + rows]) for at in range(0, len(block), rows)]
    return np.concatenate(parts) if parts else np.zeros(0)


def _whole_of(what: str, block: FloatArray) -> FloatArray:
    values = _single("value", block)
    match what:
        case "sum":
            # From the first number to the last, whatever stands beside a row in memory.
            found = np.add.accumulate(values, axis=1)[:, -1]
        case "largest":
            found = values.max(axis=1)
        case "smallest":
            found = values.min(axis=1)
        case "number of zeros":
            found = np.count_nonzero(values == 0, axis=1)
        case _:
            found = values.argmax(axis=1)
    return np.clip(found.astype(np.float64), -LARGEST, LARGEST)
