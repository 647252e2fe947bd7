r"""DP-SGD for logistic regression in NumPy, and canaries that show how private one training is.

Full batches: in each step every example's gradient is clipped to norm 1, and the sum gets Gaussian
noise of standard deviation sigma. What is released is the final model. With or without one example
the sum of a step differs by at most 1, so that each step is (1/sigma)-Gaussian private, and all
steps are mu = sqrt(steps) / sigma: `dp-audit account '20 * gaussian(sigma=…)'` says the same.

    dp-audit certify dp_sgd:train --one-run --canaries dp_sgd:canaries --score dp_sgd:score \
        --claim mu=1 --neighbours add-remove --alarm 0.05

A canary has a feature of its own, so that its gradient points where no other's does, and one so
large that its gradient is always clipped: that is as visible as an example may be.
"""

import numpy as np

CANARIES = 1000
COMMON = 10
"""Features of ordinary examples; each canary has one more for itself."""

ORDINARY = 500
"""Ordinary examples, beside which canaries are trained on."""

STEPS = 20
SIGMA = float(np.sqrt(STEPS))
"""Of mu = 1."""

RATE = 0.001


def canaries():
    """The records of the canaries: the place of their own feature, its value, and their label."""
    return [{"place": COMMON + k, "value": 10.0, "label": 1} for k in range(CANARIES)]


def train(records, rng, sigma=SIGMA):
    """The weights of a logistic regression on ordinary examples and the records."""
    examples = np.zeros((ORDINARY + len(records), COMMON + CANARIES))
    labels = np.ones(len(examples))
    ordinary = np.random.default_rng(0).normal(size=(ORDINARY, COMMON))
    examples[:ORDINARY, :COMMON] = ordinary
    labels[:ORDINARY] = np.where(ordinary[:, 0] + ordinary[:, 1] > 0, 1, -1)
    for row, record in enumerate(records, start=ORDINARY):
        examples[row, record["place"]] = record["value"]
        labels[row] = record["label"]
    weights = np.zeros(COMMON + CANARIES)
    for _ in range(STEPS):
        slopes = labels / (1 + np.exp(labels * (examples @ weights)))
        norms = np.abs(slopes) * np.linalg.norm(examples, axis=1)
        clipped = slopes / np.maximum(norms, 1)
        weights += RATE * (clipped @ examples + rng.normal(0, sigma, len(weights)))
    return weights


def score(weights, canary):
    """How far training went towards the canary."""
    return canary["label"] * weights[canary["place"]]
