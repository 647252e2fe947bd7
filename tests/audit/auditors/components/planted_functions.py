"""The same kinds of programs with one bug each, whose line says so."""

from __future__ import annotations

import math

import numpy as np

CELLS = ("0", "1", "2")
EPSILON = 0.5


def counts(records):
    return np.array([sum(record["cell"] == cell for record in records) for cell in CELLS])


def scale_halved(records, rng):
    noise = rng.laplace(scale=1 / (2 * EPSILON), size=3)  # BUG
    return counts(records) + noise


def deviation_for_scale(records, rng):
    scale = 1 / (math.sqrt(2) * EPSILON)
    return [c + rng.laplace(scale=scale) for c in counts(records)]  # BUG


def root_of_deviation(records, rng):
    sigma = 4.0
    return counts(records) + rng.normal(0, math.sqrt(sigma), 3)  # BUG


def inverted_scale(records, rng):
    return rng.laplace(len(records), EPSILON)  # BUG


def budget_twice(records, rng):
    first = len(records) + rng.laplace(scale=1 / EPSILON)
    second = sum(record["cell"] == "0" for record in records)
    return {"first": first, "second": second + rng.laplace(scale=0.9 / EPSILON)}  # BUG


def one_question_forgotten(records, rng):
    told = []
    for _ in range(3):
        told.append(len(records) + rng.laplace(scale=2 / EPSILON))  # BUG
    return told


def persons_unclipped(records, rng):
    return len(records) + rng.laplace(scale=1 / EPSILON)  # BUG


def threshold_on_truth(records, rng):
    told = {}
    for cell, count in zip(CELLS, counts(records), strict=True):
        if count >= 2:
            told[cell] = count + rng.laplace(scale=1 / EPSILON)  # BUG
    return told


def domain_of_the_data(records, rng):
    seen = sorted({record["cell"] for record in records})
    return {
        cell: sum(r["cell"] == cell for r in records) + rng.laplace(scale=1 / EPSILON)  # BUG
        for cell in seen
    }


def exact_size(records, rng):
    noisy = counts(records) + rng.laplace(scale=1 / EPSILON, size=3)
    return {"counts": noisy, "n": len(records)}  # BUG


def selection_without_noise(records, rng):
    best = int(np.argmax(counts(records)))
    noisy = counts(records)[best] + rng.laplace(scale=1 / EPSILON)
    return best, noisy  # BUG


def scale_of_the_data(records, rng):
    return len(records) + rng.laplace(scale=(1 + len(records)) / EPSILON)  # BUG


def noise_times_data(records, rng):
    noise = rng.laplace(scale=1 / EPSILON)
    return len(records) + noise * (1 + len(records))  # BUG


def fixed_seed(records, rng):
    own = np.random.default_rng(20)  # BUG
    return counts(records) + own.laplace(scale=1 / EPSILON, size=3)


def noise_reused(records, rng):
    noise = rng.laplace(scale=2 / EPSILON)  # BUG
    return len(records) + noise, 2 * len(records) + noise


def shares_of_the_truth(records, rng):
    """Noisy shares, scaled to the true number of records."""
    counts = [sum(record["cell"] == cell for record in records) for cell in "012"]
    noisy = np.maximum(np.array(counts) + rng.laplace(scale=1 / EPSILON, size=3), 0.01)
    return noisy / noisy.sum() * len(records)  # BUG


def rows_of_the_truth(records, rng):
    """As many made-up records as there were true ones."""
    counts = [sum(record["cell"] == cell for record in records) for cell in "012"]
    noisy = np.maximum(np.array(counts) + rng.laplace(scale=1 / EPSILON, size=3), 0.01)
    return rng.choice(3, size=len(records), p=noisy / noisy.sum())  # BUG


