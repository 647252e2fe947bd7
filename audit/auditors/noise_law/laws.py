"""Declared laws of additive noise: their chances, told so well that a test can rest on them.

A law is written as in accounting expressions (`proofs.ledger.expressions`), ``laplace(scale=1)`` or
``discrete_gaussian(sigma=2)``, with three more: ``rounded_laplace``, ``rounded_gaussian`` (a
continuous draw, rounded to the nearest integer) and ``uniform(low=-1, high=1)``.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

from proofs.ledger.expressions import PARAMETERS, WITH_SENSITIVITY
from synthesizers.errors import InputError
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, Noise, RoundedLaplace
from synthesizers.numerals import number_text, rational

FloatArray = NDArray[np.float64]

MARGIN = 1e-6
"""Relative error that a chance may have (no test of fewer than 10^11
draws can see it). Doubles err by some 1e-14; a discrete Gaussian of sigma above `SUMMED` by less
than 1e-6 as far as 20 sigma: see `IntegerGaussian`."""

SUMMED = 5000.0
"""Up to this sigma a discrete Gaussian is summed term by term."""


class NoiseLaw(Protocol):
    """A law of noise on the real line.

    ``text``: as it is declared. ``discrete``: on the integers; otherwise it has a density.
    ``centre``: of its symmetry. ``parameter``, ``scale``: its scale, by its own name.
    """

    @property
    def text(self) -> str:
        """As it is declared."""

    @property
    def discrete(self) -> bool:
        """Whether it lives on the integers."""

    @property
    def centre(self) -> float:
        """Its centre of symmetry."""

    @property
    def parameter(self) -> str:
        """The name of its scale."""

    @property
    def scale(self) -> float:
        """Its scale."""

    @property
    def peak(self) -> float:
        """The largest density, or the largest chance of an integer."""

    @property
    def peak_by_size(self) -> float:
        """The largest of |z| times the density at z; 0 for a discrete law."""

    def above(self, q: ArrayLike) -> FloatArray:
        """P[Z > q], right up to the relative error MARGIN where q is at least the centre."""

    def rescale(self, factor: float) -> NoiseLaw:
        """The law of the same family whose scale is ``factor`` times as large."""

    def window(self, shift: float) -> tuple[float, float]:
        """Where outputs of two values, 0 and ``shift``, are compared, ends included."""

    def loss(self, shift: float, step: float) -> float:
        """Of noise added to 0 and to ``shift``, the largest |log ratio| within `window`.

        Either value, and the output, may have been rounded by up to ``step``.
        """


def upto(law: NoiseLaw, q: ArrayLike) -> FloatArray:
    """P[Z <= q], right up to the relative error MARGIN where q is below the centre."""
    places = np.asarray(q, np.float64)
    # By symmetry P[Z <= q] = P[Z >= 2·centre - q].
    mirrored = 2 * law.centre - places
    return law.above(np.ceil(mirrored) - 1 if law.discrete else mirrored)


@dataclass(frozen=True)
class Laplace:
    """Density exp(-|z|/scale) / (2·scale)."""

    scale: float
    text: str = ""
    discrete = False
    centre = 0.0
    parameter = "scale"

    @property
    def peak(self) -> float:
        """The density at 0."""
        return 1 / (2 * self.scale)

    @property
    def peak_by_size(self) -> float:
        """At z = scale."""
        return math.exp(-1) / 2

    def above(self, q: ArrayLike) -> FloatArray:
        """P[Z > q]."""
        places = np.asarray(q, np.float64) / self.scale
        half = np.exp(-abs(places)) / 2
        return np.where(places >= 0, half, 1 - half)

    def rescale(self, factor: float) -> Laplace:
        """Of another scale."""
        return Laplace(self.scale * factor)

    def window(self, shift: float) -> tuple[float, float]:
        """Everywhere: the loss has a limit."""
        return -math.inf, math.inf

    def loss(self, shift: float, step: float) -> float:
        """|shift|/scale (Dwork et al. 2006); rounding the output is post-processing."""
        return (abs(shift) + 2 * step) / self.scale


@dataclass(frozen=True)
class Gaussian:
    """The normal law of mean 0 and standard deviation ``scale``."""

    scale: float
    text: str = ""
    discrete = False
    centre = 0.0
    parameter = "sigma"

    @property
    def peak(self) -> float:
        """The density at 0."""
        return 1 / (self.scale * math.sqrt(2 * math.pi))

    @property
    def peak_by_size(self) -> float:
        """At z = sigma."""
        return math.exp(-0.5) / math.sqrt(2 * math.pi)

    def above(self, q: ArrayLike) -> FloatArray:
        """P[Z > q]."""
        return np.asarray(ndtr(-np.asarray(q, np.float64) / self.scale))

    def rescale(self, factor: float) -> Gaussian:
        """Of another scale."""
        return Gaussian(self.scale * factor)

    def window(self, shift: float) -> tuple[float, float]:
        """Up to one sigma beyond either value: the loss grows without end."""
        return min(0.0, shift) - self.scale, max(0.0, shift) + self.scale

    def loss(self, shift: float, step: float) -> float:
        """|shift|·|x - middle|/sigma², at the window's end."""
        reach = abs(shift) / 2 + self.scale
        return (abs(shift) + 2 * step) * (reach + 2 * step) / self.scale**2


