"""The rules of selection against mechanisms whose chances are worked out in full here.

With e^rate = t rational, the chances of the exponential mechanism and of permute-and-flip are
fractions; those of continuous noise are integrals of sums of powers of e, piece by piece.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.entries import BoundedRangeLoss, Entry, RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Judgment, LossList, Private, Stable
from proofs.kernel import prove
from proofs.losses import ResponseLoss
from proofs.parameters import plain
from proofs.profiles.entry_moments import largest
from proofs.rules import RULES, selection
from proofs.rules.rule import Conclusion, Rule
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit, databases, neighbour_pairs
from synthesizers.queries import CellCounts, Marginal, ModelError, Query, answers_of_histograms
from synthesizers.queries import Sensitivity as Moves
from synthesizers.selection import Exponential

mpmath.mp.dps = 40
SLACK = 1 + mpmath.mpf(10) ** -25
Scores = tuple[int, ...]
TINY = Fraction(1, 10**30)
RELATIONS: list[AddRemove | ReplaceOne] = [
    AddRemove(),
    ReplaceOne(),
    AddRemove(Unit("person", 2)),
    ReplaceOne(Unit("person", 2)),
]


def stable(monotone: bool = False, linf: Any = 1, integers: bool = True) -> Stable:
    move = Fraction(linf)
    norms = (None, 9 * move, 9 * move * move, move)
    return Stable(AddRemove(), *norms, monotone, integers)


def apply(rule: str, *judgments: Judgment, **given: Any) -> Conclusion:
    return RULES[rule].apply(judgments, plain(given))


def proved(conclusion: Conclusion) -> Any:
    assert isinstance(conclusion.judgment, Private)
    return conclusion.judgment.guarantee


def loss_of(conclusion: Conclusion) -> Entry:
    """The one loss of a selection."""
    guarantee = proved(conclusion)
    assert isinstance(guarantee, LossList)
    ((count, entry),) = guarantee.losses
    assert count == 1
    return entry


def epsilon_of(rule: str, *judgments: Judgment, **given: Any) -> Fraction:
    """The ε that is read off as a pure one; less than it is refused."""
    found = apply(rule, *judgments, **given)
    kind = BoundedRangeLoss if rule == "exponential" else ResponseLoss
    assert isinstance(loss_of(found), kind)
    epsilon = largest(loss_of(found))
    point = {"method": "sum", "delta": 0, "hints": {}}
    read = apply("to-approx", found.judgment, epsilon=epsilon, **point)
    assert proved(read) == ApproxDP(epsilon)
    if epsilon:
        with pytest.raises(ProofError):
            apply("to-approx", found.judgment, epsilon=epsilon * (1 - TINY), **point)
    return epsilon


def zcdp(losses: LossList, rho: Fraction) -> bool:
    """Whether ρ-zCDP is proved of a mechanism with some losses."""
    premise = Private(AddRemove(), losses)
    try:
        return bool(proved(apply("to-zcdp", premise, rho=rho)) == ZCDP(rho))
    except ProofError:
        return False


def exponential_rho(rate: Any, monotone: bool = False, move: int = 1) -> Fraction:
    """ε²/8 of the exponential mechanism: proved, and nothing smaller."""
    losses = proved(apply("exponential", stable(monotone, move), rate=rate))
    rho = (Fraction(rate) * (1 if monotone else 2) * move) ** 2 / 8
    assert zcdp(losses, rho) and not zcdp(losses, rho * (1 - TINY))
    return rho


def moves(candidates: int, monotone: bool, largest: int = 1) -> Iterator[Scores]:
    """Every difference that neighbours' scores may have, one of each pair ±d at least."""
    least = 0 if monotone else -largest
    return itertools.product(range(least, largest + 1), repeat=candidates)


def pairs(candidates: int, monotone: bool, spread: int) -> Iterator[tuple[Scores, Scores]]:
    """Ordered pairs of neighbours' scores; adding a number to all scores changes no law here."""
    for scores in itertools.product(range(spread + 1), repeat=candidates):
        if min(scores) == 0:
            for move in moves(candidates, monotone):
                other = tuple(score + step for score, step in zip(scores, move, strict=True))
                yield scores, other
                yield other, scores


