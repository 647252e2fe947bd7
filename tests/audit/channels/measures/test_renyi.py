"""Rényi divergences against all pairs in high precision; known values; decisions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.exact_moments as exact_moments
from audit.channels.channel import Channel
from audit.channels.columns import Block, Powers
from audit.channels.enumerate import channel_of
from audit.channels.measures.exact_moments import Largest
from audit.channels.measures.renyi import MAX_ORDER, decide_renyi, renyi
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import Exact
from synthesizers.intervals import Interval
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build
from tests.audit.channels.slow_divergences import slow_renyi
from tests.audit.channels.slow_measures import (
    blurred,
    blurs,
    channel_of_rows,
    channels_without_loss,
    encloses,
    exponential_channels,
    floated,
    fractions,
    honest,
    is_narrow,
    ordered_pairs,
    randomised_response,
    rational_channels,
    right_decision,
    roundings,
)
from tests.synthesizers.brute_force import fraction, rational_near

F = Fraction
HAIR = F(1, 10**30)
ORDERS = (F(1), 1 + F(1, 10**9), F(101, 100), F(3, 2), F(2), F(8), F(100), F(10**6))


def no_exact(*_: object) -> Largest | None:
    """Doubles alone."""
    return None


@given(st.one_of(rational_channels(), exponential_channels()), st.sampled_from(ORDERS))
@settings(max_examples=80)
def test_the_largest_divergence_over_all_pairs(channel: Channel, order: Fraction) -> None:
    found, truth = renyi(channel, order), slow_renyi(channel, order)
    assert encloses(found.enclosure, truth)
    assert is_narrow(found.enclosure, F(1, 10**30))
    witness = found.witness
    if witness is not None:
        assert honest(channel, witness)
        assert len(witness.event) == 1


@given(st.one_of(rational_channels(), exponential_channels()), st.sampled_from(ORDERS))
@settings(max_examples=100)
def test_doubles_alone_enclose_too(channel: Channel, order: Fraction) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.channels.measures.renyi.largest_exact", no_exact)
        patch.setattr("audit.channels.measures.renyi.neighbours_are_equal", lambda _: False)
        found = renyi(channel, order)
    assert encloses(found.enclosure, slow_renyi(channel, order))
    assert is_narrow(found.enclosure, F(1, 10**11))
    if found.witness is not None:
        assert honest(channel, found.witness)


def largest_power_sum(channel: Channel, order: Fraction) -> Fraction | None:
    """The largest Σ P^α/Q^(α-1) over all ordered pairs; None where one is infinite."""
    table, sums = fractions(channel), [F(1)]
    for a, b in ordered_pairs(channel):
        if any(p and not q for p, q in zip(table[a], table[b], strict=True)):
            return None
        terms = [p**order / q ** (order - 1) for p, q in zip(table[a], table[b], strict=True) if p]
        sums.append(sum(terms, F(0)))
    return max(sums)


@given(rational_channels(), st.sampled_from([F(2), F(3), F(8)]))
@settings(max_examples=60)
def test_whole_orders_of_fractions_are_exact(channel: Channel, order: Fraction) -> None:
    assert renyi(channel, order).value == largest_power_sum(channel, order)


@given(
    rational_channels(),
    st.sampled_from(ORDERS),
    roundings(10**6),
)
def test_doubles_with_counted_errors_enclose(
    channel: Channel, order: Fraction, rounding: tuple[int, list[int]]
) -> None:
    found = renyi(floated(channel, *rounding), order)
    assert encloses(found.enclosure, slow_renyi(channel, order))
    assert is_narrow(found.enclosure, F(1, 10**7))
    assert found.value is None or found.witness is None
    if found.witness is not None:
        assert honest(channel, found.witness)


@given(
    rational_channels(),
    st.sampled_from(ORDERS),
    blurs(),
)
def test_intervals_enclose_whatever_lies_in_them(
    channel: Channel, order: Fraction, blur: tuple[Fraction, Fraction]
) -> None:
    vague, truth = blurred(channel, *blur), slow_renyi(channel, order)
    assert encloses(renyi(vague, order).enclosure, truth)
    for limit in (F(0), F(1, 10), F(1)):
        decision = decide_renyi(vague, order, limit)[0]
        assert decision in (Decision.UNDECIDED, right_decision(truth, limit))


@dataclass(frozen=True)
class Stream:
    """A channel whose blocks are doubles that are off by nearly all of their relative error."""

    channel: Channel
    error: float
    exact: None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.channel, name)

    def blocks(self) -> Iterator[Block]:
        for block in self.channel.blocks():
            signs = np.where(np.indices(block.lower.shape).sum(axis=0) % 2, 1, -1)
            chances = (block.lower + block.upper) / 2 / (1 + 0.99 * self.error * signs)
            yield Block(block.first, chances, chances, self.error)


@given(
    rational_channels(),
    st.sampled_from([F(1), F(3, 2), F(8), F(100)]),
    st.sampled_from([1e-13, 1e-9, 1e-3, 0.1]),
)
def test_blocks_with_a_relative_error_enclose(
    channel: Channel, order: Fraction, error: float
) -> None:
    found, truth = (
        renyi(Stream(channel, error), order).enclosure,
        slow_renyi(channel, order),
    )
    assert encloses(found, truth)
    if error < 1e-6 and not mpmath.isinf(truth):
        assert is_narrow(found, F(error) * 1000 * order)


def test_the_relative_error_counts_in_the_largest_loss() -> None:
    # At the largest order the divergence is next to the loss, ln 2 or more.
    for columns in (1, -1):
        rows: list[list[Exact]] = [[F(1, 2), F(1, 2)][::columns], [F(1, 4), F(3, 4)][::columns]]
        found = renyi(Stream(channel_of_rows(rows), 0.1), F(MAX_ORDER)).enclosure
        with mpmath.workdps(60):
            truth = mpmath.log(2) + mpmath.log(mpmath.mpf(1) / 2) / (MAX_ORDER - 1)
            assert encloses(found, truth)


def test_a_later_block_may_be_vaguer() -> None:
    # 200 outputs in two blocks; only the last two chances, which sum to 1/100, are intervals.
    vague, known = Interval(F(1, 1000), F(9, 1000)), F(1, 200)
    rows: list[list[Exact]] = [[known] * 200, [known] * 198 + [vague, vague]]
    found = renyi(channel_of_rows(rows), F(2)).enclosure
    for thousandths in (1, 2, 5, 9):
        last = F(thousandths, 1000), F(10 - thousandths, 1000)
        truth = 198 * known + sum(known**2 / chance for chance in last)
        with mpmath.workdps(60):
            assert encloses(found, mpmath.log(fraction(truth)))


# -- known values ----------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [F(1, 100), F(1), F(7)])
@pytest.mark.parametrize("order", [F(3, 2), F(2), F(20)])
def test_randomised_response(epsilon: Fraction, order: Fraction) -> None:
    # Mironov 2017, Proposition 5: p = e^ε/(1+e^ε) gives ln(p^α·(1-p)^(1-α) + ...)/(α-1).
    found = renyi(randomised_response(epsilon), order)
    with mpmath.workdps(60):
        keep = mpmath.exp(fraction(epsilon)) / (1 + mpmath.exp(fraction(epsilon)))
        alpha = fraction(order)
        both = keep**alpha * (1 - keep) ** (1 - alpha) + (1 - keep) ** alpha * keep ** (1 - alpha)
        assert encloses(found.enclosure, mpmath.log(both) / (alpha - 1))
    assert found.value is None


def test_order_two_by_hand() -> None:
    # Σ P²/Q = 1/4 / (1/4) + 1/4 / (3/4) = 4/3; the other way 1/8 + 9/8 = 5/4.
    found = renyi(channel_of_rows([[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]), F(2))
    assert found.value == F(4, 3)
    assert found.witness is not None
    assert found.witness.source == (0, 1)
    assert found.witness.event == ((0,),)
    with mpmath.workdps(60):
        assert encloses(found.enclosure, mpmath.log(fraction(F(4, 3))))


def test_large_orders_approach_epsilon() -> None:
    # D_α = ε + ln(chance of the output of the largest loss)/(α - 1), all but exactly.
    found = renyi(channel_of_rows([[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]), F(MAX_ORDER))
    with mpmath.workdps(60):
        truth = mpmath.log(2) + mpmath.log(mpmath.mpf(1) / 2) / (MAX_ORDER - 1)
        assert encloses(found.enclosure, truth)


def test_the_worse_direction_and_pair_count() -> None:
    for place in range(4):
        rows: list[list[Exact]] = [[F(1, 2), F(1, 2)]] * (place + 1)
        rows += [[F(1, 4), F(3, 4)]] * (4 - place)
        for ordered in (rows, rows[::-1]):
            found = renyi(channel_of_rows(ordered), F(2))
            assert found.value == F(4, 3)
            assert found.witness is not None
            assert found.witness.probabilities[0] == Enclosure(F(1, 2), F(1, 2))
            assert found.witness.probabilities[1] == Enclosure(F(1, 4), F(1, 4))


def test_pairs_that_doubles_cannot_tell_apart() -> None:
    rows: list[list[Exact]] = [
        [F(1, 2), F(1, 2)],
        [F(1, 4), F(3, 4)],
        [F(1, 2) + HAIR, F(1, 2) - HAIR],
    ]
    for ordered in (rows, rows[::-1]):
        channel = channel_of_rows(ordered)
        found = renyi(channel, F(2))
        assert found.value == 4 * (F(1, 2) + HAIR) ** 2 + F(4, 3) * (F(1, 2) - HAIR) ** 2
        assert found.witness is not None
        assert found.witness.probabilities[0] == Enclosure(F(1, 2) + HAIR, F(1, 2) + HAIR)


@pytest.mark.parametrize("larger", [0, 1])
def test_a_pair_that_doubles_see_as_the_lesser(larger: int) -> None:
    # Two pairs, the outputs of the second in reverse: in doubles the rounding of additions tells
    # their divergences apart, in truth one of them is the larger by a hair.
    apart = (ReplaceOne(), ((0, 4), (1, 3), (3, 1), (4, 0)))
    rows: list[list[Exact]] = []
    for pair, step in enumerate((1, -1)):
        hair = HAIR if pair == larger else F(0)
        left = [F(1, 20) + hair, F(4, 20), F(13, 20) - hair, F(2, 20)]
        right = [F(1, 22), F(4, 22), F(7, 22), F(10, 22)]
        rows += [list(left[::step]), list(right[::step])]
    channel = channel_of_rows(rows, apart)
    assert renyi(channel, F(3)).value == largest_power_sum(channel, F(3))


# -- zeros, equal rows, very small chances -----------------------------------------------------


@pytest.mark.parametrize("order", [F(1), F(3, 2), F(2)])
def test_nothing_is_lost(order: Fraction) -> None:
    for channel in channels_without_loss():
        decision, found = decide_renyi(channel, order, F(0))
        assert found.enclosure == Enclosure(F(0), F(0))
        assert found.value == (None if order == 1 else 1)
        assert decision is Decision.HOLDS


def test_equal_doubles_are_not_known_to_be_equal_chances() -> None:
    rows: list[list[Exact]] = [[F(1, 3), F(2, 3)], [F(1, 3), F(2, 3)]]
    found = renyi(floated(channel_of_rows(rows), 3, [0]), F(2))
    assert found.enclosure.lower == 0
    assert 0 < found.enclosure.upper < F(1, 10**25)
    vague = Interval(F(1, 3), F(1, 3) + F(1, 10**9))
    row: list[Exact] = [vague, 1 - vague]
    assert renyi(channel_of_rows([row, row]), F(2)).enclosure.upper > 0


@pytest.mark.parametrize("order", [F(1), F(3, 2), F(8)])
def test_a_zero_beside_a_non_zero_is_infinite(order: Fraction) -> None:
    for side in (0, 1):
        rows: list[list[Exact]] = [[F(1, 2), F(1, 2), F(0)], [F(1, 2), F(1, 4), F(1, 4)]]
        channel = channel_of_rows(rows if side else rows[::-1])
        for known in (channel, floated(channel, 3, [1, -1])):
            decision, found = decide_renyi(known, order, F(10**5))
            assert found.enclosure == Enclosure.infinite()
            assert decision is Decision.VIOLATED
            assert found.witness is not None
            assert found.witness.event == ((2,),)
            assert found.witness.probabilities[1] == Enclosure(F(0), F(0))


@pytest.mark.parametrize("exponent", [300, 308, 324, 400, 3000])
def test_chances_below_the_doubles(exponent: int) -> None:
    tiny = F(1, 10**exponent)
    beside_zero = channel_of_rows([[1 - tiny, tiny], [F(1), F(0)]])
    assert renyi(beside_zero, F(2)).enclosure == Enclosure.infinite()
    # Σ P²/Q - 1 = 9t²/t + (1-3t)²/(1-t) - 1 = 4t + O(t²), the worse direction.
    both = channel_of_rows([[1 - tiny, tiny], [1 - 3 * tiny, 3 * tiny]])
    steep = channel_of_rows([[1 - tiny, tiny], [F(1, 2), F(1, 2)]])
    for patched in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            if patched:
                patch.setattr("audit.channels.measures.renyi.largest_exact", no_exact)
            found = renyi(both, F(2))
            assert found.enclosure.lower <= 4 * tiny * (1 + 10 * tiny)
            assert found.enclosure.upper >= 4 * tiny * (1 - 10 * tiny)
            for order in (F(1), F(3, 2), F(2), F(10**4)):
                found = renyi(steep, order)
                assert encloses(found.enclosure, slow_renyi(steep, order))
                assert found.enclosure.upper < math.inf
                assert patched or is_narrow(found.enclosure)


def test_powers_of_two_below_the_doubles() -> None:
    # 2^-1500 beside 2^-1501, and beside 0.
    mantissa = np.array([[0.5, 0.5], [0.5, 0.5]])
    exponent = np.array([[1, -1500], [1, -1501]], np.int32)
    base = channel_of_rows([[F(1), F(0)], [F(1), F(0)]])
    parts = base.domain, base.neighbours, base.databases, base.outputs
    channel = Channel.of_powers(*parts, Powers(mantissa, exponent, 2.0**-52), "output")
    found = renyi(channel, F(2))
    assert found.enclosure.lower == 0
    # D_α <= ε = ln 2.
    assert F(69, 100) <= found.enclosure.upper <= F(70, 100)
    # Mantissas that are off by 1% each leave the ratio between 1.96 and 2.04; either way round.
    for swap in (1, -1):
        vague = Powers(mantissa[::swap], exponent[::swap], 0.01)
        upper = renyi(Channel.of_powers(*parts, vague, "output"), F(2)).enclosure.upper
        assert math.log(2 * 1.01 / 0.99) <= upper <= math.log(2 * 1.04)
    mantissa = np.array([[0.5, 0.5], [0.5, 0.0]])
    channel = Channel.of_powers(*parts, Powers(mantissa, exponent, 2.0**-52), "output")
    assert renyi(channel, F(2)).enclosure == Enclosure.infinite()


def test_a_vague_chance_beside_a_certain_zero_leaves_the_divergence_open() -> None:
    vague = Interval(F(0), F(1, 2000))
    channel = channel_of_rows([[vague, Interval(F(999, 1000), F(1))], [F(0), F(1)]])
    found = renyi(channel, F(2))
    assert found.enclosure.lower < F(1, 100)
    assert found.enclosure.upper == math.inf
    assert decide_renyi(channel, F(2), F(1))[0] is Decision.UNDECIDED


# -- decisions -------------------------------------------------------------------------------


def test_decisions_where_the_power_sum_is_a_fraction() -> None:
    channel = channel_of_rows([[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]])
    with mpmath.workdps(80):
        limit = rational_near(mpmath.log(mpmath.mpf(4) / 3))
    assert decide_renyi(channel, F(2), limit + F(1, 10**70))[0] is Decision.HOLDS
    assert decide_renyi(channel, F(2), limit - F(1, 10**70))[0] is Decision.VIOLATED
    assert decide_renyi(channel, F(2), F(1))[0] is Decision.HOLDS
    assert decide_renyi(channel, F(2), F(0))[0] is Decision.VIOLATED
    # Far from the divergence no power of e is taken.
    assert decide_renyi(channel, F(2), F(10**9))[0] is Decision.HOLDS
    assert decide_renyi(channel, F(2), F(-(10**9)))[0] is Decision.VIOLATED


def test_decisions_of_doubles_are_right_or_open() -> None:
    exact = channel_of_rows([[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]])
    doubles = floated(exact, 2, [0])
    limit = F(renyi(exact, F(2)).enclosure.lower)
    assert decide_renyi(doubles, F(2), limit)[0] is Decision.UNDECIDED
    assert decide_renyi(doubles, F(2), limit + F(1, 10**9))[0] is Decision.HOLDS
    assert decide_renyi(doubles, F(2), limit - F(1, 10**9))[0] is Decision.VIOLATED


@pytest.mark.parametrize("order", [F(1, 2), F(0), F(-2), 1 + F(1, 10**12), F(MAX_ORDER + 1)])
def test_other_orders_are_refused(order: Fraction) -> None:
    with pytest.raises(InputError, match="order of a Rényi divergence"):
        renyi(channel_of_rows([[F(1)], [F(1)]]), order)


# -- larger channels ---------------------------------------------------------------------------


def test_many_outputs_and_steep_orders() -> None:
    # 150 outputs in two blocks, with losses of up to 600 at moderate orders.
    rng = np.random.default_rng(11)
    weights = np.exp(rng.uniform(-600, 0, (2, 150)))
    rows = [[F(float(w)) for w in row] for row in weights]
    exact = channel_of_rows([[w / sum(row) for w in row] for row in rows])
    doubles = floated(exact, 5, [1, 0, -1, 1])
    for order in (F(3, 2), F(400)):
        truth = slow_renyi(exact, order)
        found = renyi(doubles, order)
        assert encloses(found.enclosure, truth)
        assert is_narrow(found.enclosure, F(1, 10**10))


@pytest.mark.parametrize("order", [F(1), F(3, 2), F(2)])
def test_a_dirichlet_multinomial_in_doubles_and_exactly(order: Fraction) -> None:
    setting = Setting.of(Domain.from_cells("3"), ReplaceOne(), 3)
    program = build("multinomial-dirichlet", {"alpha": "1"})
    exact = channel_of(program, setting, exact=True).channel
    doubles = channel_of(program, setting).channel
    truth = slow_renyi(exact, order)
    for channel in (exact, doubles):
        found = renyi(channel, order)
        assert encloses(found.enclosure, truth)
        assert is_narrow(found.enclosure, F(1, 10**10))


def test_limits_on_exact_work_leave_an_enclosure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_moments, "MAX_WORK", 0)
    monkeypatch.setattr(exact_moments, "MAX_TERMS", 0)
    found = renyi(channel_of_rows([[F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]]), F(2))
    assert found.value is None
    assert is_narrow(found.enclosure)
    assert found.enclosure.lower < found.enclosure.upper