@dataclass(frozen=True)
class Uniform:
    """Uniform on ``low … high``; its scale is the width."""

    low: float
    high: float
    text: str = ""
    discrete = False
    parameter = "width"

    @property
    def centre(self) -> float:
        """The middle."""
        return (self.low + self.high) / 2

    @property
    def scale(self) -> float:
        """The width."""
        return self.high - self.low

    @property
    def peak(self) -> float:
        """The density."""
        return 1 / self.scale

    @property
    def peak_by_size(self) -> float:
        """At the end that is farther from 0."""
        return max(abs(self.low), abs(self.high)) / self.scale

    def above(self, q: ArrayLike) -> FloatArray:
        """P[Z > q]."""
        return np.clip((self.high - np.asarray(q, np.float64)) / self.scale, 0, 1)

    def rescale(self, factor: float) -> Uniform:
        """Of another width about the same middle."""
        half = self.scale * factor / 2
        return Uniform(self.centre - half, self.centre + half)

    def window(self, shift: float) -> tuple[float, float]:
        """Where both densities are positive; with nothing there, an empty window."""
        edge = 1e-3 * self.scale
        return self.low + max(0.0, shift) + edge, self.high + min(0.0, shift) - edge

    def loss(self, shift: float, step: float) -> float:
        """No loss within the window; rounding by more than its edge could reach outside."""
        return 0.0 if 2 * step < 1e-3 * self.scale else math.inf


@dataclass(frozen=True)
class _Integers(ABC):
    """What laws on the integers, symmetric about 0, share."""

    scale: float
    text: str = ""
    discrete = True
    centre = 0.0
    peak_by_size = 0.0

    @abstractmethod
    def tail(self, least: FloatArray) -> FloatArray:
        """P[Z >= least] for integers of at least 1."""

    @property
    def peak(self) -> float:
        """P[Z = 0]."""
        return 1 - 2 * float(self.tail(np.array([1.0]))[0])

    def above(self, q: ArrayLike) -> FloatArray:
        """P[Z > q]."""
        least = np.floor(np.asarray(q, np.float64)) + 1
        right = self.tail(np.maximum(least, 1.0))
        return np.where(least >= 1, right, 1 - self.tail(np.maximum(1 - least, 1.0)))


