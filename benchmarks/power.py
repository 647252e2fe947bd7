"""What attacks on honest mechanisms can see: mechanisms at exactly their claim, on one pair.

One row a mechanism: the power (the smallest leak that would have been refuted with a chance of
90 %), what must be seen by default, how many of the audits said NOT REFUTED, how many planted
controls were refuted, and the runs a database that would do where these are too few.

    python benchmarks/power.py                       # 10,000 runs a database, 5 seeds
    python benchmarks/power.py --runs 500 --only "ε = 1"
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.effort import Attack
from audit.parallel import here
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence
from audit.subjects.function import FunctionBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds
from proofs.guarantees import parse_guarantee
from synthesizers.neighbours import AddRemove

GRID = 64
"""Parts of one in which outputs are given: noise in doubles would leak by its last bits."""


@dataclass(frozen=True)
class Noisy:
    """A number with Laplace or Gaussian noise, rounded to a grid."""

    law: str
    scale: float

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> NDArray[np.float64]:
        """[runs]."""
        noise = getattr(rng, self.law)(0, self.scale, runs)
        return np.asarray(np.round((database + noise) * GRID) / GRID)


@dataclass(frozen=True)
class Known:
    """A mechanism, the claim that it uses up, and how far the pair's databases are apart."""

    name: str
    claim: str
    mechanism: Callable[..., Any]
    distance: int = 1


CASES = (
    *(
        Known(f"Laplace, ε = {value}", f"epsilon={value}", Noisy("laplace", 1 / float(value)))
        for value in ("0.01", "0.1", "0.2", "0.5", "1", "2", "4", "6", "8")
    ),
    Known("Laplace, ε = 0.1, chain of 3", "epsilon=0.1", Noisy("laplace", 10), 3),
    Known("Laplace, ε = 0.1, chain of 22", "epsilon=0.1", Noisy("laplace", 10), 22),
    Known("Laplace, ε = 0.01, chain of 22", "epsilon=0.01", Noisy("laplace", 100), 22),
    Known("Gaussian, ε = 1, δ = 1e-5", "epsilon=1, delta=1e-5", Noisy("normal", 3.73)),
    Known("Gaussian, μ = 0.2", "mu=0.2", Noisy("normal", 5)),
    Known("Gaussian, μ = 1", "mu=1", Noisy("normal", 1)),
    Known("Gaussian, ρ = 0.02", "rho=0.02", Noisy("normal", 5)),
    Known("Gaussian, ρ = 0.5", "rho=0.5", Noisy("normal", 1)),
    Known("Gaussian, ε(8) = 4", "alpha=8, rdp=4", Noisy("normal", 1)),
    Known("nothing of the data, ε = 0", "epsilon=0", Noisy("laplace", 1), 0),
)


def audit(case: Known, runs: int, seed: int) -> Evidence:
    """The evidence of one attack; of distance 0 the outputs have nothing to do with the data."""
    moved = case.distance * (1 if case.distance else 0)
    mechanism = case.mechanism if moved else lambda database, rng, n: case.mechanism(0, rng, n)
    box = FunctionBox(case.name, mechanism, True)
    pair = Pair(0, max(moved, 1), max(case.distance, 1))
    attack = Attack(runs, seed, Fraction(1, 20), Fraction(1, 10**6), pair=pair)
    claim = Claim(parse_guarantee(case.claim), AddRemove(), "output", None, None)
    return attack_box(AttackedBox(Drawing(box, Seeds(seed), here), box), claim, attack)


def row(case: Known, runs: int, seeds: int) -> str:
    """One line of the table."""
    start = process_time()
    found = [audit(case, runs, seed) for seed in range(seeds)]
    seconds = (process_time() - start) / seeds
    powers = [one.power for one in found if one.power is not None]
    if not powers:
        return f"| {case.name} | refuted | | | | | {seconds:.1f} |"
    controls = [one.control.refuted for one in found if one.control is not None]
    needed = [power.needed for power in powers if power.needed is not None]
    kept = sum(one.decision is Decision.UNSEEN for one in found)
    return (
        f"| {case.name} | {median(power.detectable for power in powers):.3g} | "
        f"{powers[0].detect:.3g} | {kept} of {seeds} | {sum(controls)} of {len(controls)} | "
        f"{f'{int(median(needed)):,}' if needed else ''} | {seconds:.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="", help="part of a mechanism's name")
    chosen = parser.parse_args()
    print("| mechanism | power | must be seen | NOT REFUTED | controls refuted | runs needed | s |")
    print("|---|---|---|---|---|---|---|")
    for case in CASES:
        if chosen.only in case.name:
            print(row(case, chosen.runs, chosen.seeds), flush=True)


if __name__ == "__main__":
    main()
