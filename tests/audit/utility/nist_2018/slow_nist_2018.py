"""Plain transcriptions of the NIST 2018 program, record by record, on texts as in its files.

They follow the local scorer of Match 3 and its ground-truth generators in every
operation on floating-point numbers, and stop where those stop with an error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Row = Mapping[str, str]
Rows = Sequence[Row]

OUT = "out of range"


@dataclass(frozen=True)
class Codes:
    """A column of whole codes from 0 to ``most``."""

    most: int


@dataclass(frozen=True)
class Range:
    """A column of numbers."""

    low: float
    high: float


Column = Codes | Range


def bucket(text: str, column: Column) -> Hashable:
    """The cell of a text in the real file, where nothing is checked."""
    if isinstance(column, Codes):
        return int(text)
    if text == "":
        return ""
    width = 1.0001 * float(column.high - column.low) / 100
    return int((float(text) - column.low) / width)


def checked_bucket(text: str, column: Column) -> Hashable:
    """The cell of a text in the synthetic file."""
    if isinstance(column, Codes):
        return int(text) if text != "" and 0 <= int(text) <= column.most else OUT
    found = bucket(text, column)
    return found if found == "" or 0 <= int(str(found)) < 100 else OUT


def nested(
    rows: Rows,
    columns: Mapping[str, Column],
    triple: Sequence[str],
    cell: Callable[[str, Column], Hashable],
) -> dict[Any, Any]:
    """Counts by first, second and third cell; dictionaries keep the order of arrival."""
    counts: dict[Any, Any] = {}
    for row in rows:
        a, b, c = (cell(row[name], columns[name]) for name in triple)
        inner = counts.setdefault(a, {}).setdefault(b, {})
        inner[c] = inner.get(c, 0) + 1
    return counts


def leaves(counts: dict[Any, Any]) -> Iterator[tuple[tuple[Any, Any, Any], int]]:
    for a, middle in counts.items():
        for b, inner in middle.items():
            for c, count in inner.items():
                yield (a, b, c), count


def score_1(
    real: Rows,
    synthetic: Rows,
    columns: Mapping[str, Column],
    triples: Sequence[Sequence[str]],
) -> float:
    score: float = len(triples)
    for triple in triples:
        truth = {
            cells: float(count) / len(real)
            for cells, count in leaves(nested(real, columns, triple, bucket))
        }
        for cells, count in leaves(nested(synthetic, columns, triple, checked_bucket)):
            v1 = float(count) / len(synthetic)
            v2: float = 0
            if cells in truth:
                v2 = truth[cells]
                score += v2
            score -= abs(v2 - v1)
    score *= 1000000.0 / 2 / len(triples)
    return score


def holds(row: Row, query: Mapping[str, Any]) -> bool:
    """Whether a record satisfies a query in plain JSON."""
    for name, condition in query.items():
        if isinstance(condition, list):
            if row[name] not in condition:
                return False
        elif condition is None:
            if row[name] != "":
                return False
        elif row[name] == "" or abs(float(row[name]) - condition["centre"]) > condition["radius"]:
            return False
    return True


def matching(rows: Rows, query: Mapping[str, Any]) -> int:
    return sum(holds(row, query) for row in rows)


def score_2(real: Rows, synthetic: Rows, queries: Sequence[Mapping[str, Any]]) -> float:
    total: float = 0
    for query in queries:
        truth = math.log(float(matching(real, query)) / len(real))
        x = math.log(max(matching(synthetic, query) / len(synthetic), 1e-6))
        total += (x - truth) * (x - truth)
    return 1e6 * max(0, (1 + math.sqrt(total / len(queries)) / math.log(1e-3)))


def cities(rows: Rows, guarded: bool) -> list[list[Any]]:
    """City, Gini index and pay gap, in file order; the scorer is ``guarded``, the generator not."""
    found: dict[str, list[tuple[int, int]]] = {}
    for row in rows:
        person = int(row["SEX"]) - 1, int(row["INCWAGE"])
        found.setdefault(row["CITY"], []).append(person)
    results = []
    for city, people in found.items():
        earners = sorted((p for p in people if p[1] < 999998), key=lambda person: person[1])
        number, total = len(earners), sum(wage for _, wage in earners)
        g: float = 0
        accumulated = 0
        if not guarded or (number > 0 and total > 0):
            for _, wage in earners:
                accumulated += wage
                g += accumulated / number / total
        heads, sums = [0, 0], [0, 0]
        for sex, wage in earners:
            heads[sex] += 1
            sums[sex] += wage
        gap: float = 0
        if not guarded or heads[0] > 0:
            gap += sums[0] / heads[0]
        if not guarded or heads[1] > 0:
            gap -= sums[1] / heads[1]
        results.append([int(city), float(1 - 2 * g), float(gap)])
    return results


def score_3(real: Rows, synthetic: Rows) -> float:
    truth = sorted(cities(real, guarded=False), key=lambda city: -city[2])
    theirs = sorted(cities(synthetic, guarded=True), key=lambda city: -city[2])
    place = {city[0]: (i, city[1]) for i, city in enumerate(theirs)}
    s1 = s2 = 0.0
    for i, (city, gini, _) in enumerate(truth):
        if city in place:
            j, other = place[city]
            part = 1 - abs(gini - other)
            s1 += part * part
            part = 1 - abs(i - j) / (len(truth) - 1)
            if part < 0:
                part = 0.0
            s2 += part * part
    return 500000 * math.sqrt(s1 / len(truth)) + 500000 * math.sqrt(s2 / len(truth))


def total(first: float, second: float, third: float) -> float:
    return (first + second + third) / 3


def usual_gini(wages: Sequence[float]) -> float:
    """Half the mean absolute difference over the mean, of all ordered pairs."""
    apart = sum(abs(a - b) for a in wages for b in wages)
    return apart / (2 * len(wages) * sum(wages))
