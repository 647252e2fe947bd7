"""Programs that spend more than they count."""

from __future__ import annotations

from fractions import Fraction

from audit.self_test.altered import at, every, everywhere
from audit.self_test.case import BugClass
from audit.self_test.instead import one_more, quieter, twice
from audit.self_test.program_cases import ProgramCase, program_liar
from audit.self_test.sketches import GaussianViews, Rounds, Views
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.subsample import Subsample

ONE = Fraction(1)
TWO_RECORDS = AddRemove(Unit("person", 2))

VIEWS = ProgramCase("two views", Views(ONE), "epsilon=1", AddRemove(), "2x2", 1)
MANY_VIEWS = ProgramCase("five views", Views(ONE), "epsilon=1", AddRemove(), "2x2x2x2x2", 1)
THREE_VIEWS = ProgramCase("three views", Views(ONE), "epsilon=1", ReplaceOne(), "2x2x2", 1)
GAUSSIAN = ProgramCase(
    "two Gaussian views", GaussianViews(Fraction(2)), "rho=2", AddRemove(), "2x2", 2
)
ROUNDS = ProgramCase("two rounds", Rounds(ONE), "epsilon=1", AddRemove(), "2x2", 1)
PERSONS = ProgramCase(
    "geometric sanitizer of persons", GeometricSanitizer(ONE), "epsilon=1", TWO_RECORDS, "2", 3
)
GAUSSIAN_PERSONS = ProgramCase(
    "Gaussian count of persons", GaussianViews(Fraction(1, 2)), "rho=1/2", TWO_RECORDS, "1", 4
)
SAMPLE = ProgramCase(
    "subsample", Subsample(Fraction(1, 2)), "epsilon=0, delta=1/2", ReplaceOne(), "2", 2
)

LIARS = (
    program_liar(
        VIEWS,
        BugClass.BUDGET,
        "one query too few",
        "the scale counts k - 1 of k queries",
        every(Measure),
        quieter(Fraction(1, 2)),
        quick=True,
    ),
    program_liar(
        ROUNDS,
        BugClass.BUDGET,
        "the budget for each stage",
        "choosing and measuring have the whole budget each",
        everywhere,
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        PERSONS,
        BugClass.BUDGET,
        "persons not clipped",
        "noise for one record, claim for a person of two",
        at(0),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        GAUSSIAN_PERSONS,
        BugClass.BUDGET,
        "sensitivity not squared",
        "variance L2/(2 rho) in place of L2^2/(2 rho)",
        at(0),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        SAMPLE,
        BugClass.BUDGET,
        "one delta for two",
        "two subsamples at the delta of one",
        at(0),
        twice,
    ),
    program_liar(
        THREE_VIEWS,
        BugClass.PRIVIEW,
        "the budget for each view",
        "every one of three views has the whole epsilon",
        every(Measure),
        quieter(Fraction(1, 3)),
    ),
    program_liar(
        MANY_VIEWS,
        BugClass.GROUPS,
        "columns queried twice",
        "shares of four columns, five queried",
        every(Measure),
        quieter(Fraction(4, 5)),
    ),
    program_liar(
        GAUSSIAN,
        BugClass.DPSYN,
        "a marginal forgotten",
        "the marginals of the recoding are not counted",
        at(1),
        one_more,
    ),
    program_liar(
        VIEWS,
        BugClass.DPSYN,
        "a part added",
        "a further part without a share of the budget",
        at(1),
        one_more,
    ),
    program_liar(
        GAUSSIAN,
        BugClass.GAN,
        "one step too many",
        "the budget is checked after the step",
        at(1),
        twice,
    ),
)
