"""Where chance comes from: entropy, and the exact coins and dice made of it.

Entropy is a stream of independent uniform 64-bit words. Everything here turns such words into
integers and coins whose law is *exactly* the stated one: integer arithmetic and rejection, no
floating-point number anywhere. One draw is a *lane* of a numpy array; a loop runs over the lanes
that are still undecided, so a lane is always carried to its own end and none is favoured for
ending early.

Lanes hold 64-bit integers wherever every intermediate value provably fits, and Python integers
(object arrays) otherwise. Both run the same statements on the same words and give the same draws.

Running time depends on what is drawn; who can time a single draw learns something about it.

Source of the algorithms: Canonne, Kamath, Steinke, "The Discrete Gaussian for Differential
Privacy" (arXiv 2004.00010).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.errors import InputError
from synthesizers.plain import is_integer, require_count, require_rational

WORD = 2**64
"""Number of values that one word of entropy takes."""

LANE_LIMIT = 2**63
"""Integers from 0 to below this are held in 64-bit lanes, others as Python integers."""


class Entropy(Protocol):
    """A stream of independent uniform 64-bit words."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return the next ``count`` words, shape ``(count,)``; no word is ever returned twice."""
        ...


class SystemEntropy:
    """The operating system's entropy: for releases; it cannot be seeded or replayed.

    **Guarantee**: each call asks ``os.urandom`` anew and keeps nothing, hence neither a fork, nor
    a thread, nor a pickled copy can be given words that another was given. (A buffer would save
    nothing: requests are for whole arrays.)
    """

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return ``count`` fresh words, shape ``(count,)``."""
        return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


class InsecureSeededEntropy:
    """A reproducible stream of words from a seed, for tests and audits only, never for a release.

    ``seed`` and the optional ``stream`` numbers are nonnegative integers; different streams of one
    seed are independent for every practical purpose. The words are those of numpy's PCG64, whose
    raw output is stable across numpy versions. An ``InputError`` is raised for any other seed.
    """

    def __init__(self, seed: int, *stream: int) -> None:
        for number in (seed, *stream):
            require_count(number, "seed")
        self._generator = np.random.PCG64(np.random.SeedSequence(seed, spawn_key=stream))

    def words(self, count: int) -> NDArray[np.uint64]:
        """Return the next ``count`` words of the stream, shape ``(count,)``."""
        return np.asarray(self._generator.random_raw(count), dtype=np.uint64)


@dataclass(frozen=True, eq=False)
class Ratios:
    """One nonnegative rational a lane: ``numerators[i] / denominator``.

    ``numerators`` is a one-dimensional array of int64 or of Python integers (object dtype), none
    negative; ``denominator`` is a positive integer of any size. Otherwise ``InputError``.
    """

    numerators: NDArray[Any]
    denominator: int

    def __post_init__(self) -> None:
        numerators = self.numerators
        if not isinstance(numerators, np.ndarray) or numerators.ndim != 1:
            raise InputError("Numerators must be a one-dimensional array of integers.")
        if numerators.dtype != np.int64 and not (
            numerators.dtype == object and all(type(value) is int for value in numerators)
        ):
            raise InputError("Numerators must be int64 or Python integers, not other numbers.")
        if numerators.size and numerators.min() < 0:
            raise InputError("Numerators must not be negative.")
        if not is_integer(self.denominator) or self.denominator < 1:
            raise InputError("The common denominator must be a positive integer.")


def lane_type(largest: int) -> type[Any]:
    """Return the dtype whose lanes hold every integer of magnitude up to ``largest`` exactly."""
    return np.int64 if largest < LANE_LIMIT else object


def uniform_below(bound: int, size: int, entropy: Entropy) -> NDArray[Any]:
    """Draw ``size`` independent integers, uniform on ``0 … bound - 1``.

    The result has shape ``(size,)`` and dtype int64 for bounds up to 2**63, and holds Python
    integers (object dtype) above. Raises ``InputError`` unless ``bound`` is a positive integer.

    **Guarantee**: exactly uniform for every bound. A word (or number of several words) is accepted
    if it lies below the largest multiple of the bound, where each remainder has equally many
    preimages. Backed by ``test_randomness`` through enumeration of all short words.
    """
    if not is_integer(bound) or bound < 1:
        raise InputError("The bound of a uniform draw must be a positive integer.")
    size = require_count(size, "size")
    return _remainders([int(bound)], int(bound), size, entropy)


def uniform_below_each(bounds: NDArray[Any], entropy: Entropy) -> NDArray[Any]:
    """Draw one integer a lane, uniform on ``0 … bounds[i] - 1``, lanes independent.

    ``bounds`` holds positive integers, shape ``(lanes,)``, as int64 or Python integers. The result
    has that shape; its dtype is int64 if all bounds are at most 2**63, else object.

    **Guarantee**: as for ``uniform_below``, lane by lane.
    """
    if not bounds.size:
        return np.zeros(0, dtype=np.int64)
    if bounds.dtype not in (np.int64, object) or bounds.min() < 1:
        raise InputError("The bound of a uniform draw must be a positive integer.")
    return _remainders(bounds, int(bounds.max()), bounds.size, entropy)


def _remainders(
    bounds: NDArray[Any] | list[int], largest: int, size: int, entropy: Entropy
) -> NDArray[Any]:
    if largest == 1:
        return np.zeros(size, dtype=np.int64)
    fits = largest <= LANE_LIMIT
    divisors = np.array(bounds, dtype=np.uint64 if fits else object)
    digits = 1
    while WORD**digits < largest:
        digits += 1
    last = WORD**digits - 1
    # `last` and not WORD**digits: the latter does not fit a 64-bit lane.
    limits = last - (last % divisors + 1) % divisors
    drawn = _numbers(size, digits, divisors.dtype, entropy)
    values: NDArray[Any] = drawn % divisors
    (pending,) = (drawn > limits).nonzero()
    if pending.size:
        divisors, limits = np.broadcast_to(divisors, (size,)), np.broadcast_to(limits, (size,))
    while pending.size:
        drawn = _numbers(pending.size, digits, divisors.dtype, entropy)
        values[pending] = drawn % divisors[pending]
        pending = pending[drawn > limits[pending]]
    return values.view(np.int64) if fits else values


def _numbers(count: int, digits: int, dtype: np.dtype[Any], entropy: Entropy) -> NDArray[Any]:
    """Return uniform numbers of ``digits`` words each, the first word the most significant."""
    words: NDArray[Any] = entropy.words(count * digits).astype(dtype, copy=False)
    numbers: NDArray[Any] = words[::digits]
    for place in range(1, digits):
        numbers = numbers * WORD + words[place::digits]
    return numbers


def bernoulli(numerator: int, denominator: int, size: int, entropy: Entropy) -> NDArray[np.bool_]:
    """Toss ``size`` independent coins, True with probability ``numerator / denominator``.

    Raises ``InputError`` unless ``0 <= numerator <= denominator`` are integers, denominator
    positive; they may be of any size. Shape of the result ``(size,)``.

    **Guarantee**: exact. A uniform number of [0, 1), read word by word, is compared with the
    expansion of the probability in base 2**64 until they differ; a tie is settled by the next
    words against the remainder. Backed by ``test_randomness`` (all short words; ties).
    """
    if not (is_integer(numerator) and is_integer(denominator)):
        raise InputError("The probability of a coin must be a ratio of integers.")
    if not (denominator > 0 and 0 <= numerator <= denominator):
        raise InputError("The probability of a coin must lie between 0 and 1.")
    size = require_count(size, "size")
    if numerator in (0, denominator):
        return np.full(size, numerator > 0, dtype=np.bool_)
    digit, remainder = divmod(int(numerator) * WORD, int(denominator))
    drawn = entropy.words(size)
    heads: NDArray[np.bool_] = drawn < digit
    (tied,) = (drawn == digit).nonzero()
    if tied.size:
        heads[tied] = bernoulli(remainder, denominator, tied.size, entropy)
    return heads


def bernoulli_exp(gamma: Fraction | int | Ratios, size: int, entropy: Entropy) -> NDArray[np.bool_]:
    """Toss ``size`` independent coins, True with probability ``exp(-gamma)``.

    ``gamma`` is one nonnegative rational of any size for all lanes, or ``Ratios`` with one a lane
    (then ``size`` must be their number). Raises ``InputError`` otherwise. Shape ``(size,)``.

    **Guarantee**: exact for every rational ``gamma >= 0``: Algorithm 1 of Canonne, Kamath, Steinke
    on the fractional part, and for the integer part a product of coins, as they describe. A large
    ``gamma`` is not slow: a lane ends at the first of its ⌊gamma⌋ coins of probability 1/e that
    fails. Backed by ``test_randomness`` (enumeration of all short words, goodness of fit).
    """
    size = require_count(size, "size")
    if isinstance(gamma, Ratios):
        if gamma.numerators.size != size:
            raise InputError("There must be exactly one exponent for each coin.")
        return _bernoulli_exp_each(gamma.numerators, int(gamma.denominator), entropy)
    gamma = require_rational(gamma, "exponent")
    if gamma < 0:
        raise InputError("The exponent of a coin must not be negative.")
    whole = int(gamma)
    numerator, denominator = (gamma - whole).as_integer_ratio()
    alive = survivors(np.broadcast_to(np.array(whole, dtype=lane_type(whole)), (size,)), entropy)
    if numerator:
        (lanes,) = alive.nonzero()
        alive[lanes] = _ends_odd(
            lanes.size,
            lambda going, k: bernoulli(numerator, denominator * k, going.size, entropy),
        )
    return alive


def _bernoulli_exp_each(
    numerators: NDArray[Any], denominator: int, entropy: Entropy
) -> NDArray[np.bool_]:
    numerators = numerators.astype(
        object if lane_type(denominator) is object else numerators.dtype, copy=False
    )
    whole = numerators // denominator
    alive = survivors(whole, entropy)
    (lanes,) = alive.nonzero()
    rest = (numerators - whole * denominator)[lanes]
    alive[lanes] = _ends_odd(
        lanes.size,
        lambda going, k: uniform_below(denominator * k, going.size, entropy) < rest[going],
    )
    return alive


def survivors(whole: NDArray[Any], entropy: Entropy) -> NDArray[np.bool_]:
    """Toss one coin a lane, True with probability ``exp(-whole[i])``, lanes independent.

    ``whole`` holds nonnegative integers (int64 or Python integers), shape ``(lanes,)``.

    **Guarantee**: exact: ``whole[i]`` coins of probability 1/e, of which all must succeed, tossed
    until one fails.
    """
    alive = np.ones(whole.size, dtype=np.bool_)
    (waiting,) = (whole > 0).nonzero()
    step = 1
    while waiting.size:
        heads = inverse_e(waiting.size, entropy)
        alive[waiting[~heads]] = False
        waiting = waiting[heads]
        waiting = waiting[whole[waiting] > step]
        step += 1
    return alive


def inverse_e(size: int, entropy: Entropy) -> NDArray[np.bool_]:
    """Toss ``size`` independent coins, True with probability ``1/e``.

    **Guarantee**: exact: Algorithm 1 at ``gamma = 1``.
    """
    return _ends_odd(size, lambda going, k: bernoulli(1, k, going.size, entropy))


def _ends_odd(
    size: int, toss: Callable[[NDArray[np.intp], int], NDArray[np.bool_]]
) -> NDArray[np.bool_]:
    """Tell for each lane whether its first failing toss, counted from 1, has an odd number.

    ``toss(lanes, k)`` is the k-th toss of the lanes still going. With success probability
    ``gamma / k`` for ``gamma`` in [0, 1], the answer is True with probability exp(-gamma): the body
    of Algorithm 1.
    """
    odd = np.zeros(size, dtype=np.bool_)
    going = np.arange(size)
    k = 1
    while going.size:
        heads = toss(going, k)
        if k % 2:
            odd[going[~heads]] = True
        going = going[heads]
        k += 1
    return odd
