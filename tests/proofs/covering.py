"""Whether a theorem's guarantee covers a small mechanism's exact divergences, whatever its kind.

Lists of losses are compared by a discretised privacy loss of their own: its cells are rounded
upwards, which can only make the losses look worse than they are.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve
from scipy.special import ndtr

from proofs.entries import (
    BoundedRangeLoss,
    ConcentratedLoss,
    Entries,
    Entry,
    NoiseLoss,
    RenyiCurve,
)
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import LossList, Private, Profile
from proofs.kernel import Theorem
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
    sides,
)
from synthesizers.errors import InputError
from tests.proofs.small_mechanisms import (
    TINY,
    Table,
    delta,
    directed_pairs,
    mp,
    mu,
    renyi,
    wide,
)

F = Fraction
FloatArray = NDArray[np.float64]

ORDERS = (F(1000001, 1000000), F(5, 4), F(2), F(9, 2), F(17), F(120))
"""Rényi orders that concentrated DP is compared at."""

EPSILONS = (F(0), F(1, 20), F(1, 3), F(1), F(5, 2))
"""Where profiles are compared."""

STEP = 1 / 512
"""The width of a cell of a discretised loss."""

SLACK = 1e-9
"""More than the rounding errors of a discretised loss."""


def shortfall(theorem: Theorem, found: Table) -> str:
    """Where the theorem promises more than the table keeps; empty where it promises no more."""
    judgment = theorem.judgment
    assert isinstance(judgment, Private)
    pairs = directed_pairs(judgment.neighbours, found.databases)

    def below(exact: Any, stated: Fraction, what: str) -> str:
        kept = exact <= mp(stated) + TINY
        return "" if kept else f"{what}: {wide.nstr(exact, 20)} > {float(stated)!r}"

    checks: list[str] = []
    match judgment.guarantee:
        case ApproxDP(epsilon, limit):
            checks = [below(delta(found, pairs, epsilon), limit, f"delta at {epsilon}")]
        case ZCDP(rho):
            checks = [below(renyi(found, pairs, a), a * rho, f"order {a}") for a in ORDERS]
        case GaussianDP(least):
            checks = [below(mu(found, pairs), least, "mu")]
        case RenyiCurve(points):
            checks = [below(renyi(found, pairs, a), e, f"order {a}") for a, e in points]
        case Profile(points):
            checks = [below(delta(found, pairs, e), d, f"delta at {e}") for e, d in points]
        case LossList(entries):
            checks = [_losses(entries, found, pairs)]
        case _:
            raise AssertionError(judgment.guarantee)
    return "; ".join(check for check in checks if check)


def _losses(entries: Entries, found: Table, pairs: NDArray[np.int64]) -> str:
    """By the product of the entries' pairs; where one has none, by the best moment of all."""
    sizes = np.array([sum(counts) for counts in found.databases])
    removed = sizes[pairs[:, 0]] > sizes[pairs[:, 1]]
    parts: tuple[tuple[Side, Any], ...] = (("remove", pairs),)
    if len(sides(entries)) > 1:
        parts = (("remove", pairs[removed]), ("add", pairs[~removed]))
    paired = not any(isinstance(entry, ConcentratedLoss | RenyiCurve) for _, entry in entries)
    for side, directed in parts:
        for epsilon in EPSILONS:
            exact = float(delta(found, directed, epsilon))
            limit = (
                pair_delta(tuple(_pairs(entries)), side, epsilon)
                if paired
                else moment_delta(entries, epsilon)
            )
            if exact > limit + SLACK:
                return f"the losses on {side} at {epsilon}: {exact} > {limit}"
    return ""


def _pairs(entries: Entries) -> Iterator[tuple[int, Loss]]:
    """The pairs that the kernel gives each entry."""
    for count, entry in entries:
        match entry:
            case NoiseLoss():
                yield from ((count * times, loss) for times, loss in entry.pairs)
            case BoundedRangeLoss(epsilon):
                yield count, ResponseLoss(epsilon)
            case ConcentratedLoss() | RenyiCurve():
                raise AssertionError(entry)
            case _:
                yield count, entry


