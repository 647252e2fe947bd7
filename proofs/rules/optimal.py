"""Rules for a fixed number of (ε, δ) guarantees that beat their sums: advanced and optimal ones.

Every (ε, δ)-DP mechanism is dominated by one pair of distributions (Kairouz, Oh
& Viswanath 2015): with chance δ the loss is ∞, else it is that of randomised
response. What composes them is therefore the law of a sum of coins. Chances are
integers in units of 2^-bits, one below and one above the true value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from proofs.guarantees import ApproxDP
from proofs.judgments import Mechanism, Private
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, Premises, Rule, require
from proofs.rules.zcdp_conversions import at_most_growing, read_premise
from synthesizers.intervals import Interval, exp_interval, log_interval

MAX_COUNT = 10**6
"""The most mechanisms that an optimal rule composes."""

MAX_STEPS = 2_000_000
"""The most products of two chances at one precision."""

MAX_BITS = 1024
"""The finest multiples, of 2^-bits, that losses are rounded to."""

MAX_EPSILON = 1000
"""The largest ε of a premise, or of a conclusion below the plain sum."""

Ends = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Spread:
    """Chances of whole numbers from below and above; those left out have ``lost`` in all."""

    chances: dict[int, Ends]
    lost: int


def counts_of(found: tuple[Private, ...], parameters: Parameters, rule: str) -> tuple[int, ...]:
    """How often each premise's mechanism runs: ``counts`` where given, else once."""
    if not parameters.has("counts"):
        return (1,) * len(found)
    counts = parameters.wholes("counts", least=1)
    require(len(counts) == len(found), rule, "counts has a number for each premise")
    return counts


def sequence(found: Iterable[Private], counts: Iterable[int]) -> Mechanism:
    """The mechanism that runs those of all premises, each as often as its count says."""
    parts = zip(counts, (premise.mechanism for premise in found), strict=True)
    return Mechanism.of("composition", {}, *parts)


def advanced_composition(premises: Premises, parameters: Parameters) -> Conclusion:
    """k runs of (ε₀, δ₀)-DP: (ε, kδ₀ + δ')-DP, ε >= √(2k ln(1/δ'))·ε₀ + kε₀(e^ε₀ - 1) in nats.

    Source: Dwork, Rothblum & Vadhan 2010, Theorem III.3.

    Guarantee
    ---------
    Concludes no less than the exact loss of k randomised responses:
    ``tests/proofs/rules/test_optimal_rules.py``.
    """
    rule, (found, given) = premises.rule, read_premise(premises, ApproxDP)
    count, slack = parameters.whole("count", least=1), parameters.rational("slack")
    epsilon = parameters.rational("epsilon")
    require(0 < slack < 1, rule, "slack lies in (0, 1)")
    require(given.epsilon <= MAX_EPSILON, rule, f"the premise's epsilon is at most {MAX_EPSILON}")
    delta = count * given.delta + slack
    require(delta < 1, rule, "count times delta, plus slack, is below 1")

    def excess(bits: int) -> Interval:
        growth, log = exp_interval(given.epsilon, bits), log_interval(1 / slack, bits)
        spread = 2 * count * given.epsilon**2
        rest = [epsilon - count * given.epsilon * (e - 1) for e in (growth.upper, growth.lower)]
        low, high = (value * abs(value) for value in rest)
        return Interval(spread * log.lower - high, spread * log.upper - low)

    expected = "epsilon reaches the bound of advanced composition"
    at_most_growing(excess, Fraction(0), rule, expected)
    mechanism = sequence([found], [count])
    return Conclusion(Private(mechanism, found.neighbours, ApproxDP(epsilon, delta)))


