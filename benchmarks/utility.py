"""How fast utility is measured, beside the plain method of each peer, in one run on one core.

Synthetic tables of 35 attributes with 2 to 99 values, and a copy of each with a fifth of every
column redrawn, from a stated seed. The plain methods are written after the peers: SDNist's
pandas ``groupby`` (``kmarg_old``), the sprint-2 scorer's loop over groups, the 2018 scorer's
dictionary record by record, and SDMetrics itself where it is installed. A plain method that
would take long does a part of the work, and its time is scaled up: the column "done" says how
much.

    OMP_NUM_THREADS=1 python benchmarks/utility.py                # 100,000 records
    python benchmarks/utility.py --data ../shared/data            # and SF Fire, 305k x 30, whole
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from stopwatch import peak_gigabytes, seconds

from audit.utility.nist_2018.conjunction import Conjunction
from audit.utility.nist_2018.three_way_marginal import ThreeWayMarginal
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.pair import Pair
from audit.utility.propensity.ratios import PMSERatio
from audit.utility.records import Records, of_dataset, read_records
from audit.utility.sdmetrics.quality import Quality
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.schemas import load_domain
from synthesizers.tables import to_frame

SIZES = (2, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 20, 25, 40, 99)
ATTRIBUTES, REGIONS, YEARS = 35, 20, 7
Line = tuple[str, Callable[[], object], str, Callable[[], object] | None, Fraction]
"""What is measured: a name, ours, the peer's name, its method, and the part of the work it does."""


def tables(records: int, seed: int) -> tuple[Records, Records]:
    """Correlated columns, and the perturbed copy; the first two are region and year."""
    random = np.random.default_rng(seed)
    sizes = [REGIONS, YEARS, *random.choice(SIZES, ATTRIBUTES - 2).tolist()]
    hidden = random.integers(0, 6, records)
    codes = np.empty((records, ATTRIBUTES), dtype=np.int64, order="F")
    for column, size in enumerate(sizes):
        chances = 1 / np.arange(1, size + 1)
        own = random.choice(size, records, p=chances / chances.sum())
        codes[:, column] = np.where(random.random(records) < 0.5, (7 * hidden + own) % size, own)
    domain = Domain(
        "utility",
        tuple(
            Attribute(f"a{column}", tuple(map(str, range(size))))
            for column, size in enumerate(sizes)
        ),
    )
    real = of_dataset(Dataset(domain, codes))
    return real, perturbed(real, seed + 1)


def perturbed(table: Records, seed: int) -> Records:
    """A copy in which a fifth of each column is drawn anew from the domain."""
    random = np.random.default_rng(seed)
    codes = table.codes.copy(order="F")
    for column, size in enumerate(table.domain.shape):
        redrawn = random.random(table.records) < 0.2
        codes[redrawn, column] = random.integers(0, size, int(redrawn.sum()))
    return Records(table.domain, codes)


def frame(table: Records) -> pd.DataFrame:
    """The codes as a data frame of small integers, as the peers hold them."""
    return pd.DataFrame(table.codes.astype(np.int16), columns=list(table.domain.names))


def distances(real: Records, synthetic: Records, sets: Sequence[tuple[str, ...]]) -> float:
    """The mean total variation by ``Pair.marginals``."""
    pair = Pair.of(real, synthetic, real.domain)
    return sum(marginal.total_variation() for marginal in pair.marginals(sets)) / len(sets)


def grouped(real: pd.DataFrame, synthetic: pd.DataFrame, sets: Sequence[tuple[str, ...]]) -> float:
    """The same by pandas: sizes of groups, aligned and subtracted."""
    total = 0.0
    for names in sets:
        shares = [f.groupby(list(names)).size() / len(f) for f in (real, synthetic)]
        total += float(shares[0].subtract(shares[1], fill_value=0).abs().sum()) / 2
    return total / len(sets)


def cross_tabulated(
    real: pd.DataFrame, synthetic: pd.DataFrame, sets: Sequence[tuple[str, ...]]
) -> float:
    """The same for pairs by two contingency tables."""
    total = 0.0
    for first, second in sets:
        shares = [pd.crosstab(f[first], f[second], normalize="all") for f in (real, synthetic)]
        total += float(shares[0].subtract(shares[1], fill_value=0).abs().sum().sum()) / 2
    return total / len(sets)


def group_by_group(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    sets: Sequence[tuple[str, ...]],
    groups: tuple[str, ...],
) -> float:
    """The mean over groups, each cut out of both tables and normalised by itself."""
    parts = [dict(list(f.groupby(list(groups)))) for f in (real, synthetic)]
    total = 0.0
    for key in parts[0]:
        total += grouped(parts[0][key], parts[1][key], sets)
    return total / len(parts[0])


def counted(
    real: list[tuple[int, ...]], synthetic: list[tuple[int, ...]], sets: Sequence[tuple[int, ...]]
) -> float:
    """Total variation by dictionaries, record by record."""
    total = 0.0
    for a, b, c in sets:
        found = [Counter((row[a], row[b], row[c]) for row in rows) for rows in (real, synthetic)]
        total += sum(
            abs(found[0][cell] / len(real) - found[1][cell] / len(synthetic))
            for cell in found[0] | found[1]
        )
    return total / 2


