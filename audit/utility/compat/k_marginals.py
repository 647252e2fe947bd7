"""The k-marginal score as four official programs draw its sets and compute it, to the last bit.

Each takes the tables of the drawn column sets, in the program's order of cells and
groups, and repeats its floating-point operations in their order. Sums that the
programs leave to pandas are left to pandas here: the last bit of its grouped sums
depends on its version.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from audit.utility.compat.programs import SDNIST, SDNIST_1, SPRINT_2, SPRINT_3
from audit.utility.counts import order_attributes
from audit.utility.groups import Groups, number_cells
from audit.utility.nist_2020.k_marginal_breakdowns import Measured
from audit.utility.pair import Pair

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SortedTable:
    """The cells [m] of one column set with records, sorted as a program sorts them.

    ``group`` is non-decreasing and names every group at least once.
    """

    group: Integers
    real: Integers
    synthetic: Integers


def sorted_tables(
    pair: Pair, sets: Sequence[tuple[str, ...]], groups: Groups
) -> Iterator[SortedTable]:
    """The table of each column set: by group, then by its columns in the order drawn."""
    wanted = [
        order_attributes((*groups.names, *dict.fromkeys(names)), pair.domain) for names in sets
    ]
    pair.count(dict.fromkeys(wanted))
    for names in sets:
        drawn = (*groups.names, *dict.fromkeys(names))
        marginal = pair.marginal(drawn)
        order = np.argsort(number_cells(marginal, drawn, groups.ranks), kind="stable")
        yield SortedTable(
            groups.places(marginal)[order], marginal.real[order], marginal.synthetic[order]
        )


def sprint_2(tables: Iterator[SortedTable], groups: Groups, cutoff: int | None) -> Measured:
    """The scorer of sprint 2 (ACS): L1 in each group, 2 where a side has no record.

    A group whose counts differ by ``cutoff`` or more has the worst score. Source:
    drivendataorg/deid2-runtime, branch sprint-2, ``runtime/scripts/metric.py``.
    """
    columns = [_l1_or_worst(table, groups) for table in tables]
    matrix = np.hstack([column.reshape(-1, 1) for column in columns])
    scores = matrix.mean(axis=1).ravel()
    biased = _find_biased(groups, cutoff, strict=False)
    scores[biased] = 2.0
    scaled = float((2.0 - scores.mean()) / 2.0)
    return _measured(scaled * 1000, scaled, columns, scores, biased)


def sprint_3(tables: Iterator[SortedTable], groups: Groups, cutoff: int | None) -> Measured:
    """The scorer of sprint 3 (taxi): as sprint 2, the means taken by pandas.

    The program on branch master has no bias penalty; the copy among the
    challenge's assets has one, at 250. Source: drivendataorg/deid2-runtime, branch
    master, ``runtime/scripts/metric.py``.
    """
    columns = [_l1_or_worst(table, groups) for table in tables]
    scores = pd.concat([pd.Series(column) for column in columns], axis=1).mean(axis=1)
    biased = _find_biased(groups, cutoff, strict=False)
    scores[biased] = 2.0
    scaled = float((2.0 - scores.mean()) / 2.0)
    return _measured(1000.0 * scaled, scaled, columns, scores.to_numpy(), biased)


def sdnist_1(tables: Iterator[SortedTable], groups: Groups, cutoff: int | None) -> Measured:
    """``KMarginalScore`` of SDNist 1.x, kept by 2.x: a group on one side only has L1 = 1.

    A group whose counts differ by more than ``cutoff`` has the worst score. Source:
    ``sdnist/metrics/kmarg_old.py`` of the SDNist that ``SDNIST`` names.
    """
    real, synthetic = np.maximum(groups.real, 1), np.maximum(groups.synthetic, 1)
    columns = []
    total: Floats = np.zeros(len(groups))
    for table in tables:
        differences = np.abs(
            table.real / real[table.group] - table.synthetic / synthetic[table.group]
        )
        columns.append(_sum(differences, table.group, groups))
        total = total + columns[-1]
    mean = total / len(columns)
    biased = _find_biased(groups, cutoff, strict=True)
    mean[biased] = 2
    scores = (2 - mean) * 500
    value = float(pd.Series(scores).mean()) if groups.names else float(scores[0])
    return _measured(value, value / 1000, columns, mean, biased)


def sdnist_25(tables: Iterator[SortedTable], groups: Groups, cutoff: int | None) -> Measured:
    """``KMarginal`` of SDNist 2.x: densities over groups and columns together.

    The score of a group, 1000 · (1 - mean of min(share, difference)/share), is not
    part of the value. A group without real records has none. ``cutoff`` is None.
    Source: ``sdnist/metrics/kmarginal.py`` of the SDNist that ``SDNIST`` names.
    """
    real, synthetic = int(groups.real.sum()), int(groups.synthetic.sum())
    columns, joint = [], []
    total = 0.0
    scaled_sum: Floats = np.zeros(len(groups))
    with np.errstate(divide="ignore", invalid="ignore"):
        for table in tables:
            shares = table.real / real
            differences = np.abs(shares - table.synthetic / synthetic)
            joint.append(float(differences.sum()))
            total += joint[-1]
            share = _pandas_sums(shares, table.group)
            capped = _pandas_sums(differences, table.group)
            capped = np.where(share <= capped, share, capped)
            columns.append(capped * real / groups.real)
            scaled_sum = scaled_sum + columns[-1]
    value = (2 - total / len(joint)) * 500
    scores = (1 - scaled_sum / len(columns)) * 1000
    scores[groups.real == 0] = np.nan
    missing = int((groups.real == 0).sum())
    return Measured(
        value,
        value / 1000,
        np.array([(2 - distance) * 500 for distance in joint]),
        np.array(joint) / 2,
        scores if groups.names else np.array([value]),
        (f"{missing} groups without real records have no score of their own",) if missing else (),
    )


@dataclass(frozen=True)
class KMarginalProgram:
    """How a program draws its column sets, and how it measures them.

    ``draws``: how many sets it draws from ``seed``; None takes all ordered ones. ``replaced``:
    with replacement, so that a column may come twice, except for all sets of fewer columns than
    ``all_below``. ``generator``: of numpy's, the one that it seeds. ``grouped``: it scores groups
    alone. ``penalised``: it has a bias penalty, from ``penalty`` records on unless told otherwise.
    """

    measure: Callable[[Iterator[SortedTable], Groups, int | None], Measured]
    draws: int | None
    seed: int
    replaced: bool = False
    all_below: int = 0
    generator: Callable[[int], np.random.RandomState | np.random.Generator] = np.random.RandomState
    grouped: bool = False
    penalised: bool = True
    penalty: int | None = None

    def used_seed(self, seed: int) -> int:
        """The seed of its draws: 0 stands for the program's own."""
        return seed or self.seed

    def sets(
        self, columns: Sequence[str], k: int, draws: int | None, seed: int
    ) -> tuple[tuple[str, ...], ...]:
        """The sets of ``k`` columns that it takes, with its own generator."""
        if self.draws is None:
            return tuple(itertools.permutations(columns, k))
        names = sorted(columns)
        if draws is None and len(names) < self.all_below:
            if len(names) == 1:
                return ((names[0],) * k,)
            return tuple(itertools.combinations(names, k))
        random = self.generator(self.used_seed(seed))
        return tuple(
            tuple(names[n] for n in random.choice(len(names), size=k, replace=self.replaced))
            for _ in range(self.draws if draws is None else draws)
        )


