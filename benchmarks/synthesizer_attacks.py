"""Attacks that know synthesizers, beside the plain portfolio: our MST, AIM, PrivBayes, and liars.

``floors``: each method is run on one pair, two poles; the attackers that weigh marginals and those
that do not learn from the same runs and are tested by the same. ``searches``: the pair is searched,
with and without all that knows synthesizers, at the runs that a reviewer can afford, and of liars
it is counted how often they are refuted. What is attacked is the table that comes out, as many rows
as records. Times are of one core.

    python benchmarks/synthesizer_attacks.py floors --runs 5000 --case mst
    python benchmarks/synthesizer_attacks.py searches --runs 500 --seeds 3
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from statistics import median
from time import process_time

import numpy as np
import synthesizer_boxes as boxes
from floors import ALARM, ERROR, batch_guesses, stated_floor

from audit.auditors.attack.guessing.floors import BETTOR_SHARE, binomial_p_value
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.learning.attackers import PORTFOLIO, Attacker
from audit.auditors.attack.learning.quick_attackers import MarginalAttacker
from audit.auditors.attack.pairs.patterns import list_candidates
from audit.auditors.attack.searching.places import Places
from audit.auditors.attack.searching.search import search
from audit.parallel import here
from audit.statements.claim import Claim
from audit.subjects.function import FunctionBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Seeds
from proofs.guarantees import ApproxDP, GaussianDP, Guarantee
from synthesizers.neighbours import ReplaceOne

PLAIN: tuple[Attacker, ...] = tuple(
    one for one in PORTFOLIO if not isinstance(one, MarginalAttacker)
)
"""The attackers that know nothing of marginals."""

POLES = "two poles"
"""The kind of pairs that knows synthesizers."""

MU = GaussianDP(Fraction(4548, 10_000))
"""√(2ρ) of MST and AIM at ε = 1, δ = 1/100, rounded up: what their noise amounts to if all of ρ
goes to it."""


@dataclass(frozen=True)
class Case:
    """A method, what is claimed of it, and ``truth``: what leaks on a step between poles.

    ``records``: of a table, enough for its poles to stand far above the noise. ``steps``: between
    the ends of the chain. ``choices``: what those that the method makes add to the truth.
    """

    name: str
    table: boxes.Table
    claim: Guarantee
    truth: float
    records: int
    steps: int
    choices: str


def mu_of(part: Fraction) -> float:
    """μ of Gaussian answers that cost this part of ρ: a sum of ρ's is √(2ρ)-GDP (see the docs)."""
    return sqrt(2 * part * boxes.MST.rho)


CASES = (
    Case("mst", boxes.mst, MU, mu_of(Fraction(2, 3)), 200, 7, "nothing"),
    Case("aim_one_choice", boxes.aim_one_choice, MU, mu_of(Fraction(9, 10)), 400, 7, "nothing"),
    Case("aim", boxes.aim, MU, mu_of(Fraction(9, 10)), 1000, 7, "at most ρ/10"),
    Case("privbayes", boxes.privbayes, ApproxDP(boxes.EPSILON), 0.7, 200, 4, "at most 3ε/10"),
)

LIARS = ("half_noise", "best_choice", "reads_categories")


def list_pairs(guarantee: Guarantee, records: int) -> tuple[Pair, ...]:
    """The pairs that a search of the claim may try."""
    return list_candidates(Claim(guarantee, ReplaceOne(), "output", boxes.THREE, records))


def poles(case: Case) -> Pair:
    """Two poles, so many steps apart."""
    pairs = list_pairs(case.claim, case.records)
    return next(p for p in pairs if p.kind == POLES and p.distance == case.steps)


class Pool:
    """Runs drawn once, for every portfolio: the first ones to learn from, the last ones to test."""

    def __init__(self, runs: Runs) -> None:
        self.pool, self._learned = runs, 0

    def blocks(
        self, stage: str, pair: Pair, number: int, runs: int, start: int = 0
    ) -> Iterator[Runs]:
        """One block."""
        first = self._learned if stage == "learn" and start else 0
        if stage == "learn":
            self._learned = first + runs
        else:
            first = len(self.pool) - runs
        yield self.pool.take(np.arange(first, first + runs))

    def runs(self, stage: str, pair: Pair, number: int, runs: int, start: int = 0) -> Runs:
        """The same."""
        return Runs.join(self.blocks(stage, pair, number, runs, start))


