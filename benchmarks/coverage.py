"""How often a floor exceeds the truth, where the truth is known: at most 5 % of audits may.

Small attacks with few runs, each with a seed of its own, on mechanisms whose exact value is known.
A miss is a floor above it. Randomised response is the boundary of pure ε, and the mechanism of
Kairouz, Oh & Viswanath (2015) that of (ε, δ): every rule is right as often as the claim allows.
Batch mode is measured by the floor that a certificate states; anytime mode at the end of its runs,
as its floor never falls. The wide null searches among
50 pairs of databases that a mechanism does not tell apart: a floor above 0, in either direction,
accuses one of the claims ε >= 0. Suspicion is how often a mechanism whose truth is what it claims
has a p-value below that of `audit.statements.power.SUSPICION`, and is told to run more.

    python benchmarks/coverage.py                     # 2000 repetitions
    python benchmarks/coverage.py --repetitions 200 --modes batch
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from black_boxes import Gaussian, Laplace, SparseVector
from floors import batch_floor
from joblib import Parallel, delayed
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import binomtest, laplace

from audit.auditors.attack.guessing.floors import BETTOR_SHARE, binomial_p_value, claimed_value
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.learning.anytime import attack
from audit.auditors.attack.learning.attackers import PORTFOLIO
from audit.auditors.attack.learning.batch import certify, learn
from audit.auditors.attack.learning.learning import Cost
from audit.auditors.attack.searching.places import Places
from audit.auditors.attack.searching.search import search
from audit.parallel import here
from audit.statements.power import SUSPICION
from audit.subjects.function import FunctionBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP

ERROR = 0.05
ALARM = 1e-6
CHEAP = tuple(attacker for attacker in PORTFOLIO if attacker.cost is Cost.LOW)
"""What is learned decides how tight a floor is, not whether it holds: the dear attackers are left
out, and in anytime mode all but those that learn from a few runs."""

BATCH_RUNS, ANYTIME_RUNS, NULL_RUNS = 200, 25, 30_000
"""On each database. The search needs many, or it would look at few of the pairs."""

PAIRS = 50


@dataclass(frozen=True)
class RandomisedResponse:
    """The database's bit, right with the chance σ(ε); with the chance δ the bit is given away."""

    epsilon: float
    delta: float = 0.0

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> NDArray[np.int64]:
        """[runs], 0 or 1; 2 or 3 where it was given away."""
        wrong = rng.random(runs) * (1 + math.exp(self.epsilon)) < 1
        given = rng.random(runs) < self.delta
        return np.where(given, 2 + database, wrong ^ bool(database)).astype(np.int64)


@dataclass(frozen=True)
class Geometric:
    """A count plus two-sided geometric noise (Ghosh, Roughgarden & Sundararajan 2009)."""

    epsilon: float

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> NDArray[np.int64]:
        """[runs]."""
        noise = rng.geometric(-math.expm1(-self.epsilon), (2, runs))
        return np.asarray(int(database) + noise[0] - noise[1])


@dataclass(frozen=True)
class Oblivious:
    """Vectors that have nothing to do with the database."""

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> NDArray[np.float64]:
        """[runs, 3]."""
        return np.round(rng.laplace(size=(runs, 3)), 2)


@dataclass(frozen=True)
class Known:
    """A mechanism on a pair, and the exact value of the claim's own parameter there."""

    name: str
    mechanism: Callable[..., NDArray[Any]]
    pair: Pair
    claim: Guarantee
    truth: float


def sparse_vector_truth(vector: SparseVector, first: list[int], second: list[int]) -> float:
    """The largest log ratio of an output's chances, by quadrature over the noisy threshold."""

    def chance(true: list[int], above: tuple[int, ...]) -> float:
        def density(t: float) -> float:
            found = float(laplace.pdf(t, vector.threshold, vector.scale))
            for value, over in zip(true, above, strict=True):
                tail = float(laplace.sf(t, value, vector.scale))
                found *= tail if over else 1 - tail
            return found

        kinks = sorted({vector.threshold, *map(float, true)})
        ends = [-math.inf, *kinks, math.inf]
        return math.fsum(quad(density, a, b)[0] for a, b in pairwise(ends))

    outputs = np.ndindex(*[2] * len(first))
    return max(abs(math.log(chance(first, o) / chance(second, o))) for o in outputs)


