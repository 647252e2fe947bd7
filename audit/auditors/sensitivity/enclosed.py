"""Numbers that code computes with in the place of floats: rationals, and enclosures of the rest.

Sums, products, quotients, whole powers and comparisons of rationals are exact. Roots, exponentials
and logarithms are enclosed between rationals, and so is what is computed of them; a comparison that
an enclosure leaves open is refused. Neither becomes a float: code that makes one of it fails.
"""

from __future__ import annotations

import contextlib
import math
import numbers
import operator
from collections.abc import Callable, Iterator
from fractions import Fraction
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from synthesizers.intervals import Interval, exp_interval, log_interval

NARROW = Fraction(1, 2**120)
"""The largest share of itself that an enclosure may be wide and still count as one number: far
below what doubles resolve, and wide enough for a third of the working precision to be lost."""

MOST_POWER = 64
"""The largest whole power that is multiplied out."""


class Rational(Fraction):
    """A rational that stays one beside floats, and refuses to become a float."""

    __slots__ = ()

    def __float__(self) -> float:
        raise TypeError("an exact number is no float")

    def __pow__(self, power: Any) -> Any:
        return raise_to(self, power)

    def __rpow__(self, base: Any) -> Any:
        return raise_to(base, self)

    __hash__ = Fraction.__hash__


class Enclosed:
    """A real number between two rationals, as `Interval` computes with it."""

    __slots__ = ("interval",)
    __hash__ = None  # type: ignore[assignment]  # two enclosures may not tell if they are equal

    def __init__(self, interval: Interval) -> None:
        self.interval = interval

    def __float__(self) -> float:
        raise TypeError("an enclosed number is no float")

    def __bool__(self) -> bool:
        return bool(_compare(self, 0, "ne"))

    def __neg__(self) -> Enclosed:
        return Enclosed(-self.interval)

    def __pos__(self) -> Enclosed:
        return self

    def __abs__(self) -> Any:
        return -self if _compare(self, 0, "lt") else self

    def __pow__(self, power: Any) -> Any:
        return raise_to(self, power)

    def __rpow__(self, base: Any) -> Any:
        return raise_to(base, self)

    def conjugate(self) -> Enclosed:
        """Itself, as arrays of numbers ask for it."""
        return self

    @property
    def middle(self) -> Fraction | None:
        """A rational next to it; None where it is enclosed too widely for that."""
        low, high = self.interval.lower, self.interval.upper
        wide = high - low > NARROW * min(abs(low), abs(high))
        return None if wide else (low + high) / 2


def _rational(value: Any) -> Fraction | None:
    """A number of any exact or floating kind as a rational; None for anything else."""
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, numbers.Rational | float) or value != value:
        return None
    try:
        return Fraction(value)
    except OverflowError:
        return None


def _interval(value: Any) -> Interval | None:
    if isinstance(value, Enclosed):
        return value.interval
    found = _rational(value)
    return None if found is None else Interval(found, found)


def _operation(name: str, swapped: bool) -> Callable[[Any, Any], Any]:
    act = getattr(operator, name)

    def operate(self: Any, other: Any) -> Any:
        pair = (other, self) if swapped else (self, other)
        if isinstance(self, Enclosed) or isinstance(other, Enclosed):
            ends = tuple(map(_interval, pair))
            return NotImplemented if None in ends else Enclosed(act(*ends))
        values = tuple(map(_rational, pair))
        return NotImplemented if None in values else Rational(act(*values))

    return operate


def _compare(own: Enclosed, other: Any, name: str) -> Any:
    left, right = own.interval, _interval(other)
    if right is None:
        return NotImplemented
    if left.upper < right.lower or left.lower > right.upper:
        return getattr(operator, name)(left.lower, right.lower)
    raise TypeError(f"an enclosed number leaves {name} open")


def _comparison(name: str) -> Callable[[Enclosed, Any], Any]:
    return lambda own, other: _compare(own, other, name)


def _unary(name: str) -> Callable[[Rational], Rational]:
    act = getattr(operator, name)
    return lambda own: Rational(act(Fraction(own)))


for _name in ("add", "sub", "mul", "truediv", "mod"):
    for _kind in (Rational,) if _name == "mod" else (Rational, Enclosed):
        setattr(_kind, f"__{_name}__", _operation(_name, False))
        setattr(_kind, f"__r{_name}__", _operation(_name, True))
for _name in ("neg", "pos", "abs"):
    setattr(Rational, f"__{_name}__", _unary(_name))
for _name in ("lt", "le", "gt", "ge", "eq", "ne"):
    setattr(Enclosed, f"__{_name}__", _comparison(_name))


Exact = Any
"""A `Rational` or an `Enclosed`, whose operations are set below their classes."""


