"""Algorithms of python-dp (PyDP) as functions of records with one value each."""

from pydp.algorithms.laplacian import BoundedMean, BoundedSum, Count
from pydp.algorithms.numerical_mechanisms import GaussianMechanism, LaplaceMechanism


def values(records):
    return [int(record["value"]) for record in records]


def count(records, rng):
    return Count(epsilon=1.0, dtype="int").quick_result(values(records))


def bounded_sum(records, rng):
    algorithm = BoundedSum(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int")
    return algorithm.quick_result(values(records))


def bounded_mean(records, rng):
    algorithm = BoundedMean(epsilon=1.0, lower_bound=0, upper_bound=10, dtype="int")
    return algorithm.quick_result(values(records))


def sum_bounds_from_data(records, rng):
    return BoundedSum(epsilon=1.0, dtype="int").quick_result(values(records))


def laplace(records, rng):
    return LaplaceMechanism(1.0, 1.0).add_noise(float(len(records)))


def gaussian(records, rng):
    return GaussianMechanism(1.0, 1e-2, 1.0).add_noise(float(len(records)))
