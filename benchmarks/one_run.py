"""How often a floor of one run exceeds the truth, and how far it comes, where the truth is known.

Each audit is one toy training with many canaries. A miss is a floor at 95 % above the truth: at
most 5 % of audits may. Randomised response is the boundary of pure ε; that of (ε, δ) is
`worst_law`, which keeps its claim and is guessed right as often as anything that does. Beside the
floors stand those of the same guesses by the bound of Steinke, Nasr & Jagielski (2023).

    python benchmarks/one_run.py                     # 2000 repetitions
    python benchmarks/one_run.py --repetitions 200
    python benchmarks/one_run.py --limits            # how far one run can come at all
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom, binomtest

from audit.auditors.one_run.bound import Counts
from audit.auditors.one_run.guessing import count_right, guess_inclusion
from audit.auditors.one_run.p_values import find_floor, find_largest
from audit.auditors.one_run.planning import make_plan
from proofs.guarantees import ApproxDP, GaussianDP, Guarantee

ERROR = 0.05
SMALL = Fraction(1, 10**5)
"""The δ of the figures that are compared."""

Array = NDArray[np.float64]
Toy = Callable[[np.random.Generator, int, int], int]
"""Draws the number of right guesses of one audit, of so many canaries and guesses."""


@dataclass(frozen=True)
class Case:
    """A toy training, what is claimed of it, and the true value of the claim's parameter."""

    name: str
    guarantee: Guarantee
    truth: float
    canaries: int
    guesses: int
    toy: Toy


