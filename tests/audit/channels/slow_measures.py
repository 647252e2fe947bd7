"""Slow and obvious versions of what channels are measured by, and small channels to compare on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
from hypothesis import strategies as st

from audit.channels.channel import Channel
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision, Witness
from synthesizers.domain import Domain
from synthesizers.exact import Exact, ExpRational, add, divide
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.synthesizers.brute_force import fraction, neighbours_by_persons, rational_near, real

DIGITS = 60
TIE = Fraction(1, 10**45)
"""Relative distance below which two numbers of the reference arithmetic are the same."""

Rows = Sequence[Sequence[Exact]]
Shape = tuple[Neighbours, tuple[tuple[int, ...], ...]]

SHAPES: tuple[Shape, ...] = (
    (ReplaceOne(), ((3,),)),
    (ReplaceOne(), ((0, 1), (1, 0))),
    (ReplaceOne(), ((0, 3), (1, 2), (2, 1), (3, 0))),
    (ReplaceOne(), ((2, 0, 0), (0, 2, 0), (1, 1, 0), (0, 1, 1), (1, 0, 1))),
    (ReplaceOne(), ((0, 4), (2, 2), (4, 0))),
    (AddRemove(), ((0,), (1,), (2,), (3,))),
    (AddRemove(), ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0))),
    (AddRemove(Unit("person", 2)), ((0, 0), (1, 1), (2, 1), (0, 3))),
    (ReplaceOne(Unit("person", 2)), ((0, 2), (2, 0), (3, 0), (0, 0))),
)


def matrix(rows: Rows) -> np.ndarray[Any, np.dtype[np.object_]]:
    """Exact rows as an array of objects."""
    array = np.empty((len(rows), len(rows[0])), np.object_)
    for place, row in enumerate(rows):
        array[place] = list(row)
    return array


def channel_of_rows(rows: Rows, shape: Shape | None = None) -> Channel:
    """An exact channel; over two cells with n = databases - 1 unless a shape is given."""
    top = len(rows) - 1
    neighbours, listed = shape or (ReplaceOne(), tuple((i, top - i) for i in range(top + 1)))
    databases = np.array(listed, np.int64)
    outputs = tuple((place,) for place in range(len(rows[0])))
    domain = Domain.from_cells(str(databases.shape[1]))
    return Channel.of_exact(domain, neighbours, databases, outputs, matrix(rows), "output")


def randomised_response(epsilon: Fraction) -> Channel:
    """One bit, kept with chance e^ε/(1 + e^ε)."""
    one = Fraction(1)
    keep = ExpRational({epsilon: one}, {Fraction(0): one, epsilon: one})
    return channel_of_rows([[keep, 1 - keep], [1 - keep, keep]])


def channels_without_loss() -> tuple[Channel, ...]:
    """One certain output, equal rows with a zero in them, and a database without neighbours."""
    one, none = Fraction(1), Fraction(0)
    keep = ExpRational({one: one}, {none: one, one: one})
    equal: list[list[Exact]] = [[keep, 1 - keep, none]] * 3
    return (
        channel_of_rows([[one]] * 3),
        channel_of_rows(equal),
        channel_of_rows([[one, none]], SHAPES[0]),
    )


def ordered_pairs(channel: Channel) -> Iterator[tuple[int, int]]:
    """Every ordered pair of neighbours, by the definition."""
    rows = channel.databases.tolist()
    for a, left in enumerate(rows):
        for b, right in enumerate(rows):
            if neighbours_by_persons(channel.neighbours, left, right):
                yield a, b


def entries(channel: Channel) -> list[list[Exact]]:
    """The exact chances as lists."""
    assert channel.exact is not None
    return [list(row) for row in channel.exact]


def fractions(channel: Channel) -> list[list[Fraction]]:
    """The exact chances of a channel that holds fractions only."""
    return [[rational(value) for value in row] for row in entries(channel)]


def rational(value: object) -> Fraction:
    """A number that is known to be a fraction."""
    assert isinstance(value, Fraction)
    return value


def numbers(channel: Channel) -> list[list[mpmath.mpf]]:
    """The exact chances in the reference arithmetic."""
    return [[real(value) for value in row] for row in entries(channel)]


def power(epsilon: Fraction) -> mpmath.mpf:
    """e^epsilon in the reference arithmetic."""
    with mpmath.workdps(DIGITS):
        return mpmath.exp(fraction(epsilon))


def slow_epsilon(channel: Channel) -> mpmath.mpf:
    """The largest |ln ratio| over all pairs and outputs."""
    table, largest = numbers(channel), mpmath.mpf(0)
    with mpmath.workdps(DIGITS):
        for a, b in ordered_pairs(channel):
            for p, q in zip(table[a], table[b], strict=True):
                if p == 0:
                    continue
                if q == 0:
                    return mpmath.inf
                largest = max(largest, mpmath.log(p / q))
    return largest


def slow_delta(channel: Channel, epsilon: Fraction) -> mpmath.mpf:
    """The largest hockey-stick divergence over all ordered pairs."""
    table, factor, largest = numbers(channel), power(epsilon), mpmath.mpf(0)
    with mpmath.workdps(DIGITS):
        for a, b in ordered_pairs(channel):
            terms = [max(p - factor * q, 0) for p, q in zip(table[a], table[b], strict=True)]
            largest = max(largest, mpmath.fsum(terms))
    return largest


def slow_total_variation(channel: Channel) -> Fraction:
    """Exact delta at epsilon = 0 of a channel of fractions."""
    table, largest = fractions(channel), Fraction(0)
    for a, b in ordered_pairs(channel):
        terms = [max(p - q, Fraction(0)) for p, q in zip(table[a], table[b], strict=True)]
        largest = max(largest, sum(terms, Fraction(0)))
    return largest


def slow_impossible_mass(channel: Channel) -> Fraction:
    """The largest chance, over ordered pairs, of outputs that the neighbour never gives."""
    table, largest = fractions(channel), Fraction(0)
    for a, b in ordered_pairs(channel):
        alone = [p for p, q in zip(table[a], table[b], strict=True) if q == 0]
        largest = max(largest, sum(alone, Fraction(0)))
    return largest


def slow_exceeding(channel: Channel, epsilon: Fraction, rarer: bool) -> list[mpmath.mpf]:
    """For every database the chance of an output whose loss to some neighbour exceeds epsilon."""
    table, factor = numbers(channel), power(epsilon)
    sums = []
    with mpmath.workdps(DIGITS):

        def exceeds(p: mpmath.mpf, q: mpmath.mpf) -> bool:
            return bool(p - factor * q > p * fraction(TIE))

        for here in range(len(table)):
            total = mpmath.mpf(0)
            near = [b for a, b in ordered_pairs(channel) if a == here]
            for output, p in enumerate(table[here]):
                below = any(exceeds(table[b][output], p) for b in near)
                above = any(exceeds(p, table[b][output]) for b in near)
                total += p if below or (above and not rarer) else 0
            sums.append(total)
    return sums


def encloses(ends: Enclosure, truth: mpmath.mpf) -> bool:
    """Whether an enclosure holds a number known to the reference arithmetic's digits."""
    if mpmath.isinf(truth):
        return ends.upper == math.inf
    value = rational_near(truth)
    slack = (abs(value) + Fraction(1, 10**40)) * TIE
    return ends.lower <= value + slack and value - slack <= ends.upper


