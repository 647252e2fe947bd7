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
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cache, partial, wraps
from math import comb, factorial, floor, isqrt, lcm
from operator import mul
from types import SimpleNamespace
from typing import Any

MAX_BYTES = 32_000_000
MAX_LISTS = 4_000_000
MAX_DEPTH = 60
MAX_STEPS = 100_000
MAX_DIGITS = 4_000
MAX_EXPONENT = 1 << 15
MAX_TERMS = 20_000
MAX_CELLS = 1 << 17
WORK = 60_000_000
"""Limits of what is read and computed (choices of this project): bytes of a file, lists and objects
in it and how deep they are nested, steps, digits of a number, exponents of e, terms of a sum, cells
of a line, and units of work, about a microsecond each; a step beyond them is left to the kernel, a
file beyond them is malformed."""

PRECISIONS = (128, 384, 1536)
"""Bits at which an inequality is tried before it stays open."""

Data = dict[str, Any]
Losses = list[Data]
ZERO, ONE = Fraction(0), Fraction(1)


class Malformed(Exception):
    """The file is not of a form that can be checked."""


class Rejected(Exception):
    """Something stated does not follow."""


class Unaffordable(Exception):
    """A number is left to the kernel: its check would take too long, or stays undecided."""


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

    def round_to(self, bits: int) -> Interval:
        """The interval with its ends moved outwards to numbers of about ``bits`` bits."""
        return Interval(_round_down(self.low, bits), _round_up(self.high, bits))


Number = Interval | Fraction | int


Enclosure = Callable[[int], Number]
"""A number, enclosed to some bits."""


def interval(value: Number) -> Interval:
    """A number as an interval."""
    return value if isinstance(value, Interval) else Interval(Fraction(value), Fraction(value))