def worst_law(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> Array:
    """[0 … guesses] the law of right guesses of an (ε, δ)-DP mechanism that is best at ``right``.

    It is randomised response, but for a share of runs in which at least so many guesses come out
    right as cost least: given W >= w the law goes on as it was, and the jump to w costs its hazard.
    """
    counts = np.arange(guesses + 1)
    accuracy = 1 / (1 + math.exp(-epsilon))
    law = binom.pmf(counts, guesses, accuracy)
    tails = binom.sf(counts - 1, guesses, accuracy)
    # Where the law is too small for doubles nobody gains.
    places = np.array([place for place in counts[1 : right + 1] if law[place] > 1e-200])
    costs = places * law[places] / tails[places]
    gains = tails[right] * (1 / tails[places] - 1)
    best = int(places[np.argmax(gains / costs)])
    share = min(1.0, canaries * delta * float(tails[best] / (best * law[best])))
    return law * (1 - share) + np.where(counts >= best, law / tails[best], 0.0) * share


def randomised(epsilon: float) -> Toy:
    """Each coin is told with chance e^ε / (1 + e^ε), otherwise the other."""
    accuracy = 1 / (1 + math.exp(-epsilon))
    return lambda rng, canaries, guesses: int(rng.binomial(guesses, accuracy))


def worst(epsilon: float, delta: float) -> Toy:
    """The law that is best at the number of right guesses that refutes ε from below."""

    @cache
    def law(canaries: int, guesses: int) -> Array:
        guarantee = ApproxDP(Fraction(epsilon), Fraction(delta))
        fewest = next(
            right
            for right in range(guesses // 2, guesses + 1)
            if own_floor(guarantee, canaries, guesses, right) > epsilon
        )
        found = worst_law(canaries, guesses, fewest, epsilon, delta)
        return found / found.sum()

    return lambda rng, canaries, guesses: int(rng.choice(guesses + 1, p=law(canaries, guesses)))


def noisy(noise: str, scale: float) -> Toy:
    """Each canary's score is its coin with noise of its own: Laplace's, or Gaussian."""

    def draw(rng: np.random.Generator, canaries: int, guesses: int) -> int:
        coins = rng.integers(0, 2, canaries).astype(np.bool_)
        scores = coins + getattr(rng, noise)(0, scale, canaries)
        return count_right(guess_inclusion(scores, guesses, "0", 0), coins)

    return draw


@cache
def own_floor(guarantee: Guarantee, canaries: int, guesses: int, right: int) -> float:
    """The floor that a certificate states."""
    return find_floor([Counts(canaries, guesses, right)], guarantee, ERROR)


@cache
def stated_floor(guarantee: ApproxDP, canaries: int, guesses: int, right: int) -> float:
    """The floor by the bound of Steinke, Nasr & Jagielski (2023), Theorem 5.2."""
    lost = np.arange(1, right + 1)

    def refutes(epsilon: float) -> bool:
        accuracy = 1 / (1 + math.exp(-epsilon))
        chance = float(binom.sf(right - 1, guesses, accuracy))
        near = np.cumsum(binom.pmf(right - lost, guesses, accuracy)) / lost
        most = float(near.max()) if right else 0.0
        return chance + 2 * canaries * float(guarantee.delta) * most <= ERROR

    return find_largest(refutes)


def make_case(name: str, guarantee: Guarantee, truth: float, canaries: int, toy: Toy) -> Case:
    """A case with as many guesses as a plan makes of a leak of twice the truth."""
    plan = make_plan(guarantee, truth, 2 * truth, canaries, 1, ERROR)
    return Case(name, guarantee, truth, canaries, plan.guesses, toy)


def list_cases() -> list[Case]:
    """The toy trainings whose misses are counted."""
    pure, approximate = ApproxDP(Fraction(1)), ApproxDP(Fraction(1), Fraction(1, 1000))
    small, gaussian = ApproxDP(Fraction(1), SMALL), GaussianDP(Fraction(1))
    return [
        Case("randomised response, ε = 1", pure, 1.0, 100, 100, randomised(1.0)),
        Case("randomised response, ε = 1", pure, 1.0, 1000, 1000, randomised(1.0)),
        make_case("Laplace, ε = 1", pure, 1.0, 1000, noisy("laplace", 1.0)),
        Case("worst case, ε = 1, δ = 1/1000", approximate, 1.0, 100, 100, worst(1.0, 1e-3)),
        Case("worst case, ε = 1, δ = 1/1000", approximate, 1.0, 1000, 1000, worst(1.0, 1e-3)),
        Case("worst case, ε = 1, δ = 1/1000", approximate, 1.0, 1000, 250, worst(1.0, 1e-3)),
        Case("Laplace, ε = 1, δ = 1e-5", small, 1.0, 1000, 575, noisy("laplace", 1.0)),
        Case("Laplace, ε = 1, δ = 1e-5", small, 1.0, 10_000, 5750, noisy("laplace", 1.0)),
        make_case("Gaussian, μ = 1", gaussian, 1.0, 1000, noisy("normal", 1.0)),
        Case("Gaussian, μ = 1", gaussian, 1.0, 10_000, 1000, noisy("normal", 1.0)),
        Case("Gaussian μ = 1, ε at δ = 1e-5", small, 4.3768, 1000, 100, noisy("normal", 1.0)),
        Case("Gaussian μ = 1, ε at δ = 1e-5", small, 4.3768, 10_000, 300, noisy("normal", 1.0)),
    ]


def measure(case: Case, repetitions: int, seed: int) -> str:
    """A row: the median floor, by our bound and by theirs; how often ours exceeds the truth."""
    rng = np.random.default_rng(seed)
    own, others = [], []
    for _ in range(repetitions):
        counts = (case.canaries, case.guesses, case.toy(rng, case.canaries, case.guesses))
        own.append(own_floor(case.guarantee, *counts))
        if isinstance(case.guarantee, ApproxDP):
            others.append(stated_floor(case.guarantee, *counts))
    misses = int(np.count_nonzero(np.array(own) > case.truth))
    within = binomtest(misses, repetitions).proportion_ci(0.95)
    theirs = f"{np.median(others):.3f}" if others else "–"
    limit = own_floor(case.guarantee, case.canaries, case.guesses, case.guesses)
    return (
        f"| {case.name} | {case.canaries} | {case.guesses} | {case.truth:.4g} | "
        f"{np.median(own):.3f} | {theirs} | {limit:.3f} | {misses} | {misses / repetitions:.2%} | "
        f"{within.low:.2%} … {within.high:.2%} |"
    )


def tell_limits() -> None:
    """How far one run comes where every guess is right, at 95 % and at the alarm of REFUTED."""
    print("| claim | canaries | guesses | limit at 95 % | limit at 1e-6 |")
    print("|---|---|---|---|---|")
    claims = {
        "pure ε": ApproxDP(Fraction(1)),
        "ε at δ = 1e-8": ApproxDP(Fraction(1), Fraction(1, 10**8)),
        "ε at δ = 1e-5": ApproxDP(Fraction(1), SMALL),
        "μ": GaussianDP(Fraction(1)),
    }
    for name, guarantee in claims.items():
        for canaries in (100, 1000, 10_000):
            for guesses in (canaries, canaries // 4):
                full = [Counts(canaries, guesses, guesses)]
                found = [find_floor(full, guarantee, error) for error in (ERROR, 1e-6)]
                print(f"| {name} | {canaries} | {guesses} | {found[0]:.3f} | {found[1]:.3f} |")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limits", action="store_true", help="how far one run can come at all")
    flags = parser.parse_args()
    if flags.limits:
        tell_limits()
        return
    print(
        "| training | canaries | guesses | truth | median floor | Steinke et al. | limit | "
        "floors above | rate | 95 % interval |\n|---|---|---|---|---|---|---|---|---|---|"
    )
    for case in list_cases():
        print(measure(case, flags.repetitions, flags.seed), flush=True)


if __name__ == "__main__":
    main()
