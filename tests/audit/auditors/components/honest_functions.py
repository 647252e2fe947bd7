"""Programs that strangers might write, and that keep what they claim."""

from __future__ import annotations

import math
import random

import numpy as np

CELLS = ("0", "1", "2")


def counts(records):
    return np.array([sum(record["cell"] == cell for record in records) for cell in CELLS])


def laplace_histogram(records, rng):
    return counts(records) + rng.laplace(scale=1.0, size=3)


def located_histogram(records, rng):
    return rng.laplace(counts(records), 1.0).tolist()


def wide_histogram(records, rng):
    return np.maximum(counts(records) + rng.laplace(scale=2.0, size=3), 0).round()


def geometric_histogram(records, rng):
    p = 1 - math.exp(-1)
    return [int(c) + int(rng.geometric(p)) - int(rng.geometric(p)) for c in counts(records)]


def gaussian_histogram(records, rng):
    return {cell: c + rng.normal(0, 2.0) for cell, c in zip(CELLS, counts(records), strict=True)}


def gauss_of_python(records, rng):
    return len(records) + random.gauss(0, 1.0)


def two_exponentials(records, rng):
    return len(records) + rng.exponential(1.0) - rng.exponential(1.0)


def split_in_array(records, rng):
    """Noise that is copied into a plain array before it is added."""
    noise = np.zeros(3)
    for place in range(3):
        noise[place] = rng.laplace()
    return counts(records) + noise


def noisy_max(records, rng):
    return int(np.argmax(counts(records) + rng.laplace(scale=1.0, size=3)))


def noisy_max_of_python(records, rng):
    noisy = {cell: c + rng.exponential(2.0) for cell, c in zip(CELLS, counts(records), strict=True)}
    return max(noisy, key=noisy.get)


def gumbel_max(records, rng):
    return CELLS[np.argmax(counts(records) + rng.gumbel(scale=2.0, size=3))]


def sparse_vector(records, rng):
    threshold = 2 + rng.laplace(scale=2.0)
    for place, count in enumerate(counts(records)):
        if count + rng.laplace(scale=4.0) > threshold:
            return place
    return -1


def exponential_mechanism(records, rng):
    weights = np.exp(counts(records) / 2)
    return int(rng.choice(3, p=weights / weights.sum()))


def randomised_response(records, rng):
    """Whether the last record is in cell 0, told by a coin of chance 3/4."""
    truth = records[-1]["cell"] == "0"
    return truth if rng.random() < 0.73 else not truth


def ratio_mean(records, rng):
    total = sum(record["cell"] == "1" for record in records) + rng.laplace(scale=2.0)
    return total / max(1.0, len(records) + rng.laplace(scale=2.0))


def two_rounds(records, rng):
    """Selects a cell and measures it, twice."""
    truth, model = counts(records), np.ones(3)
    for _ in range(2):
        worst = int(np.argmax(np.abs(truth - model) + rng.gumbel(scale=8.0, size=3)))
        model[worst] = max(0.0, truth[worst] + rng.laplace(scale=4.0))
    return model


def gradient_steps(records, rng):
    weight = 0.0
    for _ in range(2):
        gradient = 0.0
        for record in records:
            x = 1.0 if record["cell"] == "0" else -1.0
            gradient += max(-1.0, min(1.0, (weight * x - 1.0) * x))
        weight = weight - 0.1 * (gradient + rng.normal(0, 4.0))
    return weight


def vector_steps(records, rng):
    weights = np.zeros(2)
    for _ in range(2):
        rows = [[1.0 if r["cell"] == "0" else -1.0, weights[0] / 10] for r in records]
        gradients = np.array(rows).reshape(-1, 2)
        norms = np.linalg.norm(gradients, axis=1, keepdims=True)
        clipped = gradients / np.maximum(1, norms)
        weights = weights - 0.1 * (clipped.sum(axis=0) + rng.normal(0, 4.0, size=2))
    return weights


def chained(records, rng):
    return (
        rng.laplace()
        + sum(r["cell"] == "0" for r in records)
        + sum(r["cell"] == "1" for r in records)
    )


def formula(records, rng):
    """Laplace noise by the inverse of its distribution function."""
    told = []
    for count in counts(records):
        u = rng.random() - 0.5
        told.append(count - 1.0 * np.sign(u) * np.log(1 - 2 * abs(u)))
    return told


