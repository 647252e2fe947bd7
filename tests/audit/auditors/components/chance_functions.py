"""Programs whose noise is coins and choices: honest ones, wrong ones, and ones left open."""

from __future__ import annotations

import math
import random

import numpy as np

CELLS = ("0", "1", "2")


def counts(records):
    return np.array([sum(record["cell"] == cell for record in records) for cell in CELLS])


def bits(records):
    return np.array([int(record["cell"] == "0") for record in records])


def chances(scores):
    weights = np.exp(scores - np.max(scores))
    return weights / weights.sum()


def equal_coin(records, rng):
    return [bool(bit) == (rng.random() < 0.73) for bit in bits(records)]


def branch(records, rng):
    truth = records[-1]["cell"] == "0"
    if random.random() < 0.46:
        return truth
    return random.random() < 0.5


def other_chance(records, rng):
    return [int(rng.random() < (0.73 if bit else 0.27)) for bit in bits(records)]


def flipped(records, rng):
    return [int(bit) ^ int(random.random() < 0.27) for bit in bits(records)]


def chosen(records, rng):
    return [int(rng.choice([bit, 1 - bit], p=[0.73, 0.27])) for bit in bits(records)]


def where(records, rng):
    truth = bits(records)
    return np.where(rng.random(len(truth)) < 0.46, truth, rng.integers(0, 2, len(truth)))


def many_answers(records, rng):
    """Randomised response among three cells."""
    told = []
    for record in records:
        if random.random() < math.e / (math.e + 2):
            told.append(record["cell"])
        else:
            told.append(random.choice([cell for cell in CELLS if cell != record["cell"]]))
    return told


def survey(records, rng):
    yes = [bit if rng.random() < 0.46 else rng.binomial(1, 0.5) for bit in bits(records)]
    return (sum(yes) / len(yes) - 0.27) / 0.46


def shuffled(records, rng):
    told = [int(bit) if rng.random() < 0.46 else int(rng.integers(0, 2)) for bit in bits(records)]
    rng.shuffle(told)
    return told


def two_choices(records, rng):
    first = rng.choice(3, p=chances(counts(records) / 4))
    return int(first), random.choices(CELLS, weights=chances(counts(records) / 4))


def gumbel_twice(records, rng):
    return [int(np.argmax(counts(records) + rng.gumbel(scale=4.0, size=3))) for _ in range(2)]


def exponential_max(records, rng):
    return CELLS[int(np.argmax(counts(records) + rng.exponential(2.0, size=3)))]


def permute_and_flip(records, rng):
    scores = counts(records)
    for place in rng.permutation(3):
        if rng.random() < math.exp((scores[place] - scores.max()) / 2):
            return int(place)
    raise AssertionError


def own_sampler(records, rng):
    """The exponential mechanism by sums of weights and one uniform number."""
    weights = np.exp(counts(records) / 2)
    u, total = rng.random() * weights.sum(), 0.0
    for place, weight in enumerate(weights):
        total += weight
        if u < total:
            return place
    return 2


def searched(records, rng):
    shares = np.cumsum(chances(counts(records) / 4))[:-1]
    return int(np.searchsorted(shares, rng.random())), np.searchsorted(shares, rng.random(2))


def choice_and_count(records, rng):
    """A choice, and a count beside noise."""
    best = rng.choice(3, p=chances(counts(records) / 4))
    return int(best), counts(records)[best] + rng.laplace(scale=2.0)


def coin_too_heavy(records, rng):
    return [int(bit) ^ int(rng.random() < 0.2) for bit in bits(records)]


def weights_twice(records, rng):
    return int(rng.choice(3, p=chances(counts(records))))


def gumbel_halved(records, rng):
    return int(np.argmax(counts(records) + rng.gumbel(scale=1.0, size=3)))


def exponential_halved(records, rng):
    return int(np.argmax(counts(records) + rng.exponential(1.0, size=3)))


def of_the_data(records, rng):
    return random.choice([record["cell"] for record in records])


def bootstrap(records, rng):
    values = np.array([int(record["cell"]) for record in records])
    return float(rng.choice(values, size=len(values)).mean())


def arranged(records, rng):
    values = [record["cell"] for record in records]
    rng.shuffle(values)
    return values


