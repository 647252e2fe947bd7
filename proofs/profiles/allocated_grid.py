"""The loss of a Gaussian in one step of t drawn evenly, between masses on a lattice of losses.

With w = e^(μx - μ²/2), x of law N(0, 1), and S the sum of t independent w, the likelihood ratio is
S/t: δ(ε) is E[(S/t - e^ε)₊] on ``remove`` and E[(1 - e^ε·S/t)₊] on ``add``, of convex functions of
S, the first increasing and the second decreasing. As sums keep the order of convex functions, so
does a profile. The law of w (`proofs.profiles.lognormal`) is put on the points j·h, above
and below itself (`proofs.profiles.convex_order`); t of them are summed by Fourier transforms
(`proofs.profiles.fourier`), tilted by e^(κS) so that small chances are told from rounding errors;
and the sum's law is put on the points t·e^(k·step), above and below, where the loss is ±k·step.

What is not in the grid is w >= X, and S >= B = N·h. On remove, it counts as lost in the upper end,
by Φ and Chernoff's bound; in the lower end, w >= X is left out, and so is what S >= B may add,
folded. On add, both are moved down in the upper end; in the lower end w >= X is left out, and at
least as much as S >= B holds is taken from the smallest S. In the upper end the smallest S count as
lost, by Chernoff's bound, and on add the largest are moved down to one place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from proofs.errors import ProofError
from proofs.losses import AllocationLoss, Side
from proofs.profiles.convex_order import Cells
from proofs.profiles.fourier import ROOM, convolve_powers
from proofs.profiles.grid import MAX_POINTS, ROUNDING, Gridded, Piece, Reals, exp_bounds
from proofs.profiles.lognormal import part_lognormal
from synthesizers.intervals import Interval, float_above
from synthesizers.normal import normal_cdf

SIZES = 1 << 17, 1 << 20
"""The fewest and the most points for S."""

FINER = 4
"""How many points S has for each of the lattice's."""

MAX_STEPS = 1 << 20
"""The most steps t."""

MOST_MU = 2.5
"""The largest μ: the law of w is too wide for the grid beyond."""

FARTHEST = -38.0
"""Below this x nothing is computed: the mass there is less than 2^-1000."""

MOST_TOP = 12.0
"""The most that ln X is."""

COARSER = 16
"""How many points of S a step on the lattice of losses has at least, where S is looked at."""

LEFT_OUT = 20.0
"""About -ln of what is left out, relative to what is looked at."""

FOLDED = 12.0
"""The same of what is folded, beyond `LEFT_OUT`."""

TURNS = np.exp(np.linspace(math.log(1e-3), math.log(500), 60))
"""Orders at which Chernoff's bound is tried, times the largest w."""

FALLS = tuple(float(turn) for turn in np.exp(np.linspace(math.log(1e-3), math.log(1e6), 90)))
"""The same for small S."""

FURTHEST, WHOLE = 600.0, 2.0
"""The largest exponent that is computed; more than the chance of any S above its law."""

ONE = Interval(Fraction(1), Fraction(1))


