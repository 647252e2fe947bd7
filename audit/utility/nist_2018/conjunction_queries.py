"""Conjunctions of conditions on attributes: their form, and how many records satisfy them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.records import Records
from synthesizers.domain import Domain
from synthesizers.errors import InputError

FORM = (
    "a query is an object of conditions by attribute: a list of values, "
    '{"centre": 40, "radius": 7.5} for numbers, or null for records without a number'
)

_SAMPLED = 1024
"""Records that the selectivity of a condition on numbers is guessed by: a matter of speed alone."""


@dataclass(frozen=True)
class Among:
    """The value is one of ``values``; None stands for every value outside the domain."""

    attribute: str
    values: tuple[str | None, ...]


@dataclass(frozen=True)
class Near:
    """The number differs from ``centre`` by at most ``radius``."""

    attribute: str
    centre: float
    radius: float


@dataclass(frozen=True)
class Blank:
    """The record has no number."""

    attribute: str


Condition = Among | Near | Blank
Query = tuple[Condition, ...]
"""All conditions at once, on different attributes; none at all is satisfied by every record."""


def plain(query: Query) -> dict[str, object]:
    """The query in plain JSON, by attribute."""
    return {condition.attribute: _plain(condition) for condition in query}


def _plain(condition: Condition) -> object:
    match condition:
        case Among():
            return list(condition.values)
        case Near():
            return {"centre": condition.centre, "radius": condition.radius}
        case Blank():
            return None


def read_query(draw: object) -> Query:
    """The query that ``plain`` wrote. Raises ``InputError`` for anything else."""
    if not isinstance(draw, Mapping) or not all(isinstance(name, str) for name in draw):
        raise InputError(f"conjunction: {FORM}")
    return tuple(_read_condition(name, condition) for name, condition in draw.items())


def _read_condition(name: str, condition: object) -> Condition:
    if condition is None:
        return Blank(name)
    if isinstance(condition, list | tuple) and condition:
        values = tuple(value for value in condition if value is None or isinstance(value, str))
        if len(values) == len(condition):
            return Among(name, values)
    if isinstance(condition, Mapping) and set(condition) == {"centre", "radius"}:
        ends = [condition["centre"], condition["radius"]]
        if all(isinstance(end, int | float) and not isinstance(end, bool) for end in ends):
            centre, radius = map(float, ends)
            if math.isfinite(centre) and math.isfinite(radius) and radius >= 0:
                return Near(name, centre, radius)
    raise InputError(f"conjunction: the condition on {name!r} is of another form; {FORM}")


def check_query(query: Query, domain: Domain) -> None:
    """Raise ``InputError`` unless every condition fits its attribute."""
    for condition in query:
        attribute = domain.attribute(condition.attribute)
        what = f"conjunction: the condition on {attribute.name!r}"
        if attribute.edges is None:
            if not isinstance(condition, Among):
                raise InputError(f"{what} must list values, as the attribute does")
            if not {value for value in condition.values if value is not None} <= {
                *attribute.labels
            }:
                raise InputError(f"{what} lists a value that the domain does not declare")
        elif isinstance(condition, Among):
            raise InputError(f"{what} must be a centre and a radius, or null: its values are bins")


def count_satisfying(records: Records, queries: Sequence[Query]) -> list[int]:
    """How many records satisfy each query.

    A query is narrowed down from its most selective condition, so that the others
    look at few records. **Guarantee.** The counts do not depend on that order:
    backed by the loop over records in ``tests/audit/utility/nist_2018/slow_nist_2018.py``.
    """
    columns: dict[str, _Listed | _Numbered] = {}
    for condition in (condition for query in queries for condition in query):
        name = condition.attribute
        if name not in columns:
            binned = records.domain.attribute(name).edges is not None
            columns[name] = _Numbered(records, name) if binned else _Listed(records, name)
    return [
        _count([columns[c.attribute].test(c) for c in query], records.records) for query in queries
    ]


Test = tuple[float, Callable[[NDArray[np.int64] | slice], NDArray[np.bool_]]]
"""About which share of all records satisfies a condition, and which of some records do."""

_ALL = slice(None)


def _count(tests: list[Test], records: int) -> int:
    tests = sorted((test for test in tests if test[0] < 1), key=lambda test: test[0])
    if not tests:
        return records
    rows = np.flatnonzero(tests[0][1](_ALL))
    for _, test in tests[1:]:
        if not rows.size:
            break
        rows = rows[test(rows)]
    return int(rows.size)


class _Listed:
    """A column of listed values, looked up in a table of truth values by code."""

    def __init__(self, records: Records, name: str) -> None:
        attribute = records.domain.attribute(name)
        self.codes = records.column(name)
        self.code_of: dict[str | None, int] = {
            label: code for code, label in enumerate(attribute.labels)
        }
        self.code_of[None] = attribute.size
        self.counts = np.bincount(self.codes, minlength=attribute.size + 1)

    def test(self, condition: Condition) -> Test:
        assert isinstance(condition, Among)
        chosen = np.zeros(len(self.counts), dtype=np.bool_)
        chosen[[self.code_of[value] for value in condition.values]] = True
        # A share of 1 is exact here: only then no record fails the condition.
        share = int(self.counts[chosen].sum()) / len(self.codes)
        return share, lambda rows: chosen[self.codes[rows]]


class _Numbered:
    """A column of numbers, NaN where there is none."""

    def __init__(self, records: Records, name: str) -> None:
        self.numbers = records.numbers(name)
        self.sample = self.numbers[:: max(1, len(self.numbers) // _SAMPLED)]

    def test(self, condition: Condition) -> Test:
        share = np.count_nonzero(_holds(condition, self.sample)) / (len(self.sample) + 1)
        return share, lambda rows: _holds(condition, self.numbers[rows])


def _holds(condition: Condition, numbers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each number satisfies the condition; the program subtracts as well."""
    if isinstance(condition, Near):
        return np.abs(numbers - condition.centre) <= condition.radius
    return np.isnan(numbers)
