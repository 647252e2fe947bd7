"""Many metrics of several synthetic tables, each table counted once for all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from threadpoolctl import threadpool_limits

from audit.parallel import hand_out
from audit.statements.durations import spell_seconds
from audit.utility.baselines import uniform_table
from audit.utility.copies import count_copies, find_alike
from audit.utility.counts import Counted
from audit.utility.data.compare import Data, compare
from audit.utility.data.tally import Tally, sets_to_count, tally_tables
from audit.utility.metric import Metric
from audit.utility.pace import Pace
from audit.utility.pair import HeldCounts, Pair, common_shape
from audit.utility.records import Records
from audit.utility.results import Scored, UtilityResults
from audit.utility.score import Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError

ScoreProgress = Callable[[int, int, str], None]
"""Told how many of how many scores are done, and which comes next, with the time that is left."""

BASELINE_SEED = 0
"""Seed of the table that knows nothing but the domain: any fixed one."""

MAX_BASELINE = 10**6
"""The most records of that table; its scores hardly move beyond."""

MOST_SECONDS = 60.0
"""A metric that takes longer for a table, on one core, is left out unless it is asked for."""


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


def affordable(
    metrics: Sequence[Metric], domain: Domain, records: int
) -> tuple[tuple[Metric, ...], tuple[tuple[str, float], ...]]:
    """The metrics that take at most ``MOST_SECONDS`` a table, and what the others would take."""
    costs = {metric.name: metric.estimate_seconds(domain, records) for metric in metrics}
    kept = tuple(metric for metric in metrics if costs[metric.name] <= MOST_SECONDS)
    return kept, tuple((name, cost) for name, cost in costs.items() if cost > MOST_SECONDS)


LONG_SECONDS = 3.0
"""A family of metrics that takes longer for a table may be taken in a process of its own."""

LEAST_SECONDS = 0.02
"""What a metric takes at least, where what is left is estimated."""


@dataclass(frozen=True)
class _Task:
    """Some metrics of some tables, by name; ``replicates``: seeds of each, one of the baseline.

    ``costs``: what one core would need for each metric of a table, roughly, in seconds. ``tally``:
    whether what the tables hold is kept, too.
    """

    tables: tuple[str, ...]
    metrics: tuple[Metric, ...]
    replicates: int
    costs: tuple[float, ...]
    tally: bool = False

    @property
    def scores(self) -> int:
        return len(self.tables) * len(self.metrics)

    @property
    def seconds(self) -> float:
        return self.seconds_of(self.scores)

    @property
    def dearest(self) -> str:
        """The metric that takes longest."""
        costs = dict(zip((metric.name for metric in self.metrics), self.costs, strict=True))
        return max(costs, key=costs.__getitem__, default="what the tables hold")

    def seconds_of(self, scores: int) -> float:
        """What one core would need for so many scores, in the order in which they are made."""
        return sum((self.costs * len(self.tables))[:scores])


_BASELINE = ""
"""The name of the table that knows nothing but the domain: no file's."""

_Scores = dict[tuple[str, str], tuple[Score, float]]
"""Score and seconds by table and metric."""

_Tallies = dict[str, tuple[Tally, Tally]]
"""What is kept of the real and of each synthetic table, by its name."""


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
    jobs: int = 1,
) -> UtilityResults:
    """Every metric of every synthetic table, both by name, against the real one.

    The marginals that any metric reads are counted once a table. ``replicates``:
    each metric that draws is taken so many times, with seeds one apart, and the
    values after the first stand in ``Score.replicates``. With ``baseline`` the same
    metrics are taken of a table that knows nothing but the domain. ``refused`` and
    ``undeclared`` are passed on. ``jobs``: processes that share tables out; those that are counted
    in parts are left to this one. Raises ``InputError`` for tables that do not fit together.
    """
    tables = dict(synthetic)
    compared = dict(tables)
    if baseline:
        records = min(real[1].records, MAX_BASELINE)
        # Last: the others ask for all counts of the real table, which is gone through once.
        compared[_BASELINE] = uniform_table(real[1], records, BASELINE_SEED)
    shape = common_shape([real[1], *compared.values()])
    whole = all(isinstance(table, Records) for table in (real[1], *compared.values()))
    jobs = jobs if whole else 1
    tasks = _plan(real[1], compared, metrics, replicates, apart=jobs > 1)
    held = HeldCounts(real[1], shape)
    total = sum(task.scores for task in tasks)
    pace = Pace(sum(task.seconds for task in tasks), jobs)
    done = 0

    def take_here(
        _: object, of: Mapping[str, Counted], __: object, task: _Task
    ) -> tuple[_Scores, _Tallies]:
        begun = time.monotonic()

        def show(at: int, name: str) -> None:
            left = pace.estimate_left(task.seconds_of(at), time.monotonic() - begun)
            progress(done + at, total, f"{name}, {spell_seconds(left)} left")

        return _take(held, of, shape, task, show)

    calls = [(real[1], {n: compared[n] for n in task.tables}, shape, task) for task in tasks]
    found: _Scores = {}
    tallies: _Tallies = {}
    with threadpool_limits(1):
        made = hand_out(jobs, take_here, _take_elsewhere, calls, pace.seconds)

        def announce(at: int) -> None:
            # What is handed out says nothing before it is done.
            if jobs > 1 and at < len(tasks):
                left = spell_seconds(pace.estimate_left(0, 0))
                progress(done, total, f"{tasks[at].dearest}, {left} left")

        announce(0)
        for at, (task, (scores, kept)) in enumerate(zip(tasks, made, strict=True), 1):
            found.update(scores)
            tallies.update(kept)
            done += task.scores
            pace.add(task.seconds, sum(seconds for _, seconds in scores.values()))
            announce(at)
    progress(total, total, "")
    scored = tuple(
        Scored(name, *_with_baseline(found, name, metric.name))
        for name in tables
        for metric in metrics
    )
    sizes = {real[0]: real[1].records, **{name: t.records for name, t in tables.items()}}
    copies = {
        name: count_copies(real[1], table)
        for name, table in tables.items()
        if isinstance(real[1], Records) and isinstance(table, Records)
    }
    alike = find_alike({n: table for n, table in tables.items() if isinstance(table, Records)})
    return UtilityResults(
        *(real[0], real[1].domain, sizes, scored, refused, copies),
        undeclared=undeclared or {},
        data=_compare(real[1].domain, {name: tallies[name] for name in tables}),
        alike=alike,
    )