@lru_cache(maxsize=16)
def place_allocation(
    loss: AllocationLoss, side: Side, step: Fraction, order: Fraction, count: int, size: int
) -> Gridded:
    """An allocation loss on the lattice of a ``step``, on a side.

    ``order``, ``count`` and ``size`` say where the masses are wanted precisely, how many there are
    of it, and how precisely: choices.
    Raises ProofError where the grid can't hold the loss.

    Guarantee
    ---------
    For every ε the lower masses have a δ(ε) of at most the pair's, and the upper masses at least,
    whatever the order and the size, if numpy's exp, log and transforms err as `grid` and `lattice`
    say. Backed by quadrature and Monte Carlo in
    ``tests/proofs/profiles/test_allocated_grid.py``.
    """
    mu = math.sqrt(loss.mu_squared)
    if loss.steps > MAX_STEPS or not 1 / 64 <= mu <= MOST_MU:
        raise ProofError(
            "the lattice method needs an allocation of 1/64 <= mu <= 5/2, and fewer steps"
        )
    size = min(max(FINER * size, SIZES[0]), SIZES[1])
    plan = _plan(loss, mu, side, float(order), count, size)
    cells, beyond = _cells(plan)
    upper, lower = cells.above(), cells.below(side == "remove")
    if side == "add":
        upper[-1] += beyond[0]
    outside = _beyond(plan, upper, plan.width * plan.size)
    high = _sum(plan, upper, 1)
    low = _sum(plan, lower, -1)
    lost = _before(plan, upper)
    if side == "remove":
        lost += beyond[1] + (loss.steps - 1) * beyond[0] + outside
    else:
        low *= np.cumsum(low) - low > ROOM * outside
        # Large S are rare, and told badly from errors that the tilt makes large there.
        at = min(math.floor(plan.most / plan.width), plan.size - 1)
        high[at + 1 :] = 0.0
        high[at] += _beyond(plan, upper, plan.width * at)
    return _on_losses(plan, low, high, step, lost)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The grid of w and S: h, the number of cells of w, N, κ; the middle, least and most S of use.

    All but μ, t and the side are choices.
    """

    steps: int
    mu: float
    side: Side
    width: float
    cells: int
    size: int
    tilt: float
    centre: float
    least: float
    most: float


def _plan(
    loss: AllocationLoss, mu: float, side: Side, order: float, count: int, size: int
) -> _Plan:
    steps, sign = loss.steps, 1 if side == "remove" else -1
    x = np.linspace(-12, 12 + mu, 4001)
    mass = np.exp(-x * x / 2) * (x[1] - x[0]) / math.sqrt(2 * math.pi)
    # So small is the chance of what is looked at, about.
    seen = count * max(_entropy(mass, x, mu, steps, order), 0.0)
    rare, low = LEFT_OUT + math.log(count) + seen, 0.0
    for _ in range(4):
        far = min(MOST_TOP / mu + mu / 2, mu + math.sqrt(2 * rare))
        if sign < 0:
            # What is beyond matters as little as the rest of what is left out, where it is lifted.
            weight = mass * np.exp(-low * np.exp(mu * x - mu * mu / 2))
            beyond = np.cumsum(weight[::-1])[::-1] < weight.sum() * math.exp(-LEFT_OUT) / steps
            far = max(float(x[beyond][0]), 2.0)
        w = np.exp(mu * np.minimum(x, far) - mu * mu / 2)
        # Where e^(κS) has the slope of the power of S that is looked at.
        low, high = 0.0, rare / float(w[-1]) if sign > 0 else 1e4
        for _ in range(50):
            middle = (low + high) / 2
            less = middle * steps * _lift(mass, w, sign * middle)[1] < order + (sign > 0)
            low, high = (middle, high) if less else (low, middle)
    mean = _lift(mass, w, sign * low)[1]
    top = float(w[-1])
    # B: little is beyond it, be the law lifted (where what is beyond is folded) or not.
    bound = 0.0
    for start, least in {(0.0, rare), (max(sign * low, 0.0), LEFT_OUT + FOLDED)}:
        ahead = _lift(mass, w, start)[0]
        bound = max(
            bound,
            min(
                (steps * (_lift(mass, w, start + turn)[0] - ahead) + least) / turn
                for turn in map(float, TURNS / top)
            ),
        )
    width = 1.02 * (bound + top) / size
    cells = math.ceil(top / width)
    least = max((-rare - steps * _lift(mass, w, -turn)[0]) / turn for turn in FALLS)
    least = min(max(least, 0.0), float(steps))
    most = min(
        (steps * _lift(mass, w, turn)[0] + LEFT_OUT) / turn for turn in map(float, TURNS / top)
    )
    return _Plan(steps, mu, side, width, cells, size, sign * low, mean * steps, least, most)


def _entropy(mass: Reals, x: Reals, mu: float, steps: int, order: float) -> float:
    """c·K'(c) - K(c), K = ln E[(S/t)^c] on remove, about: one w large, the others normal."""
    size = np.exp(mu * x + mu * mu / 2) + steps - 1
    spread = (steps - 1) * math.expm1(mu * mu)

    def height(c: float) -> float:
        power = c * np.log(size / steps) + np.minimum(c * (c - 1) / 2 * spread / size**2, c * c)
        return float(np.logaddexp.reduce(np.log(mass) + power))

    return order * (height(1.001 * order) - height(0.999 * order)) / (0.002 * order) - height(order)


def _lift(mass: Reals, w: Reals, turn: float) -> tuple[float, float]:
    """ln E[e^(turn·w)], and the mean of w where it is so weighted."""
    most = float(np.max(turn * w))
    weight = mass * np.exp(turn * w - most)
    total = float(weight.sum())
    return most + math.log(total), float(weight @ w) / total


def _cells(plan: _Plan) -> tuple[Cells, tuple[float, float]]:
    """The law of w on its grid; and the chances of what is beyond, under N(0, 1) and N(μ, 1)."""
    mu, h, count = plan.mu, plan.width, plan.cells
    points = h * np.arange(count + 1, dtype=np.float64)
    edges = np.concatenate([[FARTHEST], (np.log(points[1:]) + mu * mu / 2) / mu])
    edges = np.maximum(edges, FARTHEST)
    cells = part_lognormal(mu, points, np.full(count, h), edges)
    end = Fraction(float(edges[-1]) - 1e-12)
    beyond = [normal_cdf(place - end, 64).upper for place in (Fraction(0), Fraction(mu))]
    return cells, (float_above(beyond[0]), float_above(beyond[1]))


def _beyond(plan: _Plan, masses: Reals, bound: float) -> float:
    """At least the chance of S >= a bound, every w < X: on remove under P, on add under N(0, I)."""
    place = np.arange(len(masses)) * plan.width
    best = math.inf
    for turn in TURNS / place[-1]:
        lifted = masses * np.exp(turn * (place - 1))
        power = plan.steps * math.log(float(lifted.sum())) - turn * (bound - plan.steps)
        if plan.side == "remove":
            power += math.log(float(lifted @ place) / float(lifted.sum()))
        best = min(best, power)
    return _exp_above(best, plan)


