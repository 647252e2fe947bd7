"""How many runs the anytime attack needs to refute a claim, learning included.

One row a case and an error: the median and the 10th and 90th percentile of the total runs over the
seeds, beside the limit and what the median is meant not to exceed. The limit divides the logarithm
of 1/error by what the best bets earn a run where the law of the outputs is known. The last row is a
claim that is kept, with how often it was refuted within its runs; then come the seconds and the
floor of a long attack.

    python benchmarks/anytime.py                       # every case, 20 seeds
    python benchmarks/anytime.py --seeds 5 --case L½
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from black_boxes import CASES, Case
from stopwatch import seconds

from audit.auditors.attack.learning.anytime import Anytime, attack
from audit.parallel import here
from audit.subjects.runs import Drawing, Seeds
from proofs.guarantees import ApproxDP

FLOOR_ERROR = 0.05
LONG = 100_000
"""Runs a side of the long attack."""


@dataclass(frozen=True)
class Row:
    """``rate``: what the best bets earn a run, in nats; ``targets``: runs, for each of ERRORS.

    ``runs``: at most, a side.
    """

    case: str
    claim: Fraction
    rate: float
    runs: int
    errors: tuple[float, ...] = (0.05,)
    targets: tuple[int, ...] = ()


ROWS = (
    Row("L½", Fraction(1), 0.04456, 2000, (0.05, 1e-6), (120, 500)),
    Row("L1", Fraction(4, 5), 0.002863, 20_000, (0.05,), (2611,)),
    Row("S6", Fraction(1), 0.01412, 5000, (0.05,), (1027,)),
    Row("H5r", Fraction(1), 0.02591, 5000, (0.05,), (896,)),
)
"""The rates: the mean of q·ln(q/q₀) + (1-q)·ln((1-q)/(1-q₀)), with q the chance that the likelier
database is right and q₀ that of the claim, over outputs at which q > q₀; by quadrature."""

KEPT = Row("H5", Fraction(1), 0.0, 500)


def states(case: Case, seed: int, alarm: float, runs: int, until_decided: bool) -> list[Anytime]:
    """All states of one attack, in this process."""
    source = Drawing(case.box, Seeds(seed), here)
    return list(attack(source, [case.pair], case.claim, FLOOR_ERROR, alarm, runs, until_decided))


def runs_needed(row: Row, seed: int) -> list[int]:
    """The total runs until the claim is refuted at each error; all of them where it never is."""
    case = replace(CASES[row.case], claim=ApproxDP(row.claim))
    found = states(case, seed, min(row.errors), row.runs, True)
    return [
        next((state.runs for state in found if state.p_value <= error), 2 * row.runs)
        for error in row.errors
    ]


def long_attack(name: str) -> str:
    """The floor and the seconds of many runs, in words."""
    found: list[Anytime] = []
    spent = seconds(lambda: found.extend(states(CASES[name], 0, 1e-6, LONG, False)))
    return f"{name}: floor {found[-1].floor:.4f} after {found[-1].runs:,} runs, {spent:.1f} s"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Runs that the anytime attack needs.")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--case", choices=sorted(CASES))
    wanted = parser.parse_args()
    print("case      claim  truth   error   median      10 %      90 %     limit    target")
    for row in ROWS:
        if wanted.case not in (None, row.case):
            continue
        needed = np.array([runs_needed(row, seed) for seed in range(wanted.seeds)])
        for error, target, found in zip(row.errors, row.targets, needed.T, strict=True):
            low, middle, high = np.percentile(found, [10, 50, 90])
            print(
                f"{row.case:8} {float(row.claim):6g} {CASES[row.case].truth:6.4g} {error:7g} "
                f"{middle:8.0f}  {low:8.0f}  {high:8.0f}  {-np.log(error) / row.rate:8.0f} "
                f"<= {target:6d}",
                flush=True,
            )
    if wanted.case in (None, KEPT.case):
        ends = [states(CASES[KEPT.case], k, 0.05, KEPT.runs, True)[-1] for k in range(wanted.seeds)]
        refuted = sum(state.decided for state in ends)
        print(f"{KEPT.case} keeps its claim: refuted at 5 % in {refuted} of {wanted.seeds} attacks")
    if wanted.case is None:
        for name in ("L½", "S6"):
            print(long_attack(name))


if __name__ == "__main__":
    main()
