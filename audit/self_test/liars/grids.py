"""AdaGrid, PrivMRF and all two-way marginals, each with one of its questions replaced."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.self_test.altered import Place, ask, at, every
from audit.self_test.case import BugClass, Detector
from audit.self_test.instead import quieter, unnoised, where_observed
from audit.self_test.program_cases import ProgramCase, program_liar
from synthesizers.curator import Curator
from synthesizers.events import Event, Measure
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.adagrid import AdaGrid
from synthesizers.programs.privmrf import PrivMRF
from synthesizers.programs.two_way_marginals import TwoWayMarginals
from synthesizers.queries import IndependenceDistance, LinearQueries, ModelError, Query

IntArray = NDArray[np.int64]

ONE, DELTA = Fraction(1), Fraction(1, 100)
EXACTLY = (Detector.TRANSCRIPT,)

# Clamped to so few counts, a program loses less than its nominal epsilon of 1: the claims lie
# between what the honest ones lose here (0.61, 0.57, 0.49 at this delta) and what liars do.
THREE_QUARTERS, NOMINAL, HALF = (f"epsilon={e}, delta=1/100" for e in ("3/4", "1", "1/2"))

# Counts of 1 are plausible, of 0 not: grids of every pattern are asked, in units of 2.
GRID = AdaGrid(ONE, DELTA, (), Fraction(1, 4), 2, 1, 0)
GRIDS = ProgramCase(
    "AdaGrid, n private", GRID, THREE_QUARTERS, AddRemove(), "2x2", 1, detectors=EXACTLY
)
PUBLIC = ProgramCase(
    "AdaGrid, n public", GRID, THREE_QUARTERS, ReplaceOne(), "2x2", 1, detectors=EXACTLY
)

# Joined attributes are measured together, and then one of them alone, by its distance.
JOINED = ProgramCase(
    "PrivMRF, n public",
    PrivMRF(ONE, DELTA, 100, 100, Fraction(1, 1000), 1, 0),
    NOMINAL,
    ReplaceOne(),
    "2x2",
    1,
    detectors=EXACTLY,
)
# No clique has more than one attribute: their two marginals are all that is measured.
APART = PrivMRF(ONE, DELTA, 3, 100, ONE, 1, 0)
FIELD = ProgramCase(
    "PrivMRF apart, n private", APART, NOMINAL, AddRemove(), "2x2", 1, detectors=EXACTLY
)
TWO = ProgramCase(
    "PrivMRF apart, n public", APART, NOMINAL, ReplaceOne(), "2x2", 2, detectors=EXACTLY
)

PAIRS = TwoWayMarginals(ONE, DELTA, steps=1, slack=0)
TABLES = ProgramCase(
    "two-way marginals, n private", PAIRS, HALF, AddRemove(), "2x2", 1, detectors=EXACTLY
)
EXCHANGED = ProgramCase(
    "two-way marginals, n public", PAIRS, HALF, ReplaceOne(), "2x2", 1, detectors=EXACTLY
)


def asking(kind: type[Query]) -> Place:
    """The measurements of a kind of query."""
    return lambda number, event: isinstance(event, Measure) and isinstance(event.query, kind)


def undivided(curator: Curator, event: Event) -> IntArray:
    """The queries of the sub-marginals at full weight, with the noise of columns of norm 1."""
    assert isinstance(event, Measure) and isinstance(event.query, LinearQueries)
    layers = tuple(replace(layer, weight=GRID.unit) for layer in event.query.layers)
    return ask(curator, replace(event, query=replace(event.query, layers=layers)))


def again(curator: Curator, event: Event) -> IntArray:
    """The question asked twice at its price, booked once; the first answer counts."""
    answers = ask(curator, event)
    ask(curator, event)
    return answers


LIARS = (
    program_liar(
        GRIDS,
        BugClass.MAP,
        "columns longer than 1",
        "the sums of sub-marginals are not divided by the root of their number",
        asking(LinearQueries),
        undivided,
    ),
    program_liar(
        GRIDS,
        BugClass.MAP,
        "a grid measured twice",
        "the edge's grid is measured twice and its mean taken, booked once",
        at(2),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        GRIDS,
        BugClass.MAP,
        "plausible in truth",
        "which cells are plausible follows from true counts",
        at(0, 1),
        unnoised,
    ),
    program_liar(
        PUBLIC,
        BugClass.MAP,
        "grids for add-remove",
        "the noise of add-remove, where a record is exchanged",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        TWO,
        BugClass.MAP,
        "a graph of true distances",
        "attributes are joined by their true distances from independence",
        asking(IndependenceDistance),
        unnoised,
    ),
    program_liar(
        JOINED,
        BugClass.MAP,
        "distances without noise",
        "the marginals that the model fits worst are found by true distances",
        asking(ModelError),
        unnoised,
    ),
    program_liar(
        FIELD,
        BugClass.MAP,
        "size limits from n",
        "which marginals are useful follows from the true number of records",
        at(0),
        unnoised,
    ),
    program_liar(
        TABLES,
        BugClass.DPSYN,
        "a pair asked twice",
        "the noise is for one pair, and two are measured",
        at(0),
        again,
    ),
    program_liar(
        TABLES,
        BugClass.DPSYN,
        "pairs of observed values",
        "cells that are truly empty get no noise",
        at(0),
        where_observed,
    ),
    program_liar(
        EXCHANGED,
        BugClass.DPSYN,
        "pairs for add-remove",
        "the noise of add-remove, where a record is exchanged",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
)
