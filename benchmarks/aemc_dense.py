"""How fast AEMC is found where records move along all attributes, beside the paper's flow.

580,464 cells: 12 months (ordinal) × 278 neighbourhoods × 174 types (hierarchies), weights of
1/3 each, Δ = 2. The real table has about a million records, spread like Zipf's law (numpy's
generator, seed 0); the synthetic one is max(Q + noise, 0), the noise two-sided geometric. The
flow is the compressed graph of Li et al., appendix A.1, with dummy nodes for groups and lower
bounds that are not below 0, by OR-Tools. Every method runs in a process of its own.

    python benchmarks/aemc_dense.py                      # noise of scale 1 and of scale 20
    python benchmarks/aemc_dense.py --flow               # with the flow: minutes
    python benchmarks/aemc_dense.py --levels 3           # deeper neighbourhoods
    python benchmarks/aemc_dense.py --budget 2           # what is known after two seconds
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import time
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise

import numpy as np
from stopwatch import peak_gigabytes

from audit.utility.mgd.problem import Axis, Problem
from audit.utility.mgd.solvers.flow import flow
from audit.utility.mgd.solvers.primal_dual import primal_dual

SHAPE = (12, 278, 174)


def hierarchy(size: int, levels: int, unit: int) -> Axis:
    """Groups of about equal size on every level; values of different ones are 1/3 apart."""
    sizes = [round(size ** (level / levels)) for level in range(levels, -1, -1)]
    parents: list[int] = []
    for below, above in pairwise(sizes):
        first = len(parents) + below
        parents += [first + value * above // below for value in range(below)]
    return Axis(size, (*parents, -1), unit // (6 * levels))


def instance(scale: int, levels: int) -> Problem:
    """The tables with noise of that scale."""
    rng = np.random.default_rng(0)
    unit = math.lcm(33, 6 * levels, 12)
    places, types = (rng.permutation(np.arange(1.0, size + 1)) for size in SHAPE[1:])
    shares = places[:, None] ** -0.8 * types**-1.2 * rng.gamma(0.2, size=SHAPE)
    real = rng.poisson(1e6 * shares / shares.sum())
    stop = -math.expm1(-1 / scale)
    noise = rng.geometric(stop, SHAPE) - rng.geometric(stop, SHAPE)
    axes = (
        Axis.line(SHAPE[0], unit // 33),
        hierarchy(SHAPE[1], levels, unit),
        hierarchy(SHAPE[2], 2, unit),
    )
    return Problem(axes, np.maximum(real + noise, 0), real, 2, unit)


def measured(
    method: str, scale: int, levels: int, budget: float | None
) -> tuple[int, int, float, float]:
    """Cost, lower bound, seconds and gigabytes of one method."""
    problem = instance(scale, levels)
    start = time.perf_counter()
    if method == "flow":
        cost = lower = flow(problem).cost
    else:
        found = primal_dual(problem, budget)
        cost, lower = found.cost, found.lower
    return cost, lower, time.perf_counter() - start, peak_gigabytes()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", type=int, action="append")
    parser.add_argument("--levels", type=int, default=2)
    parser.add_argument("--budget", type=float)
    parser.add_argument("--flow", action="store_true")
    flags = parser.parse_args()
    print("scale  real records  cells in use  synthetic records")
    for scale in flags.scale or (1, 20):
        problem = instance(scale, flags.levels)
        print(
            f"{scale:5} {problem.real.sum():13,} {np.count_nonzero(problem.real):13,} "
            f"{problem.synthetic.sum():18,}"
        )
    print("scale  method            cost between                AEMC   seconds      GB  ratio")
    for scale in flags.scale or (1, 20):
        problem = instance(scale, flags.levels)
        results = {}
        for method in ("primal-dual", "flow") if flags.flow else ("primal-dual",):
            # A process a method, or the first one's memory would count for all.
            alone = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
            with alone as process:
                results[method] = process.submit(
                    measured, method, scale, flags.levels, flags.budget
                ).result()
        *_, (_, _, slowest, _) = results.values()
        for method, (cost, lower, seconds, gigabytes) in results.items():
            print(
                f"{scale:5}  {method:12} {lower:14,} {cost:14,} "
                f"{float(problem.value(cost) or 0):11.6f} {seconds:9.1f} {gigabytes:7.2f} "
                f"{slowest / seconds:6.1f}"
            )
        assert max(low for _, low, *_ in results.values()) <= min(c for c, *_ in results.values())


if __name__ == "__main__":
    main()
