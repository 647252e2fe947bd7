"""Functions and estimators of another environment: the standard library, and what is there."""

from __future__ import annotations

import collections
import os
import sys
import time
from typing import Any


class Point(collections.namedtuple("Point", "x y")):
    """A tuple of a class of its own."""


class Stranger:
    """Of which nothing is told but its name."""

    def __reduce__(self) -> Any:
        return os.abort, ()


def itself() -> list[Any]:
    """A list that holds itself."""
    found: list[Any] = []
    found.append(found)
    return found


PLAIN: dict[str, Any] = {
    "whole": lambda: 3,
    "large": lambda: 10**40,
    "float": lambda: -0.0,
    "nan": lambda: float("nan"),
    "truth": lambda: True,
    "nothing": lambda: None,
    "text": lambda: "a\ud800\n",
    "bytes": lambda: b"\xff",
    "list": lambda: [1, 2.5, True],
    "mixed": lambda: [1, "a", None, (2, [3])],
    "dict": lambda: {"a": 1, (1, 2): [None]},
    "set": lambda: {1, 2},
    "complex": lambda: [1 + 2j],
    "counter": lambda: dict(collections.Counter("aab")),
    "stranger": Stranger,
    "strangers": lambda: [Stranger()],
    "raised": lambda: {}["private"],
    "exit": lambda: sys.exit(3),
}
"""Outputs that need no package."""


def array(kind: str, values: Any) -> Any:
    """An array of numpy."""
    import numpy

    return numpy.array(values, kind)


def table(**columns: Any) -> Any:
    """A data frame."""
    import pandas

    return pandas.DataFrame(columns)


PACKAGED: dict[str, Any] = {
    "number": lambda: array("f8", 2.5)[()],
    "small": lambda: array("i2", [[1, 2], [3, 4]]),
    "texts": lambda: [array("U5", ["a", "b"])],
    "objects": lambda: [array("O", [1, "b", None])],
    "table": lambda: table(a=[1, 2], b=["x", None], c=[0.5, float("nan")]),
    "series": lambda: table(a=[1, 2])["a"],
    "days": lambda: table(a=__import__("pandas").date_range("2020-01-01", periods=2)),
    "kinds": lambda: table(a=__import__("pandas").Categorical(["x", "y"])),
}
"""Outputs that need numpy or pandas."""


def tell_output(database: str, rng: Any) -> Any:
    """The output that the database names."""
    return (PLAIN.get(database) or PACKAGED[database])()


def noise(database: int, rng: Any) -> float:
    """A number of numpy's generator, or of the standard library's."""
    return database + (rng.normal() if hasattr(rng, "normal") else rng.gauss(0, 1))


def batch(database: int, rng: Any, runs: int) -> Any:
    """As many numbers; fewer, or none, of a database that says so."""
    if database == 7:
        raise KeyError(database)
    return list(rng.random(runs)) if database < 5 else [1]


def see_folders(database: Any, rng: Any) -> list[str]:
    """What this process has: modules of ours, variables, what it can read."""
    ours = sorted(name for name in sys.modules if name.partition(".")[0] in ("audit", "dp_audit"))
    return [*ours, os.environ.get("PYTHONPATH", ""), type(rng).__module__, sys.path[0]]


def changing(database: list[int], rng: Any) -> int:
    """Whether an earlier run changed its database."""
    database.append(1)
    return len(database)


def ending(database: str, rng: Any) -> int:
    """A run that ends otherwise."""
    if database == "die":
        os._exit(1)
    if database == "hang":
        time.sleep(600)
    if database == "large":
        return "x" * (2**26 + 1)  # type: ignore[return-value]
    if database == "deep":
        return itself()  # type: ignore[return-value]
    return 1


class Model:
    """An estimator that says what it was fitted to."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed

    def fit(self, table: Any) -> None:
        self.fitted = type(table).__name__

    def sample(self, rows: int) -> list[Any]:
        return [self.fitted, rows, self.seed is not None]


class Demanding:
    """A class that needs an argument."""

    def __init__(self, scale: float) -> None:
        self.scale = scale

    def __call__(self, database: int, rng: Any) -> float:
        return database * self.scale
