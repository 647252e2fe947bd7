"""The profile of losses with two values: responses, and discrete Laplace losses of shift 1 or 0.

The discrete Laplace loss of rate ε and shift 1 is ε or -ε with the chances of the response's
(ε, 0): p = 1/(1 + e^-ε) and 1 - p. Let all εᵢ = aᵢ·g with integers aᵢ, each nᵢ times, ρ = e^-g and
A = Σ nᵢaᵢ. The losses' sum is g·(A - 2t) with chance Nₜ·ρᵗ/Π(1 + ρ^aᵢ)^nᵢ, where Nₜ is the
integer coefficient of xᵗ in Π(1 + x^aᵢ)^nᵢ, and so, with T the number of t of a sum above ε,

    δ(ε) = (Σ_{t<T} Nₜρᵗ - e^(ε-gA)·Σ_{t<T} Nₜρ^-t) / Π(1 + ρ^aᵢ)^nᵢ.

For one ε this is the optimal composition of Kairouz, Oh & Viswanath 2015 (Theorem 3.3). Losses
that may be infinite are, together, with chance 1 - Π(1-δᵢ)^nᵢ, and otherwise as with δᵢ = 0.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import ceil, gcd, lcm
from operator import add
from typing import Annotated

from proofs.errors import ProofError
from proofs.losses import DiscreteLaplaceLoss, Losses, ResponseLoss, Side
from proofs.parameters import Range, read_fields
from proofs.profiles.method import Hint
from synthesizers.intervals import Interval, exp_interval, log_interval, log_of

MAX_BITS = 1 << 12
"""The most bits after the point."""

Bits = Annotated[int, Range(range(1, MAX_BITS + 1).__contains__, f"from 1 to {MAX_BITS}")]
Grid = Annotated[int, Range(range(MAX_BITS + 1).__contains__, f"from 0 to {MAX_BITS}")]

MAX_CELLS = 1 << 19
"""The most sums above ε, on the grid of steps 2g, that are visited."""

MAX_STORED = 1 << 28
"""The most bits of all Nₜ together."""

MAX_ADDITIONS = 1 << 24
"""The most additions for losses of different ε."""

LEAST = Fraction(-1000)
"""ln of the smallest chance that all losses are finite that is told from 0."""


def delta(losses: Losses, side: Side, epsilon: Fraction, hint: Hint) -> Interval:
    """δ(``epsilon``) of losses with two values; both sides are alike.

    ``hint``: ``bits`` after the point. The relative width is about 2^-bits, but not below 2^-180.
    Where ``grid`` is given as well, each εᵢ is first rounded up to a multiple of 2^-grid, so that
    the upper end alone is close (Murtagh & Vadhan 2016, section 5). Raises ProofError for other
    losses, or where the εᵢ have no large enough common measure.

    Guarantee
    ---------
    δ lies inside. Backed by the exact enumeration of all outcomes and by reference values in
    ``tests/proofs/profiles/test_responses_profile.py``.
    """
    counts, mass = _counts(losses), infinite_mass(losses)
    given = read_fields({"bits": Bits, "grid": Grid | None}, hint, "the method responses")
    if given["grid"] is not None:
        counts = _round_up(counts, given["grid"])
    found = mass + (1 - mass) * _finite(counts, epsilon, given["bits"])
    lower = max(found.lower, Fraction(0)) if given["grid"] is None else mass.lower
    return Interval(lower, min(found.upper, Fraction(1)))


def bits_of(method: str, hint: Hint) -> int:
    """The hint ``bits``; raises ProofError where it is missing or too large."""
    bits: int = read_fields({"bits": Bits}, hint, f"the method {method}")["bits"]
    return bits


def infinite_mass(losses: Losses) -> Interval:
    """The chance 1 - Π(1-δᵢ)^nᵢ that a response's loss is infinite.

    Guarantee
    ---------
    It lies inside; with S = Σ nᵢδᵢ it is at most S and at least S - S²/2, which matters where it
    is tiny. Backed by ``tests/proofs/profiles/test_responses_profile.py``.
    """
    size, union = Interval(Fraction(0), Fraction(0)), Fraction(0)
    for count, loss in losses:
        if isinstance(loss, ResponseLoss):
            size += count * log_interval(1 - loss.delta)
            union += count * loss.delta
    finite = exp_of(Interval(max(size.lower, LEAST), max(size.upper, LEAST)))
    upper = min(1 - finite.lower if size.lower >= LEAST else Fraction(1), union)
    return Interval(min(max(1 - finite.upper, union - union * union / 2), upper), upper)


def exp_of(power: Interval) -> Interval:
    """An interval that holds e to the power of every member of an interval."""
    return Interval(exp_interval(power.lower).lower, exp_interval(power.upper).upper)


def _counts(losses: Losses) -> dict[Fraction, int]:
    """How often each ε > 0 occurs."""
    counts: dict[Fraction, int] = {}
    for count, loss in losses:
        if isinstance(loss, ResponseLoss):
            epsilon = loss.epsilon
        elif isinstance(loss, DiscreteLaplaceLoss) and loss.shift <= 1:
            epsilon = loss.rate * loss.shift
        else:
            raise ProofError(
                f"the method responses knows responses and discrete Laplace losses of shift 1, "
                f"found one of the kind {loss.name}"
            )
        if epsilon and count:
            counts[epsilon] = counts.get(epsilon, 0) + count
    return counts


def _round_up(counts: dict[Fraction, int], grid: int) -> dict[Fraction, int]:
    """The same with each ε rounded up to a multiple of 2^-``grid``."""
    rounded: dict[Fraction, int] = {}
    for epsilon, count in counts.items():
        above = Fraction(ceil(epsilon * 2**grid), 2**grid)
        rounded[above] = rounded.get(above, 0) + count
    return rounded


def _finite(counts: dict[Fraction, int], epsilon: Fraction, bits: int) -> Interval:
    """δ(``epsilon``) without infinite losses."""
    total = sum((count * each for each, count in counts.items()), Fraction(0))
    if epsilon >= total:
        return Interval(Fraction(0), Fraction(0))
    common = lcm(*(each.denominator for each in counts))
    step = Fraction(gcd(*((each * common).numerator for each in counts)), common)
    cells = ceil((total - epsilon) / (2 * step))
    ways = _ways([(int(each / step), count) for each, count in counts.items()], cells)
    ratio = exp_interval(-step, bits + 1)
    first, second = _sum(reversed(ways), ratio, bits), _sum(ways, ratio, bits)
    # e^(ε-gA)·ρ^-t = edge·ρ^(T-1-t), and edge <= 1.
    edge = exp_interval(epsilon - total + step * (cells - 1), bits + 1)
    lower = first.lower - edge.upper * second.upper
    upper = first.upper - edge.lower * second.lower
    weight = Interval(Fraction(0), Fraction(0))
    for each, count in counts.items():
        weight += count * log_of(1 + exp_interval(-each))
    return Interval(max(lower, Fraction(0)), upper) / exp_of(weight)


def _ways(sizes: list[tuple[int, int]], cells: int) -> list[int]:
    """Nₜ for t < ``cells``, of the pairs (aᵢ, nᵢ)."""
    (size, count), *others = sorted(sizes, key=lambda entry: -entry[1])
    rest = sum(number for other, number in others if other < cells)
    stored, additions = cells * (count + rest), cells * rest
    if cells > MAX_CELLS or stored > MAX_STORED or additions > MAX_ADDITIONS:
        raise ProofError(
            "the method responses needs fewer losses, or losses with a larger common measure"
        )
    ways = [0] * cells
    number = 1
    for chosen, place in zip(range(count + 1), range(0, cells, size), strict=False):
        ways[place] = number
        number = number * (count - chosen) // (chosen + 1)
    for other, times in others:
        for _ in range(times if other < cells else 0):
            ways[other:] = map(add, ways[other:], ways)
    return ways


def _sum(coefficients: Iterable[int], ratio: Interval, bits: int) -> Interval:
    """Σ cⱼ·ρ^(n-1-j) for the c₀ … c₍ₙ₋₁₎ >= 0 and 0 <= ρ <= 1, rounded outwards at each step."""
    low = (ratio.lower.numerator << bits) // ratio.lower.denominator
    high = -((-ratio.upper.numerator << bits) // ratio.upper.denominator)
    lower = upper = 0
    for coefficient in coefficients:
        lower = (lower * low >> bits) + (coefficient << bits)
        upper = -(-upper * high >> bits) + (coefficient << bits)
    return Interval(Fraction(lower, 1 << bits), Fraction(upper, 1 << bits))