@dataclass(frozen=True)
class IntegerLaplace(_Integers):
    """P[z] ∝ exp(-|z|/scale) on the integers."""

    parameter = "scale"

    def tail(self, least: FloatArray) -> FloatArray:
        """a^least / (1 + a) with a = exp(-1/scale)."""
        return np.exp(-least / self.scale) / (1 + math.exp(-1 / self.scale))

    def rescale(self, factor: float) -> IntegerLaplace:
        """Of another scale."""
        return IntegerLaplace(self.scale * factor)

    def window(self, shift: float) -> tuple[float, float]:
        """Everywhere."""
        return Laplace(self.scale).window(shift)

    def loss(self, shift: float, step: float) -> float:
        """|shift|/scale (Ghosh et al. 2009)."""
        return abs(shift) / self.scale


@dataclass(frozen=True)
class IntegerGaussian(_Integers):
    """P[z] ∝ exp(-z²/(2·scale²)) on the integers.

    Guarantee
    ---------
    ``tail`` within the relative error MARGIN, as far as 20 sigma. Up to `SUMMED` it is summed to
    40 sigma, beyond which less than e^-800 is left out. Above, each term is the normal density's
    integral over its unit interval but for max|f''|/24, so that the tail from t differs by
    t²/(24·sigma⁴) of itself. Backed by ``tests/audit/auditors/noise_law/test_noise_laws.py``.
    """

    parameter = "sigma"

    @cached_property
    def _tails(self) -> FloatArray:
        places = np.arange(1, math.ceil(40 * self.scale) + 2, dtype=np.float64)
        # Smallest terms first, so that none is lost.
        sums = np.cumsum(np.exp(-((places / self.scale) ** 2) / 2)[::-1])[::-1]
        return np.append(sums / (1 + 2 * sums[0]), 0.0)

    def tail(self, least: FloatArray) -> FloatArray:
        """By the sum or, where sigma is large, by the normal law."""
        if self.scale > SUMMED:
            return np.asarray(ndtr((0.5 - least) / self.scale))
        return self._tails[np.minimum(least, len(self._tails)).astype(np.int64) - 1]

    def rescale(self, factor: float) -> IntegerGaussian:
        """Of another sigma."""
        return IntegerGaussian(self.scale * factor)

    def window(self, shift: float) -> tuple[float, float]:
        """As of the continuous law."""
        return Gaussian(self.scale).window(shift)

    def loss(self, shift: float, step: float) -> float:
        """As of the continuous law: the normalisers are equal."""
        return Gaussian(self.scale).loss(shift, 0.0)


@dataclass(frozen=True)
class Rounded(_Integers):
    """A continuous law of scale 1, scaled and rounded to the nearest integer."""

    base: Laplace | Gaussian = Laplace(1.0)

    @property
    def parameter(self) -> str:
        """Of the continuous law."""
        return self.base.parameter

    @property
    def _continuous(self) -> Laplace | Gaussian:
        return self.base.rescale(self.scale)

    def tail(self, least: FloatArray) -> FloatArray:
        """Of the continuous law from half a step earlier."""
        return self._continuous.above(least - 0.5)

    def rescale(self, factor: float) -> Rounded:
        """Of another scale."""
        return Rounded(self.scale * factor, base=self.base)

    def window(self, shift: float) -> tuple[float, float]:
        """As of the continuous law."""
        return self._continuous.window(shift)

    def loss(self, shift: float, step: float) -> float:
        """As of the continuous law, whose output lies half a step around the integer."""
        return self._continuous.loss(shift, 0.25 if isinstance(self.base, Gaussian) else 0.0)


LAWS: Mapping[str, tuple[frozenset[str], ...]] = {
    **{name: PARAMETERS[name] for name in sorted(WITH_SENSITIVITY)},
    "rounded_laplace": PARAMETERS["laplace"],
    "rounded_gaussian": PARAMETERS["gaussian"],
    "uniform": (frozenset({"low", "high"}),),
}
"""The laws that can be declared, with the parameters of each, one alternative of them a law."""

_FORM = re.compile(r"\s*([A-Za-z][A-Za-z_-]*)\s*\(([^()]*)\)\s*")