def optimal_homogeneous(premises: Premises, parameters: Parameters) -> Conclusion:
    """k runs of (ε₀, δ₀)-DP: ((k - 2·drop)·ε₀, δ)-DP, the smallest δ that holds for all such.

    Source: Kairouz, Oh & Viswanath 2015, Theorem 3.3.

    Guarantee
    ---------
    Sound and tight: ``tests/proofs/rules/test_optimal_rules.py`` compares with every outcome of
    k-fold randomised response.
    """
    rule, (found, given) = premises.rule, read_premise(premises, ApproxDP)
    count, drop = parameters.whole("count", least=1), parameters.whole("drop")
    delta = parameters.rational("delta")
    require(2 * drop <= count, rule, "drop is at most half of count")
    wanted = ApproxDP((count - 2 * drop) * given.epsilon, _proper(delta, rule))
    _check({1: count}, given.epsilon, [(given.delta, count)], wanted, rule)
    return Conclusion(Private(sequence([found], [count]), found.neighbours, wanted))


def optimal_heterogeneous(premises: Premises, parameters: Parameters) -> Conclusion:
    """Runs of (εᵢ, δᵢ)-DP mechanisms, cᵢ of each: (ε, δ)-DP, optimal but for rounding.

    Each εᵢ is rounded up to a multiple of 2^-``bits``. Source: Murtagh & Vadhan 2016,
    Theorem 1.5.

    Guarantee
    ---------
    Sound at any ``bits``, tight as they grow: ``tests/proofs/rules/test_optimal_rules.py``
    compares with the sum over all subsets.
    """
    found, guarantees = premises.guarantees(ApproxDP)
    counts = counts_of(found, parameters, premises.rule)
    epsilon, delta = parameters.rational("epsilon"), parameters.rational("delta")
    bits = parameters.whole("bits")
    require(bits <= MAX_BITS, premises.rule, f"bits is at most {MAX_BITS}")
    require(epsilon >= 0, premises.rule, "epsilon is at least 0")
    groups: dict[int, int] = {}
    for count, given in zip(counts, guarantees, strict=True):
        if unit := math.ceil(given.epsilon * 2**bits):
            groups[unit] = groups.get(unit, 0) + count
    broken = [(given.delta, count) for count, given in zip(counts, guarantees, strict=True)]
    wanted = ApproxDP(epsilon, _proper(delta, premises.rule))
    _check(groups, Fraction(1, 2**bits), broken, wanted, premises.rule)
    return Conclusion(Private(sequence(found, counts), found[0].neighbours, wanted))


def _proper(delta: Fraction, rule: str) -> Fraction:
    require(0 <= delta < 1, rule, "delta lies in [0, 1)")
    return delta


def _check(
    groups: dict[int, int],
    grain: Fraction,
    broken: list[tuple[Fraction, int]],
    wanted: ApproxDP,
    rule: str,
) -> None:
    """Refuse unless δ >= 1 - Π(1 - δᵢ)^cᵢ·(1 - Δ), Δ the divergence of the coins at ε.

    ``groups``: how many coins have an ε of so many ``grain``s. ``broken``: each δᵢ with its cᵢ.
    """
    runs = sum(groups.values())
    require(runs <= MAX_COUNT, rule, f"it composes at most {MAX_COUNT} mechanisms")
    largest = max(groups, default=0) * grain
    require(largest <= MAX_EPSILON, rule, f"an epsilon of a premise is at most {MAX_EPSILON}")

    def needed(bits: int) -> Interval:
        low, high = (Fraction(end, 1 << bits) for end in _survival(broken, bits))
        apart = _divergence(groups, grain, wanted.epsilon, bits, rule)
        return Interval(1 - high * (1 - apart.lower), 1 - low * (1 - apart.upper))

    expected = "delta reaches that of optimal composition at this epsilon"
    at_most_growing(needed, wanted.delta, rule, expected)


