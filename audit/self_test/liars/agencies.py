"""Methods of statistical agencies, released under a claim that they cannot keep."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.self_test.altered import Instead, ask, at
from audit.self_test.case import BugClass, Liar
from audit.self_test.instead import look
from audit.self_test.program_cases import ProgramCase, program_liar
from synthesizers.curator import Curator
from synthesizers.events import Event, Sanitize
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.one_law import OneLaw

IntArray = NDArray[np.int64]

HISTOGRAM = ProgramCase(
    "geometric sanitizer of a square",
    GeometricSanitizer(Fraction(1), rescale=False),
    "epsilon=1",
    ReplaceOne(),
    "2x2",
    2,
)
# ln(1/2 / 1/4) = ln 2 for a value that stays with chance 1/2 or becomes one of two others.
PRAM = ProgramCase("PRAM", build("pram", {"retain": "1/2"}), "epsilon=0.7", ReplaceOne(), "3", 2)

# The largest distances of two rows of these channels: 1 - 8/27, and 1 - 4/9.
BOOTSTRAP = ProgramCase(
    "bootstrap", build("bootstrap", {}), "epsilon=0, delta=19/27", ReplaceOne(), "2", 3
)
ROUNDED = ProgramCase(
    "random rounding",
    build("random-round", {"base": "3"}),
    "epsilon=0, delta=5/9",
    ReplaceOne(),
    "2",
    3,
)
COARSE = ProgramCase(
    "coarsened to one cell",
    build("coarsen", {"groups": "0,0,0,0"}),
    "epsilon=0",
    ReplaceOne(),
    "4",
    2,
)


@dataclass(frozen=True)
class LawOf:
    """What a built-in program of one law asks."""

    program: OneLaw

    def __call__(self, curator: Curator, event: Event) -> IntArray:
        """Its answer."""
        return ask(curator, Sanitize(self.program.law(curator.setting)))


def _law_of(name: str, values: dict[str, str]) -> LawOf:
    program = build(name, values)
    assert isinstance(program, OneLaw)
    return LawOf(program)


def _counts(curator: Curator, event: Event) -> IntArray:
    """The table as it is."""
    return look(curator)


def _liar(honest: ProgramCase, name: str, bug: str, instead: Instead) -> Liar:
    return program_liar(honest, BugClass.SANITIZER, name, bug, at(0), instead)


LIARS = (
    _liar(
        PRAM,
        "too seldom changed",
        "values stay with chance 4/5",
        _law_of("pram", {"retain": "4/5"}),
    ),
    _liar(BOOTSTRAP, "no bootstrap", "the records themselves", _counts),
    _liar(ROUNDED, "not rounded", "counts as they are", _counts),
    _liar(
        COARSE,
        "two groups for one",
        "coarsened to two groups, claimed as one",
        _law_of("coarsen", {"groups": "0,0,1,1"}),
    ),
    _liar(
        HISTOGRAM,
        "suppression as privacy",
        "small counts suppressed in place of noise",
        _law_of("suppress", {"threshold": "2"}),
    ),
    _liar(
        HISTOGRAM,
        "swapping as privacy",
        "records swapped in place of noise",
        _law_of("swap", {"share": "1"}),
    ),
    _liar(
        HISTOGRAM,
        "k-anonymity as privacy",
        "groups of two in place of noise",
        _law_of("k-anonymity", {"k": "2"}),
    ),
    _liar(
        HISTOGRAM,
        "cell keys as privacy",
        "bounded perturbation in place of noise",
        _law_of("cell-key", {"deviation": "2", "variance": "1", "keys": "16"}),
    ),
)
