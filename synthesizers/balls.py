"""FLINT's balls, numbers with a proved radius, in the place of mpmath's: what `floats` has.

The only module that imports python-flint (the optional extra ``flint``). A function gives a ball
that holds its value at every member of its arguments (Johansson 2017, "Arb: efficient
arbitrary-precision midpoint-radius interval arithmetic"). What leaves it is exact: the middle and
the radius are integers times powers of two, and no double stands between.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from synthesizers.dyadics import Dyadic, add, as_fraction, negate
from synthesizers.errors import InputError, TooLargeError

try:
    from flint import acb, arb, ctx, fmpq
except ImportError:
    raise InputError(
        "DP_AUDIT_ARITHMETIC=flint needs python-flint: pip install 'dp-audit[flint]', or leave "
        "the variable out"
    ) from None

workprec = ctx.workprec
mpf, mpc = arb, acb


def rational(value: Fraction) -> Any:
    """A ball that holds the rational."""
    return arb(fmpq(value.numerator, value.denominator))


def pi() -> Any:
    """A ball that holds π."""
    return arb.pi()


def exp(value: Any) -> Any:
    """e^value."""
    return value.exp()


def expm1(value: Any) -> Any:
    """e^value - 1."""
    return value.expm1()


def log(value: Any) -> Any:
    """ln of a number, of a complex one the principal branch."""
    return value.log()


def log1p(value: Any) -> Any:
    """ln(1 + value)."""
    return value.log1p()


def sqrt(value: Any) -> Any:
    """The square root."""
    return value.sqrt()


def erfc(value: Any) -> Any:
    """The complementary error function."""
    return value.erfc()


def normal(place: Any) -> Any:
    """Φ of a complex number: erfc(-u/√2)/2."""
    return (-place / arb(2).sqrt()).erfc() / 2


def re(value: Any) -> Any:
    """The real part."""
    return value.real


def im(value: Any) -> Any:
    """The imaginary part."""
    return value.imag


def fsum(values: Iterable[Any]) -> Any:
    """The sum."""
    return sum(values, arb(0))


def ldexp(value: Any, power: int) -> Any:
    """value·2^power, exactly."""
    return value * arb(2) ** power


def _parts(value: Any) -> tuple[Dyadic, Dyadic]:
    """The middle and the radius of a real ball; TooLargeError where one is not finite."""
    if not value.is_finite():
        raise TooLargeError("a number is not known at all in FLINT's arithmetic")
    (middle, exponent), (radius, scale) = value.mid().man_exp(), value.rad().man_exp()
    return (int(middle), int(exponent)), (int(radius), int(scale))


def above(value: Any) -> Fraction:
    """The upper end of a ball, exactly.

    Guarantee
    ---------
    No member is above it. Backed by ``tests/synthesizers/test_balls.py``.
    """
    return as_fraction(add(*_parts(value)))


def units(value: Any, bits: int) -> int:
    """A number of units of 2^-``bits``, less than two off any member of the ball.

    Raises TooLargeError where the radius is not less than one unit.

    Guarantee
    ---------
    The middle is cut by less than one unit, and no member is a unit from it. Backed by
    ``tests/synthesizers/test_balls.py``.
    """
    (middle, exponent), (radius, scale) = _parts(value)
    if radius and radius.bit_length() + scale + bits > 0:
        raise TooLargeError("a number is known to too few bits in FLINT's arithmetic")
    shift = exponent + bits
    size = abs(middle) << shift if shift >= 0 else abs(middle) >> -shift
    return -size if middle < 0 else size


def confirm(value: Any, low: Dyadic, high: Dyadic) -> None:
    """Raise RuntimeError unless a ball lies between two numbers.

    Guarantee
    ---------
    Returns only if every member does. Backed by ``tests/synthesizers/test_balls.py``.
    """
    middle, radius = _parts(value)
    below, above = add(middle, negate(radius)), add(middle, radius)
    if add(below, negate(low))[0] < 0 or add(high, negate(above))[0] < 0:
        raise RuntimeError("FLINT does not confirm a number of mpmath's: one of both errs")
