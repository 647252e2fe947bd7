"""Advanced and optimal composition: brute force over all outcomes, printed values, refusals."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ApproxDP
from proofs.judgments import Guarantee, LossList
from proofs.losses import ResponseLoss, join
from synthesizers.errors import InputError
from tests.proofs.rules.composing import (
    Pair,
    adaptive,
    delta_at,
    joint,
    worst_excess,
)
from tests.proofs.rules.divergences import (
    TINY,
    above,
    accepted,
    amounts,
    convert,
    least,
    mp,
    wide,
)

F = Fraction
SMALL = mp(TINY)
MILLIONTH = F(1, 10**6)
Point = tuple[Fraction, Fraction]


def runs(count: int, *parts: Point) -> LossList:
    """Of mechanisms with these (ε, δ), each so often."""
    return LossList(join([((1, ResponseLoss(*part)),) for part in parts], [count] * len(parts)))


def optimal(losses: LossList, epsilon: object, delta: object, **hint: Any) -> Guarantee:
    """(ε, δ) by the optimal composition."""
    given = {"epsilon": epsilon, "delta": delta, "hints": {"remove": hint}}
    return convert("to-approx", losses, method="responses", **given)


def advanced(losses: LossList, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the moment that stands for advanced composition proves (ε, δ)."""
    ((count, loss),) = losses.losses
    assert isinstance(loss, ResponseLoss)
    slack = delta - count * loss.delta
    if slack <= 0:
        return False
    order = 1 / slack
    if loss.epsilon:
        order = above(wide.sqrt(2 * wide.log(1 / mp(slack)) / mp(count * loss.epsilon**2)), 9)
    hints = {"remove": {"order": order}}
    try:
        convert("to-approx", losses, method="moment", epsilon=epsilon, delta=delta, hints=hints)
    except ProofError:
        return False
    return True


def least_delta(epsilon: Fraction, count: int, slack: Fraction) -> mpmath.mpf:
    """ε of Dwork, Rothblum & Vadhan 2010, Theorem III.3."""
    spread = wide.sqrt(2 * count * wide.log(1 / mp(slack)))
    return spread * mp(epsilon) + count * mp(epsilon) * wide.expm1(mp(epsilon))


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
def test_the_bound_is_what_all_outcomes_add_up_to(parts: list[Point], epsilon: Fraction) -> None:
    truth, losses = true_delta(parts, mp(epsilon)), runs(1, *parts)
    margin = above(truth * wide.mpf(10) ** -25, 50) + F(1, 10**45)
    enough = above(truth, 50) + margin
    assume(enough < 1)
    assert optimal(losses, epsilon, enough, bits=200) == ApproxDP(epsilon, enough)
    if enough > 3 * margin:
        assert not accepted(lambda: optimal(losses, epsilon, enough - 3 * margin, bits=200))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(small, failures), min_size=2, max_size=4), st.integers(0, 6), st.data())
def test_coarser_losses_only_weaken_the_bound(
    parts: list[Point], grid: int, data: st.DataObject
) -> None:
    epsilon = data.draw(st.fractions(0, sum((own for own, _ in parts), F(0))))
    truth = true_delta(parts, mp(epsilon))
    assume(truth > mp(F(1, 10**30)))
    below = above(truth, 50) * (1 - F(1, 10**20))
    with pytest.raises(ProofError):
        optimal(runs(1, *parts), epsilon, below, bits=200, grid=grid)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(small, failures), min_size=2, max_size=4), st.integers(0, 10), st.data())
def test_a_grid_proves_what_losses_rounded_up_to_it_have(
    parts: list[Point], grid: int, data: st.DataObject
) -> None:
    rounded = [(F(math.ceil(own * 2**grid), 2**grid), delta) for own, delta in parts]
    epsilon = data.draw(st.fractions(0, sum((own for own, _ in parts), F(0))))
    enough = above(true_delta(rounded, mp(epsilon)) * (1 + wide.mpf(10) ** -25), 50)
    assume(enough < 1)
    assert optimal(runs(1, *parts), epsilon, enough + TINY, bits=200, grid=grid)


@settings(max_examples=20, deadline=None)
@given(adaptive(), amounts, amounts, st.fractions(0, 8))
def test_the_bound_holds_for_adaptive_mechanisms(
    both: tuple[Pair, list[Pair]], first: Fraction, second: Fraction, epsilon: Fraction
) -> None:
    parts = [(first, delta_at(first, [both[0]])), (second, delta_at(second, both[1]))]
    assume(max(delta for _, delta in parts) < 1)
    delta = above(true_delta(parts, mp(epsilon)), 40) + F(1, 10**30)
    assume(delta < 1)
    optimal(runs(1, *parts), epsilon, delta, bits=200)
    assert worst_excess(wide.exp(mp(epsilon)), joint(*both)) <= mp(delta) + SMALL


