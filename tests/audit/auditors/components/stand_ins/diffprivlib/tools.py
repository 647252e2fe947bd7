import numpy as np

from diffprivlib.mechanisms import GeometricTruncated, LaplaceTruncated


def count_nonzero(array, epsilon=1.0):
    mechanism = GeometricTruncated(epsilon=epsilon, sensitivity=1, lower=0, upper=len(array))
    return mechanism.randomise(int(np.count_nonzero(array)))


def sum(array, epsilon=1.0, bounds=None):
    lower, upper = bounds
    clipped = np.clip(np.asarray(array, float), lower, upper)
    mechanism = LaplaceTruncated(
        epsilon=epsilon,
        sensitivity=upper - lower,
        lower=lower * clipped.size,
        upper=upper * clipped.size,
    )
    return mechanism.randomise(float(np.sum(clipped)))


def mean(array, epsilon=1.0, bounds=None):
    lower, upper = (min(array), max(array)) if bounds is None else bounds
    clipped = np.clip(np.asarray(array, float), lower, upper)
    mechanism = LaplaceTruncated(
        epsilon=epsilon, sensitivity=(upper - lower) / clipped.size, lower=lower, upper=upper
    )
    return mechanism.randomise(float(np.mean(clipped)))


def histogram(sample, epsilon=1.0, bins=10, range=None):
    counts, edges = np.histogram(sample, bins=bins, range=range)
    mechanism = GeometricTruncated(epsilon=epsilon, sensitivity=1, lower=0, upper=10**9)
    return np.array([mechanism.randomise(int(count)) for count in counts]), edges
