"""Calls of diffprivlib as functions of records with one value each."""

import warnings

import numpy as np
from diffprivlib import mechanisms, tools

warnings.filterwarnings("ignore")
BOUNDS = (0.0, 10.0)


def values(records):
    return np.array([float(record["value"]) for record in records])


def geometric(records, rng):
    return mechanisms.Geometric(epsilon=1, sensitivity=1).randomise(len(records))


def truncated(records, rng):
    mechanism = mechanisms.GeometricTruncated(epsilon=1, sensitivity=1, lower=0, upper=5)
    return mechanism.randomise(len(records))


def folded(records, rng):
    mechanism = mechanisms.GeometricFolded(epsilon=1, sensitivity=1, lower=0, upper=5)
    return mechanism.randomise(len(records))


def discrete_gaussian(records, rng):
    return mechanisms.GaussianDiscrete(epsilon=1, delta=0.01).randomise(len(records))


def laplace(records, rng):
    return mechanisms.Laplace(epsilon=1, sensitivity=1).randomise(float(len(records)))


def binary(records, rng):
    mechanism = mechanisms.Binary(epsilon=1, value0="0", value1="1")
    return mechanism.randomise(str(records[0]["value"]))


def counts(records):
    return [float(sum(record["value"] == value for record in records)) for value in range(3)]


def exponential(records, rng):
    return mechanisms.Exponential(epsilon=1, sensitivity=1, utility=counts(records)).randomise()


def permute_and_flip(records, rng):
    utility = counts(records)
    return mechanisms.PermuteAndFlip(epsilon=1, sensitivity=1, utility=utility).randomise()


def mean(records, rng):
    return tools.mean(values(records), epsilon=1, bounds=BOUNDS)


def mean_bounds_from_data(records, rng):
    return tools.mean(values(records), epsilon=1)


def total(records, rng):
    return tools.sum(values(records), epsilon=1, bounds=BOUNDS)


def histogram(records, rng):
    return tools.histogram(values(records), epsilon=1, bins=3, range=(0, 3))[0]
