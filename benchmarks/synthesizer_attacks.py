"""Attacks that know synthesizers, beside the plain portfolio: our MST, AIM, PrivBayes, and liars.

``limits``: what a rule that knows both laws would refute, of noise too small by 2. ``floors``: each
method is run on one pair, two poles; the portfolio with and without the attacker that weighs
marginals learns from the same runs, and is tested by the same. ``given``: liars and honest ones on
the pair that shows them. ``searches``: the pair is searched, with and without all that knows
synthesizers, at the runs that a reviewer can afford. What is attacked is the table that comes out,
as many rows as records. Times are of one core.

    python benchmarks/synthesizer_attacks.py limits
    python benchmarks/synthesizer_attacks.py floors --runs 5000 --case mst
    python benchmarks/synthesizer_attacks.py searches --runs 500 --seeds 3
"""

from __future__ import annotations

import argparse
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import exp, sqrt
from statistics import median
from time import process_time

import numpy as np
import synthesizer_boxes as boxes
from floors import ALARM, ERROR, batch_guesses, stated_floor
from scipy.special import ndtr
from scipy.stats import binom

from audit.auditors.attack.guessing.floors import BETTOR_SHARE, binomial_p_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.learning.attackers import PORTFOLIO, Attacker
from audit.auditors.attack.learning.quick_attackers import ChoiceAttacker, MarginalAttacker
from audit.auditors.attack.pairs.patterns import list_candidates
from audit.auditors.attack.searching.places import Places
from audit.auditors.attack.searching.search import search
from audit.parallel import here
from audit.statements.claim import Claim
from audit.subjects.databases import dataset_of_records
from audit.subjects.function import FunctionBox
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Seeds
from proofs.guarantees import ApproxDP, GaussianDP, Guarantee
from synthesizers.curator import Setting, declared_budget
from synthesizers.events import Measure
from synthesizers.neighbours import ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.true_answers import TrueAnswers

PLAIN: tuple[Attacker, ...] = tuple(
    one for one in PORTFOLIO if not isinstance(one, MarginalAttacker | ChoiceAttacker)
)
"""The attackers that know nothing of synthesizers."""

POLES, TIES = "two poles", "tied choices"
"""The kinds of pairs that know synthesizers."""

MU = GaussianDP(Fraction(4548, 10_000))
"""√(2ρ) of MST and AIM at ε = 1, δ = 1/100, rounded up: what their noise amounts to if all of ρ
goes to it."""


@dataclass(frozen=True)
class Case:
    """A method, and what is claimed of it.

    ``records``: of a table, enough for its poles to stand far above the noise. ``steps``: between
    the ends of the chain. ``choices``: what those that the method makes add to the truth.
    """

    name: str
    table: boxes.Table
    claim: Guarantee
    records: int
    steps: int
    choices: str


CASES = (
    Case("mst", boxes.mst, MU, 200, 7, "nothing"),
    Case("mst_one_choice", boxes.mst_one_choice, MU, 200, 7, "nothing"),
    Case("aim_one_choice", boxes.aim_one_choice, MU, 400, 7, "nothing"),
    Case("aim", boxes.aim, MU, 1000, 7, "at most ρ/10"),
    Case("privbayes", boxes.privbayes, ApproxDP(boxes.EPSILON), 200, 4, "at most 3ε/10"),
)

LIARS = ("half_noise", "best_choice", "reads_categories")


def list_pairs(table: boxes.Table, guarantee: Guarantee, records: int) -> tuple[Pair, ...]:
    """The pairs that a search of the claim may try."""
    return list_candidates(Claim(guarantee, ReplaceOne(), "output", table.domain, records))


def poles(case: Case) -> Pair:
    """Two poles, so many steps apart."""
    pairs = list_pairs(case.table, case.claim, case.records)
    return next(p for p in pairs if p.kind == POLES and p.distance == case.steps)


def truth(case: Case, pair: Pair) -> float:
    """What the noise of a run lets through on a step of the pair: μ, or ε, from its ledger.

    Gaussian answers that move by d, of variance v, are √(Σ|d|²/v)-GDP together, Laplace ones of
    scale b keep Σ|d|/b. Answers that were chosen by earlier ones move as far, whichever they are.
    """
    domain = case.table.domain
    first, second = (dataset_of_records(some, domain) for some in (pair.first, pair.second))
    setting = Setting(domain, ReplaceOne(), case.records, case.records)
    program = case.table.program
    budget = declared_budget(program, setting)
    made = run(program, first, setting, budget, InsecureSeededEntropy(0))
    squares = sums = 0.0
    for event in made.ledger:
        if isinstance(event, Measure):
            apart = TrueAnswers(second)(event.query) - TrueAnswers(first)(event.query)
            if isinstance(event.noise, DiscreteGaussian):
                squares += float((apart**2).sum() / event.noise.variance)
            elif isinstance(event.noise, DiscreteLaplace):
                sums += float(abs(apart).sum() / event.noise.scale)
    return (sqrt(squares) or sums) / pair.distance


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
    true = truth(case, pair)
    return (
        f"{case.name:15} {2 * runs:7} {pair.distance:5} {true:7.4f} {aware:8.4f} "
        f"{aware / true:6.1%} {plain:8.4f} {plain / true:6.1%} "
        f"{took:7.0f} {times[0]:6.1f} {times[1]:6.1f}  {case.choices}"
    )


