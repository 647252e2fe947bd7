"""How long pMSE of a tree with its permutations takes, beside the peers' methods in one run.

Tables of 35 attributes of 2 to 20 values each, most of them independent. Ours is the ratio in the
default settings: one tree of depth 6 and one for each of 10 permutations. SDNist v2.5 fits one
tree of depth 6 to 64-bit numbers and then goes through a data frame row by row, without a
null; its loop is timed over some rows and scaled up. An unpruned tree, scored 1 + 10 times by one
who takes scikit-learn as it comes, is timed for one fit. synthpop needs R and is not run here: its
one rpart fit took 42.9 s on one core, so that 10 permutations take about 8 minutes.

    python benchmarks/propensity.py                   # 100,000 + 100,000 records
    python benchmarks/propensity.py --records 10000
"""

from __future__ import annotations

import argparse
import math

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier
from stopwatch import peak_gigabytes, seconds

from audit.utility.pair import Pair
from audit.utility.propensity.distances import PMSE
from audit.utility.propensity.ratios import PMSERatio
from synthesizers.domain import Attribute, Dataset, Domain

ATTRIBUTES = 35
PERMUTATIONS = 10
LOOPED = 2000
"""Rows of the peer's loop that are timed."""

SYNTHPOP_SECONDS = 42.9
"""One fit of synthpop 1.9-2 at 100,000 + 100,000 records, measured elsewhere."""


def tables(records: int) -> Pair:
    """Two tables that differ in every third attribute."""
    random = np.random.default_rng(0)
    sizes = random.integers(2, 21, ATTRIBUTES)
    real = np.column_stack([random.integers(0, size, records) for size in sizes])
    synthetic = np.column_stack(
        [
            np.minimum(random.integers(0, size + (place % 3 == 0), records), size - 1)
            for place, size in enumerate(sizes)
        ]
    )
    attributes = (
        Attribute(f"a{place}", tuple(map(str, range(size)))) for place, size in enumerate(sizes)
    )
    domain = Domain("uniform", tuple(attributes))
    return Pair.of(Dataset(domain, real), Dataset(domain, synthetic), domain)


def row_loop(rows: pd.DataFrame, chances: np.ndarray) -> None:
    """SDNist's way to the density of the probabilities, over the first rows."""
    counts = [[0] * 100, [0] * 100]
    for place, row in rows.iterrows():
        bin_ = min(math.floor(round(chances[place], 2) * 100), 99)
        counts[int(row.iloc[-1])][bin_] += 1


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    flags = parser.parse_args()
    pair = tables(flags.records)
    pmse = seconds(lambda: PMSE().score(pair))
    ratio = pmse + seconds(lambda: PMSERatio(permutations=PERMUTATIONS).score(pair))
    logistic = seconds(lambda: PMSE(learner="logistic").score(pair))

    codes = np.concatenate([table.codes for table in pair.tables])
    labels = np.repeat([0, 1], flags.records)
    tree = DecisionTreeClassifier(max_depth=6)
    fit = seconds(lambda: tree.fit(codes, labels))
    rows = pd.DataFrame(np.column_stack([codes, labels])[-LOOPED:]).reset_index(drop=True)
    chances = tree.predict_proba(codes)[-LOOPED:, 1]
    loop = seconds(lambda: row_loop(rows, chances)) * len(codes) / LOOPED
    unpruned = seconds(lambda: DecisionTreeClassifier().fit(codes, labels))

    fits = PERMUTATIONS + 1
    lines = [
        ("pMSE: one tree, with its breakdowns", pmse, None),
        ("  SDNist v2.5: one tree and a loop over rows", fit + loop, pmse),
        (f"pMSE ratio: {fits} trees", ratio, None),
        (f"  SDNist's procedure {fits} times", fits * (fit + loop), ratio),
        (f"  {fits} unpruned trees", fits * unpruned, ratio),
        ("pMSE: logistic regression of main effects", logistic, None),
    ]
    if flags.records == 100_000:
        lines.insert(5, ("  synthpop with rpart (not run here)", fits * SYNTHPOP_SECONDS, ratio))
    print(f"{flags.records:,} + {flags.records:,} records, {ATTRIBUTES} attributes")
    print(f"{'':46} seconds  over ours")
    for what, took, ours in lines:
        print(f"{what:46} {took:7.1f}" + (f" {took / ours:10.1f}" if ours else ""))
    print(f"largest process: {peak_gigabytes():.2f} GB")


if __name__ == "__main__":
    main()
