"""The loss of a Gaussian on a sample of a fixed size, between masses on a lattice of losses.

With r = 1 - q + q·w, w = e^(μx - μ²/2), and ν the law of N(0, 1) where x > μ/2, that is r > 1, the
likelihood ratio of `FixedSizeLoss` has under Q the law of r under ν, that of 1/r under r·ν, and the
rest of the chance, (1 - q)·(2·Φ(μ/2) - 1), at 1. Its profile is the integral of an increasing
convex function of the ratio. So all but the rest is put on the points e^(jh), h the step, above and
below itself (`proofs.profiles.convex_order`). Upwards from 1 that is the law of w on the points
where r is e^(jh) (`proofs.profiles.lognormal`), as r and w are linear in each other. Downwards it
is the reverse: an event of chances p and q, parted into two of the ratios e^(jh) and e^(jh+h), is
parted into those of e^-(jh) and e^-(jh+h) where P and Q are exchanged. What is beyond the last
points, on both sides, counts as lost.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from proofs.errors import ProofError
from proofs.losses import FixedSizeLoss
from proofs.profiles.convex_order import FINE, Cells
from proofs.profiles.grid import MAX_POINTS, Gridded, Piece, Reals
from proofs.profiles.lognormal import part_lognormal
from proofs.profiles.values import root_of
from synthesizers.intervals import Interval
from synthesizers.normal import normal_cdf

MUS = 2.0**-20, 8.0
"""The least and the largest μ."""

LEAST_FRACTION = Fraction(1, 1 << 64)
"""The least share of the records."""

FARTHEST = 39.0
"""Above this x nothing is computed: N(0, 1) has less than 2^-1000 there."""

REACHES = range(6, 19)
"""How far beyond μ the points may reach, in deviations: beyond the last are less than 1e-71."""

LEFT_OUT = 45.0
"""About -ln of what is left out, relative to what is looked at."""

PLACES = 1 << 10
"""Places that stand for all where the reach is chosen."""

HALF_POINTS = MAX_POINTS // 2
"""The most points of each sign."""

SLIVER = 2.0**-50
"""The share of μ/2 from there to the first x that is used."""

BITS = 128

ONE = Interval(Fraction(1), Fraction(1))


def _mu(loss: FixedSizeLoss) -> float:
    mu = math.sqrt(loss.mu_squared)
    if not MUS[0] <= mu <= MUS[1] or loss.fraction < LEAST_FRACTION:
        raise ProofError(
            "the lattice method needs a sample of a fixed size of 2^-20 <= mu <= 8, and a share of "
            "at least 2^-64"
        )
    return mu


def sketch(loss: FixedSizeLoss, reach: int) -> tuple[Reals, Reals]:
    """Some values of the loss, up to a reach, and the logarithms of their P-masses, about."""
    q, mu = float(loss.fraction), _mu(loss)
    width = (mu / 2 + reach) / PLACES
    x = mu / 2 + width * (np.arange(PLACES, dtype=np.float64) + 0.5)
    value = np.log1p(q * np.expm1(mu * x - mu * mu / 2))
    mass = math.log(width) - x * x / 2 - math.log(math.tau) / 2
    masses = np.concatenate([mass + value, mass])
    rest = math.log(max(-math.expm1(np.logaddexp.reduce(masses)), 1e-9))
    return np.concatenate([value, -value, [0.0]]), np.append(masses, rest)


def is_far(loss: FixedSizeLoss, reach: int, order: float, count: int) -> bool:
    """Whether ``count`` losses matter little beyond a reach where they are tilted to an order."""
    value, mass = sketch(loss, reach)
    tilted = mass + order * value
    total = float(np.logaddexp.reduce(tilted))
    # So small is the chance of what is looked at, about.
    seen = count * max(order * float(np.exp(tilted - total) @ value) - total, 0.0)
    return reach * reach / 2 > LEFT_OUT + seen + math.log(count * float(loss.fraction))


@lru_cache(maxsize=16)
def place_fixed_size(loss: FixedSizeLoss, step: Fraction, order: Fraction, count: int) -> Gridded:
    """The loss on the lattice of a ``step``.

    ``order`` and ``count``, at least 1, say where the masses are wanted and how many there are of
    it: choices. Raises ProofError for a μ out of `MUS`, and for a share or a step too small.

    Guarantee
    ---------
    For every ε the lower masses have a δ(ε) of at most the pair's, and the upper masses at least,
    whatever the order, if numpy's exp, expm1 and log1p err as `proofs.profiles.grid` says. Backed
    by closed forms and integrals in ``tests/proofs/profiles/test_fixed_size_grid.py``.
    """
    mu, q, h = _mu(loss), float(loss.fraction), float(step)
    far = (one for one in REACHES if is_far(loss, one, float(order), count))
    reach = next(far, REACHES[-1])
    top = math.log1p(q * math.expm1(mu * (mu / 2 + reach)))
    size = min(math.ceil(top / h), HALF_POINTS)
    exponent = h * np.arange(size + 1, dtype=np.float64)
    excess, growth = np.expm1(exponent) / q, np.exp(exponent)
    edges = np.log1p(excess) / mu + mu / 2
    edges[0] = mu / 2 * (1 + SLIVER)
    edges = np.minimum(edges, FARTHEST)
    gap = math.expm1(h)
    above = part_lognormal(mu, 1 + excess, growth[:-1] * (gap / q), edges)
    cells = _with_reverse(above, growth, gap)
    upper = cells.above()
    # What lies between μ/2 and the first x has losses of less than h.
    upper[size + 1] += 2 * SLIVER * mu
    root = root_of(loss.mu_squared)
    ends = normal_cdf(root.lower / 2, BITS).lower, normal_cdf(root.upper / 2, BITS).upper
    rest = (2 * Interval(*ends) - 1) * (1 - loss.fraction)
    zero = Piece(rest, np.zeros(1, dtype=np.int64), np.zeros(1), np.ones(1))
    index = np.arange(-size, size + 1, dtype=np.int64)
    exponent = h * index.astype(np.float64)
    pieces = [Piece(ONE, index, exponent, masses) for masses in (cells.below(True), upper)]
    lost = _beyond(loss, Fraction(float(edges[-1])), root.upper)
    return Gridded(Fraction(0), (zero, pieces[0]), (zero, pieces[1]), lost)


def _with_reverse(above: Cells, growth: Reals, gap: float) -> Cells:
    """The Q-law of the ratio, given that of all above 1; ``growth``: e^(jh), ``gap``: e^h - 1."""
    points = np.concatenate([1 / growth[:0:-1], growth])
    width = np.concatenate([gap / growth[:0:-1], gap * growth[:-1]])
    # Under P a mass is e^(jh) times what it is under Q; both err by much less than FINE.
    left, right = above.left * growth[:-1], above.right * growth[1:]
    more = above.more * growth[1:] * (1 + FINE) + 3 * FINE * (left + right)
    return Cells(
        points,
        width,
        np.concatenate([(1 - FINE) * right[::-1], above.left]),
        np.concatenate([(1 - FINE) * left[::-1], above.right]),
        np.concatenate([more[::-1], above.more]),
    )


def _beyond(loss: FixedSizeLoss, end: Fraction, mu: Fraction) -> Fraction:
    """At least the P-mass of both losses of the x beyond an end."""
    plain, moved = (normal_cdf(at - end, BITS).upper for at in (Fraction(0), mu))
    return (2 - loss.fraction) * plain + loss.fraction * moved
