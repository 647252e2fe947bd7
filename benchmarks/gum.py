"""How near and how fast GUM brings records to marginals of San Francisco's fire calls, 305k x 30.

Targets are all pairs of attributes of at most so many cells, as counted and with Gaussian noise
at the price of epsilon, made consistent. Printed: the largest and the mean L1 distance of shares,
round by round, and the time of one core.

    OMP_NUM_THREADS=1 python benchmarks/gum.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import math
import time
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
from stopwatch import peak_gigabytes

from synthesizers.calibration import zcdp_rho
from synthesizers.domain import Dataset
from synthesizers.estimation.consistency import View, settled
from synthesizers.estimation.gum import Gradual, approach
from synthesizers.estimation.negatives import norm_sub
from synthesizers.estimation.record_targets import Target, independent_columns
from synthesizers.queries import Marginal, answer
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table

DELTA = Fraction(1, 10**9)


def counted(data: Dataset, most_cells: int) -> list[View]:
    """The true two-way tables of at most so many cells."""
    sizes = dict(zip(data.domain.names, data.domain.shape, strict=True))
    return [
        View(
            pair, answer(Marginal(pair), data).reshape([sizes[name] for name in pair]).astype(float)
        )
        for pair in combinations(data.domain.names, 2)
        if math.prod(sizes[name] for name in pair) <= most_cells
    ]


def noised(views: list[View], epsilon: Fraction, seed: int) -> list[View]:
    """The tables with noise of one variance, rounded as noisy counts are."""
    random = np.random.default_rng(seed)
    variance = len(views) / (2 * float(zcdp_rho(epsilon, DELTA)))
    return [
        View(
            view.attributes,
            view.counts + np.rint(random.normal(0, variance**0.5, view.counts.shape)),
            variance,
        )
        for view in views
    ]


def brought_near(
    data: Dataset, views: list[View], rounds: int, seed: int, tolerance: float
) -> None:
    """Update records towards the views, and print how it went."""
    start, process = time.perf_counter(), time.process_time()
    random = np.random.default_rng(seed)
    names = [name for name in data.domain.names if any(name in view.attributes for view in views)]
    tables = [next(v for v in views if name in v.attributes).onto({name}) for name in names]
    codes = independent_columns(tables, data.records, random)
    targets = [
        Target.of([names.index(name) for name in view.attributes], view.counts, data.records)
        for view in views
    ]

    def told(done: int, distance: float) -> None:
        if done in (1, 2, 3, 5) or done % 10 == 0:
            print(f"  round {done:3}  largest {distance:.4f}", flush=True)

    largest = approach(
        codes, targets, Gradual(), rounds, random, tolerance=tolerance, progress=told
    )
    mean = sum(target.distance(codes) for target in targets) / len(targets)
    print(
        f"  {len(views)} pairs, {len(names)} attributes: largest {largest:.4f}, mean {mean:.4f}, "
        f"{time.perf_counter() - start:.0f} s ({time.process_time() - process:.0f} s of a core)"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the coded data")
    parser.add_argument("--table", default="sf_fire_coded")
    parser.add_argument("--cells", type=int, default=100, help="the most cells of a pair")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--tolerance", type=float, default=0.01)
    parser.add_argument("--epsilon", type=Fraction, default=Fraction(1))
    parser.add_argument("--seed", type=int, default=0)
    flags = parser.parse_args()
    domain = load_domain(flags.data / f"{flags.table}.schema.json")
    data = read_table(flags.data / f"{flags.table}.csv.gz", domain)
    views = counted(data, flags.cells)
    print(f"{flags.table}: {data.records:,} records, pairs of at most {flags.cells} cells")
    print("as counted")
    brought_near(data, views, flags.rounds, flags.seed, flags.tolerance)
    print(f"with noise, epsilon = {flags.epsilon}, delta = 1e-9")
    noisy = settled(noised(views, flags.epsilon, flags.seed), norm_sub, 30)
    brought_near(data, list(noisy), flags.rounds, flags.seed, flags.tolerance)
    print(f"largest process: {peak_gigabytes():.2f} GB")


if __name__ == "__main__":
    main()
