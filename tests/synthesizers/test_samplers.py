"""Every sampler against its exact law, computed here in another way.

Goodness of fit is Pearson's chi-square over cells pooled to an expected count of at least 100, with
fixed seeds. A right sampler fails each such test with probability about ALARM over the choice of
the seed (by the chi-square approximation, which is close for such cells); at 200 000 draws a
probability that is wrong by a few hundredths of itself is found with near certainty.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import ceil, comb, exp, factorial, prod

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from synthesizers import randomness
from synthesizers.errors import InputError
from synthesizers.randomness import Entropy, InsecureSeededEntropy
from synthesizers.samplers import (
    BLOCK,
    categorical,
    discrete_gaussian,
    discrete_laplace,
    exponential_choice,
    hypergeometric_subset,
    multinomial,
    permutation,
    polya_urn,
    rounded_laplace,
)
from tests.synthesizers.entropies import CountedEntropy, ScriptedEntropy, enumerate_law

ALARM = 1e-9
DRAWS = 200_000
LONG = Fraction("0.123456789012345678901234567891")
TINY = Fraction(1, 10**30)

Sampler = Callable[[Fraction, int, Entropy], NDArray[np.int64]]
Tail = Callable[[int], float]
"""k ↦ Pr[Z ≥ k] of a symmetric law on the integers."""


def symmetric(upper: Tail) -> Tail:
    """Extend the tail of a symmetric law from k ≥ 1 to all integers."""
    return lambda k: upper(k) if k >= 1 else 1 - upper(1 - k)


def laplace_tail(scale: Fraction) -> Tail:
    # Σ_{z ≥ k} q^z divided by (1 + q)/(1 - q), with q = exp(-1/scale).
    return symmetric(lambda k: exp(-k / scale) / (1 + exp(-1 / scale)))


def rounded_tail(scale: Fraction) -> Tail:
    # Z ≥ k where the continuous variable is at least k - 1/2.
    return symmetric(lambda k: exp(-(k - Fraction(1, 2)) / scale) / 2)


def gaussian_tail(variance: Fraction) -> Tail:
    reach = ceil(15 * float(variance) ** 0.5) + 2
    weights = np.exp(-(np.arange(reach + 1, dtype=float) ** 2) / (2 * float(variance)))
    tails = np.cumsum(weights[::-1])[::-1] / (2 * weights[1:].sum() + weights[0])
    return symmetric(lambda k: float(tails[k]) if k <= reach else 0.0)


def assert_fits(observed: NDArray[np.int64], probabilities: NDArray[np.float64]) -> None:
    """Test cell counts against their probabilities, neighbouring cells pooled."""
    total = int(observed.sum())
    assert probabilities.sum() == pytest.approx(1, abs=1e-9)
    assert not observed[probabilities == 0].any()
    pooled: list[list[float]] = [[0.0, 0.0]]
    for count, probability in zip(observed.tolist(), probabilities.tolist(), strict=True):
        if pooled[-1][1] >= 100:
            pooled.append([0.0, 0.0])
        pooled[-1][0] += count
        pooled[-1][1] += total * probability
    if len(pooled) > 1 and pooled[-1][1] < 100:
        count, expected = pooled.pop()
        pooled[-1][0] += count
        pooled[-1][1] += expected
    assert len(pooled) > 1, "too few draws to test anything"
    statistic = sum((count - expected) ** 2 / expected for count, expected in pooled)
    assert stats.chi2.sf(statistic, len(pooled) - 1) > ALARM


def assert_integers_fit(draws: NDArray[np.int64], tail: Tail, spread: float) -> None:
    """Test draws of a law on the integers, by cells from single integers to whole tails."""
    wide = [round(spread * x) for x in np.linspace(-9, 9, 91)]
    edges = sorted({*range(-12, 14), *wide})
    tails = np.array([1.0, *(tail(edge) for edge in edges), 0.0])
    cells = np.searchsorted(np.array(edges), draws, side="right")
    assert_fits(np.bincount(cells, minlength=len(edges) + 1), -np.diff(tails))


LAPLACE_SCALES = ["1/4", "1/3", "1/2", "1", "7/3", "10", "1000001/7", "1000000"]
WIDE_SCALES = [LONG * 2, LONG * 10**6, 1 + TINY, 10 - TINY, Fraction(2**53)]
# Intermediate values of this one fit 64 bits for most draws and exceed them for some.
WIDE_SCALES.append(Fraction(2**61, 2**61 - 1))


@pytest.mark.parametrize("scale", [*map(Fraction, LAPLACE_SCALES), *WIDE_SCALES])
def test_discrete_laplace_has_its_law(scale: Fraction) -> None:
    draws = discrete_laplace(scale, DRAWS, InsecureSeededEntropy(101))
    assert draws.dtype == np.int64
    assert_integers_fit(draws, laplace_tail(scale), float(scale))


@pytest.mark.parametrize("scale", [*map(Fraction, LAPLACE_SCALES), *WIDE_SCALES])
def test_rounded_laplace_has_its_law(scale: Fraction) -> None:
    draws = rounded_laplace(scale, DRAWS, InsecureSeededEntropy(102))
    assert draws.dtype == np.int64
    assert_integers_fit(draws, rounded_tail(scale), float(scale))


@pytest.mark.parametrize(
    "variance",
    [
        *map(Fraction, ["1/9", "1/4", "1/3", "1", "5/2", "4", "100", "100.123456", "10000000000"]),
        LONG,
        LONG * 10**6,
        1 + TINY,
        100 - TINY,
    ],
)
def test_discrete_gaussian_has_its_law(variance: Fraction) -> None:
    draws = discrete_gaussian(variance, DRAWS, InsecureSeededEntropy(103))
    assert draws.dtype == np.int64
    assert_integers_fit(draws, gaussian_tail(variance), float(variance) ** 0.5)


def test_a_very_wide_gaussian_has_the_moments_of_its_law() -> None:
    variance = Fraction(2**104)
    draws = discrete_gaussian(variance, DRAWS, InsecureSeededEntropy(104)) / 2.0**52
    # At this width the law is the normal law to all digits of a float: Kolmogorov-Smirnov test.
    assert stats.kstest(draws, "norm").pvalue > ALARM


@pytest.mark.parametrize("sampler", [discrete_laplace, rounded_laplace])
def test_last_digits_of_wide_noise_are_even_handed(sampler: Sampler) -> None:
    draws = sampler(Fraction(10**6), DRAWS, InsecureSeededEntropy(105))
    # The residues of so wide a law are uniform within 1e-5 of one another.
    assert_fits(np.bincount(draws % 16, minlength=16), np.full(16, 1 / 16))


def test_narrow_noise_is_almost_always_zero() -> None:
    entropy = InsecureSeededEntropy(106)
    # Pr[Z ≠ 0] = 4.2e-9 for the first, 4.6e-5 for the second (9.1 expected, about Poisson), below
    # 1e-200 for the others: all bounds together are broken with probability below 1e-10.
    assert np.count_nonzero(discrete_laplace(Fraction(1, 20), DRAWS, entropy)) <= 4
    assert np.count_nonzero(rounded_laplace(Fraction(1, 20), DRAWS, entropy)) <= 40
    assert not discrete_laplace(TINY, 1000, entropy).any()
    assert not rounded_laplace(TINY, 1000, entropy).any()
    assert not discrete_gaussian(Fraction(1, 1000), DRAWS, entropy).any()
    assert not discrete_gaussian(TINY, 1000, entropy).any()


@pytest.mark.parametrize(
    ("sampler", "parameter"),
    [
        (discrete_laplace, "1/20"),
        (discrete_laplace, "10"),
        (discrete_laplace, "1000000"),
        (rounded_laplace, "1/20"),
        (rounded_laplace, "1000000"),
        (discrete_gaussian, "1/1000"),
        (discrete_gaussian, "1"),
        (discrete_gaussian, "10000000000"),
    ],
)
def test_noise_needs_few_words_at_any_width(sampler: Sampler, parameter: str) -> None:
    entropy = CountedEntropy(107)
    sampler(Fraction(parameter), 10_000, entropy)
    # The mean is 5 to 25 words a draw; 10 000 draws do not stray from it by half (Chernoff).
    assert entropy.given < 40 * 10_000


SMALL_NOISE: list[tuple[Sampler, Callable[[Fraction], Tail]]] = [
    (discrete_laplace, laplace_tail),
    (rounded_laplace, rounded_tail),
    (discrete_gaussian, gaussian_tail),
]


@pytest.mark.parametrize(("sampler", "law"), SMALL_NOISE)
def test_small_requests_have_the_law_in_every_position(
    sampler: Sampler, law: Callable[[Fraction], Tail]
) -> None:
    entropy = InsecureSeededEntropy(108)
    table = np.array([sampler(Fraction(2), 3, entropy) for _ in range(5000)])
    for position in range(3):
        assert_integers_fit(table[:, position], law(Fraction(2)), 2.0)


@pytest.mark.parametrize(("sampler", "law"), SMALL_NOISE)
def test_draws_are_independent_of_their_neighbours(
    sampler: Sampler, law: Callable[[Fraction], Tail]
) -> None:
    draws = sampler(Fraction(2), DRAWS, InsecureSeededEntropy(109))
    cells = np.clip(draws, -2, 2) + 2
    tail = law(Fraction(2))
    tails = np.array([1.0, tail(-1), tail(0), tail(1), tail(2), 0.0])
    probabilities = -np.diff(tails)
    for lag in (1, 2, BLOCK):
        pairs = 5 * cells[:-lag:2] + cells[lag::2][: cells[:-lag:2].size]
        assert_fits(
            np.bincount(pairs, minlength=25), np.outer(probabilities, probabilities).ravel()
        )


def test_requests_of_any_size_are_filled() -> None:
    entropy = InsecureSeededEntropy(110)
    for size in (0, 1, 2, 17, BLOCK - 1, BLOCK, BLOCK + 1):
        for sampler, _ in SMALL_NOISE:
            assert sampler(Fraction(3, 2), size, entropy).shape == (size,)
        assert categorical([1, 2], size, entropy).shape == (size,)


WEIGHTS = [0, 3, 1, 0, 6, 0]

DRAWERS: dict[str, Callable[[Entropy], object]] = {
    "laplace": lambda entropy: discrete_laplace(Fraction(70, 3), 400, entropy).tolist(),
    "narrow laplace": lambda entropy: discrete_laplace(Fraction(3, 70), 400, entropy).tolist(),
    "wide laplace": lambda entropy: discrete_laplace(Fraction(2**53), 400, entropy).tolist(),
    "rounded": lambda entropy: rounded_laplace(Fraction(7, 3), 400, entropy).tolist(),
    "gaussian": lambda entropy: discrete_gaussian(Fraction(100), 400, entropy).tolist(),
    "wide gaussian": lambda entropy: discrete_gaussian(Fraction(10**7, 3), 400, entropy).tolist(),
    "narrow gaussian": lambda entropy: discrete_gaussian(Fraction(1, 99), 400, entropy).tolist(),
    "categorical": lambda entropy: categorical(WEIGHTS, 400, entropy).tolist(),
    "multinomial": lambda entropy: multinomial(400, WEIGHTS, entropy).tolist(),
    "urn": lambda entropy: polya_urn(WEIGHTS, 2, 400, entropy).tolist(),
    "choice": lambda entropy: [
        exponential_choice([Fraction(k * k, 7) for k in range(9)], entropy) for _ in range(50)
    ],
}


@pytest.mark.parametrize("name", DRAWERS)
def test_wide_lanes_give_the_same_draws(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = DRAWERS[name](InsecureSeededEntropy(111))
    monkeypatch.setattr(randomness, "LANE_LIMIT", 1)
    assert DRAWERS[name](InsecureSeededEntropy(111)) == narrow


@pytest.mark.parametrize("unit", [1, 10**30])
def test_categorical_has_its_law(unit: int) -> None:
    drawn = categorical([unit * w for w in WEIGHTS], DRAWS // 4, InsecureSeededEntropy(112))
    assert_fits(np.bincount(drawn, minlength=6), np.array(WEIGHTS) / 10)


def test_categorical_is_exact_on_short_words(monkeypatch: pytest.MonkeyPatch) -> None:
    masses, undecided = enumerate_law(
        lambda entropy: int(categorical(WEIGHTS, 1, entropy)[0]), 10, 1, monkeypatch
    )
    assert undecided == 0
    assert masses == {1: Fraction(3, 10), 2: Fraction(1, 10), 4: Fraction(6, 10)}


def test_multinomial_is_exact_on_short_words(monkeypatch: pytest.MonkeyPatch) -> None:
    masses, undecided = enumerate_law(
        lambda entropy: tuple(multinomial(3, [1, 0, 2, 1], entropy).tolist()), 4, 3, monkeypatch
    )
    chances = [Fraction(w, 4) for w in (1, 0, 2, 1)]
    assert undecided == 0
    assert masses == {
        counts: Fraction(factorial(3), prod(map(factorial, counts)))
        * prod(p**m for p, m in zip(chances, counts, strict=True))
        for counts in product(range(4), repeat=4)
        if sum(counts) == 3 and counts[1] == 0
    }


@pytest.mark.parametrize("unit", [1, 10**25])
def test_large_multinomial_fits(unit: int) -> None:
    weights = np.array([k % 7 for k in range(300)])
    counts = multinomial(DRAWS, [unit * int(w) for w in weights], InsecureSeededEntropy(113))
    assert counts.sum() == DRAWS
    assert_fits(counts, weights / weights.sum())


@pytest.mark.parametrize(
    "exponents",
    [
        ["0", "-1/2", "-1", "1/3", "3/2", "-7/3"],
        ["1000000", "999999", "2999999/3", "0"],
        ["-5", "-5", "-6"],
        ["1/1000000007", "1/998244353", "-1/3"],
    ],
)
def test_exponential_choice_has_its_law(exponents: Sequence[str]) -> None:
    values = [Fraction(text) for text in exponents]
    entropy = InsecureSeededEntropy(114)
    chosen = [exponential_choice(values, entropy) for _ in range(6000)]
    weights = np.array([exp(value - max(values)) for value in values])
    assert_fits(np.bincount(chosen, minlength=len(values)), weights / weights.sum())


def test_exponential_choice_of_a_dominating_candidate_is_quick() -> None:
    candidates = 20_000
    exponents = [Fraction(-index % 100, 7) - 100 for index in range(candidates)]
    exponents[1234] = Fraction(0)
    entropy = CountedEntropy(115)
    # Another candidate is chosen with probability below 20 000 · exp(-85) < 1e-30.
    assert {exponential_choice(exponents, entropy) for _ in range(3)} == {1234}
    # A proposal takes about 3 words; 21 rounds of as many proposals as candidates fail with
    # probability exp(-21) each, or 1e-9.
    assert entropy.given < 3 * (21 * candidates + 2 * BLOCK) * 4


def test_exponential_choice_of_one_candidate() -> None:
    assert exponential_choice([Fraction(-(10**9), 3)], InsecureSeededEntropy(1)) == 0


@pytest.mark.parametrize("draws", [0, 1, 2, 3, 4, 5])
def test_hypergeometric_is_exact_on_short_words(
    draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    counts = np.array([2, 0, 1, 2])
    masses, undecided = enumerate_law(
        lambda entropy: tuple(hypergeometric_subset(counts, draws, entropy).tolist()),
        5,
        5,
        monkeypatch,
    )
    assert undecided <= Fraction(1, 5**4)
    # The records are interchangeable, so what is decided has the very proportions of the law.
    assert masses == {
        subset: (1 - undecided)
        * Fraction(prod(comb(n, m) for n, m in zip(counts.tolist(), subset, strict=True)))
        / comb(5, draws)
        for subset in product(range(3), repeat=4)
        if sum(subset) == draws and all(m <= n for n, m in zip(counts, subset, strict=True))
    }


@pytest.mark.parametrize("draws", [300, 1900])
def test_large_hypergeometric_has_its_law(draws: int) -> None:
    entropy = InsecureSeededEntropy(116)
    counts = np.array([500, 0, 1500])
    subsets = np.array([hypergeometric_subset(counts, draws, entropy) for _ in range(3000)])
    assert not subsets[:, 1].any()
    assert (subsets.sum(axis=1) == draws).all()
    law = stats.hypergeom(2000, 500, draws).pmf(np.arange(501))
    assert_fits(np.bincount(subsets[:, 0], minlength=501), law)


def test_a_few_records_of_a_huge_table() -> None:
    counts = np.array([2**61, 2**61, 2**62 - 1])
    subset = hypergeometric_subset(counts, 50_000, InsecureSeededEntropy(117))
    # So few records of so many repeat with probability below 1e-9: multinomial to that precision.
    assert_fits(subset, np.array([0.25, 0.25, 0.5]))


def _urn_law(
    weights: tuple[int, ...], increment: int, draws: int
) -> dict[tuple[int, ...], Fraction]:
    """Follow the urn draw by draw; the counts so far determine what it holds."""
    law = {(0,) * len(weights): Fraction(1)}
    for drawn in range(draws):
        after: defaultdict[tuple[int, ...], Fraction] = defaultdict(Fraction)
        total = sum(weights) + increment * drawn
        for counts, mass in law.items():
            for cell, weight in enumerate(weights):
                if held := weight + increment * counts[cell]:
                    more = (*counts[:cell], counts[cell] + 1, *counts[cell + 1 :])
                    after[more] += mass * Fraction(held, total)
        law = dict(after)
    return law


@pytest.mark.parametrize(
    ("weights", "increment", "draws"),
    [
        ((1, 1), 2, 4),
        ((1, 0, 2), 3, 4),
        ((2, 1), 1, 4),
        ((2, 3), 4, 3),
        ((2,), 1, 3),
        ((1, 1), 1, 5),
    ],
)
def test_urn_is_exact(weights: tuple[int, ...], increment: int, draws: int) -> None:
    # Words below its bound give a lane that very number: all combinations are the ideal dice.
    dice = [range(sum(weights) + increment * earlier) for earlier in range(draws)]
    rolls = list(product(*dice))
    outcomes = Counter(
        tuple(polya_urn(weights, increment, draws, ScriptedEntropy(roll)).tolist())
        for roll in rolls
    )
    masses = {counts: Fraction(times, len(rolls)) for counts, times in outcomes.items()}
    assert masses == _urn_law(weights, increment, draws)


@pytest.mark.parametrize("unit", [1, 10**25])
def test_a_long_urn_has_its_law(unit: int) -> None:
    entropy = InsecureSeededEntropy(118)
    counts = np.array([polya_urn([unit, unit], unit, 200, entropy) for _ in range(5000)])
    assert (counts.sum(axis=1) == 200).all()
    # From one ball of each of two colours, every count is equally likely (Laplace's succession).
    assert_fits(np.bincount(counts[:, 0], minlength=201), np.full(201, 1 / 201))


def test_permutation_is_exact_on_short_words(monkeypatch: pytest.MonkeyPatch) -> None:
    masses, undecided = enumerate_law(
        lambda entropy: tuple(permutation(3, entropy).tolist()), 4, 3, monkeypatch
    )
    # Of 64 triples of words, 24 have no tie: four for each order.
    assert undecided == Fraction(40, 64)
    assert masses == {order: Fraction(4, 64) for order in permutations(range(3))}


def test_permutations_of_full_words() -> None:
    entropy = InsecureSeededEntropy(119)
    orders = Counter(tuple(permutation(4, entropy).tolist()) for _ in range(6000))
    observed = np.array([orders[order] for order in permutations(range(4))])
    assert_fits(observed, np.full(24, 1 / 24))
    assert sorted(permutation(50_000, entropy).tolist()) == list(range(50_000))
    assert permutation(0, entropy).tolist() == []
    assert permutation(1, entropy).tolist() == [0]


@pytest.mark.parametrize("sampler", [discrete_laplace, discrete_gaussian, rounded_laplace])
@pytest.mark.parametrize("parameter", [0, -1, Fraction(-1, 3), 1.5, float("nan"), "1", True, None])
def test_parameters_of_noise_are_positive_rationals(sampler: Sampler, parameter: object) -> None:
    with pytest.raises(InputError):
        sampler(parameter, 1, InsecureSeededEntropy(1))


def test_noise_too_wide_for_its_lanes_is_refused() -> None:
    entropy = InsecureSeededEntropy(1)
    for sampler in (discrete_laplace, rounded_laplace):
        with pytest.raises(InputError):
            sampler(Fraction(2**53) + TINY, 1, entropy)
    with pytest.raises(InputError):
        discrete_gaussian(Fraction(2**104) + TINY, 1, entropy)


@pytest.mark.parametrize("size", [-1, 2.0, True, None])
def test_sizes_are_nonnegative_integers(size: int) -> None:
    entropy = InsecureSeededEntropy(1)
    for sampler, _ in SMALL_NOISE:
        with pytest.raises(InputError):
            sampler(Fraction(1), size, entropy)
    requests: list[Callable[[], object]] = [
        lambda: categorical([1], size, entropy),
        lambda: multinomial(size, [1], entropy),
        lambda: hypergeometric_subset([1], size, entropy),
        lambda: polya_urn([1], 1, size, entropy),
        lambda: permutation(size, entropy),
    ]
    for draw in requests:
        with pytest.raises(InputError):
            draw()


@pytest.mark.parametrize(
    "weights", [[], [0, 0], [1, -41], [0.41, 1], [True, 1], [None], np.array([0.41]), ["41"]]
)
def test_weights_are_nonnegative_integers_and_never_told(weights: Sequence[int]) -> None:
    entropy = InsecureSeededEntropy(1)
    requests: list[Callable[[], object]] = [
        lambda: categorical(weights, 1, entropy),
        lambda: multinomial(1, weights, entropy),
        lambda: polya_urn(weights, 1, 1, entropy),
        lambda: hypergeometric_subset(weights, 1, entropy),
    ]
    for draw in requests:
        with pytest.raises(InputError) as caught:
            draw()
        assert "41" not in str(caught.value)


def test_numpy_weights_are_taken() -> None:
    entropy = InsecureSeededEntropy(1)
    assert multinomial(5, np.array([0, 2**62, 0]), entropy).tolist() == [0, 5, 0]
    assert polya_urn(np.array([0, 2**62]), 2**62, 5, entropy).tolist() == [0, 5]
    # Two weights whose sum does not fit 64 bits must not wrap.
    pair = multinomial(1000, np.array([2**63 - 1, 2**63 - 1]), entropy)
    assert min(pair) > 300


def test_parameters_just_beyond_a_lane_do_not_overflow() -> None:
    entropy = InsecureSeededEntropy(120)
    for power in (31, 32, 61, 62, 63, 64, 65):
        for large in (2**power - 1, 2**power, 2**power + 1):
            for sampler, _ in SMALL_NOISE:
                for parameter in (Fraction(1, large), Fraction(large, large + 1)):
                    for size in (1, 20):
                        assert np.abs(sampler(parameter, size, entropy)).max() < 100
            for draws in (0, 1, 2, 20):
                assert polya_urn([large, large], 1, draws, entropy).sum() == draws
                assert polya_urn([1, 1], large, draws, entropy).sum() == draws
                assert multinomial(draws, [1, large], entropy).sum() == draws
            assert exponential_choice([Fraction(1, large), -large], entropy) == 0
            assert exponential_choice([large, 2 * large], entropy) == 1


def test_other_wrong_requests_are_refused() -> None:
    entropy = InsecureSeededEntropy(1)
    with pytest.raises(InputError):
        hypergeometric_subset([41, 1], 43, entropy)
    with pytest.raises(InputError):
        hypergeometric_subset([2**62, 2**62], 1, entropy)
    for increment in (0, -1, 1.0):
        with pytest.raises(InputError):
            polya_urn([1], increment, 1, entropy)
    for exponents in ([], [0.41], [Fraction(1), None], [float("nan")]):
        with pytest.raises(InputError) as caught:
            exponential_choice(exponents, entropy)
        assert "41" not in str(caught.value)