def moment_delta(entries: Entries, epsilon: Fraction) -> float:
    """δ(ε) by the best of many moments, in doubles (Canonne, Kamath & Steinke 2020)."""
    order = np.exp(np.linspace(-6, 8, 400))
    power, kept = -order * float(epsilon), 1.0
    for count, entry in entries:
        power = power + count * np.array([_moment(entry, at) for at in order])
        kept *= (1 - float(getattr(entry, "delta", 0))) ** count
    power += order * np.log(order) - (1 + order) * np.log1p(order)
    return 1 - kept * (1 - float(np.exp(min(power.min(), 0))))


def _moment(entry: Entry, order: float) -> float:
    """ln E_P[e^(cL)], or more, a leak apart; infinite beyond a curve."""
    match entry:
        case ConcentratedLoss(xi, rho):
            return order * (float(xi) + (1 + order) * float(rho))
        case RenyiCurve(points):
            values = [float(epsilon) for at, epsilon in points if at >= 1 + order]
            return order * values[0] if values else math.inf
        case GaussianLoss(squared):
            return order * (1 + order) * float(squared) / 2
        case ResponseLoss(epsilon) | BoundedRangeLoss(epsilon):
            # ε-DP is ε²/2-zCDP.
            return min(order * float(epsilon), order * (1 + order) * float(epsilon) ** 2 / 2)
        case NoiseLoss("discrete-gaussian", amount, _, _, squared):
            return order * (1 + order) * float(squared / amount) / 2
        case NoiseLoss(_, amount, _, l1):
            return _moment(ResponseLoss(l1 / amount), order)
    raise AssertionError(entry)


