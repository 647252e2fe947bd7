"""How much faster each solver of AEMC is than the next more general one, at the size of a city.

12 months × 278 neighbourhoods × 174 incident types, 580,464 cells with about a million records
in about 110,000 of them (Baltimore's incidents); the synthetic counts are the real ones with
two-sided geometric noise of scale 1 ("mild") or 20 ("Laplace-like"), no less than 0. Each case
runs in a process of its own, so that its peak memory is its own; that of the process without a
case is about 0.1 GB. The ratio is to the last solver of each row, which would do without the
others; all of them find the same cost, or bounds around it. A solver is kept if some row has it
at least three times as fast (decision 0039).

    python benchmarks/aemc.py            # all but the minimum-cost flow
    python benchmarks/aemc.py --flow     # beside the flow: a quarter of an hour
    python benchmarks/aemc.py --lines    # one long axis: breakpoints beside levels
"""

from __future__ import annotations

import argparse
import functools
import math
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from stopwatch import peak_gigabytes, seconds

from audit.utility.mgd.plan import move_along
from audit.utility.mgd.problem import Axis, Problem, Solution
from audit.utility.mgd.semantic import nominal
from audit.utility.mgd.solve import closed_form
from audit.utility.mgd.solvers import trees
from audit.utility.mgd.solvers.certificate import bracket, certificate
from audit.utility.mgd.solvers.flow import flow
from audit.utility.mgd.solvers.primal_dual import primal_dual

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
class Row:
    """A configuration, the noise, Δ, and the solvers that are laid side by side."""

    axes: str
    noise: str
    tolerance: int
    solvers: tuple[str, ...]

    def problem(self) -> Problem:
        """The tables and what moving costs."""
        synthetic, real = tables(SCALES[self.noise])
        axes, penalty = AXES[self.axes]
        return Problem(axes, synthetic, real, self.tolerance, penalty)


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


def exact(cost: int) -> Solution:
    """A cost that is known to be the least."""
    return Solution(cost, cost, "exact")


SOLVERS: Mapping[str, Callable[[Problem], Solution]] = {
    "closed form": closed_form,
    "levels": lambda problem: trees.along(problem, problem.finite[0]),
    "levels and plan": lambda problem: exact(move_along(problem, problem.finite[0]).cost),
    "certificate": certificate,
    "bracket": lambda problem: bracket(problem, certificate(problem)),
    "primal-dual": primal_dual,
    "flow": flow,
}


def measured(row: Row, solver: str) -> tuple[float, float, int, int]:
    """Seconds, peak gigabytes, and the bounds of the cost, in records moved all the way."""
    problem = row.problem()
    solutions: list[Solution] = []
    time = seconds(lambda: solutions.append(SOLVERS[solver](problem)))
    if time < 1:
        time = min(time, *(seconds(lambda: SOLVERS[solver](problem)) for _ in range(2)))
    return time, peak_gigabytes(), solutions[0].lower, solutions[0].cost


def rows(flows: bool) -> Iterator[Row]:
    """What is measured."""
    for noise in SCALES:
        last = ("flow",) * flows
        yield Row("every weight infinite", noise, 2, ("closed form", *last))
        for axes in list(AXES)[1:4]:
            yield Row(axes, noise, 2, ("levels", "levels and plan", *last))
        for tolerance in (5, 2):
            yield Row("all finite", noise, tolerance, ("certificate", "bracket", "primal-dual"))
        if flows:
            yield Row("all finite", noise, 2, ("primal-dual", "flow"))


def lines() -> None:
    """Levels beside breakpoints on lines of k values, noise of scale 20."""
    print("       k  lines   levels  breakpoints  ratio")
    rng = np.random.default_rng(1)
    for size, count in (
        *((50, n) for n in (1, 5, 10, 1000)),
        *((500, n) for n in (1, 5, 10, 100)),
        *((1_000, 100), (2_000, 100), (10_000, 1)),
    ):
        real = rng.integers(0, 40, (size, count))
        noise = rng.geometric(0.05, real.shape) - rng.geometric(0.05, real.shape)
        synthetic = np.maximum(real + noise, 0)
        problem = Problem((Axis.line(size, 1), None), synthetic, real, 2, size - 1)
        times, costs = [], []
        for limits in ((10**9, 0), (0, 0)):
            trees.LONG, trees.FEW = limits
            solve = functools.partial(trees.along, problem, 0)
            times.append(seconds(solve))
            costs.append(solve().cost)
        assert len(set(costs)) == 1
        ratio = times[0] / times[1]
        print(f"{size:8} {count:6} {times[0]:8.4f} {times[1]:12.4f} {ratio:6.1f}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--flow", action="store_true")
    parser.add_argument("--lines", action="store_true")
    chosen = parser.parse_args()
    if chosen.lines:
        lines()
        return
    print("seconds    GB  ratio  weights, noise, tolerance, solver: cost in units")
    spawn = multiprocessing.get_context("spawn")
    with spawn.Pool(1, maxtasksperchild=1) as pool:
        for row in rows(chosen.flow):
            results = [pool.apply(measured, (row, solver)) for solver in row.solvers]
            for solver, (time, memory, lower, cost) in zip(row.solvers, results, strict=True):
                print(
                    f"{time:7.3f} {memory:5.2f} {results[-1][0] / time:6.1f}  {row.axes}, "
                    f"{row.noise}, Δ = {row.tolerance}, {solver}: {cost}"
                    + (f", at least {lower}" if lower < cost else ""),
                    flush=True,
                )
            # Every bound of one solver holds for the others.
            assert max(lower for _, _, lower, _ in results) <= min(cost for *_, cost in results)


if __name__ == "__main__":
    main()
