"""Programs that look at the data where they should not: domains, sizes, choices, cleaning."""

from __future__ import annotations

from fractions import Fraction

from audit.self_test.altered import at, everywhere
from audit.self_test.case import BugClass
from audit.self_test.instead import (
    best_in_truth,
    first_and_rest,
    keep_from,
    luckiest,
    observed_cells,
    of_true_size,
    over_n,
    quieter,
    quieter_when_many,
    unnoised,
    where_observed,
    with_true_rows,
)
from audit.self_test.program_cases import ProgramCase, program_liar
from audit.self_test.sketches import Parities, Rounds, Sized, Sparse, Thresholded, Views
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.laplace_sanitizer import LaplaceSanitizer

ONE = Fraction(1)

SIZED = ProgramCase("noisy size", Sized(ONE), "epsilon=1", AddRemove(), "2", 2)
CELLS = ProgramCase("chosen cells", Sparse(ONE, (0, 1, 2)), "epsilon=1", AddRemove(), "3", 2)
REPLACED = ProgramCase(
    "geometric sanitizer of three cells",
    GeometricSanitizer(ONE, rescale=False),
    "epsilon=1",
    ReplaceOne(),
    "3",
    2,
)
UNSCALED = ProgramCase(
    "geometric sanitizer, not rescaled",
    GeometricSanitizer(ONE, rescale=False),
    "epsilon=1",
    AddRemove(),
    "2",
    2,
)
LAPLACE = ProgramCase(
    "Laplace sanitizer, not rescaled",
    LaplaceSanitizer(ONE, rescale=False),
    "epsilon=1",
    AddRemove(),
    "2",
    2,
)
LAPLACE_REPLACED = ProgramCase(
    "Laplace sanitizer of three cells",
    LaplaceSanitizer(ONE, rescale=False),
    "epsilon=1",
    ReplaceOne(),
    "3",
    2,
)
SQUARE = ProgramCase(
    "geometric sanitizer of a square",
    GeometricSanitizer(ONE, rescale=False),
    "epsilon=1",
    ReplaceOne(),
    "2x2",
    2,
)
DROPPED = ProgramCase("threshold", Thresholded(ONE, 2), "epsilon=1", AddRemove(), "2", 3)
CHOSEN = ProgramCase("two chosen views", Rounds(ONE), "epsilon=1", ReplaceOne(), "2x2", 1)
TWO = ProgramCase("views of a square", Views(ONE), "epsilon=1", AddRemove(), "2x2", 2)
PARITIES = ProgramCase("parities", Parities(ONE), "epsilon=1", AddRemove(), "2x2", 1)

LIARS = (
    program_liar(
        CELLS,
        BugClass.DOMAIN,
        "domain of the data",
        "only the cells that hold a record are counted",
        at(0),
        observed_cells,
        quick=True,
    ),
    program_liar(
        SIZED,
        BugClass.DOMAIN,
        "true size",
        "brought to the true number of records",
        at(0),
        unnoised,
    ),
    program_liar(
        REPLACED,
        BugClass.DOMAIN,
        "scale for add-remove",
        "noise for add-remove, claim for replace-one",
        at(0),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        UNSCALED,
        BugClass.DOMAIN,
        "n taken for public",
        "the last count is what is left of the true n",
        at(0),
        first_and_rest,
    ),
    program_liar(
        DROPPED,
        BugClass.LOOK,
        "true threshold",
        "cells are kept by their true counts",
        at(0),
        keep_from(2),
        quick=True,
    ),
    program_liar(
        LAPLACE,
        BugClass.LOOK,
        "sparse histogram",
        "only observed cells are noised, and nothing is dropped",
        at(0),
        where_observed,
    ),
    program_liar(
        CHOSEN,
        BugClass.LOOK,
        "structure for nothing",
        "the first view is chosen by its true error",
        at(0),
        best_in_truth,
    ),
    program_liar(
        UNSCALED,
        BugClass.LOOK,
        "best of two runs",
        "of two answers the one nearer to the truth",
        at(0),
        luckiest,
    ),
    program_liar(
        SQUARE,
        BugClass.LOOK,
        "true margins",
        "made consistent with the true totals of the first attribute",
        at(0),
        with_true_rows,
    ),
    program_liar(
        LAPLACE_REPLACED,
        BugClass.SANITIZER,
        "every cell at one",
        "all cells noised at scale 1/epsilon under replace-one",
        at(0),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        UNSCALED,
        BugClass.SANITIZER,
        "rescaled to n",
        "rescaled to the true number of records",
        at(0),
        of_true_size,
    ),
    program_liar(
        PARITIES,
        BugClass.FOURIER,
        "marginals for coefficients",
        "the scale counts one marginal, not its four coefficients",
        everywhere,
        quieter(Fraction(1, 4)),
    ),
    program_liar(
        PARITIES,
        BugClass.FOURIER,
        "exact first coefficient",
        "the coefficient of the empty set is exact, under add-remove",
        at(0),
        unnoised,
    ),
    program_liar(
        TWO,
        BugClass.PRIVIEW,
        "consistent with the truth",
        "the second view is brought to the true total",
        at(1),
        of_true_size,
    ),
    program_liar(
        TWO,
        BugClass.PRIVIEW,
        "views by true size",
        "the noise of the views depends on the true n",
        at(0, 1),
        quieter_when_many,
    ),
    program_liar(
        CELLS,
        BugClass.PRIVBASIS,
        "observed items",
        "the items are those that occur",
        at(0),
        where_observed,
    ),
    program_liar(
        CELLS,
        BugClass.PRIVBASIS,
        "true cutoff",
        "items are cut off by their true counts",
        at(0),
        keep_from(1),
    ),
    program_liar(
        DROPPED,
        BugClass.GROUPS,
        "threshold before noise",
        "small counts are dropped before they are noised",
        at(0),
        keep_from(3),
    ),
    program_liar(
        UNSCALED,
        BugClass.GROUPS,
        "denoised at true zeros",
        "counts of empty cells are set to zero",
        at(0),
        where_observed,
    ),
    program_liar(
        UNSCALED,
        BugClass.OPTIMISED,
        "private n in the sensitivity",
        "the noise is divided by the true n",
        at(0),
        over_n,
    ),
    program_liar(
        TWO,
        BugClass.OPTIMISED,
        "best checkpoint",
        "of two fits the one of the smaller true error",
        at(1),
        luckiest,
    ),
)