def cases() -> list[Known]:
    """All mechanisms with their truths."""
    unit = Pair(0, 1)
    one = ApproxDP(Fraction(1))
    vector, up, down = SparseVector(2.0, 1.0), [1, 0], [0, 1]
    leaky = RandomisedResponse(1.0, 0.05)
    return [
        Known("Laplace, ε = 0.1", Laplace(10.0), unit, one, 0.1),
        Known("Laplace, ε = 1", Laplace(1.0), unit, one, 1.0),
        Known("Laplace, ε = 3", Laplace(1 / 3), unit, one, 3.0),
        Known("Laplace, ε = 0.1, distance 22", Laplace(10.0), Pair(0, 22, 22), one, 0.1),
        Known("randomised response, ε = 1", RandomisedResponse(1.0), unit, one, 1.0),
        Known("geometric, ε = 1", Geometric(1.0), unit, one, 1.0),
        Known("ε = 1, δ = 1/20", leaky, unit, ApproxDP(Fraction(1), Fraction(1, 20)), 1.0),
        Known("Gaussian, μ = 1", Gaussian(1.0), unit, GaussianDP(Fraction(1)), 1.0),
        Known("Gaussian, ρ = 1/2", Gaussian(1.0), unit, ZCDP(Fraction(1, 2)), 0.5),
        Known("Gaussian, ε(4) = 2", Gaussian(1.0), unit, RenyiDP(Fraction(4), Fraction(2)), 2.0),
        Known(
            "sparse vector, two queries",
            vector,
            Pair(up, down),
            one,
            sparse_vector_truth(vector, up, down),
        ),
        Known("identical", Oblivious(), unit, one, 0.0),
    ]


def drawing(case: Known, seed: int) -> Drawing:
    """Runs of a case's mechanism."""
    return Drawing(FunctionBox(case.name, case.mechanism, True), Seeds(seed), here)


def certified_floor(case: Known, seed: int) -> float:
    """The floor of a rule that was learned, frozen and certified."""
    return batch_floor(drawing(case, seed), case.pair, 0, case.claim, BATCH_RUNS, CHEAP)


def certified_p_value(case: Known, seed: int) -> float:
    """The p-value that an audit states of the truth as the claim."""
    source, distance = drawing(case, seed), case.pair.distance
    error, alarm = (float(part * (1 - BETTOR_SHARE)) for part in (Fraction(1, 20), Fraction(ALARM)))
    learned = learn(source, case.pair, 0, case.claim, error, alarm, BATCH_RUNS, CHEAP)
    *_, (_, guesses) = certify(source, case.pair, 0, learned)
    return binomial_p_value(guesses, case.claim, distance)


def suspicion_row(name: str, p_values: list[float]) -> str:
    """One line of the table of suspicion, and whether it is too often."""
    met = sum(p < SUSPICION for p in p_values)
    found = binomtest(met, len(p_values)).proportion_ci(0.95, "exact")
    # So many or more have a chance below 1e-3 where each audit has one of `SUSPICION`.
    excess = (
        " TOO MANY |" if binomtest(met, len(p_values), SUSPICION, "greater").pvalue < 1e-3 else ""
    )
    return (
        f"| {name} | {BATCH_RUNS} | {len(p_values)} | {met} | {met / len(p_values):.2%} | "
        f"{found.low:.2%} … {found.high:.2%} |{excess}"
    )