def two_formulas(records, rng):
    first, second = -math.log(1 - random.random()), -math.log(1 - random.random())
    return len(records) + first - second


def of_the_system(records, rng):
    """Noise from the system's entropy, which no seed repeats."""
    system = random.SystemRandom()
    return len(records) + system.gauss(0, 1.0)


def cancelled(records, rng):
    """What it adds to the noise it takes away again, where nobody sees it."""
    noisy = np.array([len(records) + rng.laplace(scale=0.1)])
    return float(noisy[0].item()).__sub__(len(records))


def parity(records, rng):
    return int(len(records) + rng.laplace(scale=0.8)) % 2


def middle(records, rng):
    return sorted(c + rng.laplace(scale=0.8) for c in counts(records))[1]


def two_summed(records, rng):
    first = sum(record["cell"] == "0" for record in records) + rng.laplace(scale=1.0)
    return first + len(records) + rng.laplace(scale=1.5)


def noise_unseen(records, rng):
    """A second noise of the same size, which reaches the output unseen."""
    second = float(rng.normal(0, 1.0))
    return len(records) + rng.normal(0, 1.0) + second


def redrawn(records, rng):
    """Noise that is drawn again where it is far from 0."""
    while True:
        noise = rng.laplace(scale=1.0)
        if abs(noise) < 1000:
            return len(records) + noise


def scaled_back(records, rng):
    """Noise of a scale that follows the data, divided by it again."""
    size = 1.0 + len(records)
    return (10.0 * size + size * rng.laplace(scale=1.0)) / size


def told_and_compared(records, rng):
    """A noisy count, and whether it is above a random threshold: no more than the count."""
    noisy = len(records) + rng.laplace(scale=1.0)
    return noisy, noisy > 2 + rng.laplace(scale=0.5)


HONEST = (
    ("told_and_compared", "epsilon=1", "add-remove"),
    ("of_the_system", "mu=1", "add-remove"),
    ("formula", "epsilon=1", "add-remove"),
    ("two_formulas", "epsilon=1", "add-remove"),
    ("laplace_histogram", "epsilon=1", "add-remove"),
    ("located_histogram", "epsilon=1", "add-remove"),
    ("located_histogram", "epsilon=2", "replace-one"),
    ("wide_histogram", "epsilon=1/2", "add-remove"),
    ("wide_histogram", "epsilon=1", "replace-one"),
    ("geometric_histogram", "epsilon=1", "add-remove"),
    ("geometric_histogram", "epsilon=2", "replace-one"),
    ("gaussian_histogram", "rho=1/8", "add-remove"),
    ("gaussian_histogram", "mu=1/2", "add-remove"),
    ("gaussian_histogram", "epsilon=1, delta=1e-1", "replace-one"),
    ("gauss_of_python", "mu=1", "add-remove"),
    ("two_exponentials", "epsilon=1", "add-remove"),
    ("split_in_array", "epsilon=1", "add-remove"),
    ("noisy_max", "epsilon=1", "add-remove"),
    ("noisy_max", "epsilon=2", "replace-one"),
    ("gumbel_max", "epsilon=1", "replace-one"),
    ("sparse_vector", "epsilon=1", "add-remove"),
    ("sparse_vector", "epsilon=1", "replace-one"),
    ("exponential_mechanism", "epsilon=1", "replace-one"),
    ("randomised_response", "epsilon=1", "replace-one"),
    ("ratio_mean", "epsilon=1", "add-remove"),
    ("two_rounds", "epsilon=1", "add-remove"),
    ("gradient_steps", "mu=1", "add-remove"),
    ("vector_steps", "mu=1", "replace-one"),
    ("chained", "epsilon=1", "add-remove"),
)
"""Name, claim, relation: all of them are kept, and nothing about them is left open."""

OPEN = (
    ("redrawn", "epsilon=1", "add-remove"),
    ("noise_unseen", "mu=0.8", "add-remove"),
    ("scaled_back", "epsilon=1", "add-remove"),
    ("parity", "epsilon=1", "add-remove"),
    ("middle", "epsilon=1", "add-remove"),
    ("two_summed", "epsilon=1", "add-remove"),
    ("ratio_mean", "epsilon=0.9", "add-remove"),
    ("cancelled", "epsilon=1", "add-remove"),
    ("noisy_max_of_python", "epsilon=1/2", "add-remove"),
)
"""Ones that keep more than their noisy answers tell, or of which nothing is decided here."""
