"""Programs of groups of attributes, each with one of its questions replaced."""

from __future__ import annotations

from fractions import Fraction

from audit.self_test.altered import at, every, everywhere
from audit.self_test.case import BugClass
from audit.self_test.instead import keep_from, quieter, unnoised, where_observed
from audit.self_test.program_cases import ProgramCase, program_liar
from synthesizers.events import Measure, Select
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.archetypes import Archetypes
from synthesizers.programs.dp_field_groups import DPFieldGroups
from synthesizers.programs.histograms import Histograms
from synthesizers.programs.independent_marginals import IndependentMarginals
from synthesizers.programs.mwem import Mwem
from synthesizers.programs.pfr_style import HistogramQuery, PfrStyle

ONE = Fraction(1)
HALF = Fraction(1, 2)

ALONE = ProgramCase(
    "independent marginals",
    IndependentMarginals(ONE, noise="laplace", slack=0),
    "epsilon=1",
    ReplaceOne(),
    "2x2",
    2,
)
FIELDS = ProgramCase(
    "DPFieldGroups",
    DPFieldGroups(Fraction(2), (("a1",), ("a2",)), slack=0),
    "epsilon=2",
    AddRemove(),
    "2x2",
    1,
)
FIELDS_OF_N = ProgramCase(
    "DPFieldGroups, n public",
    DPFieldGroups(ONE, (("a1",), ("a2",)), slack=0),
    "epsilon=1",
    ReplaceOne(),
    "2x2",
    1,
)
PFR = ProgramCase(
    "inspired by pfr",
    PfrStyle(ONE, ((HistogramQuery(("cell",), 1),),), slack=0),
    "epsilon=1",
    AddRemove(),
    "2",
    1,
)
PERSONS = ProgramCase(
    "combined histograms",
    Histograms(ONE, (("a1",), ("a2",)), slack=0),
    "epsilon=1",
    AddRemove(Unit("person", 2)),
    "2x2",
    2,
    1,
)
KINDS = ProgramCase(
    "archetypes",
    Archetypes(ONE, noise="laplace", archetype="a1", company="a2", slack=0),
    "epsilon=1",
    ReplaceOne(),
    "2x2",
    1,
)
MISSED = ProgramCase(
    "MWEM", Mwem(ONE, rounds=1, width=1, slack=0), "epsilon=1", ReplaceOne(), "2x2x2", 2
)
MISSED_OF_MANY = ProgramCase(
    "MWEM, n private", Mwem(ONE, rounds=1, slack=0), "epsilon=1", AddRemove(), "2", 1
)

LIARS = (
    program_liar(
        ALONE,
        BugClass.GROUPS,
        "marginals as if records came or went",
        "the scale of add-remove under replace-one",
        every(Measure),
        quieter(HALF),
    ),
    program_liar(
        ALONE,
        BugClass.GROUPS,
        "last marginal unnoised",
        "the last attribute's counts go out as they are",
        at(1),
        unnoised,
    ),
    program_liar(
        FIELDS_OF_N,
        BugClass.GROUPS,
        "scale of the author, n public",
        "g/epsilon under replace-one",
        every(Measure),
        quieter(HALF),
    ),
    program_liar(
        FIELDS,
        BugClass.GROUPS,
        "threshold before the noise",
        "cells are dropped by their true counts",
        every(Measure),
        keep_from(1),
    ),
    program_liar(
        PFR,
        BugClass.GROUPS,
        "exact number of records for the thresholds",
        "queries are dropped by the true number of records",
        at(0),
        unnoised,
    ),
    program_liar(
        PFR,
        BugClass.GROUPS,
        "denoised by the true zeros",
        "cells that are empty in the data become 0",
        at(1),
        where_observed,
    ),
    program_liar(
        PERSONS,
        BugClass.MAP,
        "one histogram too few",
        "the scale counts one histogram of the two that are noised",
        every(Measure),
        quieter(HALF),
    ),
    program_liar(
        PERSONS,
        BugClass.MAP,
        "records of a person as one",
        "the second histogram has the scale of one record a person",
        at(1),
        quieter(HALF),
    ),
    program_liar(
        KINDS,
        BugClass.MAP,
        "archetypes for nothing",
        "the histogram of archetypes is taken for public data",
        at(0),
        unnoised,
    ),
    program_liar(
        KINDS,
        BugClass.MAP,
        "all of it for the companies",
        "the companies' share is nine tenths beside a whole for the archetypes",
        at(0),
        quieter(Fraction(1, 10)),
    ),
    program_liar(
        MISSED,
        BugClass.SELECTION,
        "MWEM's choice without the half",
        "the factor 1/2 is left out though errors move both ways",
        every(Select),
        quieter(HALF),
    ),
    program_liar(
        MISSED,
        BugClass.SELECTION,
        "MWEM's round twice",
        "epsilon/T for the choice and epsilon/T again for the count",
        everywhere,
        quieter(HALF),
    ),
    program_liar(
        MISSED_OF_MANY,
        BugClass.SELECTION,
        "MWEM from the exact total",
        "the weights begin with the true number of records",
        at(0),
        unnoised,
    ),
)