@functools.cache
def pair_delta(losses: Losses, side: Side, epsilon: Fraction) -> float:
    """A little more than δ(ε) of the product of some pairs."""
    cells, infinite = _sum(losses, side)
    values = (np.arange(len(cells)) - len(cells) // 2) * STEP
    finite = float(cells @ np.maximum(0, -np.expm1(np.minimum(float(epsilon) - values, 0))))
    return finite + infinite


@functools.cache
def _sum(losses: Losses, side: Side) -> tuple[FloatArray, float]:
    """The law of the sum under P, on cells around 0; with the chance of infinity."""
    cells, finite = np.ones(1), 1.0
    for count, loss in losses:
        one, infinite = _cells(loss, side)
        for _ in range(count):
            cells = np.maximum(fftconvolve(cells, one), 0)
            finite *= 1 - infinite
    return cells, 1 - finite


@functools.cache
def _cells(loss: Loss, side: Side) -> tuple[FloatArray, float]:
    """The law of one loss under P, each value rounded up to a cell; with the chance of infinity."""
    match loss:
        case GaussianLoss(squared):
            middle, spread = float(squared) / 2, math.sqrt(squared)
            return _continuous(lambda x: ndtr((x - middle) / spread), loss), 0.0
        case LaplaceLoss(e):
            size = float(e)

            def law(x: FloatArray) -> FloatArray:
                middle = np.exp(np.minimum(x - size, 0) / 2) / 2
                return np.where(x >= size, 1.0, np.where(x < -size, 0.0, middle))

            return _continuous(law, loss), 0.0
        case ResponseLoss(e, failure):
            likely = 1 / (1 + math.exp(-e))
            chances = [(float(e), likely), (-float(e), 1 - likely)]
            scaled = [(x, (1 - float(failure)) * chance) for x, chance in chances]
            return _listed(scaled), float(failure)
        case SampledGaussianLoss(q, squared):
            return _sampled(float(q), math.sqrt(squared), side), 0.0
        case FixedSizeLoss(q, squared):
            return _fixed_size(float(q), math.sqrt(squared)), 0.0
        case AllocationLoss():
            raise AssertionError("small mechanisms have no steps to allocate")
        case DiscreteLaplaceLoss(rate, shift):
            reach = int(45 / rate) + shift
        case DiscreteGaussianLoss(variance, shift):
            reach = math.isqrt(math.ceil(90 * variance)) + 1 + shift
    values = range(-reach, reach + shift + 1)
    total = math.fsum(math.exp(_weight(loss, z)) for z in values)
    mass = [
        (_weight(loss, z - shift) - _weight(loss, z), math.exp(_weight(loss, z - shift)) / total)
        for z in values
    ]
    return _listed(mass), 0.0


def _weight(loss: DiscreteLaplaceLoss | DiscreteGaussianLoss, value: int) -> float:
    """The logarithm of an integer's chance, but for a constant."""
    if isinstance(loss, DiscreteLaplaceLoss):
        return -float(loss.rate) * abs(value)
    return -value * value / (2 * float(loss.variance))


def _listed(chances: list[tuple[float, float]]) -> FloatArray:
    """Cells of listed values, rounded up."""
    places = [math.ceil(value / STEP - 1e-9) for value, _ in chances]
    half = max(map(abs, places))
    cells = np.zeros(2 * half + 1)
    np.add.at(cells, np.array(places) + half, [chance for _, chance in chances])
    return cells


def _continuous(law: Callable[[Any], Any], loss: Any) -> FloatArray:
    """Cells of a distribution function."""
    size = float(loss.epsilon) if isinstance(loss, LaplaceLoss) else _farthest(loss.mu_squared)
    half = math.ceil(size / STEP) + 1
    ends = law(np.arange(-half - 1, half + 1) * STEP)
    ends[0], ends[-1] = 0.0, 1.0
    return np.diff(ends)


def _farthest(squared: Fraction) -> float:
    return float(squared) / 2 + 9 * math.sqrt(squared)


def _sampled(q: float, mean: float, side: Side) -> FloatArray:
    """Cells of the sampled Gaussian, by cells of the outcome, each with its larger end's loss."""
    place = np.linspace(-9, mean + 9, 40_001)
    loss = np.log1p(q * np.expm1(mean * place - mean * mean / 2))
    mixture = (1 - q) * np.diff(ndtr(place)) + q * np.diff(ndtr(place - mean))
    if side == "remove":
        return _listed(list(zip(loss[1:], mixture, strict=True)))
    return _listed(list(zip(-loss[:-1], np.diff(ndtr(place)), strict=True)))


def _fixed_size(q: float, mean: float) -> FloatArray:
    """Cells of the loss of a sample of a fixed size: the outcomes above the middle, both ways."""
    place = np.linspace(mean / 2, mean + 9, 40_001)
    loss = np.log1p(q * np.expm1(mean * place - mean * mean / 2))
    plain = np.diff(ndtr(place))
    mixture = (1 - q) * plain + q * np.diff(ndtr(place - mean))
    rest = 1 - math.fsum(plain) - math.fsum(mixture)
    above = list(zip(loss[1:], mixture, strict=True))
    return _listed([*above, *zip(-loss[:-1], plain, strict=True), (0.0, rest)])


# The strongest statement that the kernel accepts.


def strongest(attempt: Callable[[Fraction], Theorem], steps: int = 9) -> Theorem | None:
    """The theorem of the smallest number that is accepted, by doubling and halving; or None.

    A δ of 1 promises nothing, so that the largest below 1 is tried too.
    """
    low, high = F(0), F(1, 64)
    while (best := _accepted(attempt, high)) is None:
        low, high = high, _next(high)
        if high > 4096:
            return None
    for _ in range(steps):
        middle = (low + high) / 2
        found = _accepted(attempt, middle)
        low, high = (middle, high) if found is None else (low, middle)
        best = found or best
    return best


def _accepted(attempt: Callable[[Fraction], Theorem], value: Fraction) -> Theorem | None:
    try:
        return attempt(value)
    except InputError:
        return None


def _next(value: Fraction) -> Fraction:
    """8 times as large below 1/2, then just below 1, then doubled."""
    if value < F(1, 2):
        return min(8 * value, F(1, 2))
    return F(99, 100) if value == F(1, 2) else F(2 * math.ceil(value))
