"""Metrics of every subgroup of a synthetic file, and of random subsets of the same sizes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from threadpoolctl import threadpool_limits

from audit.parallel import divide
from audit.utility.catalogue import family_of
from audit.utility.metric import Metric
from audit.utility.pair import Pair
from audit.utility.records import Records
from audit.utility.score import Score
from audit.utility.subgroups.division import (
    Subgroup,
    divide_records,
    domain_without,
    subgroups_of,
)
from audit.utility.subgroups.findings import Subgroups, SubgroupScore
from audit.utility.suite import ScoreProgress, applicable
from synthesizers.domain import Domain
from synthesizers.errors import InputError

SUBSETS = 20
"""Random subsets beside a subgroup: what is worse than all of them is rarer than one in 20."""

SEEDS = (0, 10**6)
"""Seeds of the draws of the real and of a synthetic table: public, fixed, and never the same."""

MOST_SECONDS = 120.0
"""Metrics are taken, the cheapest first, as long as they take so long for a file, on one core."""

SECONDS_A_MARGINAL = 3e-4
"""What a metric takes at least for each marginal that it reads (measured on 24 and 30 columns)."""

SECONDS_A_COUNT = 1.2e-8
"""What it takes beyond for each record in each of them (measured on 7,600 and 305,000 records)."""

AS_MANY_MARGINALS = 100
"""Metrics that read records and no marginals take about as long as if they read so many."""

Refused = tuple[tuple[str, str], ...]
"""Metrics with the reason why they are not taken."""


@dataclass(frozen=True)
class Draw:
    """What one draw scores: some metrics of the subgroups of some codes, or of random subsets.

    ``number``: 0 for the subgroups themselves.
    """

    real: Records
    synthetic: Records
    attribute: str
    codes: tuple[int, ...]
    metrics: tuple[Metric, ...]
    number: int


def applicable_within(
    metrics: Sequence[Metric], domain: Domain, attribute: str
) -> tuple[tuple[Metric, ...], Refused]:
    """The metrics that can be taken without an attribute, and why the others cannot."""
    kept, refused = applicable(metrics, domain_without(domain, attribute))
    persons = "" if domain.individual is None else ", and without persons"
    why = f"subgroups are scored without {attribute}, which their records share{persons}"
    return kept, tuple((name, f"{why}: {reason}") for name, reason in refused)


def affordable_within(
    metrics: Sequence[Metric], domain: Domain, subgroups: Sequence[Subgroup], subsets: int
) -> tuple[tuple[Metric, ...], tuple[tuple[str, float], ...]]:
    """The cheapest metrics of subgroups, together within ``MOST_SECONDS`` a file, and the others.

    Those with what each would take. Metrics of one family share most of their work, and the dearest
    counts. ``domain``: without the attribute. One that works on the real table alone for most of
    its time would do so for every subset, and is among the others.
    """
    large = [one for one in subgroups if one.large]
    counted = sum(SECONDS_A_MARGINAL + SECONDS_A_COUNT * (g.real + g.synthetic) for g in large)

    def cost(metric: Metric) -> float:
        marginals = len(metric.marginals_read(domain)) or AS_MANY_MARGINALS
        own = sum(metric.estimate_seconds(domain, max(g.real, g.synthetic)) for g in large)
        return (marginals * counted + own) * (1 + subsets)

    costs = {metric.name: cost(metric) for metric in metrics}
    spent: dict[str, float] = {}
    kept: set[str] = set()
    for metric in sorted(metrics, key=lambda one: costs[one.name]):
        family = family_of(metric.name) or metric.name
        after = {**spent, family: costs[metric.name]}
        if not metric.works_on_real and sum(after.values()) <= MOST_SECONDS:
            spent = after
            kept.add(metric.name)
    return (
        tuple(metric for metric in metrics if metric.name in kept),
        tuple((name, costs[name]) for name in costs if name not in kept),
    )


def measure_subgroups(
    real: Records,
    synthetic: tuple[str, Records],
    attribute: str,
    metrics: Sequence[Metric],
    *,
    subsets: int = SUBSETS,
    refused: Refused = (),
    progress: ScoreProgress = lambda done, total, name: None,
    jobs: int = 1,
) -> Subgroups:
    """Every metric of every subgroup of a synthetic file, beside random subsets of its size.

    ``metrics``: ones that `applicable_within` keeps. A subgroup's score is that of its synthetic
    records beside its real ones, over all attributes but the one that divides them. ``subsets``
    times the attribute's values are permuted, in both tables, and the same is scored again.
    ``refused`` is passed on. ``jobs``: processes that share the draws out.
    Raises ``InputError`` for an unknown attribute, tables over different domains, too few subsets.
    """
    name, table = synthetic
    if real.domain != table.domain:
        raise InputError("the real and the synthetic table must have the same domain")
    subgroups = subgroups_of(real, table, attribute)
    large = [one for one in subgroups if one.large]
    codes = tuple(one.code for one in large)
    each = len(large) * len(metrics)
    total, done = each * (1 + subsets), 0

    def score_here(draw: Draw) -> list[Score]:
        return _score(draw, lambda at, name: progress(done + at, total, name))

    found: list[list[Score]] = []
    numbers = range(1 + subsets) if each else ()
    draws = [(Draw(real, table, attribute, codes, tuple(metrics), number),) for number in numbers]
    with threadpool_limits(1):
        for scores in divide(jobs, score_here, _score_elsewhere, draws):
            found.append(scores)
            done += each
    scored = tuple(
        SubgroupScore(one.value, own, tuple(draw[place].value for draw in found[1:]))
        for place, (one, own) in enumerate(
            zip([one for one in large for _ in metrics], found[0] if found else [], strict=True)
        )
    )
    return Subgroups(attribute, name, subgroups, subsets, scored, refused)


def _score_elsewhere(draw: Draw) -> list[Score]:
    with threadpool_limits(1):
        return _score(draw, lambda at, name: None)


def _score(draw: Draw, progress: Callable[[int, str], None]) -> list[Score]:
    """The scores of one draw, subgroup by subgroup, metric by metric."""
    domain = domain_without(draw.real.domain, draw.attribute)
    wanted = dict.fromkeys(n for metric in draw.metrics for n in metric.marginals_read(domain))
    tables = (
        divide_records(table, draw.attribute, draw.codes, draw.number, seed)
        for table, seed in zip((draw.real, draw.synthetic), SEEDS, strict=True)
    )
    found: list[Score] = []
    for real, synthetic in zip(*tables, strict=True):
        pair = Pair.of(real, synthetic, domain)
        pair.count(wanted)
        for metric in draw.metrics:
            progress(len(found), metric.name)
            found.append(metric.take(pair))
    return found