def worst_ratio(law: Callable[[Scores], Sequence[Any]], found: Iterable[tuple[Any, Any]]) -> Any:
    """The largest ratio of an outcome's chances over some pairs of scores."""
    ratios = (zip(law(left), law(right), strict=True) for left, right in found)
    return max(first / second for pair in ratios for first, second in pair)


def exponential_law(base: Fraction) -> Callable[[Scores], list[Fraction]]:
    def law(scores: Scores) -> list[Fraction]:
        weights = [base**score for score in scores]
        return [weight / sum(weights) for weight in weights]

    return law


def flip_law(base: Fraction) -> Callable[[Scores], list[Fraction]]:
    """Permute-and-flip by visiting every order of the candidates."""

    @cache
    def law(scores: Scores) -> list[Fraction]:
        chances = [Fraction(0)] * len(scores)
        orders = list(itertools.permutations(range(len(scores))))
        for order in orders:
            reached = Fraction(1, len(orders))
            for candidate in order:
                heads = base ** (scores[candidate] - max(scores))
                chances[candidate] += reached * heads
                reached *= 1 - heads
            assert reached == 0
        return chances

    return law


# --- continuous noise: on a piece [n, n + 1] every factor is a sum of c·e^(kx) -------------------

Terms = dict[float, Any]
Factor = Callable[[float], Terms]


def laplace(kind: str, rate: float, centre: int) -> Factor:
    """The density, or the chance of being below or above x, of Laplace noise around a centre."""

    def terms(piece: float) -> Terms:
        left = piece < centre
        power = rate if left else -rate
        tail = {power: mpmath.exp(-power * centre) / 2}
        if kind == "density":
            return {power: rate * tail[power]}
        return tail if left == (kind == "below") else {0: mpmath.mpf(1), power: -tail[power]}

    return terms


def one_sided(kind: str, rate: float, centre: int) -> Factor:
    """The same for exponential noise, which is never negative."""

    def terms(piece: float) -> Terms:
        tail = mpmath.exp(rate * centre)
        if piece < centre:
            return {0: mpmath.mpf(kind == "above")}
        if kind == "density":
            return {-rate: rate * tail}
        return {-rate: tail} if kind == "above" else {0: mpmath.mpf(1), -rate: -tail}

    return terms


def integral(factors: Sequence[Factor], low: int, high: int) -> Any:
    """The integral of a product over the real line; no centre lies outside low … high."""
    ends = [-math.inf, *range(low, high + 1), math.inf]
    total = mpmath.mpf(0)
    for start, end in itertools.pairwise(ends):
        product: Terms = {0: mpmath.mpf(1)}
        for factor in factors:
            grown: Terms = {}
            for power, value in product.items():
                for other, weight in factor(low - 1 if start == -math.inf else start).items():
                    grown[power + other] = grown.get(power + other, 0) + value * weight
            product = grown
        for power, value in product.items():
            if power:
                at = [0 if abs(x) == math.inf else mpmath.exp(power * x) for x in (start, end)]
                total += value * (at[1] - at[0]) / power
            elif value:
                total += value * (end - start)
    return total


def noisy_max_law(
    noise: Callable[[str, float, int], Factor], rate: float = 1
) -> Callable[[Scores], list[Any]]:
    """The chance of each candidate to have the largest noisy score, with noise of scale 1/rate."""

    @cache
    def law(scores: Scores) -> list[Any]:
        low, high = min(scores), max(scores)
        return [
            integral(
                [noise("below" if j != i else "density", rate, s) for j, s in enumerate(scores)],
                low,
                high,
            )
            for i in range(len(scores))
        ]

    return law


REACH = 55
"""Discrete noise beyond this is left out: below 2^-54 of all of it, for a base of 2 or more."""


