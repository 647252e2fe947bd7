"""Entropy, and the exactness of dice and coins by enumeration of short words."""

from __future__ import annotations

import multiprocessing
from fractions import Fraction
from math import exp, log
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from synthesizers import randomness
from synthesizers.errors import InputError
from synthesizers.randomness import (
    Entropy,
    InsecureSeededEntropy,
    Ratios,
    SystemEntropy,
    bernoulli,
    bernoulli_exp,
    inverse_e,
    survivors,
    uniform_below,
    uniform_below_each,
)
from tests.synthesizers.entropies import CountedEntropy, ScriptedEntropy, enumerate_law

LAST_WORD = 2**64 - 1


def test_system_words_are_fresh_in_shape_and_value() -> None:
    entropy = SystemEntropy()
    drawn = np.concatenate([entropy.words(count) for count in (0, 1, 3, 5000)])
    assert drawn.dtype == np.uint64
    # 5004 independent words collide with probability below 5004² / 2**65 < 1e-12.
    assert len(set(drawn.tolist())) == 5004


def _system_words_in_child(entropy: SystemEntropy, connection: object) -> None:
    connection.send(entropy.words(2000).tolist())


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system cannot fork"
)
def test_system_entropy_never_repeats_across_a_fork() -> None:
    context = multiprocessing.get_context("fork")
    entropy = SystemEntropy()
    seen = entropy.words(3).tolist()
    for _ in range(2):
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_system_words_in_child, args=(entropy, sender))
        child.start()
        seen += receiver.recv()
        child.join()
    seen += entropy.words(2000).tolist()
    # 6003 independent words collide with probability below 6003² / 2**65 < 1e-12.
    assert len(set(seen)) == 6003


def test_seeded_entropy_replays_and_its_streams_differ() -> None:
    first = InsecureSeededEntropy(5).words(100)
    again = InsecureSeededEntropy(5)
    assert np.array_equal(first, np.concatenate([again.words(40), again.words(60)]))
    others = [InsecureSeededEntropy(6), InsecureSeededEntropy(5, 0), InsecureSeededEntropy(5, 1)]
    drawn = [set(first.tolist()), *(set(other.words(100).tolist()) for other in others)]
    assert len(set.union(*drawn)) == 400


@pytest.mark.parametrize("seed", [-1, 1.0, True, None, "1"])
def test_seeds_are_nonnegative_integers(seed: object) -> None:
    with pytest.raises(InputError):
        InsecureSeededEntropy(seed)


