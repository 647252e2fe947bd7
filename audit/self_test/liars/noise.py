"""Programs whose noise has another law than their claim needs."""

from __future__ import annotations

from fractions import Fraction

from audit.self_test.altered import Altered, Instead, at
from audit.self_test.case import BugClass, Liar
from audit.self_test.instead import quieter, unnoised, with_noise
from audit.self_test.program_cases import ProgramCase, program_liar
from audit.self_test.sketches import GaussianViews, Sparse
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteGaussian
from synthesizers.programs.geometric_sanitizer import GeometricSanitizer
from synthesizers.programs.laplace_sanitizer import LaplaceSanitizer

GEOMETRIC = ProgramCase(
    "geometric sanitizer", GeometricSanitizer(Fraction(1)), "epsilon=1", ReplaceOne(), "2", 3
)
LAPLACE = ProgramCase(
    "Laplace sanitizer", LaplaceSanitizer(Fraction(1, 2)), "epsilon=1/2", AddRemove(), "2", 2
)
LOUD = ProgramCase(
    "Gaussian count", GaussianViews(Fraction(1, 50)), "rho=1/50", AddRemove(), "1", 2
)
QUIET = ProgramCase(
    "quiet Gaussian count", GaussianViews(Fraction(2)), "rho=2", AddRemove(), "1", 2
)
COUNTS = ProgramCase("two counts", Sparse(Fraction(1), (0, 1)), "epsilon=1", AddRemove(), "3", 2)

CLASSICAL = DiscreteGaussian(Fraction(2422, 10_000) ** 2)
"""sqrt(2 ln(1.25/delta))/epsilon for epsilon = 20, delta = 1e-5, to four digits: the formula of
Dwork & Roth 2014 (Theorem A.1), which holds for epsilon < 1."""

ENOUGH = DiscreteGaussian(Fraction(1, 2))
"""More than the least for that claim, which the self-test shows."""

APPROXIMATE = ProgramCase(
    "Gaussian count at delta = 1e-5",
    Altered(GaussianViews(Fraction(1)), at(0), with_noise(ENOUGH)),
    "epsilon=20, delta=1e-5",
    AddRemove(),
    "1",
    2,
)


def _liar(honest: ProgramCase, name: str, bug: str, instead: Instead, quick: bool = False) -> Liar:
    return program_liar(honest, BugClass.NOISE, name, bug, at(0), instead, quick=quick)


LIARS = (
    _liar(
        APPROXIMATE,
        "classical sigma",
        "the sigma of a theorem for epsilon < 1, at epsilon 20",
        with_noise(CLASSICAL),
    ),
    _liar(
        LOUD,
        "square root of sigma",
        "sqrt(sigma) passed as the standard deviation",
        with_noise(DiscreteGaussian(Fraction(5))),
    ),
    _liar(
        QUIET,
        "rho without its root",
        "sigma = 1/(2 rho) in place of 1/sqrt(2 rho)",
        with_noise(DiscreteGaussian(Fraction(1, 16))),
    ),
    _liar(
        GEOMETRIC,
        "deviation as scale",
        "the standard deviation wanted, given as the scale",
        quieter(Fraction(7071, 10_000)),
        quick=True,
    ),
    _liar(
        LAPLACE,
        "inverted scale",
        "scale epsilon/L1 in place of L1/epsilon",
        quieter(Fraction(1, 4)),
    ),
    _liar(COUNTS, "debug path", "no noise where a switch says so", unnoised),
)