def discrete_law(base: int, ties: str) -> Callable[[Scores], list[Fraction]]:
    """Noisy max with P[z] ∝ base^-|z|; ties go to the first, or by a fair coin."""
    norm = Fraction(base - 1, base + 1)

    def at(z: int) -> Fraction:
        return norm / Fraction(base ** abs(z))

    def below(z: int) -> Fraction:
        """The chance of noise under z."""
        tail = Fraction(1, base ** abs(z - 1)) / (base + 1)
        return 1 - tail if z > 0 else tail * base

    @cache
    def law(scores: Scores) -> list[Fraction]:
        chances = [Fraction(0)] * len(scores)
        for top in range(-REACH, REACH):
            for tied in itertools.product((False, True), repeat=len(scores)):
                if not any(tied):
                    continue
                factors = zip(scores, tied, strict=True)
                each = [at(top - s) if on else below(top - s) for s, on in factors]
                chance = math.prod(each, start=Fraction(1))
                winners = [i for i, on in enumerate(tied) if on]
                for i in winners[:1] if ties == "first" else winners:
                    chances[i] += chance / (1 if ties == "first" else len(winners))
        return chances

    return law


# --- the exponential mechanism -------------------------------------------------------------------


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("base", [Fraction(11, 10), Fraction(7)])
def test_no_scores_lose_more_than_the_exponential_rule(base: Fraction, monotone: bool) -> None:
    steps = int(epsilon_of("exponential", stable(monotone), rate=1))
    for candidates, spread in ((2, 6), (3, 3)):
        found = pairs(candidates, monotone, spread)
        assert worst_ratio(exponential_law(base), found) <= base**steps


@pytest.mark.parametrize(("monotone", "other"), [(False, (1, -1)), (True, (1, 0))])
def test_the_exponential_rule_is_attained_in_the_limit(monotone: bool, other: Scores) -> None:
    base, steps = Fraction(2), int(epsilon_of("exponential", stable(monotone), rate=1))
    low = (-60, 0)
    moved = (low[0] + other[0], low[1] + other[1])
    ratio = worst_ratio(exponential_law(base), [(moved, low)])
    assert base**steps * (1 - Fraction(1, 10**15)) < ratio < base**steps


@pytest.mark.parametrize("law", [exponential_law(Fraction(3)), flip_law(Fraction(3))])
def test_moves_both_ways_lose_more_than_the_factor_of_monotone_scores(
    law: Callable[[Scores], list[Fraction]],
) -> None:
    both, one_way = (worst_ratio(law, pairs(2, monotone, 6)) for monotone in (False, True))
    assert one_way <= 3 < both


@given(
    scores=st.lists(st.integers(0, 8), min_size=1, max_size=4),
    steps=st.lists(st.integers(-2, 2), min_size=4, max_size=4),
    base=st.fractions(Fraction(11, 10), 9, max_denominator=10),
)
def test_any_scores_keep_the_proved_epsilon(
    scores: list[int], steps: list[int], base: Fraction
) -> None:
    left = tuple(scores)
    right = tuple(score + step for score, step in zip(scores, steps, strict=False))
    moved = [step for _, step in zip(scores, steps, strict=False)]
    one_way = min(moved) >= 0 or max(moved) <= 0
    premise = stable(one_way, max(map(abs, moved)))
    for rule, law in (("exponential", exponential_law), ("permute-and-flip", flip_law)):
        bound = base ** int(epsilon_of(rule, premise, rate=1))
        assert worst_ratio(law(base), [(left, right), (right, left)]) <= bound


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize(
    ("cells", "query"),
    [
        ("3", Marginal(("cell",))),
        ("3", CellCounts((2, 0))),
        ("2x2", ModelError((Marginal(("a1",)), Marginal(("a2",))), ((1, 1), (2, 0)))),
    ],
)
def test_no_real_tables_lose_more_than_the_rules(
    neighbours: AddRemove | ReplaceOne, cells: str, query: Query
) -> None:
    domain = Domain.from_cells(cells)
    found = query.sensitivity(domain, neighbours)
    norms = (Fraction(found.l1), Fraction(found.l2_squared), Fraction(found.linf))
    scores = Stable(neighbours, None, *norms, found.monotone, True)
    rows = databases(neighbours, domain.size, 3)
    answers = [tuple(row) for row in answers_of_histograms(query, domain, rows).tolist()]
    near = [(answers[i], answers[j]) for i, j in neighbour_pairs(neighbours, rows).tolist()]
    both = near + [(right, left) for left, right in near]
    for rule, law in (("exponential", exponential_law), ("permute-and-flip", flip_law)):
        bound = Fraction(2) ** int(epsilon_of(rule, scores, rate=1))
        assert worst_ratio(law(Fraction(2)), both) <= bound


