"""Programs of known synthesizers, each with one of its questions replaced."""

from __future__ import annotations

from fractions import Fraction

from audit.self_test.altered import at, every, everywhere
from audit.self_test.case import BugClass
from audit.self_test.instead import (
    best_in_truth,
    fitted_prior,
    one_more,
    over_n,
    prior_of_observed,
    quieter,
    sanitize_by,
    truth_if_far,
    unnoised,
)
from audit.self_test.program_cases import ProgramCase, program_liar
from audit.self_test.sketches import GaussianViews, Rounds, Views
from synthesizers.events import Measure, Select
from synthesizers.laws.dirichlet import PlugInMultinomial
from synthesizers.laws.subsample import Subsample as SubsampleLaw
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.multinomial_dirichlet import MultinomialDirichlet
from synthesizers.programs.subsample import Subsample

ONE = Fraction(1)
HALF = (Fraction(1, 2),)

# ln(1 + m/alpha) = ln 11 = 2.3979 for m = 5 rows, alpha = 1/2 (Abowd & Vilhuber 2008, section 3).
DIRICHLET = ProgramCase(
    "Multinomial-Dirichlet", MultinomialDirichlet(HALF), "epsilon=2.4", ReplaceOne(), "2", 5
)
SAMPLE = ProgramCase(
    "subsample of a quarter",
    Subsample(Fraction(1, 4)),
    "epsilon=0, delta=1/4",
    ReplaceOne(),
    "2",
    4,
)
ROUNDS = ProgramCase("rounds of choice", Rounds(ONE), "epsilon=1", ReplaceOne(), "2x2", 1)
EVERY_SIZE = ProgramCase("rounds, n private", Rounds(ONE), "epsilon=1", AddRemove(), "2x2", 1)
STEPS = ProgramCase("Gaussian steps", GaussianViews(ONE), "rho=1", AddRemove(), "2x2", 2)
VIEWS = ProgramCase("views, n public", Views(ONE), "epsilon=1", ReplaceOne(), "2x2", 2)

LIARS = (
    program_liar(
        DIRICHLET,
        BugClass.DIRICHLET,
        "posterior mean",
        "the posterior mean plugged in for a draw of the posterior",
        at(0),
        sanitize_by(PlugInMultinomial(HALF, 5)),
        quick=True,
    ),
    program_liar(
        DIRICHLET,
        BugClass.DIRICHLET,
        "prior of observed cells",
        "no prior weight on cells that are empty",
        at(0),
        prior_of_observed,
    ),
    program_liar(
        DIRICHLET,
        BugClass.DIRICHLET,
        "fitted prior",
        "the prior is fitted on the same table",
        at(0),
        fitted_prior,
    ),
    program_liar(
        DIRICHLET,
        BugClass.DIRICHLET,
        "improbable outputs withheld",
        "an output far from the truth is replaced by it",
        at(0),
        truth_if_far,
    ),
    program_liar(
        SAMPLE,
        BugClass.SANITIZER,
        "delta below the share",
        "a half is sampled, the delta is that of a quarter",
        at(0),
        sanitize_by(SubsampleLaw(Fraction(1, 2))),
    ),
    program_liar(
        ROUNDS,
        BugClass.PRIVBAYES,
        "choices not counted",
        "each choice has the whole share of all choices",
        every(Select),
        quieter(Fraction(1, 8)),
    ),
    program_liar(
        VIEWS,
        BugClass.PRIVBAYES,
        "scale of probabilities",
        "the scale made for probabilities, used on counts",
        every(Measure),
        over_n,
    ),
    program_liar(
        ROUNDS,
        BugClass.SELECTION,
        "twice the share",
        "the share of a round is spent on choosing and again on measuring",
        everywhere,
        quieter(Fraction(1, 4)),
        quick=True,
    ),
    program_liar(
        ROUNDS,
        BugClass.SELECTION,
        "last round doubled",
        "what remains was computed before the previous round was booked",
        at(2, 3),
        quieter(Fraction(1, 4)),
    ),
    program_liar(
        ROUNDS,
        BugClass.SELECTION,
        "choice by true error",
        "the second view is chosen by its true error",
        at(2),
        best_in_truth,
    ),
    program_liar(
        EVERY_SIZE,
        BugClass.SELECTION,
        "exact first measurement",
        "the first view is initialised with true counts",
        at(1),
        unnoised,
    ),
    program_liar(
        STEPS,
        BugClass.GAN,
        "noise over the batch, twice",
        "the noise of the mean is divided by the batch size again",
        every(Measure),
        quieter(Fraction(1, 4)),
    ),
    program_liar(
        STEPS,
        BugClass.GAN,
        "statistics of the real batch",
        "a statistic of the data goes along uncounted",
        at(1),
        one_more,
    ),
)