def _divergence(
    groups: dict[int, int], grain: Fraction, epsilon: Fraction, bits: int, rule: str
) -> Interval:
    """Encloses Σ over losses s > ε of P(s) - e^ε·P(-s) for a sum of randomised responses.

    A loss is (whole - 2·place)·grain; turning every coin gives Q(s) = P(-s).
    """
    whole = sum(unit * count for unit, count in groups.items())
    if epsilon >= whole * grain:
        return Interval(Fraction(0), Fraction(0))
    require(epsilon <= MAX_EPSILON, rule, f"epsilon is the plain sum, or at most {MAX_EPSILON}")
    total, steps = _Spread({0: (1 << bits, 1 << bits)}, 0), 0
    for unit, count in groups.items():
        part = _flips(unit * grain, count, unit, bits)
        steps += len(total.chances) * len(part.chances)
        require(
            steps <= MAX_STEPS,
            rule,
            "there are too many different sums; take fewer bits or epsilons",
        )
        total = _together(total, part, bits)
    growth = _fixed(exp_interval(epsilon, bits), bits)
    room = math.ceil(whole - epsilon / grain)
    low, high = 0, total.lost
    for place, above in total.chances.items():
        if 2 * place < room:
            below = total.chances.get(whole - place, (0, total.lost))
            less, more = _times(growth, below, bits)
            low += max(0, above[0] - more)
            high += max(0, above[1] - less)
    return Interval(Fraction(low, 1 << bits), min(Fraction(1), Fraction(high, 1 << bits)))


def _flips(epsilon: Fraction, count: int, unit: int, bits: int) -> _Spread:
    """The law of ``unit`` times how many of ``count`` coins, of odds e^-ε, come up.

    The chance of one more is (count - i)/(i + 1)·e^-ε of that of i, a ratio that falls with i: once
    a chance and the ratio after it are small, all beyond are as small. Only ratios to the middle
    one are computed, and divided by their sum.
    """
    odds, against = (_fixed(exp_interval(power, bits), bits) for power in (-epsilon, epsilon))
    one = 1 << bits
    middle = count * odds[0] // (one + odds[0])
    relative, missing = {middle: (one, one)}, 0
    for step, factor, end in ((1, odds, count), (-1, against, 0)):
        place, (low, high) = middle, (one, one)
        while place != end:
            rest = count - place if step == 1 else place
            above, below = rest, count - rest + 1
            low = low * above * factor[0] // (below << bits)
            high = -(-high * above * factor[1] // (below << bits))
            place += step
            relative[place] = low, high
            if high <= 1 and above * factor[1] <= below << bits:
                break
        missing += abs(end - place)
    least = sum(low for low, _ in relative.values())
    most = sum(high for _, high in relative.values()) + missing
    chances = {
        unit * place: ((low << bits) // most, -((-high << bits) // least))
        for place, (low, high) in relative.items()
    }
    return _Spread(chances, -((-missing << bits) // least))


def _together(left: _Spread, right: _Spread, bits: int) -> _Spread:
    """The law of the sum of two independent numbers; the smallest chances become lost."""
    sums: dict[int, Ends] = {}
    for first, (low, high) in left.chances.items():
        for second, (lower, higher) in right.chances.items():
            below, above = sums.get(first + second, (0, 0))
            sums[first + second] = below + low * lower, above + high * higher
    rounded = {place: (low >> bits, -(-high >> bits)) for place, (low, high) in sums.items()}
    kept = {place: ends for place, ends in rounded.items() if ends[1] > 1}
    return _Spread(kept, left.lost + right.lost + len(rounded) - len(kept))


def _survival(broken: Iterable[tuple[Fraction, int]], bits: int) -> Ends:
    """Π(1 - δᵢ)^cᵢ from below and above, in units of 2^-bits."""
    result = (1 << bits, 1 << bits)
    for delta, count in broken:
        power = _fixed(Interval(1 - delta, 1 - delta), bits)
        while count:
            if count & 1:
                result = _times(result, power, bits)
            power, count = _times(power, power, bits), count >> 1
    return result


def _fixed(interval: Interval, bits: int) -> Ends:
    return math.floor(interval.lower * 2**bits), math.ceil(interval.upper * 2**bits)


def _times(left: Ends, right: Ends, bits: int) -> Ends:
    return left[0] * right[0] >> bits, -(-left[1] * right[1] >> bits)


RULES: dict[str, Rule] = {
    "advanced": advanced_composition,
    "optimal-homogeneous": optimal_homogeneous,
    "optimal-heterogeneous": optimal_heterogeneous,
}
"""The rules of this file by name."""
