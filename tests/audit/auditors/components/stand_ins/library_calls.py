"""Honest calls of libraries; each keeps epsilon = 1 for the relation that its name ends with."""

from diffprivlib import mechanisms, tools


def numbers(records):
    return [int(record["cell"]) for record in records]


def clipped_total(records):
    return sum(min(number, 5) for number in numbers(records))


def counts(records):
    return [float(numbers(records).count(value)) for value in range(3)]


def geometric_add_remove(records, rng):
    return mechanisms.Geometric(epsilon=1, sensitivity=5).randomise(clipped_total(records))


def truncated_add_remove(records, rng):
    mechanism = mechanisms.GeometricTruncated(epsilon=1, sensitivity=5, lower=0, upper=9)
    return mechanism.randomise(clipped_total(records))


def folded_add_remove(records, rng):
    mechanism = mechanisms.GeometricFolded(epsilon=1, sensitivity=5, lower=0, upper=9)
    return mechanism.randomise(clipped_total(records))


def halves_add_remove(records, rng):
    mechanism = mechanisms.Geometric(epsilon=0.5, sensitivity=1)
    return mechanism.randomise(len(records)), mechanism.randomise(len(records))


def binary_replace_one(records, rng):
    mechanism = mechanisms.Binary(epsilon=1, value0="low", value1="high")
    return mechanism.randomise("low" if sum(numbers(records)) < 3 else "high")


def exponential_add_remove(records, rng):
    mechanism = mechanisms.Exponential(epsilon=1, sensitivity=1, utility=counts(records))
    return mechanism.randomise()


def permuted_add_remove(records, rng):
    mechanism = mechanisms.PermuteAndFlip(epsilon=1, sensitivity=1, utility=counts(records))
    return mechanism.randomise()


def stated_add_remove(records, rng):
    """Of no law that is known here: kept at the library's word."""
    return mechanisms.Staircase(epsilon=1, sensitivity=1).randomise(float(len(records)))


def count_replace_one(records, rng):
    return tools.count_nonzero([number > 1 for number in numbers(records)], epsilon=1)


def sum_replace_one(records, rng):
    return tools.sum(numbers(records), epsilon=1, bounds=(0, 5))


def mean_replace_one(records, rng):
    return tools.mean(numbers(records), epsilon=1, bounds=(0, 5))


def histogram_add_remove(records, rng):
    return tools.histogram(numbers(records), epsilon=1, bins=3, range=(0, 3))[0]
