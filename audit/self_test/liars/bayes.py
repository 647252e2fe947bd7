"""PrivBayes with one question replaced, or with a degree that looks at the data.

The claims are what the honest programs lose on these instances at most, less than their budgets.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from audit.self_test.altered import at, every
from audit.self_test.case import BugClass, Detector, Liar
from audit.self_test.instead import best_in_truth, look, over_n, quieter, unnoised
from audit.self_test.program_cases import ProgramCase, program_liar
from synthesizers.curator import Curator
from synthesizers.domain import Dataset
from synthesizers.events import Measure, Select
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.privbayes import PrivBayes
from synthesizers.programs.privbayes_gauss import PrivBayesGauss

# Attacks add thousands of runs to what is enumerated whole.
EXACTLY = (Detector.CHANNEL, Detector.TRANSCRIPT, Detector.COMPOSITION)

SCORED_BY_R = PrivBayes(Fraction(1), "R", theta=Fraction(1, 100), parents=1, slack=0)
GAUSSIAN = PrivBayesGauss(Fraction(1), Fraction(1, 10), theta=Fraction(1, 10), slack=0)

PAIR = ProgramCase(
    "PrivBayes, one joint",
    SCORED_BY_R,
    "epsilon=7/10",
    ReplaceOne(),
    "2x2",
    2,
    rows=1,
    detectors=EXACTLY,
)
MIXED = ProgramCase(
    "PrivBayes, d joints",
    SCORED_BY_R,
    "epsilon=7/10",
    ReplaceOne(),
    "2x1",
    2,
    rows=1,
    detectors=EXACTLY,
)
# Without rows and slack every noisy count is clamped to 0: the choices are left.
CHOICES = ProgramCase(
    "PrivBayes, choices",
    SCORED_BY_R,
    "epsilon=1/10",
    ReplaceOne(),
    "2x2x2",
    3,
    rows=0,
    detectors=EXACTLY,
)
THREE_VALUES = ProgramCase(
    "PrivBayes, choices of three values",
    SCORED_BY_R,
    "epsilon=3/100",
    ReplaceOne(),
    "3x3x1",
    2,
    rows=0,
    detectors=EXACTLY,
)
GAUSS = ProgramCase(
    "PrivBayes-Gauss, n public", GAUSSIAN, "rho=1/5", ReplaceOne(), "2x2", 1, detectors=EXACTLY
)
GAUSS_PRIVATE = ProgramCase(
    "PrivBayes-Gauss, n private", GAUSSIAN, "rho=1/5", AddRemove(), "2x2", 1, detectors=EXACTLY
)


@dataclass(frozen=True)
class DegreeOfData:
    """An honest program, or the same of another usefulness where the first cell holds a record."""

    honest: PrivBayes

    def __call__(self, curator: Curator) -> Dataset:
        """The output of the one or the other."""
        filled = look(curator)[0] > 0
        return (
            replace(self.honest, theta=Fraction(100))(curator) if filled else self.honest(curator)
        )


LIARS = (
    program_liar(
        PAIR,
        BugClass.PRIVBAYES,
        "probabilities' scale on counts",
        "the scale 2(d-k)/(n eps) of probabilities, used on counts",
        every(Measure),
        over_n,
    ),
    program_liar(
        PAIR,
        BugClass.PRIVBAYES,
        "joints of added records",
        "the scale (d-k)/eps of add-remove where a record is exchanged",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        MIXED,
        BugClass.PRIVBAYES,
        "a joint not counted",
        "a scale for d - 1 joints where d are noised",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    Liar(
        "degree of the data",
        BugClass.PRIVBAYES,
        "how many parents a child has depends on the data",
        PAIR,
        replace(PAIR, name="degree of the data", program=DegreeOfData(SCORED_BY_R)),
    ),
    program_liar(
        CHOICES,
        BugClass.PRIVBAYES,
        "choices without one half",
        "a score that moves both ways is taken for one that moves one way",
        every(Select),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        CHOICES,
        BugClass.PRIVBAYES,
        "a structure by true scores",
        "the last child has the parents of the best true score",
        at(2),
        best_in_truth,
    ),
    program_liar(
        THREE_VALUES,
        BugClass.PRIVBAYES,
        "R moves by 2/n",
        "a distance from independence that moves by 3/n is taken to move by 2/n",
        every(Select),
        quieter(Fraction(2, 3)),
    ),
    program_liar(
        GAUSS,
        BugClass.PRIVBAYES,
        "joints of L2 sensitivity 1",
        "the variance of add-remove where a record is exchanged",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        GAUSS_PRIVATE,
        BugClass.PRIVBAYES,
        "pairs by true scores",
        "the scores of pairs go without noise",
        at(0),
        unnoised,
    ),
)
