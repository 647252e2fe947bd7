"""Checks proofs again from nothing: one file that needs the standard library alone.

Run ``python checker.py FILE``. A file is a derivation, a channel certificate, or a certificate that
carries either. Exit code 0: checked; 3: all but some numbers checked; 1: rejected; 2: malformed.

Trusted: this file, Python's integers and fractions, and the theorems that its rules name. It shares
no code with the kernel whose proofs it reads, and believes nothing that a file states: each step's
conclusion is worked out here and compared. Numbers are fractions; where a formula's value is not
one, it is enclosed between two (`Interval`). Epsilons are in nats.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import wraps
from math import comb, factorial, floor, isqrt, lcm
from types import SimpleNamespace
from typing import Any

MAX_BYTES = 32_000_000
MAX_LISTS = 4_000_000
MAX_DEPTH = 60
MAX_STEPS = 100_000
MAX_DIGITS = 4_000
MAX_EXPONENT = 1 << 15
MAX_TERMS = 20_000
WORK = 60_000_000
"""Limits of what is read and computed (choices of this project): bytes of a file, lists and objects
in it and how deep they are nested, steps, digits of a number, exponents of e, terms of a sum, and
units of work, about a microsecond each; a step beyond them is left to the kernel, a file beyond
them is malformed."""

PRECISIONS = (128, 384, 1536)
"""Bits at which an inequality is tried before it stays open."""

Data = dict[str, Any]
ZERO, ONE = Fraction(0), Fraction(1)


class Malformed(Exception):
    """The file is not of a form that can be checked."""


class Rejected(Exception):
    """Something stated does not follow."""


class Unaffordable(Exception):
    """A number is left to the kernel: its check would take too long, or stays undecided."""


class Unbound(Exception):
    """A proof does not say what it is about: it is neither borne out nor contradicted."""


@dataclass
class Meter:
    """What the present check may still spend, and what its present step left to the kernel."""

    left: int = WORK
    notes: list[str] = field(default_factory=list)


METER = Meter()


def spend(units: int) -> None:
    """Count work; raises Unaffordable when there has been too much of it."""
    METER.left -= units
    if METER.left < 0:
        raise Unaffordable("it takes more work than this checker allows itself")


def need(condition: bool, words: str) -> None:
    """Raise Rejected where a condition does not hold."""
    if not condition:
        raise Rejected(words)


# --- Arithmetic: enclosures with rational ends --------------------------------------------------


@dataclass(frozen=True, slots=True)
class Interval:
    """All real numbers from ``low`` to ``high``; operations have exact ends."""

    low: Fraction
    high: Fraction

    def __add__(self, other: Number) -> Interval:
        right = interval(other)
        return Interval(self.low + right.low, self.high + right.high)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __sub__(self, other: Number) -> Interval:
        return self + -interval(other)

    def __rsub__(self, other: Number) -> Interval:
        return interval(other) - self

    def __mul__(self, other: Number) -> Interval:
        right = interval(other)
        ends = [a * b for a in (self.low, self.high) for b in (right.low, right.high)]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other: Number) -> Interval:
        right = interval(other)
        if right.low <= 0 <= right.high:
            raise Unaffordable("a divisor could not be told from 0")
        return self * Interval(1 / right.high, 1 / right.low)

    def __rtruediv__(self, other: Number) -> Interval:
        return interval(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def rounded(self, bits: int) -> Interval:
        """The interval with its ends moved outwards to numbers of about ``bits`` bits."""
        return Interval(_round_down(self.low, bits), -_round_down(-self.high, bits))


Number = Interval | Fraction | int


def interval(value: Number) -> Interval:
    """A number as an interval."""
    return value if isinstance(value, Interval) else Interval(Fraction(value), Fraction(value))


def _round_down(value: Fraction, bits: int) -> Fraction:
    places = bits - value.numerator.bit_length() + value.denominator.bit_length()
    scaled = value.numerator << max(places, 0)
    return _dyadic(scaled // (value.denominator << max(-places, 0)), places)


def _dyadic(mantissa: int, places: int) -> Fraction:
    """Mantissa · 2^-places."""
    return Fraction(mantissa, 1 << places) if places >= 0 else Fraction(mantissa << -places)


def _shift_right(value: int, places: int, up: bool) -> int:
    """A value >= 0 over 2^places, rounded down or up."""
    return -(-value >> places) if up else value >> places


def _divide(value: int, divisor: int, up: bool) -> int:
    return -(-value // divisor) if up else value // divisor


Enclosed = Callable[[Number, int], Interval]


def increasing(function: Callable[[Fraction, int], Interval]) -> Enclosed:
    """An enclosed function that increases, taken to intervals."""

    @wraps(function)
    def extended(value: Number, bits: int) -> Interval:
        ends = interval(value)
        spend(bits)
        low = function(ends.low, bits)
        return low if ends.low == ends.high else Interval(low.low, function(ends.high, bits).high)

    return extended


@increasing
def exp(x: Fraction, bits: int) -> Interval:
    """e^x: Taylor's series of x/2^k < 1/2, squared k times."""
    if x == 0:
        return interval(1)
    if x < -MAX_EXPONENT:
        return Interval(ZERO, exp(-MAX_EXPONENT, bits).high)
    if x < 0:
        return 1 / exp(-x, bits)
    if x > MAX_EXPONENT:
        raise Unaffordable(f"e is raised to more than {MAX_EXPONENT}")
    halvings = floor(x).bit_length() + 1
    places = bits + 2 * halvings + 16
    return Interval(*(_exp(x, halvings, places, up) for up in (False, True)))


def _exp(x: Fraction, halvings: int, places: int, up: bool) -> Fraction:
    small = (x.numerator << places) // (x.denominator << halvings) + up
    term = total = 1 << places
    count = 0
    # Rounded up a term stays at 1 unit; what follows the last is less than it, as small <= 1/2.
    while term > up:
        count += 1
        term = _divide(_shift_right(term * small, places, up), count, up)
        total += term
    mantissa, scale = total + up, places
    for _ in range(halvings):
        mantissa, scale = mantissa * mantissa, 2 * scale
        excess = max(mantissa.bit_length() - places, 0)
        mantissa, scale = _shift_right(mantissa, excess, up), scale - excess
    return _dyadic(mantissa, scale)


@increasing
def log(x: Fraction, bits: int) -> Interval:
    """ln x for x > 0: 2·artanh((m-1)/(m+1)) + e·ln 2 with x = m·2^e, m in 2/3 … 4/3."""
    if x <= 0:
        raise Rejected("a logarithm is taken of a number that is not positive")
    power = x.numerator.bit_length() - x.denominator.bit_length()
    power += (x > Fraction(4, 3) * Fraction(2) ** power) - (
        x < Fraction(2, 3) * Fraction(2) ** power
    )
    rest = x / Fraction(2) ** power
    z = (rest - 1) / (rest + 1)
    places = (
        bits
        + 16
        + power.bit_length()
        + max(0, z.denominator.bit_length() - z.numerator.bit_length())
    )
    near, two = _artanh(abs(z), places), _artanh(Fraction(1, 3), places)
    return 2 * (near if z >= 0 else -near) + 2 * power * two


