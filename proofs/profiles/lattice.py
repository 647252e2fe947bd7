"""The profile of any product of pairs without a Poisson sample, on a lattice of losses.

Each loss is put between masses on a lattice (`proofs.profiles.grid`), tilted: T_J is the mass of
the sum's point x_J = A + J·h, times e^(c·x_J) and a constant. With V_J = e^(-c(x_J - ε))·w(x_J - ε)
(`proofs.profiles.payoff`) the profile is e^(-cε)·Σ T_J·V_J over all integers J. A product of
discrete Fourier transforms of size N, each to the power of its count, gives instead the T_J folded:
summed over the J that are equal modulo N. Used over a window of N points, they differ from the
sum by what the points outside add or miss. As 0 <= V <= e^(μ²c(c+1)/2), both are at most the
latter times Σ T_J outside, which Chernoff's bound holds: the sum from J = B on is at most
Σ T_J·e^(t(J-B)h), a product over the losses, and likewise below.

Doubles are counted. Each coefficient of a transform by the algorithm of Cooley & Tukey is the
sum of the N inputs, each multiplied by log2(N) roots of one; every product and sum on the way adds
a relative rounding error to what passes it. So it errs by at most C·log2(N)·2^-53·Σ |input|. The
Euclidean norm of all errors is likewise at most C·log2(N)·2^-53 of that of the output (Higham 2002,
Theorem 24.2; Brisebarre, Joldeş, Muller, Naneş & Picot 2020). C = 16 is twice or thrice what their
arithmetic needs: an assumption on numpy's transforms, as that on its exp.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from proofs.errors import ProofError
from proofs.losses import AllocationLoss, FixedSizeLoss, GaussianLoss, Losses, Several, Side
from proofs.parameters import Positive, read_record
from proofs.profiles.allocated_grid import place_allocation
from proofs.profiles.fixed_size_grid import place_fixed_size
from proofs.profiles.fourier import FOURIER, ROOM, Spectrum, norm, to_power
from proofs.profiles.grid import (
    ROUNDING,
    TINY,
    Gridded,
    Integers,
    Piece,
    Reals,
    bounds,
    place_on_grid,
)
from proofs.profiles.method import Hint
from proofs.profiles.payoff import payoff
from proofs.profiles.responses import infinite_mass
from synthesizers.errors import TooLargeError
from synthesizers.intervals import Interval, exp_interval, log_interval

MAX_SIZE = 1 << 21
"""The largest N: some 450 MB."""

MAX_WORK = 1 << 25
"""The largest product of N and the number of different losses."""

MAX_COUNT = 1 << 32
"""The largest number of losses in all."""

MAX_BITS = 256
"""Bits of the numerator and of the denominator of a number in a hint."""

LEAST_LOG = -(1 << 16)
"""The logarithm of the least chance that is looked at by itself."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a hint chooses: h, c, N, where the window begins, and the t of the tails."""

    step: Positive
    order: Positive
    size: Several
    start: Fraction
    below: Positive
    above: Positive


