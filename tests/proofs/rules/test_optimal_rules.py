"""Advanced and optimal composition: brute force over all outcomes, printed values, refusals."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Mechanism, Private
from proofs.rules import optimal
from synthesizers.neighbours import ReplaceOne
from tests.proofs.rules.composing import (
    Pair,
    adaptive,
    concluded,
    delta_at,
    guarantee,
    joint,
    worst_excess,
)
from tests.proofs.rules.divergences import TINY, above, accepted, amounts, least, mp, wide

F = Fraction
SMALL = mp(TINY)
MILLIONTH = F(1, 10**6)


def true_delta(parts: list[tuple[Fraction, Fraction]], epsilon: mpmath.mpf) -> mpmath.mpf:
    """The least δ at ε, over every outcome of four of each of the worst mechanisms."""
    laws = []
    for own, delta in parts:
        likely = mp(1 - delta) / (1 + wide.exp(-mp(own)))
        rare = mp(1 - delta) - likely
        laws.append([(mp(delta), wide.mpf(0)), (likely, rare), (rare, likely)])
    total = wide.mpf(0)
    for outcome in itertools.product(*laws):
        p, q = (wide.fprod(chance[side] for chance in outcome) for side in (0, 1))
        total += max(p - wide.exp(epsilon) * q, wide.mpf(0))
    return total


def coins_delta(epsilon: Fraction, count: int, at: mpmath.mpf) -> mpmath.mpf:
    """The least δ at ε of many equal randomised responses, outcome by outcome."""
    likely = 1 / (1 + wide.exp(-mp(epsilon)))
    total = wide.mpf(0)
    for minus in range(count + 1):
        loss = mp((count - 2 * minus) * epsilon)
        if loss > at:
            chance = math.comb(count, minus) * likely ** (count - minus) * (1 - likely) ** minus
            total += chance * (1 - wide.exp(at - loss))
    return total


small = st.fractions(0, 2, max_denominator=9)
failures = st.sampled_from([F(0), F(1, 10**9), F(1, 100), F(1, 3)])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(small, failures), min_size=1, max_size=5), st.fractions(0, 6))
def test_the_heterogeneous_bound_is_what_all_outcomes_add_up_to(
    parts: list[tuple[Fraction, Fraction]], epsilon: Fraction
) -> None:
    truth = true_delta(parts, mp(epsilon))
    given_ = [ApproxDP(*part) for part in parts]

    def attempt(delta: Fraction) -> ApproxDP:
        found: ApproxDP = guarantee(
            "optimal-heterogeneous", given_, epsilon=epsilon, delta=delta, bits=200
        )
        return found

    margin = above(truth * wide.mpf(10) ** -25, 50) + F(1, 10**45)
    enough = above(truth, 50) + margin
    assume(enough < 1)
    assert attempt(enough) == ApproxDP(epsilon, enough)
    if enough > 3 * margin:
        assert not accepted(lambda: attempt(enough - 3 * margin))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(small, failures), min_size=2, max_size=4), st.integers(0, 6), st.data())
def test_coarser_losses_only_weaken_the_bound(
    parts: list[tuple[Fraction, Fraction]], bits: int, data: st.DataObject
) -> None:
    epsilon = data.draw(st.fractions(0, sum((own for own, _ in parts), F(0))))
    truth = true_delta(parts, mp(epsilon))
    assume(truth > mp(F(1, 10**30)))
    below = above(truth, 50) * (1 - F(1, 10**20))
    given_ = [ApproxDP(*part) for part in parts]
    assert not accepted(
        lambda: guarantee("optimal-heterogeneous", given_, epsilon=epsilon, delta=below, bits=bits)
    )


@settings(max_examples=20, deadline=None)
@given(adaptive(), amounts, amounts, st.fractions(0, 8))
def test_the_heterogeneous_bound_holds_for_adaptive_mechanisms(
    both: tuple[Pair, list[Pair]], first: Fraction, second: Fraction, epsilon: Fraction
) -> None:
    parts = [(first, delta_at(first, [both[0]])), (second, delta_at(second, both[1]))]
    assume(max(delta for _, delta in parts) < 1)
    stated = above(true_delta(parts, mp(epsilon)), 40) + F(1, 10**30)
    assume(stated < 1)
    found = guarantee(
        "optimal-heterogeneous",
        [ApproxDP(*part) for part in parts],
        epsilon=epsilon,
        delta=stated,
        bits=200,
    )
    assert worst_excess(wide.exp(mp(found.epsilon)), joint(*both)) <= mp(found.delta) + SMALL


@pytest.mark.parametrize("delta", [F(0), F(1, 10**7), F(1, 5)])
@pytest.mark.parametrize("count", [1, 2, 3, 6])
@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(7, 2)])
def test_the_homogeneous_bound_is_exactly_that_of_randomised_responses(
    epsilon: Fraction, count: int, delta: Fraction
) -> None:
    for drop in range(count // 2 + 1):
        truth = true_delta([(epsilon, delta)] * count, mp((count - 2 * drop) * epsilon))
        enough = above(truth * (1 + wide.mpf(10) ** -30), 55)
        found = concluded(
            "optimal-homogeneous", [ApproxDP(epsilon, delta)], count=count, drop=drop, delta=enough
        ).judgment
        assert isinstance(found, Private)
        assert found.guarantee == ApproxDP((count - 2 * drop) * epsilon, enough)
        assert found.mechanism.parts == ((count, Mechanism.of("M0", {})),)
        short = above(truth * (1 - wide.mpf(10) ** -30), 55)
        if short < enough:
            assert not accepted(
                lambda short=short, drop=drop: guarantee(
                    "optimal-homogeneous",
                    [ApproxDP(epsilon, delta)],
                    count=count,
                    drop=drop,
                    delta=short,
                )
            )


def test_nothing_dropped_of_pure_mechanisms_is_the_plain_sum() -> None:
    found = guarantee("optimal-homogeneous", [ApproxDP(F(1, 10))], count=10, drop=0, delta=0)
    assert found == ApproxDP(F(1))
    nothing = guarantee("optimal-homogeneous", [ApproxDP(F(0))], count=10, drop=3, delta=0)
    assert nothing == ApproxDP(F(0))


@pytest.mark.parametrize("count", [1000, 10**6])
def test_many_runs_are_bounded_tightly(count: int) -> None:
    epsilon, drop = F(1, 2 * math.isqrt(count)), count // 2 - 2 * math.isqrt(count)
    at = (count - 2 * drop) * epsilon
    likely = 1 / (1 + wide.exp(-mp(epsilon)))
    # From the outermost chance that counts inwards: each is the next one's times a ratio.
    inner = drop - 1
    chance = wide.exp(
        wide.loggamma(count + 1)
        - wide.loggamma(inner + 1)
        - wide.loggamma(count - inner + 1)
        + (count - inner) * wide.log(likely)
        + inner * wide.log(1 - likely)
    )
    truth, place = wide.mpf(0), inner
    while place >= 0 and chance > wide.mpf(10) ** -60:
        truth += chance * -wide.expm1(mp(at) - mp((count - 2 * place) * epsilon))
        chance *= wide.mpf(place) / (count - place + 1) * likely / (1 - likely)
        place -= 1
    for factor, holds in ((1 + wide.mpf(10) ** -20, True), (1 - wide.mpf(10) ** -20, False)):
        delta = above(truth * factor, 60)
        assert holds == accepted(
            lambda delta=delta: guarantee(
                "optimal-homogeneous", [ApproxDP(epsilon)], count=count, drop=drop, delta=delta
            )
        )


PRINTED = [
    (F(1, 10), 10, "0.99937090572175872", "1", "1.7674290543447575"),
    (F(1, 10), 30, "2.3458876930080366", "3", "3.1946283015397916"),
    (F(1, 10), 100, "4.7745675881079862", "10", "6.3082309505134082"),
    (F(1, 2), 20, "9.9867978696401641", "10", "18.24115270938528"),
]


@pytest.mark.parametrize(("epsilon", "count", "kov", "basic", "drv"), PRINTED)
def test_the_smallest_accepted_epsilons_are_the_printed_ones(
    epsilon: Fraction, count: int, kov: str, basic: str, drv: str
) -> None:
    premise = [ApproxDP(epsilon)]

    def optimal_holds(value: Fraction) -> bool:
        return value >= 0 and accepted(
            lambda: guarantee(
                "optimal-heterogeneous",
                premise,
                counts=[count],
                epsilon=value,
                delta=MILLIONTH,
                bits=80,
            )
        )

    def advanced_holds(value: Fraction) -> bool:
        return accepted(
            lambda: guarantee("advanced", premise, count=count, slack=MILLIONTH, epsilon=value)
        )

    for printed, holds in ((kov, optimal_holds), (drv, advanced_holds)):
        places = len(printed.split(".")[1])
        # The printed digits are rounded to nearest; the smallest accepted decimal is rounded up.
        assert abs(least(holds, 40, places + 3) - F(printed)) <= F(51, 100 * 10**places)
    assert guarantee("compose", premise, counts=[count]).epsilon == F(basic)


@settings(max_examples=40, deadline=None)
@given(
    st.fractions(0, 2, max_denominator=20),
    st.integers(1, 40),
    st.sampled_from([F(1, 10**9), F(1, 1000), F(1, 10), F(1, 2), F(99, 100)]),
)
def test_the_advanced_bound_is_never_below_the_exact_one(
    epsilon: Fraction, count: int, slack: Fraction
) -> None:
    smallest = least(
        lambda value: accepted(
            lambda: guarantee(
                "advanced", [ApproxDP(epsilon)], count=count, slack=slack, epsilon=value
            )
        ),
        2000,
        12,
    )
    assert coins_delta(epsilon, count, mp(smallest)) <= mp(slack)


def test_the_advanced_bound_adds_the_failures() -> None:
    premise = [ApproxDP(F(1, 2), F(1, 1000))]
    found = guarantee("advanced", premise, count=4, slack=F(1, 100), epsilon=6)
    assert found == ApproxDP(F(6), F(14, 1000))
    assert true_delta([(F(1, 2), F(1, 1000))] * 4, mp(F(6))) <= mp(found.delta)


def test_a_million_runs_compose_in_closed_form() -> None:
    found = guarantee(
        "advanced", [ApproxDP(F(1, 1000))], count=10**6, slack=MILLIONTH, epsilon="6.2573"
    )
    assert found == ApproxDP(F("6.2573"), MILLIONTH)
    assert not accepted(
        lambda: guarantee(
            "advanced", [ApproxDP(F(1, 1000))], count=10**6, slack=MILLIONTH, epsilon="6.257"
        )
    )


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"slack": 0}, "slack lies"),
        ({"slack": 1}, "slack lies"),
        ({"slack": F(-1, 2)}, "slack lies"),
        ({"slack": F(1, 2), "count": 500}, "below 1"),
        ({"epsilon": F(1, 10)}, "reaches the bound"),
        ({"epsilon": -50}, "reaches the bound"),
        ({"count": 0}, "count"),
        ({"count": "3"}, "count"),
        ({"slack": 0.5}, "fractions and decimals"),
        ({"bits": 3}, "no parameter 'bits'"),
    ],
)
def test_advanced_refuses(changed: dict[str, object], message: str) -> None:
    stated = {"count": 3, "slack": F(1, 10), "epsilon": 50, **changed}
    premise = [ApproxDP(F(1, 2), F(1, 1000))]
    assert guarantee("advanced", premise, count=3, slack=F(1, 10), epsilon=50)
    with pytest.raises(ProofError, match=message):
        guarantee("advanced", premise, **stated)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"drop": 3}, "at most half"),
        ({"drop": -1}, "drop"),
        ({"delta": 1}, "delta lies"),
        ({"delta": F(-1, 2)}, "delta lies"),
        ({"delta": 0}, "delta reaches"),
        ({"count": 10**6 + 1}, "at most 1000000 mechanisms"),
        ({"count": 0, "drop": 0}, "count"),
    ],
)
def test_homogeneous_refuses(changed: dict[str, object], message: str) -> None:
    stated = {"count": 5, "drop": 2, "delta": F(9, 10), **changed}
    assert guarantee("optimal-homogeneous", [ApproxDP(F(1))], count=5, drop=2, delta=F(9, 10))
    with pytest.raises(ProofError, match=message):
        guarantee("optimal-homogeneous", [ApproxDP(F(1))], **stated)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epsilon": -1}, "epsilon is at least 0"),
        ({"epsilon": 1}, "delta reaches"),
        ({"delta": 1}, "delta lies"),
        ({"delta": -1}, "delta lies"),
        ({"bits": -1}, "bits"),
        ({"bits": 1025}, "bits is at most 1024"),
        ({"counts": [1]}, "counts"),
        ({"counts": [10**6, 1]}, "at most 1000000 mechanisms"),
        ({"counts": [10**5, 10**5], "epsilon": 900, "bits": 1000}, "too many different sums"),
        ({"counts": [2000, 10], "epsilon": 1200}, "the plain sum, or at most 1000"),
    ],
)
def test_heterogeneous_refuses(changed: dict[str, object], message: str) -> None:
    stated = {"epsilon": "1.3", "delta": F(1, 10), "bits": 20, **changed}
    premises = [ApproxDP(F(1)), ApproxDP(F(1, 3))]
    plain = {"epsilon": "1.3", "delta": F(1, 10), "bits": 20}
    assert guarantee("optimal-heterogeneous", premises, **plain)
    with pytest.raises(ProofError, match=message):
        guarantee("optimal-heterogeneous", premises, **stated)


@pytest.mark.parametrize(
    ("rule", "stated"),
    [
        ("advanced", {"count": 3, "slack": F(1, 10), "epsilon": 50}),
        ("optimal-homogeneous", {"count": 5, "drop": 2, "delta": F(9, 10)}),
    ],
)
def test_one_approximate_premise_is_needed(rule: str, stated: dict[str, object]) -> None:
    one = ApproxDP(F(1))
    found = concluded(rule, [one], ReplaceOne(), **stated)
    assert isinstance(found.judgment, Private)
    assert found.judgment.neighbours == ReplaceOne()
    assert found.hypotheses == frozenset()
    for premises in ([], [one, one], [ZCDP(F(1))]):
        with pytest.raises(ProofError):
            guarantee(rule, premises, **stated)
    with pytest.raises(ProofError, match="at most 1000"):
        guarantee(rule, [ApproxDP(F(1001))], **stated)


def test_a_delta_that_is_only_just_missed_or_reached_is_left_undecided() -> None:
    # 1 - (1 - δ)^3 exactly: no precision tells the two sides apart.
    delta = F(1, 3)
    with pytest.raises(UndecidedError):
        guarantee(
            "optimal-homogeneous",
            [ApproxDP(F(1), delta)],
            count=3,
            drop=0,
            delta=1 - (1 - delta) ** 3,
        )


@settings(max_examples=60, deadline=None)
@given(
    st.fractions(F(1, 1000), 40, max_denominator=1000),
    st.integers(1, 60),
    st.sampled_from([16, 64, 192]),
)
def test_the_chances_of_coins_are_enclosed(epsilon: Fraction, count: int, bits: int) -> None:
    spread = optimal._flips(epsilon, count, 7, bits)
    odds = wide.exp(-mp(epsilon))
    unit, lost = mp(F(1, 2**bits)), wide.mpf(0)
    for minus in range(count + 1):
        chance = math.comb(count, minus) * odds**minus / (1 + odds) ** count
        if 7 * minus in spread.chances:
            low, high = spread.chances[7 * minus]
            assert low * unit - SMALL <= chance <= high * unit + SMALL
        else:
            lost += chance
    assert lost <= spread.lost * unit
    assert set(spread.chances) <= {7 * minus for minus in range(count + 1)}


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(st.integers(1, 9), st.integers(1, 5), min_size=1, max_size=3),
    st.sampled_from([F(1, 20), F(1, 3), F(1)]),
    st.fractions(0, 1, max_denominator=24),
    st.sampled_from([6, 10, 16, 40]),
)
def test_the_divergence_is_enclosed_at_any_precision(
    groups: dict[int, int], grain: Fraction, share: Fraction, bits: int
) -> None:
    epsilon = share * grain * sum(unit * count for unit, count in groups.items())
    found = optimal._divergence(groups, grain, epsilon, bits, "rule")
    sums = {F(0): wide.mpf(1)}
    for unit, count in groups.items():
        likely = 1 / (1 + wide.exp(-mp(unit * grain)))
        for _ in range(count):
            moved: dict[Fraction, mpmath.mpf] = {}
            for loss, chance in sums.items():
                for way, part in ((1, likely), (-1, 1 - likely)):
                    place = loss + way * unit * grain
                    moved[place] = moved.get(place, 0) + chance * part
            sums = moved
    truth = wide.fsum(
        chance * (1 - wide.exp(mp(epsilon - loss)))
        for loss, chance in sums.items()
        if loss > epsilon
    )
    assert mp(found.lower) - SMALL <= truth <= mp(found.upper) + SMALL
    if bits == 40:
        assert found.upper - found.lower < F(1, 1000)


@pytest.mark.parametrize("bits", [8, 64])
def test_the_chance_that_nothing_fails_is_enclosed(bits: int) -> None:
    broken = [(F(1, 3), 2), (F(1, 1000), 500), (F(0), 10**6)]
    low, high = optimal._survival(broken, bits)
    truth = F(2, 3) ** 2 * F(999, 1000) ** 500
    assert F(low, 2**bits) <= truth <= F(high, 2**bits)


@pytest.mark.parametrize("groups", [{1: 12}, {1: 5, 2: 5, 3: 5}])
def test_chances_below_the_resolution_still_count(groups: dict[int, int]) -> None:
    # Only the outermost sum exceeds ε, and its chance is far below 2^-6.
    grain = F(1, 20)
    epsilon = grain * (sum(unit * count for unit, count in groups.items()) - 1)
    found = optimal._divergence(groups, grain, epsilon, 6, "rule")
    assert found.lower == 0 < found.upper
    assert optimal._divergence(groups, grain, epsilon, 200, "rule").lower > 0
