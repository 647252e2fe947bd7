"""The first synthesizers with one question replaced: Fourier marginals, PriView, PrivBasis."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.self_test.altered import ask, at, every, everywhere
from audit.self_test.case import BugClass, Detector
from audit.self_test.instead import best_in_truth, look, of_true_size, quieter, unnoised
from audit.self_test.program_cases import ProgramCase, program_liar
from synthesizers.curator import Curator
from synthesizers.events import Event, Measure, Select
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.fourier import Fourier
from synthesizers.programs.privbasis import PrivBasis
from synthesizers.programs.priview import PriView

ONE = Fraction(1)

# Attacks add thousands of runs to what is enumerated whole.
EXACTLY = (Detector.CHANNEL, Detector.TRANSCRIPT, Detector.COMPOSITION)

FOURIER = ProgramCase(
    "Fourier, n private",
    Fourier(ONE, slack=0),
    "epsilon=1",
    AddRemove(),
    "2x2",
    1,
    detectors=EXACTLY,
)
FOURIER_REPLACED = ProgramCase(
    "Fourier, n public",
    Fourier(ONE, slack=0),
    "epsilon=1",
    ReplaceOne(),
    "2x2",
    1,
    detectors=EXACTLY,
)
ONES = PriView(ONE, views=(("a1",), ("a2",)), slack=0)
PRIVIEW = ProgramCase(
    "PriView, n private", ONES, "epsilon=1", AddRemove(), "2x2", 1, detectors=EXACTLY
)
PRIVIEW_REPLACED = ProgramCase(
    "PriView, n public", ONES, "epsilon=1", ReplaceOne(), "2x2", 1, detectors=EXACTLY
)
ITEMS = PrivBasis(ONE, 2, "ones", slack=0)
PRIVBASIS = ProgramCase(
    "PrivBasis, n private", ITEMS, "epsilon=1", AddRemove(), "2x2", 1, detectors=EXACTLY
)
PRIVBASIS_REPLACED = ProgramCase(
    "PrivBasis, n public", ITEMS, "epsilon=1", ReplaceOne(), "2x2", 1, detectors=EXACTLY
)


def of_true_total(curator: Curator, event: Event) -> NDArray[np.int64]:
    """Noisy answers, of which the first is the true number of records."""
    return np.append(look(curator).sum(), ask(curator, event)[1:])


LIARS = (
    program_liar(
        FOURIER,
        BugClass.FOURIER,
        "marginals counted",
        "the noise is that of one marginal, not of its four coefficients",
        at(0),
        quieter(Fraction(1, 4)),
    ),
    program_liar(
        FOURIER,
        BugClass.FOURIER,
        "coefficient of the empty set",
        "n, the coefficient of the empty set, goes without noise",
        at(0),
        of_true_total,
    ),
    program_liar(
        FOURIER_REPLACED,
        BugClass.FOURIER,
        "a coefficient moves by one",
        "an exchange is taken to move each coefficient by 1, as an added record does",
        at(0),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        FOURIER_REPLACED,
        BugClass.FOURIER,
        "fitted to true coefficients",
        "the table is fitted to coefficients without noise",
        every(Measure),
        unnoised,
    ),
    program_liar(
        PRIVIEW,
        BugClass.PRIVIEW,
        "noise of one view",
        "each of two views has the noise of one that is alone",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        PRIVIEW,
        BugClass.PRIVIEW,
        "a view of the true total",
        "the first view is brought to the true number of records",
        at(0),
        of_true_size,
    ),
    program_liar(
        PRIVIEW_REPLACED,
        BugClass.PRIVIEW,
        "views under exchange",
        "noise made for added records, under exchange of records",
        every(Measure),
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        PRIVIEW_REPLACED,
        BugClass.PRIVIEW,
        "a view without noise",
        "the last view is measured when nothing is left to pay for it",
        at(1),
        unnoised,
    ),
    program_liar(
        PRIVBASIS,
        BugClass.PRIVBASIS,
        "true rank",
        "the number of items is that of the true count at the threshold",
        at(0),
        best_in_truth,
    ),
    program_liar(
        PRIVBASIS,
        BugClass.PRIVBASIS,
        "noise of one basis of three",
        "bins have a third of their noise, as if each of three bases were alone",
        every(Measure),
        quieter(Fraction(1, 3)),
    ),
    program_liar(
        PRIVBASIS_REPLACED,
        BugClass.PRIVBASIS,
        "one direction under exchange",
        "all is calibrated for added records: choices by counts as if they moved in one direction",
        everywhere,
        quieter(Fraction(1, 2)),
    ),
    program_liar(
        PRIVBASIS_REPLACED,
        BugClass.PRIVBASIS,
        "items chosen in truth",
        "the most frequent items are taken as they are",
        every(Select),
        best_in_truth,
    ),
)
