"""The metrics that are built in, by name."""

from __future__ import annotations

from collections.abc import Mapping

from audit.metrics.associations import Associations
from audit.metrics.metric import Metric
from audit.metrics.mgd.marginal_difference import MarginalDifference
from audit.metrics.models.interval_overlap import IntervalOverlap
from audit.metrics.models.train_on_synthetic import TrainOnSynthetic
from audit.metrics.nist_2018.conjunction import Conjunction
from audit.metrics.nist_2018.inequality import Inequality
from audit.metrics.nist_2018.three_way_marginal import ThreeWayMarginal
from audit.metrics.nist_2018.total import Nist2018Total
from audit.metrics.nist_2020.edge_map import EdgeMap
from audit.metrics.nist_2020.hoc import HigherOrderConjunction
from audit.metrics.nist_2020.k_marginal import KMarginal
from audit.metrics.nist_2020.longitudinal import LongitudinalKMarginal
from audit.metrics.nist_2020.pie_chart import InvPie, PieChart
from audit.metrics.nist_2020.sprint_3_total import Sprint3Total
from audit.metrics.propensity.distances import PMSE, PO50, Specks
from audit.metrics.propensity.logistic import LogisticPMSE, LogisticPMSERatio, LogisticSpecks
from audit.metrics.propensity.ratios import PMSERatio, StandardisedPMSE
from audit.metrics.range_queries import RangeQueries
from audit.metrics.sdmetrics.column_pair_trends import ColumnPairTrends
from audit.metrics.sdmetrics.column_shapes import ColumnShapes
from audit.metrics.sdmetrics.quality import Quality
from audit.metrics.subsample_equivalent import SubsampleEquivalent
from audit.metrics.synthpop.table_utilities import TableUtility
from audit.metrics.total_variation import TotalVariation
from audit.metrics.workload_error import WorkloadError
from synthesizers.errors import InputError

METRICS: Mapping[str, type[Metric]] = {
    metric.name: metric
    for metric in (
        TotalVariation,
        WorkloadError,
        Associations,
        RangeQueries,
        TableUtility,
        KMarginal,
        LongitudinalKMarginal,
        SubsampleEquivalent,
        EdgeMap,
        HigherOrderConjunction,
        Sprint3Total,
        PieChart,
        InvPie,
        ThreeWayMarginal,
        Conjunction,
        Inequality,
        Nist2018Total,
        MarginalDifference,
        PMSE,
        PMSERatio,
        StandardisedPMSE,
        Specks,
        PO50,
        LogisticPMSE,
        LogisticPMSERatio,
        LogisticSpecks,
        ColumnShapes,
        ColumnPairTrends,
        Quality,
        TrainOnSynthetic,
        IntervalOverlap,
    )
}
"""Every metric with the name that a plan, a draws file and ``--metric`` call it by."""


def named(name: str) -> Metric:
    """The metric of that name with its own defaults; ``InputError`` if there is none."""
    if name not in METRICS:
        raise InputError(f"there is no metric {name!r}; there are {', '.join(METRICS)}")
    return METRICS[name]()
