"""Exact integrals of what Laplace and exponential noise are made of: densities and their tails.

Between neighbouring centres each factor is a sum of a·e^(kx + r) with rational a, k and r; so is
a product, and its integral over a piece is a sum of exponentials of rationals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from synthesizers.exact import ExpRational

Piece = dict[tuple[Fraction, Fraction], Fraction]
"""A sum of a·e^(kx + r): the coefficient a of each (k, r)."""

Factor = Callable[[Fraction], Piece]
"""A function of x, as its form on the piece around a point that is no centre."""

_ZERO, _ONE = Fraction(0), Fraction(1)


def constant(value: Fraction) -> Piece:
    """The same number everywhere."""
    return {(_ZERO, _ZERO): value} if value else {}


def laplace(kind: str, scale: Fraction, centre: Fraction) -> Factor:
    """The ``density`` at x, or the chance of being ``below`` or ``above`` x, of centre + noise."""

    def at(point: Fraction) -> Piece:
        left = point < centre
        rate = (1 if left else -1) / scale
        tail = {(rate, -rate * centre): Fraction(1, 2)}
        if kind == "density":
            return {key: value / scale for key, value in tail.items()}
        if left == (kind == "below"):
            return tail
        return constant(_ONE) | {key: -value for key, value in tail.items()}

    return at


def exponential(kind: str, scale: Fraction, centre: Fraction) -> Factor:
    """The same of exponential noise, which is never negative."""

    def at(point: Fraction) -> Piece:
        if point < centre:
            return constant(Fraction(kind == "above"))
        tail = {(-1 / scale, centre / scale): _ONE}
        if kind == "density":
            return {key: value / scale for key, value in tail.items()}
        return tail if kind == "above" else constant(_ONE) | {k: -v for k, v in tail.items()}

    return at


def surely(kind: str, centre: Fraction) -> Factor:
    """The chance of being ``below`` or ``above`` x without noise."""
    return lambda point: constant(Fraction((centre < point) == (kind == "below")))


def between(low: Factor, high: Fraction, law: Factor) -> Factor:
    """What ``low`` is at x less its value at a fixed ``high``, below that; 0 above it."""

    def at(point: Fraction) -> Piece:
        if point > high:
            return {}
        fixed = {(_ZERO, k * high + r): -a for (k, r), a in law(high).items()}
        return _plus(low(point), fixed)

    return at


def integral(factors: Sequence[Factor], centres: Sequence[Fraction]) -> ExpRational:
    """The integral over the line of a product that falls to 0 on both sides.

    ``centres``: all points where a factor may change its form.

    Guarantee
    ---------
    Exact. Backed by quadrature in ``tests/benchmarks/test_statements.py``.
    """
    ends = sorted(set(centres))
    points = [ends[0] - 1, *((a + b) / 2 for a, b in pairwise(ends)), ends[-1] + 1]
    total: dict[Fraction, Fraction] = {}
    for point, (start, end) in zip(points, pairwise([None, *ends, None]), strict=True):
        product = constant(_ONE)
        for factor in factors:
            product = _times(product, factor(point))
        for (k, r), a in product.items():
            if k == 0 and (start is None or end is None):
                raise ArithmeticError("the integral has no end")
            if k == 0:
                assert start is not None and end is not None
                total[r] = total.get(r, _ZERO) + a * (end - start)
                continue
            for place, side in ((end, 1), (start, -1)):
                if place is not None:
                    total[k * place + r] = total.get(k * place + r, _ZERO) + side * a / k
    return ExpRational({r: a for r, a in total.items() if a}, {_ZERO: _ONE})


def _plus(left: Piece, right: Piece) -> Piece:
    found = dict(left)
    for key, value in right.items():
        found[key] = found.get(key, _ZERO) + value
    return {key: value for key, value in found.items() if value}


def _times(left: Piece, right: Piece) -> Piece:
    found: Piece = {}
    for (k, r), a in left.items():
        for (m, s), b in right.items():
            found[k + m, r + s] = found.get((k + m, r + s), _ZERO) + a * b
    return {key: value for key, value in found.items() if value}
