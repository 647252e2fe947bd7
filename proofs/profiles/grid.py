"""Dominating pairs on a lattice: masses that bound a loss from below and from above.

A pair without a sampled part is told wholly by the P-masses m of its losses l, for
δ(ε) = Σ m·(1 - e^(ε-l))₊, and the profile of a product is the sum over the other pairs of one
pair's profile at ε minus their losses. So a list of masses on the lattice ``anchor`` + step·Z may
stand for a pair, on one side of every product, if its own δ(ε) is on that side at every real ε:

- *equal* where the losses lie on the lattice, as those of the discrete laws do where the step
  divides their spacing: no rounding at all;
- *below*, if masses are left out; if a loss moves down; or if events of masses p and q under P and
  Q become one, of the loss ln(p/q), as (p - γq)₊ <= Σ (pᵢ - γqᵢ)₊;
- *above*, if masses are added; if a loss moves up or to infinity; or if an event is parted into
  two whose p and q sum to its own, by the same inequality ("connect the dots": Doroshenko, Ghazi,
  Kamath, Kumar & Manurangsi 2022).

An atom of mass p at the share f of the way from x to x + h (h the step) is parted into
p·(1-e^(-fh))/(1-e^(-h)) above and the rest below. As sinh(fy) <= f·sinh(y), these are at most
p·f·e^((1-f)h/2) and p·(1-f)·e^(-fh/2), which is what is taken; together they exceed p by
about f(1-f)h²/8 of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from proofs.errors import ProofError
from proofs.losses import DiscreteGaussianLoss, DiscreteLaplaceLoss, LaplaceLoss, Loss, ResponseLoss
from synthesizers.intervals import Interval, exp_interval, float_above, float_below

Reals = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ROUNDING = 2.0**-53
"""The relative error of one operation of doubles; numpy's exp and log err by at most 32 of it."""

TINY = 2.0**-1000
"""More than what any value loses to underflow."""

MAX_POINTS = 1 << 20
"""The points that one loss may take."""

MAX_EXPONENT = 2.0**30
"""The largest exponent for which the count of errors is meant."""

TAIL = 280
"""A discrete Gaussian is cut off where z² > ``TAIL`` times its variance."""

CUT = Fraction(1, 2**201)
"""At least e^(-``TAIL``/2)."""

FARTHEST = 1 << 50
"""The largest distance of a point from the anchor, in steps."""

HALF = Fraction(1, 2)
ONE = np.ones(1)


@dataclass(frozen=True, slots=True)
class Piece:
    """Masses ``factor``·``share``·e^``exponent`` at the points ``index`` of a lattice.

    An exponent x is right but for 4·ROUNDING·(|x| + 1), a share but for a relative 2·ROUNDING.
    """

    factor: Interval
    index: Integers
    exponent: Reals
    share: Reals


@dataclass(frozen=True, slots=True)
class Gridded:
    """A finite loss between two lists of masses on the lattice ``anchor`` + step·Z.

    Of its P-mass, at most ``lost`` is in neither; the upper end has it at infinity. Where that is
    0, the loss is bounded, and the anchor is its largest value.
    """

    anchor: Fraction
    lower: tuple[Piece, ...]
    upper: tuple[Piece, ...]
    lost: Fraction = Fraction(0)


def place_on_grid(loss: Loss, step: Fraction) -> Gridded | None:
    """A loss on a lattice of a ``step`` in (0, 1]; None for one that is always 0.

    A response's chance of an infinite loss is left out. Raises ProofError for Gaussian losses and
    where the loss takes more than `MAX_POINTS` points.

    Guarantee
    ---------
    For every ε the lower masses have a δ(ε) of at most the pair's, and the upper masses at
    least, as the docstring of the module says. Backed by
    ``tests/proofs/profiles/test_lattice.py::test_each_loss_lies_between_its_masses``.
    """
    match loss:
        case LaplaceLoss(epsilon):
            return _laplace(epsilon, step) if epsilon else None
        case ResponseLoss(epsilon):
            # The same masses as those of a discrete Laplace of shift 1.
            return _discrete_laplace(epsilon, 1, step) if epsilon else None
        case DiscreteLaplaceLoss(rate, shift):
            return _discrete_laplace(rate, shift, step) if shift else None
        case DiscreteGaussianLoss(variance, shift):
            return _discrete_gaussian(variance, shift, step) if shift else None
        case _:
            raise ProofError(f"the lattice method has no masses for a loss of kind {loss.name}")


def _laplace(epsilon: Fraction, step: Fraction) -> Gridded:
    """Atoms 1/2 at ε and e^(-ε)/2 at -ε; between them the P-density e^((l-ε)/2)/4.

    The stretch between is cut from the top into cells, in which P/Q is e to their middle. Below,
    they are two steps wide, and an atom at their middle each; above, one step, and the atom is
    parted to both ends. What is left at the bottom goes to -ε, and up to its upper end.
    """
    half, least = Interval(HALF, HALF), exp_interval(-epsilon)
    top, end = Piece(half, _point(0), np.zeros(1), ONE), half * least
    low, high = _atoms(end, np.zeros(1), 2 * epsilon, _point(-1), step)
    number, exponent, mass, rest = _cells(epsilon, 2 * step)
    lower = (Piece(mass, -2 * number - 1, exponent, ONE), replace(low[0], factor=rest))
    number, exponent, mass, rest = _cells(epsilon, step)
    part = 1 / (1 + exp_interval(-step / 2))
    upper = (
        Piece(mass * part, -number, exponent, ONE),
        Piece(mass * (1 - part), -number - 1, exponent, ONE),
        Piece(rest, _point(-len(number)), np.zeros(1), ONE),
    )
    return Gridded(epsilon, (top, *lower, *low), (top, *upper, *high))


