"""What keeps floors of AIM's tables below the truth: which marginals were measured in a run.

AIM of 48 rounds on two poles, as in `synthesizer_attacks.py`. The marginals of each table, along
the databases' difference, are weighed in two ways: by one set of weights for all runs, learned from
half of them, as an attacker of tables may; and by one over the variance of each run's own
measurements, which only its transcript tells. Of the other half, the share that is guessed right at
the best threshold, as the μ of a step.

    python benchmarks/aim_weights.py --runs 20000
"""

from __future__ import annotations

import argparse
from itertools import combinations

import numpy as np
import synthesizer_boxes as boxes
from numpy.typing import NDArray
from scipy.stats import norm
from synthesizer_attacks import CASES, poles, truth

from audit.subjects.databases import dataset_of_records
from synthesizers.curator import Setting, declared_budget
from synthesizers.events import Measure
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.tables import to_frame

FloatArray = NDArray[np.float64]

NAMES = boxes.THREE.names
SETS = tuple(of for size in (1, 2) for of in combinations(NAMES, size))


def draw(runs: int) -> tuple[NDArray[np.bool_], FloatArray, FloatArray]:
    """[runs] coins; [runs, sets] each table's marginals, and the weights of its measurements."""
    pair, setting = poles(CASE), Setting(boxes.THREE, boxes.EXCHANGED, CASE.records, CASE.records)
    both = [dataset_of_records(some, boxes.THREE) for some in (pair.first, pair.second)]
    budget, coins = declared_budget(boxes.AIM, setting), np.random.default_rng(1).random(runs) < 0.5
    shown, weights = np.zeros((runs, len(SETS))), np.zeros((runs, len(SETS)))
    for place, coin in enumerate(coins):
        made = run(boxes.AIM, both[int(coin)], setting, budget, InsecureSeededEntropy(place))
        table = to_frame(made.output)[list(NAMES)].astype(int)
        for number, of in enumerate(SETS):
            sums = table[list(of)].sum(axis=1)
            shown[place, number] = (sums == len(of)).sum() - (sums == 0).sum()
        for event in made.ledger:
            if isinstance(event, Measure):
                weights[place, SETS.index(event.query.attributes)] += 1 / float(
                    event.noise.variance
                )
    return coins, shown, weights


def mu_of(scores: FloatArray, coins: NDArray[np.bool_], steps: int) -> float:
    """The μ of a step at which as many guesses by the best threshold are right."""
    second = coins[np.argsort(scores)]
    right = np.cumsum(~second) + second.sum() - np.cumsum(second)
    return float(2 * norm.ppf(right.max() / len(coins)) / steps)


CASE = next(case for case in CASES if case.name == "aim")


def main() -> None:
    """Print what both reach."""
    parser = argparse.ArgumentParser(description="AIM's weights.")
    parser.add_argument("--runs", type=int, default=20_000)
    runs = parser.parse_args().runs
    coins, shown, weights = draw(runs)
    half = runs // 2
    means = [shown[:half][coins[:half] == coin].mean(axis=0) for coin in (False, True)]
    rest = shown[:half] - np.where(coins[:half, None], means[1], means[0])
    # Marginals of a table hang together, so that the covariance may be singular.
    learned = np.linalg.lstsq(rest.T @ rest / half, means[1] - means[0], rcond=None)[0]
    by_runs = (shown * weights).sum(axis=1)
    print(f"leaks                        {truth(CASE, poles(CASE)):.4f}")
    print(f"one set of weights, learned  {mu_of(shown[half:] @ learned, coins[half:], 7):.4f}")
    print(f"each run's own weights       {mu_of(by_runs[half:], coins[half:], 7):.4f}")


if __name__ == "__main__":
    main()
