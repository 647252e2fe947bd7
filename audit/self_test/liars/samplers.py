"""Noise that has another law than it is declared to have."""

from __future__ import annotations

from audit.auditors.noise_law import StatedMechanism, StatedNoise
from audit.self_test import noises
from audit.self_test.case import BugClass, Liar
from audit.self_test.function_cases import NoiseCase

_LAPLACE = "laplace(scale=1)"

LAPLACE = NoiseCase("Laplace sampler", StatedNoise("laplace", noises.laplace, _LAPLACE))
GAUSSIAN = NoiseCase(
    "Gaussian sampler", StatedNoise("gaussian", noises.gaussian, "gaussian(sigma=4)")
)
ROUNDED = NoiseCase(
    "noise on a lattice", StatedMechanism("rounded", noises.rounded_laplace, _LAPLACE)
)


def _liar(
    honest: NoiseCase, stated: StatedNoise | StatedMechanism, bug: str, quick: bool = False
) -> Liar:
    lying = NoiseCase(stated.name, stated)
    return Liar(stated.name, BugClass.NOISE, bug, honest, lying, quick)


LIARS = (
    _liar(
        LAPLACE,
        StatedNoise("deviation for scale", noises.laplace_by_deviation, _LAPLACE),
        "the standard deviation is what the scale should be",
        quick=True,
    ),
    _liar(
        LAPLACE,
        StatedNoise("default seed", noises.laplace_of_default_seed, _LAPLACE),
        "a generator with a seed of its own",
    ),
    _liar(
        LAPLACE,
        StatedNoise("few seeds", noises.laplace_of_few_seeds, _LAPLACE),
        "a seed of sixteen bits for each call",
    ),
    _liar(
        LAPLACE,
        StatedNoise("noise used twice", noises.laplace_reused, _LAPLACE),
        "every draw is given twice",
    ),
    _liar(
        LAPLACE,
        StatedNoise("tails cut off", noises.laplace_cut, _LAPLACE),
        "large draws are cut off",
    ),
    _liar(
        GAUSSIAN,
        StatedNoise("root of the deviation", noises.gaussian_of_root, "gaussian(sigma=4)"),
        "sqrt(sigma) as standard deviation",
    ),
    _liar(
        ROUNDED,
        StatedMechanism("noise in doubles", noises.laplace_in_doubles, _LAPLACE),
        "which doubles can come out depends on the value",
    ),
)