def _fold_error(plan: _Plan, place: Reals, lifted: Reals) -> float:
    """At least what of the sum of lifted masses is at B or beyond."""
    bound, best = plan.width * plan.size, math.inf
    for turn in TURNS / place[-1]:
        total = float(lifted @ np.exp(turn * (place - 1)))
        best = min(best, plan.steps * math.log(total) - turn * (bound - plan.steps))
    return _exp_above(best, plan)


def _before(plan: _Plan, masses: Reals) -> float:
    """At least the chance of S < ``plan.least`` under N(0, I)."""
    place = np.arange(len(masses)) * plan.width
    best = math.inf
    for turn in FALLS:
        lifted = masses * np.exp(-turn * place)
        best = min(best, plan.steps * math.log(float(lifted.sum())) + turn * plan.least)
    return _exp_above(best, plan)


def _exp_above(power: float, plan: _Plan) -> float:
    """At least e^power, at most 1: powers err by much less than 1e-8 for each step, and 1e-6."""
    return math.exp(min(power + 1e-8 * plan.steps + 1e-6, 0.0)) * ROOM


def _sum(plan: _Plan, masses: Reals, direction: int) -> Reals:
    """The law of S from above (1) or below (-1): the masses of 0, h, 2h, …."""
    place = np.arange(len(masses), dtype=np.float64) * plan.width
    most = max(plan.tilt * float(place[-1]), 0.0)
    total = float(masses @ np.exp(plan.tilt * place - most))
    constant = most + math.log(max(total, 1e-300))
    low, high = exp_bounds(plan.tilt * place - constant, np.abs(plan.tilt) * place + abs(constant))
    padded = np.zeros(plan.size)
    padded[: len(masses)] = masses * (high if direction > 0 else low)
    found, error = convolve_powers(padded, plan.steps)
    if direction < 0 and plan.tilt > 0:
        error += _fold_error(plan, place, padded[: len(masses)])
    place = np.arange(plan.size, dtype=np.float64) * plan.width
    size = abs(plan.tilt) * place + plan.steps * abs(constant)
    back = plan.steps * constant - plan.tilt * place
    low, high = exp_bounds(np.clip(back, -FURTHEST, FURTHEST), size)
    if direction > 0:
        found = (np.maximum(found, 0.0) + error) * high * (1 + 8 * ROUNDING)
        return np.where(back < FURTHEST, np.minimum(found, WHOLE), WHOLE)
    kept = np.where(np.abs(back) < FURTHEST, low, 0.0)
    return np.maximum(found - error, 0.0) * kept * (1 - 8 * ROUNDING)


def _on_losses(plan: _Plan, low: Reals, high: Reals, step: Fraction, lost: float) -> Gridded:
    """The law of S on the points t·e^(k·step); ``low`` and ``high`` at 0, h, 2h, …."""
    # Of the lattice's points every n-th is used, so that there are points of S in all cells.
    every = math.ceil(COARSER * plan.width / (plan.centre * float(step)))
    unit = float(every * step)
    start = max(1, math.floor(plan.least / plan.width))
    place = np.log(np.arange(start, plan.size, dtype=np.float64) * plan.width / plan.steps) / unit
    first = math.floor(place[0])
    last = math.floor(place[-1]) + 1
    if last - first >= MAX_POINTS:
        raise ProofError("the lattice method needs a larger step")
    cell = np.minimum(np.floor(place).astype(np.int64), last - 1)
    share = np.expm1((place - cell) * unit) / math.expm1(unit)
    error = 64 * ROUNDING * (np.abs(place) + 1 / unit + 64)
    index = np.arange(first, last + 1, dtype=np.int64)
    points = plan.steps * np.exp(unit * index)
    width = points[:-1] * math.expm1(unit)
    increasing = plan.side == "remove"
    ends = []
    for masses in (low[start:], high[start:]):
        sent = [masses * np.clip(part, 0.0, 1.0) for part in (1 - share, share)]
        left, right, more = (
            np.bincount(cell - first, values, last - first).astype(np.float64) * (1 - 2.0**-40)
            for values in (*sent, masses * error)
        )
        left, right = np.maximum(left - more, 0.0), np.maximum(right - more, 0.0)
        spare = 3 * more + 2.0**-38 * (left + right)
        ends.append(Cells(points, width, left, right, spare))
    lower, upper = ends[0].below(increasing), ends[1].above()
    if increasing:
        exponent = unit * index.astype(np.float64)
        pieces = [Piece(ONE, every * index, exponent, masses) for masses in (lower, upper)]
    else:
        flat = np.zeros(len(index))
        pieces = [Piece(ONE, -every * index, flat, masses) for masses in (lower, upper)]
    return Gridded(Fraction(0), (pieces[0],), (pieces[1],), Fraction(ROOM * lost + 2.0**-200))
