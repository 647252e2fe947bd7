"""Columns: named numbers that say what an outcome looks like; plain data, frozen after learning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.columns.choice_columns import (
    choice_columns_for,
    choice_columns_from_json,
)
from audit.auditors.attack.columns.marginal_columns import (
    marginal_columns_for,
    marginal_columns_from_json,
)
from audit.auditors.attack.columns.number_columns import (
    HELD_AT_ONCE,
    LARGEST,
    ORIGINS,
    NumberColumns,
    bit_features,
    number_columns_from_json,
    number_keys,
    numbers_of,
    value_features,
    whole_features,
)
from audit.auditors.attack.columns.table_choice import table_columns_for
from audit.auditors.attack.columns.table_columns import table_columns_from_json
from audit.auditors.attack.columns.text_columns import text_columns_for, text_columns_from_json
from audit.subjects.outcomes import Outcomes, Shape
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

FloatArray = NDArray[np.float64]

MOST_KEYS = 48
"""Numbers of an output that get columns of their own (with flags and
other columns some 200 in all, which learners on some thousand runs can still weigh)."""

SCREENED_KEYS = 4096
"""Numbers of an output that are looked at to choose those; of arrays that are longer all are, at
first by their means alone, and then the `FOREMOST`."""

FOREMOST = 128
"""Numbers of a long array whose means the coins shift most, which are then looked at closely (of
100,000 that tell nothing, in a hundred runs the luckiest shift by 0.9 deviations, and the exact
number of records by 2)."""

MOST_SHAPES = 32
"""Shapes that get a column of their own."""

RUNS_AT_ONCE = 32_768
"""Runs whose columns are held at once (ten columns fit a cache)."""


class Family(Protocol):
    """Columns of one kind, computed together."""

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is."""
        ...

    def rows(self, outcomes: Outcomes) -> FloatArray:
        """[columns, runs], finite numbers; a run's never depend on the runs beside it."""
        ...

    def take(self, places: Sequence[int]) -> Family:
        """Some of the columns."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The columns as plain data; the key ``family`` names their kind."""
        ...