@pytest.mark.parametrize("monotone", [False, True])
def test_the_rules_cost_what_the_law_of_the_curator_costs(monotone: bool) -> None:
    rate = Fraction(3, 7)
    cost = Exponential(rate).cost(Moves(9, 45, 5, monotone))
    scores = stable(monotone, 5)
    assert epsilon_of("exponential", scores, rate=rate) == cost.epsilon
    assert exponential_rho(rate, monotone, 5) == cost.rho


# --- zCDP ----------------------------------------------------------------------------------------


def renyi(order: Any, left: Sequence[Any], right: Sequence[Any]) -> Any:
    """D_α of two finite laws; α = 1 is the Kullback-Leibler divergence."""
    logs = [mpmath.log(p) - mpmath.log(q) for p, q in zip(left, right, strict=True)]
    if order == 1:
        return mpmath.fsum(p * loss for p, loss in zip(left, logs, strict=True))
    powers = (p * mpmath.exp((order - 1) * loss) for p, loss in zip(left, logs, strict=True))
    return mpmath.log(mpmath.fsum(powers)) / (order - 1)


def real_law(rate: Any) -> Callable[[Scores], list[Any]]:
    def law(scores: Scores) -> list[Any]:
        weights = [mpmath.exp(rate * score) for score in scores]
        return [weight / mpmath.fsum(weights) for weight in weights]

    return law


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(3)])
def test_no_scores_lose_more_than_the_rho_of_their_range(rate: Fraction, monotone: bool) -> None:
    rho = exponential_rho(rate, monotone)
    bound = mpmath.mpf(rho.numerator) / rho.denominator
    law = cache(real_law(mpmath.mpf(rate.numerator) / rate.denominator))
    for left, right in pairs(3, monotone, 2):
        for order in (1, 1.01, 2, 5, 40):
            assert renyi(order, law(left), law(right)) <= order * bound * SLACK


def test_the_rho_of_a_range_is_attained_in_the_limit_of_small_rates() -> None:
    rho = exponential_rho("0.001")
    law = real_law(mpmath.mpf("0.001"))
    assert renyi(1, law((0, 1)), law((1, 0))) > 0.999999 * float(rho)


def test_an_eighth_of_the_square_holds_for_the_exponential_mechanism_alone() -> None:
    # ε = 1 throughout; ε²/8 = 0.125 bounds the divergence of order 1 where it holds.
    half = mpmath.mpf(1) / 2
    assert exponential_rho("0.5") == Fraction(1, 8)
    law = real_law(half)
    assert max(renyi(1, law(p), law(q)) for p, q in pairs(2, False, 5)) < 0.125
    # Scores (0, 0) and (1, -1), by the definitions: two fair coins, or one head alone.
    flipped = [1 - mpmath.exp(-1) / 2, mpmath.exp(-1) / 2]
    found = renyi(1, [half, half], flipped)
    assert mpmath.nstr(found, 3) == "0.255"
    assert epsilon_of("permute-and-flip", stable(), rate="0.5") == 1
    assert epsilon_of("noisy-max", stable(), noise="exponential", scale=2) == 1
    # Their ρ is that of ε-DP, ε·tanh(ε/2) = 0.4621…
    for rule, own in (
        ("permute-and-flip", {"rate": "0.5"}),
        ("noisy-max", {"noise": "exponential", "scale": 2}),
    ):
        losses = proved(apply(rule, stable(), **own))
        assert zcdp(losses, Fraction("0.4622")) and not zcdp(losses, Fraction("0.4621"))
    assert found < 0.4621


ORDERS = (Fraction(101, 100), Fraction(3, 2), Fraction(2), Fraction(5), Fraction(40))


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("rate", [Fraction(1, 10), Fraction(1, 2), Fraction(3)])
def test_no_scores_lose_more_than_the_renyi_curve_of_their_range(
    rate: Fraction, monotone: bool
) -> None:
    premise = apply("exponential", stable(monotone), rate=rate).judgment
    law = cache(real_law(mpmath.mpf(rate.numerator) / rate.denominator))
    for order in ORDERS:
        found = [
            renyi(mpmath.mpf(order.numerator) / order.denominator, law(left), law(right))
            for left, right in pairs(3, monotone, 2)
        ]
        least = least_renyi(premise, order)
        assert max(found) <= mpmath.mpf(least.numerator) / least.denominator * SLACK