def declared_law(declared: str | Noise | NoiseLaw) -> NoiseLaw:
    """The law of a text such as ``laplace(scale=1)``, or of one of our own `Noise` classes.

    ``epsilon`` and ``mu`` are those of a query of the given ``sensitivity`` (1 if it is left out),
    so that a Laplace scale is sensitivity/epsilon. Raises InputError for anything else.
    """
    match declared:
        case str():
            return _parse(declared)
        case DiscreteLaplace(scale=scale):
            return _parse(f"discrete_laplace(scale={scale})")
        case RoundedLaplace(scale=scale):
            return _parse(f"rounded_laplace(scale={scale})")
        case DiscreteGaussian(variance=variance):
            return _parse(f"discrete_gaussian(sigma_squared={variance})")
    if not isinstance(declared, Laplace | Gaussian | Uniform | _Integers):
        raise InputError(
            f"expected a declared law as a text such as laplace(scale=1), or a Noise of "
            f"synthesizers.noise; found {type(declared).__name__}"
        )
    return declared


def _parse(text: str) -> NoiseLaw:
    found = _FORM.fullmatch(text)
    name = "" if found is None else found[1].replace("-", "_")
    if found is None or name not in LAWS:
        raise InputError(
            f"expected a declared law such as laplace(scale=1), one of {', '.join(LAWS)}; "
            f"found {text[:60]!r}"
        )
    given: dict[str, Fraction] = {}
    for part in filter(None, (part.strip() for part in found[2].split(","))):
        key, _, number = (piece.strip() for piece in part.partition("="))
        value = rational(number)
        if value is None or key in given:
            raise InputError(
                f"{name} needs each parameter once as name=number, such as scale=1/2; found "
                f"{part[:60]!r}"
            )
        given[key] = value
    sensitivity = given.pop("sensitivity", Fraction(1)) if name != "uniform" else Fraction(1)
    if given.keys() not in LAWS[name]:
        forms = " or ".join(", ".join(sorted(form)) for form in LAWS[name])
        raise InputError(f"{name} takes {forms}; found {', '.join(sorted(given)) or 'nothing'}")
    spelled = ", ".join(f"{key}={number_text(value)}" for key, value in given.items())
    if sensitivity != 1:
        spelled += f", sensitivity={number_text(sensitivity)}"
    return _law(name, given, sensitivity, f"{name}({spelled})")


LARGEST = Fraction(10**50)
"""The largest parameter of a law, and one over the smallest (no noise is
as wide, and squares of scales are doubles)."""


def _law(name: str, given: Mapping[str, Fraction], sensitivity: Fraction, text: str) -> NoiseLaw:
    sizes = [*given.values(), sensitivity]
    if name == "uniform":
        sizes = [abs(value) for value in (*given.values(), given["high"] - given["low"]) if value]
    if any(value > LARGEST or 0 < value < 1 / LARGEST for value in sizes):
        raise InputError(f"the parameters of {name} lie between 1e-50 and 1e50")
    if name == "uniform":
        low, high = given["low"], given["high"]
        if not low < high:
            raise InputError(f"uniform needs low below high, found {text}")
        return Uniform(float(low), float(high), text)
    if sensitivity <= 0 or any(value <= 0 for value in given.values()):
        raise InputError(f"the parameters of {name} lie above 0, found {text}")
    match dict(given):
        case {"epsilon": value} | {"mu": value}:
            scale = float(sensitivity / value)
        case {"sigma_squared": value}:
            scale = math.sqrt(value)
        case {"scale": value} | {"sigma": value}:
            scale = float(value)
    match name:
        case "laplace":
            return Laplace(scale, text)
        case "gaussian":
            return Gaussian(scale, text)
        case "discrete_laplace":
            return IntegerLaplace(scale, text)
        case "discrete_gaussian":
            return IntegerGaussian(scale, text)
        case "rounded_laplace":
            return Rounded(scale, text, Laplace(1.0))
        case _:
            return Rounded(scale, text, Gaussian(1.0))