def subsampled(records, rng):
    return [record["cell"] for record in records if rng.random() < 0.5]


def few_trials(records, rng):
    return len(records) + int(rng.binomial(2, 0.5))


def choices_of_shares(records, rng):
    return rng.choice(3, size=3, p=(counts(records) + 1) / (len(records) + 3)).tolist()


def coin_unseen(records, rng):
    return [bool(bit) == (float(rng.random()) < 0.73) for bit in bits(records)]


def coin_unseen_in_part(records, rng):
    """A uniform number that is compared, and used in secret as well."""
    u = rng.random()
    return bool(bits(records)[-1]) == (u < 0.73), float(u) < 0.1


def noisy_and_chosen(records, rng):
    noisy = counts(records) + rng.gumbel(scale=2.0, size=3)
    best = int(np.argmax(noisy))
    return best, float(noisy[best])


def choice_of_a_seed(records, rng):
    np.random.seed(7)
    return int(np.random.choice(3, p=chances(counts(records) / 4)))


def several_without_return(records, rng):
    return rng.choice(3, size=2, replace=False, p=chances(counts(records) / 4)).tolist()


def centred_elsewhere(records, rng):
    """A law that nobody listed, about the true number."""
    return rng.vonmises(len(records), 1.0)


def coin_beside_noise(records, rng):
    return int(bits(records)[-1]) ^ int(rng.random() < 0.27), rng.laplace(len(records), 5.0)


KEPT = (
    *((name, "epsilon=1", "replace-one") for name in ("equal_coin", "branch", "other_chance")),
    *((name, "epsilon=1", "replace-one") for name in ("flipped", "chosen", "where", "survey")),
    *((name, "epsilon=1", "replace-one") for name in ("many_answers", "shuffled", "two_choices")),
    ("two_choices", "rho=1/8", "replace-one"),
    ("two_choices", "epsilon=1/2, delta=1/10", "replace-one"),
    *((name, "epsilon=1", "replace-one") for name in ("gumbel_twice", "exponential_max")),
    *((name, "epsilon=1", "replace-one") for name in ("permute_and_flip", "own_sampler")),
    ("searched", "epsilon=3/2", "replace-one"),
    ("choice_and_count", "epsilon=1", "add-remove"),
    ("choice_and_count", "epsilon=1/2, delta=1/5", "add-remove"),
    ("flipped", "mu=1.23", "replace-one"),
    ("flipped", "alpha=2, rdp=3/4", "replace-one"),
)
"""Name, claim, relation: kept, with nothing left open."""

BROKEN = (
    ("choice_of_a_seed", "epsilon=1", "replace-one"),
    ("coin_too_heavy", "epsilon=1", "replace-one"),
    ("coin_too_heavy", "epsilon=1, delta=1/10", "replace-one"),
    ("coin_too_heavy", "rho=1/5", "replace-one"),
    ("coin_too_heavy", "mu=5/4", "replace-one"),
    ("weights_twice", "epsilon=1", "replace-one"),
    ("two_choices", "epsilon=1/2", "replace-one"),
    ("searched", "epsilon=1/2", "replace-one"),
    ("gumbel_halved", "epsilon=1", "replace-one"),
    ("exponential_halved", "epsilon=1", "replace-one"),
    ("of_the_data", "epsilon=1", "replace-one"),
    ("bootstrap", "epsilon=1", "replace-one"),
    ("arranged", "epsilon=9", "replace-one"),
    ("subsampled", "epsilon=1", "add-remove"),
    ("few_trials", "epsilon=1", "add-remove"),
    ("choices_of_shares", "epsilon=1", "replace-one"),
)
"""Violated, by the exact laws of the output."""

LEFT_OPEN = (
    ("coin_unseen", "epsilon=1", "replace-one"),
    ("coin_unseen_in_part", "epsilon=1", "replace-one"),
    ("noisy_and_chosen", "epsilon=1", "replace-one"),
    ("several_without_return", "epsilon=1", "replace-one"),
    ("centred_elsewhere", "epsilon=1", "add-remove"),
    ("coin_beside_noise", "epsilon=1.2", "replace-one"),
)
"""Neither accused nor cleared."""