def least_renyi(premise: Judgment, order: Fraction) -> Fraction:
    """The smallest ε of nine decimals at an order that is read off."""

    def holds(epsilon: Fraction) -> bool:
        try:
            found = proved(apply("to-renyi", premise, orders=[order], epsilons=[epsilon]))
        except ProofError:
            return False
        assert found == RenyiCurve(((order, epsilon),))
        return True

    low, high = -1, 10**11
    assert holds(Fraction(high, 10**9))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(Fraction(middle, 10**9)) else (middle, high)
    return Fraction(high, 10**9)


def test_the_curve_of_a_range_is_the_smaller_of_two_bounds() -> None:
    """α·ε²/8 at low orders, and that of randomised response of ε at high ones."""
    premise = apply("exponential", stable(), rate="0.5").judgment
    assert abs(least_renyi(premise, Fraction(2)) - Fraction(2, 8)) <= Fraction(1, 10**9)
    response = [1 / (1 + mpmath.exp(-1)), 1 / (1 + mpmath.exp(1))]
    far = renyi(mpmath.mpf(40), response, response[::-1])
    assert far < 40 / mpmath.mpf(8)
    assert abs(least_renyi(premise, Fraction(40)) - Fraction(str(far))) <= Fraction(2, 10**9)


def test_ranges_of_several_selections_add_up() -> None:
    """Two choices, the second by the first's answer, against ε²/8 each."""
    rate = Fraction(1, 2)
    losses = proved(apply("exponential", stable(), rate=rate))
    premise = Private(AddRemove(), losses)
    both = apply("compose", premise, premise).judgment
    assert proved(apply("to-zcdp", both, rho="1/4")) == ZCDP(Fraction(1, 4))
    law = real_law(mpmath.mpf(1) / 2)
    near = [((0, 0), (1, -1)), ((0, 1), (1, 0)), ((2, 0), (1, 1))]
    for first, second, third in itertools.product(near, repeat=3):
        left, right = (
            [
                one * other
                for place, one in enumerate(law(first[side]))
                for other in law((second, third)[place][side])
            ]
            for side in (0, 1)
        )
        for order in (1, 2, 5, 40):
            assert renyi(order, left, right) <= order / mpmath.mpf(4) * SLACK


def test_laplace_noise_exceeds_an_eighth_of_the_square_too() -> None:
    assert epsilon_of("noisy-max", stable(), noise="laplace", scale=2) == 1
    law = noisy_max_law(laplace, rate=0.5)
    assert renyi(1, law((0, 0, 0)), law((1, -1, -1))) > 0.125


# --- noisy max -----------------------------------------------------------------------------------


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("noise", ["laplace", "exponential"])
def test_no_scores_lose_more_than_the_noisy_max_rule(noise: str, monotone: bool) -> None:
    steps = int(epsilon_of("noisy-max", stable(monotone), noise=noise, scale=1))
    law = noisy_max_law(laplace if noise == "laplace" else one_sided)
    for candidates, spread in ((2, 4), (3, 2)):
        found = pairs(candidates, monotone, spread)
        assert worst_ratio(law, found) <= mpmath.exp(steps) * SLACK


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("ties", ["first", "coin"])
def test_no_ties_lose_more_than_the_noisy_max_rule(ties: str, monotone: bool) -> None:
    given = {"noise": "discrete-laplace", "scale": 1}
    steps = int(epsilon_of("noisy-max", stable(monotone), **given))
    for base, candidates, spread in ((2, 2, 4), (9, 2, 4), (2, 3, 1)):
        worst = worst_ratio(discrete_law(base, ties), pairs(candidates, monotone, spread))
        assert worst <= Fraction(base) ** steps * (1 + Fraction(1, 2**40))


@pytest.mark.parametrize("monotone", [False, True])
def test_the_noisy_max_rule_is_attained_by_exponential_noise(monotone: bool) -> None:
    steps = int(epsilon_of("noisy-max", stable(monotone), noise="exponential", scale=1))
    worst = worst_ratio(noisy_max_law(one_sided), pairs(2, monotone, 3))
    assert abs(worst / mpmath.exp(steps) - 1) < 1e-25


