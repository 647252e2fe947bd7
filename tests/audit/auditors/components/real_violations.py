"""Violations that public programs have had, each as small as it gets; the line at fault is marked.

Low bits (Mironov 2012), sums that round or overflow or follow the order of records (Casacuberta,
Shoemate, Vadhan & Wagaman 2022), seeds that are fixed or follow from the data, noise that is told
again, and what the data decides beside noise.
"""

from __future__ import annotations

import random

import numpy as np

HELD = np.random.default_rng(5)
NOISE: list[float] = []


def counts(records):
    return [sum(record["cell"] == cell for record in records) for cell in "012"]


def low_bits(records, rng):
    return len(records) + rng.laplace(scale=1.0)  # BUG


def low_bits_of_normal(records, rng):
    return [count - rng.normal(0, 4.0) for count in counts(records)]  # BUG


def seed_of_a_call(records, rng):
    own = np.random.default_rng(0)  # BUG
    return len(records) + int(own.geometric(0.4)) - int(own.geometric(0.4))


def seed_of_python(records, rng):
    own = random.Random(0)  # BUG
    return len(records) + own.randint(-9, 9)


def seed_of_a_coin(records, rng):
    own = random.Random(0)
    truth = any(record["cell"] == "0" for record in records)
    return truth if own.random() < 0.6 else not truth  # BUG


def seed_of_a_choice(records, rng):
    own = np.random.default_rng(0)
    weights = np.exp(np.array(counts(records)) / 2)
    return int(own.choice(3, p=weights / weights.sum())), len(records)  # BUG


def seed_of_the_old_generator(records, rng):
    own = np.random.RandomState(0)  # BUG
    return len(records) + own.laplace(scale=1.0)


def seed_of_all(records, rng):
    np.random.seed(0)
    return len(records) + np.random.laplace(scale=1.0)  # BUG


def seed_of_the_module(records, rng):
    return len(records) + HELD.laplace(scale=1.0)  # BUG


def seed_of_the_data(records, rng):
    own = np.random.default_rng(len(records))  # BUG
    return counts(records) + own.laplace(scale=1.0, size=3)


def noise_kept(records, rng):
    if not NOISE:
        NOISE.append(float(rng.laplace(scale=1.0)))
    return len(records) + NOISE[0]  # BUG


def noise_told_again(records, rng):
    noise = rng.laplace(scale=1.0)  # BUG
    return len(records) + noise, 2 * len(records) + noise


def columns_of_the_data(records, rng):
    seen = sorted({record["cell"] for record in records})
    return {cell: len(records) + rng.laplace(scale=10.0) for cell in seen}  # BUG


def rows_of_the_data(records, rng):
    return rng.choice(3, size=len(records)).tolist()  # BUG


def raising(records, rng):
    if any(record["cell"] == "2" for record in records):
        raise KeyError("a value outside the table")  # BUG
    return len(records) + rng.laplace(scale=1.0)


def steps_of_the_data(records, rng):
    steps = 0
    while steps < len(records):
        steps += 1
    return steps, len(records) + rng.laplace(scale=1.0)  # BUG


def scale_of_the_data(records, rng):
    return len(records) + rng.laplace(scale=1 + 1 / (1 + len(records)))  # BUG


def rounded_sum(records, rng):
    """Of numbers near 10^9 that lie a thousandth apart: ordinary sums round by more than that."""
    total = 0.0
    for record in records:
        total += record["x"]
    return total + rng.laplace(scale=1e-3)  # BUG


def ordered_sum(records, rng):
    """A sum that counts the first record twice, and so follows the order of records."""
    total = 0.0
    for place, record in enumerate(records):
        total += record["x"] * (2 if place == 0 else 1)
    return total + rng.laplace(scale=1.0)  # BUG


def overflowing_sum(records, rng):
    total = 0.0
    for record in records:
        total += record["x"]
    return total / 1e308 + rng.laplace(scale=1.0)  # BUG


CELLS = {"cells": 3, "records": 3, "neighbours": "add-remove"}
VIOLATIONS = (
    ("low_bits", "epsilon=1", {**CELLS, "doubles": True}),
    ("low_bits_of_normal", "mu=1", {**CELLS, "doubles": True}),
    ("seed_of_a_call", "epsilon=2", CELLS),
    ("seed_of_python", "epsilon=1", CELLS),
    ("seed_of_a_coin", "epsilon=1", CELLS),
    ("seed_of_a_choice", "epsilon=1", CELLS),
    ("seed_of_the_old_generator", "epsilon=1", CELLS),
    ("seed_of_all", "epsilon=1", CELLS),
    ("seed_of_the_module", "epsilon=1", CELLS),
    ("seed_of_the_data", "epsilon=1", CELLS),
    ("noise_kept", "epsilon=1", CELLS),
    ("noise_told_again", "epsilon=2", CELLS),
    ("columns_of_the_data", "epsilon=1", CELLS),
    ("rows_of_the_data", "epsilon=1", CELLS),
    ("raising", "epsilon=1", CELLS),
    ("steps_of_the_data", "epsilon=1", CELLS),
    ("scale_of_the_data", "epsilon=1", CELLS),
    (
        "rounded_sum",
        "epsilon=1",
        {"floats": "x=1e9..1000000000.001", "records": 5, "neighbours": "replace-one"},
    ),
    (
        "ordered_sum",
        "epsilon=1",
        {"floats": "x=0..1", "records": 5, "neighbours": "add-remove"},
    ),
    (
        "overflowing_sum",
        "epsilon=1",
        {"floats": "x=0..1e308", "records": 3, "neighbours": "add-remove"},
    ),
)
"""Name, claim, and what is asked of component mode."""
