"""Floors of batch attacks beside the truth, with all runs counted, those of learning included.

One row a case: the median, the least and the largest of the 95 % floors over the seeds, what the
median is meant to reach, and the median time on one core. A tenth of the error is kept for an
interrupted run, as in an audit.

    python benchmarks/floors.py                       # every case, 20 seeds
    python benchmarks/floors.py --seeds 5 --case L1
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from statistics import median
from time import process_time

from black_boxes import CASES

from audit.auditors.attack.batch import certified, learn
from audit.auditors.attack.floors import floor, rate_matters
from audit.auditors.attack.guesses import chances
from audit.parallel import here
from audit.subjects.runs import Drawing, Seeds

ERROR = 0.05 * 0.9
ALARM = 1e-6


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


def certified_floor(row: Row, seed: int) -> float:
    """The floor of one attack, in this process."""
    case = CASES[row.case]
    drawing = Drawing(case.box, Seeds(seed), here)
    learned = learn(drawing, case.pair, 0, case.claim, ERROR, ALARM, row.runs)
    *_, (guesses, _) = certified(drawing, case.pair, 0, learned)
    found = chances(guesses, ERROR, rate_matters(case.claim))
    return floor(found, case.claim, case.pair.distance)


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
