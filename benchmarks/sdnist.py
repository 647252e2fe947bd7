"""The ACS problem of SDNist on its public excerpts: k-marginal score by PUMA and year.

ε is 0.1, 1 and 10 and δ is 1/n² (Lothe et al., section 3). Each year of an excerpt is a table of
its own persons and is released by itself, so that one person's privacy is that of one release; the
excerpts have no household ids, so that the unit is a record. The score is that of SDNist 1.x:
1000 · (1 - mean total variation) over 50 pairs of columns in each PUMA, averaged over PUMAs and
years. Samples of the records stand beside it, as in the paper's table 3. The paper's own scores
are of other states, which can't be had, and are not comparable.

    python benchmarks/sdnist.py --data ../shared/data --program mst dpsyn-2020
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from audit.release import as_dataset, release_setting
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.records import of_dataset
from synthesizers.domain import Dataset
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs import PROGRAMS, build
from synthesizers.sampling import run
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table

EXCERPTS = {
    "ma": ("acs_ma2018", "acs_ma2019"),
    "national": ("acs_national2018", "acs_national2019"),
}
EPSILONS = ("0.1", "1", "10")
SAMPLES = (0.01, 0.1, 0.5)
SCORE = KMarginal(mode="sdnist-1", groups=("PUMA",))


def release(name: str, epsilon: str, neighbours: str, real: Dataset) -> Dataset:
    """One release of a program with its defaults at δ = 1/n²."""
    fields = {field.name for field in dataclasses.fields(PROGRAMS[name])}
    delta = {"delta": f"1/{real.records**2}"} if "delta" in fields else {}
    program = build(name, {"epsilon": epsilon, **delta})
    relation = ReplaceOne() if neighbours == "replace-one" else AddRemove()
    setting = release_setting(real.domain, relation, real.records, real.records)
    made = run(program, real, setting, program.budget(setting))
    return as_dataset(made.output, real.domain)


def sampled(share: float, real: Dataset) -> Dataset:
    """A sample of the records themselves, which is not private."""
    kept = np.random.default_rng().choice(real.records, round(share * real.records), replace=False)
    return Dataset(real.domain, real.codes[kept])


def score(make: Callable[[Dataset], Dataset], tables: list[Dataset]) -> float:
    """The mean score over the years."""
    values = []
    for real in tables:
        found = SCORE(of_dataset(real), of_dataset(make(real)), real.domain)
        if found.value is None:
            raise SystemExit(f"the score is undefined: {found.undefined}")
        values.append(found.value)
    return statistics.fmean(values)


def main() -> None:
    """Print a line for each program and ε."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the folder of the excerpts")
    parser.add_argument("--excerpt", choices=EXCERPTS, default="national")
    parser.add_argument("--program", nargs="+", required=True, choices=PROGRAMS)
    parser.add_argument("--neighbours", choices=("add-remove", "replace-one"), default="add-remove")
    parser.add_argument("--epsilon", nargs="+", default=EPSILONS)
    parser.add_argument("--releases", type=int, default=1)
    flags = parser.parse_args()
    tables = []
    for stem in EXCERPTS[flags.excerpt]:
        domain = load_domain(flags.data / f"{stem}.schema.json")
        tables.append(read_table(flags.data / f"{stem}.csv.gz", domain))
    for share in SAMPLES:
        value = score(lambda real, share=share: sampled(share, real), tables)
        print(f"sample of {share:.0%}: {value:.0f}")
    for name in flags.program:
        for epsilon in flags.epsilon:
            start, values = time.perf_counter(), []
            for _ in range(flags.releases):
                values.append(
                    score(
                        lambda real, name=name, epsilon=epsilon: release(
                            name, epsilon, flags.neighbours, real
                        ),
                        tables,
                    )
                )
            spread = f" ± {statistics.stdev(values):.0f}" if len(values) > 1 else ""
            took = (time.perf_counter() - start) / flags.releases
            print(f"{name}, ε = {epsilon}: {statistics.fmean(values):.0f}{spread} ({took:.0f} s)")


if __name__ == "__main__":
    main()