@pytest.mark.parametrize("ties", ["first", "coin"])
def test_the_noisy_max_rule_is_nearly_attained_by_discrete_noise(ties: str) -> None:
    # A candidate that falls far behind while all others move up: only the tails matter.
    law = discrete_law(2, ties)
    assert worst_ratio(law, [((0, 20, 20), (-1, 21, 21))]) > 4 * Fraction(9, 10)


def test_exponential_noise_and_permute_and_flip_are_one_mechanism() -> None:
    for scores in itertools.product(range(4), repeat=3):
        found = noisy_max_law(one_sided)(scores)
        wanted = real_flips(scores)
        assert all(abs(p - q) < 1e-30 for p, q in zip(found, wanted, strict=True))


def real_flips(scores: Scores) -> list[Any]:
    chances = [mpmath.mpf(0)] * len(scores)
    for order in itertools.permutations(range(len(scores))):
        reached = mpmath.mpf(1) / math.factorial(len(scores))
        for candidate in order:
            heads = mpmath.exp(scores[candidate] - max(scores))
            chances[candidate] += reached * heads
            reached *= 1 - heads
    return chances


def test_discrete_noise_on_fractional_scores_is_refused_because_its_loss_is_larger() -> None:
    # Scores (0, 0) and (-1/10, 1/10): a tie, which the first candidate wins, goes to the second.
    tied = Fraction(1, 3) ** 2 * Fraction(5, 3)
    assert sum((Fraction(1, 3) / 2 ** abs(z)) ** 2 for z in range(-60, 60)) == pytest.approx(tied)
    before, after = (1 - tied) / 2, (1 + tied) / 2
    assert after / before > Fraction(2) ** 1 * Fraction(7, 10) > 2 ** (2 / 10)
    with pytest.raises(ProofError, match="integer scores"):
        apply(
            "noisy-max",
            stable(linf="1/10", integers=False),
            noise="discrete-laplace",
            scale=1,
        )


@pytest.mark.parametrize("noise", ["gaussian", "gumbel", "rounded-laplace", ""])
def test_noise_without_a_proof_is_refused(noise: str) -> None:
    with pytest.raises(ProofError, match="noise to be one of laplace"):
        apply("noisy-max", stable(), noise=noise, scale=1)


# --- permute and flip ----------------------------------------------------------------------------


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("base", [Fraction(11, 10), Fraction(4)])
def test_no_scores_lose_more_than_permute_and_flip(base: Fraction, monotone: bool) -> None:
    steps = int(epsilon_of("permute-and-flip", stable(monotone), rate=1))
    law = flip_law(base)
    for candidates, spread in ((2, 5), (3, 3)):
        assert worst_ratio(law, pairs(candidates, monotone, spread)) <= base**steps


@pytest.mark.parametrize("monotone", [False, True])
def test_the_rule_of_permute_and_flip_is_attained(monotone: bool) -> None:
    steps = int(epsilon_of("permute-and-flip", stable(monotone), rate=1))
    assert worst_ratio(flip_law(Fraction(4)), pairs(2, monotone, 3)) == 4**steps


# --- sparse vector -------------------------------------------------------------------------------

SVT: dict[str, Any] = {"count": 1, "resampled": False, "releases": "bits"}


def bits(length: int, count: int) -> Iterator[tuple[bool, ...]]:
    """Every output: it ends with the last bit that the count allows, or with the answers."""
    for output in itertools.product((False, True), repeat=length):
        places = [place for place, above in enumerate(output) if above]
        yield output[: places[count - 1] + 1] if len(places) >= count else output


def sparse_law(threshold: int, query: int, count: int) -> Callable[[Scores], list[Any]]:
    """The chances of all outputs; ``threshold`` and ``query`` are the rates of the two noises."""

    @cache
    def law(answers: Scores) -> list[Any]:
        low, high = min(0, *answers), max(0, *answers)
        chances = []
        for output in sorted(set(bits(len(answers), count))):
            known = zip(answers, output, strict=False)
            # An answer is above where its own noise passes what the threshold's left it.
            kept = [laplace("above" if above else "below", query, q) for q, above in known]
            chances.append(integral([laplace("density", threshold, 0), *kept], low, high))
        return chances

    return law