GIVEN = (
    ("mst", MU, 200, POLES),
    ("mst", MU, 200, TIES),
    ("mst_half_noise", MU, 200, POLES),
    ("mst_best_choice", MU, 200, TIES),
    ("aim_half_noise", MU, 200, POLES),
    ("privbayes_half_noise", ApproxDP(boxes.EPSILON), 200, POLES),
    ("privbayes_tree", ApproxDP(boxes.EPSILON), 200, TIES),
    ("privbayes_best_choice", ApproxDP(boxes.EPSILON), 200, TIES),
)
"""Boxes, claims, records and the kind of pair, of which the first is taken."""


def attack_given(
    name: str, claim: Guarantee, records: int, kind: str, runs: int, seeds: int
) -> str:
    """A line: how often a liar is refuted on the pair that shows it."""
    table, start = getattr(boxes, name), process_time()
    pair = next(p for p in list_pairs(table, claim, records) if p.kind == kind)
    floors, refuted = [], 0
    for seed in range(seeds):
        drawing = Drawing(FunctionBox(name, table, False), Seeds(seed), here)
        guesses = batch_guesses(drawing, pair, 0, claim, runs, PORTFOLIO)
        floors.append(stated_floor(guesses, claim, pair))
        refuted += binomial_p_value(guesses, claim, pair.distance) <= ALARM
    took = (process_time() - start) / seeds
    return (
        f"{name:24} {2 * runs:6} {kind:13} {pair.distance:3} {median(floors):8.4f} "
        f"{refuted:3} of {seeds} {took:6.1f}"
    )


def audit(
    table: boxes.Table, guarantee: Guarantee, runs: int, seed: int, knows: bool
) -> tuple[float, bool, str]:
    """The floor of an attack that searches, whether it refutes, and on which kind of pair."""
    pairs = tuple(
        pair
        for pair in list_pairs(table, guarantee, boxes.RECORDS)
        if knows or pair.kind not in (POLES, TIES)
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


@dataclass(frozen=True)
class Ideal:
    """A rule that knows both laws, with the chances that a run is guessed right and wrong."""

    words: str
    guarantee: Guarantee
    steps: int
    correct: float
    wrong: float

    @classmethod
    def of_gaussian(
        cls, words: str, guarantee: Guarantee, mu: float, steps: int, beyond: float
    ) -> Ideal:
        """Guesses beyond so many deviations from the middle between two normal laws."""
        middle = mu * steps / 2
        return cls(words, guarantee, steps, ndtr(middle - beyond), ndtr(-middle - beyond))

    @classmethod
    def of_laplace(cls, epsilon: float, steps: int) -> Ideal:
        """Guesses outside of the shift, where the ratio is largest."""
        words = f"ε = 1, in truth {epsilon:g}"
        return cls(words, ApproxDP(Fraction(1)), steps, 0.5, 0.5 * exp(-epsilon * steps))

    def refutes(self, runs: int) -> float:
        """The chance that so many runs refute the claim at the alarm."""
        made = round(runs * (self.correct + self.wrong))
        abstains = self.correct + self.wrong < 1

        def refuted(right: int) -> bool:
            guesses = Guesses(runs, right, made - right, False, abstains)
            return binomial_p_value(guesses, self.guarantee, self.steps) <= ALARM

        least = bisect_left(range(made + 1), True, key=refuted)
        return float(binom.sf(least - 1, made, self.correct / (self.correct + self.wrong)))


def list_limits() -> Iterator[str]:
    """A line for each claim, distance and rule."""
    delta = ApproxDP(Fraction(1), boxes.DELTA)
    mu, measured = float(MU.mu), 0.3713
    ideals = [
        *(Ideal.of_gaussian(f"μ = {mu}, in truth {2 * mu:g}", MU, 2 * mu, k, 0) for k in (1, 5, 7)),
        *(
            Ideal.of_gaussian(f"μ = {mu}, MST's of {2 * measured}", MU, 2 * measured, k, 0)
            for k in (1, 5, 7)
        ),
        *(
            Ideal.of_gaussian(
                f"ε = 1, δ = 1/100, in truth μ = {2 * mu:g}", delta, 2 * mu, 1, beyond
            )
            for beyond in (0.5, 1.0, 1.5)
        ),
        *(Ideal.of_laplace(epsilon, k) for epsilon in (2.0, 1.4) for k in (1, 2)),
    ]
    for ideal in ideals:
        least = next(
            (
                n
                for n in (*range(50, 2000, 50), *range(2000, 20_001, 500))
                if ideal.refutes(n) >= 0.9
            ),
            None,
        )
        yield (
            f"{ideal.words:38} {ideal.steps:5} {ideal.correct + ideal.wrong:7.2f} "
            f"{ideal.refutes(500):7.3f} {ideal.refutes(1000):7.3f} {least or 'more than 20,000'}"
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Attacks that know synthesizers.")
    parser.add_argument("what", choices=("limits", "floors", "given", "searches"))
    parser.add_argument("--runs", type=int, default=500, help="runs a database, as an audit's")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--case", help="the beginning of the names")
    wanted = parser.parse_args()
    cases = [case for case in CASES if case.name.startswith(wanted.case or "")]
    if wanted.what == "limits":
        print("claim                                  steps guessed 500 runs   1000  runs for 90 %")
        print(*list_limits(), sep="\n")
        return
    if wanted.what == "given":
        print("subject                    runs pair        steps    floor refuted    s")
        for name, *about in GIVEN:
            if name.startswith(wanted.case or ""):
                print(attack_given(name, *about, wanted.runs, wanted.seeds), flush=True)
        return
    if wanted.what == "floors":
        print(
            "case               runs steps   truth    floor  ratio    plain  ratio  drawn s"
            "  own s plain s  choices add"
        )
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