def _compare(domain: Domain, tallies: _Tallies) -> Data | None:
    """The data of all tables; None without a synthetic one."""
    if not tallies:
        return None
    own = next(iter(tallies.values()))[0]
    others = {name: synthetic for name, (_, synthetic) in tallies.items()}
    return compare(domain, own, others)


def _plan(
    real: Counted,
    compared: Mapping[str, Counted],
    metrics: Sequence[Metric],
    replicates: int,
    *,
    apart: bool,
) -> tuple[_Task, ...]:
    """A task a table; ``apart``: long families of metrics in tasks of their own, the longest first.

    Metrics of one family share their dearest work, such as a fit, and stay together. So do, for all
    tables, those that work on the real table alone: each process would do the same work again.
    """
    costs = _costs(metrics, real)
    shared = [metric for metric in metrics if metric.works_on_real and apart]
    rest = [metric for metric in metrics if metric not in shared]
    families = {_family(metric) for metric in rest if apart and costs[metric.name] > LONG_SECONDS}
    long = [[metric for metric in rest if _family(metric) == family] for family in sorted(families)]
    short = [metric for metric in rest if _family(metric) not in families]

    def task(tables: tuple[str, ...], own: Sequence[Metric]) -> _Task:
        seeds = {m.name: 1 if _seed(m) is None else replicates for m in own}
        alike = {m.name: len(tables) if m.works_on_real else 1 for m in own}
        each = [costs[m.name] * seeds[m.name] / alike[m.name] for m in own]
        return _Task(tables, tuple(own), replicates, tuple(each))

    tasks = [replace(task((name,), short), tally=name != _BASELINE) for name in compared]
    tasks += [task((name,), own) for name in compared for own in long]
    tasks.append(task(tuple(compared), shared))
    # Of tables that are far apart some metrics take longer: the baseline's are first of equals.
    longest = sorted(tasks, key=lambda task: (-task.seconds, task.tables != (_BASELINE,)))
    order = longest if apart else tasks
    return tuple(task for task in order if task.scores or task.tally)


def _family(metric: Metric) -> str:
    return metric.family or metric.name


def _costs(metrics: Sequence[Metric], real: Counted) -> Mapping[str, float]:
    """What one core would need for each metric of a table; for a family once, by its dearest."""
    costs = {metric.name: metric.estimate_seconds(real.domain, real.records) for metric in metrics}
    dearest: dict[str, str] = {}
    for metric in metrics:
        family = _family(metric)
        if costs[metric.name] > costs.get(dearest.get(family, ""), 0.0):
            dearest[family] = metric.name
    return {
        name: max(LEAST_SECONDS, cost if name in dearest.values() else 0.0)
        for name, cost in costs.items()
    }


def _with_baseline(found: _Scores, name: str, metric: str) -> tuple[Score, Score | None, float]:
    score, seconds = found[name, metric]
    null = found.get((_BASELINE, metric))
    return score, None if null is None else null[0], seconds


def _take_elsewhere(
    real: Counted, tables: Mapping[str, Counted], shape: tuple[int, ...], task: _Task
) -> tuple[_Scores, _Tallies]:
    with threadpool_limits(1):
        return _take(HeldCounts(real, shape), tables, shape, task, lambda at, name: None)


def _take(
    held: HeldCounts,
    tables: Mapping[str, Counted],
    shape: tuple[int, ...],
    task: _Task,
    progress: Callable[[int, str], None],
) -> tuple[_Scores, _Tallies]:
    """The scores of a task, and what is kept of its tables.

    ``held`` keeps what was counted of the real table.
    """
    domain = held.table.domain
    wanted = dict.fromkeys(n for metric in task.metrics for n in metric.marginals_read(domain))
    if task.tally:
        wanted |= dict.fromkeys(sets_to_count(domain, shape))
    found: _Scores = {}
    tallies: _Tallies = {}
    for name in task.tables:
        pair = Pair(held, HeldCounts(tables[name], shape))
        pair.count(tuple(wanted))
        seeds = 1 if name == _BASELINE else task.replicates
        for metric in task.metrics:
            progress(len(found), metric.name)
            began = time.perf_counter()
            score = _score(metric, pair, seeds)
            found[name, metric.name] = score, time.perf_counter() - began
        if task.tally:
            tallies[name] = tally_tables(pair)
    return found, tallies


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
