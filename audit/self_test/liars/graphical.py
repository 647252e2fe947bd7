"""Programs of noisy marginals and a graphical model, each with one of its questions replaced."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.self_test.altered import ask, at, every
from audit.self_test.case import BugClass, Detector
from audit.self_test.instead import best_in_truth, quieter, unnoised
from audit.self_test.program_cases import ProgramCase, program_liar
from synthesizers.calibration import zcdp_rho
from synthesizers.curator import Curator
from synthesizers.events import Event, Measure, Select
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.programs import BuiltIn
from synthesizers.programs.aim import Aim
from synthesizers.programs.mst import Mst
from synthesizers.programs.mwem_pgm import MwemPgm
from synthesizers.programs.nist_mst import NistMst

HALF = Fraction(1, 2)
DELTA = Fraction(1, 1000)
LARGE, SMALL = Fraction(60), Fraction(2)


def _case(
    name: str, program: BuiltIn, epsilon: Fraction, neighbours: Neighbours, cells: str = "2x2"
) -> ProgramCase:
    # Attacks add thousands of runs to what is enumerated whole.
    exactly = (Detector.CHANNEL, Detector.TRANSCRIPT, Detector.COMPOSITION)
    claim = f"rho={zcdp_rho(epsilon, DELTA)}"
    return ProgramCase(name, program, claim, neighbours, cells, 1, detectors=exactly)


# At a large epsilon one record stands out of the noise, so that its values are kept.
TREE = _case("MST", Mst(LARGE, DELTA, 2, slack=0), LARGE, AddRemove())
ROOT = _case("MST, one attribute", Mst(SMALL, DELTA, 2, slack=2), SMALL, ReplaceOne(), "2")
ONE_ROUND = Aim(SMALL, DELTA, rounds=3, steps=2, last_steps=2, slack=0)
ADAPTIVE = _case("AIM", ONE_ROUND, SMALL, AddRemove())
ADAPTIVE_REPLACED = _case("AIM, n public", ONE_ROUND, SMALL, ReplaceOne())
TWO_ROUNDS = MwemPgm(SMALL, DELTA, degree=1, rounds=2, steps=2, slack=0)
WEIGHTS = _case("MWEM+PGM", TWO_ROUNDS, SMALL, ReplaceOne())
ONE_WAY = NistMst(SMALL, DELTA, exempt=("cell",), steps=2, slack=2)
LISTED = _case("NIST-MST", ONE_WAY, SMALL, ReplaceOne(), "2")


def another_unbooked(curator: Curator, event: Event) -> NDArray[np.int64]:
    """The question, asked once more than the program knows of."""
    ask(curator, event)
    return ask(curator, event)


LIARS = (
    program_liar(
        ROOT,
        BugClass.SELECTION,
        "tree as if records came or went",
        "the noise of add-remove under replace-one",
        every(Measure),
        quieter(HALF),
    ),
    program_liar(
        ROOT,
        BugClass.SELECTION,
        "one-way marginals measured again",
        "what selects is measured anew for the release, and not booked",
        at(0),
        another_unbooked,
    ),
    program_liar(
        TREE,
        BugClass.SELECTION,
        "values merged by true counts",
        "a one-way marginal is compressed without noise",
        at(0),
        unnoised,
    ),
    program_liar(
        ADAPTIVE,
        BugClass.SELECTION,
        "marginal chosen by the true error",
        "the candidate of the largest true score, without noise",
        every(Select),
        best_in_truth,
    ),
    program_liar(
        ADAPTIVE_REPLACED,
        BugClass.SELECTION,
        "rounds as if records came or went",
        "the noise of add-remove under replace-one",
        every(Measure),
        quieter(HALF),
    ),
    program_liar(
        ADAPTIVE,
        BugClass.SELECTION,
        "annealing not booked",
        "the noise is halved at the price of the round before",
        at(3),
        quieter(Fraction(1, 4)),
    ),
    program_liar(
        WEIGHTS,
        BugClass.SELECTION,
        "rounds of the whole budget",
        "a round measures at the price of two",
        every(Measure),
        quieter(HALF),
    ),
    program_liar(
        WEIGHTS,
        BugClass.SELECTION,
        "worst query by the data",
        "the last round measures what is worst in the data",
        at(2),
        best_in_truth,
    ),
    program_liar(
        LISTED,
        BugClass.SELECTION,
        "weights that are not normalised",
        "each one-way marginal has the noise of a single one",
        every(Measure),
        quieter(HALF),
    ),
    program_liar(
        LISTED,
        BugClass.SELECTION,
        "a marginal more than the list",
        "the scale counts one marginal, two are measured",
        at(0),
        another_unbooked,
    ),
)