@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(("threshold", "query"), [(1, 1), (1, 2), (2, 1)])
def test_no_answers_lose_more_than_the_sparse_vector_rule(
    threshold: int, query: int, count: int, monotone: bool
) -> None:
    scales = {"threshold_scale": Fraction(1, threshold), "query_scale": Fraction(1, query)}
    epsilon = epsilon_of("sparse-vector", stable(monotone), **{**SVT, "count": count}, **scales)
    assert epsilon == threshold + (1 if monotone else 2) * count * query
    law = sparse_law(threshold, query, count)
    assert abs(mpmath.fsum(law((0, 1, -1))) - 1) < 1e-30
    for length in (2, 3):
        found = list(sparse_pairs(length, monotone))
        assert worst_ratio(law, found) <= mpmath.exp(int(epsilon)) * SLACK


def sparse_pairs(length: int, monotone: bool) -> Iterator[tuple[Scores, Scores]]:
    """Ordered pairs of neighbours' answers, beside a threshold of 0."""
    for answers in itertools.product((-1, 0, 1), repeat=length):
        for move in moves(length, monotone):
            other = tuple(score + step for score, step in zip(answers, move, strict=True))
            yield answers, other
            yield other, answers


def long_run(below: int, above: int, bottoms: int, tops: int = 1) -> Any:
    """Chance of many answers below and some above, each kind at one value, rates 1 and 1."""

    def cdf(x: Any) -> Any:
        return mpmath.exp(x) / 2 if x < 0 else 1 - mpmath.exp(-x) / 2

    def inside(x: Any) -> Any:
        under = mpmath.exp(bottoms * mpmath.log(cdf(x - below)))
        return mpmath.exp(-abs(x)) / 2 * under * cdf(above - x) ** tops

    with mpmath.workdps(20):
        return mpmath.quad(inside, [-60, *range(-10, 31), 40, 100])


def test_the_sparse_vector_rule_is_nearly_attained_by_a_long_run_below() -> None:
    scales = {"threshold_scale": 1, "query_scale": 1}
    epsilon = epsilon_of("sparse-vector", stable(), **SVT, **scales)
    # All answers below rise by 1, the one above falls by 1; rising ones push the threshold up.
    ratio = long_run(0, 0, 10**5) / long_run(1, -1, 10**5)
    assert 0.99 * int(epsilon) < mpmath.log(ratio) < int(epsilon) + 1e-12


def test_a_resampled_threshold_is_refused_because_its_loss_is_larger() -> None:
    scales = {"threshold_scale": 1, "query_scale": 1}
    allowed = epsilon_of("sparse-vector", stable(), **{**SVT, "count": 2}, **scales)
    # With a fresh threshold after each answer above, two runs are independent.
    once = long_run(0, 0, 10**5) / long_run(1, -1, 10**5)
    assert mpmath.log(once**2) > int(allowed)
    with pytest.raises(ProofError, match="drawn once"):
        apply("sparse-vector", stable(), **{**SVT, "count": 2, "resampled": True}, **scales)


def test_released_noisy_answers_are_refused_because_their_loss_has_no_bound() -> None:
    def density(run: int, below: int) -> Any:
        # ``run`` answers below a threshold that the released noisy answer, 0, has passed.
        under = [laplace("below", 1, below)] * run
        released: Factor = one_sided_below
        return integral([laplace("density", 1, 0), released, *under], 0, 1)

    def one_sided_below(piece: float) -> Terms:
        return {0: mpmath.mpf(piece < 0)}

    for run in (1, 5, 20):
        assert abs(mpmath.log(density(run, 0) / density(run, 1)) - run) < 1e-20
    with pytest.raises(ProofError, match="releases to be one of bits"):
        given = {**SVT, "releases": "noisy-answers"}
        apply("sparse-vector", stable(), **given, threshold_scale=1, query_scale=1)