@dataclass(frozen=True)
class ShapeColumns:
    """Of each shape, whether the outcome has it: exceptions, types and schemas are outputs too."""

    shapes: tuple[Shape, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is."""
        return tuple(
            f"the output is {' '.join(filter(None, (s.kind, s.detail)))[:60]}" for s in self.shapes
        )

    def rows(self, outcomes: Outcomes) -> FloatArray:
        """[columns, runs], 1 where the outcome has the shape."""
        numbers = {shape: number for number, shape in enumerate(outcomes.shapes)}
        wanted = np.array([numbers.get(shape, -1) for shape in self.shapes])
        return np.asarray(outcomes.of == wanted[:, None], np.float64)

    def take(self, places: Sequence[int]) -> ShapeColumns:
        """Some of the columns."""
        return replace(self, shapes=tuple(self.shapes[place] for place in places))

    def to_json(self) -> dict[str, Any]:
        """The columns as plain data."""
        return {"family": "shapes", "shapes": [[s.kind, s.detail] for s in self.shapes]}


def _shape_columns_from_json(data: dict[str, Any]) -> ShapeColumns:
    return ShapeColumns(tuple(Shape(*shape) for shape in data["shapes"]))


@dataclass(frozen=True)
class OutcomeColumns:
    """Columns of all kinds, in order."""

    families: tuple[Family, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """What each column is."""
        return tuple(name for family in self.families for name in family.names)

    def matrix(self, outcomes: Outcomes) -> FloatArray:
        """[runs, columns], never NaN or infinite; each column is contiguous.

        Guarantee
        ---------
        A run's row depends on its outcome alone, not on the runs beside it, so that a rule on it
        is a fixed function of the outcome. Backed by
        ``tests/audit/auditors/attack/columns/test_columns.py``.
        """
        rows = [family.rows(outcomes) for family in self.families]
        return np.concatenate(rows).T if rows else np.zeros((len(outcomes), 0))

    def apply(self, function: Callable[[FloatArray], FloatArray], outcomes: Outcomes) -> FloatArray:
        """[runs], a function of the matrix, some runs at a time."""
        parts = [function(self.matrix(part)) for part in _parts(outcomes)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def take(self, places: Sequence[int]) -> OutcomeColumns:
        """Some of the columns, by their places in rising order."""
        families: list[Family] = []
        start = 0
        for family in self.families:
            end = start + len(family.names)
            within = [place - start for place in places if start <= place < end]
            if within:
                families.append(family.take(within))
            start = end
        return OutcomeColumns(tuple(families))

    def to_json(self) -> list[dict[str, Any]]:
        """The columns as plain data."""
        return [family.to_json() for family in self.families]


def _parts(outcomes: Outcomes) -> Iterator[Outcomes]:
    """Outcomes in order, RUNS_AT_ONCE at a time; views where blocks are arrays."""
    shapes = outcomes.shapes
    starts = np.zeros(len(shapes), np.intp)
    for start in range(0, len(outcomes), RUNS_AT_ONCE):
        of = outcomes.of[start : start + RUNS_AT_ONCE]
        ends = starts + np.bincount(of, minlength=len(shapes))
        blocks = tuple(
            block[a:b] for block, a, b in zip(outcomes.blocks, starts, ends, strict=True)
        )
        yield Outcomes(shapes, of, blocks)
        starts = ends


_READERS: dict[str, Callable[[dict[str, Any]], Family]] = {
    "shapes": _shape_columns_from_json,
    "numbers": number_columns_from_json,
    "text": text_columns_from_json,
    "table": table_columns_from_json,
    "marginals": marginal_columns_from_json,
    "choices": choice_columns_from_json,
}


def columns_from_json(data: Sequence[dict[str, Any]]) -> OutcomeColumns:
    """The columns that `Columns.to_json` wrote."""
    return OutcomeColumns(tuple(_READERS[family["family"]](family) for family in data))


def columns_for(runs: Runs, pair: Pair) -> OutcomeColumns:
    """The columns that suit outcomes like these, of whose values some differ.

    Coins only choose among numbers of an output where there are more than MOST_KEYS.
    """
    outcomes = runs.outcomes
    families: list[Family] = []
    if len(outcomes.shapes) > 1:
        counts = np.bincount(outcomes.of, minlength=len(outcomes.shapes))
        frequent = np.argsort(-counts, kind="stable")[:MOST_SHAPES]
        families.append(ShapeColumns(tuple(outcomes.shapes[place] for place in frequent)))
    for origin in ORIGINS:
        keys = _telling_keys(runs, origin)
        features = value_features(outcomes, origin, keys) if keys else []
        features += whole_features(origin, len(keys))
        families.append(NumberColumns(origin, tuple(features)))
    families.append(text_columns_for(outcomes))
    families.append(table_columns_for(outcomes, pair))
    return OutcomeColumns(tuple(family for family in families if family.names))


def bit_columns_for(runs: Runs) -> OutcomeColumns:
    """Columns of the bits of the numbers of outcomes like these."""
    families: list[Family] = []
    for origin in ORIGINS:
        keys = _telling_keys(runs, origin)
        if keys:
            families.append(NumberColumns(origin, tuple(bit_features(runs.outcomes, origin, keys))))
    return OutcomeColumns(tuple(families))


def marginal_columns(runs: Runs, pair: Pair) -> OutcomeColumns:
    """Columns of the marginals in which the databases differ, of tables like these."""
    family = marginal_columns_for(runs.outcomes, pair)
    return OutcomeColumns((family,) if family.names else ())


def choice_columns(runs: Runs, pair: Pair) -> OutcomeColumns:
    """The column of what may be chosen by the databases' difference, of tables like these."""
    family = choice_columns_for(runs.outcomes, pair)
    return OutcomeColumns((family,) if family.names else ())


def _telling_keys(runs: Runs, origin: str) -> list[str]:
    """The keys of numbers; of very many, those whose location or spread the coins shift most."""
    if _longest(runs.outcomes, origin) > SCREENED_KEYS:
        keys = _foremost_keys(runs, origin)
    else:
        keys = number_keys(runs.outcomes, origin, SCREENED_KEYS)
    if len(keys) <= MOST_KEYS:
        return keys
    shifts = np.zeros(len(keys))
    for place, (shape, block) in enumerate(
        zip(runs.outcomes.shapes, runs.outcomes.blocks, strict=True)
    ):
        if shape.kind == origin and len(block) > 1:
            coins = runs.coins[runs.outcomes.of == place]
            found = [_shift(values, coins) for values in numbers_of(block, origin, keys)]
            shifts = np.maximum(shifts, found)
    chosen = np.sort(np.argsort(-shifts, kind="stable")[:MOST_KEYS])
    return [keys[place] for place in chosen]


def _longest(outcomes: Outcomes, origin: str) -> int:
    """The most numbers of an output that is an array of them."""
    blocks = zip(outcomes.shapes, outcomes.blocks, strict=True)
    return max(
        (b.shape[1] for s, b in blocks if s.kind == origin and isinstance(b, np.ndarray)), default=0
    )


def _foremost_keys(runs: Runs, origin: str) -> list[str]:
    """Of all places of long arrays, those whose means the coins shift most, in order."""
    longest = _longest(runs.outcomes, origin)
    shifts = np.zeros(longest)
    for place, (shape, block) in enumerate(
        zip(runs.outcomes.shapes, runs.outcomes.blocks, strict=True)
    ):
        coins = runs.coins[runs.outcomes.of == place]
        if shape.kind != origin or not coins.any() or coins.all():
            continue
        values = np.asarray(block)
        columns = max(1, HELD_AT_ONCE // len(values))
        for at in range(0, values.shape[1], columns):
            part = slice(at, min(at + columns, values.shape[1]))
            shifts[part] = np.maximum(shifts[part], _mean_shifts(values[:, part], coins))
    chosen = np.argpartition(-shifts, min(FOREMOST, longest - 1))[:FOREMOST]
    return [str(place) for place in np.sort(chosen).tolist()]


def _mean_shifts(values: FloatArray, coins: NDArray[np.bool_]) -> FloatArray:
    """[columns], how many standard deviations the coin moves the mean; 0 of constant columns."""
    finite = np.where(np.isfinite(values), values, 0.0)
    # Squares of larger ones are infinite.
    finite = np.clip(finite, -LARGEST, LARGEST)
    spread = finite.std(axis=0)
    apart = abs(finite[coins].mean(axis=0) - finite[~coins].mean(axis=0))
    found = np.zeros(len(spread))
    np.divide(apart, spread, out=found, where=spread > 0)
    return found


def _shift(values: FloatArray, coins: NDArray[np.bool_]) -> float:
    """How many standard deviations the coin moves the values, or their distances from the middle.

    Values are clipped to their central 98 %, so that heavy tails don't hide a shift.
    """
    finite = np.isfinite(values)
    values, coins = values[finite], coins[finite]
    if not coins.any() or coins.all():
        return 0.0
    low, middle, high = np.quantile(values, [0.01, 0.5, 0.99])
    clipped = np.clip(values, low, high)
    found = 0.0
    for moved in (clipped, abs(clipped - middle)):
        spread = float(moved.std())
        if spread > 0:
            found = max(found, abs(float(moved[coins].mean() - moved[~coins].mean())) / spread)
    return found
