"""Small subjects that leak, by the cause of their leak, and honest ones that do nearly the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.auditors.attack.pairs.given_pairs import REORDERED
from audit.subjects.pair import Pair

Generator = np.random.Generator
Database = list[dict[str, Any]]

LARGE = 500


def table(*values: Any, name: str = "x") -> Database:
    return [{name: value} for value in values]


@dataclass(frozen=True)
class Leak:
    """A subject that claims ε = 1, and the pair on which it is run, ``runs`` times a database.

    ``cause``: of its leak; empty for one that keeps its claim. ``says``: what the words of the
    cause speak of. ``slow``: it puts out tables, on which learning takes seconds.
    """

    name: str
    cause: str
    subject: Callable[[Any, Generator], Any]
    pair: Pair
    says: str = ""
    runs: int = 300
    slow: bool = False


def geometric(rng: Generator, epsilon: float) -> int:
    chance = 1 - np.exp(-epsilon)
    return int(rng.geometric(chance) - rng.geometric(chance))


def doubles(database: Database, rng: Generator) -> float:
    return len(database) + float(rng.laplace(0, 1))


def rounded(database: Database, rng: Generator) -> float:
    return len(database) + float(np.round(rng.laplace(0, 1.05) * 2**10) / 2**10)


def seeded(database: Database, rng: Generator) -> float:
    return len(database) + float(np.random.default_rng(7).laplace(0, 1))


NOISES: list[float] = []


def cached(database: Database, rng: Generator) -> float:
    if len(NOISES) < 20:
        NOISES.append(round(float(rng.laplace(0, 1.05)) * 2**10) / 2**10)
        return len(database) + NOISES[-1]
    NOISES.append(NOISES.pop(0))
    return len(database) + NOISES[-1]


def as_many_rows(database: Database, rng: Generator) -> pd.DataFrame:
    return pd.DataFrame({"x": rng.integers(0, 3, len(database))})


def public_rows(database: Database, rng: Generator) -> pd.DataFrame:
    return pd.DataFrame({"x": rng.integers(0, 3, 10)})


def count_beside(database: Database, rng: Generator) -> dict[str, float]:
    return {"n": len(database), "sum": geometric(rng, 1)}


def observed_categories(database: Database, rng: Generator) -> dict[str, int]:
    found = sorted({record["x"] for record in database})
    return {x: sum(r["x"] == x for r in database) + geometric(rng, 0.9) for x in found}


def public_categories(database: Database, rng: Generator) -> dict[str, int]:
    return {x: sum(r["x"] == x for r in database) + geometric(rng, 0.9) for x in ("a", "b", "c")}


def observed_labels(database: Database, rng: Generator) -> pd.DataFrame:
    return pd.DataFrame({"x": rng.choice(sorted({record["x"] for record in database}), 12)})


def observed_bounds(database: Database, rng: Generator) -> float:
    values = [record["x"] for record in database]
    return float(np.clip(round(rng.normal(10, 50) * 8) / 8, min(values), max(values)))


def public_bounds(database: Database, rng: Generator) -> float:
    return float(np.clip(round(rng.normal(10, 50) * 8) / 8, 0, 100))


def observed_reach(database: Database, rng: Generator) -> pd.DataFrame:
    values = [record["x"] for record in database]
    drawn = rng.uniform(min(values), max(values), 20)
    drawn[:2] = min(values), max(values)
    return pd.DataFrame({"x": drawn})


def nothing_to_divide(database: Database, rng: Generator) -> float:
    return round(1000 / len(database) * 0) + geometric(rng, 1)


def divides_with_care(database: Database, rng: Generator) -> float:
    return round(1000 / max(len(database), 1) * 0) + geometric(rng, 1)


def empty_form(database: Database, rng: Generator) -> Any:
    return {"note": "no data"} if not database else float(geometric(rng, 1))


def in_order(database: Database, rng: Generator) -> float:
    return float(database[0]["x"] + geometric(rng, 1))


def in_any_order(database: Database, rng: Generator) -> float:
    return float(min(r["x"] for r in database) + geometric(rng, 1))


def rows_in_order(database: Database, rng: Generator) -> list[dict[str, Any]]:
    rows = [{"x": name, "y": int(geometric(rng, 1))} for name in ("a", "b")]
    return rows if database[0]["x"] == "a" else rows[::-1]


def schema(database: Database, rng: Generator) -> pd.DataFrame:
    missing = any(record["x"] is None for record in database)
    drawn = rng.integers(0, 9, 10)
    return pd.DataFrame({"x": drawn.astype(float) if missing else drawn})


def one_schema(database: Database, rng: Generator) -> pd.DataFrame:
    return pd.DataFrame({"x": rng.integers(0, 9, 10).astype(float)})


def raises(database: Database, rng: Generator) -> float:
    if any(record["x"] > 90 for record in database):
        raise ValueError("out of range")
    return float(geometric(rng, 1))


def never_raises(database: Database, rng: Generator) -> float:
    return float(geometric(rng, 1))


def exact_maximum(database: Database, rng: Generator) -> dict[str, float]:
    return {"max": max(record["x"] for record in database), "n": 30 + geometric(rng, 1)}


def half_scale(database: Database, rng: Generator) -> int:
    return len(database) + geometric(rng, 2)


def whole_scale(database: Database, rng: Generator) -> int:
    return len(database) + geometric(rng, 0.95)


def suppressed(database: Database, rng: Generator) -> float | None:
    return None if len(database) < 10 else float(len(database) + geometric(rng, 0.9))


def suppressed_softly(database: Database, rng: Generator) -> float | None:
    noisy = len(database) + geometric(rng, 0.9)
    return None if noisy < 10 else float(noisy)


def partition(database: Database, rng: Generator) -> dict[str, int]:
    counts = {x: sum(r["x"] == x for r in database) for x in ("a", "b")}
    return {x: n + geometric(rng, 0.9) for x, n in counts.items() if n >= 5}


EMPTY = Pair([], table(1))
ONE_MORE = Pair(table(*range(3)), table(*range(4)))
NINE = table(*range(9))
SIZES = Pair(NINE, table(*range(10)))
ONE_C = Pair(table(*"aaabbbaaa"), table(*"aaabbbaaac"))
ONE_THREE = Pair(table(*"000111000"), table(*"0001110003"))
HUNDRED = Pair(table(0, 1, 30, 70), table(0, 1, 30, 70, 100))
ONE_MISSING = Pair(table(1, 2, 3), table(1, 2, 3, None))
FIRST_B = Pair(table(*"ab"), table(*"bab"))
MOVED = Pair(table(1, 9, 20), table(20, 9, 1, 30), 1, REORDERED)
FEW_AND_ENOUGH = Pair(table(*"aaaabbbbbb"), table(*"aaaaabbbbbb"))

LEAKS = [
    Leak("laplace in doubles", "low-bits", doubles, ONE_MORE, "the low bits of the output", 6000),
    Leak("one seed", "fixed-seed", seeded, SIZES, "one output"),
    Leak("kept noise", "fixed-seed", cached, SIZES, "the same"),
    Leak("as many rows as records", "exact-size", as_many_rows, SIZES, "the number of rows is 9"),
    Leak("a count beside", "exact-size", count_beside, SIZES, "value at n"),
    Leak("keys of the data", "read-categories", observed_categories, ONE_C, "'c'"),
    Leak("digits as keys", "read-categories", observed_categories, ONE_THREE, "'3'"),
    Leak("labels of the data", "read-categories", observed_labels, ONE_C, "'c'", slow=True),
    Leak("clipped to the data", "read-bounds", observed_bounds, HUNDRED, "exactly 70", 2000),
    Leak(
        "as far as the data", "read-bounds", observed_reach, HUNDRED, "the largest of x", slow=True
    ),
    Leak("division by nothing", "empty-tables", nothing_to_divide, EMPTY, "ZeroDivisionError"),
    Leak("a note instead", "empty-tables", empty_form, EMPTY, "0 and 1 records"),
    Leak("the first record", "order", in_order, MOVED, "the same places"),
    Leak("rows as they come", "order", rows_in_order, FIRST_B, "sorted", slow=True),
    Leak("types of the data", "schema", schema, ONE_MISSING, "x (int64)"),
    Leak("a value out of range", "exceptions", raises, HUNDRED, "it raised ValueError"),
    Leak("the true maximum", "exact-extremes", exact_maximum, HUNDRED, "the value at max"),
    Leak("half the noise", "small-scale", half_scale, SIZES, "times the claim", 4000),
    Leak("none below ten", "exact-threshold", suppressed, SIZES, "nothing at all"),
    Leak("parts of five or more", "exact-threshold", partition, FEW_AND_ENOUGH, "'a'"),
]
"""Each has one leak."""

HONEST = [
    Leak("rounded noise", "", rounded, SIZES, "", 4000),
    Leak("a public number of rows", "", public_rows, SIZES, "", 1000),
    Leak("public categories", "", public_categories, ONE_C, "", 1000),
    Leak("public bounds", "", public_bounds, HUNDRED, "", 1000),
    Leak("divides with care", "", divides_with_care, EMPTY, "", 1000),
    Leak(
        "the least record",
        "",
        in_any_order,
        Pair(table(1, 9), table(9, 1, 30), 1, REORDERED),
        "",
        1000,
    ),
    Leak("one schema", "", one_schema, ONE_MISSING, "", 1000),
    Leak("never raises", "", never_raises, HUNDRED, "", 1000),
    Leak("all of the noise", "", whole_scale, SIZES, "", 4000),
    Leak("none below a noisy ten", "", suppressed_softly, SIZES, "", 2000),
]
"""None has any."""


def marked(leaks: list[Leak]) -> list[Any]:
    """The leaks as parameters of a test, by their names."""
    slow = pytest.mark.slow
    return [pytest.param(each, id=each.name, marks=[slow] if each.slow else []) for each in leaks]
