"""Simple scores: of nobody who knows, of each outcome by itself, of one column by itself."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns.columns import OutcomeColumns, columns_from_json
from audit.subjects.outcomes import Outcomes

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Plain:
    """A score whose JSON has its kind and its fields."""

    kind: ClassVar[str]

    def to_json(self) -> dict[str, Any]:
        """The score as plain data."""
        return {
            "score": self.kind,
            **{f.name: _make_plain(getattr(self, f.name)) for f in fields(self)},
        }


def _make_plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_make_plain(each) for each in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    return value.to_json() if hasattr(value, "to_json") else value


@dataclass(frozen=True)
class Silent(Plain):
    """The score of those who know nothing: 0, whatever the outcome."""

    kind = "silent"

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], 0 each."""
        return np.zeros(len(outcomes))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote."""
        return cls()


@dataclass(frozen=True, eq=False)
class Cells(Plain):
    """A score for each of finitely many outcomes.

    ``codes``: [cells] of outcomes, rising; ``values``: [cells]; 0 for any other outcome.
    ``telling``: the outcomes of the largest and of the smallest value, in words.
    """

    kind = "cells"
    codes: NDArray[np.uint64]
    values: FloatArray
    telling: tuple[str, str]

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], the value of each outcome's cell."""
        codes = outcomes.codes()
        places = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        return np.where(self.codes[places] == codes, self.values[places], 0.0)

    def to_json(self) -> dict[str, Any]:
        """The score as plain data; codes in hexadecimal, as JSON's numbers hold 53 bits."""
        return {**super().to_json(), "codes": [f"{code:016x}" for code in self.codes.tolist()]}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote; ValueError where codes don't rise or lack values."""
        codes = np.array([int(code, 16) for code in data["codes"]], np.uint64)
        values = read_finite(data["values"])
        if codes.shape != values.shape or (codes[1:] <= codes[:-1]).any():
            raise ValueError("codes rise, and have a value each")
        first, second = data["telling"]
        return cls(codes, values, (first, second))


@dataclass(frozen=True, eq=False)
class Single(Plain):
    """One column by itself.

    ``column``: the only one of its columns; ``rising``: larger values speak for the second.
    """

    kind = "single"
    column: OutcomeColumns
    rising: bool

    def evaluate(self, outcomes: Outcomes) -> FloatArray:
        """[runs], the column's value, or its negative."""
        sign = 1 if self.rising else -1
        return self.column.apply(lambda matrix: sign * matrix[:, 0], outcomes)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The score that `to_json` wrote."""
        return cls(columns_from_json(data["column"]), bool(data["rising"]))


def read_finite(numbers: Any) -> FloatArray:
    """Numbers as an array; ValueError where one is not finite."""
    values = np.array(numbers, np.float64)
    if not np.isfinite(values).all():
        raise ValueError("values are finite")
    return values
