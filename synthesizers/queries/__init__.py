"""Queries: the kinds of question that may be asked, with their sensitivity."""

from __future__ import annotations

from synthesizers.queries.counts import (
    CellCounts,
    Marginal,
    RecodedMarginal,
    Total,
    whole_table,
)
from synthesizers.queries.dependence import MaximalCorrelation, MutualInformation
from synthesizers.queries.gradients import CriticGradient
from synthesizers.queries.itemsets import ItemsetCounts, RankDistance
from synthesizers.queries.query import (
    MAX_ANSWERS,
    MAX_SUMMAND,
    IntArray,
    Query,
    Sensitivity,
    answer,
    answers_of_histograms,
)
from synthesizers.queries.scores import CellErrors, IndependenceDistance, ModelError
from synthesizers.queries.sums import BoundedSum, Layer, LinearQueries
from synthesizers.queries.table_distances import TableDistances

__all__ = [
    "MAX_ANSWERS",
    "MAX_SUMMAND",
    "BoundedSum",
    "CellCounts",
    "CellErrors",
    "CriticGradient",
    "IndependenceDistance",
    "IntArray",
    "ItemsetCounts",
    "Layer",
    "LinearQueries",
    "Marginal",
    "MaximalCorrelation",
    "ModelError",
    "MutualInformation",
    "Query",
    "RankDistance",
    "RecodedMarginal",
    "Sensitivity",
    "TableDistances",
    "Total",
    "answer",
    "answers_of_histograms",
    "whole_table",
]