def _cells(epsilon: Fraction, width: Fraction) -> tuple[Integers, Reals, Interval, Interval]:
    """Cells from ε down to -ε: their numbers, exponents and factor of the masses, what is left."""
    count = _require_few(2 * epsilon // width)
    number = np.arange(count, dtype=np.int64)
    exponent = -float(width / 2) * number.astype(np.float64)
    mass = HALF * (1 - exp_interval(-width / 2))
    return (
        number,
        exponent,
        mass,
        HALF * (exp_interval(-count * width / 2) - exp_interval(-epsilon)),
    )


def _discrete_laplace(rate: Fraction, shift: int, step: Fraction) -> Gridded:
    """Losses rate·(shift - 2n) for n = 0 … shift, of masses ∝ e^(-rate·n); the ends hold tails."""
    shrunk = exp_interval(-rate)
    end = 1 / (1 + shrunk)
    number = np.arange(_require_few(shift) + 1, dtype=np.int64)
    exponent = -float(rate) * number.astype(np.float64)
    lower: list[Piece] = []
    upper: list[Piece] = []
    for factor, part in (
        (end, slice(0, 1)),
        (end * (1 - shrunk), slice(1, shift)),
        (end, slice(shift, shift + 1)),
    ):
        low, high = _atoms(factor, exponent[part], 2 * rate, -number[part], step)
        lower += low
        upper += high
    return Gridded(rate * shift, tuple(lower), tuple(upper))


def _discrete_gaussian(variance: Fraction, shift: int, step: Fraction) -> Gridded:
    """Losses (2z - shift)·shift/(2·variance), at z = shift + n, of masses ∝ e^(-n²/(2·variance)).

    With θ the sum of these over all n, those with |n| > R sum to at most e^(-R²/(2·variance))·θ,
    for (R+j)² >= R² + j² and so Σ e^(-(R+j)²/(2·variance)) <= e^(-R²/(2·variance))·Σ e^(-j²/…),
    j >= 1.
    """
    reach = math.isqrt(math.ceil(TAIL * variance)) + 1
    number = np.arange(_require_few(2 * reach + 1), dtype=np.int64) - reach
    exponent = -float(1 / (2 * variance)) * (number * number).astype(np.float64)
    low, high = exp_bounds(exponent, np.abs(exponent))
    total = Interval(
        Fraction(math.fsum(low.tolist())) * (1 - Fraction(1, 2**52)),
        Fraction(math.fsum(high.tolist())) * (1 + Fraction(1, 2**52)) / (1 - CUT),
    )
    lower, upper = _atoms(1 / total, exponent, Fraction(shift) / variance, number, step)
    return Gridded(Fraction(shift * shift) / (2 * variance), lower, upper, CUT)


def _atoms(
    factor: Interval, exponent: Reals, spacing: Fraction, number: Integers, step: Fraction
) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Atoms at ``number``·``spacing`` from the anchor: moved down, and parted."""
    index, above, below = _place(spacing / step, number)
    lower = Piece(factor, index, exponent, ONE)
    if not above.any():
        return (lower,), (lower,)
    half = float(step) / 2
    return (lower,), (
        Piece(factor, index, exponent - half * above, below),
        Piece(factor, index + 1, exponent + half * below, above),
    )


def _place(scale: Fraction, number: Integers) -> tuple[Integers, Reals, Reals]:
    """``scale``·``number`` rounded down, and the shares of the way from there and to the next."""
    if len(number) and scale * max(abs(int(n)) for n in number[[0, -1]]) > FARTHEST:
        raise ProofError("the lattice method needs a larger step for these losses")
    top, bottom = scale.numerator, scale.denominator
    if bottom == 1:
        return number * top, np.zeros(len(number)), np.ones(len(number))
    size = len(number)
    members = number.tolist()
    index = np.fromiter((top * n // bottom for n in members), np.int64, size)
    above = np.fromiter((top * n % bottom / bottom for n in members), np.float64, size)
    below = np.fromiter((-top * n % bottom / bottom or 1.0 for n in members), np.float64, size)
    return index, above, below


def exp_bounds(exponent: Reals, size: Reals) -> tuple[Reals, Reals]:
    """Doubles below and above e^x for every x within 8·ROUNDING·(``size`` + 1) of ``exponent``.

    They leave room for eight more operations. Raises ProofError where a ``size`` is beyond
    `MAX_EXPONENT`.
    """
    if not np.all(size <= MAX_EXPONENT):
        raise ProofError("the lattice method needs a smaller order or smaller losses")
    with np.errstate(over="ignore", under="ignore"):
        value = np.exp(exponent)
        slack = ROUNDING * (50 + 9 * size)
        return np.maximum(value * (1 - slack) - TINY, 0.0), value * (1 + slack) + TINY


def bounds(piece: Piece, tilt: float, constant: float) -> tuple[Reals, Reals]:
    """Doubles below and above the masses of a piece, times e^(x·index - constant).

    ``tilt``: x, right but for a relative ROUNDING. ``constant``: exact.
    """
    move = tilt * piece.index.astype(np.float64)
    size = np.abs(piece.exponent) + np.abs(move) + abs(constant)
    low, high = exp_bounds(piece.exponent + move - constant, size)
    factor = piece.factor
    lower = max(float_below(factor.lower), 0.0) * piece.share
    return lower * low, max(float_above(factor.upper), 0.0) * piece.share * high


def _require_few(points: int) -> int:
    if points > MAX_POINTS:
        raise ProofError(
            f"the lattice method takes at most {MAX_POINTS} points for one loss; use a larger step"
        )
    return points


def _point(value: int) -> Integers:
    return np.full(1, value, dtype=np.int64)
