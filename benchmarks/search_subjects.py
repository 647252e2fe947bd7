"""Subjects that leak on some databases alone, and honest ones, for `search.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from synthesizers.domain import Attribute, Domain

Record = Mapping[str, Any]

LETTERS = Domain("letters", tuple(Attribute(name, ("x", "y", "z")) for name in "abcde"))
CELLS = Domain.from_cells("4")
AGES = Domain(
    "ages",
    (Attribute("sex", ("1", "2")), Attribute.binned("age", [0, 40, 60, 120], ordinal=True)),
)


def _geometric(rng: np.random.Generator, epsilon: float, size: Any) -> NDArray[np.int64]:
    """Two-sided geometric noise, discrete as the counts are."""
    stop = 1 - np.exp(-epsilon)
    return rng.geometric(stop, size) - rng.geometric(stop, size)


def _counts(records: Sequence[Record]) -> NDArray[np.int64]:
    return np.bincount([int(record["cell"]) for record in records], minlength=4)


def low_bits(records: list[Any], rng: np.random.Generator) -> float:
    """Honest but for the low bits of a double."""
    return float(len(records) + rng.laplace(0, 1))


def labels_without_noise(records: list[Any], rng: np.random.Generator) -> list[int]:
    """Exact counts of labels; numbers match none of them."""
    labels = AGES.attributes[1].values
    return [sum(record["age"] == label for record in records) for label in labels]


def _choose(records: list[Any], rng: np.random.Generator, runs: int, sensitivity: float) -> Any:
    """The pair of attributes with the most mutual information, by the exponential mechanism."""
    n = max(len(records), 1)
    values = [["xyz".index(record[name]) for name in "abcde"] for record in records]
    codes = np.array(values, np.int64).reshape(-1, 5)
    scores = []
    for i, j in combinations(range(5), 2):
        joint = np.bincount(codes[:, i] * 3 + codes[:, j], minlength=9).reshape(3, 3) / n
        apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
        held = joint > 0
        scores.append(float((joint[held] * np.log(joint[held] / apart[held])).sum()))
    weights = np.array(scores) / (2 * sensitivity / n)
    chances = np.exp(weights - weights.max())
    return rng.choice(len(scores), runs, p=chances / chances.sum())


def network_of_wrong_sensitivity(records: list[Any], rng: np.random.Generator, runs: int) -> Any:
    """Mutual information times n changes by up to log n + 1 and more, and is taken to do by 1."""
    return _choose(records, rng, runs, 1)


def network_of_right_sensitivity(records: list[Any], rng: np.random.Generator, runs: int) -> Any:
    """The same with a sensitivity that holds up to 100 records."""
    return _choose(records, rng, runs, 2 * np.log(101) + 4)


def other_form_from_30(records: list[Any], rng: np.random.Generator, runs: int) -> Any:
    """Noise of its claim below 30 records, and a number that is rounded to tens from there on."""
    n = len(records)
    noisy = n + _geometric(rng, 1, runs)
    return noisy if n < 30 else np.round(noisy, -1) + 0.5


def other_spread_from_30(records: list[Any], rng: np.random.Generator, runs: int) -> Any:
    """Noise of its claim below 30 records, and ten times as much from there on."""
    n = len(records)
    return n + _geometric(rng, 1 if n < 30 else 0.1, runs)


def fails_below_two(records: list[Any], rng: np.random.Generator, runs: int) -> Any:
    """IndexError on no record, ZeroDivisionError on one; half the noise from two on."""
    assert records[0]
    assert 1 / (len(records) - 1)
    return _counts(records) + _geometric(rng, 2, (runs, 4))


def cells_as_they_come(records: list[Any], rng: np.random.Generator) -> list[Any]:
    """A histogram of the cells that are seen alone: a new one tells for certain."""
    seen = sorted({record["cell"] for record in records})
    counts = _counts(records)
    return [[cell, int(counts[int(cell)] + _geometric(rng, 1, ()))] for cell in seen]


def starts_from_the_table(records: list[Any], rng: np.random.Generator) -> pd.DataFrame:
    """The real table, of which each row is exchanged for a random one with a chance of 0.7."""
    drawn = [
        {name: "xyz"[code] for name, code in zip("abcde", codes, strict=True)}
        for codes in rng.integers(0, 3, (len(records), 5))
    ]
    kept = rng.random(len(records)) < 0.3
    rows = [dict(own) if k else new for own, new, k in zip(records, drawn, kept, strict=True)]
    return pd.DataFrame([rows[n] for n in rng.permutation(len(rows))], columns=list("abcde"))


def small_counts_exact(records: list[Any], rng: np.random.Generator, runs: int) -> Any:
    """Counts of five or more get noise; smaller ones but zero are told as they are."""
    counts = _counts(records)
    noisy = counts + _geometric(rng, 1, (runs, 4))
    return np.where((counts > 0) & (counts < 5), counts, noisy)


def histogram(records: list[Any], rng: np.random.Generator, runs: int) -> Any:
    """Honest for records that come and go."""
    return _counts(records) + _geometric(rng, 1, (runs, 4))


def reads_labels_alone(records: list[Any], rng: np.random.Generator) -> list[int]:
    """Honest, and fails on a number."""
    places = [AGES.attributes[1].values.index(record["age"]) for record in records]
    counts = np.bincount(np.array(places, np.int64), minlength=3)
    return [int(n) for n in counts + _geometric(rng, 1, 3)]


def reads_numbers_alone(records: list[Any], rng: np.random.Generator) -> list[int]:
    """Honest, and fails on a label."""
    ages = [record["age"] + 0.0 for record in records]
    return [int(n) for n in np.histogram(ages, [0, 40, 60, 120])[0] + _geometric(rng, 1, 3)]
