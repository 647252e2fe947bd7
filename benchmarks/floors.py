"""Floors of batch attacks beside the truth, with all runs counted, those of learning included.

One row a case: the median, the least and the largest of the 95 % floors over the seeds, what the
median is meant to reach, in how many of them the claim is refuted at the alarm, and the median time
on one core. Floors are those that an audit states: a
tenth of the error is kept for an interrupted run.

    python benchmarks/floors.py                       # every case, 20 seeds
    python benchmarks/floors.py --seeds 5 --case L1
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from time import process_time

from black_boxes import CASES

from audit.auditors.attack.guessing.floors import BETTOR_SHARE, binomial_floor, binomial_p_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.learning.attackers import PORTFOLIO, Attacker
from audit.auditors.attack.learning.batch import certify, learn
from audit.parallel import here
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds, Source
from proofs.guarantees import Guarantee

ERROR, ALARM = Fraction(1, 20), Fraction(1, 10**6)


@dataclass(frozen=True)
class Row:
    """``runs`` a side; ``target``: for the median, from below, or from above.

    ``refuted``: in which part of the seeds the claim is meant to be, at least; 0 if it is kept.
    """

    case: str
    runs: int
    target: float
    at_most: bool = False
    refuted: float = 0.0


ROWS = (
    Row("L1", 100_000, 0.985),
    Row("L½", 100_000, 1.9748, refuted=1.0),
    Row("H5", 100_000, 1.0, at_most=True),
    Row("H5r", 100_000, 1.955, refuted=1.0),
    Row("S6", 1_000_000, 3.70, refuted=1.0),
    Row("L0.1", 10_000, 0.0953),
    Row("G1", 100_000, 0.98),
    Row("SVT1", 20_000, 1.0, at_most=True),
    Row("SVT2", 20_000, 1.0, at_most=True),
    Row("SVT3", 20_000, 1.0, refuted=0.9),
    Row("SVT4", 20_000, 1.0, refuted=0.9),
    Row("SVT64", 20_000, 1.0, refuted=0.9),
)


def batch_guesses(
    source: Source,
    pair: Pair,
    number: int,
    claim: Guarantee,
    runs: int,
    attackers: Sequence[Attacker] = PORTFOLIO,
) -> Guesses:
    """The guesses of an audit on a pair: learned, frozen, certified."""
    error, alarm = (float(part * (1 - BETTOR_SHARE)) for part in (ERROR, ALARM))
    learned = learn(source, pair, number, claim, error, alarm, runs, attackers)
    *_, (_, guesses) = certify(source, pair, number, learned)
    return guesses


def batch_floor(
    source: Source,
    pair: Pair,
    number: int,
    claim: Guarantee,
    runs: int,
    attackers: Sequence[Attacker] = PORTFOLIO,
) -> float:
    """The floor that an audit states of a pair."""
    return stated_floor(batch_guesses(source, pair, number, claim, runs, attackers), claim, pair)


def stated_floor(guesses: Guesses, claim: Guarantee, pair: Pair) -> float:
    """The floor that a certificate states of these guesses."""
    bound = binomial_floor(guesses, claim, ERROR, pair.distance, "")
    _, own = bound.parameter or ("epsilon", bound.epsilon)
    return float(own.lower)


def attack(row: Row, seed: int) -> tuple[float, bool, float]:
    """The floor of one attack, in this process; whether it refutes; the seconds of one core."""
    case, start = CASES[row.case], process_time()
    drawing = Drawing(case.box, Seeds(seed), here)
    guesses = batch_guesses(drawing, case.pair, 0, case.claim, row.runs)
    refuted = binomial_p_value(guesses, case.claim, case.pair.distance) <= ALARM
    return stated_floor(guesses, case.claim, case.pair), refuted, process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Floors of batch attacks.")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--case", choices=sorted(CASES))
    wanted = parser.parse_args()
    print("case      runs a side   truth   median      min      max    target  refuted        s")
    for row in ROWS:
        if wanted.case not in (None, row.case):
            continue
        found = (attack(row, seed) for seed in range(wanted.seeds))
        floors, refuted, times = zip(*found, strict=True)
        sign = "<=" if row.at_most else ">="
        print(
            f"{row.case:8} {row.runs:12,} {CASES[row.case].truth:7.4g} {median(floors):8.4f} "
            f"{min(floors):8.4f} {max(floors):8.4f} {sign} {row.target:6.4g} "
            f"{sum(refuted) / len(refuted):5.2f} >= {row.refuted:3.1f} {median(times):4.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