PROGRAMS = {
    # 50: option ``n_permutations`` of the scorer.
    SPRINT_2: KMarginalProgram(sprint_2, 50, 123456, grouped=True, penalty=250),
    SPRINT_3: KMarginalProgram(sprint_3, None, 0, grouped=True),
    # 50: attribute ``N_PERMUTATIONS`` of ``KMarginalScore`` in ``sdnist/metrics/kmarg_old.py``.
    SDNIST_1: KMarginalProgram(sdnist_1, 50, 12345, replaced=True),
    SDNIST: KMarginalProgram(
        sdnist_25,
        200,
        0,
        replaced=True,
        all_below=30,
        generator=np.random.default_rng,
        penalised=False,
    ),
}
"""The programs that the k-marginal score reproduces, by mode."""


def pairwise_sums(values: Floats, group: Integers, groups: int) -> Floats:
    """The sum [G] of each group of consecutive values as ``numpy.sum`` of the group gives it.

    ``reduceat`` adds to the first value of a segment the pairwise sum of the others, and
    ``sum`` to 0 that of all: a 0 put before each segment makes the two the same.
    """
    starts = np.searchsorted(group, np.arange(groups))
    padded = np.insert(values, starts, 0.0)
    return np.add.reduceat(padded, starts + np.arange(groups)).astype(np.float64, copy=False)


def _l1_or_worst(table: SortedTable, groups: Groups) -> Floats:
    real, synthetic = np.maximum(groups.real, 1), np.maximum(groups.synthetic, 1)
    differences = table.real / real[table.group] - table.synthetic / synthetic[table.group]
    distances = pairwise_sums(np.abs(differences), table.group, len(groups))
    distances[groups.one_sided] = 2.0
    return distances


def _sum(values: Floats, group: Integers, groups: Groups) -> Floats:
    """Sums over groups as pandas takes them, and over a whole table as numpy does."""
    if groups.names:
        return _pandas_sums(values, group)
    return np.asarray([values.sum()], dtype=np.float64)


def _pandas_sums(values: Floats, group: Integers) -> Floats:
    return np.asarray(pd.Series(values).groupby(group).sum(), dtype=np.float64)


def _find_biased(groups: Groups, cutoff: int | None, *, strict: bool) -> NDArray[np.bool_]:
    if cutoff is None:
        return np.zeros(len(groups), dtype=np.bool_)
    differences = np.abs(groups.real - groups.synthetic)
    biased: NDArray[np.bool_] = differences > cutoff if strict else differences >= cutoff
    return biased


def _measured(
    value: float,
    scaled: float,
    columns: Sequence[Floats],
    scores: Floats,
    biased: NDArray[np.bool_],
) -> Measured:
    """The parts of a score whose groups weigh alike: ``scores`` [G] mean L1 after the penalty."""
    distances = np.array([column.mean() for column in columns]) / 2
    penalised = [np.where(biased, 2.0, column).mean() for column in columns]
    hit = int(biased.sum())
    return Measured(
        value,
        scaled,
        500 * (2 - np.array(penalised)),
        distances,
        500 * (2 - scores),
        (f"{hit} groups have the worst score for their bias",) if hit else (),
    )
