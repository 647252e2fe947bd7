"""Functions of noise that a user might name, and programs that call them."""

from __future__ import annotations

import numpy as np


def inverse(value, b):
    u = np.random.random() - 0.5
    return value - b * np.sign(u) * np.log(1 - 2 * abs(u))


def halved(value, b):
    return value + np.random.laplace(scale=b / 2)


def bell(value, b):
    return value + np.random.normal(scale=np.sqrt(2) * b)


def count_inverse(records, rng):
    return [inverse(len(records), 3.0), inverse(0, 3.0)]


def count_halved(records, rng):
    return halved(len(records), 1.0)


def count_bell(records, rng):
    return bell(len(records), 1.0)