def answered(rows: list[tuple[int, ...]], queries: list[dict[int, frozenset[int]]]) -> float:
    """The mean log frequency of conjunctions, record by record."""
    hits = (
        sum(all(row[column] in values for column, values in query.items()) for row in rows)
        for query in queries
    )
    return sum(math.log(max(n / len(rows), 1e-6)) for n in hits)


def conjunctions(table: Records, seed: int) -> list[dict[int, frozenset[int]]]:
    """300 queries: each column with chance 0.33, and half of its values beside the record's own."""
    random = np.random.default_rng(seed)
    queries = []
    for row in table.codes[random.integers(table.records, size=300)].tolist():
        query = {}
        for column in np.flatnonzero(random.random(len(row)) < 0.33).tolist():
            size = table.domain.shape[column]
            more = random.choice(size, size // 2, replace=False).tolist()
            query[column] = frozenset([row[column], *more])
        queries.append(query)
    return queries


def lines(real: Records, synthetic: Records, seed: int) -> Iterator[Line]:
    """What is measured on tables of 35 attributes."""
    domain = real.domain
    frames = frame(real), frame(synthetic)
    random = np.random.default_rng(seed)
    drawn = [
        tuple(sorted(random.choice(ATTRIBUTES, 3, replace=False).tolist())) for _ in range(300)
    ]
    triples = [tuple(domain.names[place] for place in places) for places in drawn]
    pairs = list(combinations(domain.names, 2))
    rows = [list(map(tuple, table.codes.tolist())) for table in (real, synthetic)]
    groups = domain.names[:2]
    columns = list(combinations(domain.names[2:], 2))[:50]
    queries = conjunctions(real, seed)

    yield (
        "300 three-way marginals",
        lambda: distances(real, synthetic, triples),
        "pandas groupby",
        lambda: grouped(*frames, triples),
        Fraction(1),
    )
    yield (
        "595 two-way tables",
        lambda: distances(real, synthetic, pairs),
        "pandas crosstab",
        lambda: cross_tabulated(*frames, pairs[:60]),
        Fraction(60, 595),
    )
    yield (
        "50 tables in 140 groups",
        lambda: KMarginal(k=2, given=tuple(columns), groups=groups)(real, synthetic, domain),
        "loop over groups",
        lambda: group_by_group(*frames, columns[:2], groups),
        Fraction(2, 50),
    )
    yield (
        "2018 scores 1 and 2",
        lambda: (
            ThreeWayMarginal(draws=100)(real, synthetic, domain),
            Conjunction()(real, synthetic, domain),
        ),
        "record by record",
        lambda: (
            counted(*(part[: len(part) // 50] for part in rows), drawn[:100]),
            [answered(part[: len(part) // 50], queries) for part in rows],
        ),
        Fraction(1, 50),
    )
    yield (
        "pMSE ratio, 10 permutations",
        lambda: PMSERatio()(real, synthetic, domain),
        "",
        None,
        Fraction(1),
    )
    yield (
        "quality, all records",
        lambda: Quality()(real, synthetic, domain),
        *sdmetrics(real, synthetic),
        Fraction(1),
    )


def sdmetrics(real: Records, synthetic: Records) -> tuple[str, Callable[[], object] | None]:
    """SDMetrics' own report, by default on a subsample of 50,000 records; nothing without it."""
    try:
        from sdmetrics.reports.single_table import QualityReport
    except ImportError:
        return "sdmetrics, not installed", None
    domain = real.domain
    frames = [to_frame(Dataset(domain, table.codes)) for table in (real, synthetic)]
    metadata = {"columns": {name: {"sdtype": "categorical"} for name in domain.names}}
    return (
        "sdmetrics QualityReport",
        lambda: QualityReport().generate(frames[0], frames[1], metadata, verbose=False),
    )


def fire(folder: Path, seed: int) -> Iterator[Line]:
    """What is measured on the calls of the San Francisco fire department."""
    domain = load_domain(folder / "sf_fire_coded.schema.json")
    real = read_records(folder / "sf_fire_coded.csv.gz", domain)
    synthetic = perturbed(real, seed)
    frames = frame(real), frame(synthetic)
    triples = list(combinations(domain.names, 3))
    yield (
        "SF Fire, 4,060 three-way",
        lambda: distances(real, synthetic, triples),
        "pandas groupby",
        lambda: grouped(*frames, triples[::203]),
        Fraction(len(triples[::203]), len(triples)),
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="the folder with sf_fire_coded.csv.gz")
    flags = parser.parse_args()
    print(f"{flags.records:,} + {flags.records:,} records x {ATTRIBUTES}, seed {flags.seed}")
    print(f"{'':28} {'ours':>8}   {'plain method':24} {'its time':>9} {'done':>6} {'ratio':>7}")
    work = list(lines(*tables(flags.records, flags.seed), flags.seed))
    if flags.data is not None:
        work += fire(flags.data, flags.seed)
    for name, ours, peer, plain, part in work:
        own = seconds(ours)
        shown = f"{name:28} {own:6.2f} s   {peer:24}"
        if plain is not None:
            other = seconds(plain) / float(part)
            shown += f" {other:7.1f} s {float(part):6.1%} {other / own:7.1f}"
        print(shown, flush=True)
    print(f"largest process: {peak_gigabytes():.2f} GB")


if __name__ == "__main__":
    main()
