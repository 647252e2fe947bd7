"""How near and how fast GUM brings records to marginals of San Francisco's fire calls, 305k x 30.

Selections of targets: all pairs of attributes of at most so many cells; those that DPSyn measures
by default, of at most 5000 cells, rare values put together; and those that PrivSyn's DenseMarg
chooses by distances without noise. Each as counted, and with Gaussian noise at the price of
epsilon, the same for all, made consistent. Printed: the largest and the mean L1 distance of
shares, round by round, what whole records alone cost of it, and the time of one core.

    OMP_NUM_THREADS=1 python benchmarks/gum.py --data ../shared/data
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
from stopwatch import peak_gigabytes

from synthesizers.calibration import zcdp_rho
from synthesizers.domain import Dataset
from synthesizers.estimation.consistency import View, settle_views
from synthesizers.estimation.dense_marg import dense_pairs, merge_cliques
from synthesizers.estimation.gum import Rates, Stop
from synthesizers.estimation.negatives import norm_sub
from synthesizers.estimation.recoding import Recoding
from synthesizers.estimation.record_targets import RecordTarget
from synthesizers.estimation.view_records import LEAST_GAIN, NEAR_ENOUGH, gradually
from synthesizers.programs import dpsyn, privsyn
from synthesizers.programs.view_questions import all_pairs
from synthesizers.queries import IndependenceDistance, Marginal, RecodedMarginal, answer
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table

DELTA = Fraction(1, 10**9)
SELECTIONS = ("pairs", "dpsyn", "privsyn")

Names = tuple[str, ...]


def counted(data: Dataset, sets: Sequence[Names], recodings: Mapping[str, Recoding]) -> list[View]:
    """The true tables of some sets of attributes, recoded."""
    views = []
    for names in sets:
        query = RecodedMarginal(names, tuple(recodings[name].groups for name in names))
        views.append(View(names, answer(query, data).reshape(query.shape).astype(float)))
    return views


def plain(data: Dataset) -> dict[str, Recoding]:
    """Each code of each attribute in a group of its own."""
    return {a: Recoding.identity(data.domain.attribute(a).size) for a in data.domain.names}


def grouped(data: Dataset, threshold: float, smallest: int) -> dict[str, Recoding]:
    """Values of fewer counts put together, of attributes of so many values or more."""
    found = plain(data)
    for name in data.domain.names:
        if data.domain.attribute(name).size >= smallest:
            counts = answer(Marginal((name,)), data).astype(float)
            found[name] = Recoding.of(counts, threshold, drop=False)
    return found


def dpsyn_views(data: Dataset) -> list[View]:
    """The pairs that DPSyn measures where it is given none."""
    program = dpsyn.DPSyn(Fraction(1), DELTA)
    recodings = grouped(data, program.least_count, program.recode_from)
    return counted(data, all_pairs(data.domain, dpsyn.MOST_CELLS), recodings)


def privsyn_views(data: Dataset, epsilon: Fraction) -> list[View]:
    """What PrivSyn would measure if its distances had no noise, and each attribute."""
    names, rho = data.domain.names, float(zcdp_rho(epsilon, DELTA))
    deviation = math.sqrt(len(names) / (2 * rho * float(privsyn.ONE_WAYS)))
    recodings = grouped(data, privsyn.RARE * deviation, 0)
    sizes = {name: recodings[name].size for name in names}
    pairs = list(combinations(names, 2))
    query = IndependenceDistance(tuple(((a,), (b,)) for a, b in pairs), 1)
    distances = answer(query, data).astype(float)
    cells = np.array([sizes[a] * sizes[b] for a, b in pairs], float)
    chosen = dense_pairs(distances, cells, rho * float(privsyn.CHOSEN))
    sets = merge_cliques(
        [pairs[number] for number in chosen], sizes, privsyn.PrivSyn(epsilon, DELTA).gamma
    )
    return counted(data, [*sets, *((name,) for name in names)], recodings)


def selected(data: Dataset, selection: str, cells: int, epsilon: Fraction) -> list[View]:
    """The true tables of a selection; of pairs, those of at most so many cells."""
    if selection == "dpsyn":
        return dpsyn_views(data)
    if selection == "privsyn":
        return privsyn_views(data, epsilon)
    pairs = [names for names in all_pairs(data.domain, cells) if len(names) == 2]
    return counted(data, pairs, plain(data))


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


def brought_near(views: Sequence[View], rows: int, rates: Rates, stop: Stop, seed: int) -> None:
    """Update records towards the views, and print how it went."""
    start, process = time.perf_counter(), time.process_time()
    columns = list(dict.fromkeys(name for view in views for name in view.attributes))
    targets = [
        RecordTarget.of([columns.index(name) for name in view.attributes], view.counts, rows)
        for view in views
    ]
    rounding = [
        float(np.abs(target.counts / rows - view.counts.ravel() / view.total).sum())
        for target, view in zip(targets, views, strict=True)
    ]
    rounds = 0

    def told(done: int, distance: float) -> None:
        nonlocal rounds
        rounds = done
        if done in (1, 2, 3, 5) or done % 10 == 0:
            print(f"  round {done:3}  largest {distance:.4f}", flush=True)

    codes = gradually(
        targets, [view.variance for view in views], len(columns), rows, rates, stop,
        np.random.default_rng(seed), told,
    )  # fmt: skip
    took, core = time.perf_counter() - start, time.process_time() - process
    distances = [target.distance(codes) for target in targets]
    print(
        f"  {len(views)} marginals of {len(columns)} attributes, {rounds} rounds: largest "
        f"{max(distances):.4f}, mean {np.mean(distances):.4f}, {took:.0f} s ({core:.0f} s of a "
        f"core)\n  of which rounding: largest {max(rounding):.4f}, mean {np.mean(rounding):.4f}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the coded data")
    parser.add_argument("--table", default="sf_fire_coded")
    parser.add_argument("--selection", nargs="+", choices=SELECTIONS, default=list(SELECTIONS))
    parser.add_argument("--cells", type=int, default=150, help="the most cells of a pair")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--tolerance", type=float, default=0.01)
    parser.add_argument("--epsilon", type=Fraction, default=Fraction(1))
    parser.add_argument("--seed", type=int, default=0)
    flags = parser.parse_args()
    domain = load_domain(flags.data / f"{flags.table}.schema.json")
    data = read_table(flags.data / f"{flags.table}.csv.gz", domain)
    print(f"{flags.table}: {data.records:,} records, epsilon = {flags.epsilon}, delta = 1e-9")
    for selection in flags.selection:
        views = selected(data, selection, flags.cells, flags.epsilon)
        print(f"{selection}, as counted", flush=True)
        exact = Stop(flags.rounds, flags.tolerance)
        brought_near(views, data.records, Rates(decay=1.0), exact, flags.seed)
        print(f"{selection}, with noise", flush=True)
        noisy = settle_views(noised(views, flags.epsilon, flags.seed), norm_sub, 30)
        inexact = Stop(flags.rounds, NEAR_ENOUGH, LEAST_GAIN)
        brought_near(noisy, data.records, Rates(), inexact, flags.seed)
    print(f"largest process: {peak_gigabytes():.2f} GB")


if __name__ == "__main__":
    main()