def test_more_answers_above_than_counted_lose_more_than_the_rule() -> None:
    # Without a cut-off, answers above that fall and answers below that rise add up.
    allowed = epsilon_of("sparse-vector", stable(), **SVT, threshold_scale=1, query_scale=1)
    ratio = long_run(0, 0, 20, 20) / long_run(1, -1, 20, 20)
    assert mpmath.log(ratio) > 3 * int(allowed)


@pytest.mark.parametrize("monotone", [False, True])
def test_noise_that_forgets_the_count_is_charged_in_full(monotone: bool) -> None:
    # A published variant splits ε = 1 into 1/4 and 3/4 and leaves the count out of its noise.
    given = {**SVT, "count": 10, "threshold_scale": 4, "query_scale": Fraction(4, 3)}
    found = epsilon_of("sparse-vector", stable(monotone), **given)
    assert found == Fraction(1 + (3 if monotone else 6) * 10, 4)


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": 0},
        {"count": True},
        {"count": "1"},
        {"query_scale": 0},
        {"threshold_scale": 0},
        {"query_scale": "-1"},
        {"resampled": 0},
        {"releases": "indices"},
        {"law": "laplace"},
    ],
)
def test_malformed_sparse_vectors_are_refused(wrong: dict[str, Any]) -> None:
    given = {**SVT, "threshold_scale": 1, "query_scale": 1, **wrong}
    with pytest.raises(ProofError):
        apply("sparse-vector", stable(), **given)


# --- what all of them share ----------------------------------------------------------------------

GIVEN: dict[str, dict[str, Any]] = {
    "exponential": {"rate": "1/3"},
    "noisy-max": {"noise": "laplace", "scale": 3},
    "permute-and-flip": {"rate": "1/3"},
    "sparse-vector": {**SVT, "threshold_scale": 2, "query_scale": 3},
}


@pytest.mark.parametrize("rule", GIVEN)
def test_scores_that_never_move_cost_nothing(rule: str) -> None:
    for monotone in (False, True):
        assert epsilon_of(rule, stable(monotone, 0), **GIVEN[rule]) == 0
        assert zcdp(proved(apply(rule, stable(monotone, 0), **GIVEN[rule])), Fraction(0))


@pytest.mark.parametrize("rule", GIVEN)
def test_conclusions_keep_the_neighbours_and_name_what_they_rest_on(rule: str) -> None:
    for neighbours in RELATIONS:
        one = Fraction(1)
        scores = Stable(neighbours, 1, one, one, one, False, True)
        found = apply(rule, scores, **GIVEN[rule])
        assert isinstance(found.judgment, Private)
        assert found.judgment.neighbours == neighbours
        real = {"real-numbers"} if rule in ("noisy-max", "sparse-vector") else set()
        assert found.hypotheses == BASE | real


def test_discrete_noise_rests_on_no_real_numbers() -> None:
    found = apply("noisy-max", stable(), noise="discrete-laplace", scale=3)
    assert found.hypotheses == BASE


@pytest.mark.parametrize("rule", GIVEN)
def test_rates_and_scales_above_zero_are_needed(rule: str) -> None:
    name = {"noisy-max": "scale", "sparse-vector": "query_scale"}.get(rule, "rate")
    for wrong in (0, "-1/2"):
        with pytest.raises(ProofError, match="above 0"):
            apply(rule, stable(), **{**GIVEN[rule], name: wrong})
    with pytest.raises(ProofError, match="integers"):
        apply(rule, stable(), **{**GIVEN[rule], name: 0.5})


@pytest.mark.parametrize("rule", GIVEN)
def test_other_premises_are_refused(rule: str) -> None:
    for judgments in ((), (stable(), stable()), (apply(rule, stable(), **GIVEN[rule]).judgment,)):
        with pytest.raises(ProofError):
            apply(rule, *judgments, **GIVEN[rule])


@pytest.mark.parametrize("rule", GIVEN)
def test_the_kernel_knows_the_rules_of_selection(rule: str) -> None:
    asked = {"neighbours": AddRemove(), "shape": {"sex": 2}}
    scores = prove("marginal", [], {**asked, "query": {"kind": "marginal", "attributes": ["sex"]}})
    theorem = prove(rule, [scores], GIVEN[rule])
    assert theorem.hypotheses >= BASE
    assert {own.name for own in vars(selection).values() if isinstance(own, Rule)} == set(GIVEN)