def delta(losses: Losses, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of any losses but Gaussians on Poisson samples, on one side.

    ``hint``: the ``step`` h <= 1 of the lattice, the ``order`` c, the ``size`` N, a power of two;
    ``start``, a loss near which the window of N points begins; ``below`` and ``above``, the
    orders t at which the tails outside are bounded.

    Guarantee
    ---------
    δ lies inside, whatever the hint, if numpy's exp, log and transforms err as stated. Backed by
    convolutions in fractions, closed forms and hostile hints in
    ``tests/proofs/profiles/test_lattice.py``.
    """
    plan = _plan(hint, losses)
    if not 0 <= epsilon <= MAX_COUNT:
        raise ProofError("the lattice method needs 0 <= epsilon <= 2^32")
    try:
        low, high = _finite(losses, side, epsilon, plan)
    except (TooLargeError, OverflowError):
        raise ProofError("the lattice method needs a hint or losses of usual size") from None
    lower = min(max(low, Fraction(0)), Fraction(1))
    upper = max(min(high, Fraction(1)), lower)
    # Where some loss is infinite, with all of that chance, the profile is 1.
    return 1 - (1 - infinite_mass(losses)) * (1 - Interval(lower, upper))


def _plan(hint: Hint, losses: Losses) -> Plan:
    plan = read_record(Plan, hint, "the method lattice")
    for value in (plan.step, plan.order, plan.below, plan.above, plan.start):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
            raise ProofError("the lattice method needs fewer digits in its hint")
    size, counted = plan.size, sum(count for count, _ in losses)
    if size & (size - 1) or size > MAX_SIZE or size * len(losses) > MAX_WORK:
        raise ProofError(
            f"the lattice method needs a power of two up to {MAX_SIZE} as its size, "
            "and a smaller one for many losses"
        )
    if plan.step > 1 or counted > MAX_COUNT:
        raise ProofError("the lattice method needs a step of at most 1, and fewer losses")
    return plan


def _finite(losses: Losses, side: Side, epsilon: Fraction, plan: Plan) -> tuple[Fraction, Fraction]:
    """Numbers below and above the profile of the losses, given that all are finite."""
    mu_squared, anchor, lost, top = Fraction(0), Fraction(0), Fraction(0), Fraction(0)
    power = -plan.order * epsilon
    lower, upper = _nothing(plan), _nothing(plan)
    for count, loss in losses:
        if isinstance(loss, GaussianLoss):
            mu_squared += count * loss.mu_squared
            continue
        found: Gridded | None
        if isinstance(loss, AllocationLoss):
            found = place_allocation(loss, side, plan.step, plan.order, count, plan.size)
        elif isinstance(loss, FixedSizeLoss):
            found = place_fixed_size(loss, plan.step, plan.order, max(count, 1))
        else:
            found = place_on_grid(loss, plan.step)
        if found is None or count == 0:
            continue
        constant = _log_sum(found.upper, plan)
        index, _, masses = _tilt(found.upper, plan, constant)
        upper = upper.times(count, index, masses, 1)
        index, masses, _ = _tilt(found.lower, plan, constant)
        lower = lower.times(count, index, masses, -1)
        power += count * (Fraction(constant) + plan.order * found.anchor)
        anchor += count * found.anchor
        lost += count * found.lost
        if not found.lost:
            top += count * log_interval(found.lower[0].factor.lower).lower
    # Bounded losses have their largest value as anchor.
    if epsilon >= anchor and not mu_squared and not lost:
        return Fraction(0), Fraction(0)
    first = math.ceil((plan.start - anchor) / plan.step)
    start = anchor + first * plan.step - epsilon
    weights = payoff(start, plan.step, plan.size, plan.order, mu_squared)
    most = exp_interval(mu_squared * plan.order * (plan.order + 1) / 2).upper
    from_below = most if mu_squared else _from_below(start, plan)
    scale = exp_interval(power)
    ends = []
    for law in (lower, upper):
        value, error = law.expectation(first, *weights)
        above, below = law.outside(first)
        ends.append((value, error + above * most + below * from_below))
    (low, less), (high, more) = ends
    least = scale.lower * (low - less)
    if not mu_squared and not lost and top > LEAST_LOG:
        # All bounded losses are at their largest values, their first atoms, at once.
        least = max(least, exp_interval(top).lower * (1 - exp_interval(epsilon - anchor).upper))
    return least, scale.upper * (high + more) + lost


def _from_below(start: Fraction, plan: Plan) -> Fraction:
    """The most that points below the window add or miss, for each of Σ T_J·e^(-t(J-first)h).

    Without Gaussian losses V is 0 up to ε, and V_J <= e^(-c(x_J - ε)). So where the window begins
    at ε or below, none is missed; and those m·N below their place in it add at most, for t <= c,
    e^(-c(x_first - ε))·Σ T_J·e^(-t(J + mN - first)h), summed over m >= 1.
    """
    far = exp_interval(-plan.below * plan.size * plan.step).upper
    if start > plan.step or plan.below > plan.order or far == 1:
        return Fraction(1)
    return min(exp_interval(-plan.order * start).upper * far / (1 - far), Fraction(1))


@dataclass(frozen=True, slots=True)
class _Law:
    """The tilted masses of a sum of losses: their transform, folded modulo N, and their tails.

    With F the factors' transforms as computed and η their errors, ``log_size`` is Σ k·ln(|F| + η)
    and ``relative`` is Σ k·η/(|F| + η) with the rounding of the powers; their product e^log_size·
    relative is at least the error of Π F^k, by the mean value theorem. ``above`` and ``below`` are
    ln Σ T_J·e^(tJh) at the plan's t and -t, of ``count`` losses; ``moved`` sums their sizes.
    """

    plan: Plan
    spectrum: Spectrum
    log_size: Reals
    relative: Reals
    above: float = 0.0
    below: float = 0.0
    count: int = 0
    moved: float = 0.0

    def times(self, count: int, index: Integers, masses: Reals, direction: int) -> _Law:
        """With ``count`` more losses of some masses; they are folded upwards (1) or down (-1)."""
        plan = self.plan
        folded = _fold(index, masses, plan.size, direction)
        factor = np.fft.rfft(folded)
        error = ROOM * FOURIER * math.log2(plan.size) * float(np.sum(folded))
        near = np.abs(factor) + error
        above = count * _log_moment(index, masses, plan.above * plan.step)
        below = count * _log_moment(index, masses, -plan.below * plan.step)
        return _Law(
            plan,
            self.spectrum * to_power(factor, count),
            self.log_size + count * np.log(near),
            # A product of complex numbers errs by less than 4 roundings of its size.
            self.relative + count * (error / near + 4 * ROUNDING),
            self.above + above,
            self.below + below,
            self.count + count,
            self.moved + abs(above) + abs(below),
        )

    def expectation(self, first: int, weight: Reals, error: Reals) -> tuple[Fraction, Fraction]:
        """Σ T_J·V_J over J = first … first+N-1, T folded, and a bound of its error.

        ``weight``: the V_J, each right but for its ``error``.
        """
        size = self.plan.size
        masses = np.roll(np.fft.irfft(self.spectrum, size), -first % size)
        magnitude = ROOM * np.exp(self.log_size)
        # By Parseval's identity, from the half of the coefficients that there is; TINY is for
        # what is lost to underflow.
        own = FOURIER * math.log2(size) * norm(magnitude) + norm(magnitude * self.relative)
        every = math.sqrt(2 / size) * own + TINY * 2.0**100
        # 64 products at a time, each of one rounding, in doubles; their sums without error.
        blocks = (masses * weight).reshape(-1, min(64, size)).sum(axis=1)
        value = math.fsum(blocks.tolist())
        beside = error + 66 * ROUNDING * np.abs(weight)
        slack = every * norm(np.abs(weight) + error)
        slack += float(np.sum(np.abs(masses) * beside)) + ROUNDING * abs(value)
        if not (math.isfinite(value + slack) and np.max(magnitude) < 4):
            raise ProofError("the lattice method needs an order that fits the losses")
        return Fraction(value), Fraction(ROOM * slack)

    def outside(self, first: int) -> tuple[Fraction, Fraction]:
        """At least Σ T_J·e^(t(J-first-N)h) and Σ T_J·e^(-t(J-first)h), at the plan's orders t.

        They bound Σ T_J above and below the window. Each loss's logarithm errs by much less than
        1e-8 (see `_log_moment`).
        """
        plan = self.plan
        top = float(plan.above * plan.step * (first + plan.size))
        bottom = float(plan.below * plan.step * first)
        margin = 1e-8 * (1 + self.count) + 1e-9 * (self.moved + abs(top) + abs(bottom))
        powers = self.above - top + margin, self.below + bottom + margin
        if not max(powers) < 700:
            raise ProofError("the lattice method needs a window that holds the losses")
        above, below = (Fraction(ROOM * math.exp(power) + TINY) for power in powers)
        return above, below


def _nothing(plan: Plan) -> _Law:
    """All mass at the point 0."""
    half = plan.size // 2 + 1
    return _Law(plan, np.ones(half, dtype=np.complex128), np.zeros(half), np.zeros(half))


def _log_moment(index: Integers, masses: Reals, turn: Fraction) -> float:
    """ln Σ masses·e^(turn·index), of at most 2^22 masses, where no power is beyond the doubles'."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        total = float(np.sum(masses * np.exp(float(turn) * index)))
    # What underflows is less than 2^-1000 each, and an exponent less than 1100.
    if not 1e-200 < total < 1e200:
        raise ProofError("the lattice method needs smaller orders for the tails outside")
    return math.log(total)


def _tilt(pieces: tuple[Piece, ...], plan: Plan, constant: float) -> tuple[Integers, Reals, Reals]:
    """The points of some masses, and doubles below and above e^(c·index·h - constant)·mass."""
    tilt = float(plan.order * plan.step)
    ends = [bounds(piece, tilt, constant) for piece in pieces]
    index = np.concatenate([piece.index for piece in pieces])
    return index, np.concatenate([low for low, _ in ends]), np.concatenate([up for _, up in ends])


def _log_sum(pieces: tuple[Piece, ...], plan: Plan) -> float:
    """About ln of the sum of the tilted masses; any number would do."""
    tilt = float(plan.order * plan.step)
    top = max(float(np.max(p.exponent + tilt * p.index)) for p in pieces if len(p.index))
    total = float(np.sum(_tilt(pieces, plan, top)[2]))
    if not 0 < total < math.inf:
        raise ProofError("the lattice method needs a smaller order")
    return top + math.log(total)


def _fold(index: Integers, masses: Reals, size: int, direction: int) -> Reals:
    """The sums of ``masses`` with the same index modulo ``size``, rounded up (1) or down (-1)."""
    place = index % size
    most = int(np.max(np.bincount(place)))
    sums = np.bincount(place, weights=masses, minlength=size).astype(np.float64)
    return sums * (1 + direction * ROUNDING * (most + 2))
