"""The metrics that are built in, by name."""

from __future__ import annotations

from collections.abc import Mapping

from audit.utility.associations import Associations
from audit.utility.metric import Metric
from audit.utility.mgd.marginal_difference import MarginalDifference
from audit.utility.models.interval_overlap import IntervalOverlap
from audit.utility.models.train_on_synthetic import TrainOnSynthetic
from audit.utility.nist_2018.conjunction import Conjunction
from audit.utility.nist_2018.inequality import Inequality
from audit.utility.nist_2018.three_way_marginal import ThreeWayMarginal
from audit.utility.nist_2018.total import Nist2018Total
from audit.utility.nist_2020.edge_map import EdgeMap
from audit.utility.nist_2020.hoc import HigherOrderConjunction
from audit.utility.nist_2020.k_marginal import KMarginal
from audit.utility.nist_2020.longitudinal import LongitudinalKMarginal
from audit.utility.nist_2020.pie_chart import InvPie, PieChart
from audit.utility.nist_2020.sprint_3_total import Sprint3Total
from audit.utility.propensity.distances import PMSE, PO50, Specks
from audit.utility.propensity.logistic import LogisticPMSE, LogisticPMSERatio, LogisticSpecks
from audit.utility.propensity.ratios import PMSERatio, StandardisedPMSE
from audit.utility.range_queries import RangeQueries
from audit.utility.sdmetrics.column_pair_trends import ColumnPairTrends
from audit.utility.sdmetrics.column_shapes import ColumnShapes
from audit.utility.sdmetrics.quality import Quality
from audit.utility.subsample_equivalent import SubsampleEquivalent
from audit.utility.synthpop.table_utilities import TableUtility
from audit.utility.total_variation import TotalVariation
from audit.utility.workload_error import WorkloadError
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