def noise_shared(records, rng):
    """One number of two moves; the other tells the noise."""
    zeros, ones = (sum(record["cell"] == cell for record in records) for cell in ("0", "1"))
    noise = rng.laplace(scale=2 / EPSILON)
    return zeros + noise, ones + noise  # BUG


def overlapping_slices(records, rng):
    """Slices that were meant to be apart share a cell."""
    told = []
    for part in (("0", "1"), ("1", "2")):
        size = sum(record["cell"] in part for record in records)
        told.append(size + rng.laplace(scale=1 / EPSILON))  # BUG
    return told


def other_neighbours(records, rng):
    return counts(records) + rng.laplace(scale=1 / EPSILON, size=3)  # BUG


def debug_path(records, rng):
    epsilon = 0
    if epsilon == 0:
        return counts(records).tolist()  # BUG
    return counts(records) + rng.laplace(scale=1 / epsilon, size=3)


def clamped_too_little(records, rng):
    noisy = counts(records) + rng.laplace(scale=1.0, size=3)  # BUG
    return np.maximum(0, np.rint(noisy)).astype(int).tolist()


def adaptive_twice(records, rng):
    first = len(records) + rng.laplace(scale=1 / EPSILON)  # BUG
    second = counts(records)[0 if first > 2 else 1] + rng.laplace(scale=1.5 / EPSILON)
    return [first, second]


def one_sided(records, rng):
    return len(records) + rng.exponential(1 / EPSILON)  # BUG


def formula_halved(records, rng):
    u = rng.random() - 0.5
    noise = np.sign(u) * np.log1p(-2 * abs(u)) / (2 * EPSILON)  # BUG
    return len(records) + noise


def noise_told(records, rng):
    """For debugging, the noise stands beside the answer."""
    noise = rng.normal(0, 2.0, 3)  # BUG
    return {"noisy": counts(records) + noise, "noise": noise}


def trials_for_noise(records, rng):
    return counts(records) + rng.binomial(100, 0.5, 3)  # BUG


PLANTED = (
    ("noise_told", "mu=1/2", "add-remove"),
    ("trials_for_noise", "epsilon=0.5", "add-remove"),
    ("formula_halved", "epsilon=0.5", "add-remove"),
    ("scale_halved", "epsilon=0.5", "add-remove"),
    ("deviation_for_scale", "epsilon=0.5", "add-remove"),
    ("root_of_deviation", "mu=1/4", "add-remove"),
    ("inverted_scale", "epsilon=0.5", "add-remove"),
    ("budget_twice", "epsilon=0.5", "add-remove"),
    ("one_question_forgotten", "epsilon=0.5", "add-remove"),
    ("persons_unclipped", "epsilon=0.5", "persons"),
    ("threshold_on_truth", "epsilon=0.5", "add-remove"),
    ("domain_of_the_data", "epsilon=0.5", "add-remove"),
    ("exact_size", "epsilon=0.5", "add-remove"),
    ("selection_without_noise", "epsilon=0.5", "add-remove"),
    ("scale_of_the_data", "epsilon=0.5", "add-remove"),
    ("noise_times_data", "epsilon=0.5", "add-remove"),
    ("fixed_seed", "epsilon=0.5", "add-remove"),
    ("noise_reused", "epsilon=2", "add-remove"),
    ("shares_of_the_truth", "epsilon=0.5", "add-remove"),
    ("rows_of_the_truth", "epsilon=0.5", "add-remove"),
    ("noise_shared", "epsilon=0.5", "add-remove"),
    ("overlapping_slices", "epsilon=0.5", "add-remove"),
    ("other_neighbours", "epsilon=0.5", "replace-one"),
    ("debug_path", "epsilon=0.5", "add-remove"),
    ("clamped_too_little", "epsilon=0.5", "add-remove"),
    ("adaptive_twice", "epsilon=0.5", "add-remove"),
    ("one_sided", "epsilon=0.5", "add-remove"),
)
"""Name, claim, relation: of each, a finding of the claim's violation names the marked line."""
