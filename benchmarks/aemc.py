"""How fast AEMC is solved exactly at the size of Baltimore's incidents, beside the plain flow.

12 months × 278 neighbourhoods × 174 incident types, 580,464 cells with about a million records
in about 110,000 of them; the synthetic counts are the real ones with two-sided geometric noise
of scale 1 ("mild") or 20 ("Laplace-like"), no less than 0. Each case runs in a process of its
own, so that its peak memory is its own; that of the process without a case is about 0.1 GB.

    python benchmarks/aemc.py            # closed form, level programmes, certificate, bracket
    python benchmarks/aemc.py --flow     # then the minimum-cost flow of each: minutes
    python benchmarks/aemc.py --lines    # one long axis: levels beside breakpoints
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from stopwatch import peak_gigabytes, seconds

from audit.utility.mgd.plan import move_along
from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.semantic import nominal
from audit.utility.mgd.solve import closed_form
from audit.utility.mgd.solvers import trees
from audit.utility.mgd.solvers.certificate import bracket, certificate
from audit.utility.mgd.solvers.flow import flow

SHAPE = (12, 278, 174)
RECORDS = 1_000_000
DISTRICTS = 14
SCALES = {"mild": 1.0, "Laplace-like": 20.0}

MONTH = Axis.line(12, 1)
FLAT = Axis(278, nominal(278).parents, 1)
GROUPED = Axis(
    278,
    (*(278 + code * DISTRICTS // 278 for code in range(278)), *(278 + DISTRICTS,) * DISTRICTS, -1),
    1,
)
TYPE = nominal(174).parents
AXES: dict[str, tuple[tuple[Axis | None, ...], int]] = {
    "every weight infinite": ((None, None, None), 1),
    "month finite": ((MONTH, None, None), 11),
    "neighbourhood finite, no groups": ((None, FLAT, None), 2),
    "neighbourhood finite, in districts": ((None, GROUPED, None), 4),
    # A third each: a month is 1/33, half a way between neighbourhoods or types 1/6.
    "all finite": ((Axis.line(12, 2), Axis(278, FLAT.parents, 11), Axis(174, TYPE, 11)), 66),
}


@dataclass(frozen=True)
class Case:
    """A configuration, the noise, Δ and who solves it."""

    axes: str
    noise: str
    tolerance: int
    solver: str


def tables(scale: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Synthetic and real counts."""
    rng = np.random.default_rng(2019)
    places, kinds = (
        rng.permutation(1 / np.arange(1, size + 1) ** power)
        for size, power in ((278, 0.85), (174, 1.6))
    )
    chances = np.einsum("i,j,k->ijk", np.ones(12), places, kinds).ravel()
    real = rng.multinomial(RECORDS, chances / chances.sum())
    chance = 1 - math.exp(-1 / scale)
    noise = rng.geometric(chance, real.size) - rng.geometric(chance, real.size)
    return np.maximum(real + noise, 0).reshape(SHAPE), real.reshape(SHAPE)


def measured(case: Case) -> tuple[float, float, str]:
    """Seconds, peak gigabytes and the cost, in records moved all the way."""
    synthetic, real = tables(SCALES[case.noise])
    axes, penalty = AXES[case.axes]
    problem = Problem(axes, synthetic, real, case.tolerance, penalty)
    solvers: dict[str, Callable[[], object]] = {
        "closed form": lambda: closed_form(problem).cost,
        "levels": lambda: trees.along(problem, problem.finite[0]).cost,
        "levels and plan": lambda: move_along(problem, problem.finite[0]).cost,
        "certificate": lambda: (certificate(problem).lower, certificate(problem).cost),
        "bracket": lambda: (bracket(problem).lower, bracket(problem).cost),
        "flow": lambda: flow(problem),
    }
    found: list[object] = []
    time = seconds(lambda: found.append(solvers[case.solver]()))
    if time < 1 and case.solver not in ("certificate", "bracket"):
        time = min(time, *(seconds(solvers[case.solver]) for _ in range(2)))
    if case.solver in ("certificate", "bracket"):
        time /= 2
    return time, peak_gigabytes(), str(found[0])


def cases(flows: bool) -> list[Case]:
    """What is measured."""
    found = []
    for noise in SCALES:
        solvers = [("every weight infinite", 2, "closed form")]
        for axes in list(AXES)[1:4]:
            solvers += [(axes, 2, "levels"), (axes, 2, "levels and plan")]
            solvers += [(axes, 2, "flow")] * flows
        for tolerance in (5, 2):
            solvers += [("all finite", tolerance, name) for name in ("certificate", "bracket")]
        solvers += [("all finite", 2, "flow")] * flows
        found += [Case(axes, noise, tolerance, solver) for axes, tolerance, solver in solvers]
    return found


def lines() -> None:
    """Levels beside breakpoints on lines of k values, noise of scale 20."""
    print("       k  lines   levels  breakpoints")
    rng = np.random.default_rng(1)
    for size, count in (
        *((50, n) for n in (1, 5, 10, 1000)),
        *((500, n) for n in (1, 5, 10, 100)),
        *((1_000, 100), (2_000, 100), (10_000, 1), (100_000, 1)),
    ):
        real = rng.integers(0, 40, (size, count))
        noise = rng.geometric(0.05, real.shape) - rng.geometric(0.05, real.shape)
        synthetic = np.maximum(real + noise, 0)
        problem = Problem((Axis.line(size, 1), None), synthetic, real, 2, size - 1)
        times, costs = [], []
        for limits in ((10**9, 0), (0, 0)) if size <= 10_000 else ((0, 0),):
            trees.LONG, trees.FEW = limits
            solve = functools.partial(trees.along, problem, 0)
            times.append(seconds(solve))
            costs.append(solve().cost)
        assert len(set(costs)) == 1
        shown = f"{times[0]:8.4f}" if len(times) == 2 else "       -"
        print(f"{size:8} {count:6} {shown} {times[-1]:12.4f}")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flow", action="store_true")
    parser.add_argument("--lines", action="store_true")
    chosen = parser.parse_args()
    if chosen.lines:
        lines()
        return
    print("seconds    GB  weights, noise, tolerance, solver: cost in units")
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1, maxtasksperchild=1) as pool:
        for case in cases(chosen.flow):
            time, memory, cost = pool.apply(measured, (case,))
            print(
                f"{time:7.3f} {memory:5.2f}  {case.axes}, {case.noise}, Δ = {case.tolerance}, "
                f"{case.solver}: {cost}",
                flush=True,
            )


if __name__ == "__main__":
    main()
