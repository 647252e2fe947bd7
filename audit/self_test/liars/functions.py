"""Functions that lie: about their sensitivity, and about what they leave beside the noise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from audit.self_test import mechanisms, queries
from audit.self_test.case import BugClass, Detector, Liar
from audit.self_test.function_cases import MechanismCase, QueryCase
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit

CELLS = Domain.from_cells("3")
OF_PERSONS = Domain("persons", (Attribute("cell", ("0", "1", "2")),), individual="id")
PERSON = AddRemove(Unit("person", 2))

CLIPPED = QueryCase("clipped counts", queries.one_a_person, "l1=1", PERSON, OF_PERSONS, (3,))
SLICES = QueryCase("disjoint slices", queries.disjoint_slices, "l1=1", AddRemove(), CELLS, (3,))
SHARE = QueryCase("share of a cell", queries.share_of_first, "linf=1/4", ReplaceOne(), CELLS, (4,))
SUM = QueryCase("clipped sum", queries.clipped_sum, "l1=1", AddRemove(), CELLS, (3,))

HISTOGRAM = MechanismCase("noisy histogram", mechanisms.histogram, "epsilon=1", AddRemove(), "3")
ROWS = MechanismCase(
    "synthetic rows",
    mechanisms.synthetic_rows,
    "epsilon=1",
    AddRemove(),
    "3",
    (Detector.DATA_INDEPENDENCE, Detector.ATTACK),
)


def _query(
    honest: QueryCase, kind: BugClass, name: str, bug: str, function: Callable[..., Any]
) -> Liar:
    return Liar(name, kind, bug, honest, replace(honest, name=name, function=function))


def _mechanism(
    honest: MechanismCase,
    kind: BugClass,
    name: str,
    bug: str,
    function: Callable[..., Any],
    quick: bool = False,
) -> Liar:
    return Liar(name, kind, bug, honest, replace(honest, name=name, function=function), quick)


QUERIES = (
    _query(
        CLIPPED,
        BugClass.BUDGET,
        "records of a person",
        "all records of a person are counted, one is declared",
        queries.all_of_a_person,
    ),
    _query(
        CLIPPED,
        BugClass.BUDGET,
        "total not clipped",
        "counts are clipped to one record a person, their total is not",
        queries.one_a_person_and_total,
    ),
    replace(
        _query(
            SLICES,
            BugClass.SELECTION,
            "overlapping slices",
            "slices that overlap, each noised as if they did not",
            queries.overlapping_slices,
        ),
        quick=True,
    ),
    _query(
        SHARE,
        BugClass.PRIVBAYES,
        "score of a binary child",
        "1/n declared for a score that moves by 2/n where the child is not binary",
        queries.distance_from_uniform,
    ),
    _query(
        SUM,
        BugClass.GAN,
        "clipped after adding",
        "clipped when all is added up, not one by one",
        queries.sum_clipped_late,
    ),
)

MECHANISMS = (
    _mechanism(
        HISTOGRAM,
        BugClass.DOMAIN,
        "cells of the data",
        "the cells that are counted are those that occur",
        mechanisms.cells_of_the_data,
    ),
    _mechanism(
        ROWS,
        BugClass.DOMAIN,
        "as many rows as records",
        "the number of synthetic rows is the true n",
        mechanisms.true_number_of_rows,
    ),
    _mechanism(
        HISTOGRAM,
        BugClass.SIDE,
        "true n in the log",
        "the number of records is logged",
        mechanisms.logged,
        quick=True,
    ),
    _mechanism(
        HISTOGRAM,
        BugClass.SIDE,
        "true counts printed",
        "a forgotten print",
        mechanisms.printed,
    ),
    _mechanism(
        HISTOGRAM,
        BugClass.SIDE,
        "true counts in a file",
        "a cache of true counts is written",
        mechanisms.side_file,
    ),
    _mechanism(
        HISTOGRAM,
        BugClass.SIDE,
        "exception for a value",
        "a value of the data raises",
        mechanisms.raising,
    ),
    _mechanism(
        HISTOGRAM,
        BugClass.SIDE,
        "steps until true convergence",
        "the number of steps follows from the true error, and is told",
        mechanisms.until_converged,
    ),
    _mechanism(
        HISTOGRAM,
        BugClass.NOISE,
        "seed of the data",
        "the generator's seed is the number of records",
        mechanisms.seeded_by_the_data,
    ),
    _mechanism(
        HISTOGRAM,
        BugClass.NOISE,
        "scale of the data",
        "the scale of the noise follows from the true n",
        mechanisms.scaled_by_the_data,
    ),
    _mechanism(
        ROWS,
        BugClass.MAP,
        "companies of the data",
        "categories of a column are those that occur",
        mechanisms.categories_of_the_data,
    ),
    _mechanism(
        HISTOGRAM,
        BugClass.MAP,
        "companies as names",
        "each value that occurs names an entry of the output",
        mechanisms.columns_of_the_data,
    ),
)
"""Liars about what a run leaves."""