def is_narrow(ends: Enclosure, width: Fraction = Fraction(1, 10**12)) -> bool:
    """Whether an enclosure is a point or as good as one."""
    if isinstance(ends.lower, float) or isinstance(ends.upper, float):
        return ends.lower == ends.upper
    return ends.upper - ends.lower <= width * max(abs(ends.upper), Fraction(1))


def right_decision(truth: mpmath.mpf, limit: Fraction) -> Decision:
    """What to decide on the claim that a number, known to the reference, is at most a limit."""
    exceeds = mpmath.isinf(truth) or rational_near(truth) > limit
    return Decision.VIOLATED if exceeds else Decision.HOLDS


def shows_violation(witness: Witness, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether whoever holds the witness sees P > e^epsilon Q + delta, at its ends at worst."""
    first, second = witness.probabilities
    with mpmath.workdps(200):
        factor = rational_near(mpmath.exp(fraction_of(epsilon))) * (1 + Fraction(1, 10**150))
    over, under = first.lower, second.upper
    assert isinstance(over, Fraction)
    assert isinstance(under, Fraction)
    return bool(over > factor * under + delta)


def fraction_of(value: Fraction) -> mpmath.mpf:
    """A fraction at the precision in force, where that is finer than the reference's."""
    return mpmath.mpf(value.numerator) / value.denominator


def honest(channel: Channel, witness: Witness) -> bool:
    """Whether the witness's pair are neighbours and its chances are the channel's."""
    rows = [tuple(row) for row in channel.databases.tolist()]
    if not neighbours_by_persons(channel.neighbours, witness.source, witness.target):
        return False
    for counts, ends in zip((witness.source, witness.target), witness.probabilities, strict=True):
        line = numbers(channel)[rows.index(counts)]
        with mpmath.workdps(DIGITS):
            truth = mpmath.fsum(line[channel.outputs.index(output)] for output in witness.event)
        if not encloses(ends, truth):
            return False
    return True


def normalised(weights: Sequence[Exact]) -> list[Exact]:
    """Weights divided by their sum."""
    total: Exact = Fraction(0)
    for weight in weights:
        total = add(total, weight)
    return [divide(weight, total) for weight in weights]


@st.composite
def rational_channels(draw: st.DrawFn) -> Channel:
    """Channels of small fractions, with zeros and ties."""
    shape = draw(st.sampled_from(SHAPES))
    width = draw(st.integers(1, 4))
    weight = st.integers(0, 4).map(Fraction)
    line = st.lists(weight, min_size=width, max_size=width).filter(any)
    return channel_of_rows([normalised(draw(line)) for _ in shape[1]], shape)


@st.composite
def exponential_channels(draw: st.DrawFn) -> Channel:
    """Channels whose chances are ratios of exponential sums."""
    shape = draw(st.sampled_from([s for s in SHAPES if len(s[1]) <= 4]))
    width = draw(st.integers(1, 3))
    powers = st.sampled_from(
        [Fraction(-2), Fraction(-1), Fraction(-1, 3), Fraction(0), Fraction(1)]
    )

    def line() -> list[Exact]:
        found: list[Exact] = []
        for _ in range(width):
            terms = draw(st.dictionaries(powers, st.integers(1, 3).map(Fraction), max_size=2))
            found.append(ExpRational(terms, {Fraction(0): Fraction(1)}) if terms else Fraction(0))
        if not any(isinstance(value, ExpRational) for value in found):
            found[0] = ExpRational.exp(draw(powers))
        return normalised(found)

    return channel_of_rows([line() for _ in shape[1]], shape)


def roundings(most: int) -> st.SearchStrategy[tuple[int, list[int]]]:
    """Up to ``most`` operations, and a pattern of errors: what `floated` takes."""
    steps = st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=7)
    return st.tuples(st.integers(1, most), steps)