def compare_floors(case: Case, runs: int, seed: int) -> str:
    """A line: what both portfolios certify of the same runs."""
    pair, start = poles(case), process_time()
    drawing = Drawing(FunctionBox(case.name, case.table, False), Seeds(seed), here)
    drawn = drawing.runs("learn", pair, 0, 2 * runs)
    took = process_time() - start
    floors, times = [], []
    for attackers in (PORTFOLIO, PLAIN):
        start = process_time()
        guesses = batch_guesses(Pool(drawn), pair, 0, case.claim, runs, attackers)
        floors.append(stated_floor(guesses, case.claim, pair))
        times.append(process_time() - start)
    aware, plain = floors
    return (
        f"{case.name:15} {2 * runs:7} {pair.distance:5} {case.truth:7.4f} {aware:8.4f} "
        f"{aware / case.truth:6.1%} {plain:8.4f} {plain / case.truth:6.1%} "
        f"{took:7.0f} {times[0]:6.1f} {times[1]:6.1f}  {case.choices}"
    )


def audit(
    table: boxes.Table, guarantee: Guarantee, runs: int, seed: int, knows: bool
) -> tuple[float, bool, str]:
    """The floor of an attack that searches, whether it refutes, and on which kind of pair."""
    pairs = tuple(
        pair for pair in list_pairs(guarantee, boxes.RECORDS) if knows or pair.kind != POLES
    )
    attackers = PORTFOLIO if knows else PLAIN
    drawing = Drawing(FunctionBox("table", table, False), Seeds(seed), here)
    error, alarm = (float(part * (1 - BETTOR_SHARE)) for part in (ERROR, ALARM))
    aim = Aim(guarantee, error, alarm, 2 * runs)
    chosen = search(drawing, Places(pairs), attackers, aim, 2 * runs)
    left = runs - chosen.runs // 2
    guesses = batch_guesses(drawing, chosen.pair, chosen.number, guarantee, left, attackers)
    refuted = binomial_p_value(guesses, guarantee, chosen.pair.distance) <= ALARM
    return stated_floor(guesses, guarantee, chosen.pair), refuted, chosen.pair.kind


def compare_searches(name: str, claim: Guarantee, runs: int, seeds: int) -> str:
    """A line: floors and refutations of attacks that search, with and without what they know."""
    table, start = getattr(boxes, name), process_time()
    told = []
    for knows in (True, False):
        found = [audit(table, claim, runs, seed, knows) for seed in range(seeds)]
        kinds = [kind for *_, kind in found]
        told.append(
            f"{median(floor for floor, *_ in found):8.4f} {sum(r for _, r, _ in found):3} of "
            f"{seeds} {max(set(kinds), key=kinds.count):24}"
        )
    return f"{name:28} {2 * runs:6} {' '.join(told)} {(process_time() - start) / seeds / 2:6.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Attacks that know synthesizers.")
    parser.add_argument("what", choices=("floors", "searches"))
    parser.add_argument("--runs", type=int, default=500, help="runs a database, as an audit's")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--case", help="the beginning of the names")
    wanted = parser.parse_args()
    cases = [case for case in CASES if case.name.startswith(wanted.case or "")]
    if wanted.what == "floors":
        print("case               runs steps   truth    floor  ratio    plain  ratio  drawn s  s")
        for case in cases:
            for seed in range(wanted.seeds):
                print(compare_floors(case, wanted.runs, seed), flush=True)
        return
    print("subject                        runs    floor refuted pair    plain refuted pair  s")
    for case in CASES:
        for name in (case.name, *(f"{case.name}_{liar}" for liar in LIARS)):
            if hasattr(boxes, name) and name.startswith(wanted.case or ""):
                print(compare_searches(name, case.claim, wanted.runs, wanted.seeds), flush=True)


if __name__ == "__main__":
    main()