def _round_down(value: Fraction, bits: int) -> Fraction:
    places = bits - value.numerator.bit_length() + value.denominator.bit_length()
    units = value.numerator << max(places, 0)
    return _dyadic(units // (value.denominator << max(-places, 0)), places)


def _round_up(value: Fraction, bits: int) -> Fraction:
    return -_round_down(-value, bits)


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
    def extend(value: Number, bits: int) -> Interval:
        ends = interval(value)
        low = function(ends.low, bits)
        return low if ends.low == ends.high else Interval(low.low, function(ends.high, bits).high)

    return extend


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


def _sum_terms(term: int, factor: int, divisor: int, step: int, places: int, up: bool) -> int:
    """Σ of terms >= 0, each factor/divisor of the one before, the divisor growing by a step."""
    total, least = term, -(-2 * factor >> places)
    # From this divisor on each term is at most half of the one before: what is left, 1 unit.
    while term > up or divisor < least:
        term = _divide(_shift_right(term * factor, places, up), divisor, up)
        total, divisor = total + term, divisor + step
    return total + up


def _exp(x: Fraction, halvings: int, places: int, up: bool) -> Fraction:
    small = (x.numerator << places) // (x.denominator << halvings) + up
    mantissa, scale = _sum_terms(1 << places, small, 1, 1, places, up), places
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
    power += (3 * x > 4 * Fraction(2) ** power) - (3 * x < 2 * Fraction(2) ** power)
    rest = x / Fraction(2) ** power
    z = (rest - 1) / (rest + 1)
    closeness = max(0, z.denominator.bit_length() - z.numerator.bit_length())
    places = bits + 16 + power.bit_length() + closeness
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
    t_near = Interval(_round_down(t, bits + 64), _round_up(t, bits + 64))
    # So many bits cancel where the tail is what is left of 1/2.
    near = t <= 8 or 2 * t * t <= bits
    places = bits + 80 + (floor(t * t) if near else 0)
    density = exp(-t * t / 2, places) / sqrt(2 * pi(places), places)
    if near:
        ends = [_odd_series(t, places + 16, up) for up in (False, True)]
        return Fraction(1, 2) - density * Interval(*ends)
    # Laplace's continued fraction t + 1/(t + 2/(t + …)): from its n-th part on it lies between t
    # and t + n/t, and each step before that reverses the order.
    depth = ((bits + 40) // (2 * floor(t)) + 3) ** 2 + bits // 16
    part = Interval(t_near.low, t_near.high + depth / t_near.low)
    for number in range(depth - 1, 0, -1):
        part = (t_near + number / part).round_to(bits + 32)
    return density / part


def _odd_series(t: Fraction, places: int, up: bool) -> Fraction:
    """Σ t^(2n+1)/(1·3·…·(2n+1)) = (Φ(t) - 1/2)/φ(t) for t > 0, in units of 2^-places."""
    term = (t.numerator << places) // t.denominator + up
    square = (t.numerator**2 << places) // t.denominator**2 + up
    return _dyadic(_sum_terms(term, square, 3, 2, places, up), places)


def power(base: Fraction, count: int, bits: int) -> Interval:
    """A power of a number in 0 … 1."""
    if base == 0 or count * base.denominator.bit_length() <= 20_000:
        return interval(base**count if base else 0 ** min(count, 1))
    return exp(log(base, bits + count.bit_length()) * count, bits)


@dataclass
class Meter:
    """What a check may still spend, and what its present step left to the kernel."""

    left: int = field(default_factory=lambda: WORK)
    notes: list[str] = field(default_factory=list)

    def spend(self, units: int) -> None:
        """Count work; raises Unaffordable when there has been too much of it."""
        self.left -= units
        if self.left < 0:
            raise Unaffordable("it takes more work than this checker allows itself")

    def at_most(self, value: Enclosure, limit: Fraction, words: str) -> None:
        """Reject unless a number, enclosed to some bits, is at most ``limit``.

        What can't be afforded or decided is noted as left to the kernel.
        """
        try:
            for bits in PRECISIONS:
                self.spend(8 * bits)
                found = interval(value(bits))
                if found.high <= limit:
                    return
                need(found.low <= limit, words)
            raise Unaffordable("an inequality stays undecided")
        except Unaffordable as reason:
            self.notes.append(f"{reason} ({words})")


# --- Data: what rules read ------------------------------------------------------------------------

_NUMBER = re.compile(
    r"-?[0-9]+(/0*[1-9][0-9]*)?|-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?"
)
Kind = Callable[[Any], Any]


def rational(value: object) -> Fraction:
    """An integer, or a fraction or decimal as text; a number that was read before stays."""
    if type(value) is Fraction:
        return value
    if type(value) is int and abs(value) < 10**MAX_DIGITS:
        return Fraction(value)
    if type(value) is not str or len(value) > MAX_DIGITS or not _NUMBER.fullmatch(value):
        raise Rejected(f"{quote(value)} is no integer, nor a fraction or decimal as text")
    found = Fraction(value)
    short = max(abs(found.numerator), found.denominator) < 10**MAX_DIGITS
    need(short, f"a number has more than {MAX_DIGITS} digits")
    return found


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


class Optional:
    """A parameter that may be left out, and is None then."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind


Parameter = Kind | Optional
members = such(lambda value: type(value) is list, "a list")
record = such(lambda value: type(value) is dict, "an object")
text = such(lambda value: type(value) is str, "a text")
flag = such(lambda value: type(value) is bool, "true or false")
integer = such(lambda v: type(v) is int and abs(v) < 10**MAX_DIGITS, "an integer")
whole = such(lambda value: value >= 0, "an integer from 0 on", integer)
counting = such(lambda value: value > 0, "an integer from 1 on", integer)
several = such(lambda value: value > 1, "an integer from 2 on", integer)
least = such(lambda value: value >= 0, "a number from 0 on", rational)
positive = such(lambda value: value > 0, "a positive number", rational)
inner = such(lambda value: 0 < value < 1, "a number strictly between 0 and 1", rational)
chance_below = such(lambda value: 0 <= value < 1, "a number from 0 on, below 1", rational)
two = such(lambda value: len(value) == 2, "a pair", members)
adjacency = one_of("add-remove", "replace-one")
rationals, integers = list_of(rational), list_of(integer)
tables, cells, cell_lists = list_of(rationals), list_of(whole), list_of(list_of(whole))


def anything(value: Any) -> Any:
    """A value that its reader looks at."""
    return value


def count_or_none(value: object) -> int | None:
    """How many answers move, where it is known."""
    return None if value is None else int(whole(value))


def fields(kinds: Mapping[str, Parameter], data: object) -> Data:
    """The values of an object by their kinds; it has these names, and no other."""
    required = {name for name, kind in kinds.items() if not isinstance(kind, Optional)}
    names, given = ", ".join(kinds) or "(none)", record(data)
    need(required <= set(given) <= set(kinds), f"the names of all parameters are expected: {names}")
    found: Data = {}
    for name, kind in kinds.items():
        read = kind.kind if isinstance(kind, Optional) else kind
        found[name] = read(given[name]) if name in given else None
    return found


def members_of(data: object, *names: str) -> list[Any]:
    """The members of an object that has exactly these names."""
    return list(fields(dict.fromkeys(names, anything), data).values())


def variant(tag: str, kinds: Mapping[str, Mapping[str, Kind]], data: object, **more: Kind) -> Data:
    """The values of an object of one of several kinds; ``tag`` is its name for the kind."""
    kind = one_of(*kinds)(record(data).get(tag))
    return fields({tag: text, **more, **kinds[kind]}, data)


Relation = tuple[str, str, int]
"""The neighbours: "add-remove" or "replace-one", of a "record" or "person", its most records."""

WHERE: dict[str, Kind] = {
    "neighbours": adjacency, "unit": one_of("record", "person"), "max_records": counting
}  # fmt: skip
ADD, REPLACE = ("add-remove", "record", 1), ("replace-one", "record", 1)


def relation(data: object) -> Relation:
    """A neighbouring relation."""
    name, unit, most = fields(WHERE, data).values()
    need(most == 1 or unit == "person", "a record is one record")
    return name, unit, most


def shape_of(data: object) -> dict[str, int]:
    """How many values each attribute has."""
    need(record(data) != {}, "an attribute is expected")
    return {name: counting(size) for name, size in record(data).items()}


def setting(data: object) -> Data:
    """What a program runs on: the sizes of its attributes; the public number of records."""
    return fields({"attributes": shape_of, "records": count_or_none}, data)


def relation_of(judgment: Data) -> Relation:
    """The neighbours of a judgment."""
    return judgment["neighbours"], judgment["unit"], judgment["max_records"]


def total(values: Iterable[Fraction]) -> Fraction:
    """A sum of fractions whose size stays bounded."""
    found = ZERO
    for value in values:
        found += value
        need(found.denominator.bit_length() < 64_000, "a sum has too many digits")
    return found


def levels(data: object) -> list[list[Fraction]]:
    """Pairs of numbers from 0 on, the first ones ascending."""
    found: list[list[Fraction]] = list_of(list_of(least))(list_of(two)(data))
    firsts = [first for first, _ in found]
    need(found != [] and firsts == sorted(set(firsts)), "ascending numbers are expected")
    return found


curve = such(lambda points: points[0][0] > 1, "orders above 1", levels)
"""The points of a Rényi curve: orders, each with its divergence."""

NORMS: dict[str, Kind] = {"l0": count_or_none, "l1": least, "l2_squared": least, "linf": least}
APPROX: dict[str, Kind] = {"epsilon": least, "delta": chance_below}

LOSSES: dict[str, dict[str, Kind]] = {
    "noise": {
        "law": one_of("laplace", "discrete-laplace", "discrete-gaussian"), "amount": positive,
        **NORMS,
    },
    "gaussian": {"mu_squared": least},
    "response": APPROX,
    "bounded-range": {"epsilon": least},
    "sampled-gaussian": {"fraction": inner, "mu_squared": positive},
    "allocation": {"steps": several, "mu_squared": positive},
    "fixed-size": {"fraction": inner, "mu_squared": positive},
    "concentrated": {"xi": least, "rho": least, "delta": chance_below},
    "curve": {"points": curve},
}  # fmt: skip
"""What mechanisms add to the loss, each with its parameters."""


def loss(data: object) -> Data:
    """A loss, and how often it occurs."""
    found = variant("loss", LOSSES, data, count=counting)
    if found["loss"] == "noise":
        fine = found["linf"] ** 2 <= found["l2_squared"] <= found["l1"] ** 2
        need(fine, "the moves of noisy answers have linf <= l2 <= l1")
    return found


def lost(kind: str, count: int, *values: Any) -> Data:
    """A loss of known numbers."""
    return {"loss": kind, "count": count, **dict(zip(LOSSES[kind], values, strict=True))}


def join(parts: list[Losses], counts: list[int]) -> Losses:
    """All losses of all parts, in one order; Gaussians become one."""
    found: dict[tuple[Any, ...], tuple[int, Data]] = {}
    squares = []
    for losses, times in zip(parts, counts, strict=True):
        for one in losses:
            if one["loss"] == "gaussian":
                squares.append(times * one["count"] * one["mu_squared"])
                continue
            own = [value for name, value in one.items() if name != "count"]
            key = tuple(-1 if value is None else _hashable(value) for value in own)
            found[key] = found.get(key, (0, one))[0] + times * one["count"], one
    if squared := total(squares):
        found["gaussian", squared] = 1, lost("gaussian", 1, squared)
    return [{**found[key][1], "count": found[key][0]} for key in sorted(found) if found[key][0]]


def _hashable(value: Any) -> Any:
    return tuple(map(tuple, value)) if type(value) is list else value


def losses_of(data: object) -> Losses:
    """Losses in their order, equal ones as one."""
    found = [loss(one) for one in members(data)]
    need(join([found], [1]) == found, "losses have one order")
    return found


GUARANTEES: dict[str, dict[str, Kind]] = {
    "losses": {"losses": losses_of},
    "approx": APPROX,
    "zcdp": {"rho": least},
    "gdp": {"mu": least},
    "renyi": {"points": curve},
    "profile": {"points": such(lambda p: max(d for _, d in p) < 1, "deltas below 1", levels)},
    "odometer": {"levels": levels, "delta": chance_below},
}
"""The kinds of guarantees, with their parameters."""


def guarantee(data: object) -> Data:
    """A guarantee of its plain data."""
    return variant("kind", GUARANTEES, data)


def guarantee_of(kind: str, *values: Any) -> Data:
    """A guarantee, if its numbers lie in their ranges."""
    return guarantee({"kind": kind, **dict(zip(GUARANTEES[kind], values, strict=True))})


# --- Curves: what losses reveal -------------------------------------------------------------------


def gaussian_delta(mu_squared: Fraction, epsilon: Fraction, bits: int) -> Number:
    """δ(ε) of N(μ, 1) against N(0, 1) (Balle & Wang 2018, Theorem 8)."""
    if mu_squared == 0:
        return 0
    mu = sqrt(mu_squared, bits)
    beyond = exp(epsilon, bits) * normal(-mu / 2 - epsilon / mu, bits)
    return normal(mu / 2 - epsilon / mu, bits) - beyond


def response_delta(meter: Meter, count: int, own: Fraction, epsilon: Fraction, bits: int) -> Number:
    """δ(ε) of equal ε₀ responses (Kairouz, Oh & Viswanath 2015, Theorem 3.3).

    The loss is (count - 2l)·ε₀ with binomial chance.
    """
    found = interval(0)
    if epsilon >= count * own:
        return found
    last = min(count, floor((count - epsilon / own) / 2))
    if last > MAX_TERMS:
        raise Unaffordable(f"a sum has more than {MAX_TERMS} terms")
    meter.spend((last + 2) * bits // 4)
    fewer, growth = exp(-own, bits), exp(2 * own, bits)
    chance = exp(-count * log(1 + fewer, bits + count.bit_length()), bits)
    share = exp(epsilon - count * own, bits)
    for number in range(last + 1):
        found = (found + chance * (1 - share)).round_to(bits)
        ratio = Fraction(count - number, number + 1)
        chance, share = (chance * fewer * ratio).round_to(bits), (share * growth).round_to(bits)
    return found


def rounded_delta(
    meter: Meter, responses: list[tuple[int, Fraction]], epsilon: Fraction, grid: int, bits: int
) -> Interval:
    """At least δ(ε) of different responses, each ε₀ rounded up to a multiple of 2^-grid.

    Murtagh & Vadhan 2016, section 5: the law of the sum of losses, one by one, rounded up.
    """
    if grid > 64:
        raise Unaffordable("losses are rounded too finely")
    runs = [(count, -floor(-own * 2**grid)) for count, own in responses if own]
    whole_sum = sum(step * count for count, step in runs)
    meter.spend(2 * sum(count for count, _ in runs) * (whole_sum + 1))
    weights = [1 << bits]
    for count, step in runs:
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
    return Interval(ZERO, min(found / 2**bits, ONE))


def moves(one: Data) -> tuple[int, Fraction]:
    """How many moves of one size dominate noisy answers, and their size.

    A group of answers whose moves have the sum Linf moves one after the other, which for these
    laws is one move of the sum; moves of sum L1, each at most Linf, fit into fewer than 2·L1/Linf
    groups. Integers move by an integer.
    """
    size = one["linf"] if one["law"] == "laplace" else Fraction(floor(one["linf"]))
    if size == 0:
        return 0, ZERO
    groups = max(-floor(-2 * one["l1"] / size) - 1, 1)
    return groups if one["l0"] is None else min(groups, one["l0"]), size


def largest(one: Data) -> Fraction:
    """The largest loss, leaks apart."""
    match one:
        case {"loss": "noise", "law": "laplace" | "discrete-laplace"}:
            return Fraction(one["l1"] / one["amount"])
        case {"loss": "response" | "bounded-range"}:
            return Fraction(one["epsilon"])
        case {"loss": "concentrated", "rho": 0}:
            return Fraction(one["xi"])
    raise Rejected(f"a loss of the kind {one['loss']} is unbounded")


def leak(one: Data) -> Fraction:
    """The chance with which nothing is known of a loss."""
    return Fraction(one.get("delta", ZERO))


def without_leaks(losses: Losses, bits: int) -> Interval:
    """The chance that no loss leaks."""
    found = interval(1)
    for one in losses:
        found = found * power(1 - leak(one), one["count"], bits)
    return found


def concentration(one: Data, bits: int) -> Number:
    """ρ of a loss."""

    def pure(epsilon: Fraction) -> Interval:  # ε·tanh(ε/2) (Steinke 2024, Theorem 5)
        return epsilon * (1 - 2 / (1 + exp(epsilon, bits)))

    match one:
        case {"loss": "gaussian", "mu_squared": squared}:
            return Fraction(squared / 2)
        case {"loss": "noise", "law": "discrete-gaussian", "l2_squared": squared}:
            return Fraction(squared / (2 * one["amount"]))
        case {"loss": "noise"}:
            count, size = moves(one)
            return smaller(pure(largest(one)), count * pure(size / one["amount"]))
        case {"loss": "bounded-range", "epsilon": epsilon}:  # Cesar & Rogers 2021
            return smaller(pure(epsilon), interval(epsilon**2 / 8))
        case {"loss": "response", "epsilon": epsilon}:
            return pure(epsilon)
        case {"loss": "concentrated", "xi": 0, "rho": rho}:
            return Fraction(rho)
    raise Rejected(f"a loss of the kind {one['loss']} is not known to be concentrated")


def smaller(one: Interval, other: Interval) -> Interval:
    """The smaller of two numbers."""
    return Interval(min(one.low, other.low), min(one.high, other.high))


def sampled_delta(one: Data, side: str, epsilon: Fraction, bits: int) -> Number:
    """δ of N(0, 1) and its mixture of rate q with N(μ, 1), at any real ε.

    The likelihood ratio grows with x, and is e^±ε where e^(μx - μ²/2) is (e^±ε - 1 + q)/q. A sample
    of a fixed size has the mixture's ratio where that is above 1, and its reverse, where below.
    """
    q: Fraction = one["fraction"]
    if one["loss"] == "fixed-size":
        side = "remove" if epsilon >= 0 else "add"
    mu = sqrt(one["mu_squared"], bits)
    ratio = exp(epsilon if side == "remove" else -epsilon, bits)
    above = ratio - (1 - q)
    if above.high <= 0:
        return 1 - ratio if side == "remove" else ZERO
    if above.low <= 0:
        raise Unaffordable("a likelihood ratio could not be told from its least value")
    place = (log(above / q, bits) / mu + mu / 2).round_to(bits)
    if side == "remove":
        return q * normal((mu - place).round_to(bits), bits) - above * normal(-place, bits)
    return (above * normal(place, bits) - q * normal((place - mu).round_to(bits), bits)) / ratio


def law_of(meter: Meter, one: Data, bits: int) -> dict[Fraction, Interval]:
    """The chance of each value of a discrete loss that is finite."""
    need(one["loss"] in ("discrete-laplace", "discrete-gaussian"), "a loss is not discrete")
    shift = one["shift"]
    if one["loss"] == "discrete-gaussian":  # the values left out weigh less than 3·2^-bits
        spread = 2 * one["variance"]
        radius = isqrt(floor(spread * bits) + 1) + 1
        meter.spend(radius * bits)
        weights = [exp(-z * z / spread, bits) for z in range(radius + 1)]
        inner = (weights[0] + 2 * sum(weights[1:], interval(0))).round_to(bits)
        whole_sum = Interval(inner.low, inner.high * (1 + Fraction(3, 2**bits)))
        return {
            (shift**2 + 2 * shift * z) / spread: (weights[abs(z)] / whole_sum).round_to(bits)
            for z in range(-radius, radius + 1)
        }
    rate = one["rate"]
    if rate == 0:
        return {ZERO: interval(1)}
    meter.spend(shift * bits)
    fewer = exp(-rate, bits)
    top = 1 / (1 + fewer)
    between = {
        rate * (2 * z - shift): ((1 - fewer) * top * exp(-rate * (shift - z), bits)).round_to(bits)
        for z in range(1, shift)
    }
    return {-rate * shift: top * exp(-rate * shift, bits), rate * shift: top, **between}


def zero_delta(epsilon: Fraction, bits: int) -> Number:
    """δ(ε) of a loss that is always 0."""
    return 1 - exp(epsilon, bits) if epsilon < 0 else ZERO


def valued_delta(meter: Meter, losses: Losses, side: str, epsilon: Fraction, bits: int) -> Interval:
    """δ(ε) of discrete losses and of one Gaussian on a sample at most, value by value."""
    law, left_out, payoff = {ZERO: interval(1)}, ZERO, zero_delta
    for one in pairs_of(losses):
        if one["loss"] in ("sampled-gaussian", "fixed-size"):
            alone = payoff is zero_delta and one["count"] == 1
            need(alone, "the method is for one Gaussian on a sample")
            payoff = partial(sampled_delta, one, side)
            continue
        if one["loss"] == "discrete-gaussian":
            left_out += Fraction(3 * one["count"], 2**bits)
        own = law_of(meter, one, bits)
        for _ in range(one["count"]):
            longer: dict[Fraction, Interval] = {}
            meter.spend(len(law) * len(own) * bits // 16 + 64)
            for value, chance in law.items():
                for more, weight in own.items():
                    found = longer.get(value + more, ZERO) + chance * weight
                    longer[value + more] = found.round_to(bits)
            law = longer
    most = Interval(ZERO, left_out)
    for value, chance in law.items():
        meter.spend(bits)
        most = (most + chance * payoff(epsilon - value, bits)).round_to(bits)
    return most


def log_moment(meter: Meter, one: Data, order: Fraction, bits: int) -> Interval:
    """ln of E_Q[(P/Q)^order], order > 1, or at least that, of a loss's larger side, leaks apart."""
    match one:
        case {"loss": "gaussian", "mu_squared": squared}:
            return interval(order * (order - 1) * squared / 2)
        case {"loss": "noise", "law": law, "amount": amount}:
            count, size = moves(one)
            if law == "discrete-gaussian":
                # Canonne, Kamath & Steinke 2020, Proposition 5: of all answers, or move by move.
                squared = min(one["l2_squared"], count * size**2)
                return Interval(ZERO, order * (order - 1) * squared / (2 * amount))
            if law == "laplace":
                each = _laplace_moment(size / amount, order, bits)
            else:
                each = _geometric_moment(1 / amount, size, order, bits)
            return smaller(count * each, _response_moment(one["l1"] / amount, order, bits))
        case {"loss": "response", "epsilon": epsilon}:
            return _response_moment(epsilon, order, bits)
        case {"loss": "bounded-range", "epsilon": epsilon}:
            bounded = interval(order * (order - 1) * epsilon**2 / 8)
            return smaller(_response_moment(epsilon, order, bits), bounded)
        case {"loss": "concentrated", "xi": xi, "rho": rho}:
            return interval((order - 1) * (xi + order * rho))
        case {"loss": "curve", "points": points}:
            return interval((order - 1) * value_at(points, order))
        case {"loss": "sampled-gaussian"}:  # on the other side it is no more
            return _between_integers(lambda whole: _sampled_moment(one, whole, bits), order)
        case {"loss": "allocation"}:
            ends = (_allocated_moment, _added_moment)
            return _between_integers(lambda n: max(end(meter, one, n, bits) for end in ends), order)
        case {"loss": "fixed-size"}:
            return _between_integers(lambda whole: _fixed_size_moment(one, whole, bits), order)
    raise Rejected(f"the moments of a loss of the kind {one['loss']} are not known")


def value_at(points: list[list[Fraction]], order: Fraction) -> Fraction:
    """At least the Rényi divergence of an order: they grow with it."""
    above = [value for at, value in points if at >= order]
    need(above != [], "a curve lists no order that is so large")
    return above[0]


def _laplace_moment(epsilon: Fraction, order: Fraction, bits: int) -> Interval:
    high, low = exp((order - 1) * epsilon, bits), exp(-order * epsilon, bits)
    return log((order * high + (order - 1) * low) / (2 * order - 1), bits)


def _response_moment(epsilon: Fraction, order: Fraction, bits: int) -> Interval:
    found = exp(order * epsilon, bits) + exp((1 - order) * epsilon, bits)
    return log(found / (1 + exp(epsilon, bits)), bits)


def _geometric_moment(rate: Fraction, shift: Fraction, order: Fraction, bits: int) -> Interval:
    """Of the discrete Laplace law, by three series: of z <= 0, of z >= shift, and in between."""
    if shift == 0:
        return interval(0)
    step, start = rate * (2 * order - 1), -order * rate * shift
    outside = exp(start, bits) + exp(start + step * shift, bits)
    between = exp(start + step * shift, bits) - exp(start + step, bits)
    inside, tail = between / (exp(step, bits) - 1), exp(-rate, bits)
    return log((outside + (1 - tail) * inside) / (1 + tail), bits)


def _sampled_moment(one: Data, order: int, bits: int) -> Fraction:
    """At least a sampled Gaussian's (Mironov, Talwar & Zhang 2019, section 3.3): a binomial sum."""
    if order > 1000:
        raise Unaffordable("moments of a sampled Gaussian are checked at orders to 1000")
    q, squared = one["fraction"], one["mu_squared"]
    found, chance = ZERO, power(1 - q, order, bits).high
    for number in range(order + 1):
        term = chance * exp(squared * (number * number - number) / 2, bits).high
        ratio = q / (1 - q) * (order - number) / (number + 1)
        found, chance = _round_up(found + term, bits), _round_up(chance * ratio, bits)
    return max(ZERO, log(found, bits).high)


def _between_integers(at: Callable[[int], Fraction], order: Fraction) -> Interval:
    """At most a moment at an order, convex between integers, and at least 0."""
    below = floor(order)
    low, high = at(below), at(below + 1) if order > below else ZERO
    return Interval(ZERO, low + (high - low) * (order - below))


def _allocated_moment(meter: Meter, one: Data, order: int, bits: int) -> Fraction:
    """At least ln E[(S/t)^order], S the sum of t independent e^(μx - μ²/2): a power of a series."""
    if order > 200:
        raise Unaffordable("moments of an allocation are checked at orders to 200")
    left, size = one["steps"], order + 1
    meter.spend(4 * size * size * left.bit_length())
    exponents = [one["mu_squared"] * k * (k - 1) / 2 for k in range(size)]
    base = [exp(power, bits).high / factorial(k) for k, power in enumerate(exponents)]
    found = [ONE] + [ZERO] * order
    while left:
        found = _series(found, base, bits) if left % 2 else found
        left, base = left // 2, _series(base, base, bits) if left > 1 else base
    whole = log(found[order] * factorial(order), bits) - order * _log_steps(one, bits)
    return max(ZERO, whole.high)


def _log_steps(one: Data, bits: int) -> Interval:
    """ln t of an allocation."""
    return log(Fraction(one["steps"]), bits)


def _series(left: list[Fraction], right: list[Fraction], bits: int) -> list[Fraction]:
    """At least a product of power series of as many terms."""
    sums = (sum(left[i] * right[n - i] for i in range(n + 1)) for n in range(len(left)))
    return [_round_up(Fraction(value), bits) for value in sums]


def _added_moment(meter: Meter, one: Data, order: int, bits: int) -> Fraction:
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
    top -= floor(_log_steps(one, bits).low)
    bottom = -floor(_log_steps(one, bits).high + Fraction(60, c) + squared / 2) - 2
    # λ is needed to e^-fine.
    fine = 60 + max(ZERO, c * Fraction(top)) / t
    per = floor(max(16, 2 * sqrt(Fraction(c), 64).high, fine / 4, 1 / mu.low) + fine / 60) + 1
    nodes, reach = (top - bottom) * per, floor(2 * fine * mu.high * per / 6) + 1
    if nodes > 20_000 or nodes * reach > 4_000_000:
        raise Unaffordable("an integral has too many nodes")
    meter.spend(nodes * reach // 4)
    places, two_pi = floor(2 * fine) + 64, 2 * pi(bits).low
    unit = 1 << places
    decay = [
        floor(exp(-exp(min(Fraction(m, per), Fraction(7)), 64).low, places).high * unit) + 1
        for m in range(bottom * per - reach, top * per + reach + 1)
    ]
    density = (per * mu * sqrt(interval(two_pi), bits)).low
    falls = [exp(-(Fraction(j, per) ** 2) / (2 * squared), places).high for j in range(reach + 1)]
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
        found = _round_up(found + lifted * _power_above(value, t, bits), bits)
    turn = min(Fraction(1, 2), Fraction(2 * per, c))
    spread = (-c * log(1 - turn * turn / 2, bits)).high
    error = exp(spread, bits).high * 2 / (exp(two_pi * turn * per, bits).low - 1)
    if error >= 1:
        raise Unaffordable("an integral's step is too large")
    whole = log(found / (per * (1 - error) * factorial(c - 1)), bits) + c * _log_steps(one, bits)
    return max(ZERO, whole.high)


def _power_above(value: Fraction, count: int, bits: int) -> Fraction:
    """At least a power of a number in 0 … 1."""
    found = ONE
    for bit in f"{count:b}":
        found = _round_up(found * found * (value if bit == "1" else 1), bits)
    return found


def _fixed_size_moment(one: Data, order: int, bits: int) -> Fraction:
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
        found = (found + chance * powers[j]).round_to(bits)
    below, least = interval(0), powers[0].high
    for degree in range(13):
        signs = [comb(degree, j) * (-1) ** (degree - j) for j in range(degree + 1)]
        parts = zip(signs, powers[: degree + 1], strict=True)
        each = sum((sign * power for sign, power in parts), interval(0))
        below += comb(c + degree - 1, degree) * (-q) ** degree * each if degree else powers[0]
        least = least if degree % 2 else min(least, below.high)
    return max(ZERO, log(found + least, bits).high)


def moments(meter: Meter, losses: Losses, order: Fraction, bits: int) -> Interval:
    """The sum of all losses' moments."""
    sums = {"sampled-gaussian": 2, "fixed-size": 16}
    work = sum(sums.get(one["loss"], 0) for one in losses) * floor(order)
    meter.spend((8 * len(losses) + work) * bits)
    found = interval(0)
    for one in losses:
        found = found + one["count"] * log_moment(meter, one, order, bits)
    return found


HINTS: dict[str, Data] = {
    "sum": {}, "gaussian": {}, "moment": {"order": positive}, "values": {"bits": counting},
    "responses": {"bits": counting, "grid": Optional(whole)}, "laplace": {"bits": anything},
    "lattice": dict.fromkeys(("step", "order", "below", "above", "size", "start"), anything),
    "contour": {
        "order": positive, "above": positive, "step": positive, "nodes": counting,
        "reach": counting, "bits": anything, "grids": members,
    },
}  # fmt: skip
"""The methods that read a curve off losses, and the hints of each for a side."""


def curve_at_most(
    meter: Meter, losses: Losses, method: str, epsilon: Fraction, delta: Fraction, hints: Data
) -> None:
    """Reject unless δ(ε) of some losses is at most ``delta``, on both sides."""
    sampled = any(one["loss"] in ("sampled-gaussian", "allocation") for one in losses)
    sides = ("remove", "add") if sampled else ("remove",)
    need(set(hints) <= set(sides) and epsilon >= 0, f"hints are for the sides {sides}")
    if method == "sum":
        need(hints == {}, "the sum takes no hints")
        most = total(one["count"] * largest(one) for one in losses)
        need(most <= epsilon, "epsilon is below the sum of the largest losses")
        missed = total(one["count"] * leak(one) for one in losses)
        need(missed <= delta, "delta is below the sum of the losses' deltas")
        return
    read = {side: fields(HINTS[method], hints.get(side, {})) for side in sides}
    for side, hint in read.items():
        apart = delta_by(meter, losses, method, side, epsilon, hint)
        if apart is None:
            meter.notes.append(f"the numbers of the method {method} are left to the kernel")
            return

        def value(bits: int, apart: Enclosure = apart) -> Interval:
            return 1 - without_leaks(losses, bits) * (1 - apart(bits))

        meter.at_most(value, delta, f"delta is too small, by the method {method}")


def delta_by(
    meter: Meter, losses: Losses, method: str, side: str, epsilon: Fraction, hint: Data
) -> Enclosure | None:
    """δ(ε) by a method, leaks apart; None where it is left to the kernel."""
    match method:
        case "gaussian":
            moved = [one for one in losses if one["loss"] != "noise" or moves(one)[0]]
            need(all(one["loss"] == "gaussian" for one in moved), "a loss is no Gaussian")
            return partial(gaussian_delta, total(one["mu_squared"] for one in moved), epsilon)
        case "values":
            return partial(valued_delta, meter, losses, side, epsilon)
        case "moment":
            return partial(moment_delta, meter, losses, hint["order"] + 1, epsilon)
        case "responses":
            several = as_responses(losses)
            if hint["grid"] is not None:
                return partial(rounded_delta, meter, several, epsilon, hint["grid"])
            if len(losses) <= 1:
                count, own = several[0] if several else (0, ZERO)
                return partial(response_delta, meter, count, own, epsilon)
        case "contour" if all(one["loss"] != "sampled-gaussian" for one in losses):
            return contour_delta(meter, losses, epsilon, hint)
    return None


def as_responses(losses: Losses) -> list[tuple[int, Fraction]]:
    """How many responses losses are, and their ε₀."""
    found = pairs_of(losses)
    fine = all(one["loss"] == "discrete-laplace" and one["shift"] == 1 for one in found)
    need(fine, "the method is for other losses")
    return [(one["count"], one["rate"]) for one in found]


def moment_delta(
    meter: Meter, losses: Losses, order: Fraction, epsilon: Fraction, bits: int
) -> Interval:
    """e^((α-1)(D-ε))·(1-1/α)^(α-1)/α at the order α (Canonne, Kamath & Steinke 2020)."""
    size = (order - 1) * log(order - 1, bits) - order * log(order, bits)
    return exp(size + moments(meter, losses, order, bits) - (order - 1) * epsilon, bits)


def pairs_of(losses: Losses) -> list[Data]:
    """The dominating pairs of losses, noisy answers as moves of one size.

    Discrete Laplace noise, moved by 1, is a response.
    """
    found: list[Data] = []
    for one in losses:
        count, size = moves(one) if one["loss"] == "noise" else (1, ONE)
        match one:
            case {"loss": "noise", "law": "laplace", "amount": amount}:
                own = {"loss": "laplace", "rate": size / amount, "shift": 1}
            case {"loss": "noise", "law": "discrete-laplace", "amount": amount}:
                own = {"loss": "discrete-laplace", "rate": 1 / amount, "shift": int(size)}
            case {"loss": "noise", "amount": amount}:
                own = {"loss": "discrete-gaussian", "variance": amount, "shift": int(size)}
            case {"loss": "bounded-range" | "response", "epsilon": epsilon}:
                own = {"loss": "discrete-laplace", "rate": epsilon, "shift": 1}
            case {"loss": "gaussian" | "sampled-gaussian" | "fixed-size"}:
                own = one
            case _:
                raise Rejected(f"a loss of the kind {one['loss']} has no pair")
        found += [{**own, "count": one["count"] * count}] if count else []
    return found


Complex = tuple[Interval, Interval]


def product(a: Complex, b: Complex, bits: int) -> Complex:
    """The product of two complex numbers."""
    real, imag = a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]
    return real.round_to(bits), imag.round_to(bits)


def quotient(a: Complex, b: Complex, bits: int) -> Complex:
    """The quotient of two complex numbers."""
    size = b[0] * b[0] + b[1] * b[1]
    return product(a, (b[0] / size, -b[1] / size), bits)


def plus(a: Complex, b: Complex) -> Complex:
    """The sum of two complex numbers."""
    return a[0] + b[0], a[1] + b[1]


def stretch(a: Complex, factor: Number) -> Complex:
    """A complex number times a real one."""
    return a[0] * factor, a[1] * factor


def turn(x: Fraction, y: Fraction, bits: int) -> Complex:
    """e^(x + iy): the series of e^(iy/2^k), y/2^k < 1/2, squared k times.

    In units of 2^-places each of n terms is less than 4 off, and so is what follows them; a square
    doubles the error and adds less than 3.
    """
    halvings = floor(abs(y)).bit_length() + 1
    if halvings > bits:
        raise Unaffordable("an angle is too large")
    places = bits + halvings + 16
    small = (y.numerator << places) // (y.denominator << halvings)
    term, parts, count = 1 << places, [0, 0], 0
    while term not in (0, -1):
        parts[count % 2] += -term if count % 4 > 1 else term
        count += 1
        term = (term * small >> places) // count
    cos, sin = parts
    for _ in range(halvings):
        cos, sin = cos * cos - sin * sin >> places, 2 * cos * sin >> places
    error, size = (8 * count + 24) << halvings, exp(x, bits)
    ends = [Interval(_dyadic(p - error, places), _dyadic(p + error, places)) for p in (cos, sin)]
    return (ends[0] * size).round_to(bits), (ends[1] * size).round_to(bits)


def transform(one: Data, c: Fraction, t: Fraction, bits: int) -> Complex:
    """E_P[e^(zL)] at z = c + it, of a pair with two exponential tails or two values."""
    need("rate" in one, f"a loss of the kind {one['loss']} has no transform")
    unit, z = (interval(1), interval(0)), (interval(c), interval(t))
    rate, shift = one["rate"], one["shift"]
    top = turn(c * rate * shift, t * rate * shift, bits)
    if one["loss"] == "laplace":
        low = product(z, turn(-(1 + c) * rate, -t * rate, bits), bits)
        high = product(plus(unit, z), top, bits)
        return quotient(plus(high, low), plus(unit, stretch(z, 2)), bits)
    # Of the geometric series between the ends is left (1 - aw + aw^s - w^(s+1))/(1 - w).
    a, angle = exp(-rate, bits), -2 * t * rate
    w, last = (turn(-rate * (1 + 2 * c) * n, angle * n, bits) for n in (1, shift))
    between = plus(stretch(last, a), stretch(product(w, last, bits), -1))
    inner = product(plus(plus(unit, stretch(w, -a)), between), top, bits)
    return stretch(quotient(inner, plus(unit, stretch(w, -1)), bits), 1 / (1 + a))


def falls_of(losses: Losses, c: Fraction) -> list[tuple[int, int, int, int, int]]:
    """(count, period, cap, curve, lead): |M(c+it)| <= M(c)·e^(-count·max(0, curve·y² - lead)).

    y is t's distance from the multiples of the period, or the cap. In units of 2^-32 (2^-64: the
    curve), those beside the period on the safe side, the longest period first.
    """
    found, circle = [], pi(128)
    for one in losses:
        if one["loss"] == "discrete-gaussian":
            # Poisson's summation formula: the Gaussian's |M|, once for each multiple.
            v, s = one["variance"], one["shift"]
            period, cap, curve = circle * 2 * v / s, circle * v * 3 / (4 * s), s**2 / (2 * v)
            x = exp(-circle * circle * v / 2, 64).high
            lead = 2 * x / (1 - x)
        elif one["loss"] == "discrete-laplace" and one["shift"] == 1 and one["rate"]:
            # The modulus is √(1 - 4pq·sin²(rt)).
            r, lead = one["rate"], ZERO
            odds, period = exp(-r * (1 + 2 * c), 64), circle / r
            cap, root = period, (1 + odds) * circle
            curve = (8 * r * r * odds / (root * root)).low
        else:
            continue
        numbers = floor(period.low * 2**32), floor(cap.low * 2**32), floor(curve * 2**64)
        found += [(one["count"], *numbers, -floor(-lead * 2**32))] if min(numbers) > 0 else []
    return sorted(found, key=lambda fall: -fall[1])


def far_sum(meter: Meter, falls: list[Any], step: Fraction, last: int, reach: int) -> Fraction:
    """At least Σ 1/j²·Π e^(-count·max(0, …)) at t = j·step, over the j beyond the last.

    Cells of nodes are parted into four until the product is small enough in them.
    """
    start, width, found = last + 1, 1, 0
    while falls and 8 * width * step * 2**32 <= falls[0][1]:
        width *= 4
    end = min(reach, last + MAX_CELLS * width) if falls else last
    cells = [(first, width) for first in range(start, end + 1, width)]
    start += len(cells) * width
    while cells:
        first, width = cells.pop()
        meter.spend(len(falls) + 8)
        half = -floor(-(width - 1) * step * 2**31)
        middle, fallen = floor((2 * first + width - 1) * step * 2**31), 0
        enough = ((reach // first).bit_length() + 6) << 32
        for count, period, cap, curve, lead in falls:
            turns, rest = divmod(middle, period)
            # The period is up to a unit longer, and the middle up to one further on.
            away = min(min(rest, period - rest) - turns - 3 - half, cap)
            if away > 0:
                fallen += count * max((curve * away * away >> 96) - lead, 0)
            if fallen > enough:
                break
        if fallen > enough or width == 1:
            # Σ 1/j² is at most the integral of 1/x² over as much, and e^-x <= 2^-floor(1.4426x).
            share = -((-4 * width << 256) // ((2 * first - 1) * (2 * (first + width) - 1)))
            found += (share >> (fallen * 14426 // (10000 << 32))) + 1
        else:
            width //= 4
            cells += [(first + n * width, width) for n in range(4)]
    return Fraction(found, 1 << 256) + 1 / (start - Fraction(1, 2))


def contour_delta(meter: Meter, losses: Losses, epsilon: Fraction, hint: Data) -> Enclosure:
    """At least δ(ε), the integral of E_P[e^(z(L-ε))]/(2πi·z(z+1)) along Re z = c.

    The trapezoid rule exceeds it, by what Poisson's summation formula tells: δ(ε + 2πm/step) at all
    m, weighted. Nodes beyond the last are bounded by `far_sum`.
    """
    c, above, step, last = (hint[name] for name in ("order", "above", "step", "nodes"))
    digits = max(max(n.numerator, n.denominator).bit_length() for n in (c, above, step))
    need(hint["grids"] == [] and above > c and digits <= 256, "other hints are expected")
    found = pairs_of(losses)
    others = [one for one in found if one["loss"] not in ("gaussian", "discrete-gaussian")]
    near = [one for one in found if one["loss"] == "discrete-gaussian"]
    gaussian = total(one["mu_squared"] for one in found if one["loss"] == "gaussian")
    squared = gaussian + total(one["count"] * one["shift"] ** 2 / one["variance"] for one in near)

    @cache
    def rest() -> Fraction:
        return far_sum(meter, falls_of(found, c), step, last, hint["reach"])

    def node(t: Fraction, slack: Fraction, bits: int) -> Complex:
        size, angle = squared * (c * (c + 1) - t * t) / 2, squared * t * (2 * c + 1) / 2
        term = turn(size - c * epsilon, angle - t * epsilon, bits)
        for one in others:
            once, count = transform(one, c, t, bits), one["count"]
            for _ in range(count.bit_length()):
                term = product(term, once, bits) if count & 1 else term
                once, count = product(once, once, bits), count >> 1
        square = (interval(c * (c + 1) - t * t), interval(t * (2 * c + 1)))
        term = quotient(term, square, bits)
        return product(term, (Interval(1 - slack, 1 + slack), Interval(-slack, slack)), bits)

    def value(bits: int) -> Interval:
        meter.spend((last + 1) * (len(others) + 1) * 16 * bits + 1_000 * len(losses))
        circle, slack = pi(bits), ZERO
        for one in near:
            # M is the Gaussian's, e^(μ²z(z+1)/2), but for 8·e^(-2π(πv - st)) of it.
            if 2 * circle.low * (circle.low * one["variance"] - one["shift"] * step * last) < 128:
                raise Unaffordable("a discrete Gaussian is too narrow for this checker's contour")
            slack += 16 * one["count"] / Fraction(2**128)
        terms = [node(j * step, slack, bits)[0] for j in range(last + 1)]
        sums = (terms[0] + 2 * sum(terms[1:], interval(0))) * step / (2 * circle)
        size = moments(meter, losses, c + 1, bits) - c * epsilon
        far = exp(size - gaussian * (last * step) ** 2 / 2, bits) * rest() / (circle * step)
        return Interval(ZERO, min(sums.high + far.high, ONE))

    return value


# --- Rules ----------------------------------------------------------------------------------------

BASE = {"sampler", "entropy", "public", "out-of-scope"}
REAL, SECRET, SECRET_RUNS = {"real-numbers"}, {"secret-sample"}, {"secret-runs"}
EVERY_TRANSCRIPT = "every transcript"
ONE_QUESTION = "a first question that uses up the budget"
DECLARED = "declared beforehand; the curator refuses all else"

Conclusion = tuple[Data, set[str]]
Concludes = Callable[..., Conclusion]
Bounds = Callable[..., Data]


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule needs of its premises, its parameters by their kinds, and what it concludes.

    ``needs``: "" for no premises, or "query", "mechanism" or "mechanisms".
    """

    needs: str
    parameters: Mapping[str, Parameter]
    concludes: Concludes


RULES: dict[str, Rule] = {}
"""Every rule by its name; filled below, and by nothing else."""

PROGRAM: Data = {"program": record, "setting": Optional(setting)}
COUNTS: Data = {"counts": Optional(list_of(counting))}
POINTS: Data = {"orders": rationals, "epsilons": rationals}
"""Parameters that several rules have."""


def rule(name: str, needs: str = "", /, **own: Parameter) -> Callable[[Concludes], Concludes]:
    """Register a rule; its function takes the meter, neighbours, premises and parameters.

    Without premises the neighbours are a parameter.
    """

    def register(concludes: Concludes) -> Concludes:
        first = {} if needs else {"neighbours": relation}
        RULES[name] = Rule(needs, {**first, **own}, concludes)
        return concludes

    return register


def conclusion(meter: Meter, name: str, premises: list[Data], given: Data) -> Conclusion:
    """What a rule concludes."""
    need(name in RULES, "there is no such rule")
    own = RULES[name]
    kind = "stable" if own.needs == "query" else "private"
    need(all(premise["judgment"] == kind for premise in premises), "premises of another kind")
    need(len({relation_of(premise) for premise in premises}) <= 1, "neighbours differ")
    several = own.needs == "mechanisms"
    fine = premises != [] if several else len(premises) == (own.needs != "")
    need(fine, "another number of premises is expected")
    read = SimpleNamespace(**fields(own.parameters, given))
    at = relation_of(premises[0]) if premises else read.neighbours
    return own.concludes(meter, at, *([premises] if several else premises), read)


def stable(
    at: Relation, l0: int | None, norms: Iterable[Any], monotone: bool, integers: bool = True
) -> Data:
    """How far a query's answers move: l0, then l1, l2 squared and linf."""
    sizes = dict(zip(NORMS, (l0, *map(Fraction, norms)), strict=True))
    flags = {"monotone": monotone, "integers": integers}
    return {"judgment": "stable", **dict(zip(WHERE, at, strict=True)), **sizes, **flags}


def size_of(shape: Data, names: Any) -> int:
    """How many cells the marginal of some attributes has."""
    need(0 < len(set(list_of(text)(names))) == len(names), "different attributes are expected")
    need(set(names) <= set(shape), "an attribute is unknown")
    return product_of(counting(shape[name]) for name in names)


def product_of(sizes: Iterable[int]) -> int:
    """A product whose size stays bounded."""
    found = 1
    for size in sizes:
        found *= size
        need(found.bit_length() < 64_000, "a domain is too large")
    return found


def query(name: str, **own: Parameter) -> Callable[[Bounds], Bounds]:
    """Register the rule of a kind of query; its function takes neighbours, shape and its own."""

    def register(bounds: Bounds) -> Bounds:
        def concludes(meter: Meter, at: Relation, given: Any) -> Conclusion:
            size_of(given.shape, list(given.shape))
            read = SimpleNamespace(**fields({"kind": one_of(name), **own}, given.query))
            return bounds(meter, at, given.shape, read), {"public"}

        rule(name, shape=record, query=record)(concludes)
        return bounds

    return register


def counts(at: Relation, answers: int, every_record: bool) -> Data:
    """Counts to at most one of which a record adds 1; to one exactly, if ``every_record``."""
    m = 0 if at == REPLACE and answers == 1 and every_record else at[2]
    if at[0] == "add-remove" or answers == 1:
        return stable(at, min(m, answers), (m, m * m, m), True)
    return stable(at, min(2 * m, answers), (2 * m, 2 * m * m, m), False)


def scores(at: Relation, spans: list[int]) -> Data:
    """Scores that move by at most their spans, each in a direction of its own."""
    need(spans != [], "one or more candidates are expected")
    norms = (sum(spans), sum(span * span for span in spans), max(spans))
    return stable(at, sum(span > 0 for span in spans), norms, max(spans) == 0)


def count_chosen(chosen: list[int], size: int) -> tuple[int, bool]:
    """How many of some places are chosen, and whether all are."""
    fine = 0 < len(chosen) == len(set(chosen)) and max(chosen) < size
    need(fine, f"different numbers below {size} are expected")
    return len(chosen), len(chosen) == size


@query("marginal", attributes=anything)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    return counts(at, size_of(shape, own.attributes), True)


@query("cell-counts", cells=cells)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    return counts(at, *count_chosen(own.cells, size_of(shape, list(shape))))


@query("total")
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    return counts(at, 1, True)


@query("bounded-sum", attribute=text, values=list_of(integer), low=integer, high=integer)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    fine = own.low <= own.high and len(own.values) == size_of(shape, [own.attribute])
    need(fine, "a sum needs low <= high and one value for each code")
    added = [min(max(value, own.low), own.high) for value in own.values]
    added += [] if at == REPLACE else [0]  # a unit may add nothing, on one side or the other
    low, high = at[2] * min(added), at[2] * max(added)
    span = max(high, -low) if at[0] == "add-remove" else high - low
    one_way = at[0] == "add-remove" and low >= 0
    return stable(at, min(span, 1), (span, span * span, span), one_way)


def count_groups(shape: Data, names: Any, groups: Any) -> tuple[int, bool]:
    """How many groups are counted, and whether each code of each attribute is in one."""
    size_of(shape, names)
    codes = list_of(list_of(integer))(groups)
    need([len(own) for own in codes] == [shape[name] for name in names], "each code has a group")
    fine = all(min(own) >= -1 and max(own) >= 0 for own in codes)
    need(fine, "groups are numbered from 0; -1 is for no group")
    return product_of(max(own) + 1 for own in codes), all(-1 not in own for own in codes)


@query("recoded-marginal", attributes=anything, groups=anything)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    return counts(at, *count_groups(shape, own.attributes, own.groups))


@query("linear", attributes=anything, layers=members)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    return matrix_moves(meter, at, size_of(shape, own.attributes), own.layers)


def matrix_moves(meter: Meter, at: Relation, size: int, layers: list[Any]) -> Data:
    """Sums of a matrix's columns; a unit adds some, and under replace-one takes others away."""
    read = [members_of(layer, "weight", "rows") for layer in layers]
    meter.spend(size * (len(read) + 1))
    columns: list[dict[int, int]] = [{} for _ in range(size)]
    answers, entries = 0, dict[int, list[int]]()
    for weight, rows in read:
        need(len(list_of(integer)(rows)) == size and min(rows) >= -1, "an answer or -1 for a cell")
        answers = max(answers, max(rows) + 1)
        for column, row in zip(columns, rows, strict=True):
            if row >= 0:
                column[row] = column.get(row, 0) + integer(weight)
    need(answers > 0, "one or more answers are expected")
    for column in columns:
        for row, value in column.items():
            entries.setdefault(row, []).append(value)
    # A cell that is not listed has a 0 there, and a person may own no record.
    for values in entries.values():
        values += [0] * (len(values) < size or at[:2] == ("replace-one", "person"))
    ends = [(at[2] * min(values), at[2] * max(values)) for values in entries.values()]
    moved = [[at[2] * value for value in column.values() if value] for column in columns]
    l0 = max(at[2] * len(own) for own in moved)
    l1 = max(sum(map(abs, own)) for own in moved)
    squared = max(sum(each * each for each in own) for own in moved)
    negative = any(low < 0 for low, _ in ends)
    if at[0] == "add-remove":
        far, one_way = [max(-low, high) for low, high in ends], not negative
    else:
        far = [high - low for low, high in ends]
        one_way = answers == 1 or max(far) == 0
        l0, l1, squared = 2 * l0, 2 * l1, (4 if negative else 2) * squared
    # No answer moves further than its own ends.
    norms = min(l1, sum(far)), min(squared, sum(each * each for each in far)), max(far)
    return stable(at, min(l0, sum(each > 0 for each in far)), norms, one_way)


SPARE: Data = {"weights": Optional(cells), "offsets": Optional(integers)}
"""What the distances to a model's counts may be multiplied with, and moved by."""


@query("model-error", candidates=members, models=list_of(integers), **SPARE)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    parts = [
        count_groups(shape, *members_of(each, "attributes", "groups"))
        if type(each) is dict
        else (size_of(shape, each), True)
        for each in own.candidates
    ]
    fine = [cells for cells, _ in parts] == [len(model) for model in own.models]
    need(fine, "each candidate needs a model of its size")
    given = [numbers for numbers in (own.weights, own.offsets) if numbers is not None]
    need(all(len(each) == len(parts) for each in given), "one number a candidate is expected")
    weights = own.weights or [1] * len(parts)
    spans = [int(counts(at, *part)["l1"]) for part in parts]
    return scores(at, [weight * span for weight, span in zip(weights, spans, strict=True)])


@query("cell-errors", marginals=members, cells=cell_lists, models=list_of(integers), scale=counting)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    lengths = [[len(one) for one in lists] for lists in (own.cells, own.models)]
    need(lengths[0] == lengths[1], "a cell needs a number")
    found = [
        counts(at, *count_chosen(cells, size_of(shape, names)))
        for names, cells in zip(own.marginals, own.cells, strict=True)
    ]
    l0, l1, squared = (sum(each[name] for each in found) for name in ("l0", "l1", "l2_squared"))
    far = own.scale * max(each["linf"] for each in found)
    return stable(at, l0, (own.scale * l1, own.scale**2 * squared, far), far == 0)


@query("table-distances", marginals=members, models=list_of(integers), scale=counting)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    sizes = [size_of(shape, names) for names in own.marginals]
    fine = sizes != [] and all(len(numbers) == sum(sizes) for numbers in own.models)
    need(fine, "each table needs a number for each cell of each marginal")
    moved = [int(counts(at, size, True)["l1"]) for size in sizes]
    return scores(at, [own.scale * sum(moved)] * len(own.models))


@query("independence-distance", candidates=list_of(two), scale=counting)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    spans = []
    for left, right in own.candidates:
        sizes = size_of(shape, left), size_of(shape, right)
        need(not set(left) & set(right), "an attribute is on both sides")
        factor = (4 if at[0] == "add-remove" else 8) * at[2]
        if at == REPLACE:
            factor = 4 if min(sizes) == 2 else 6
        spans.append(own.scale * factor if min(sizes) > 1 else 0)
    return scores(at, spans)


def family(shape: Data, candidate: Any) -> tuple[int, int]:
    """How many values a child has, and its parents together."""
    child, parents = candidate
    size_of(shape, [child, *members(parents)])
    return size_of(shape, [child]), size_of(shape, parents)


@query("mutual-information", candidates=list_of(two), records=whole, scale=counting)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    need(at == REPLACE, "the number of records must be public")
    sizes = [family(shape, each) for each in own.candidates]
    return scores(at, [information_span(own.records, own.scale, each) for each in sizes])


def information_span(records: int, scale: int, sizes: tuple[int, int]) -> int:
    """How far the rounded terms scale·c·log2 c of a mutual information move in all."""
    if min(sizes) == 1 or records < 2:
        return 0
    part = 1 if min(sizes) == 2 else 2
    many, few = records - 1 + part, records - 1
    for bits in PRECISIONS:
        moved = many * log2(Fraction(many, part), bits) - few * log2(Fraction(few, part), bits)
        low, high = (floor(scale * end) for end in (moved.low, moved.high))
        if low == high:
            return low + 6
    raise Unaffordable("how far a mutual information moves stays undecided")


def log2(x: Fraction, bits: int) -> Interval:
    """log2 x for x > 0; the number itself for a power of two."""
    power = x.numerator.bit_length() - x.denominator.bit_length()
    return interval(power) if x == Fraction(2) ** power else log(x, bits) / log(Fraction(2), bits)


@query("maximal-correlation", candidates=list_of(two))
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    sizes = [family(shape, each) for each in own.candidates]
    need(all(child == 2 for child, _ in sizes), "a child has two values")
    step = 4 if at[:2] == ("replace-one", "person") else 2
    return scores(at, [step * at[2]] * len(sizes))


def item_list(shape: Data, given: list[Any]) -> list[tuple[str, int]]:
    """Items: attributes with codes that they have."""
    found = [(text(name), whole(code)) for name, code in given]
    fine = all(name in shape and code < shape[name] for name, code in found)
    need(fine and found != [], "items are attributes with codes that they have")
    return found


@query("itemset-counts", itemsets=list_of(list_of(two)))
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    sets = [item_list(shape, each) for each in own.itemsets]
    clash = any(len(dict(each)) < len(each) for each in sets)
    need(sets != [] and not clash, "items of different attributes are expected")
    k, m = len(sets), at[2]  # one record may be in all of the sets
    return stable(at, k, (k * m, k * m * m, m), at[0] == "add-remove" or k == 1)


@query("rank-distance", items=list_of(two), length=counting, rank=counting)
def _(meter: Meter, at: Relation, shape: Data, own: Any) -> Data:
    items = item_list(shape, own.items)
    need(len(set(items)) == len(items), "different items are expected")
    return scores(at, [at[2] if at[0] == "add-remove" else 2 * at[2]] * len(items))


@rule("stated-sensitivity", query=text, **NORMS, monotone=flag, integers=flag)
def _(meter: Meter, at: Relation, own: Any) -> Conclusion:
    l0, l1, squared, linf = own.l0, own.l1, own.l2_squared, own.linf
    fine = linf <= l1 and linf**2 <= squared <= l1**2
    fine &= l0 is None or (l1 <= l0 * linf and squared <= l0 * linf**2)
    need(fine, "the norms contradict each other")
    found = stable(at, l0, (l1, squared, linf), own.monotone, own.integers)
    return found, {"stated-sensitivity"}


@rule("transformed", "query", records=counting, description=text)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    needed = at == ("add-remove", "person", own.records)
    need(needed, "the query must bear a person of as many records as one record becomes")
    return {**query, "unit": "record", "max_records": 1}, {"record-wise"}


def grants(at: Relation, kind: str, *values: Any) -> Data:
    """That a mechanism has a guarantee of a kind, if its numbers lie in their ranges."""
    return private(at, guarantee_of(kind, *values))


def private(at: Relation, found: Data) -> Data:
    """That a mechanism has a guarantee."""
    return {"judgment": "private", **dict(zip(WHERE, at, strict=True)), "guarantee": found}


def adds(at: Relation, *losses: Data) -> Data:
    """That a mechanism adds some losses."""
    return grants(at, "losses", list(losses))


def responds(at: Relation, epsilon: Fraction) -> Data:
    """That a mechanism is ε-DP: a randomized response dominates it."""
    return adds(at, lost("response", 1, epsilon, ZERO))


NOISES = ("laplace", "rounded-laplace", "discrete-laplace", "gaussian", "discrete-gaussian")


@rule("additive-noise", "query", law=one_of(*NOISES), amount=positive)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    real = own.law in ("laplace", "gaussian")
    need(query["integers"] or real, "integer answers are needed")
    rests = BASE | (REAL if real else set())
    if query["l1"] == 0:
        return adds(at), rests
    if own.law == "gaussian":
        return adds(at, lost("gaussian", 1, query["l2_squared"] / own.amount)), rests
    law, norms = own.law.removeprefix("rounded-"), [query[name] for name in NORMS]
    return adds(at, lost("noise", 1, law, own.amount, *norms)), rests


@rule("sampled-gaussian", "query", fraction=inner, sigma_squared=positive)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    """Zhu, Dong & Wang 2022, Theorem 11."""
    need(at == ADD, "add-remove of a record is needed")
    one = lost("sampled-gaussian", 1, own.fraction, query["l2_squared"] / own.sigma_squared)
    return adds(at, one), BASE | REAL | SECRET


@rule("allocated-gaussian", "query", steps=counting, times=counting, sigma_squared=positive)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    """Feldman & Shenfeld 2025."""
    mu_squared = query["l2_squared"] / own.sigma_squared
    fine = at == ADD and mu_squared > 0 and own.times <= own.steps
    need(fine, "add-remove of a record, a move, and no more times than steps are needed")
    size, longer = divmod(own.steps, own.times)
    parts = [
        lost("allocation", 1, each, mu_squared) if each > 1 else lost("gaussian", 1, mu_squared)
        for each in (size, size + 1)
    ]
    losses = join([[part] for part in parts], [own.times - longer, longer])
    return adds(at, *losses), BASE | REAL | SECRET


@rule("fixed-size-gaussian", "query", sample=counting, records=counting, sigma_squared=positive)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    """Zhu, Dong & Wang 2022, Theorem 11."""
    need(at == REPLACE, "replace-one of a record is needed")
    need(own.sample < own.records, "the sample must be smaller than the records")
    fraction = Fraction(own.sample, own.records)
    one = lost("fixed-size", 1, fraction, query["l2_squared"] / own.sigma_squared)
    return adds(at, one), BASE | REAL | SECRET


@rule("response", "query", epsilon=least)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    need(query["l0"] in (0, 1) and query["linf"] <= 1 and query["integers"], "one bit may move")
    return responds(at, own.epsilon), BASE


def span(query: Data) -> Fraction:
    """How far two scores move apart."""
    return Fraction(query["linf"] if query["monotone"] else 2 * query["linf"])


@rule("exponential", "query", rate=positive)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    """McSherry & Talwar 2007; Dong, Durfee & Rogers 2020."""
    return adds(at, lost("bounded-range", 1, own.rate * span(query))), BASE


@rule("permute-and-flip", "query", rate=positive)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    """McKenna & Sheldon 2020."""
    return responds(at, own.rate * span(query)), BASE


@rule(
    "noisy-max", "query", noise=one_of("laplace", "exponential", "discrete-laplace"), scale=positive
)
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    """Dwork & Roth 2014, Claim 3.9; Ding et al. 2021."""
    real = own.noise != "discrete-laplace"
    need(real or query["integers"], "integer scores are needed")
    return responds(at, span(query) / own.scale), BASE | (REAL if real else set())


SCALES: Data = {"threshold_scale": positive, "query_scale": positive}


@rule("sparse-vector", "query", **SCALES, count=counting, resampled=flag, releases=one_of("bits"))
def _(meter: Meter, at: Relation, query: Data, own: Any) -> Conclusion:
    """Lyu, Su & Li 2017, Algorithm 7."""
    need(not own.resampled, "the threshold keeps its one noise")
    epsilon = query["linf"] / own.threshold_scale + own.count * span(query) / own.query_scale
    return responds(at, epsilon), BASE | REAL


@rule("stated-guarantee", mechanism=text, guarantee=guarantee)
def _(meter: Meter, at: Relation, own: Any) -> Conclusion:
    need(own.guarantee["kind"] not in ("profile", "odometer"), "that kind can't be stated")
    return private(at, own.guarantee), BASE | {"stated-guarantee"}


@rule("public-draw", law=record)
def _(meter: Meter, at: Relation, own: Any) -> Conclusion:
    return adds(at), BASE


@rule("local-randomizer", epsilon=least, values=Optional(counting), matrix=Optional(tables))
def _(meter: Meter, at: Relation, own: Any) -> Conclusion:
    need(at == REPLACE, "replace-one of a record is needed")
    need((own.values is None) != (own.matrix is None), "values or a matrix is needed")
    if own.matrix is not None:
        fine = len({len(row) for row in own.matrix}) == 1 and all(own.matrix)
        need(fine and all(min(r) >= 0 and total(r) == 1 for r in own.matrix), "rows are chances")
        columns = [column for column in zip(*own.matrix, strict=True) if any(column)]
        need(all(map(all, columns)), "a zero stands beside a non-zero")
        ratio = max(max(column) / min(column) for column in columns)
        meter.at_most(lambda bits: log(ratio, bits), own.epsilon, "epsilon is too small")
    return responds(at, own.epsilon), BASE


POSTERIORS = ("dirichlet-multinomial", "plug-in-multinomial")


@rule("posterior-draws", law=one_of(*POSTERIORS), alpha_min=positive, records=whole, epsilon=least)
def _(meter: Meter, at: Relation, own: Any) -> Conclusion:
    """Abowd & Vilhuber 2008."""
    draws, steps = (own.records, 1) if own.law == POSTERIORS[0] else (1, own.records)
    ratio = 1 + draws / own.alpha_min
    meter.at_most(lambda b: at[2] * steps * log(ratio, b), own.epsilon, "epsilon is too small")
    return responds(at, own.epsilon), BASE


@rule("filter", budget=loss, **PROGRAM)
def _(meter: Meter, at: Relation, own: Any) -> Conclusion:
    """Rogers et al. 2016; Feldman & Zrnic 2021; Whitehouse et al. 2023; Zhu, Dong & Wang 2022."""
    budget, rests = own.budget, BASE | {"curator"}
    if budget["loss"] == "sampled-gaussian":
        need(at == ADD, "add-remove of a record is needed")
        return adds(at, budget), rests | REAL | SECRET
    fine = budget["loss"] in ("response", "concentrated", "curve") and budget["count"] == 1
    fine &= leak(budget) == 0 == budget.get("xi", 0) and len(budget.get("points", [1])) == 1
    need(fine, "a budget is one epsilon, rho or Renyi point")
    return adds(at, budget), rests


@rule("odometer", levels=levels, deltas=rationals, **PROGRAM)
def _(meter: Meter, at: Relation, own: Any) -> Conclusion:
    """A level's ε is at least s + 2·√(s·ln(1/δ)) (Bun & Steinke 2016, Proposition 1.3)."""

    def tail(spent: Fraction, delta: Fraction, bits: int) -> Interval:
        return spent + 2 * sqrt(spent * log(1 / delta, bits), bits)

    fine = len(own.levels) == len(own.deltas) and min(own.deltas) > 0
    need(fine, "each level needs its delta")
    found = grants(at, "odometer", own.levels, total(own.deltas))
    for (spent, epsilon), delta in zip(own.levels, own.deltas, strict=True):
        meter.spend(1000)
        meter.at_most(partial(tail, spent, delta), epsilon, "epsilon is below that of its level")
    return found, BASE | {"curator"}


@rule("finite-channel", databases=cell_lists, rows=list_of(members), **APPROX)
def _(meter: Meter, at: Relation, own: Any) -> Conclusion:
    """It holds between all databases of an instance: n records, or 0 to n."""
    found = channel_of(meter, at, own.databases, own.rows)
    need(is_instance(found), "all databases of n records, or of 0 to a private n, are needed")
    channel_holds(meter, found, own.epsilon, own.delta)
    return grants(at, "approx", own.epsilon, own.delta), BASE


def entries(mechanism: Data) -> Losses:
    """The losses of a mechanism whose guarantee they are."""
    need(mechanism["guarantee"]["kind"] == "losses", "a list of losses is needed")
    found: list[Data] = mechanism["guarantee"]["losses"]
    return found


def finite(losses: Losses) -> Losses:
    """Losses, if none of them leaks."""
    need(all(leak(one) == 0 for one in losses), "a loss may be infinite")
    return losses


def times(counts: list[int] | None, mechanisms: list[Data]) -> list[int]:
    """How often each mechanism runs."""
    found = [1] * len(mechanisms) if counts is None else counts
    need(len(found) == len(mechanisms), "each premise needs its count")
    return found


@rule("compose", "mechanisms", **COUNTS)
def _(meter: Meter, at: Relation, mechanisms: list[Data], own: Any) -> Conclusion:
    lists = [entries(mechanism) for mechanism in mechanisms]
    return adds(at, *join(lists, times(own.counts, mechanisms))), set()


@rule("as-losses", "mechanism")
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    """Kairouz, Oh & Viswanath 2015; Dong, Roth & Su 2022."""
    match mechanism["guarantee"]:
        case {"kind": "approx", "epsilon": epsilon, "delta": delta}:
            one = lost("response", 1, epsilon, delta)
        case {"kind": "zcdp", "rho": rho}:
            one = lost("concentrated", 1, ZERO, rho, ZERO)
        case {"kind": "gdp", "mu": mu}:
            one = lost("gaussian", 1, mu**2)
        case {"kind": "renyi", "points": points}:
            one = lost("curve", 1, points)
        case _:
            raise Rejected("a guarantee of that kind is no loss")
    return adds(at, *join([[one]], [1])), set()


@rule("to-approx", "mechanism", method=one_of(*HINTS), **APPROX, hints=record)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    curve_at_most(meter, entries(mechanism), own.method, own.epsilon, own.delta, own.hints)
    return grants(at, "approx", own.epsilon, own.delta), set()


@rule("to-profile", "mechanism", method=one_of(*HINTS), points=levels, hints=list_of(record))
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    need(len(own.hints) == len(own.points), "each point needs its hints")
    for (epsilon, delta), hints in zip(own.points, own.hints, strict=True):
        curve_at_most(meter, entries(mechanism), own.method, epsilon, delta, hints)
    return grants(at, "profile", own.points), set()


def points_of(own: Any) -> Data:
    """A Rényi guarantee by its orders and their divergences."""
    points = zip(own.orders, own.epsilons, strict=True)
    return guarantee_of("renyi", [list(point) for point in points])


@rule("to-renyi", "mechanism", **POINTS)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    losses, found = finite(entries(mechanism)), points_of(own)
    for order, epsilon in found["points"]:
        moment, most = partial(moments, meter, losses, order), (order - 1) * epsilon
        meter.at_most(moment, most, "an epsilon is below the divergence of its order")
    return private(at, found), set()


@rule("to-zcdp", "mechanism", rho=least)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    losses = finite(entries(mechanism))

    def value(bits: int) -> Number:
        meter.spend(len(losses) * bits)
        parts = [interval(one["count"] * concentration(one, bits)) for one in losses]
        return Interval(total(part.low for part in parts), total(part.high for part in parts))

    meter.at_most(value, own.rho, "rho is too small")
    return grants(at, "zcdp", own.rho), set()


@rule("to-gdp", "mechanism", mu=least, shares=rationals)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    """Dong, Roth & Su 2022: the convex Gaussian curve lies below both segments of ε-DP."""

    def mass(share: Fraction, one: Data, bits: int) -> Interval:
        return normal(-share / 2, bits) * (1 + exp(largest(one), bits))

    losses = finite(entries(mechanism))
    others = [one for one in losses if one["loss"] != "gaussian"]
    squares = [one["count"] * one["mu_squared"] for one in losses if one["loss"] == "gaussian"]
    for one, share in zip(others, own.shares, strict=True):
        need(share >= 0, "a share is negative")
        meter.spend(1000)
        meter.at_most(partial(mass, share, one), ONE, "a share is too small")
        squares.append(one["count"] * share**2)
    need(total(squares) <= own.mu**2, "mu is too small")
    return grants(at, "gdp", own.mu), set()


@rule("weaken", "mechanism", guarantee=guarantee)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    given, found = mechanism["guarantee"], own.guarantee
    meter.spend(len(given.get("points", [])) * len(found.get("points", [])))
    need(entails(given, found), "the stated guarantee is stronger, or of another kind")
    return private(at, found), set()


def entails(given: Data, found: Data) -> bool:
    """Whether a guarantee is no weaker than another; (ε, δ) is a curve of one point."""
    kinds = {given["kind"], found["kind"]}
    if kinds in ({"zcdp"}, {"gdp"}):
        return all(given[name] <= found[name] for name in given if name != "kind")
    if kinds != {"renyi"} and not kinds <= {"approx", "profile"}:
        return False
    ours, theirs = (one.get("points") or [[one["epsilon"], one["delta"]]] for one in (given, found))
    sign = 1 if kinds == {"renyi"} else -1  # Rényi divergences grow with the order
    return all(
        any(sign * at >= sign * first and value <= second for at, value in ours)
        for first, second in theirs
    )


def worst(mechanisms: list[Data]) -> Data:
    """A guarantee that each mechanism has."""
    given = [mechanism["guarantee"] for mechanism in mechanisms]
    kind = given[0]["kind"]
    need(kind in ("approx", "zcdp", "gdp"), "the worst of that kind is not known")
    need(all(one["kind"] == kind for one in given), "guarantees of one kind are needed")
    return guarantee_of(kind, *(max(one[name] for one in given) for name in GUARANTEES[kind]))


@rule("parallel", "mechanisms", key=text, relation=adjacency, **COUNTS, delta=Optional(rational))
def _(meter: Meter, at: Relation, mechanisms: list[Data], own: Any) -> Conclusion:
    """McSherry 2009, Theorem 4; an exchange is two steps."""
    need(at == ADD, "add-remove of a record is needed")
    times(own.counts, mechanisms)
    wider, steps = (ADD, 1) if own.relation == "add-remove" else (REPLACE, 2)
    found = scale_to_group(meter, worst(mechanisms), steps, own)
    return private(wider, found), {"independent-key"}


@rule("mixture", "mechanisms", weights=Optional(rationals))
def _(meter: Meter, at: Relation, mechanisms: list[Data], own: Any) -> Conclusion:
    found, weights = worst(mechanisms), own.weights
    if weights is None:
        return private(at, found), {"public"}
    fine = len(weights) == len(mechanisms) and min(weights) > 0 and total(weights) == 1
    need(fine, "each premise needs a positive weight, and their sum is 1")
    if found["kind"] == "approx":
        deltas = [mechanism["guarantee"]["delta"] for mechanism in mechanisms]
        found = guarantee_of("approx", found["epsilon"], total(map(mul, weights, deltas)))
    return private(at, found), {"independent-choice"}


STATED: Data = {"delta": Optional(rational), **{name: Optional(rationals) for name in POINTS}}


@rule("group", "mechanism", neighbours=relation, **STATED)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    need(at[0] == "add-remove", "add-remove is needed")
    once = -(-own.neighbours[2] // at[2])
    steps = once if own.neighbours[0] == "add-remove" else 2 * once
    return private(own.neighbours, scale_to_group(meter, mechanism["guarantee"], steps, own)), set()


def scale_to_group(meter: Meter, given: Data, steps: int, own: Any) -> Data:
    """The guarantee between databases some steps apart."""
    reads = {"approx": {"delta"} if given.get("delta") else set(), "renyi": set(POINTS)}
    wanted = reads.get(given["kind"], set()) if steps > 1 else set()
    stated = {name for name in STATED if vars(own).get(name) is not None}
    need(stated == wanted, f"the parameters {sorted(wanted)} are expected, and no other")
    if steps == 1:
        return given
    match given:
        case {"kind": "approx", "epsilon": epsilon, "delta": delta}:

            def value(bits: int) -> Interval:  # δ·Σ e^(iε), i < steps
                grown, once = exp(steps * epsilon, bits) - 1, exp(epsilon, bits) - 1
                return interval(delta) * (grown / once if epsilon else steps)

            if delta:
                meter.at_most(value, own.delta, "delta is below that of the group")
            return guarantee_of("approx", steps * epsilon, own.delta if delta else ZERO)
        case {"kind": "zcdp" | "gdp"}:  # Bun & Steinke 2016, Prop. 1.9; Dong et al. 2022, 2.14
            return of_group(steps, given)
        case {"kind": "renyi", "points": points}:  # Hölder's inequality (Mironov 2017, Prop. 11)
            found = points_of(own)
            meter.spend(len(own.orders) * steps * len(points))
            for order, epsilon in found["points"]:
                top = steps * order
                parts = [top / (top - n) * value_at(points, top - n) for n in range(steps)]
                need(total(parts) <= epsilon, "an epsilon is below that of the group")
            return found
        case {"kind": "losses", "losses": losses}:
            kinds = ("gaussian", "response", "bounded-range", "concentrated", "noise")
            fine = all(one["loss"] in kinds and one.get("xi", 0) == 0 for one in finite(losses))
            need(fine, "groups of that loss are not known")
            return guarantee_of("losses", join([[of_group(steps, one) for one in losses]], [1]))
    raise Rejected("groups of that kind of guarantee are not known")


def of_group(steps: int, one: Data) -> Data:
    """A loss or guarantee between databases some steps apart, each number by its power of them."""
    powers = {"epsilon": 1, "l0": 1, "l1": 1, "linf": 1, "l2_squared": 2}
    powers |= {"mu": 1, "mu_squared": 2, "rho": 2}
    return {
        name: value * steps ** powers[name] if name in powers and value is not None else value
        for name, value in one.items()
    }


DRAWN: Data = {"sample": Optional(counting), "records": Optional(counting)}


@rule("subsample", "mechanism", epsilon=least, fraction=Optional(positive), **DRAWN)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    """(ln(1 + q(e^ε - 1)), qδ) (Li, Qardaji & Su 2012; Balle, Barthe & Gaboardi 2018)."""
    given, fraction = mechanism["guarantee"], own.fraction
    need(given["kind"] == "approx", "epsilon and delta are needed")
    if fraction is None:
        need(at == REPLACE, "replace-one of a record is needed")
        fraction = Fraction(own.sample, own.records)
    else:
        need(at == ADD and own.sample is own.records is None, "add-remove of a record is needed")
    need(fraction <= 1, "the fraction is above 1")

    def shrunk(bits: int) -> Interval:
        return log(1 + fraction * (exp(given["epsilon"], bits) - 1), bits)

    if own.epsilon < given["epsilon"]:
        meter.at_most(shrunk, own.epsilon, "epsilon is too small")
    return grants(at, "approx", own.epsilon, fraction * given["delta"]), SECRET


@rule("post-processing", "mechanism", map=text, released=Optional(one_of("output", "transcript")))
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    need(mechanism["guarantee"]["kind"] != "odometer", "an odometer's statement is not kept")
    return mechanism, {"post-processing"}


SEEN = one_of(EVERY_TRANSCRIPT, ONE_QUESTION, DECLARED)


@rule("fixed-ledger", "mechanism", seen=SEEN, **PROGRAM)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    return mechanism, {"fixed-ledger"} | (set() if own.seen == EVERY_TRANSCRIPT else {"curator"})


# --- Repetition: one of a random number of runs ---------------------------------------------------

Moments = tuple[Fraction, Fraction, Fraction, Fraction]
"""An order with its divergence, and an auxiliary order with its own."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Their law: "poisson" has a mean; the others γ, and f' ∝ (1 - (1-γ)x)^-power."""

    law: str
    amount: Fraction
    power: Fraction

    def mean(self, bits: int) -> Number:
        """The largest value of f', at 1."""
        gamma, eta = self.amount, self.power - 1
        if self.law == "poisson":
            return gamma
        if self.law == "until-accepted" or eta == 1:
            return 1 / gamma
        if eta == 0:
            return (1 / gamma - 1) / log(1 / gamma, bits)
        return eta * (1 / gamma - 1) / (1 - exp(eta * log(gamma, bits), bits))

    def growth(self, epsilon: Fraction, leak: Fraction, bits: int) -> Interval:
        """ln of how far f' moves, as the chance of "better" moves from b to e^ε·b + leak."""
        e, gamma = exp(epsilon, bits), self.amount
        worst = (1 - leak) / (1 + e)
        if self.law == "poisson":
            return gamma * ((e - 1) * worst + leak)
        ratio = (gamma + (1 - gamma) * (e * worst + leak)) / (gamma + (1 - gamma) * worst)
        first, second = log(1 + leak * (1 / gamma - 1), bits), log(ratio, bits)
        return self.power * Interval(max(first.low, second.low), max(first.high, second.high))

    def divergence(self, moments: Moments, bits: int) -> Interval:
        """The bound of Papernot & Steinke 2022, Theorem 2."""
        order, own, other, found = moments
        tail = found * (1 - 1 / other) + log(1 / self.amount, bits) / other
        return own + self.power * tail + log(self.mean(bits), bits) / (order - 1)

    def excess(self, moments: Moments, epsilon: Fraction, bits: int) -> Interval:
        """Theorem 6: Σ p^α·q^(1-α)/e^((α-1)ε) for a Poisson number of runs, none included."""
        order, own, other, found = moments
        base = log((1 - 1 / order) * (1 - 1 / other), bits)
        peak = order / (other - 1) * exp((other - 1) * found + other * base, bits)
        some = log(self.amount, bits) + self.amount * peak + (order - 1) * (own - epsilon)
        if some.low > 0:
            return interval(2)
        return exp(some, bits) + exp(-self.amount - (order - 1) * epsilon, bits)

    def require(self, meter: Meter, moments: Moments, epsilon: Fraction) -> None:
        """Reject unless the divergence of the repeated mechanism is at most epsilon."""
        words = "epsilon is below the divergence of the repeated mechanism"
        if self.law == "poisson":
            meter.at_most(partial(self.excess, moments, epsilon), ONE, words)
        else:
            meter.at_most(partial(self.divergence, moments), epsilon, words)


eta = such(lambda value: -1 < value <= 100, "a number above -1 and at most 100", rational)
RUN_LAWS: dict[str, dict[str, Kind]] = {
    "truncated-negative-binomial": {"eta": eta, "gamma": inner},
    "until-accepted": {"gamma": inner},
    "poisson": {"mean": positive},
}


def run_law(data: object) -> Runs:
    """A law of the number of runs."""
    own = variant("law", RUN_LAWS, data)
    return Runs(own["law"], own["mean" if "mean" in own else "gamma"], 1 + own.get("eta", ZERO))


REACH: Data = {"at": Optional(least), "auxiliary": Optional(least)}


@rule("repeat", "mechanism", runs=run_law, **APPROX, **REACH)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    """Liu & Talwar 2019; Papernot & Steinke 2022; Koskela, Redberg & Wang 2024 for profiles."""
    given, runs = mechanism["guarantee"], own.runs
    if given["kind"] == "profile":
        leaks = dict(given["points"])
        need({own.at, own.auxiliary} <= set(leaks), "the profile does not list the points")
        one, leak, grows = own.at, leaks[own.at], (own.auxiliary, leaks[own.auxiliary])
    else:
        fine = given["kind"] == "approx" and own.at is own.auxiliary is None
        need(fine, "epsilon and delta are needed")
        one, leak, grows = given["epsilon"], given["delta"], (given["epsilon"], ZERO)
    words = "it is below that of the repeated mechanism"
    meter.at_most(lambda bits: interval(runs.mean(bits)) * leak, own.delta, words)
    rest, limit = own.epsilon - one, runs.power * grows[0]
    easy = runs.amount <= rest if runs.law == "poisson" else not grows[1] and limit <= rest
    if not easy:
        meter.at_most(partial(runs.growth, *grows), rest, words)
    return grants(at, "approx", own.epsilon, own.delta), SECRET_RUNS


@rule("repeat-renyi", "mechanism", runs=run_law, **POINTS, auxiliary=rationals)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    need(mechanism["guarantee"]["kind"] == "renyi", "a curve is needed")
    count_or_none, found = dict(mechanism["guarantee"]["points"]), points_of(own)
    for (order, epsilon), other in zip(found["points"], own.auxiliary, strict=True):
        need(
            order in count_or_none and other in count_or_none, "the curve does not list the orders"
        )
        own.runs.require(meter, (order, count_or_none[order], other, count_or_none[other]), epsilon)
    return private(at, found), SECRET_RUNS


@rule("repeat-zcdp", "mechanism", runs=run_law, rho=least, order=rational, auxiliary=rational)
def _(meter: Meter, at: Relation, mechanism: Data, own: Any) -> Conclusion:
    """Above the order, the bound grows no faster than that of rho does."""
    need(mechanism["guarantee"]["kind"] == "zcdp", "rho is needed")
    order, other, one = own.order, own.auxiliary, mechanism["guarantee"]["rho"]
    need(own.runs.law != "poisson" and min(order, other) > 1, "orders are above 1")
    own.runs.require(meter, (order, order * one, other, other * one), own.rho)
    return grants(at, "zcdp", own.rho), SECRET_RUNS


# --- Channels -------------------------------------------------------------------------------------

CHANNEL = "dp-audit/channel-certificate/1"
Pair = tuple[int, ...]
Row = tuple[int, list[int], list[int]]
"""A common denominator, and the numerators of the lower and upper ends of a row's chances."""


@dataclass(frozen=True, slots=True)
class Channel:
    """Pr[output | database] of listed databases, each chance a rational or between two."""

    at: Relation
    rows: list[Row]
    pairs: list[Pair]
    sizes: list[int]
    complete: bool
    sha256: str


def channel_of(
    meter: Meter, at: Relation, databases: list[list[int]], entries: list[list[Any]]
) -> Channel:
    """The channel, if each row can be one of chances; its neighbours are found here."""
    cells, outputs = {len(one) for one in databases}, {len(row) for row in entries}
    shaped = len(cells) == len(outputs) == 1 and min(cells | outputs) > 0
    need(shaped and len(entries) == len(databases), "each database needs its row of chances")
    need(len({tuple(one) for one in databases}) == len(databases), "a database is listed twice")
    meter.spend(len(databases) * (len(databases) * min(cells) + min(outputs)))
    numbers = range(len(databases))
    pairs: list[Pair] = [
        (i, j) for i in numbers for j in range(i) if adjacent(at, databases[i], databases[j])
    ]
    need(pairs != [], "no two of the databases are neighbours")
    pairs += [(j, i) for i, j in pairs]
    chances = [[chance(entry) for entry in row] for row in entries]
    plain = [[str(e[0]) if e[0] == e[1] else [*map(str, e)] for e in row] for row in chances]
    canonical = json.dumps({"databases": databases, "rows": plain}, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    sizes = sorted({sum(one) for one in databases})
    # The databases differ: they are all histograms of their sizes if they are as many.
    complete = sum(histograms(min(cells), n, len(databases)) for n in sizes) == len(databases)
    rows = [to_common_denominator(row) for row in chances]
    return Channel(at, rows, pairs, sizes, complete, digest)


def is_instance(found: Channel) -> bool:
    """Whether its databases are all of n records, or all of 0 to n where n is private."""
    last = found.sizes[-1]
    sizes = [last] if found.at == REPLACE else list(range(last + 1))
    return found.complete and found.sizes == sizes


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
    low, high = [rational(entry)] * 2 if type(entry) is not list else rationals(entry)
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


def divergence(
    meter: Meter, found: Channel, pair: Pair, epsilon: Fraction, bits: int, up: bool
) -> Fraction:
    """Σ over outputs of (P - e^ε·Q)⁺ of two rows at most, or at least."""
    (ours, *p), (theirs, *q) = (found.rows[number] for number in pair)
    power = exp(epsilon, bits)
    factor = power.low if up else power.high
    scale, other = theirs * factor.denominator, ours * factor.numerator
    meter.spend(len(p[0]) * (1 + scale.bit_length() // 512))
    pairs = zip(p[up], q[not up], strict=True)
    return Fraction(sum(max(0, a * scale - b * other) for a, b in pairs), ours * scale)


def channel_holds(meter: Meter, found: Channel, epsilon: Fraction, delta: Fraction) -> None:
    """Reject unless all neighbours have a divergence of at most δ, in both directions."""
    for pair in found.pairs:
        over = (divergence(meter, found, pair, epsilon, bits, True) for bits in PRECISIONS[:2])
        words = f"the rows {pair[0]} and {pair[1]} are not so close, or not shown to be"
        need(any(value <= delta for value in over), words)


CARRIED: Data = {
    "schema": one_of(CHANNEL), "complete": flag, "sha256": text, "databases": cell_lists,
    "rows": list_of(members), **WHERE, **APPROX,
}  # fmt: skip
FINDINGS: dict[str, Data] = {
    "holds": {"worst": record},
    "violated": {"pair": cells, "event": cells, "probabilities": list_of(chance)},
}
"""What a channel certificate says, and what more by its finding."""


def channel_certificate(meter: Meter, data: Data) -> Result:
    """What a channel certificate says, or a rejection."""
    own = SimpleNamespace(**variant("finding", FINDINGS, data, **CARRIED))
    at = relation({name: data[name] for name in WHERE})
    found = channel_of(meter, at, own.databases, own.rows)
    need(own.sha256 == found.sha256, "the digest is that of another channel")
    need(own.complete is found.complete, "complete is wrong: all histograms of the sizes, or not")
    if own.finding == "holds":
        pair, slack = members_of(own.worst, "pair", "slack")
        need(rational(slack) >= 0, "the slack is negative")
        channel_holds(meter, found, own.epsilon, own.delta - rational(slack))
        most = divergence(meter, found, link(found, pair), own.epsilon, PRECISIONS[0], True)
        for other in found.pairs:
            less = divergence(meter, found, other, own.epsilon, PRECISIONS[0], False) <= most
            need(less, "another pair is worse than the stated one")
    else:
        count_chosen(own.event, len(own.rows[0]))
        ends = [
            tuple(Fraction(sum(side[place] for place in own.event), common) for side in sides)
            for common, *sides in (found.rows[number] for number in link(found, own.pair))
        ]
        need(own.probabilities == ends, "the probabilities of the event are others")
        over = [ends[0][0] - exp(own.epsilon, bits).high * ends[1][1] for bits in PRECISIONS]
        need(max(over) > own.delta, "the event does not violate the claim, or is not shown to")
    claim = guarantee_of("approx", own.epsilon, own.delta)
    where, count = "all" if found.complete else "the listed", len(own.databases)
    sizes = f"{found.sizes[0]} to {found.sizes[-1]}" if found.sizes[1:] else str(found.sizes[0])
    neighbours = f"{relation_words(at)}, among {where} {count} databases of {sizes} records"
    words = ("" if own.finding == "holds" else "not ") + show(claim)
    judgment = {**private(at, claim), "finding": own.finding}
    subject = f"the channel sha256:{found.sha256}"
    return Result("checked", (), subject, neighbours, words, (), judgment, (MATRIX,))


def link(found: Channel, pair: object) -> Pair:
    """A pair of rows, if they are those of neighbours."""
    rows = tuple(cells(pair))
    need(rows in found.pairs, "the stated pair are not neighbours")
    return rows


# --- Derivations and certificates -----------------------------------------------------------------

DERIVATION = "dp-audit/derivation/2"
STATUSES = ("checked", "kernel only", "not re-checked", "rejected", "malformed")
EXIT_CODES = dict(zip(STATUSES, (0, 3, 3, 1, 2), strict=True))

READINGS = ("as-losses", "to-approx", "to-profile", "to-renyi", "to-zcdp", "to-gdp", "weaken")
"""Rules that give another guarantee of the same mechanism."""

ABOUT = {
    "filter": "that the curator keeps the program to its budget",
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
    hypotheses: tuple[str, ...] = ()
    judgment: Data = field(default_factory=dict)
    stated: tuple[str, ...] = ()


def quote(value: object) -> str:
    """A short text of any value, safe to print."""
    found: str = json.dumps(value, default=lambda other: type(other).__name__)
    return found if len(found) <= 80 else found[:77] + "..."


def show(value: Any) -> str:
    """A value in a few words; a long fraction in 15 digits, rounded up."""
    if isinstance(value, dict):
        return ", ".join(f"{name}={show(own)}" for name, own in value.items())
    if isinstance(value, list):
        more = [f"and {len(value) - 8} more"] if value[8:] else []
        return f"[{'; '.join([*map(show, value[:8]), *more])}]"
    if not isinstance(value, Fraction):
        return quote(value).strip('"')
    if value.numerator.bit_length() + value.denominator.bit_length() <= 60:
        return str(value)
    context = Context(prec=15, rounding=ROUND_CEILING, Emin=-(10**6), Emax=10**6)
    near = _round_up(value, 200)
    ratio = context.divide(Decimal(near.numerator), Decimal(near.denominator))
    return f"{ratio} (rounded up)"


def relation_words(at: Relation) -> str:
    """Neighbours in words."""
    name, unit, most = at
    who = "one record" if unit == "record" else f"one person's records, at most {most}"
    return f"{name} of {who}"


def mechanism_words(rule: str, given: Data, parts: list[str]) -> str:
    """What a step speaks of."""
    if rule in READINGS or rule == "group":
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


def derivation(meter: Meter, data: object) -> Result:
    """The theorem of a derivation, each of its steps worked out again."""
    plain(data)
    schema, steps, stated = members_of(data, "schema", "steps", "hypotheses")
    older = "it is no derivation of this version; dp-audit verify reads older ones"
    need(schema == DERIVATION, older)
    need(0 < len(members(steps)) <= MAX_STEPS, f"1 to {MAX_STEPS} steps are expected")
    count_or_none: list[tuple[Data, set[str], str]] = []
    notes: list[str] = []
    for number, step in enumerate(steps):
        try:
            count_or_none.append(_step(meter, number, step, count_or_none))
        except Rejected as reason:
            raise Rejected(f"step {number}: {reason}") from None
        notes += [f"step {number}: {note}" for note in meter.notes]
        meter.notes.clear()
    judgment, hypotheses, mechanism = count_or_none[-1]
    need(stated == sorted(hypotheses), "the hypotheses are others")
    guarantee = show(judgment.get("guarantee") or "how far a query's answers move")
    words = mechanism, relation_words(relation_of(judgment)), guarantee
    status = "kernel only" if notes else "checked"
    return Result(status, tuple(notes), *words, tuple(stated), judgment, list_hypotheses(steps))


def foundations(steps: list[Data], place: int) -> set[int]:
    """The steps that a step rests on, itself among them."""
    found, waiting = set[int](), [place]
    while waiting:
        place = waiting.pop()
        waiting += [] if place in found else steps[place]["premises"]
        found.add(place)
    return found


def list_hypotheses(steps: list[Data]) -> tuple[str, ...]:
    """What the last step rests on that was only stated."""
    rules = {steps[place]["rule"] for place in foundations(steps, len(steps) - 1)}
    found = tuple(words for rule, words in TOLD.items() if rule in rules)
    return found or ("that what runs is the mechanism below",)


def _step(
    meter: Meter, number: int, step: object, count_or_none: list[Any]
) -> tuple[Data, set[str], str]:
    rule, numbers, given, stated = members_of(step, "rule", "premises", "parameters", "conclusion")
    earlier = all(place < number for place in list_of(whole)(numbers))
    need(earlier, "a premise is no earlier step")
    premises = [count_or_none[place] for place in numbers]
    meter.spend(1 + sum(weight(premise) for premise, _, _ in premises))
    found, own = conclusion(meter, text(rule), [premise[0] for premise in premises], record(given))
    need(agrees(found, stated), f"the rule {rule} concludes otherwise")
    words = mechanism_words(rule, given, [premise[2] for premise in premises])
    return found, own.union(*(premise[1] for premise in premises)), words


def weight(judgment: Data) -> int:
    """How long a judgment's lists are."""
    given = judgment.get("guarantee", {})
    return 1 + sum(len(value) for value in given.values() if type(value) is list)


def parse_claim(claim: str) -> Data:
    """The guarantee of a claim's text."""
    parts = [part.partition("=") for part in claim.split(",")]
    given = {name.strip(): rational(value.strip()) for name, _, value in parts}
    need(len(given) == len(parts), "a claim repeats a name")
    if set(given) == {"alpha", "rdp"}:
        return guarantee_of("renyi", [[given["alpha"], given["rdp"]]])
    if "epsilon" in given:
        given.setdefault("delta", ZERO)
    for kind in ("approx", "zcdp", "gdp"):
        if set(given) == set(GUARANTEES[kind]):
            return guarantee({"kind": kind, **given})
    raise Rejected(f"{quote(claim)} is no claim")


VERDICTS = one_of(
    "PROVED", "EXACT", "NOT REFUTED", "UNDECIDED", "REFUTED", "INVALID RUN", "CONTRADICTION"
)
AGAINST = ("REFUTED", "CONTRADICTION")
"""The verdicts that a violation bears out."""

FINDS = {"holds": "shows", "violated": "refutes"}

AUDIT = ("verdict", "subject", "claim", "released", "domain", "bounds", "evidence")
"""What a certificate of an audit says that a proof or a channel must bear out."""

PROGRAMS = ("program", "module")
"""The kinds of subject that a theorem can be about: those that ask a curator."""

SAME = (*READINGS, "group", "post-processing", "compose")
"""Rules whose theorem, from a single premise, is one about the premise's mechanism, too."""

LEDGER = (
    *(name for name, own in RULES.items() if "shape" in own.parameters), *READINGS, "compose",
    "additive-noise", "sampled-gaussian", "exponential", "public-draw", "local-randomizer",
    "posterior-draws", "repeat", "repeat-renyi", "repeat-zcdp",
)  # fmt: skip
"""Rules that the theorem about a ledger may rest on: those of questions that a curator takes."""

PARAMETER = {"approx": "epsilon", "zcdp": "rho", "gdp": "mu", "renyi": "rdp"}
"""The number that a bound beside a claim of each kind is about; ε stands beside it always."""

ROUNDING = Fraction(1, 10**15)
"""How far the two ends of one number, written as decimals, may lie apart, relative to it."""

NEARLY = Fraction(1, 10**9)
"""How far a chance of a file may be from the true one, relative to it, where a row sums to 1 only
nearly (a figure of the command's contract)."""


def certificate(meter: Meter, data: Data) -> Result:
    """A certificate of the suite: its proofs and channel, and that they show what it claims."""
    wanted: list[Data] = []
    if data.get("proof") is not None:
        proof = fields({"derivation": record, "alternatives": Optional(members)}, data["proof"])
        wanted = [proof["derivation"], *(proof["alternatives"] or [])]
    found = [derivation(meter, one) for one in wanted]
    channel = data.get("channel_certificate") is not None
    if channel:
        found.append(channel_certificate(meter, record(data["channel_certificate"])))
    if not found:
        raise Malformed("there is neither a derivation nor a channel certificate in it")
    notes = [note for one in found for note in one.reasons]
    for one in found[1 : len(wanted)] if found[0].status != "checked" else ():
        alike = (one.mechanism, one.neighbours) == (found[0].mechanism, found[0].neighbours)
        if one.status == "checked" and alike:
            notes.append(f"of the same mechanism is checked: {one.guarantee}")
    stated, unseen = [words for one in found for words in one.stated], list[str]()
    own = [name for name in AUDIT if name in data]
    if own in ([], ["claim"]):
        # Not of an audit: an account, or a calibration, whose other numbers nobody has looked at.
        stated.append("all of the file but what is printed here")
        notes += [against_claim(data, found[0])] if own else []
    else:
        missing = [name for name in (*AUDIT, "neighbours", "unit") if name not in data]
        need(not missing, f"a certificate says {', '.join(missing)}")
        about, verdict = instance(data), data["verdict"]
        unseen += bound_to_all(data, about, wanted, found)
        # The theorem and the channel; an alternative ceiling need not reach the claim.
        compared = found[:1] + found[max(1, len(wanted)) :]
        notes += [against_claim(data, one) for one in compared]
        if verdict != "PROVED" and not (channel and borne_out_by_channel(meter, data, about)):
            unseen.append(f"whether the verdict {quote(verdict)} follows is not shown here")
        if any(one["auditor"] != "proof" for one in data["evidence"]):
            stated.append("what other auditors found")
        stated.append("what its findings, assumptions and notes say in words")
    statuses = [one.status for one in found] + ["not re-checked"] * bool(unseen)
    status, words = max(statuses, key=STATUSES.index), tuple(dict.fromkeys(stated))
    return replace(found[0], status=status, reasons=(*notes, *unseen), stated=words)


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
    verdict = VERDICTS(data["verdict"])
    need(verdict != "PROVED" or bool(wanted), "a verdict of PROVED needs a derivation")
    kind = kind_of(record(data["subject"]))
    need(not wanted or kind in PROGRAMS, "only a program is proved by a derivation")
    open_ = [words for one in wanted for words in about_subject(data, one, about)]
    if len(found) > len(wanted):
        need(kind in (*PROGRAMS, "channel"), "of what is only run, no channel is known")
        about_channel(data["channel_certificate"]["databases"], about)
    held = [one.judgment["guarantee"] for one in found[: len(wanted)]]
    return open_ + ceilings(data, about, held)


DOMAIN: Data = {"attributes": members, "cells": counting, "records": count_or_none}
DOMAIN |= {name: Optional(anything) for name in ("name", "hierarchies", "individual")}
ATTRIBUTE: Data = {"name": text, "values": list_of(text), "missing": Optional(flag)}
ATTRIBUTE |= {name: Optional(anything) for name in ("ordinal", "edges", "missing_label")}


def neighbours_of(data: Data) -> Relation:
    """The neighbours that a certificate names."""
    name, most = members_of(data["unit"], "name", "max_records")
    return relation(dict(zip(WHERE, (data["neighbours"], name, most), strict=True)))


def instance(data: Data) -> Data:
    """What a certificate is about: "attributes" with sizes, "cells", "records", "public", "at".

    ``public``: the number of records, where neighbours share it.
    """
    domain, at = fields(DOMAIN, data["domain"]), neighbours_of(data)
    shape: dict[str, int] = {}
    for each in domain["attributes"]:
        one = fields(ATTRIBUTE, each)
        values = one["values"]
        need(len(set(values)) == len(values) and one["name"] not in shape, "a name is repeated")
        shape[one["name"]] = len(values) + bool(one["missing"])
    need(size_of(shape, list(shape)) == domain["cells"], "the cells are others")
    public = domain["records"] if at == REPLACE else None
    return {**domain, "attributes": shape, "public": public, "at": at}


def about_subject(data: Data, proof: Data, about: Data) -> list[str]:
    """Reject a theorem that is not about the program which is the certificate's subject.

    Its domain, public number of records and release are compared as well; says where the theorem
    does not name them.
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
    if steps[place]["rule"] == "fixed-ledger":
        for each in foundations(steps, place) - {place}:
            of_ledger(steps[each]["rule"], steps[each]["parameters"], about)
    own, shape = given.get("setting"), about["attributes"]
    fine = own is None or agrees({"attributes": shape, "records": about["public"]}, own)
    need(fine, "the theorem is about another domain or number of records")
    final = one_of("output", "transcript")(data["released"])
    need(releases != [], "the theorem does not say what is released")
    # A transcript can be turned into an output, and not the other way round.
    later = {name for name in releases if name is not None} - {final}
    fine = releases[0] in (None, final) and (final == "output" or not later)
    need(fine, "the theorem is about another release")
    if own is None or None in releases:
        return ["the theorem does not name its domain, records and release: not re-checked"]
    return []


def of_ledger(rule: str, given: Data, about: Data) -> None:
    """Reject a step that a ledger's theorem can't rest on, or that is about another domain."""
    need(rule in LEDGER, f"a ledger's theorem does not rest on the rule {rule}")
    cells = given.get("values", len(given.get("matrix", [])))
    fine = agrees(about["attributes"], given.get("shape", about["attributes"]))
    fine &= rule != "local-randomizer" or cells == about["cells"]
    fine &= given.get("query", {}).get("records", about["public"]) == about["public"]
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
    size = "any size" if about["public"] is None else f"{about['public']} records"
    return f"databases of {size} over {about['cells']} cell{'s' * (about['cells'] != 1)}"


def ceilings(data: Data, about: Data, held: list[Data]) -> list[str]:
    """Reject a ceiling by a theorem that no theorem of the certificate implies.

    Every bound is one of the evidence. Gives what is said of ceilings that another auditor found.
    """
    claim, stated = parse_claim(text(data["claim"])), list[tuple[str, str, Data]]()
    for one in members(data["evidence"]):
        auditor, bound = text(record(one)["auditor"]), one.get("bound")
        need(auditor != "proof" or bool(held), "a theorem needs its derivation")
        if bound is not None:
            side, own = bound["side"], {k: v for k, v in bound.items() if k != "side"}
            need(auditor != "proof" or side == "ceiling", "a theorem gives a ceiling")
            stated.append((one_of(*SIDES)(side), auditor, own))
    for side, shown in zip(SIDES, members_of(data["bounds"], *SIDES), strict=True):
        found = [own for at, _, own in stated if at == side]
        derived = found == [] if shown is None else any(agrees(one, shown) for one in found)
        need(derived, f"the bound {side} is not one of the evidence")
    above = [(auditor, own) for side, auditor, own in stated if side == "ceiling"]
    return [words for one in above for words in ceiling(claim, *one, about, held)]


def ceiling(claim: Data, auditor: str, bound: Data, about: Data, held: list[Data]) -> Iterable[str]:
    """Reject a ceiling by a theorem that none implies; gives what stays open."""
    name = PARAMETER[claim["kind"]]
    numbers = {"epsilon", name} if name in bound else {"epsilon"}
    need(set(bound) == {*numbers, "covers", "rigour"}, "a ceiling has other names")
    proved = one_of("rigorous", "exact")(bound["rigour"]) == "rigorous"
    need(proved == (auditor == "proof"), "a ceiling is rigorous if it is by a theorem")
    missing = {which for which in numbers if not is_implied(claim, which, bound[which], held)}
    # Older certificates carry no theorem of epsilon beside one of another parameter.
    carried = name == "epsilon" or any(one["kind"] == "approx" for one in held)
    spare = not proved or (missing == {"epsilon"} and not carried)
    need(not missing or spare, "a ceiling is not implied by the theorem")
    covers = describe_databases(about)
    if proved and text(bound["covers"]) != covers:
        yield f"a ceiling covers {covers}, and is said to cover something else"
    if missing:
        whose = "of epsilon, of which there is no theorem," if proved else "of another auditor"
        yield f"a ceiling {whose} is not re-checked"


def is_implied(claim: Data, name: str, ends: Any, held: list[Data]) -> bool:
    """Whether some theorem implies the upper end of a ceiling, whose two ends are one number."""
    low, high = (None if end == "inf" else rational(end) for end in members_of(ends, *ENDS))
    if low is None or high is None:
        need(low is None and high is None, "a ceiling is one number")
        return True
    need(0 <= low <= high <= low + high * ROUNDING, "a ceiling is one number")
    wanted = guarantee_of("approx", high, claim.get("delta", ZERO))
    if name == "rdp":
        wanted = guarantee_of("renyi", [[claim["points"][0][0], high]])
    elif name != "epsilon":
        wanted = guarantee_of(claim["kind"], high)
    return any(entails(one, wanted) for one in held)


SIDES, ENDS = ("floor", "exact", "ceiling"), ("lower", "upper")


def borne_out_by_channel(meter: Meter, data: Data, about: Data) -> bool:
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
        found = channel_of(meter, about["at"], carried["databases"], carried["rows"])
        every = is_instance(found) and found.sizes[-1] == about["records"]
        need(every, "a verdict of EXACT needs all databases of the claim")
        exact_value(meter, data, found)
    return data["verdict"] in ("REFUTED", "EXACT")


def parse_row(row: list[Any], round_to: bool) -> list[tuple[Fraction, Fraction]]:
    """How far a file knows a row's chances: decimals are rounded, or their sum is 1 only nearly."""
    values = [rational(entry) for entry in row]
    if round_to:
        slack = [ZERO if "/" in entry else _unit(entry) / 2 for entry in map(text, row)]
    else:
        error = ZERO if total(values) == 1 else NEARLY
        slack = [value * error for value in values]
    ends = zip(values, slack, strict=True)
    return [(max(value - half, ZERO), min(value + half, ONE)) for value, half in ends]


def _unit(decimal: str) -> Fraction:
    """What 1 more in the last decimal is worth; 0 where there are none."""
    places = -int(Decimal(decimal).as_tuple().exponent)
    return Fraction(1, 10**places) if places > 0 else ZERO


def exact_value(meter: Meter, data: Data, found: Channel) -> None:
    """Reject an exact value whose ends do not hold the least ε of the channel at the claim's δ.

    Where chances lie between two numbers, they hold it for all chances between these.
    """
    delta = rational(data["channel_certificate"]["delta"])
    low, high = members_of(record(data["bounds"]["exact"])["epsilon"], *ENDS)
    need(high != "inf", "a verdict of EXACT needs a finite value")
    lowest, most = rational(low), rational(high)
    need(0 <= lowest <= most, "an exact value lies between its ends")
    over = (divergence(meter, found, pair, most, PRECISIONS[1], True) for pair in found.pairs)
    need(all(value <= delta for value in over), "the exact value may be larger than stated")
    fine = any(reaches(meter, found, pair, lowest, delta) for pair in found.pairs)
    need(fine, "the exact value may be smaller")


def reaches(meter: Meter, found: Channel, pair: Pair, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the least ε of two rows at δ is at least this one."""
    if epsilon == 0:
        return True
    if delta > 0:
        return divergence(meter, found, pair, epsilon, PRECISIONS[1], False) >= delta
    (p, lows, _), (q, _, highs) = (found.rows[number] for number in pair)
    factor = exp(epsilon, PRECISIONS[1]).high * p
    return any(low and low * q >= factor * high for low, high in zip(lows, highs, strict=True))


def against_claim(data: Data, one: Result) -> str:
    """What a theorem or channel says of the claim; it must bear out the verdict."""
    at, verdict = neighbours_of(data), data.get("verdict")
    need(relation_of(one.judgment) == at, "it is about other neighbours than the claim")
    claim, finding = parse_claim(text(data["claim"])), one.judgment.get("finding")
    held, words = one.judgment.get("guarantee", {"kind": ""}), f"the claim {quote(data['claim'])}"
    pair = (claim, held) if finding == "violated" else (held, claim)
    if held["kind"] != claim["kind"] or not entails(*pair):
        # A certificate may carry the best ceiling, though it does not reach the claim.
        need(finding is None and verdict not in (None, "PROVED"), "it does not show the claim")
        return f"does not reach {words}"
    need(finding != "violated" or verdict in (None, *AGAINST), "the channel violates the claim")
    need(finding != "holds" or verdict not in AGAINST, "the channel does not violate the claim")
    if finding is None:
        unless = ", unless something that it rests on fails" if verdict in AGAINST else ""
        return f"shows {words}{unless}"
    return f"{FINDS[finding]} {words} on the channel that is carried"


def check(data: object) -> Result:
    """Check a derivation, a channel certificate, or a certificate that carries them.

    Guarantee
    ---------
    "checked" only if each step follows by its rule, the theorem rests on no hypotheses but the
    listed ones, and what is claimed follows from it. Raises nothing. Backed by
    ``tests/proofs/test_checker.py``.
    """
    meter = Meter()
    try:
        require_bounded(data)
        if type(data) is not dict:
            raise Malformed("an object is expected")
        if str(data.get("schema")).startswith(DERIVATION[:-1]):
            return derivation(meter, data)
        if data.get("schema") == CHANNEL:
            plain(data)
            return channel_certificate(meter, data)
        return certificate(meter, data)
    except Malformed as reason:
        return Result("malformed", (str(reason),))
    except (Rejected, LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        return Result("rejected", (str(error)[:400] or "the data are of another form",))
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
        return json.loads(content.decode(), parse_float=lambda _: Inexact(), **hooks)
    except (RecursionError, MemoryError):
        raise Malformed("it is nested too deeply, or too large") from None
    except ValueError as reason:
        raise Malformed(f"it is no JSON ({str(reason)[:80]})") from None


_MARKS = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[][{}]', re.DOTALL)
"""Texts, and the brackets outside of them."""


class Inexact:
    """A floating-point number of a file: no part of a proof."""


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
        print(*(f"  {name}" for name in found.hypotheses), sep="\n")
    return EXIT_CODES[found.status]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