def anytime_floor(case: Known, seed: int, runs: int = ANYTIME_RUNS) -> float:
    """The floor of bets on what is learned on the way."""
    source = drawing(case, seed)
    states = attack(source, [case.pair], case.claim, ERROR, ALARM, runs, False, ())
    *_, last = states
    return last.floor


def wide_pairs() -> list[Pair]:
    """Pairs that a mechanism may take for one another."""
    return [Pair(number, number + 1) for number in range(PAIRS)]


def null_floor(case: Known, seed: int) -> float:
    """The floor on the pair that a search preferred."""
    source, places = drawing(case, seed), Places(tuple(wide_pairs()))
    aim = Aim(case.claim, ERROR, ALARM, 2 * NULL_RUNS)
    chosen = search(source, places, CHEAP, aim, 2 * NULL_RUNS)
    return batch_floor(source, chosen.pair, chosen.number, case.claim, NULL_RUNS, CHEAP)


def anytime_null_floor(case: Known, seed: int) -> float:
    """The floor of bets on all pairs together."""
    source = drawing(case, seed)
    states = attack(source, wide_pairs(), case.claim, ERROR, ALARM, 4 * PAIRS, False, ())
    *_, last = states
    return last.floor


def row(name: str, mode: str, runs: int, floors: list[float], truth: float) -> str:
    """One line of the table, and the seeds of misses where they are too many."""
    misses = sum(found > truth for found in floors)
    found = binomtest(misses, len(floors)).proportion_ci(0.95, "exact")
    allowed = ERROR + 3 * math.sqrt(ERROR * (1 - ERROR) / len(floors))
    seeds = [str(seed) for seed, value in enumerate(floors) if value > truth]
    excess = f" TOO MANY, seeds {' '.join(seeds)}" if misses > allowed * len(floors) else ""
    shown = f"{found.low:.2%} … {found.high:.2%}"
    return (
        f"| {name} | {mode} | {runs} | {truth:.4g} | {np.median(floors):.3f} | {len(floors)} | "
        f"{misses} | {misses / len(floors):.2%} | {shown} |{excess}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--nulls", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="", help="part of a mechanism's name")
    modes = ["batch", "anytime", "null", "anytime null", "suspicion"]
    parser.add_argument("--modes", nargs="+", default=modes, choices=modes)
    chosen = parser.parse_args()
    print(
        "| mechanism | mode | runs a side | truth | median floor | audits | misses | rate | 95 % |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    with Parallel(n_jobs=chosen.jobs) as parallel:
        for mode, function, runs in (
            ("batch", certified_floor, BATCH_RUNS),
            ("anytime", anytime_floor, ANYTIME_RUNS),
        ):
            for case in cases():
                if mode in chosen.modes and chosen.only in case.name:
                    floors = parallel(
                        delayed(function)(case, seed) for seed in range(chosen.repetitions)
                    )
                    print(row(case.name, mode, runs, floors, case.truth), flush=True)
        null = Known("identical", Oblivious(), Pair(0, 1), ApproxDP(Fraction(1)), 0.0)
        for mode, function, runs in (
            ("null", null_floor, NULL_RUNS),
            ("anytime null", anytime_null_floor, 4 * PAIRS),
        ):
            if mode in chosen.modes and chosen.only in null.name:
                floors = parallel(delayed(function)(null, seed) for seed in range(chosen.nulls))
                name = f"{null.name}, {PAIRS} pairs"
                print(row(name, mode.replace("null", "search"), runs, floors, 0.0), flush=True)
        if "suspicion" in chosen.modes:
            print(
                "\n| mechanism that uses up its claim | runs a side | audits | met | rate | 95 % |"
            )
            print("|---|---|---|---|---|---|")
            for case in cases():
                if float(claimed_value(case.claim)) == case.truth and chosen.only in case.name:
                    found = parallel(
                        delayed(certified_p_value)(case, seed) for seed in range(chosen.repetitions)
                    )
                    print(suspicion_row(case.name, found), flush=True)


if __name__ == "__main__":
    main()
