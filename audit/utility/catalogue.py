"""The metrics that are built in, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synthesizers.errors import InputError
from synthesizers.registry import Registry
from synthesizers.suggestions import suggest

if TYPE_CHECKING:
    from audit.utility.metric import Metric

METRICS: Registry[type[Metric]] = Registry(
    "audit.utility",
    {
        "total-variation": "total_variation:TotalVariation",
        "workload-error": "workload_error:WorkloadError",
        "associations": "associations:Associations",
        "validity": "validity:Validity",
        "range-queries": "range_queries:RangeQueries",
        "table-utility": "synthpop.table_utilities:TableUtility",
        "k-marginal": "nist_2020.k_marginal:KMarginal",
        "longitudinal-k-marginal": "nist_2020.longitudinal:LongitudinalKMarginal",
        "subsample-equivalent": "subsample_equivalent:SubsampleEquivalent",
        "edge-map": "nist_2020.edge_map:EdgeMap",
        "hoc": "nist_2020.hoc:HigherOrderConjunction",
        "sprint-3-total": "nist_2020.sprint_3_total:Sprint3Total",
        "pie-chart": "nist_2020.pie_chart:PieChart",
        "inv-pie": "nist_2020.pie_chart:InvPie",
        "three-way-marginal": "nist_2018.three_way_marginal:ThreeWayMarginal",
        "conjunction": "nist_2018.conjunction:Conjunction",
        "inequality": "nist_2018.inequality:Inequality",
        "nist-2018-total": "nist_2018.total:Nist2018Total",
        "mgd": "mgd.marginal_difference:MarginalDifference",
        "pmse": "propensity.distances:PMSE",
        "pmse-ratio": "propensity.ratios:PMSERatio",
        "standardised-pmse": "propensity.ratios:StandardisedPMSE",
        "specks": "propensity.distances:Specks",
        "po50": "propensity.distances:PO50",
        "pmse-logistic": "propensity.logistic:LogisticPMSE",
        "pmse-ratio-logistic": "propensity.logistic:LogisticPMSERatio",
        "specks-logistic": "propensity.logistic:LogisticSpecks",
        "column-shapes": "sdmetrics.column_shapes:ColumnShapes",
        "column-pair-trends": "sdmetrics.column_pair_trends:ColumnPairTrends",
        "quality": "sdmetrics.quality:Quality",
        "train-on-synthetic": "models.train_on_synthetic:TrainOnSynthetic",
        "interval-overlap": "models.interval_overlap:IntervalOverlap",
    },
)
"""Every metric with the name that a plan, a draws file and ``--metric`` call it by."""


def metric_named(name: str) -> Metric:
    """The metric of that name with its own defaults; ``InputError`` if there is none."""
    if name not in METRICS:
        raise InputError(
            f"there is no metric {name!r}; there are {', '.join(METRICS)}{suggest(name, METRICS)}"
        )
    return METRICS[name]()


def family_of(name: str) -> str | None:
    """What metrics of one family measure alike; None for a metric that is made of others.

    A metric that is not built in is a family of its own.
    """
    if name not in METRICS:
        return name
    family = METRICS[name].family
    return name if family == "" else family
