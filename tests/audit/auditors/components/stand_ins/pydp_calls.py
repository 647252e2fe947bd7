"""Calls of python-dp: one that keeps epsilon = 1, and one whose sensitivity is too small."""

from pydp.algorithms.numerical_mechanisms import LaplaceMechanism


def total(records, rng):
    return LaplaceMechanism(1.0, 2.0).add_noise(float(sum(int(r["cell"]) for r in records)))


def too_small(records, rng):
    return LaplaceMechanism(1.0, 1.0).add_noise(float(sum(int(r["cell"]) for r in records)))
