"""Copies of honest calls with one bug each; the line at fault ends with a mark."""

import math

from diffprivlib import mechanisms, tools


def numbers(records):
    return [int(record["cell"]) for record in records]


def clipped_total(records):
    return sum(min(number, 2) for number in numbers(records))


def sensitivity_too_small(records, rng):
    mechanism = mechanisms.Geometric(epsilon=1, sensitivity=1)
    return mechanism.randomise(clipped_total(records))  # here


def epsilon_used_twice(records, rng):
    mechanism = mechanisms.Geometric(epsilon=1, sensitivity=2)
    first = mechanism.randomise(clipped_total(records))  # here
    return first, mechanism.randomise(clipped_total(records))


def clipping_forgotten(records, rng):
    mechanism = mechanisms.Geometric(epsilon=1, sensitivity=2)
    return mechanism.randomise(sum(numbers(records)))  # here


def mean_of_private_number(records, rng):
    values = [min(number, 2) for number in numbers(records)] or [0]
    mechanism = mechanisms.Laplace(epsilon=1, sensitivity=2 / len(values))
    return mechanism.randomise(sum(values) / len(values))  # here


def bounds_from_data(records, rng):
    return tools.mean([*numbers(records), 0, 1], epsilon=1)  # here


def scale_from_data(records, rng):
    spread = 1 + max(numbers(records), default=0)
    mechanism = mechanisms.Laplace(epsilon=1, sensitivity=spread)
    return mechanism.randomise(float(clipped_total(records)))  # here


def noiseless_branch(records, rng):
    total = clipped_total(records)
    if total > 3:
        return total  # here
    return mechanisms.Geometric(epsilon=1, sensitivity=2).randomise(total)


def infinite_epsilon(records, rng):
    mechanism = mechanisms.Geometric(epsilon=math.inf, sensitivity=2)
    return mechanism.randomise(clipped_total(records))  # here


def seed_of_zero(records, rng):
    mechanism = mechanisms.Laplace(epsilon=1, sensitivity=2, random_state=0)  # here
    return mechanism.randomise(float(clipped_total(records)))


def noise_used_twice(records, rng):
    noise = mechanisms.Geometric(epsilon=1, sensitivity=2).randomise(0)  # here
    return clipped_total(records) + noise, 3 * clipped_total(records) + noise


def scores_too_sensitive(records, rng):
    scores = [3.0 * numbers(records).count(value) for value in range(3)]
    mechanism = mechanisms.Exponential(epsilon=1, sensitivity=1, utility=scores)
    return mechanism.randomise()  # here


def stated_twice(records, rng):
    mechanism = mechanisms.Staircase(epsilon=1, sensitivity=1)
    first = mechanism.randomise(float(len(records)))  # here
    return first, mechanism.randomise(float(len(records)))


def histogram_of_exchanged_replace_one(records, rng):
    return tools.histogram(numbers(records), epsilon=1, bins=3, range=(0, 3))[0]  # here
