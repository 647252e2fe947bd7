"""The laws that noise and synthetic rows are drawn from, exactly.

Every function takes the number of draws and a source of entropy and returns draws whose law is
exactly the stated one: given uniform words, no rounding and no truncation anywhere. Parameters are
integers and Fractions; Python floats are refused. Draws are int64. The laws on all integers have
tails beyond that range: where a draw does not fit, ``OverflowError`` is raised rather than a wrong
draw returned, and parameters are bounded such that the chance of it is below exp(-1000).

Source: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential Privacy"
(arXiv 2004.00010), Algorithms 1 to 3, where not said otherwise. Each algorithm is run on blocks of
independent lanes: lanes that end in a rejection are dropped, the others stand in their order.

No message tells a weight, a count or an exponent: they may come from private data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import InputError
from synthesizers.plain import is_integer, require_count, require_rational
from synthesizers.randomness import (
    Entropy,
    Ratios,
    bernoulli,
    bernoulli_exp,
    inverse_e,
    lane_type,
    survivors,
    uniform_below,
    uniform_below_each,
)

LARGEST_SCALE = 2**53
"""Largest scale of a law on all integers: its draws fit int64 but for a chance of exp(-1000)."""

BLOCK = 2**16
"""Lanes that run together: enough to spread the cost of a numpy call, few enough for the cache."""


def discrete_laplace(scale: Fraction | int, size: int, entropy: Entropy) -> NDArray[np.int64]:
    """Draw integers z with probability proportional to ``exp(-|z| / scale)``, shape ``(size,)``.

    Raises ``InputError`` unless ``0 < scale <= 2**53`` is rational.

    **Guarantee**: exact for every such scale: Algorithm 2. A magnitude is drawn with weight
    ``exp(-y / scale)``, then a sign; negative zero is rejected, or zero would count twice.
    """
    scale = _require_positive(scale, "scale", LARGEST_SCALE)

    def propose(lanes: int) -> NDArray[np.int64]:
        magnitude = _geometric_block(scale, lanes, entropy)
        negative = bernoulli(1, 2, magnitude.size, entropy)
        signed = np.where(negative, -magnitude, magnitude)
        return signed[~negative | (magnitude > 0)]

    return _collect(size, propose)


def discrete_gaussian(variance: Fraction | int, size: int, entropy: Entropy) -> NDArray[np.int64]:
    """Draw integers z with probability proportional to ``exp(-z² / (2 variance))``.

    ``variance`` is the parameter σ² of the law (its variance proper is slightly smaller); shape
    ``(size,)``. Raises ``InputError`` unless ``0 < variance <= 2**104`` is rational.

    **Guarantee**: exact for every such parameter: Algorithm 3, a discrete Laplace draw Y of scale
    t = ⌊σ⌋ + 1 accepted with probability ``exp(-(|Y| - σ²/t)² / (2σ²))``.
    """
    variance = _require_positive(variance, "variance", LARGEST_SCALE**2 // 4)
    scale = isqrt(int(variance)) + 1
    centre, step = (variance / scale).as_integer_ratio()
    # (|Y| - centre/step)² / (2σ²) over the denominator 2σ²·step², which is 2·centre·scale·step.
    denominator = 2 * centre * scale * step

    def propose(lanes: int) -> NDArray[np.int64]:
        draws = discrete_laplace(Fraction(scale), lanes, entropy)
        magnitude = np.abs(draws)
        largest = max(int(magnitude.max(initial=1)) * step, centre)
        distance = magnitude.astype(lane_type(largest**2)) * step - centre
        accepted = bernoulli_exp(Ratios(distance * distance, denominator), lanes, entropy)
        return draws[accepted]

    return _collect(size, propose)


def rounded_laplace(scale: Fraction | int, size: int, entropy: Entropy) -> NDArray[np.int64]:
    """Draw the nearest integer to a continuous Laplace variable of the scale, shape ``(size,)``.

    With b the scale: P[0] = 1 - exp(-1/(2b)), and P[k] = P[-k] =
    exp(-(k - 1/2)/b) · (1 - exp(-1/b)) / 2 for k ≥ 1. Raises ``InputError`` unless
    ``0 < scale <= 2**53`` is rational.

    **Guarantee**: exact for every such scale. The draw is not 0 with probability exp(-1/(2b)),
    then |z| - 1 has weight exp(-y/b) on y ≥ 0 (the magnitudes of Algorithm 2) and a fair sign.
    """
    scale = _require_positive(scale, "scale", LARGEST_SCALE)
    size = require_count(size, "size")
    rounded = np.zeros(size, dtype=np.int64)
    away = np.flatnonzero(bernoulli_exp(1 / (2 * scale), size, entropy))
    magnitude = 1 + _collect(away.size, lambda lanes: _geometric_block(scale, lanes, entropy))
    negative = bernoulli(1, 2, away.size, entropy)
    rounded[away] = np.where(negative, -magnitude, magnitude)
    return rounded


def _geometric_block(scale: Fraction, lanes: int, entropy: Entropy) -> NDArray[np.int64]:
    """Return at most ``lanes`` draws y ≥ 0 with weight ``exp(-y / scale)``: Algorithm 2, unsigned.

    X = U + t·V has weight exp(-X/t), U its remainder by t and V its quotient; then y = ⌊X/s⌋.
    """
    t, s = scale.as_integer_ratio()
    remainder = uniform_below(t, lanes, entropy)
    remainder = remainder[bernoulli_exp(Ratios(remainder, t), lanes, entropy)]
    quotient = np.zeros(remainder.size, dtype=np.int64)
    going = np.arange(remainder.size)
    while going.size:
        going = going[inverse_e(going.size, entropy)]
        quotient[going] += 1
    largest = t * (int(quotient.max(initial=0)) + 1)
    wide = quotient.astype(lane_type(max(largest, s)))
    magnitude: NDArray[np.int64] = ((remainder + t * wide) // s).astype(np.int64)
    return magnitude


def _collect(size: int, propose: Callable[[int], NDArray[np.int64]]) -> NDArray[np.int64]:
    """Gather ``size`` accepted draws; ``propose(lanes)`` returns those accepted of ``lanes``.

    Lanes are independent and only a surplus at the end is dropped, so those kept keep their law.
    """
    size = require_count(size, "size")
    draws = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        missing = size - filled
        accepted = propose(min(BLOCK, missing + missing // 2))[:missing]
        draws[filled : filled + accepted.size] = accepted
        filled += accepted.size
    return draws


def categorical(
    weights: Sequence[int] | NDArray[Any], size: int, entropy: Entropy
) -> NDArray[np.int64]:
    """Draw ``size`` indices, each with probability ``weights[i] / sum(weights)``.

    Weights are nonnegative integers of any size, not all zero, else ``InputError``.

    **Guarantee**: exact; an index of weight 0 is never drawn. A uniform integer below the total is
    looked up in the running sums.
    """
    cumulative = _running_sums(weights)
    drawn = uniform_below(int(cumulative[-1]), size, entropy)
    return _look_up(cumulative, drawn)


def multinomial(
    draws: int, weights: Sequence[int] | NDArray[Any], entropy: Entropy
) -> NDArray[np.int64]:
    """Count ``draws`` independent categorical draws: one count a weight, their sum ``draws``.

    Weights as in ``categorical``. Time and memory grow with ``draws``, not with the weights.

    **Guarantee**: exactly multinomial, being counted from exact categorical draws.
    """
    drawn = categorical(weights, require_count(draws, "number of draws"), entropy)
    return _counts(drawn, len(weights))


def exponential_choice(exponents: Sequence[Fraction | int], entropy: Entropy) -> int:
    """Choose one index with probability proportional to ``exp(exponents[i])``.

    Exponents are rationals of either sign and any size, at least one, else ``InputError``.

    **Guarantee**: exact. Indices are proposed uniformly, and the first is returned that a coin of
    probability ``exp(exponent - largest exponent)`` accepts: ``bernoulli_exp``, its whole part
    tossed for a block of proposals at once. Whatever the exponents, the expected number of
    proposals is at most the number of candidates, all of which have been read anyway, and one
    that passed the whole part is accepted with probability above 1/e.
    """
    values = [require_rational(exponent, "exponent") for exponent in exponents]
    if not values:
        raise InputError("There must be at least one candidate to choose from.")
    top, unit = max(values).as_integer_ratio()
    gaps = [
        (top * value.denominator - value.numerator * unit, unit * value.denominator)
        for value in values
    ]
    floors = [numerator // denominator for numerator, denominator in gaps]
    whole = np.array(floors, dtype=lane_type(max(floors)))
    lanes = 16
    while True:
        proposed = uniform_below(whole.size, lanes, entropy).astype(np.intp, copy=False)
        for index in proposed[survivors(whole[proposed], entropy)].tolist():
            numerator, denominator = gaps[index]
            rest = Fraction(numerator % denominator, denominator)
            if bernoulli_exp(rest, 1, entropy)[0]:
                return int(index)
        lanes = min(2 * lanes, BLOCK)


def hypergeometric_subset(
    counts: Sequence[int] | NDArray[Any], draws: int, entropy: Entropy
) -> NDArray[np.int64]:
    """Count, cell by cell, a uniform subset of ``draws`` of the records in a table of counts.

    ``counts`` are nonnegative integers with a sum below 2**63; ``draws`` at most that sum; else
    ``InputError``. The result has one count a cell. Time and memory grow with the smaller of
    ``draws`` and the number of records left out.

    **Guarantee**: exactly the multivariate hypergeometric law. Records are added to a set, uniform
    and repeats ignored, never more at once than are missing, until it has the wanted size; nothing
    distinguishes one record from another, so every set of that size is equally likely.
    """
    table = np.array(_require_weights(counts), dtype=object)
    total = int(table.sum()) if table.size else 0
    draws = require_count(draws, "number of draws")
    if draws > total:
        raise InputError("A subset cannot hold more records than the table it is drawn from.")
    if lane_type(total) is object:
        raise InputError("The table must hold fewer than 2**63 records.")
    table = table.astype(np.int64)
    wanted = min(draws, total - draws)
    chosen = np.empty(0, dtype=np.int64)
    while chosen.size < wanted:
        fresh = uniform_below(total, wanted - chosen.size, entropy)
        ordered = np.sort(np.concatenate([chosen, fresh]))
        chosen = ordered[np.diff(ordered, prepend=-1) > 0]
    subset = _counts(_look_up(np.cumsum(table), chosen), table.size)
    return subset if wanted == draws else table - subset


def polya_urn(
    weights: Sequence[int] | NDArray[Any], increment: int, draws: int, entropy: Entropy
) -> NDArray[np.int64]:
    """Count ``draws`` draws from Pólya's urn: the Dirichlet-multinomial law.

    Each draw takes cell i with probability proportional to its weight and then adds ``increment``
    to that weight: the Dirichlet parameters are ``weights[i] / increment``. Weights as in
    ``categorical``, ``increment`` a positive integer, else ``InputError``. One count a weight.

    **Guarantee**: exact. Draw j is uniform below sum(weights) + j · increment: it falls among the
    balls that were there at first, or on one added by an earlier draw, each equally likely, whose
    cell it repeats. Such references point backwards, hence they are resolved by doubling.
    """
    cumulative = _running_sums(weights)
    draws = require_count(draws, "number of draws")
    if require_count(increment, "increment of an urn") == 0:
        raise InputError("The increment of an urn must be positive.")
    first = int(cumulative[-1])
    order = np.arange(draws, dtype=lane_type(first + increment * (draws + 1)))
    drawn = uniform_below_each(first + increment * order, entropy).astype(order.dtype, copy=False)
    origin = np.arange(draws)
    copies = np.flatnonzero(drawn >= first)
    origin[copies] = ((drawn[copies] - first) // increment).astype(np.int64)
    while not np.array_equal(origin, further := origin[origin]):
        origin = further
    return _counts(_look_up(cumulative, drawn[origin]), len(weights))


def permutation(count: int, entropy: Entropy) -> NDArray[np.int64]:
    """Return a uniform permutation of ``0 … count - 1``, shape ``(count,)``.

    **Guarantee**: exact. It is the sorting order of independent words; words with a tie among them
    are drawn anew, and without ties every order is equally likely.
    """
    count = require_count(count, "length of a permutation")
    while True:
        keys = entropy.words(count)
        order = np.argsort(keys)
        if np.all(np.diff(keys[order]) > 0):
            return order.astype(np.int64, copy=False)


def _look_up(cumulative: NDArray[Any], drawn: NDArray[Any]) -> NDArray[np.int64]:
    """Return for each number the cell whose half-open interval of running sums it lies in."""
    return np.searchsorted(cumulative, drawn, side="right").astype(np.int64, copy=False)


def _counts(cells: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    return np.bincount(cells, minlength=size).astype(np.int64, copy=False)


def _running_sums(weights: Sequence[int] | NDArray[Any]) -> NDArray[Any]:
    values = _require_weights(weights)
    total = sum(values)
    if total == 0:
        raise InputError("At least one weight must be positive.")
    sums: NDArray[Any] = np.cumsum(np.array(values, dtype=lane_type(total)))
    return sums


def _require_weights(weights: Sequence[int] | NDArray[Any]) -> list[int]:
    values = weights.tolist() if isinstance(weights, np.ndarray) else list(weights)
    if not all(is_integer(value) and value >= 0 for value in values):
        raise InputError("Weights and counts must be nonnegative integers.")
    return [int(value) for value in values]


def _require_positive(value: object, name: str, largest: int) -> Fraction:
    parameter = require_rational(value, name)
    if parameter <= 0:
        raise InputError(f"The {name} of noise must be positive, not {parameter}.")
    if parameter > largest:
        raise InputError(f"The {name} of noise must be at most {largest}: its draws are int64.")
    return parameter
