"""Floors of batch attacks beside the truth, with all runs counted, those of learning included.

One row a case: the median, the least and the largest of the 95 % floors over the seeds, what the
median is meant to reach, and the median time on one core. Floors are those that an audit states: a
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

from audit.auditors.attack.attackers import PORTFOLIO, Attacker
from audit.auditors.attack.batch import certify, learn
from audit.auditors.attack.floors import BETTOR_SHARE, binomial_floor
from audit.parallel import here
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Seeds, Source
from proofs.guarantees import Guarantee

ERROR, ALARM = Fraction(1, 20), Fraction(1, 10**6)


@dataclass(frozen=True)
class Row:
    """``runs`` a side; ``target``: for the median, from below, or from above."""

    case: str
    runs: int
    target: float
    at_most: bool = False


ROWS = (
    Row("L1", 100_000, 0.98),
    Row("L½", 100_000, 1.975),
    Row("H5", 100_000, 1.0, at_most=True),
    Row("H5r", 100_000, 1.95),
    Row("S6", 1_000_000, 3.70),
    Row("L0.1", 10_000, 0.095),
    Row("G1", 100_000, 0.98),
)


def batch_floor(
    source: Source,
    pair: Pair,
    number: int,
    claim: Guarantee,
    runs: int,
    attackers: Sequence[Attacker] = PORTFOLIO,
) -> float:
    """The floor that an audit states of a pair: learned, frozen, certified, tested."""
    error, alarm = (float(part * (1 - BETTOR_SHARE)) for part in (ERROR, ALARM))
    learned = learn(source, pair, number, claim, error, alarm, runs, attackers)
    *_, (_, guesses) = certify(source, pair, number, learned)
    bound = binomial_floor(guesses, claim, ERROR, pair.distance, "")
    _, own = bound.parameter or ("epsilon", bound.epsilon)
    return float(own.lower)


def certified_floor(row: Row, seed: int) -> float:
    """The floor of one attack, in this process."""
    case = CASES[row.case]
    drawing = Drawing(case.box, Seeds(seed), here)
    return batch_floor(drawing, case.pair, 0, case.claim, row.runs)


def timed_floor(row: Row, seed: int) -> tuple[float, float]:
    """The same, and the seconds of one core."""
    start = process_time()
    found = certified_floor(row, seed)
    return found, process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Floors of batch attacks.")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--case", choices=sorted(CASES))
    wanted = parser.parse_args()
    print("case      runs a side   truth   median      min      max    target    s")
    for row in ROWS:
        if wanted.case not in (None, row.case):
            continue
        floors, times = zip(*(timed_floor(row, seed) for seed in range(wanted.seeds)), strict=True)
        sign = "<=" if row.at_most else ">="
        print(
            f"{row.case:8} {row.runs:12,} {CASES[row.case].truth:7.4g} {median(floors):8.4f} "
            f"{min(floors):8.4f} {max(floors):8.4f} {sign} {row.target:6.4g} {median(times):4.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
