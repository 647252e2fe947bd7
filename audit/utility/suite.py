"""Many metrics of several synthetic tables in one pass over shared counts."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from audit.utility.baselines import uniform_table
from audit.utility.copies import count_copies
from audit.utility.counts import Counted
from audit.utility.metric import Metric
from audit.utility.pair import HeldCounts, Pair, common_shape
from audit.utility.records import Records
from audit.utility.results import Scored, UtilityResults
from audit.utility.score import Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError

ScoreProgress = Callable[[int, int, str], None]
"""Told how many of how many scores are done, and which comes next."""

BASELINE_SEED = 0
"""Seed of the table that knows nothing but the domain: any fixed one."""

MAX_BASELINE = 10**6
"""The most records of that table; its scores hardly move beyond."""


def applicable(
    metrics: Sequence[Metric], domain: Domain
) -> tuple[tuple[Metric, ...], tuple[tuple[str, str], ...]]:
    """The metrics that tables over this domain can be given, and why the others cannot."""
    kept, refused = [], []
    for metric in metrics:
        try:
            metric.check(domain)
        except InputError as error:
            # Whoever reads the reason reads the metric's name beside it.
            refused.append((metric.name, str(error).removeprefix(f"{metric.name}: ")))
        else:
            kept.append(metric)
    return tuple(kept), tuple(refused)


def measure_utility(
    real: tuple[str, Counted],
    synthetic: Mapping[str, Counted],
    metrics: Sequence[Metric],
    *,
    replicates: int = 1,
    baseline: bool = True,
    refused: tuple[tuple[str, str], ...] = (),
    undeclared: Mapping[str, tuple[str, ...]] | None = None,
    progress: ScoreProgress = lambda done, total, name: None,
) -> UtilityResults:
    """Every metric of every synthetic table, both by name, against the real one.

    The marginals that any metric reads are counted once a table. ``replicates``:
    each metric that draws is taken so many times, with seeds one apart, and the
    values after the first stand in ``Score.replicates``. With ``baseline`` the same
    metrics are taken of a table that knows nothing but the domain. ``refused`` and
    ``undeclared`` are passed on. Raises ``InputError`` for tables that do not fit together.
    """
    tables = dict(synthetic)
    null = None
    if baseline:
        null = uniform_table(real[1], min(real[1].records, MAX_BASELINE), BASELINE_SEED)
    compared = [real[1], *tables.values(), *([null] if null is not None else [])]
    shape = common_shape(compared)
    held = HeldCounts(real[1], shape)
    wanted = tuple(
        dict.fromkeys(
            names for metric in metrics for names in metric.marginals_read(real[1].domain)
        )
    )
    total = len(metrics) * (len(tables) + int(baseline))
    done = 0

    def taken(table: Counted, replicates: int) -> dict[str, tuple[Score, float]]:
        nonlocal done
        pair = Pair(held, HeldCounts(table, shape))
        pair.count(wanted)
        found = {}
        for metric in metrics:
            progress(done, total, metric.name)
            began = time.perf_counter()
            score = _score(metric, pair, replicates)
            found[metric.name] = score, time.perf_counter() - began
            done += 1
        return found

    nulls = taken(null, 1) if null is not None else {}
    scored = [
        Scored(name, score, nulls[metric][0] if metric in nulls else None, seconds)
        for name, table in tables.items()
        for metric, (score, seconds) in taken(table, replicates).items()
    ]
    progress(total, total, "")
    records = {real[0]: real[1].records, **{name: t.records for name, t in tables.items()}}
    copies = {
        name: count_copies(real[1], table)
        for name, table in tables.items()
        if isinstance(real[1], Records) and isinstance(table, Records)
    }
    return UtilityResults(
        real[0], real[1].domain, records, tuple(scored), refused, copies, undeclared or {}
    )


def _score(metric: Metric, pair: Pair, replicates: int) -> Score:
    score = metric.take(pair)
    seed = _seed(metric)
    if replicates == 1 or score.value is None or seed is None:
        return score
    seeds: list[dict[str, Any]] = [{"seed": seed + k} for k in range(1, replicates)]
    again = [replace(metric, **other).take(pair).value for other in seeds]
    known = tuple(value for value in again if value is not None)
    left = len(again) - len(known)
    stated = (
        (*score.stated, f"{left} of {replicates} seeds give no value") if left else score.stated
    )
    return replace(score, replicates=known, stated=stated)


def _seed(metric: Metric) -> int | None:
    """The seed of a metric that would draw something else with another one, else None."""
    parameters = vars(metric)
    return parameters.get("seed") if parameters.get("given") is None else None