def blurs() -> st.SearchStrategy[tuple[Fraction, Fraction]]:
    """Widths of intervals, and where in them the chances lie: what `blurred` takes."""
    widths = [Fraction(1, 10**8), Fraction(1, 1000), Fraction(1, 20), Fraction(1, 3)]
    shifts = [Fraction(0), Fraction(1, 2), Fraction(1)]
    return st.tuples(st.sampled_from(widths), st.sampled_from(shifts))


def floated(channel: Channel, operations: int, steps: Sequence[int]) -> Channel:
    """The channel as doubles that are wrong by up to almost γ_operations, in the given pattern."""
    assert channel.exact is not None
    chances = np.zeros(channel.exact.shape)
    unit = Fraction(1, 2**53)
    for number, place in enumerate(np.ndindex(*chances.shape)):
        step = steps[number % len(steps)] * (operations - 1)
        chances[place] = float(rational(channel.exact[place]) * (1 + step * unit))
    return Channel.of_floats(
        channel.domain,
        channel.neighbours,
        channel.databases,
        channel.outputs,
        chances,
        operations,
        channel.released,
    )


def blurred(channel: Channel, width: Fraction, shift: Fraction) -> Channel:
    """The channel with every chance known only to lie in an interval around it."""
    rows = [
        [Interval(max(p - width * shift, Fraction(0)), p + width * (1 - shift)) for p in row]
        for row in fractions(channel)
    ]
    shape = (channel.neighbours, tuple(map(tuple, channel.databases.tolist())))
    return channel_of_rows(rows, shape)