def _function(
    exactly: Callable[[Fraction], Fraction | None], enclose: Callable[[Fraction], Interval]
) -> Callable[[Any], Exact]:
    """A growing function: of a rational the number itself where it is rational, else enclosed."""

    def apply(value: Any) -> Exact:
        found = _rational(value)
        if found is None:
            ends = value.interval
            return Enclosed(Interval(enclose(ends.lower).lower, enclose(ends.upper).upper))
        known = exactly(found)
        return Enclosed(enclose(found)) if known is None else Rational(known)

    return apply


def _exact_root(value: Fraction) -> Fraction | None:
    if value < 0:
        raise ValueError("no root of a negative number")
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    return root if root * root == value else None


def _enclose_root(value: Fraction) -> Interval:
    """Between two rationals 2^-192 of it apart, or less."""
    if value <= 0:
        _exact_root(value)
        return Interval(Fraction(0), Fraction(0))
    shift = 192 + value.denominator.bit_length()
    root = math.isqrt((value.numerator << 2 * shift) // value.denominator)
    return Interval(Fraction(root, 1 << shift), Fraction(root + 1, 1 << shift))


take_root = _function(_exact_root, _enclose_root)
take_exp = _function(lambda value: Fraction(1) if value == 0 else None, exp_interval)
take_log = _function(lambda value: Fraction(0) if value == 1 else None, log_interval)


def raise_to(base: Any, power: Any) -> Any:
    """A power: multiplied out where it is whole, a root for a half, else by exp and log."""
    exponent = _rational(power)
    if exponent is not None and exponent.denominator == 1 and abs(exponent) <= MOST_POWER:
        if isinstance(base, Fraction):
            return Rational(Fraction(base) ** int(exponent))
        product = math.prod([base] * abs(int(exponent)), start=Rational(1))
        return product if exponent >= 0 else 1 / product
    if exponent == Fraction(1, 2):
        return take_root(base)
    if _interval(base) is None or _interval(power) is None:
        return NotImplemented
    return take_exp(power * take_log(base))


def _is_exact(value: Any) -> bool:
    return isinstance(value, Rational | Enclosed)


def _log(value: Any, base: Any = None) -> Any:
    return take_log(value) if base is None else take_log(value) / take_log(base)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": take_root,
    "exp": take_exp,
    "expm1": lambda value: take_exp(value) - 1,
    "log": _log,
    "log1p": lambda value: take_log(1 + value),
    "log2": lambda value: _log(value, 2),
    "log10": lambda value: _log(value, 10),
    "pow": raise_to,
    "fsum": lambda values: sum(values, Rational(0)),
    "hypot": lambda *values: take_root(sum((value * value for value in values), Rational(0))),
    "fabs": abs,
    "sumprod": lambda left, right: sum(map(operator.mul, left, right), Rational(0)),
    "dist": lambda left, right: take_root(
        sum(((a - b) * (a - b) for a, b in zip(left, right, strict=True)), Rational(0))
    ),
}
"""What of the module math knows exact numbers, by its names."""

for _name in ("sqrt", "exp", "expm1", "log", "log1p", "log2", "log10"):
    # NumPy asks the elements of an array of objects for their functions by these names.
    for _kind in (Rational, Enclosed):
        setattr(_kind, _name, lambda own, _of=FUNCTIONS[_name]: _of(own))


def _extend(name: str) -> Callable[..., Any]:
    """A function of math that takes exact numbers, too."""
    plain, exactly = getattr(math, name), FUNCTIONS[name]

    def call(*values: Any) -> Any:
        given = [list(value) if isinstance(value, Iterator) else value for value in values]
        flat = [
            one
            for value in given
            for one in (value if isinstance(value, list | tuple) else [value])
        ]
        return (exactly if any(map(_is_exact, flat)) else plain)(*given)

    return call


_EXTENDED = {getattr(math, name): _extend(name) for name in FUNCTIONS if hasattr(math, name)}
"""The functions of math, with those that take exact numbers in their place."""


@contextlib.contextmanager
def math_knows_exact_numbers(function: Any) -> Iterator[None]:
    """Within it math takes exact numbers, and so does what a function's module has of it.

    The names are set back afterwards. What holds a function of math in another place fails with
    exact numbers, as all code does that makes floats of them.
    """
    places = [vars(math), getattr(function, "__globals__", {})]
    before = [
        (place, {name: value for name, value in place.items() if _known(value)}) for place in places
    ]
    try:
        for place, names in before:
            place.update({name: _EXTENDED[value] for name, value in names.items()})
        yield
    finally:
        for place, names in before:
            place.update(names)


def _known(value: Any) -> bool:
    return isinstance(value, BuiltinFunctionType) and value in _EXTENDED