@pytest.mark.parametrize("word", [2, 3, 4, 16])
@pytest.mark.parametrize("bound", [1, 2, 3, 4, 5, 7, 8, 13])
def test_uniform_below_gives_each_value_equal_mass(
    word: int, bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    digits = next(k for k in range(1, 9) if word**k >= bound)
    rounds = 2
    masses, undecided = enumerate_law(
        lambda entropy: int(uniform_below(bound, 1, entropy)[0]),
        word,
        digits * rounds,
        monkeypatch,
    )
    rejected = Fraction(word**digits % bound, word**digits)
    assert set(masses) == set(range(bound))
    assert undecided == rejected**rounds
    assert set(masses.values()) == {(1 - undecided) / bound}


@pytest.mark.parametrize("limit", [2**63, 1])
def test_uniform_below_each_is_uniform_in_every_lane(
    limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(randomness, "LANE_LIMIT", limit)
    bounds = np.array([3, 1, 5])
    masses, undecided = enumerate_law(
        lambda entropy: tuple(uniform_below_each(bounds, entropy).tolist()), 16, 3, monkeypatch
    )
    # With one word a lane, 3 and 5 reject one of 16 words, 1 none.
    assert undecided == 1 - Fraction(15, 16) ** 2
    assert set(masses.values()) == {Fraction(15, 16) ** 2 / 15}
    assert set(masses) == {(i, 0, j) for i in range(3) for j in range(5)}


def test_uniform_below_at_the_edges_of_a_word() -> None:
    # 2**64 = 3 · 6148914691236517205 + 1: only the last word is rejected.
    entropy = ScriptedEntropy([LAST_WORD, LAST_WORD - 1, 0, LAST_WORD, LAST_WORD, 7])
    assert uniform_below(3, 1, entropy).tolist() == [2]
    assert uniform_below(3, 2, entropy).tolist() == [0, 1]
    # A power of two rejects nothing; the largest value of a lane is 2**63 - 1.
    highest = uniform_below(2**63, 1, ScriptedEntropy([LAST_WORD]))
    assert highest.dtype == np.int64
    assert highest.tolist() == [2**63 - 1]


def test_uniform_below_large_bounds_reads_words_as_digits() -> None:
    bound = 10**30
    words = [10, 11, 12, 13]
    expected = [(10 * 2**64 + 11) % bound, (12 * 2**64 + 13) % bound]
    drawn = uniform_below(bound, 2, ScriptedEntropy(words))
    assert drawn.dtype == object
    assert drawn.tolist() == expected
    over = 2**128 // bound * bound
    rejected = [over >> 64, over & LAST_WORD, (over - 1) >> 64, (over - 1) & LAST_WORD]
    assert uniform_below(bound, 1, ScriptedEntropy(rejected)).tolist() == [bound - 1]


@pytest.mark.parametrize("bound", [2, 10, 2**32 + 1, 3 * 2**61, 2**63])
def test_wide_lanes_draw_the_same_uniform_integers(
    bound: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = uniform_below(bound, 300, InsecureSeededEntropy(1))
    monkeypatch.setattr(randomness, "LANE_LIMIT", 1)
    wide = uniform_below(bound, 300, InsecureSeededEntropy(1))
    assert narrow.dtype == np.int64
    assert wide.dtype == object
    assert narrow.tolist() == wide.tolist()
    assert 0 <= min(wide) <= max(wide) < bound


@pytest.mark.parametrize("word", [2, 3, 16])
@pytest.mark.parametrize("probability", ["0", "1/7", "1/3", "1/2", "5/8", "20/21", "1"])
def test_a_coin_has_its_probability_but_for_ties(
    word: int, probability: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    numerator, denominator = Fraction(probability).as_integer_ratio()
    depth = 3
    masses, undecided = enumerate_law(
        lambda entropy: bool(bernoulli(numerator, denominator, 1, entropy)[0]),
        word,
        depth,
        monkeypatch,
    )
    assert undecided <= Fraction(1, word**depth)
    heads = masses.get(True, Fraction(0))
    assert heads <= Fraction(numerator, denominator) <= heads + undecided


def test_a_tied_coin_is_settled_by_the_next_word() -> None:
    third = LAST_WORD // 3
    script = [third - 1, third, third + 1, third, third]
    entropy = ScriptedEntropy([*script, third, third - 1, third + 1, third + 1])
    assert bernoulli(1, 3, 5, entropy).tolist() == [True, False, False, True, False]
    assert entropy.position == 9
    # The second digit of 1/2 is 0: a tie on the first is tails.
    assert bernoulli(1, 2, 2, ScriptedEntropy([2**63 - 1, 2**63])).tolist() == [True, False]


GAMMAS = ["0", "1/100", "1/3", "2/3", "99/100", "1", "4/3", "2", "7/2"]


@pytest.mark.parametrize("gamma", [Fraction(text) for text in GAMMAS])
def test_exponential_coin_has_its_probability(
    gamma: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    masses, undecided = enumerate_law(
        lambda entropy: bool(bernoulli_exp(gamma, 1, entropy)[0]), 4, 8, monkeypatch
    )
    heads = float(masses.get(True, Fraction(0)))
    assert undecided < Fraction(1, 20)
    assert heads - 1e-12 <= exp(-gamma) <= heads + float(undecided) + 1e-12


@pytest.mark.parametrize("limit", [2**63, 1])
@pytest.mark.parametrize("numerator", [0, 1, 2, 3, 4, 6])
def test_exponential_coin_of_a_lane_has_its_probability(
    numerator: int, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(randomness, "LANE_LIMIT", limit)
    ratios = Ratios(np.array([numerator]), 3)
    masses, undecided = enumerate_law(
        lambda entropy: bool(bernoulli_exp(ratios, 1, entropy)[0]), 6, 6, monkeypatch
    )
    heads = float(masses.get(True, Fraction(0)))
    assert undecided < Fraction(1, 20)
    assert heads - 1e-12 <= exp(-numerator / 3) <= heads + float(undecided) + 1e-12


def _assert_frequency(heads: NDArray[np.bool_], probability: float) -> None:
    """Hoeffding: right coins fail with probability below 1e-9."""
    deviation = abs(float(heads.mean()) - probability)
    assert deviation <= np.sqrt(log(2e9) / (2 * heads.size))


def test_exponential_coins_in_bulk() -> None:
    size = 200_000
    entropy = InsecureSeededEntropy(11)
    tiny = Fraction(1, 10**30)
    for gamma in (Fraction(1, 3), Fraction(5, 2) + tiny, Fraction(1) - tiny, tiny):
        _assert_frequency(bernoulli_exp(gamma, size, entropy), exp(-gamma))
    _assert_frequency(inverse_e(size, entropy), exp(-1))


@pytest.mark.parametrize("denominator", [10, 10**30])
def test_exponential_coins_of_lanes_in_bulk(denominator: int) -> None:
    exponents = [Fraction(0), Fraction(1, 5), Fraction(1), Fraction(17, 10), Fraction(3)]
    numerators = [int(exponent * denominator) for exponent in exponents] * 40_000
    lanes = np.array(numerators, dtype=np.int64 if denominator == 10 else object)
    heads = bernoulli_exp(Ratios(lanes, denominator), lanes.size, InsecureSeededEntropy(12))
    assert bool(heads[::5].all())
    for position, exponent in enumerate(exponents):
        _assert_frequency(heads[position::5], exp(-exponent))


def test_exponential_coins_are_the_same_in_wide_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    lanes = Ratios(np.arange(500) ** 2, 12345)
    narrow = bernoulli_exp(lanes, 500, InsecureSeededEntropy(2))
    monkeypatch.setattr(randomness, "LANE_LIMIT", 1)
    assert np.array_equal(narrow, bernoulli_exp(lanes, 500, InsecureSeededEntropy(2)))


def test_a_huge_exponent_ends_quickly() -> None:
    entropy = CountedEntropy(3)
    heads = [
        bernoulli_exp(Fraction(10**40, 3), 1000, entropy),
        bernoulli_exp(Ratios(np.full(1000, 10**60, dtype=object), 7), 1000, entropy),
        survivors(np.full(1000, 2**62), entropy),
    ]
    assert not any(lane.any() for lane in heads)
    # About 2.7 words a lane; ten times that has a chance far below 1e-9 (Chernoff).
    assert entropy.given < 3000 * 27


def test_survivors_need_all_their_coins() -> None:
    whole = np.tile(np.arange(4), 50_000)
    alive = survivors(whole, InsecureSeededEntropy(4))
    for steps in range(4):
        _assert_frequency(alive[steps::4], exp(-steps))


def test_no_draws_need_no_words() -> None:
    empty: Entropy = ScriptedEntropy([])
    none = np.zeros(0, dtype=np.int64)
    assert uniform_below(6, 0, empty).shape == (0,)
    assert uniform_below(10**40, 0, empty).shape == (0,)
    assert uniform_below_each(none, empty).shape == (0,)
    assert bernoulli(1, 3, 0, empty).shape == (0,)
    assert bernoulli_exp(Fraction(7, 3), 0, empty).shape == (0,)
    assert bernoulli_exp(Ratios(none, 3), 0, empty).shape == (0,)
    assert uniform_below(1, 4, empty).tolist() == [0, 0, 0, 0]
    assert bernoulli(0, 3, 2, empty).tolist() == [False, False]
    assert bernoulli(3, 3, 2, empty).tolist() == [True, True]
    assert bernoulli_exp(0, 2, empty).tolist() == [True, True]


def test_numpy_integers_never_overflow_as_parameters() -> None:
    large: Any = np.int64(2**62)
    coins = bernoulli(large, large + 1, 100, InsecureSeededEntropy(1))
    assert bool(coins.all())
    ratio = Ratios(np.array([2**61]), large)
    heads = [bool(bernoulli_exp(ratio, 1, InsecureSeededEntropy(seed))[0]) for seed in range(3000)]
    _assert_frequency(np.array(heads), exp(-0.5))
    # With numpy integers left in it, the coin's denominator would wrap at the second toss.
    gamma = Fraction(large - 1, large)
    _assert_frequency(bernoulli_exp(gamma, 3000, InsecureSeededEntropy(2)), exp(-1))
    assert uniform_below(large, 1, ScriptedEntropy([2**62 + 5])).tolist() == [5]


@pytest.mark.parametrize("bound", [0, -3, 2.0, True, None, "6"])
def test_bounds_are_positive_integers(bound: object) -> None:
    with pytest.raises(InputError):
        uniform_below(bound, 1, InsecureSeededEntropy(1))


@pytest.mark.parametrize("bounds", [np.array([3, 0]), np.array([2.0]), np.array([True])])
def test_bounds_of_lanes_are_positive_integers(bounds: NDArray[np.int64]) -> None:
    with pytest.raises(InputError):
        uniform_below_each(bounds, InsecureSeededEntropy(1))


@pytest.mark.parametrize(
    ("numerator", "denominator"), [(-1, 2), (3, 2), (1, 0), (0.5, 1), (1, 2.0)]
)
def test_coins_have_rational_probabilities(numerator: object, denominator: object) -> None:
    with pytest.raises(InputError):
        bernoulli(numerator, denominator, 1, InsecureSeededEntropy(1))


@pytest.mark.parametrize("gamma", [Fraction(-1, 2), -1, 0.5, float("nan"), None, True])
def test_exponents_are_nonnegative_rationals(gamma: object) -> None:
    with pytest.raises(InputError):
        bernoulli_exp(gamma, 1, InsecureSeededEntropy(1))


@pytest.mark.parametrize(
    ("numerators", "denominator"),
    [
        (np.array([-1]), 2),
        (np.array([1.0]), 2),
        (np.array([0.5], dtype=object), 2),
        (np.array([np.int64(1)], dtype=object), 2),
        (np.array([[1]]), 2),
        ([1], 2),
        (np.array([1]), 0),
        (np.array([1]), 2.0),
    ],
)
def test_ratios_are_nonnegative_integers_over_a_positive_one(
    numerators: NDArray[np.int64], denominator: int
) -> None:
    with pytest.raises(InputError):
        Ratios(numerators, denominator)


def test_there_is_one_exponent_a_coin() -> None:
    with pytest.raises(InputError):
        bernoulli_exp(Ratios(np.array([1, 2]), 3), 3, InsecureSeededEntropy(1))


@pytest.mark.parametrize("size", [-1, 1.0, None])
def test_sizes_are_nonnegative_integers(size: int) -> None:
    entropy = InsecureSeededEntropy(1)
    with pytest.raises(InputError):
        uniform_below(6, size, entropy)
    with pytest.raises(InputError):
        bernoulli(1, 2, size, entropy)
    with pytest.raises(InputError):
        bernoulli_exp(1, size, entropy)