def _artanh(z: Fraction, places: int) -> Interval:
    """Σ z^(2j+1)/(2j+1) for 0 <= z <= 1/3."""
    ends = []
    for up in (False, True):
        power = ((z.numerator << places) // z.denominator + up) if z else 0
        square, total, odd = _shift_right(power * power, places, up), 0, 1
        while power > 0:
            total += _divide(power, odd, up)
            if up and power == 1:
                total += 1  # the terms that follow: less than 1/8 of the last
                break
            power, odd = _shift_right(power * square, places, up), odd + 2
        ends.append(_dyadic(total, places))
    return Interval(*ends)


@increasing
def sqrt(x: Fraction, bits: int) -> Interval:
    """√x for x >= 0, exact for squares of fractions."""
    top, bottom = isqrt(x.numerator), isqrt(x.denominator)
    if top * top == x.numerator and bottom * bottom == x.denominator:
        return interval(Fraction(top, bottom))
    places = bits + max(0, x.denominator.bit_length() - x.numerator.bit_length()) // 2 + 2
    root = isqrt((x.numerator << 2 * places) // x.denominator)
    return Interval(_dyadic(root, places), _dyadic(root + 1, places))


def pi(bits: int) -> Interval:
    """π = 16·arctan(1/5) - 4·arctan(1/239) (Machin); each rounding is at most 1 unit."""
    places, total, count = bits + 16, 0, 0
    for factor, base in ((16, 5), (-4, 239)):
        power, odd, sign = (abs(factor) << places) // base, 1, factor // abs(factor)
        while power:
            total += sign * (power // odd)
            power, odd, sign, count = power // (base * base), odd + 2, -sign, count + 2
        count += 2
    return Interval(_dyadic(total - count, places), _dyadic(total + count, places))


@increasing
def normal(x: Fraction, bits: int) -> Interval:
    """Φ(x), of relative precision in the lower tail."""
    if x == 0:
        return interval(Fraction(1, 2))
    tail = _tail(abs(x), bits)
    return tail if x < 0 else 1 - tail


def _tail(t: Fraction, bits: int) -> Interval:
    """1 - Φ(t) for t > 0, the density times Mills's ratio, or 1/2 minus a series in small t."""
    spend(bits)
    t_near = Interval(_round_down(t, bits + 64), -_round_down(-t, bits + 64))
    density = exp(-t * t / 2, bits + 80) / sqrt(2 * pi(bits + 80), bits + 80)
    if t <= 8:
        places = bits + 96
        ends = [_odd_series(t, places, up) for up in (False, True)]
        return Fraction(1, 2) - density * Interval(*ends)
    # Laplace's continued fraction t + 1/(t + 2/(t + …)): from its n-th part on it lies between t
    # and t + n/t, and each step before that reverses the order.
    depth = ((bits + 40) // (2 * floor(t)) + 3) ** 2
    spend(depth * bits // 8)
    part = Interval(t_near.low, t_near.high + depth / t_near.low)
    for number in range(depth - 1, 0, -1):
        part = (t_near + number / part).rounded(bits + 32)
    return density / part


def _odd_series(t: Fraction, places: int, up: bool) -> Fraction:
    """Σ t^(2n+1)/(1·3·…·(2n+1)) = (Φ(t) - 1/2)/φ(t) for 0 < t <= 8."""
    term = (t.numerator << places) // t.denominator + up
    square = (t.numerator**2 << places) // t.denominator**2 + up
    total, odd = term, 1
    # From 2·64 on each term is less than half of the one before.
    while term > up or odd < 128:
        odd += 2
        term = _divide(_shift_right(term * square, places, up), odd, up)
        total += term
    return _dyadic(total + up, places)


def power(base: Fraction, count: int, bits: int) -> Interval:
    """A power of a number in 0 … 1."""
    if base == 0 or count * base.denominator.bit_length() <= 20_000:
        return interval(base**count if base else 0 ** min(count, 1))
    return exp(log(base, bits + count.bit_length()) * count, bits)


def at_most(value: Callable[[int], Number], limit: Fraction, words: str) -> None:
    """Reject unless a number, enclosed to some bits, is at most ``limit``.

    What can't be afforded or decided is noted as left to the kernel.
    """
    try:
        for bits in PRECISIONS:
            found = interval(value(bits))
            if found.high <= limit:
                return
            need(found.low <= limit, words)
        raise Unaffordable("an inequality stays undecided")
    except Unaffordable as reason:
        METER.notes.append(f"{reason} ({words})")


# --- Data: what rules read ------------------------------------------------------------------------

_NUMBER = re.compile(
    r"-?[0-9]+(/0*[1-9][0-9]*)?|-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?"
)
Kind = Callable[[Any], Any]


def rational(value: object) -> Fraction:
    """An integer, or a fraction or decimal as text."""
    if type(value) is int and abs(value) < 10**MAX_DIGITS:
        return Fraction(value)
    if type(value) is not str or len(value) > MAX_DIGITS or not _NUMBER.fullmatch(value):
        raise Rejected(f"{quote(value)} is no integer, nor a fraction or decimal as text")
    return Fraction(value)


def such(holds: Callable[[Any], bool], words: str, first: Kind = lambda value: value) -> Kind:
    """What ``first`` reads, if it is such as the words say."""

    def read(value: object) -> Any:
        found = first(value)
        need(holds(found), f"{words} is expected")
        return found

    return read


def list_of(kind: Kind) -> Kind:
    """A list of values of one kind."""
    return lambda value: [kind(member) for member in members(value)]


def one_of(*words: str) -> Kind:
    """One of some words."""
    return such(lambda value: value in words, f"one of {', '.join(words)}", text)


members = such(lambda value: type(value) is list, "a list")
record = such(lambda value: type(value) is dict, "an object")
text = such(lambda value: type(value) is str, "a text")
flag = such(lambda value: type(value) is bool, "true or false")
integer = such(lambda v: type(v) is int and abs(v) < 10**MAX_DIGITS, "an integer")
whole = such(lambda value: value >= 0, "an integer from 0 on", integer)
counting = such(lambda value: value > 0, "an integer from 1 on", integer)
positive = such(lambda value: value > 0, "a positive number", rational)
inner = such(lambda value: 0 < value < 1, "a number strictly between 0 and 1", rational)
rationals, pairs = list_of(rational), list_of(list_of(rational))


def members_of(data: object, *names: str) -> list[Any]:
    """The members of an object that has exactly these names."""
    need(set(record(data)) == set(names), f"the names {', '.join(names)} are expected")
    return [record(data)[name] for name in names]


HINTS: dict[str, set[str]] = {
    "gaussian": set(), "responses": {"bits"}, "laplace": {"bits"}, "moment": {"order"},
    "lattice": {"step", "order", "below", "above", "size", "start"},
    "contour": {"order", "above", "step", "nodes", "bits", "grids"},
}  # fmt: skip
"""The methods of curves, and the names of the hints that each takes for a side."""

Relation = tuple[str, str, int]
"""The neighbours: "add-remove" or "replace-one", of a "record" or "person", its most records."""

WHERE = ("neighbours", "unit", "max_records")
ADD, REPLACE = ("add-remove", "record", 1), ("replace-one", "record", 1)


def relation(data: object) -> Relation:
    """A neighbouring relation."""
    name, unit, most = members_of(data, *WHERE)
    name, unit = one_of("add-remove", "replace-one")(name), one_of("record", "person")(unit)
    need(counting(most) == 1 or unit == "person", "a record is one record")
    return name, unit, most


def setting(data: object) -> Data:
    """What a program runs on: how many values each attribute has; the public number of records."""
    attributes, records = members_of(data, "attributes", "records")
    need(record(attributes) != {}, "an attribute is expected")
    shape = {name: counting(size) for name, size in attributes.items()}
    return {"attributes": shape, "records": None if records is None else whole(records)}


def relation_of(judgment: Data) -> Relation:
    """The neighbours of a judgment."""
    return judgment["neighbours"], judgment["unit"], judgment["max_records"]


def total(values: list[Fraction]) -> Fraction:
    """A sum of fractions whose size stays bounded."""
    found = ZERO
    for value in values:
        found += value
        need(found.denominator.bit_length() < 64_000, "a sum has too many digits")
    return found


LOSSES: dict[str, dict[str, Kind]] = {
    "gaussian": {"mu_squared": rational},
    "laplace": {"epsilon": rational},
    "discrete-laplace": {"rate": positive, "shift": whole},
    "discrete-gaussian": {"variance": positive, "shift": whole},
    "response": {"epsilon": rational, "delta": rational},
    "sampled-gaussian": {"fraction": inner, "mu_squared": positive},
    "allocation": {"steps": counting, "mu_squared": positive},
    "fixed-size": {"fraction": inner, "mu_squared": positive},
}
GUARANTEES: dict[str, dict[str, Kind]] = {
    "approx": {"epsilon": rational, "delta": rational},
    "zcdp": {"rho": rational},
    "gdp": {"mu": rational},
    "approx-zcdp": {"xi": rational, "rho": rational, "delta": rational},
    "renyi": {"points": pairs},
    "profile": {"points": pairs},
    "dominated": {"losses": list_of(record)},
    "odometer": {"levels": pairs, "delta": rational},
}
"""The losses of dominating pairs, and the kinds of guarantees, with their parameters."""


def make_guarantee(kind: str, *values: Any) -> Data:
    """A guarantee, if its numbers lie in their ranges."""
    found: Data = {"kind": kind, **dict(zip(GUARANTEES[kind], values, strict=True))}
    points: Any = found.get("points", found.get("levels", [[2, ZERO]]))
    need(len(points) > 0 and {len(point) for point in points} == {2}, "a point is a pair")
    firsts, seconds = [list(ends) for ends in zip(*points, strict=True)]
    fine = firsts == sorted(set(firsts)) and firsts[0] >= 0 and min(seconds) >= 0
    fine &= all(found.get(name, ZERO) >= 0 for name in ("epsilon", "delta", "rho", "mu", "xi"))
    fine &= found.get("delta", ZERO) < 1 and (kind != "renyi" or firsts[0] > 1)
    need(fine and (kind != "profile" or max(seconds) < 1), "a number is out of its range")
    return found


def guarantee(data: object) -> Data:
    """A guarantee of its plain data."""
    kind = one_of(*GUARANTEES)(record(data).get("kind"))
    values = [read(record(data).get(name)) for name, read in GUARANTEES[kind].items()]
    members_of(data, "kind", *GUARANTEES[kind])
    if kind == "dominated":
        values = [[_loss(entry) for entry in values[0]]]
        need(join_losses(values, [1]) == values[0], "losses have one order")
    return make_guarantee(kind, *values)


def _loss(data: Data) -> Data:
    kind = one_of(*LOSSES)(data.get("loss"))
    members_of(data, "loss", "count", *LOSSES[kind])
    values = [read(data[name]) for name, read in LOSSES[kind].items()]
    fine = min(values) >= 0 and (kind != "response" or values[1] < 1)
    fine &= kind != "allocation" or values[0] > 1
    need(fine, "a number of a loss is out of its range")
    return loss(kind, whole(data["count"]), *values)


def loss(kind: str, count: int, *values: Any) -> Data:
    """A loss that occurs so often."""
    return {"loss": kind, "count": count, **dict(zip(LOSSES[kind], values, strict=True))}


def join_losses(parts: list[list[Data]], counts: list[int]) -> list[Data]:
    """All losses of all parts, in one order; Gaussians become one."""
    found: dict[tuple[Any, ...], int] = {}
    squares = []
    for losses, times in zip(parts, counts, strict=True):
        for one in losses:
            if one["loss"] == "gaussian":
                squares.append(times * one["count"] * one["mu_squared"])
            else:
                key = tuple(value for name, value in one.items() if name != "count")
                found[key] = found.get(key, 0) + times * one["count"]
    if squared := total(squares):
        found["gaussian", squared] = 1
    return [loss(key[0], found[key], *key[1:]) for key in sorted(found) if found[key]]


# --- Curves: what mechanisms reveal -----------------------------------------------------------


def gaussian_delta(mu_squared: Fraction, epsilon: Fraction, bits: int) -> Number:
    """δ(ε) of N(μ, 1) against N(0, 1) (Balle & Wang 2018, Theorem 8)."""
    if mu_squared == 0:
        return 0
    mu = sqrt(mu_squared, bits)
    beyond = exp(epsilon, bits) * normal(-mu / 2 - epsilon / mu, bits)
    return normal(mu / 2 - epsilon / mu, bits) - beyond


def response_delta(
    count: int, own: Fraction, leak: Fraction, epsilon: Fraction, bits: int
) -> Interval:
    """δ(ε) of equal (ε₀, δ₀) responses (Kairouz, Oh & Viswanath 2015, Theorem 3.3).

    The loss is (count - 2l)·ε₀ with binomial chance, unless one of them leaks.
    """
    found, last = interval(0), -1
    if epsilon < count * own:
        last = min(count, floor((count - epsilon / own) / 2))
        if last > MAX_TERMS:
            raise Unaffordable(f"a sum has more than {MAX_TERMS} terms")
        spend((last + 2) * bits // 4)
        fewer, growth = exp(-own, bits), exp(2 * own, bits)
        chance = exp(-count * log(1 + fewer, bits + count.bit_length()), bits)
        share = exp(epsilon - count * own, bits)
    for number in range(last + 1):
        found = (found + chance * (1 - share)).rounded(bits)
        ratio = Fraction(count - number, number + 1)
        chance, share = (chance * fewer * ratio).rounded(bits), (share * growth).rounded(bits)
    return 1 - power(1 - leak, count, bits) * (1 - found)


def mixed_delta(
    entries: list[tuple[int, Data]], epsilon: Fraction, grid: int, bits: int
) -> Interval:
    """At least δ(ε) of different responses, each ε₀ rounded up to a multiple of 2^-grid.

    Murtagh & Vadhan 2016, section 5: the law of the sum of losses, one by one, rounded up.
    """
    if grid > 64:
        raise Unaffordable("losses are rounded too finely")
    steps = [-floor(-one["epsilon"] * 2**grid) for _, one in entries]
    runs = [count if step else 0 for step, (count, _) in zip(steps, entries, strict=True)]
    whole_sum = sum(step * count for step, count in zip(steps, runs, strict=True))
    spend(2 * sum(runs) * (whole_sum + 1))
    weights, kept = [1 << bits], interval(1)
    for step, count, (times, one) in zip(steps, runs, entries, strict=True):
        kept = kept * power(1 - one["delta"], times, bits)
        odds = 1 / (1 + exp(Fraction(-step, 2**grid), bits))
        plus, minus = (-floor(-end * 2**bits) for end in (odds.high, (1 - odds).high))
        for _ in range(count):
            longer = [0] * step
            down, up = [w * minus for w in weights] + longer, longer + [w * plus for w in weights]
            weights = [_shift_right(a + b, bits, True) for a, b in zip(down, up, strict=True)]
    found, share = ZERO, exp(epsilon - Fraction(whole_sum, 2**grid), bits).low
    growth = exp(Fraction(2, 2**grid), bits).low
    for weight in reversed(weights):  # from the largest loss down; share is e^(ε - loss)
        found += weight * max(1 - share, ZERO)
        share = min(_round_down(share * growth, bits), ONE)
    return Interval(ZERO, (1 - kept * (1 - min(found / 2**bits, ONE))).high)


def log_moment(one: Data, order: Fraction, bits: int) -> Interval:
    """ln of E_Q[(P/Q)^order], order >= 1, of a pair's larger side; of responses without leaks."""
    match one["loss"]:
        case "gaussian":
            return interval(order * (order - 1) * one["mu_squared"] / 2)
        case "laplace":
            high = exp((order - 1) * one["epsilon"], bits)
            low = exp(-order * one["epsilon"], bits)
            return log((order * high + (order - 1) * low) / (2 * order - 1), bits)
        case "response":
            found = exp(order * one["epsilon"], bits) + exp((1 - order) * one["epsilon"], bits)
            return log(found / (1 + exp(one["epsilon"], bits)), bits)
        case "discrete-laplace":
            # Three geometric series: of z <= 0, of z >= shift, and of those in between.
            rate, shift = one["rate"], one["shift"]
            step, start = rate * (2 * order - 1), -order * rate * shift
            outside = exp(start, bits) + exp(start + step * shift, bits)
            between = exp(start + step * shift, bits) - exp(start + step, bits)
            inside, tail = between / (exp(step, bits) - 1), exp(-rate, bits)
            return log((outside + (1 - tail) * inside) / (1 + tail), bits) if shift else interval(0)
        case "discrete-gaussian":
            # At most this (Canonne, Kamath & Steinke 2020, Proposition 5).
            found = order * (order - 1) * one["shift"] ** 2 / (2 * one["variance"])
            return Interval(ZERO, found)
        case "sampled-gaussian":
            # On the other side it is no more.
            return of_integers(lambda whole: sampled_moment(one, whole, bits), order)
        case "allocation":
            ends = (allocated_moment, added_moment)
            return of_integers(lambda whole: max(end(one, whole, bits) for end in ends), order)
        case "fixed-size":
            return of_integers(lambda whole: fixed_size_moment(one, whole, bits), order)
        case _:
            raise Rejected("the moments of that loss are not known")


def of_integers(at: Callable[[int], Fraction], order: Fraction) -> Interval:
    """A convex function between integers, at least 0."""
    below = floor(order)
    least, most = at(below), at(below + 1) if order > below else ZERO
    return Interval(ZERO, least + (most - least) * (order - below))


def round_up(value: Fraction, bits: int) -> Fraction:
    """A number of about so many bits above a value."""
    return -_round_down(-value, bits)


def allocated_moment(one: Data, order: int, bits: int) -> Fraction:
    """At least ln E[(S/t)^order], S the sum of t independent e^(μx - μ²/2): a power of a series."""
    if order > 200:
        raise Unaffordable("moments of an allocation are checked at orders to 200")
    left, size = one["steps"], order + 1
    spend(4 * size * size * left.bit_length())
    exponents = [one["mu_squared"] * k * (k - 1) / 2 for k in range(size)]
    base = [exp(power, bits).high / factorial(k) for k, power in enumerate(exponents)]
    found = [ONE] + [ZERO] * order
    while left:
        found = product(found, base, bits) if left % 2 else found
        left, base = left // 2, product(base, base, bits) if left > 1 else base
    return max(ZERO, (log(found[order] * factorial(order), bits) - order * log_of(one, bits)).high)


def log_of(one: Data, bits: int) -> Interval:
    """ln t of an allocation."""
    return log(Fraction(one["steps"]), bits)


def product(left: list[Fraction], right: list[Fraction], bits: int) -> list[Fraction]:
    """At least a product of power series of as many terms."""
    sums = (sum(left[i] * right[n - i] for i in range(n + 1)) for n in range(len(left)))
    return [round_up(Fraction(value), bits) for value in sums]


def added_moment(one: Data, order: int, bits: int) -> Fraction:
    """At least ln E[(t/S)^c], c = order - 1: ∫ e^(cv)·λ(e^v)^t dv / Γ(c), λ(y) = E[e^(-yw)].

    By the trapezoid rule in v, of a step h, and in x for λ, of the step h/μ. It errs by at most
    2N/(e^(2πa/step) - 1), N bounding the integrals of the modulus at heights up to a: for λ at
    a = 2πμ/h, or π/(2μ), it is e^(a²/2); for the outer integral cos(a)^-c of it, here at a = 1/2
    or less. By S >= t·(Π w)^(1/t) the last terms fall like e^(-(c+2)v).
    """
    t, squared, c = one["steps"], one["mu_squared"], order - 1
    if c == 0:
        return ZERO
    k, mu = 2 * c + 2, sqrt(squared, bits)
    grows = k * squared / 2 + k * k * squared / (2 * t)
    top = floor((k * (log(Fraction(k), bits).high - 1) + grows + 60) / (c + 2) - squared / 2) + 1
    top -= floor(log_of(one, bits).low)
    bottom = -floor(log_of(one, bits).high + Fraction(60, c) + squared / 2) - 2
    # λ is needed to e^-fine.
    fine = 60 + max(ZERO, c * Fraction(top)) / t
    per = floor(max(16, 2 * sqrt(Fraction(c), 64).high, fine / 4, 1 / mu.low) + fine / 60) + 1
    nodes, reach = (top - bottom) * per, floor(2 * fine * mu.high * per / 6) + 1
    if nodes > 20_000 or nodes * reach > 4_000_000:
        raise Unaffordable("an integral has too many nodes")
    spend(nodes * reach // 4)
    places, two_pi = floor(2 * fine) + 64, 2 * pi(bits).low
    unit = 1 << places
    decay = [
        floor(exp(-exp(min(Fraction(m, per), Fraction(7)), 64).low, places).high * unit) + 1
        for m in range(bottom * per - reach, top * per + reach + 1)
    ]
    density = (per * mu * sqrt(interval(two_pi), bits)).low
    falls = [
        exp(-Fraction(j * j, per * per) / (2 * squared), places).high for j in range(reach + 1)
    ]
    weights = [floor(fall / density * unit) + 1 for fall in [*falls[:0:-1], *falls]]
    height = min(two_pi / 4 / mu.high, two_pi * mu.low * per)
    strip = exp(two_pi * height * mu.low * per, bits).low - 1
    spare = floor((2 * exp(height * height / 2, bits).high / strip + falls[-1]) * unit) + 2
    first, last = (end + squared / 2 for end in (bottom, top))
    found = exp(c * first, bits).high / (exp(Fraction(c, per), bits).low - 1)
    ratio = k * log(Fraction(k, t), bits) - k + grows - (k - c) * last
    found += exp(ratio, bits).high / (exp(Fraction(k - c, per), bits).low - 1)
    for i in range(nodes + 1):
        row = sum(map(int.__mul__, weights, decay[i : i + len(weights)]))
        value = min(Fraction((row >> places) + spare, unit), ONE)
        lifted = exp(c * (first + Fraction(i, per)), bits).high
        found = round_up(found + lifted * power_above(value, t, bits), bits)
    turn = min(Fraction(1, 2), Fraction(2 * per, c))
    spread = (-c * log(1 - turn * turn / 2, bits)).high
    error = exp(spread, bits).high * 2 / (exp(two_pi * turn * per, bits).low - 1)
    if error >= 1:
        raise Unaffordable("an integral's step is too large")
    whole = log(found / (per * (1 - error) * factorial(c - 1)), bits) + c * log_of(one, bits)
    return max(ZERO, whole.high)


def power_above(value: Fraction, count: int, bits: int) -> Fraction:
    """At least a power of a number in 0 … 1."""
    found = ONE
    for bit in f"{count:b}":
        found = round_up(found * found * (value if bit == "1" else 1), bits)
    return found


def fixed_size_moment(one: Data, order: int, bits: int) -> Fraction:
    """At least ln of ∫ r^order + ∫ r^(1-order) + 1 - ∫ r - ∫ 1, over x > μ/2, r = 1 - q + q·w.

    ∫ w^j = e^(μ²j(j-1)/2)·Φ(jμ - μ/2), and r^-c is at most its Taylor polynomials of even degree
    in r - 1 >= 0.
    """
    if order > 400:
        raise Unaffordable("moments of a fixed-size loss are checked at orders to 400")
    q, squared, c = one["fraction"], one["mu_squared"], order - 1
    half = sqrt(squared, bits) / 2
    powers = [
        exp(squared * j * (j - 1) / 2, bits) * normal((2 * j - 1) * half, bits)
        for j in range(max(order, 12) + 1)
    ]
    found = 1 - (1 - q) * powers[0] - q * powers[1] - powers[0]
    for j in range(order + 1):
        chance = comb(order, j) * (1 - q) ** (order - j) * q**j
        found = (found + chance * powers[j]).rounded(bits)
    below, least = interval(0), powers[0].high
    for degree in range(13):
        signs = [comb(degree, j) * (-1) ** (degree - j) for j in range(degree + 1)]
        parts = zip(signs, powers[: degree + 1], strict=True)
        each = sum((sign * power for sign, power in parts), interval(0))
        below += comb(c + degree - 1, degree) * (-q) ** degree * each if degree else powers[0]
        least = least if degree % 2 else min(least, below.high)
    return max(ZERO, log(found + least, bits).high)


def sampled_moment(one: Data, order: int, bits: int) -> Fraction:
    """At least a sampled Gaussian's (Mironov, Talwar & Zhang 2019, section 3.3): a binomial sum."""
    if order > 1000:
        raise Unaffordable("moments of a sampled Gaussian are checked at orders to 1000")
    q, squared = one["fraction"], one["mu_squared"]
    found, chance = ZERO, power(1 - q, order, bits).high
    for number in range(order + 1):
        term = chance * exp(squared * (number * number - number) / 2, bits).high
        found, ratio = (
            -_round_down(-found - term, bits),
            q / (1 - q) * (order - number) / (number + 1),
        )
        chance = -_round_down(-chance * ratio, bits)
    return max(ZERO, log(found, bits).high)


def curve_at_most(
    losses: list[Data], epsilon: Fraction, delta: Fraction, method: str, hints: Data
) -> None:
    """Reject unless δ(ε) of the product of some pairs is at most ``delta``, on both sides."""
    kinds, words = {one["loss"] for one in losses}, f"delta is too small, by the method {method}"
    sides = ("remove", "add") if kinds & {"sampled-gaussian", "allocation"} else ("remove",)
    need(set(hints) <= {"remove", "add"}, "hints are for the sides remove and add")
    for side in hints:
        need(set(record(hints[side])) == HINTS[method], "the hints are those of another method")
    if not losses:
        return
    one = losses[0]
    match method:
        case "gaussian":
            squared = total([mu_squared(each) for each in losses])
            at_most(lambda bits: gaussian_delta(squared, epsilon, bits), delta, words)
        case "responses" if len(losses) == 1 and one.get("shift", 1) == 1:
            need(kinds < {"response", "discrete-laplace"}, "the method is for other losses")
            counting(hints["remove"]["bits"])
            own, leak = one["rate" if "rate" in one else "epsilon"], one.get("delta", ZERO)
            at_most(lambda b: response_delta(one["count"], own, leak, epsilon, b), delta, words)
        case "moment":
            for side in sides:
                moment_at_most(losses, epsilon, delta, positive(hints[side]["order"]))
        case "responses" | "laplace" | "lattice" | "contour":
            METER.notes.append(f"the numbers of the method {method} are left to the kernel")
        case _:
            raise Rejected("there is no such method")


def moment_at_most(losses: list[Data], epsilon: Fraction, delta: Fraction, order: Fraction) -> None:
    """Reject unless δ is at least E_P[e^(cL)]·e^(-cε)·c^c/(1+c)^(1+c), leaks apart."""

    def value(bits: int) -> Interval:
        size, kept = order * log(order, bits) - (order + 1) * log(order + 1, bits), interval(1)
        for one in losses:
            size += one["count"] * log_moment(one, order + 1, bits)
            kept = kept * power(1 - one.get("delta", ZERO), one["count"], bits)
        return 1 - kept * (1 - exp(size - order * epsilon, bits))

    at_most(value, delta, "delta is too small, by the method moment")


# --- Rules ----------------------------------------------------------------------------------------

HYPOTHESES = {
    "sampler": "samplers have their stated laws",
    "entropy": "randomness is uniform and fresh",
    "public": "what is called public was fixed without looking at the data",
    "out-of-scope": "nothing but the answers is observed: no time, memory or messages",
    "post-processing": "what is made of the answers looks at them alone",
    "fixed-ledger": "a program asks the same questions along every transcript",
    "curator": "each question is charged what its rule proves, and refused beyond the budget",
    "real-numbers": "continuous noise is a real number",
    "stated-sensitivity": "a sensitivity is as stated",
    "stated-guarantee": "a mechanism's guarantee is as stated",
    "record-wise": "a map turns each record by itself into at most so many records",
    "independent-key": "each record's part depends on that record alone",
    "secret-sample": "the sample is secret, and drawn anew",
    "independent-choice": "which mechanism runs is drawn without looking at the data",
}
"""What theorems rest on that no rule shows."""

BASE = ("sampler", "entropy", "public", "out-of-scope")
REAL = ("real-numbers",)
EVERY_TRANSCRIPT = "every transcript"
ONE_QUESTION = "a first question that uses up the budget"
DECLARED = "declared beforehand; the curator refuses all else"

PARAMETERS: dict[str, Kind] = {
    "neighbours": relation, "relation": one_of("add-remove", "replace-one"),
    "shape": record, "query": record, "program": record, "law_record": record, "hints": record,
    "stated": text, "description": text, "key": text, "mechanism": text, "map": text,
    "method": one_of(*HINTS),
    "l0": lambda value: None if value is None else whole(value), "matrix": list_of(rationals),
    "l1": rational, "l2_squared": rational, "linf": rational, "order": rational, "budget": rational,
    "epsilon": rational, "delta": rational, "rho": rational, "mu": rational,
    "scale": positive, "rate": positive, "variance": positive, "sigma_squared": positive,
    "alpha_min": positive, "fraction": positive, "threshold_scale": positive,
    "query_scale": positive,
    "slack": inner, "delta_split": inner, "drop": whole, "bits": whole, "records": whole,
    "count": counting, "values": counting, "sample": counting, "counts": list_of(counting),
    "monotone": flag, "integers": flag, "resampled": flag, "points": pairs, "levels": pairs,
    "orders": rationals, "epsilons": rationals, "deltas": rationals, "weights": rationals,
    "law": one_of("laplace", "rounded-laplace", "discrete-laplace"), "releases": one_of("bits"),
    "noise": one_of("laplace", "exponential", "discrete-laplace"), "guarantee": guarantee,
    "measure": one_of("epsilon", "rho", "renyi"), "hint_list": list_of(record),
    "seen": one_of(EVERY_TRANSCRIPT, ONE_QUESTION, DECLARED),
    "setting": setting, "released": one_of("output", "transcript"),
    "databases": list_of(list_of(whole)), "rows": list_of(members),
}  # fmt: skip
"""What parameters are, by name. In the tables of rules below a name with = is read as another."""

Conclusion = tuple[Data, set[str]]
NO_ARM = "there is no such rule in its family"

QUERIES = {
    "marginal": "neighbours shape query", "cell-counts": "neighbours shape query",
    "total": "neighbours shape query", "bounded-sum": "neighbours shape query",
    "recoded-marginal": "neighbours shape query", "linear": "neighbours shape query",
    "model-error": "neighbours shape query", "cell-errors": "neighbours shape query",
    "independence-distance": "neighbours shape query", "transformed": "records description",
    "mutual-information": "neighbours shape query", "maximal-correlation": "neighbours shape query",
    "itemset-counts": "neighbours shape query", "rank-distance": "neighbours shape query",
    "stated-sensitivity": "neighbours query=stated l0 l1 l2_squared linf monotone integers",
}  # fmt: skip
"""Rules about queries."""


def moving(
    at: Relation, l0: int | None, norms: tuple[Any, Any, Any], monotone: bool, integers: bool = True
) -> Data:
    """How far a query's answers move."""
    sizes = dict(zip(("l1", "l2_squared", "linf"), map(Fraction, norms), strict=True))
    flags = {"monotone": monotone, "integers": integers}
    return {"judgment": "stable", **dict(zip(WHERE, at, strict=True)), "l0": l0, **sizes, **flags}


def size_of(shape: Data, names: Any) -> int:
    """How many cells the marginal of some attributes has."""
    need(0 < len(set(list_of(text)(names))) == len(names), "different attributes are expected")
    found = 1
    for name in names:
        need(name in shape, "an attribute is unknown")
        found *= counting(shape[name])
        need(found.bit_length() < 64_000, "a domain is too large")
    return found


def counts(at: Relation, answers: int, every_record: bool) -> Data:
    """Counts to at most one of which a record adds 1; to one exactly, if ``every_record``."""
    m = 0 if at == REPLACE and answers == 1 and every_record else at[2]
    if at[0] == "add-remove" or answers == 1:
        return moving(at, min(m, answers), (m, m * m, m), True)
    return moving(at, min(2 * m, answers), (2 * m, 2 * m * m, m), False)


def score_moves(at: Relation, spans: list[int]) -> Data:
    """Scores that move by at most their spans, each in a direction of its own."""
    need(spans != [], "one or more candidates are expected")
    norms = (sum(spans), sum(span * span for span in spans), max(spans))
    return moving(at, sum(span > 0 for span in spans), norms, max(spans) == 0)


def count_groups(shape: Data, names: Any, groups: Any) -> tuple[int, bool]:
    """How many groups are counted, and whether each code of each attribute is in one."""
    size_of(shape, names)
    codes = list_of(list_of(integer))(groups)
    need([len(own) for own in codes] == [shape[name] for name in names], "each code has a group")
    found = 1
    for own in codes:
        need(min(own) >= -1 and max(own) >= 0, "groups are numbered from 0; -1 is for no group")
        found *= max(own) + 1
        need(found.bit_length() < 64_000, "there are too many groups")
    return found, all(-1 not in own for own in codes)


def model_spans(
    at: Relation, shape: Data, candidates: Any, models: Any, numbers: Data
) -> list[int]:
    """How far each distance to a model's counts moves, times its weight."""
    parts = [
        count_groups(shape, *members_of(each, "attributes", "groups"))
        if type(each) is dict
        else (size_of(shape, each), True)
        for each in members(candidates)
    ]
    lengths = [len(model) for model in list_of(list_of(integer))(models)]
    need([cells for cells, _ in parts] == lengths, "each candidate needs a model of its size")
    ones = [1] * len(parts)
    weights = list_of(whole)(numbers.get("weights", ones))
    offsets = list_of(integer)(numbers.get("offsets", ones))
    need(len(weights) == len(offsets) == len(parts), "one number a candidate is expected")
    spans = [counts(at, *part)["l1"] for part in parts]
    return [weight * int(span) for weight, span in zip(weights, spans, strict=True)]


def cell_errors(
    at: Relation, shape: Data, marginals: Any, cells: Any, models: Any, scale: Any
) -> Data:
    """Distances of scaled counts to numbers, which move as the counts do."""
    chosen, told = list_of(list_of(whole))(cells), list_of(list_of(integer))(models)
    need([len(each) for each in chosen] == [len(each) for each in told], "a cell needs a number")
    found: list[Data] = []
    factor = counting(scale)
    for names, own in zip(members(marginals), chosen, strict=True):
        size = size_of(shape, names)
        fine = 0 < len(own) == len(set(own)) and max(own) < size
        need(fine, "different cells of the marginal are expected")
        found.append(counts(at, len(own), len(own) == size))
    l0, l1, squared = (sum(each[name] for each in found) for name in ("l0", "l1", "l2_squared"))
    far = factor * max(each["linf"] for each in found)
    return moving(at, l0, (factor * l1, factor**2 * squared, far), far == 0)


def sides(pair: Any) -> tuple[Any, Any]:
    """Both members of a pair."""
    need(len(members(pair)) == 2, "a pair is expected")
    return pair[0], pair[1]


def distance_span(at: Relation, shape: Data, left: Any, right: Any) -> int:
    """How far the distance of a table's counts to those of independent sides moves."""
    sizes = size_of(shape, left), size_of(shape, right)
    need(not set(left) & set(right), "an attribute is on both sides")
    factor = (4 if at[0] == "add-remove" else 8) * at[2]
    if at == REPLACE:
        factor = 4 if min(sizes) == 2 else 6
    return factor if min(sizes) > 1 else 0


def family(shape: Data, candidate: Any) -> tuple[int, int]:
    """How many values a child has, and its parents together."""
    child, parents = sides(candidate)
    size_of(shape, [child, *members(parents)])
    return size_of(shape, [child]), size_of(shape, parents)


def item_list(shape: Data, given: Any) -> list[tuple[str, int]]:
    """Items: attributes with codes that they have."""
    found = [(text(name), whole(code)) for name, code in map(sides, members(given))]
    fine = all(name in shape and code < shape[name] for name, code in found)
    need(fine and found != [], "items are attributes with codes that they have")
    return found


def information_span(records: int, scale: int, sizes: tuple[int, int]) -> int:
    """How far the rounded terms scale·c·log2 c of a mutual information move in all."""
    if min(sizes) == 1 or records < 2:
        return 0
    part = 1 if min(sizes) == 2 else 2
    many, few = records - 1 + part, records - 1
    for bits in PRECISIONS:
        spend(bits)
        moved = many * log2(Fraction(many, part), bits) - few * log2(Fraction(few, part), bits)
        low, high = (floor(scale * end) for end in (moved.low, moved.high))
        if low == high:
            return low + 6
    raise Unaffordable("how far a mutual information moves stays undecided")


def log2(x: Fraction, bits: int) -> Interval:
    """log2 x for x > 0; the number itself for a power of two."""
    power = x.numerator.bit_length() - x.denominator.bit_length()
    if x == Fraction(2) ** power:
        return interval(power)
    return log(x, bits) / log(Fraction(2), bits)


def matrix_moves(at: Relation, size: int, layers: list[Any]) -> Data:
    """Sums of a matrix's columns; a unit adds some, and under replace-one takes others away."""
    read = [members_of(layer, "weight", "rows") for layer in layers]
    spend(size * (len(read) + 1))
    columns: list[dict[int, int]] = [{} for _ in range(size)]
    answers = 0
    for weight, rows in read:
        need(len(list_of(integer)(rows)) == size and min(rows) >= -1, "an answer or -1 for a cell")
        answers = max(answers, max(rows) + 1)
        for column, row in zip(columns, rows, strict=True):
            if row >= 0:
                column[row] = column.get(row, 0) + integer(weight)
    need(answers > 0, "one or more answers are expected")
    entries: dict[int, list[int]] = {}
    for column in columns:
        for row, value in column.items():
            entries.setdefault(row, []).append(value)
    ends = {}
    for row, values in entries.items():
        # A cell that is not listed has a 0 there, and a person may own no record.
        values += [0] * (len(values) < size or at[:2] == ("replace-one", "person"))
        ends[row] = at[2] * min(values), at[2] * max(values)
    most = [0, 0, 0]
    for column in columns:
        sizes = [at[2] * abs(value) for value in column.values() if value]
        norms = (at[2] * len(sizes), sum(sizes), sum(each * each for each in sizes))
        most = [max(pair) for pair in zip(most, norms, strict=True)]
    negative = any(low < 0 for low, _ in ends.values())
    if at[0] == "add-remove":
        far = [max(-low, high) for low, high in ends.values()]
        l0 = min(most[0], sum(each > 0 for each in far))
        return moving(at, l0, (most[1], most[2], max(far)), not negative)
    far = [high - low for low, high in ends.values()]
    l0 = min(2 * most[0], sum(each > 0 for each in far))
    l1 = min(2 * most[1], sum(far))
    squared = min((4 if negative else 2) * most[2], sum(each * each for each in far))
    return moving(at, l0, (l1, squared, max(far)), answers == 1 or max(far) == 0)


def about_query(rule: str, premises: list[Data], a: Any) -> Conclusion:
    """How far answers move between neighbours; each norm is bounded by what one unit adds."""
    if rule == "transformed":
        need(len(premises) == 1 and premises[0]["judgment"] == "stable", "a query is needed")
        needed = relation_of(premises[0]) == ("add-remove", "person", a.records)
        need(needed, "the query must bear a person of as many records as one record becomes")
        return {**premises[0], "unit": "record", "max_records": 1}, {"record-wise"}
    need(not premises, "no premises are taken")
    if rule == "stated-sensitivity":
        fine = 0 <= a.linf <= a.l1 and a.linf**2 <= a.l2_squared <= a.l1**2
        if a.l0 is not None:
            fine &= a.l1 <= a.l0 * a.linf and a.l2_squared <= a.l0 * a.linf**2
        need(fine, "the norms contradict each other")
        norms = (a.l1, a.l2_squared, a.linf)
        return moving(a.neighbours, a.l0, norms, a.monotone, a.integers), {rule}
    size, at = size_of(a.shape, list(a.shape)), a.neighbours
    more = [name for name in _SPARE.get(rule, []) if name in a.query]
    kind, *own = members_of(a.query, "kind", *_ASKED[rule], *more)
    need(kind == rule, "the query is of another kind")
    match rule:
        case "marginal":
            found = counts(at, size_of(a.shape, own[0]), True)
        case "cell-counts":
            cells = list_of(whole)(own[0])
            fine = 0 < len(cells) == len(set(cells)) and max(cells) < size
            need(fine, "different cells of the domain are expected")
            found = counts(at, len(cells), len(cells) == size)
        case "total":
            found = counts(at, 1, True)
        case "bounded-sum":
            name, values, low, high = own
            fine = integer(low) <= integer(high) and len(values) == size_of(a.shape, [name])
            need(fine, "a sum needs low <= high and one value for each code")
            added = [min(max(value, low), high) for value in list_of(integer)(values)]
            spare = [] if at == REPLACE else [0]  # a unit may add nothing, on one side or the other
            low, high = at[2] * min(added + spare), at[2] * max(added + spare)
            span = max(high, -low) if at[0] == "add-remove" else high - low
            one_way = at[0] == "add-remove" and low >= 0
            found = moving(at, min(span, 1), (span, span * span, span), one_way)
        case "recoded-marginal":
            found = counts(at, *count_groups(a.shape, *own))
        case "linear":
            found = matrix_moves(at, size_of(a.shape, own[0]), members(own[1]))
        case "model-error":
            numbers = dict(zip(more, own[2:], strict=True))
            found = score_moves(at, model_spans(at, a.shape, own[0], own[1], numbers))
        case "cell-errors":
            found = cell_errors(at, a.shape, *own)
        case "mutual-information":
            need(at == REPLACE, "the number of records must be public")
            families = [family(a.shape, each) for each in members(own[0])]
            records, scale = whole(own[1]), counting(own[2])
            found = score_moves(at, [information_span(records, scale, each) for each in families])
        case "maximal-correlation":
            families = [family(a.shape, each) for each in members(own[0])]
            need(all(child == 2 for child, _ in families), "a child has two values")
            step = 4 if at[:2] == ("replace-one", "person") else 2
            found = score_moves(at, [step * at[2]] * len(families))
        case "itemset-counts":
            sets = [item_list(a.shape, each) for each in members(own[0])]
            clash = any(len(dict(each)) < len(each) for each in sets)
            need(sets != [] and not clash, "items of different attributes are expected")
            k, m = len(sets), at[2]  # one record may be in all of the sets
            one_way = at[0] == "add-remove" or k == 1
            found = moving(at, k, (k * m, k * m * m, m), one_way)
        case "rank-distance":
            items = item_list(a.shape, own[0])
            need(len(set(items)) == len(items), "different items are expected")
            need(min(counting(own[1]), counting(own[2])) > 0, "a length and a rank are expected")
            step = at[2] if at[0] == "add-remove" else 2 * at[2]
            found = score_moves(at, [step] * len(items))
        case "independence-distance":
            candidates, scale = own
            spans = [distance_span(at, a.shape, *sides(pair)) for pair in members(candidates)]
            found = score_moves(at, [counting(scale) * span for span in spans])
        case _:
            raise Rejected(NO_ARM)
    return found, {"public"}


_ASKED = {
    "marginal": ["attributes"],
    "cell-counts": ["cells"],
    "total": [],
    "bounded-sum": ["attribute", "values", "low", "high"],
    "recoded-marginal": ["attributes", "groups"],
    "linear": ["attributes", "layers"],
    "model-error": ["candidates", "models"],
    "cell-errors": ["marginals", "cells", "models", "scale"],
    "independence-distance": ["candidates", "scale"],
    "mutual-information": ["candidates", "records", "scale"],
    "maximal-correlation": ["candidates"],
    "itemset-counts": ["itemsets"],
    "rank-distance": ["items", "length", "rank"],
}
_SPARE = {"model-error": ["weights", "offsets"]}
"""What a query of a kind says of itself; what it may leave out."""

MEASURED = {
    "laplace": "law scale", "laplace-pair": "law scale", "gaussian": "sigma_squared",
    "analytic-gaussian": "sigma_squared epsilon delta", "response": "epsilon",
    "classical-gaussian": "sigma_squared epsilon delta", "discrete-gaussian": "variance",
    "discrete-gaussian-pair": "variance", "exponential": "rate", "exponential-zcdp": "rate",
    "noisy-max": "noise scale", "permute-and-flip": "rate",
    "sparse-vector": "threshold_scale query_scale count resampled releases",
    "poisson-gaussian": "fraction sigma_squared",
    "allocated-gaussian": "steps=count times=count sigma_squared",
    "fixed-size-gaussian": "sample records sigma_squared",
}  # fmt: skip
"""Rules from a query to a mechanism that answers it."""

ON_INTEGERS = ("discrete-gaussian", "discrete-gaussian-pair", "response")
INTEGER_LAWS = ("rounded-laplace", "discrete-laplace")
"""Rules, and laws of noise, for integer answers alone."""


def pack(query: Data, kind: str, *values: Any) -> Data:
    """Domination by shifts of linf, one for each group of answers whose moves have a sum of linf.

    A group moves one answer after the other, which for these laws is one move of the sum; moves
    of sum l1, each at most linf, fit into fewer than 2·l1/linf groups.
    """
    if query["linf"] == 0:
        return make_guarantee("dominated", [])
    count = max(-floor(-2 * query["l1"] / query["linf"]) - 1, 1)
    count = count if query["l0"] is None else min(count, query["l0"])
    return make_guarantee("dominated", [loss(kind, count, *values)] if count else [])


def conclude_measurement(rule: str, premises: list[Data], a: Any) -> Conclusion:
    """What a noisy answer or a selection reveals."""
    need(len(premises) == 1 and premises[0]["judgment"] == "stable", "a query is needed")
    query = premises[0]
    at, l1, squared, linf = (relation_of(query), query["l1"], query["l2_squared"], query["linf"])
    span = linf if query["monotone"] else 2 * linf  # how far two scores move apart
    law = vars(a).get("law", vars(a).get("noise"))
    on_integers = rule in ON_INTEGERS or law in INTEGER_LAWS
    need(query["integers"] or not on_integers, "integer answers are needed")
    shifted = rule == "discrete-gaussian-pair" or (rule == "laplace-pair" and law != "laplace")
    need(not shifted or linf.denominator == 1, "the largest move must be an integer")
    more: tuple[str, ...] = REAL if law in ("laplace", "exponential") else ()
    match rule:
        case "laplace":
            found = make_guarantee("approx", l1 / a.scale, ZERO)
        case "laplace-pair" if law == "discrete-laplace":
            found = pack(query, "discrete-laplace", 1 / a.scale, int(linf))
        case "laplace-pair":
            found = pack(query, "laplace", linf / a.scale)
        case "discrete-gaussian":  # Canonne, Kamath & Steinke 2020, Theorem 4
            found = make_guarantee("zcdp", squared / (2 * a.variance))
        case "discrete-gaussian-pair":
            found = pack(query, "discrete-gaussian", a.variance, int(linf))
        case "gaussian":
            one = loss("gaussian", 1, squared / a.sigma_squared)
            found, more = make_guarantee("dominated", join_losses([[one]], [1])), REAL
        case "analytic-gaussian":
            found, more = make_guarantee("approx", a.epsilon, a.delta), REAL
            mu = squared / a.sigma_squared
            at_most(lambda bits: gaussian_delta(mu, a.epsilon, bits), a.delta, "delta is too small")
        case "classical-gaussian":  # Dwork & Roth 2014, Theorem A.1
            need(0 < a.epsilon < 1 and 0 < a.delta < 1, "epsilon and delta lie between 0 and 1")
            factor, top = 2 * squared / a.epsilon**2, Fraction(5, 4) / a.delta
            words = "the variance is too small"
            at_most(lambda bits: factor * log(top, bits), a.sigma_squared, words)
            found, more = make_guarantee("approx", a.epsilon, a.delta), REAL
        case "poisson-gaussian":  # Zhu, Dong & Wang 2022, Theorem 11
            need(at == ADD and a.fraction < 1 and squared > 0, "add-remove of a record is needed")
            one = loss("sampled-gaussian", 1, a.fraction, squared / a.sigma_squared)
            found, more = make_guarantee("dominated", [one]), (*REAL, "secret-sample")
        case "allocated-gaussian":  # Feldman & Shenfeld 2025
            fine = at == ADD and squared > 0 and a.times <= a.steps
            need(fine, "add-remove of a record is needed, and no more times than steps")
            size, longer = divmod(a.steps, a.times)
            blocks, mu = [(a.times - longer, size), (longer, size + 1)], squared / a.sigma_squared
            parts = [
                loss("allocation", count, steps, mu) if steps > 1 else loss("gaussian", count, mu)
                for count, steps in blocks
            ]
            found, more = (
                make_guarantee("dominated", join_losses([parts], [1])),
                (*REAL, "secret-sample"),
            )
        case "fixed-size-gaussian":  # Zhu, Dong & Wang 2022, Theorem 11
            need(at == REPLACE and squared > 0, "replace-one of a record is needed")
            need(a.sample < a.records, "the sample must be smaller than the records")
            share = Fraction(a.sample, a.records)
            one = loss("fixed-size", 1, share, squared / a.sigma_squared)
            found, more = make_guarantee("dominated", [one]), (*REAL, "secret-sample")
        case "response":
            need(query["l0"] in (0, 1) and linf <= 1 and a.epsilon >= 0, "one bit may move")
            found = make_guarantee("dominated", [loss("response", 1, a.epsilon, ZERO)])
        case "exponential-zcdp":  # Cesar & Rogers 2021
            found = make_guarantee("zcdp", (a.rate * span) ** 2 / 8)
        case "noisy-max":  # Dwork & Roth 2014, Claim 3.9; Ding et al. 2021
            found = make_guarantee("approx", span / a.scale, ZERO)
        case "sparse-vector":  # Lyu, Su & Li 2017, Algorithm 7
            need(not a.resampled, "the threshold keeps its one noise")
            epsilon = linf / a.threshold_scale + a.count * span / a.query_scale
            found, more = make_guarantee("approx", epsilon, ZERO), REAL
        case "exponential" | "permute-and-flip":  # McSherry & Talwar 2007; McKenna & Sheldon 2020
            found = make_guarantee("approx", a.rate * span, ZERO)
        case _:
            raise Rejected(NO_ARM)
    return private(at, found), {*BASE, *more}


STATED = {
    "stated-guarantee": "neighbours mechanism guarantee",
    "public-draw": "neighbours law=law_record",
    "randomized-response": "neighbours values epsilon", "local-matrix": "neighbours matrix epsilon",
    "dirichlet-multinomial": "neighbours alpha_min records epsilon",
    "plug-in-multinomial": "neighbours alpha_min records epsilon",
    "filter": "neighbours measure budget program setting? order?",
    "sampled-filter": "neighbours fraction mu_squared=scale steps=count program setting?",
    "odometer": "neighbours levels deltas program setting?",
    "finite-channel": "neighbours databases rows epsilon delta",
}  # fmt: skip
"""Rules about whole mechanisms."""


def private(at: Relation, found: Data) -> Data:
    """That a mechanism has a guarantee."""
    return {"judgment": "private", **dict(zip(WHERE, at, strict=True)), "guarantee": found}


def conclude_statement(rule: str, premises: list[Data], a: Any) -> Conclusion:
    """What a mechanism reveals that is known by its law or its budget."""
    need(not premises, "no premises are taken")
    at, more = a.neighbours, set(BASE)
    match rule:
        case "stated-guarantee":
            need(a.guarantee["kind"] not in ("profile", "odometer"), "that kind can't be stated")
            found, more = a.guarantee, more | {rule}
        case "public-draw":
            found = make_guarantee("approx", ZERO, ZERO)
        case "randomized-response":
            need(at == REPLACE, "replace-one of a record is needed")
            need(a.epsilon > 0, "epsilon must be positive")
            found = make_guarantee("approx", a.epsilon, ZERO)
        case "local-matrix":
            need(at == REPLACE, "replace-one of a record is needed")
            fine = len({len(row) for row in a.matrix}) == 1 and all(a.matrix)
            need(fine and all(min(r) >= 0 and total(r) == 1 for r in a.matrix), "rows are chances")
            columns = [column for column in zip(*a.matrix, strict=True) if any(column)]
            need(all(map(all, columns)), "a zero stands beside a non-zero")
            ratio = max(max(column) / min(column) for column in columns)
            at_most(lambda bits: log(ratio, bits), a.epsilon, "epsilon is too small")
            found = make_guarantee("approx", a.epsilon, ZERO)
        case "dirichlet-multinomial" | "plug-in-multinomial":  # Abowd & Vilhuber 2008
            whole_table = rule == "plug-in-multinomial"
            ratio = 1 + (1 if whole_table else a.records) / a.alpha_min
            steps = at[2] * (a.records if whole_table else 1)
            at_most(lambda bits: steps * log(ratio, bits), a.epsilon, "epsilon is too small")
            found = make_guarantee("approx", a.epsilon, ZERO)
        case "filter":  # Rogers et al. 2016; Feldman & Zrnic 2021; Whitehouse et al. 2023
            need((a.order is None) == (a.measure != "renyi"), "an order goes with renyi")
            more |= {"curator"}
            match a.measure:
                case "epsilon":
                    found = make_guarantee("approx", a.budget, ZERO)
                case "rho":
                    found = make_guarantee("zcdp", a.budget)
                case "renyi":
                    found = make_guarantee("renyi", [[a.order, a.budget]])
                case _:
                    raise Rejected(NO_ARM)
        case "sampled-filter":  # Zhu, Dong & Wang 2022, Theorems 10 and 11
            need(at == ADD and a.fraction < 1, "add-remove of a record is needed")
            one = loss("sampled-gaussian", a.steps, a.fraction, a.mu_squared)
            found, more = (
                make_guarantee("dominated", [one]),
                more | {"curator", "secret-sample", *REAL},
            )
        case "odometer":
            need(len(a.levels) == len(a.deltas) and min(a.deltas) > 0, "each level needs its delta")
            found, more = make_guarantee("odometer", a.levels, total(a.deltas)), more | {"curator"}
            for (spent, epsilon), delta in zip(a.levels, a.deltas, strict=True):
                tail_at_most(ZERO, spent, epsilon, delta)
        case "finite-channel":
            finite_channel(a)
            found = make_guarantee("approx", a.epsilon, a.delta)
        case _:
            raise Rejected(NO_ARM)
    return private(at, found), more


CONVERTED = {
    "weaken": "guarantee", "pure-to-zcdp": "", "pure-to-zcdp-tight": "rho", "pure-to-pair": "",
    "pure-to-gdp": "mu", "pure-to-renyi": "orders epsilons", "approx-to-approx-zcdp": "",
    "approx-to-profile": "", "profile-to-approx": "epsilon", "gdp-to-pair": "", "gdp-to-zcdp": "",
    "zcdp-to-approx": "epsilon delta", "zcdp-to-approx-at-order": "order epsilon delta",
    "zcdp-to-renyi": "orders", "zcdp-to-approx-zcdp": "delta",
    "renyi-to-approx": "order epsilon delta", "renyi-to-approx-mironov": "order epsilon delta",
    "approx-zcdp-to-approx": "epsilon delta_split",
    "pair-to-approx": "method epsilon delta hints", "pair-to-pure": "", "pair-to-zcdp": "",
    "pair-to-profile": "method points hints=hint_list", "pair-to-gdp": "mu",
    "pair-to-renyi": "orders epsilons",
}  # fmt: skip
"""Rules from one guarantee of a mechanism to another."""

PURE = ("pure-to-zcdp", "pure-to-zcdp-tight", "pure-to-gdp", "pure-to-renyi")
_SOURCES = {
    "approx": (*PURE, "pure-to-pair", "approx-to-approx-zcdp", "approx-to-profile"),
    "profile": ("profile-to-approx",), "gdp": ("gdp-to-pair", "gdp-to-zcdp"),
    "zcdp": (
        "zcdp-to-approx", "zcdp-to-approx-at-order", "zcdp-to-renyi", "zcdp-to-approx-zcdp",
    ),
    "renyi": ("renyi-to-approx", "renyi-to-approx-mironov"),
    "approx-zcdp": ("approx-zcdp-to-approx",),
    "dominated": (
        "pair-to-approx", "pair-to-pure", "pair-to-zcdp", "pair-to-profile", "pair-to-gdp",
        "pair-to-renyi",
    ),
}  # fmt: skip
"""Those of pure DP, which need δ = 0; the kind that each conversion but "weaken" starts from."""


def tail_at_most(xi: Fraction, rho: Fraction, epsilon: Fraction, delta: Fraction) -> None:
    """Reject unless ε >= ξ + ρ + 2·√(ρ·ln(1/δ)) (Bun & Steinke 2016, Proposition 1.3)."""
    need(0 < delta < 1, "delta must lie strictly between 0 and 1")

    def value(bits: int) -> Interval:
        return xi + rho + 2 * sqrt(rho * log(1 / delta, bits), bits)

    at_most(value, epsilon, "epsilon is below that of rho and delta")


def order_at_most(order: Fraction, divergence: Fraction, a: Any) -> None:
    """Reject unless δ >= e^((α-1)(D-ε))·(1-1/α)^(α-1)/α (Canonne, Kamath & Steinke 2020)."""
    need(order > 1 and 0 < a.delta < 1, "the order is above 1, delta strictly between 0 and 1")

    def value(bits: int) -> Interval:
        return exp((order - 1) * (divergence - a.epsilon + log(1 - 1 / order, bits)), bits) / order

    at_most(value, a.delta, "delta is below that of the order")


def curve(orders: list[Fraction], epsilons: list[Fraction]) -> Data:
    """A Rényi curve."""
    need(len(orders) == len(epsilons), "each order needs its epsilon")
    return make_guarantee("renyi", [list(point) for point in zip(orders, epsilons, strict=True)])


def divergences_at_most(losses: list[Data], found: Data) -> Data:
    """The curve, unless an epsilon of it is below the sum of the losses' divergences."""
    need(all(one.get("delta", ZERO) == 0 for one in losses), "a loss may be infinite")
    for order, epsilon in found["points"]:
        spend(len(losses))

        def value(bits: int, order: Fraction = order) -> Interval:
            parts = [one["count"] * log_moment(one, order, bits) for one in losses]
            return sum(parts, interval(0)) / (order - 1)

        at_most(value, epsilon, "an epsilon is below the divergence of its order")
    return found


def conclude_conversion(rule: str, premises: list[Data], a: Any) -> Conclusion:
    """Another guarantee of the same mechanism."""
    need(len(premises) == 1 and premises[0]["judgment"] == "private", "a mechanism is needed")
    given = premises[0]["guarantee"]
    fits = rule == "weaken" or rule in _SOURCES.get(given["kind"], ())
    need(fits, "a guarantee of another kind is needed")
    need(rule not in PURE or given["delta"] == 0, "delta must be 0")
    order = vars(a).get("order")
    at_order = [divergence for at, divergence in given.get("points", []) if at == order]
    need(at_order != [] or given["kind"] != "renyi" or rule == "weaken", "no order of the curve")
    epsilon, delta, rho = (given.get(name, ZERO) for name in ("epsilon", "delta", "rho"))
    losses = given.get("losses", [])
    match rule:
        case "weaken":
            found = weaker(given, a.guarantee)
        case "pure-to-zcdp":
            found = make_guarantee("zcdp", epsilon**2 / 2)
        case "pure-to-zcdp-tight":  # ε·tanh(ε/2)
            found = make_guarantee("zcdp", a.rho)
            at_most(lambda b: epsilon * (1 - 2 / (1 + exp(epsilon, b))), a.rho, "rho is too small")
        case "pure-to-pair":  # Kairouz, Oh & Viswanath 2015
            found = make_guarantee("dominated", [loss("response", 1, epsilon, delta)])
        case "pure-to-gdp":  # the convex Gaussian curve lies below both segments of ε-DP
            found = make_guarantee("gdp", a.mu)
            at_most(lambda b: normal(-a.mu / 2, b) * (1 + exp(epsilon, b)), ONE, "mu is too small")
        case "pure-to-renyi":
            one = loss("response", 1, epsilon, ZERO)
            found = divergences_at_most([one], curve(a.orders, a.epsilons))
        case "approx-to-approx-zcdp":  # Bun & Steinke 2016, Lemma 8.8
            found = make_guarantee("approx-zcdp", ZERO, epsilon**2 / 2, delta)
        case "approx-to-profile":
            found = make_guarantee("profile", [[epsilon, delta]])
        case "profile-to-approx":
            below = [value for at, value in given["points"] if at <= a.epsilon]
            need(below != [], "epsilon is below the profile")
            found = make_guarantee("approx", a.epsilon, below[-1])
        case "gdp-to-pair":
            found = make_guarantee(
                "dominated", join_losses([[loss("gaussian", 1, given["mu"] ** 2)]], [1])
            )
        case "gdp-to-zcdp":
            found = make_guarantee("zcdp", given["mu"] ** 2 / 2)
        case "zcdp-to-approx":
            found = make_guarantee("approx", a.epsilon, a.delta)
            tail_at_most(ZERO, rho, a.epsilon, a.delta)
        case "zcdp-to-approx-at-order":
            found = make_guarantee("approx", a.epsilon, a.delta)
            order_at_most(a.order, a.order * rho, a)
        case "zcdp-to-renyi":
            found = curve(a.orders, [order * rho for order in a.orders])
        case "zcdp-to-approx-zcdp":
            found = make_guarantee("approx-zcdp", ZERO, rho, a.delta)
        case "approx-zcdp-to-approx":  # Bun & Steinke 2016, section 8
            found = make_guarantee("approx", a.epsilon, delta + (1 - delta) * a.delta_split)
            tail_at_most(given["xi"], rho, a.epsilon, a.delta_split)
        case "renyi-to-approx":
            found = make_guarantee("approx", a.epsilon, a.delta)
            order_at_most(a.order, at_order[0], a)
        case "renyi-to-approx-mironov":  # Mironov 2017, Proposition 3
            found, least = make_guarantee("approx", a.epsilon, a.delta), at_order[0]
            top = 1 / inner(str(a.delta))
            excess = a.epsilon - least
            at_most(lambda bits: log(top, bits) / (a.order - 1), excess, "epsilon is too small")
        case "pair-to-approx":
            found = make_guarantee("approx", a.epsilon, a.delta)
            curve_at_most(losses, a.epsilon, a.delta, a.method, a.hints)
        case "pair-to-profile":
            found = make_guarantee("profile", a.points)
            need(len(a.hints) == len(a.points), "each point needs its hints")
            for point, hints in zip(a.points, a.hints, strict=True):
                curve_at_most(losses, point[0], point[1], a.method, hints)
        case "pair-to-pure":
            found = make_guarantee(
                "approx", total([one["count"] * bound(one) for one in losses]), ZERO
            )
        case "pair-to-zcdp":
            found = make_guarantee(
                "zcdp", total([one["count"] * concentration(one) for one in losses])
            )
        case "pair-to-gdp":
            found, squared = make_guarantee("gdp", a.mu), total([mu_squared(one) for one in losses])
            need(squared <= a.mu**2, "mu is too small")
        case "pair-to-renyi":
            found = divergences_at_most(losses, curve(a.orders, a.epsilons))
        case _:
            raise Rejected(NO_ARM)
    return {**premises[0], "guarantee": found}, set()


def weaker(given: Data, found: Data) -> Data:
    """The stated guarantee, if it is no stronger than the given one."""
    need(given["kind"] == found["kind"] not in ("dominated", "odometer"), "the kind is another")
    if "points" not in given:
        holds = all(given[name] <= found[name] for name in given if name != "kind")
    else:
        spend(len(given["points"]) * len(found["points"]))
        sign = 1 if given["kind"] == "renyi" else -1  # Rényi divergences grow with the order
        holds = all(
            any(sign * at >= sign * first and value <= second for at, value in given["points"])
            for first, second in found["points"]
        )
    need(holds, "the stated guarantee is stronger")
    return found


def bound(one: Data) -> Fraction:
    """The largest loss."""
    need(one["loss"] in ("laplace", "response", "discrete-laplace"), "a loss is unbounded")
    need(one.get("delta", ZERO) == 0, "a loss is unbounded")
    return Fraction(one["rate"] * one["shift"] if "rate" in one else one["epsilon"])


def mu_squared(one: Data) -> Fraction:
    """μ² of a Gaussian loss."""
    need(one["loss"] == "gaussian", "a loss is not Gaussian")
    return Fraction(one["count"] * one["mu_squared"])


def concentration(one: Data) -> Fraction:
    """ρ of a loss."""
    if one["loss"] == "discrete-gaussian":
        return Fraction(one["shift"] ** 2 / (2 * one["variance"]))
    square = one["mu_squared"] if one["loss"] == "gaussian" else bound(one) ** 2
    return Fraction(square) / 2


COMBINED = {
    "compose": "counts?", "compose-zcdp": "counts?", "compose-approx-zcdp": "counts?",
    "compose-renyi": "counts?", "compose-gdp": "mu counts?", "compose-pairs": "counts?",
    "advanced": "count slack epsilon", "optimal-homogeneous": "count drop delta",
    "optimal-heterogeneous": "epsilon delta bits counts?",
    "parallel": "key relation counts? delta?",
    "poisson": "fraction epsilon", "without-replacement": "sample records epsilon",
    "post-processing": "map released?", "fixed-ledger": "program seen setting?",
    "group": "neighbours delta? orders? epsilons?",
    "mixture": "weights", "worst-branch": "",
}  # fmt: skip
"""Rules from mechanisms to a mechanism made of them."""

_TAKES = {
    **dict.fromkeys(("compose", "advanced", "poisson", "without-replacement"), "approx"),
    **dict.fromkeys(("optimal-homogeneous", "optimal-heterogeneous"), "approx"),
    "compose-zcdp": "zcdp",
    "compose-approx-zcdp": "approx-zcdp",
    "compose-renyi": "renyi",
    "compose-gdp": "gdp",
    "compose-pairs": "dominated",
}


def worst(given: list[Data]) -> Data:
    """A guarantee that each of some has."""
    need(given[0]["kind"] in ("approx", "zcdp", "gdp"), "the worst of that kind is not known")
    return make_guarantee(
        given[0]["kind"], *(max(g[n] for g in given) for n in given[0] if n != "kind")
    )


def scale_to_group(given: Data, steps: int, a: Any) -> Data:
    """The guarantee between databases some steps apart."""
    reads = {"approx": ("delta",) if given.get("delta") else (), "renyi": ("orders", "epsilons")}
    wanted = reads.get(given["kind"], ()) if steps > 1 else ()
    spare = [name for name in ("delta", "orders", "epsilons") if vars(a).get(name) is not None]
    need(sorted(wanted) == sorted(spare), f"the parameters {wanted} are expected, and no other")
    if steps == 1:
        return given
    match given["kind"]:
        case "approx":
            delta, epsilon = ZERO, given["epsilon"]
            if given["delta"]:
                delta, first = a.delta, given["delta"]

                def value(bits: int) -> Interval:  # δ·Σ e^(iε), i < steps
                    if epsilon == 0:
                        return interval(steps * first)
                    more = (exp(steps * epsilon, bits) - 1) / (exp(epsilon, bits) - 1)
                    return more * interval(first)

                at_most(value, delta, "delta is below that of the group")
            return make_guarantee("approx", steps * epsilon, delta)
        case "zcdp":  # Bun & Steinke 2016, Proposition 1.9
            return make_guarantee("zcdp", steps**2 * given["rho"])
        case "gdp":  # Dong, Roth & Su 2022, Theorem 2.14
            return make_guarantee("gdp", steps * given["mu"])
        case "renyi":  # Hölder's inequality, step by step (Mironov 2017, Proposition 11)
            found = curve(a.orders, a.epsilons)
            spend(len(a.orders) * steps * len(given["points"]))
            for order, epsilon in found["points"]:
                top, parts = steps * order, []
                for step in range(steps):
                    above = [value for at, value in given["points"] if at >= top - step]
                    need(above != [], "an order of steps times each order must be listed")
                    parts.append(top / (top - step) * above[0])
                need(total(parts) <= epsilon, "an epsilon is below that of the group")
            return found
        case "dominated":
            total([mu_squared(one) for one in given["losses"]])  # all are Gaussian
            return make_guarantee("dominated", join_losses([given["losses"]], [steps**2]))
        case _:
            raise Rejected("groups of that kind of guarantee are not known")


def amplify(given: Data, fraction: Fraction, epsilon: Fraction) -> Data:
    """(ln(1 + q(e^ε - 1)), qδ) (Li, Qardaji & Su 2012; Balle, Barthe & Gaboardi 2018)."""
    own = given["epsilon"]
    need(fraction <= 1, "the fraction is above 1")
    words = "epsilon is too small"
    if epsilon < own:
        at_most(lambda bits: log(1 + fraction * (exp(own, bits) - 1), bits), epsilon, words)
    return make_guarantee("approx", epsilon, fraction * given["delta"])


def conclude_combination(rule: str, premises: list[Data], a: Any) -> Conclusion:
    """What mechanisms reveal together, one after the other, or in place of each other."""
    private_all = bool(premises) and all(p["judgment"] == "private" for p in premises)
    need(private_all, "mechanisms are needed")
    given, at = [premise["guarantee"] for premise in premises], relation_of(premises[0])
    same = len({(g["kind"], relation_of(p)) for g, p in zip(given, premises, strict=True)}) == 1
    need(same, "premises of one kind under the same neighbours are needed")
    kind, first, more = given[0]["kind"], given[0], set[str]()
    times = vars(a).get("counts")
    times = [1] * len(premises) if times is None else times
    need(len(times) == len(premises), "each premise needs its count")

    def added(name: str) -> Fraction:
        return total([n * g[name] for n, g in zip(times, given, strict=True)])

    if rule in ("advanced", "optimal-homogeneous", "poisson", "without-replacement", "group"):
        need(len(premises) == 1, "one premise is needed")
    if rule in _TAKES:
        need(kind == _TAKES[rule], f"premises of the kind {_TAKES[rule]} are needed")
    match rule:
        case "compose":
            found = make_guarantee("approx", added("epsilon"), added("delta"))
        case "compose-zcdp":
            found = make_guarantee("zcdp", added("rho"))
        case "compose-approx-zcdp":
            found = make_guarantee("approx-zcdp", added("xi"), added("rho"), added("delta"))
        case "compose-renyi":
            lists = [[order for order, _ in g["points"]] for g in given]
            need(all(orders == lists[0] for orders in lists), "the orders differ")
            columns = zip(*([value for _, value in g["points"]] for g in given), strict=True)
            sums = [total([n * v for n, v in zip(times, c, strict=True)]) for c in columns]
            found = curve(lists[0], sums)
        case "compose-gdp":
            squares = total([n * g["mu"] ** 2 for n, g in zip(times, given, strict=True)])
            found = make_guarantee("gdp", a.mu)
            need(squares <= a.mu**2, "mu is too small")
        case "compose-pairs":
            found = make_guarantee("dominated", join_losses([g["losses"] for g in given], times))
        case "advanced":  # Dwork, Rothblum & Vadhan 2010, Theorem III.3
            own, delta = first["epsilon"], a.count * first["delta"] + a.slack
            found = make_guarantee("approx", a.epsilon, delta)

            def value(bits: int) -> Interval:
                spread = sqrt(2 * a.count * log(1 / a.slack, bits), bits)
                return interval(own) * (spread + (exp(own, bits) - 1) * interval(a.count))

            at_most(value, a.epsilon, "epsilon is below that of advanced composition")
        case "optimal-homogeneous":
            need(2 * a.drop <= a.count, "drop is more than half of count")
            own, leak = first["epsilon"], first["delta"]
            found = make_guarantee("approx", (a.count - 2 * a.drop) * own, a.delta)
            point, words = found["epsilon"], "delta is below that of optimal composition"
            at_most(lambda bits: response_delta(a.count, own, leak, point, bits), a.delta, words)
        case "optimal-heterogeneous":
            found = make_guarantee("approx", a.epsilon, a.delta)
            entries = list(zip(times, given, strict=True))
            words = "delta is below that of optimal composition"
            at_most(lambda bits: mixed_delta(entries, a.epsilon, a.bits, bits), a.delta, words)
        case "parallel":  # McSherry 2009, Theorem 4; an exchange is two steps
            need(at == ADD, "add-remove of a record is needed")
            at, steps = (ADD, 1) if a.relation == "add-remove" else (REPLACE, 2)
            found, more = scale_to_group(worst(given), steps, a), {"independent-key"}
        case "poisson":
            need(at == ADD, "add-remove of a record is needed")
            found, more = amplify(first, a.fraction, a.epsilon), {"secret-sample"}
        case "without-replacement":
            need(at == REPLACE and a.sample <= a.records, "replace-one of a record is needed")
            fraction = Fraction(a.sample, a.records)
            found, more = amplify(first, fraction, a.epsilon), {"secret-sample"}
        case "post-processing":
            need(len(premises) == 1 and kind != "odometer", "one premise, no odometer, is needed")
            found, more = first, {"post-processing"}
        case "fixed-ledger":
            need(len(premises) == 1, "one premise is needed")
            found, more = first, {rule} if a.seen == EVERY_TRANSCRIPT else {rule, "curator"}
        case "group":
            need(at[0] == "add-remove", "add-remove is needed")
            once = -(-a.neighbours[2] // at[2])
            at, steps = a.neighbours, once if a.neighbours[0] == "add-remove" else 2 * once
            found = scale_to_group(first, steps, a)
        case "mixture":
            fine = len(a.weights) == len(given) and min(a.weights) > 0 and total(a.weights) == 1
            need(fine, "each premise needs a positive weight, and their sum is 1")
            found, more = worst(given), {"independent-choice"}
            if kind == "approx":
                shares = [w * g["delta"] for w, g in zip(a.weights, given, strict=True)]
                found = make_guarantee("approx", found["epsilon"], total(shares))
        case "worst-branch":
            found, more = worst(given), {"public"}
        case _:
            raise Rejected(NO_ARM)
    return private(at, found), more


FAMILIES = (
    (QUERIES, about_query),
    (MEASURED, conclude_measurement),
    (STATED, conclude_statement),
    (CONVERTED, conclude_conversion),
    (COMBINED, conclude_combination),
)


def parameters(names: str, given: Data) -> SimpleNamespace:
    """A rule's parameters, each of its kind; those with ? may be left out."""
    found: Data = {}
    expected = [name.partition("=") for name in names.split()]
    required = {name for name, _, _ in expected if not name.endswith("?")}
    known = {name.rstrip("?") for name, _, _ in expected}
    need(required <= set(given) <= known, f"the parameters {names or '(none)'} are expected")
    for name, _, read in expected:
        name = name.rstrip("?")
        found[name] = PARAMETERS[read or name](given[name]) if name in given else None
    return SimpleNamespace(**found)


def conclusion(rule: str, premises: list[Data], given: Data) -> Conclusion:
    """What a rule concludes."""
    for table, conclude in FAMILIES:
        if rule in table:
            return conclude(rule, premises, parameters(table[rule], given))
    raise Rejected("there is no such rule")


# --- Channels -------------------------------------------------------------------------------------

CHANNEL = "dp-audit/channel-certificate/1"
Row = tuple[int, list[int], list[int]]
"""A common denominator, and the numerators of the lower and upper ends of a row's chances."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Pr[output | database] of listed databases, each chance a rational or between two."""

    at: Relation
    databases: list[list[int]]
    rows: list[Row]
    pairs: list[tuple[int, int]]
    sizes: list[int]
    complete: bool
    sha256: str


def channel_of(at: Relation, databases: list[list[int]], entries: list[list[Any]]) -> Channel:
    """The channel, if each row can be one of chances; its neighbours are found here."""
    cells, outputs = {len(one) for one in databases}, {len(row) for row in entries}
    shaped = len(cells) == len(outputs) == 1 and min(cells | outputs) > 0
    need(shaped and len(entries) == len(databases), "each database needs its row of chances")
    need(len({tuple(one) for one in databases}) == len(databases), "a database is listed twice")
    spend(len(databases) * (len(databases) * min(cells) + min(outputs)))
    numbers = range(len(databases))
    linked = [(i, j) for i in numbers for j in range(i) if adjacent(at, databases[i], databases[j])]
    need(linked != [], "no two of the databases are neighbours")
    chances = [[chance(entry) for entry in row] for row in entries]
    plain = [[str(e[0]) if e[0] == e[1] else [*map(str, e)] for e in row] for row in chances]
    canonical = json.dumps({"databases": databases, "rows": plain}, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    sizes = sorted({sum(one) for one in databases})
    # The databases differ: they are all histograms of their sizes if they are as many.
    expected = sum(histograms(min(cells), size, len(databases)) for size in sizes)
    complete = expected == len(databases)
    rows = [to_common_denominator(row) for row in chances]
    return Channel(at, databases, rows, linked, sizes, complete, digest)


def adjacent(at: Relation, left: list[int], right: list[int]) -> bool:
    """Whether two histograms are neighbours."""
    steps = [b - a for a, b in zip(left, right, strict=True)]
    gained, lost = sum(s for s in steps if s > 0), -sum(s for s in steps if s < 0)
    if at == REPLACE:
        return gained == lost == 1
    return 0 < max(gained, lost) <= at[2] and (at[0] == "replace-one" or not gained or not lost)


def histograms(cells: int, records: int, limit: int) -> int:
    """C(records + cells - 1, cells - 1), or a number above the limit."""
    found = 1
    for cell in range(1, cells):
        found = found * (records + cell) // cell
        if found > limit:
            break
    return found


def chance(entry: object) -> tuple[Fraction, Fraction]:
    """The ends of a chance."""
    low, high = [rational(entry)] * 2 if type(entry) is not list else pairs([entry])[0]
    need(0 <= low <= high <= 1, "a chance lies in [0, 1], its lower end first")
    return low, high


def to_common_denominator(row: list[tuple[Fraction, Fraction]]) -> Row:
    """The row over its common denominator, if the chances can add up to 1."""
    common = 1
    for ends in row:
        common = lcm(common, *(end.denominator for end in ends))
        need(common.bit_length() < 64_000, "the chances of a row have too many digits")
    lows, highs = ([int(ends[side] * common) for ends in row] for side in (0, 1))
    need(sum(lows) <= common <= sum(highs), "the chances of a row do not add up to 1")
    return common, lows, highs


def divergence(left: Row, right: Row, epsilon: Fraction, bits: int, up: bool) -> Fraction:
    """Σ over outputs of (P - e^ε·Q)⁺ at most, or at least."""
    power = exp(epsilon, bits)
    factor = power.low if up else power.high
    ours, theirs = (left[2], right[1]) if up else (left[1], right[2])
    scale, other = right[0] * factor.denominator, left[0] * factor.numerator
    spend(len(ours) * (1 + scale.bit_length() // 512))
    found = sum(max(0, p * scale - q * other) for p, q in zip(ours, theirs, strict=True))
    return Fraction(found, left[0] * scale)


def channel_holds(found: Channel, epsilon: Fraction, delta: Fraction) -> None:
    """Reject unless all neighbours have a divergence of at most δ, in both directions."""
    for first, second in found.pairs:
        for left, right in ((first, second), (second, first)):
            ends = found.rows[left], found.rows[right]
            if all(divergence(*ends, epsilon, bits, True) > delta for bits in PRECISIONS[:2]):
                raise Rejected(f"the rows {left} and {right} are not so close, or not shown to be")


def finite_channel(a: Any) -> None:
    """Reject unless it holds between all databases of an instance: n records, or 0 to n."""
    found = channel_of(a.neighbours, a.databases, a.rows)
    sizes = found.sizes if a.neighbours == REPLACE else list(range(len(found.sizes)))
    fine = found.complete and found.sizes == sizes and (a.neighbours != REPLACE or not sizes[1:])
    need(fine, "all databases of n records, or of 0 to n where n is private, are needed")
    channel_holds(found, a.epsilon, a.delta)


def channel_certificate(data: Data) -> Result:
    """What a channel certificate says, or a rejection."""
    own = ["worst"] if data.get("finding") == "holds" else ["pair", "event", "probabilities"]
    names = (
        "schema",
        "finding",
        *WHERE,
        "complete",
        "databases",
        "rows",
        "epsilon",
        "delta",
        "sha256",
    )
    members_of(data, *names, *own)
    finding = one_of("holds", "violated")(data["finding"])
    at = relation({name: data[name] for name in WHERE})
    databases, entries = (
        PARAMETERS["databases"](data["databases"]),
        PARAMETERS["rows"](data["rows"]),
    )
    claim = make_guarantee("approx", rational(data["epsilon"]), rational(data["delta"]))
    epsilon, delta = claim["epsilon"], claim["delta"]
    found = channel_of(at, databases, entries)
    need(data["sha256"] == found.sha256, "the digest is that of another channel")
    need(
        data["complete"] is found.complete, "complete is wrong: all histograms of the sizes, or not"
    )
    if finding == "holds":
        pair, slack = members_of(data["worst"], "pair", "slack")
        left, right = _pair(found, pair)
        margin = rational(slack)
        need(margin >= 0, "the slack is negative")
        channel_holds(found, epsilon, delta - margin)
        most = divergence(found.rows[left], found.rows[right], epsilon, PRECISIONS[0], True)
        for i, j in found.pairs:
            for this, that in ((i, j), (j, i)):
                rows = found.rows[this], found.rows[that]
                less = divergence(*rows, epsilon, PRECISIONS[0], False) <= most
                need(less, "another pair is worse than the stated one")
    else:
        left, right = _pair(found, data["pair"])
        event = list_of(whole)(data["event"])
        need(0 < len(event) == len(set(event)) and max(event) < len(entries[0]), "no event")
        rows = found.rows[left], found.rows[right]
        sums = [[sum(side[place] for place in event) for side in row[1:]] for row in rows]
        (p, *_), (q, *_) = rows
        ends = [
            (Fraction(low, r), Fraction(high, r))
            for (low, high), r in zip(sums, (p, q), strict=True)
        ]
        need(
            [chance(entry) for entry in members(data["probabilities"])] == ends,
            "the probabilities of the event are others",
        )
        least = [ends[0][0] - exp(epsilon, bits).high * ends[1][1] for bits in PRECISIONS]
        need(max(least) > delta, "the event does not violate the claim, or is not shown to")
    where = "all" if found.complete else "the listed"
    sizes = f"{found.sizes[0]} to {found.sizes[-1]}" if found.sizes[1:] else str(found.sizes[0])
    return Result(
        "checked",
        (),
        f"the channel sha256:{found.sha256}",
        f"{relation_words(at)}, among {where} {len(databases)} databases of {sizes} records",
        ("not " if finding == "violated" else "") + guarantee_words(claim),
        {},
        {**private(at, claim), "finding": finding},
        (MATRIX,),
    )


def _pair(found: Channel, stated: object) -> list[int]:
    pair: list[int] = list_of(whole)(stated)
    linked = len(pair) == 2 and (max(pair), min(pair)) in set(found.pairs)
    need(linked, "the stated pair are not neighbours")
    return pair


# --- Derivations and certificates -----------------------------------------------------------------

DERIVATION = "dp-audit/derivation/1"
STATUSES = ("checked", "kernel only", "not re-checked", "rejected", "malformed")
EXIT_CODES = dict(zip(STATUSES, (0, 3, 3, 1, 2), strict=True))

ABOUT = {
    "filter": "that the curator keeps the program to its budget",
    "sampled-filter": "that the curator keeps the program to its steps",
    "odometer": "that the curator counts what the program spends",
    "fixed-ledger": "that the program asks only what the ledger says",
}
"""Rules whose mechanism is a program, and what each of them is told."""

TOLD = {
    **ABOUT,
    "stated-guarantee": "a mechanism's guarantee",
    "stated-sensitivity": "how far a query's answers move",
}
MATRIX = "that the matrix is the law of the mechanism"
"""What nothing in a proof or a channel can show, in words."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a check found.

    ``status``: one of `STATUSES`; ``reasons``: why it is not "checked", or what goes beyond it;
    ``stated``: what it rests on that was stated to the checker and not seen by it. The rest is the
    theorem, in words, and as ``judgment``; empty where there is none.
    """

    status: str
    reasons: tuple[str, ...] = ()
    mechanism: str = ""
    neighbours: str = ""
    guarantee: str = ""
    hypotheses: dict[str, str] = field(default_factory=dict)
    judgment: Data = field(default_factory=dict)
    stated: tuple[str, ...] = ()


def quote(value: object) -> str:
    """A short text of any value, safe to print."""
    found: str = json.dumps(value, default=lambda other: type(other).__name__)
    return found if len(found) <= 80 else found[:77] + "..."


def number_words(value: Fraction) -> str:
    """A fraction in at most some 20 digits, rounded up."""
    if value.numerator.bit_length() + value.denominator.bit_length() <= 60:
        return str(value)
    context = Context(prec=15, rounding=ROUND_CEILING, Emin=-(10**6), Emax=10**6)
    near = -_round_down(-value, 200)
    ratio = context.divide(Decimal(near.numerator), Decimal(near.denominator))
    return f"{ratio} (rounded up)"


def relation_words(at: Relation) -> str:
    """Neighbours in words."""
    name, unit, most = at
    who = "one record" if unit == "record" else f"one person's records, at most {most}"
    return f"{name} of {who}"


def guarantee_words(given: Data) -> str:
    """A guarantee in words."""
    names = {"approx": "differential privacy", "zcdp": "zero-concentrated differential privacy"}
    names |= {"gdp": "Gaussian differential privacy", "renyi": "Renyi differential privacy"}
    parts = [f"{k}={number_words(v)}" for k, v in given.items() if isinstance(v, Fraction)]
    lists: Any = given.get("points", given.get("levels", []))
    parts += [f"({', '.join(map(number_words, point))})" for point in lists[:8]]
    parts += [f"{one['count']} x {one['loss']}" for one in given.get("losses", [])[:8]]
    more = len(lists) + len(given.get("losses", [])) - 8
    return f"{names.get(given['kind'], given['kind'])}: {', '.join(parts)}" + (
        f", and {more} more" if more > 0 else ""
    )


def mechanism_words(rule: str, given: Data, parts: list[str]) -> str:
    """What a step speaks of."""
    if rule in CONVERTED or rule == "group":
        return parts[0]
    hidden = ("neighbours", "shape", "epsilon", "delta", "counts", "rows", "databases")
    own = [f"{name}={quote(value)}" for name, value in given.items() if name not in hidden]
    times = given.get("counts", [1] * len(parts))
    several = list(zip(times, parts, strict=True))
    inside = [part if count == 1 else f"{count} x {part}" for count, part in several[:8]]
    inside += [f"{len(several) - 8} more"] if several[8:] else []
    found = f"{rule}({', '.join(own)})" + (f" of [{' + '.join(inside)}]" if parts else "")
    return found if len(found) <= 1000 else found[:997] + "..."


def require_bounded(data: object) -> None:
    """Raise Malformed for data that are nested too deeply, too many, or have too long numbers."""
    waiting, count = [(data, 0)], 0
    while waiting:
        value, depth = waiting.pop()
        if type(value) is int and value.bit_length() > 4 * MAX_DIGITS:
            raise Malformed("a number has too many digits")
        if isinstance(value, dict | list):
            count += 1
            if depth > MAX_DEPTH or count > MAX_LISTS:
                raise Malformed("it is nested too deeply, or too large")
            own = value.values() if isinstance(value, dict) else value
            waiting += [(one, depth + 1) for one in own]


def plain(data: object) -> None:
    """Reject what is no text, integer, truth value, null, list or object: floats above all."""
    waiting = [data]
    while waiting:
        value = waiting.pop()
        if type(value) is list or type(value) is dict:
            waiting += value.values() if isinstance(value, dict) else value
        else:
            need(value is None or type(value) in (str, int, bool), "floating point is no proof")


def agrees(found: Any, stated: Any) -> bool:
    """Whether stated data are the found ones, with fractions as text."""
    if type(found) is Fraction:
        return type(stated) is str and rational(stated) == found
    if type(found) is not type(stated):
        return False
    if type(found) is dict:
        same = set(stated) == set(found)
        return same and all(agrees(found[name], stated[name]) for name in found)
    if type(found) is list:
        return len(stated) == len(found) and all(map(agrees, found, stated))
    return bool(found == stated)


def derivation(data: object) -> Result:
    """The theorem of a derivation, each of its steps worked out again."""
    plain(data)
    schema, steps, stated_hypotheses = members_of(data, "schema", "steps", "hypotheses")
    need(schema == DERIVATION, "the schema is another")
    need(0 < len(members(steps)) <= MAX_STEPS, f"1 to {MAX_STEPS} steps are expected")
    known: list[tuple[Data, set[str], str]] = []
    notes: list[str] = []
    for number, step in enumerate(steps):
        try:
            known.append(_step(number, step, known))
        except Rejected as reason:
            raise Rejected(f"step {number}: {reason}") from None
        notes += [f"step {number}: {note}" for note in METER.notes]
        METER.notes.clear()
    judgment, hypotheses, mechanism = known[-1]
    need(stated_hypotheses == sorted(hypotheses), "the hypotheses are others")
    found = judgment.get("guarantee")
    return Result(
        "kernel only" if notes else "checked",
        tuple(notes),
        mechanism,
        relation_words(relation_of(judgment)),
        guarantee_words(found) if found else "how far a query's answers move",
        {name: HYPOTHESES[name] for name in sorted(hypotheses)},
        judgment,
        list_hypotheses(steps),
    )


def list_hypotheses(steps: list[Data]) -> tuple[str, ...]:
    """What the last step rests on that was only stated."""
    needed = [False] * (len(steps) - 1) + [True]
    for number in range(len(steps) - 1, -1, -1):
        for place in steps[number]["premises"] if needed[number] else []:
            needed[place] = True
    rules = {step["rule"] for step, used in zip(steps, needed, strict=True) if used}
    return tuple(words for rule, words in TOLD.items() if rule in rules) or (
        "that what runs is the mechanism below",
    )


def _step(number: int, step: object, known: list[Any]) -> tuple[Data, set[str], str]:
    rule, numbers, given, stated = members_of(step, "rule", "premises", "parameters", "conclusion")
    earlier = all(place < number for place in list_of(whole)(numbers))
    need(earlier, "a premise is no earlier step")
    premises = [known[place] for place in numbers]
    spend(1 + sum(weight(premise) for premise, _, _ in premises))
    found, own = conclusion(text(rule), [premise[0] for premise in premises], record(given))
    need(agrees(found, stated), f"the rule {rule} concludes otherwise")
    words = mechanism_words(rule, given, [premise[2] for premise in premises])
    return found, own.union(*(premise[1] for premise in premises)), words


def weight(judgment: Data) -> int:
    """How long a judgment's lists are."""
    given = judgment.get("guarantee", {})
    return 1 + sum(len(value) for value in given.values() if type(value) is list)


def parse_claim(claim: str) -> Data:
    """The guarantee of a claim's text."""
    given: Data = {}
    for part in claim.split(","):
        name, _, value = part.strip().partition("=")
        need(name.strip() not in given, "a claim repeats a name")
        given[name.strip()] = rational(value.strip())
    forms = {
        ("epsilon",): "approx",
        ("delta", "epsilon"): "approx",
        ("rho",): "zcdp",
        ("mu",): "gdp",
    }
    if sorted(given) == ["alpha", "rdp"]:
        return make_guarantee("renyi", [[given["alpha"], given["rdp"]]])
    kind = forms.get(tuple(sorted(given)))
    if kind is None:
        raise Rejected(f"{quote(claim)} is no claim")
    return make_guarantee(kind, *({"delta": ZERO, **given}[name] for name in GUARANTEES[kind]))


VERDICTS = (
    "PROVED",
    "EXACT",
    "NOT REFUTED",
    "UNDECIDED",
    "REFUTED",
    "INVALID RUN",
    "CONTRADICTION",
)
AGAINST = ("REFUTED", "CONTRADICTION")
"""The verdicts that a violation bears out."""

CERTIFICATE = (
    *("verdict", "subject", "claim", "neighbours", "unit", "released", "domain"),
    *("bounds", "evidence"),
)
"""What a certificate of an audit says that a proof or a channel must bear out."""

PROGRAMS = ("program", "module")
"""The kinds of subject that a theorem can be about: those that ask a curator."""

SAME = (
    *CONVERTED, "group", "post-processing", "compose", "compose-zcdp", "compose-approx-zcdp",
    "compose-renyi", "compose-gdp", "compose-pairs", "advanced", "optimal-homogeneous",
    "optimal-heterogeneous",
)  # fmt: skip
"""Rules whose theorem, from a single premise, is one about the premise's mechanism, too."""

LEDGER = (
    *(rule for rule in QUERIES if rule not in ("transformed", "stated-sensitivity")),
    *CONVERTED, "laplace", "laplace-pair", "gaussian", "discrete-gaussian",
    "discrete-gaussian-pair", "poisson-gaussian", "exponential", "exponential-zcdp",
    "public-draw", "randomized-response", "local-matrix", "dirichlet-multinomial",
    "plug-in-multinomial", "compose", "compose-zcdp", "compose-approx-zcdp", "compose-renyi",
    "compose-gdp", "compose-pairs", "advanced", "optimal-homogeneous", "optimal-heterogeneous",
)  # fmt: skip
"""Rules that the theorem about a ledger may rest on: those of questions that a curator takes."""

PARAMETER = {"approx": "epsilon", "zcdp": "rho", "gdp": "mu", "renyi": "rdp"}
"""The number that a bound beside a claim of each kind is about; ε stands beside it always."""

ROUNDING = Fraction(1, 10**15)
"""How far the two ends of one number, written as decimals, may lie apart, relative to it."""

NEARLY = Fraction(1, 10**9)
"""How far a chance of a file may be from the true one, relative to it, where a row sums to 1 only
nearly (a figure of the command's contract)."""


def certificate(data: Data) -> Result:
    """A certificate of the suite: its proofs and channel, and that they show what it claims."""
    wanted: list[Data] = []
    if data.get("proof") is not None:
        proof = record(data["proof"])
        named = {"derivation"} <= set(proof) <= {"derivation", "alternatives"}
        need(named, "a proof has a derivation, and perhaps alternatives")
        wanted = [proof["derivation"], *members(proof.get("alternatives", []))]
    found = [derivation(one) for one in wanted]
    channel = data.get("channel_certificate") is not None
    if channel:
        found.append(channel_certificate(record(data["channel_certificate"])))
    if not found:
        raise Malformed("there is neither a derivation nor a channel certificate in it")
    notes = [note for one in found for note in one.reasons]
    status = STATUSES[max(STATUSES.index(one.status) for one in found)]
    stated = list(dict.fromkeys(words for one in found for words in one.stated))
    own = [name for name in CERTIFICATE if name in data and name not in WHERE]
    if own in ([], ["claim"]):
        # Not of an audit: an account, or a calibration, whose other numbers nobody has looked at.
        stated.append("all of the file but what is printed here")
        notes += [against_claim(data, found[0])] if own else []
        return replace(found[0], status=status, reasons=tuple(notes), stated=tuple(stated))
    missing = [name for name in CERTIFICATE if name not in data]
    need(not missing, f"a certificate says {', '.join(missing)}")
    about = instance(data)
    unseen = bound_to_all(data, about, wanted, found)
    # The theorem and the channel; an alternative ceiling need not reach the claim.
    compared = found[:1] + found[max(1, len(wanted)) :]
    notes += [against_claim(data, one) for one in compared]
    if data["verdict"] != "PROVED" and not (channel and borne_out_by_channel(data, about)):
        unseen.append(f"whether the verdict {quote(data['verdict'])} follows is not shown here")
    if unseen:
        status = STATUSES[max(STATUSES.index(status), STATUSES.index("not re-checked"))]
    if any(one["auditor"] != "proof" for one in data["evidence"]):
        stated.append("what other auditors found")
    stated.append("what its findings, assumptions and notes say in words")
    return replace(found[0], status=status, reasons=(*notes, *unseen), stated=tuple(stated))


def kind_of(subject: Data) -> Any:
    """A certificate's kind of subject; a command that asks a curator is a program of a module."""
    kind = subject.get("kind")
    return "module" if kind == "command" and subject.get("form") == "program" else kind


def bound_to_all(data: Data, about: Data, wanted: list[Data], found: list[Result]) -> list[str]:
    """Reject what is not about the certificate's subject, domain and bounds; gives what stays open.

    Guarantee
    ---------
    Nothing in a certificate contradicts what its proof and channel are about. Backed by
    ``tests/hostile/test_forged_derivations.py``.
    """
    verdict = one_of(*VERDICTS)(data["verdict"])
    need(verdict != "PROVED" or bool(wanted), "a verdict of PROVED needs a derivation")
    kind = kind_of(record(data["subject"]))
    need(not wanted or kind in PROGRAMS, "only a program is proved by a derivation")
    open_: list[str] = []
    for one in wanted:
        try:
            about_subject(data, one, about)
        except Unbound as reason:
            open_.append(str(reason))
    if len(found) > len(wanted):
        need(kind in (*PROGRAMS, "channel"), "of what is only run, no channel is known")
        about_channel(data["channel_certificate"]["databases"], about)
    return open_ + ceilings(
        data, about, [one.judgment["guarantee"] for one in found[: len(wanted)]]
    )


def instance(data: Data) -> Data:
    """What a certificate is about: "attributes" with their sizes, "records", "cells", "at"."""
    name, most = members_of(data["unit"], "name", "max_records")
    at = relation(dict(zip(WHERE, (data["neighbours"], name, most), strict=True)))
    domain = record(data["domain"])
    own = {"name", "attributes", "hierarchies", "individual", "cells", "records"}
    need({"attributes", "cells", "records"} <= set(domain) <= own, "a domain has other names")
    shape: dict[str, int] = {}
    known = {"name", "values", "ordinal", "edges", "missing", "missing_label"}
    for one in members(domain["attributes"]):
        need({"name", "values"} <= set(record(one)) <= known, "an attribute has other names")
        values = list_of(text)(one["values"])
        need(len(set(values)) == len(values) and one["name"] not in shape, "a name is repeated")
        shape[text(one["name"])] = len(values) + flag(one.get("missing", False))
    need(size_of(shape, list(shape)) == counting(domain["cells"]), "the cells are others")
    records = None if domain["records"] is None else whole(domain["records"])
    return {"attributes": shape, "records": records, "cells": domain["cells"], "at": at}


def about_subject(data: Data, proof: Data, about: Data) -> None:
    """Reject a theorem that is not about the program which is the certificate's subject.

    Its domain, public number of records and release are compared as well; raises Unbound where
    the theorem does not say them.
    """
    steps, place, releases = proof["steps"], len(proof["steps"]) - 1, []
    elsewhere = "the theorem is not about the certificate's subject"
    while steps[place]["rule"] not in ABOUT:
        rule, premises = steps[place]["rule"], steps[place]["premises"]
        need(rule in SAME and len(premises) == 1, elsewhere)
        if rule == "post-processing":
            releases.append(steps[place]["parameters"].get("released"))
        place = premises[0]
    given = steps[place]["parameters"]
    need(agrees(data["subject"], given["program"]), elsewhere)
    records = about["records"] if about["at"] == REPLACE else None
    if steps[place]["rule"] == "fixed-ledger":
        waiting, reached = list(steps[place]["premises"]), set[int]()
        while waiting:
            place = waiting.pop()
            if place not in reached:
                reached.add(place)
                waiting += steps[place]["premises"]
                of_ledger(steps[place]["rule"], steps[place]["parameters"], about, records)
    own = given.get("setting")
    if own is not None:
        need(agrees(about["attributes"], own["attributes"]), "the theorem is about another domain")
        need(agrees(records, own["records"]), "the theorem is about another number of records")
    final = one_of("output", "transcript")(data["released"])
    need(releases != [], "the theorem does not say what is released")
    # A transcript can be turned into an output, and not the other way round.
    later = {name for name in releases if name is not None} - {final}
    fine = releases[0] in (None, final) and (final == "output" or not later)
    need(fine, "the theorem is about another release")
    if own is None or None in releases:
        raise Unbound("the theorem does not name its domain, records and release: not re-checked")


def of_ledger(rule: str, given: Data, about: Data, records: int | None) -> None:
    """Reject a step that a ledger's theorem can't rest on, or that is about another domain."""
    need(rule in LEDGER, f"a ledger's theorem does not rest on the rule {rule}")
    sizes = {"values": given.get("values"), "matrix": len(given.get("matrix", []))}
    cells = {"randomized-response": "values", "local-matrix": "matrix"}.get(rule)
    fine = agrees(about["attributes"], given.get("shape", about["attributes"]))
    fine &= cells is None or sizes[cells] == about["cells"]
    asked = given.get("query", {})
    fine &= asked.get("records", records) == records
    need(fine, "the theorem is about another domain")


def about_channel(databases: list[list[int]], about: Data) -> None:
    """Reject a channel of another domain, or of other numbers of records."""
    sizes, records = [sum(one) for one in databases], about["records"]
    need(len(databases[0]) == about["cells"], "the channel is about another domain")
    fine = records is None or max(sizes) <= records
    fine &= about["at"] != REPLACE or set(sizes) == {records}
    need(fine, "the channel is about other numbers of records")


def describe_databases(about: Data) -> str:
    """The databases that a theorem about the certificate's subject speaks of, in words."""
    public = about["at"] == REPLACE and about["records"] is not None
    size = f"{about['records']} records" if public else "any size"
    return f"databases of {size} over {about['cells']} cell{'s' * (about['cells'] != 1)}"


def ceilings(data: Data, about: Data, held: list[Data]) -> list[str]:
    """Reject a ceiling by a theorem that no theorem of the certificate implies.

    Every bound is one of the evidence. Gives what is said of ceilings that another auditor found.
    """
    claim = parse_claim(text(data["claim"]))
    name, open_ = PARAMETER[claim["kind"]], list[str]()
    stated: dict[str, list[tuple[str, Data]]] = {side: [] for side in SIDES}
    for one in members(data["evidence"]):
        auditor, bound = text(record(one)["auditor"]), one.get("bound")
        need(auditor != "proof" or bool(held), "a theorem needs its derivation")
        if bound is not None:
            side, own = bound["side"], {k: v for k, v in bound.items() if k != "side"}
            need(auditor != "proof" or side == "ceiling", "a theorem gives a ceiling")
            stated[side].append((auditor, own))
    for side, shown_ in zip(SIDES, members_of(data["bounds"], *SIDES), strict=True):
        found = [bound for _, bound in stated[side]]
        derived = found == [] if shown_ is None else any(agrees(one, shown_) for one in found)
        need(derived, f"the bound {side} is not one of the evidence")
    for auditor, bound in stated["ceiling"]:
        numbers = {"epsilon", name} if name in bound else {"epsilon"}
        need(set(bound) == {*numbers, "covers", "rigour"}, "a ceiling has other names")
        proved = one_of("rigorous", "exact")(bound["rigour"]) == "rigorous"
        need(proved == (auditor == "proof"), "a ceiling is rigorous if it is by a theorem")
        missing = {which for which in numbers if not is_implied(claim, which, bound[which], held)}
        # Older certificates carry no theorem of epsilon beside one of another parameter.
        carried = name == "epsilon" or any(one["kind"] == "approx" for one in held)
        spare = not proved or (missing == {"epsilon"} and not carried)
        need(not missing or spare, "a ceiling is not implied by the theorem")
        if proved and text(bound["covers"]) != describe_databases(about):
            open_.append(
                f"a ceiling covers {describe_databases(about)}, and is said to cover something else"
            )
        if missing:
            whose = "of epsilon, of which there is no theorem," if proved else "of another auditor"
            open_.append(f"a ceiling {whose} is not re-checked")
    return open_


def is_implied(claim: Data, name: str, ends: Any, held: list[Data]) -> bool:
    """Whether some theorem implies the upper end of a ceiling, whose two ends are one number."""
    low, high = (None if end == "inf" else rational(end) for end in members_of(ends, *ENDS))
    if low is None or high is None:
        need(low is None and high is None, "a ceiling is one number")
        return True
    need(0 <= low <= high <= low + high * ROUNDING, "a ceiling is one number")
    match claim["kind"]:
        case "renyi" if name == "rdp":
            wanted = make_guarantee("renyi", [[claim["points"][0][0], high]])
        case "zcdp" | "gdp" as kind if name != "epsilon":
            wanted = make_guarantee(kind, high)
        case _:
            wanted = make_guarantee("approx", high, claim.get("delta", ZERO))
    return any(entails(one, wanted) for one in held)


def entails(held: Data, wanted: Data) -> bool:
    """Whether a guarantee is no weaker than another of its kind."""
    try:
        return held["kind"] == wanted["kind"] and bool(weaker(held, wanted))
    except Rejected:
        return False


SIDES, ENDS = ("floor", "exact", "ceiling"), ("lower", "upper")


def borne_out_by_channel(data: Data, about: Data) -> bool:
    """Whether the channel that is carried is the subject's, and all that the verdict needs."""
    subject, carried = data["subject"], data["channel_certificate"]
    if subject["kind"] != "channel" or subject.get("matrix") is None:
        return bool(data["verdict"] == "REFUTED")
    names, texts = (subject["matrix"][name] for name in ("databases", "probabilities"))
    for name, counted in zip(list_of(text)(names), carried["databases"], strict=True):
        own = [rational(part) for part in name.strip().split("-")]
        need(own == counted, "the channel is not the subject's")
    for chances, named in zip(carried["rows"], members(texts), strict=True):
        ends = parse_row(members(named), flag(subject["rounded"]))
        for entry, (least, most) in zip(chances, ends, strict=True):
            low, high = chance(entry)
            need(low <= least and most <= high, "the channel is not the subject's")
    if data["verdict"] == "EXACT":
        found = channel_of(about["at"], carried["databases"], carried["rows"])
        sizes = list(range(found.sizes[-1] + 1)) if about["at"] != REPLACE else found.sizes[-1:]
        every = found.complete and found.sizes == sizes and sizes[-1] == about["records"]
        need(every, "a verdict of EXACT needs all databases of the claim")
        exact_value(data, found)
    return data["verdict"] in ("REFUTED", "EXACT")


def parse_row(row: list[Any], rounded: bool) -> list[tuple[Fraction, Fraction]]:
    """How far a file knows a row's chances: decimals are rounded, or their sum is 1 only nearly."""
    values = [rational(entry) for entry in row]
    if not rounded and total(values) == 1:
        return [(value, value) for value in values]
    if not rounded:
        return [(value * (1 - NEARLY), value * (1 + NEARLY)) for value in values]
    halves = [ZERO if "/" in entry else _unit(entry) / 2 for entry in map(text, row)]
    pairs_ = zip(values, halves, strict=True)
    return [(max(value - half, ZERO), min(value + half, ONE)) for value, half in pairs_]


def _unit(decimal: str) -> Fraction:
    """What 1 more in the last decimal is worth; 0 where there are none."""
    places = -int(Decimal(decimal).as_tuple().exponent)
    return Fraction(1, 10**places) if places > 0 else ZERO


def exact_value(data: Data, found: Channel) -> None:
    """Reject an exact value whose ends do not hold the least ε of the channel at the claim's δ.

    Where chances lie between two numbers, they hold it for all chances between these.
    """
    delta = rational(data["channel_certificate"]["delta"])
    low, high = members_of(record(data["bounds"]["exact"])["epsilon"], *ENDS)
    if high == "inf":
        raise Rejected("a verdict of EXACT needs a finite value")
    pairs_ = [(found.rows[i], found.rows[j]) for one in found.pairs for i, j in (one, one[::-1])]
    least, most = rational(low), rational(high)
    need(0 <= least <= most, "an exact value lies between its ends")
    for left, right in pairs_:
        over = divergence(left, right, most, PRECISIONS[1], True)
        need(over <= delta, "the exact value may be larger than stated")
    need(any(reaches(*pair, least, delta) for pair in pairs_), "the exact value may be smaller")


def reaches(left: Row, right: Row, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the least ε of two rows at δ is at least this one."""
    if epsilon == 0:
        return True
    if delta > 0:
        return divergence(left, right, epsilon, PRECISIONS[1], False) >= delta
    factor = exp(epsilon, PRECISIONS[1]).high * left[0]
    return any(p and p * right[0] >= factor * q for p, q in zip(left[1], right[2], strict=True))


def against_claim(data: Data, one: Result) -> str:
    """What a theorem or channel says of the claim; it must bear out the verdict."""
    name, most = members_of(data["unit"], "name", "max_records")
    at = relation(dict(zip(WHERE, (data["neighbours"], name, most), strict=True)))
    need(relation_of(one.judgment) == at, "it is about other neighbours than the claim")
    claim, finding = parse_claim(text(data["claim"])), one.judgment.get("finding")
    held, verdict = one.judgment.get("guarantee", {"kind": ""}), data.get("verdict")
    try:
        need(held["kind"] == claim["kind"], "the theorem is of another kind than the claim")
        weaker(*((claim, held) if finding == "violated" else (held, claim)))
    except Rejected:
        # A certificate may carry the best ceiling, though it does not reach the claim.
        need(finding is None and verdict not in (None, "PROVED"), "it does not show the claim")
        return f"does not reach the claim {claim_words(data)}"
    need(finding != "violated" or verdict in (None, *AGAINST), "the channel violates the claim")
    need(finding != "holds" or verdict not in AGAINST, "the channel does not violate the claim")
    if finding is None:
        if verdict in AGAINST:
            return f"shows the claim {claim_words(data)}, unless something that it rests on fails"
        return f"shows the claim {claim_words(data)}"
    where = "on the channel that is carried"
    return (
        f"{'refutes' if finding == 'violated' else 'shows'} the claim {claim_words(data)} {where}"
    )


def claim_words(data: Data) -> str:
    """The claim, safe to print."""
    return quote(data["claim"])


def check(data: object) -> Result:
    """Check a derivation, a channel certificate, or a certificate that carries them.

    Guarantee
    ---------
    "checked" only if each step follows by its rule, the theorem rests on no hypotheses but the
    listed ones, and what is claimed follows from it. Raises nothing. Backed by
    ``tests/proofs/test_checker.py``.
    """
    METER.left = WORK
    METER.notes.clear()
    try:
        require_bounded(data)
        if type(data) is not dict:
            raise Malformed("an object is expected")
        if data.get("schema") == DERIVATION:
            return derivation(data)
        if data.get("schema") == CHANNEL:
            plain(data)
            return channel_certificate(data)
        return certificate(data)
    except Malformed as reason:
        return Result("malformed", (str(reason),))
    except (
        Rejected,
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        AttributeError,
    ) as reason:
        return Result("rejected", (str(reason)[:400] or "the data are of another form",))
    except Unaffordable as reason:
        return Result("kernel only", (f"nothing is shown: {reason}",))
    except (RecursionError, MemoryError):
        return Result("malformed", ("it is nested too deeply, or too large",))


def read(content: bytes) -> object:
    """The data of a JSON text; raises Malformed."""

    def once(members: list[tuple[str, Any]]) -> Data:
        found = dict(members)
        if len(found) < len(members):
            raise Malformed("a name occurs twice in one object")
        return found

    def short(digits: str) -> int:
        if len(digits) > MAX_DIGITS:
            raise Malformed("a number has too many digits")
        return int(digits)

    def refuse(constant: str) -> None:
        raise Malformed(f"{constant} is no number")

    if len(content) > MAX_BYTES or content.count(b"[") + content.count(b"{") > MAX_LISTS:
        raise Malformed(f"more than {MAX_BYTES} bytes, or {MAX_LISTS} lists, are not read")
    depth = 0
    for mark in _MARKS.finditer(content):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(mark[0], 0)
        if depth > MAX_DEPTH:
            raise Malformed("it is nested too deeply")
    try:
        hooks: Data = {"object_pairs_hook": once, "parse_int": short, "parse_constant": refuse}
        return json.loads(content.decode(), parse_float=Inexact, **hooks)
    except (RecursionError, MemoryError):
        raise Malformed("it is nested too deeply, or too large") from None
    except ValueError as reason:
        raise Malformed(f"it is no JSON ({str(reason)[:80]})") from None


_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[][{}]', re.DOTALL)
"""Texts, and the brackets outside of them."""


class Inexact:
    """A floating-point number of a file: no part of a proof."""

    def __init__(self, text: str) -> None:
        pass


def check_file(path: str) -> Result:
    """`check` of a file, or of standard input for "-"."""
    try:
        with sys.stdin.buffer if path == "-" else open(path, "rb") as file:
            return check(read(file.read(MAX_BYTES + 1)))
    except Malformed as reason:
        return Result("malformed", (str(reason),))
    except (OSError, ValueError):
        return Result("malformed", ("the file cannot be read",))


def main(arguments: list[str]) -> int:
    """Check one file and print what was found; returns the exit code."""
    if len(arguments) != 1:
        print("usage: python checker.py FILE", file=sys.stderr)
        return EXIT_CODES["malformed"]
    found = check_file(arguments[0])
    told = f". Stated to the checker and not seen by it: {'; '.join(found.stated)}"
    print(found.status.upper() + (told if found.stated else ""))
    for reason in found.reasons:
        print(f"  {reason}")
    if found.mechanism:
        lines = {"mechanism": found.mechanism, "neighbours": found.neighbours}
        lines |= {"guarantee": found.guarantee, "provided that": ""}
        print(*(f"{name}: {words}" for name, words in lines.items()), sep="\n")
        print(*(f"  {name}: {words}" for name, words in found.hypotheses.items()), sep="\n")
    return EXIT_CODES[found.status]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
