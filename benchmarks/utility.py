"""How fast utility is measured, beside the arithmetic of each official program, in one run.

Synthetic tables of 35 attributes with 2 to 99 values, and a copy of each with a fifth of every
column redrawn, from a stated seed. The peers do what the programs do: SDNist's pandas ``groupby``
(``kmarg_old``), with and without groups, the 2018 scorer's dictionaries record by record, and
SDMetrics itself where it is installed. Both sides of a ratio do the same work in one run on one
core, and their numbers are asserted to be equal; where the program would take long, that is a part
of the work, and the last column is our time for the whole of it.

    OMP_NUM_THREADS=1 python benchmarks/utility.py                # 100,000 records
    python benchmarks/utility.py --data ../shared/data            # and SF Fire, 305k x 30, whole
    python benchmarks/utility.py --estimates                      # what metrics say they take
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from stopwatch import peak_gigabytes, seconds

from audit.utility.catalogue import METRICS, metric_named
from audit.utility.metric import Metric
from audit.utility.nist_2018.conjunction import Conjunction
from audit.utility.nist_2018.conjunction_queries import Among, count_satisfying
from audit.utility.nist_2018.three_way_marginal import ThreeWayMarginal
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.pair import Pair
from audit.utility.propensity.ratios import PMSERatio
from audit.utility.records import Records, of_dataset, read_records
from audit.utility.sdmetrics.quality import Quality
from audit.utility.suite import applicable
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.schemas import load_domain
from synthesizers.tables import to_frame

SIZES = (2, 2, 3, 4, 5, 6, 8, 9, 10, 12, 15, 20, 25, 40, 99)
ATTRIBUTES, REGIONS, YEARS = 35, 20, 7
EQUAL = 1e-9
"""How far apart, relatively, two numbers may be that only the order of sums tells apart."""


@dataclass(frozen=True)
class Line:
    """What is measured: ``ours`` and the ``plain`` method of a ``peer``, which give one number.

    ``whole``: all of the work, where both do a part of it.
    """

    name: str
    ours: Callable[[], float]
    peer: str = ""
    plain: Callable[[], float] | None = None
    whole: Callable[[], object] | None = None


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


def grouped_within(
    real: pd.DataFrame,
    synthetic: pd.DataFrame,
    sets: Sequence[tuple[str, ...]],
    groups: tuple[str, ...],
) -> float:
    """The mean over groups and sets, as SDNist 1.x and the scorer of sprint 2 take it."""
    keys, total = list(groups), 0.0
    for names in sets:
        shares = []
        for table in (real, synthetic):
            sizes = table.groupby([*keys, *names]).size()
            shares.append(sizes / sizes.groupby(keys).transform("sum"))
        apart = shares[0].subtract(shares[1], fill_value=0).abs().groupby(keys).sum()
        total += float(apart.mean()) / 2
    return total / len(sets)


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
    return total / 2 / len(sets)


def answered(rows: list[tuple[int, ...]], queries: list[dict[int, frozenset[int]]]) -> float:
    """The mean log frequency of conjunctions, record by record."""
    hits = (
        sum(all(row[column] in values for column, values in query.items()) for row in rows)
        for query in queries
    )
    return sum(math.log(max(n / len(rows), 1e-6)) for n in hits)


def answer_all(table: Records, queries: list[dict[int, frozenset[int]]]) -> float:
    """The same by the metric's own counting."""
    names = table.domain.names
    asked = [
        tuple(Among(names[c], tuple(map(str, values))) for c, values in query.items())
        for query in queries
    ]
    counts = count_satisfying(table, asked)
    return sum(math.log(max(n / table.records, 1e-6)) for n in counts)


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

    few = tuple(table.take(np.arange(table.records // 50)) for table in (real, synthetic))
    yield Line(
        "300 three-way marginals",
        lambda: distances(real, synthetic, triples),
        "pandas groupby",
        lambda: grouped(*frames, triples),
    )
    yield Line(
        "60 of 595 two-way tables",
        lambda: distances(real, synthetic, pairs[:60]),
        "pandas crosstab",
        lambda: cross_tabulated(*frames, pairs[:60]),
        lambda: distances(real, synthetic, pairs),
    )
    yield Line(
        "50 tables in 140 groups",
        lambda: distance_of(KMarginal(given=tuple(columns), groups=groups), real, synthetic),
        "SDNist 1.x, sprint 2",
        lambda: grouped_within(*frames, columns, groups),
    )
    yield Line(
        "2018 score 1, a 50th",
        lambda: distances(*few, triples[:100]),
        "record by record",
        lambda: counted(*(part[: len(part) // 50] for part in rows), drawn[:100]),
        lambda: ThreeWayMarginal(draws=100)(real, synthetic, domain),
    )
    yield Line(
        "2018 score 2, a 50th",
        lambda: answer_all(few[0], queries),
        "record by record",
        lambda: answered(rows[0][: len(rows[0]) // 50], queries),
        lambda: Conjunction()(real, synthetic, domain),
    )
    yield Line("pMSE ratio, 10 permutations", lambda: value_of(PMSERatio(), real, synthetic))
    yield Line(
        "quality, a 50th",
        lambda: value_of(Quality(), *few),
        *sdmetrics(*few),
        lambda: Quality()(real, synthetic, domain),
    )


def value_of(metric: Metric, real: Records, synthetic: Records) -> float:
    """The score of a metric that is defined."""
    value = metric(real, synthetic, real.domain).value
    assert value is not None
    return value


def distance_of(metric: KMarginal, real: Records, synthetic: Records) -> float:
    """The mean total variation of a k-marginal score."""
    return 1 - value_of(metric, real, synthetic) / 1000


def sdmetrics(real: Records, synthetic: Records) -> tuple[str, Callable[[], float] | None]:
    """SDMetrics' own report (on at most 50,000 records it looks at all); nothing without it."""
    try:
        from sdmetrics.reports.single_table import QualityReport
    except ImportError:
        return "sdmetrics, not installed", None
    domain = real.domain
    frames = [to_frame(Dataset(domain, table.codes)) for table in (real, synthetic)]
    metadata = {"columns": {name: {"sdtype": "categorical"} for name in domain.names}}

    def report() -> float:
        made = QualityReport()
        made.generate(frames[0], frames[1], metadata, verbose=False)
        return float(made.get_score())

    return "sdmetrics QualityReport", report


def fire(folder: Path, seed: int) -> Iterator[Line]:
    """What is measured on the calls of the San Francisco fire department."""
    domain = load_domain(folder / "sf_fire_coded.schema.json")
    real = read_records(folder / "sf_fire_coded.csv.gz", domain)
    synthetic = perturbed(real, seed)
    frames = frame(real), frame(synthetic)
    triples = list(combinations(domain.names, 3))
    yield Line(
        "SF Fire, 20 of 4,060 triples",
        lambda: distances(real, synthetic, triples[::203]),
        "pandas groupby",
        lambda: grouped(*frames, triples[::203]),
        lambda: distances(real, synthetic, triples),
    )


def compare(line: Line) -> str:
    """A line of the table; AssertionError where the two numbers differ."""
    found: list[float] = []
    own = seconds(lambda: found.append(line.ours()))
    shown = f"{line.name:28} {own:8.3f} s   {line.peer:24}"
    if line.plain is not None:
        plain = line.plain
        other = seconds(lambda: found.append(plain()))
        assert math.isclose(found[0], found[-1], rel_tol=EQUAL, abs_tol=EQUAL), (line.name, found)
        shown += f" {other:8.2f} s {other / own:7.1f}"
    if line.whole is not None:
        shown += f"   whole: {seconds(line.whole):.2f} s"
    return shown


def estimates(real: Records, synthetic: Records) -> Iterator[str]:
    """What metrics say they take, beside what they take."""
    kept, _ = applicable([metric_named(name) for name in METRICS], real.domain)
    for metric in kept:
        said = metric.estimate_seconds(real.domain, real.records)
        if said > 0.1:
            taken = seconds(partial(metric, real, synthetic, real.domain))
            yield f"{metric.name:28} {said:8.1f} s said {taken:8.1f} s taken"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--data", type=Path, help="the folder with sf_fire_coded.csv.gz")
    parser.add_argument("--estimates", action="store_true", help="what metrics say they take")
    flags = parser.parse_args()
    print(f"{flags.records:,} + {flags.records:,} records x {ATTRIBUTES}, seed {flags.seed}")
    both = tables(flags.records, flags.seed)
    if flags.estimates:
        for text in estimates(*both):
            print(text, flush=True)
        return
    print(f"{'':28} {'ours':>10}   {'the program':24} {'its time':>10} {'ratio':>7}")
    work = list(lines(*both, flags.seed))
    if flags.data is not None:
        work += fire(flags.data, flags.seed)
    for line in work:
        print(compare(line), flush=True)
    print(f"largest process: {peak_gigabytes():.2f} GB")


if __name__ == "__main__":
    main()