@pytest.mark.parametrize("delta", [F(0), F(1, 10**7), F(1, 5)])
@pytest.mark.parametrize("count", [1, 2, 3, 6])
@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(7, 2)])
def test_the_bound_is_exactly_that_of_randomised_responses(
    epsilon: Fraction, count: int, delta: Fraction
) -> None:
    losses = runs(count, (epsilon, delta))
    for drop in range(count // 2 + 1):
        at = (count - 2 * drop) * epsilon
        truth = true_delta([(epsilon, delta)] * count, mp(at))
        enough, short = (above(truth * (1 + way * wide.mpf(10) ** -30), 55) for way in (1, -1))
        assert optimal(losses, at, enough, bits=250) == ApproxDP(at, enough)
        if short < enough:
            assert not accepted(partial(optimal, losses, at, short, bits=250))


def test_at_the_whole_sum_pure_mechanisms_leave_no_delta() -> None:
    assert optimal(runs(10, (F(1, 10), F(0))), 1, 0, bits=64) == ApproxDP(F(1))
    assert optimal(runs(10, (F(0), F(0))), 0, 0, bits=64) == ApproxDP(F(0))


@pytest.mark.parametrize("count", [1000, 10**4])
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
            partial(optimal, runs(count, (epsilon, F(0))), at, delta, bits=200)
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
    losses = runs(count, (epsilon, F(0)))

    def holds(value: Fraction) -> bool:
        return value >= 0 and accepted(lambda: optimal(losses, value, MILLIONTH, bits=80))

    # The printed digits are rounded to nearest; the smallest accepted decimal is rounded up.
    places = len(kov.split(".")[1])
    assert abs(least(holds, 40, places + 3) - F(kov)) <= F(51, 100 * 10**places)
    assert abs(least_delta(epsilon, count, MILLIONTH) - wide.mpf(drv)) < wide.mpf(10) ** -14
    assert advanced(losses, F(drv), MILLIONTH)
    whole = {"epsilon": basic, "delta": 0, "hints": {}}
    convert("to-approx", losses, method="sum", **whole)


@settings(max_examples=40, deadline=None)
@given(
    st.fractions(0, 2, max_denominator=20),
    st.integers(1, 40),
    st.sampled_from([F(1, 10**9), F(1, 1000), F(1, 10), F(1, 2), F(99, 100)]),
)
def test_the_moment_lies_between_the_exact_bound_and_the_advanced_one(
    epsilon: Fraction, count: int, slack: Fraction
) -> None:
    losses = runs(count, (epsilon, F(0)))
    assert advanced(losses, above(least_delta(epsilon, count, slack), 12), slack)
    smallest = least(lambda value: advanced(losses, value, slack), 2000, 12)
    assert coins_delta(epsilon, count, mp(smallest)) <= mp(slack)


def test_the_moment_adds_the_failures() -> None:
    losses, delta = runs(4, (F(1, 2), F(1, 1000))), F(14, 1000)
    assert advanced(losses, F(6), delta)
    assert true_delta([(F(1, 2), F(1, 1000))] * 4, mp(F(6))) <= mp(delta)
    assert not advanced(losses, F(50), F(3, 1000))


def test_a_million_runs_compose_in_closed_form() -> None:
    losses = runs(10**6, (F(1, 1000), F(0)))
    assert least_delta(F(1, 1000), 10**6, MILLIONTH) < mp(F("6.2573"))
    assert advanced(losses, F("6.2573"), MILLIONTH)
    assert not advanced(losses, F(5), MILLIONTH)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epsilon": -1}, "negative"),
        ({"epsilon": 1}, "delta"),
        ({"delta": 0}, "delta"),
        ({"delta": 1}, "delta"),
        ({"delta": -1}, "delta"),
        ({"bits": 0}, "bits"),
        ({"bits": 1 << 13}, "bits to be from 1 to 4096"),
        ({"grid": -1}, "grid"),
        ({"grid": 1 << 13}, "grid to be from 0 to 4096"),
        ({"grid": 1000}, "fewer losses"),
        ({"grid": None}, "grid"),
        ({"drop": 2}, "no parameter 'drop'"),
    ],
)
def test_what_cannot_be_proved_or_is_malformed_is_refused(
    changed: dict[str, Any], message: str
) -> None:
    losses = runs(1, (F(1), F(0)), (F(1, 3), F(0)))
    given = {"epsilon": "1.3", "delta": F(1, 10), "bits": 80}
    for more in ({}, {"grid": 12}):
        optimal(losses, **given, **more)
        with pytest.raises(InputError, match=message):
            optimal(losses, **{**given, **more, **changed})


def test_a_delta_that_is_only_just_missed_or_reached_is_left_undecided() -> None:
    # 1 - (1 - δ)^3 exactly: no precision tells the two sides apart.
    delta = F(1, 3)
    with pytest.raises(UndecidedError):
        optimal(runs(3, (F(1), delta)), 3, 1 - (1 - delta) ** 3, bits=200)
