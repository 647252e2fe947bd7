"""One program on one table at one ε, release after release, in a process of its own."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from grid import (
    BOOTSTRAP,
    METRICS,
    PROJECTED,
    SAMPLES,
    SKIPPED,
    TABLES,
    TARGETS,
    relation,
    settings,
)

from audit.release import as_dataset, release_setting
from audit.utility.models.train_on_synthetic import TrainOnSynthetic
from audit.utility.records import of_dataset
from audit.utility.suite import measure_utility
from synthesizers.domain import Dataset
from synthesizers.programs import build
from synthesizers.sampling import run
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table


def releases(name: str, epsilon: str, real: Dataset) -> Callable[[], Dataset]:
    """What makes one release of a program, or of a yardstick that is not private."""
    if name in SAMPLES or name == BOOTSTRAP:
        random = np.random.default_rng()
        share = SAMPLES.get(name, 1.0)
        kept = round(share * real.records)
        return lambda: Dataset(
            real.domain,
            real.codes[random.choice(real.records, kept, replace=name == BOOTSTRAP)],
        )
    program = build(name, settings(name, epsilon))
    # A public table's size is public: it is the number of rows released.
    setting = release_setting(real.domain, relation(name), real.records, real.records)
    return lambda: as_dataset(
        run(program, real, setting, program.budget(setting)).output, real.domain
    )


def measure(
    name: str, table: str, epsilon: str, data: Path, wanted: int
) -> Iterator[dict[str, Any]]:
    """The figures of each release."""
    stem = TABLES[table]
    domain = load_domain(data / f"{stem}.schema.json")
    if table in PROJECTED:
        domain = domain.project(PROJECTED[table])
    real = read_table(data / f"{stem}.csv.gz", domain)
    make = releases(name, epsilon, real)
    skipped = SKIPPED.get(table, ())
    metrics = {name: metric for name, metric in METRICS.items() if name not in skipped}
    if table in TARGETS:
        metrics["models"] = TrainOnSynthetic(target=TARGETS[table])
    for number in range(wanted):
        start = time.perf_counter()
        released = make()
        seconds = time.perf_counter() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        found = measure_utility(
            ("real", of_dataset(real)),
            {"synthetic": of_dataset(released)},
            list(metrics.values()),
            baseline=False,
        )
        scores = {
            key: scored.score.value for key, scored in zip(metrics, found.scored, strict=True)
        }
        yield {
            "program": name,
            "table": table,
            "epsilon": epsilon,
            "release": number,
            "seconds": round(seconds, 2),
            "gigabytes": round(memory, 2),
            **scores,
        }
