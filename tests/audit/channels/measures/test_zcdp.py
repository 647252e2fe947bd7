"""The smallest ρ against fine grids of orders in high precision; known values; decisions."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.zcdp import WIDTH, SmallestRho, decide_zcdp, zcdp
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.exact import Exact
from synthesizers.intervals import Interval
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build
from tests.audit.channels import slow_divergences as slow
from tests.audit.channels.slow_divergences import slow_zcdp
from tests.audit.channels.slow_measures import (
    blurred,
    blurs,
    channel_of_rows,
    channels_without_loss,
    encloses,
    exponential_channels,
    floated,
    honest,
    numbers,
    randomised_response,
    rational_channels,
    right_decision,
    roundings,
)
from tests.synthesizers.brute_force import fraction, rational_near

F = Fraction
SLACK = F(1, 10**15)
"""What golden sections leave of the reference; its enclosures are far wider."""


def holds(ends: Enclosure, truth: mpmath.mpf) -> bool:
    """Whether an enclosure holds a supremum that the reference may miss by `SLACK`."""
    if mpmath.isinf(truth):
        return ends.upper == math.inf
    value = rational_near(truth)
    return ends.lower <= value + SLACK and value - SLACK <= ends.upper


def narrow(ends: Enclosure, width: Fraction = WIDTH) -> bool:
    """Whether an enclosure is as narrow as asked for, or infinite."""
    if isinstance(ends.upper, float) or isinstance(ends.lower, float):
        return ends.lower == ends.upper
    return ends.upper - ends.lower <= width * max(ends.lower, F(1, 1000)) * (1 + F(1, 10**6))


def attained(found: SmallestRho, channel: Channel) -> bool:
    """Whether the witness's pair has the lower end at the order that is named."""
    witness, order = found.extreme.witness, found.order
    assert witness is not None
    assert order is not None
    rows = [tuple(row) for row in channel.databases.tolist()]
    left, right = (numbers(channel)[rows.index(row)] for row in (witness.source, witness.target))
    with mpmath.workdps(60):
        ratio = slow.divergence(left, right, order) / fraction(order)
    gap = rational_near(ratio) - F(found.extreme.enclosure.lower)
    return 0 <= gap <= F(1, 10**9) * max(rational_near(ratio), F(1, 1000))


@given(st.one_of(rational_channels(), exponential_channels()))
@settings(max_examples=60)
def test_the_supremum_over_orders_and_pairs(channel: Channel) -> None:
    found, truth = zcdp(channel), slow_zcdp(channel)
    assert holds(found.extreme.enclosure, truth)
    assert narrow(found.extreme.enclosure)
    if found.extreme.witness is None:
        assert truth == 0
        assert found.extreme.enclosure == Enclosure(F(0), F(0))
        return
    assert honest(channel, found.extreme.witness)
    assert (found.order is None) == mpmath.isinf(truth)
    assert found.order is None or attained(found, channel)


@given(rational_channels(), roundings(10**5))
@settings(max_examples=30)
def test_doubles_with_counted_errors_enclose(
    channel: Channel, rounding: tuple[int, list[int]]
) -> None:
    found = zcdp(floated(channel, *rounding)).extreme
    assert holds(found.enclosure, slow_zcdp(channel))
    assert narrow(found.enclosure, F(1, 10**6))


@given(rational_channels(), blurs())
@settings(max_examples=40)
def test_intervals_enclose_whatever_lies_in_them(
    channel: Channel, blur: tuple[Fraction, Fraction]
) -> None:
    vague, truth = blurred(channel, *blur), slow_zcdp(channel)
    assert holds(zcdp(vague).extreme.enclosure, truth)
    for limit in (F(0), F(1, 10), F(1)):
        decision = decide_zcdp(vague, limit)[0]
        assert decision in (Decision.UNDECIDED, right_decision(truth, limit))


@given(st.one_of(rational_channels(), exponential_channels()))
@settings(max_examples=25)
def test_corners_give_the_same_as_one_double_a_chance(channel: Channel) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("renyi", "log_moments"):
            patch.setattr(f"audit.channels.measures.{module}.TIGHT", 0.0)
        found = zcdp(channel).extreme.enclosure
    assert narrow(found)
    assert encloses(found, slow_zcdp(channel)) or holds(found, slow_zcdp(channel))


# -- known values ----------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(5)])
def test_randomised_response(epsilon: Fraction) -> None:
    channel = randomised_response(epsilon)
    found = zcdp(channel)
    row, other = numbers(channel)
    with mpmath.workdps(50):
        # The divergence of Kullback and Leibler by hand; no order on a fine grid exceeds it.
        limit = fraction(epsilon) * mpmath.tanh(fraction(epsilon) / 2)
        for step in range(1, 400):
            alpha = 1 + mpmath.mpf(step) / 40
            ratio = mpmath.log(slow.power_sum(row, other, alpha)) / (alpha * (alpha - 1))
            assert ratio < limit
        assert holds(found.extreme.enclosure, limit)
    assert narrow(found.extreme.enclosure)
    assert found.order == 1


def gaussian_rows(variance: int, support: int) -> list[list[Exact]]:
    """Weights e^(-(x-m)²/(2·variance)) at whole numbers x up to ``support`` for m = 0 and 1."""
    rows: list[list[Exact]] = []
    for mean in (0, 1):
        with mpmath.workdps(60):
            weights = [
                rational_near(mpmath.exp(-mpmath.mpf((x - mean) ** 2) / (2 * variance)))
                for x in range(-support, support + 2)
            ]
        total = sum(weights, F(0))
        rows.append([weight / total for weight in weights])
    return rows


@pytest.mark.parametrize("variance", [1, 9])
def test_a_discrete_gaussian_is_flat_over_orders(variance: int) -> None:
    # Canonne, Kamath & Steinke 2020, Theorem 4: 1/(2σ²), at every whole order; between whole
    # orders less, by a share that falls like e^(-2π²σ²), 3e-9 for σ = 1.
    channel = channel_of_rows(gaussian_rows(variance, 30))
    found = zcdp(channel).extreme.enclosure
    truth = F(1, 2 * variance)
    assert narrow(found)
    assert F(found.lower) <= truth * (1 + F(1, 10**12))
    assert F(found.upper) >= truth * (1 - F(1, 10**12))


def test_a_clamped_geometric_and_a_dirichlet_multinomial() -> None:
    for name, values in (
        ("geometric-sanitizer", {"epsilon": "1"}),
        ("multinomial-dirichlet", {"alpha": "2"}),
    ):
        setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 3)
        program = build(name, values)
        exact = channel_of(program, setting, exact=True).channel
        truth = slow_zcdp(exact)
        for channel in (exact, channel_of(program, setting).channel):
            found = zcdp(channel)
            assert holds(found.extreme.enclosure, truth)
            assert narrow(found.extreme.enclosure)


def test_a_rare_output_moves_the_supremum_to_a_large_order() -> None:
    # One output in a million loses ln 20, everything else next to nothing.
    rare = F(1, 10**6)
    rows: list[list[Exact]] = [[20 * rare, 1 - 20 * rare], [rare, 1 - rare]]
    channel = channel_of_rows(rows)
    found = zcdp(channel)
    assert holds(found.extreme.enclosure, slow_zcdp(channel))
    assert narrow(found.extreme.enclosure)
    assert found.order is not None
    assert 3 < found.order < 12
    assert attained(found, channel)
    # The last pair of a longer chain counts as much.
    longer = channel_of_rows([rows[0], rows[0], rows[0], rows[1]])
    assert zcdp(longer).extreme.enclosure == found.extreme.enclosure


def test_very_steep_rows() -> None:
    # Losses of hundreds at orders of hundreds: powers far beyond the doubles.
    rng = np.random.default_rng(3)
    weights = np.exp(rng.uniform(-500, 0, (2, 12)))
    rows = [[F(float(w)) for w in row] for row in weights]
    channel = channel_of_rows([[w / sum(row) for w in row] for row in rows])
    found = zcdp(channel).extreme.enclosure
    assert holds(found, slow_zcdp(channel))
    assert narrow(found)


# -- zeros, equal rows, very small chances -----------------------------------------------------


def test_nothing_is_lost() -> None:
    for channel in channels_without_loss():
        assert zcdp(channel) == SmallestRho(zcdp(channel).extreme, None)
        decision, found = decide_zcdp(channel, F(0))
        assert found.enclosure == Enclosure(F(0), F(0))
        assert found.value == 0
        assert decision is Decision.HOLDS
    doubles = zcdp(floated(channel_of_rows([[F(1, 3), F(2, 3)]] * 2), 3, [0])).extreme.enclosure
    assert doubles.lower == 0
    assert 0 < doubles.upper < F(1, 10**12)


def test_a_zero_beside_a_non_zero_is_infinite() -> None:
    for side in (0, 1):
        rows: list[list[Exact]] = [[F(1, 2), F(1, 2), F(0)], [F(1, 2), F(1, 4), F(1, 4)]]
        channel = channel_of_rows(rows if side else rows[::-1])
        decision, found = decide_zcdp(channel, F(10**5))
        assert found.enclosure == Enclosure.infinite()
        assert decision is Decision.VIOLATED
        assert found.witness is not None
        assert found.witness.event == ((2,),)
        assert zcdp(channel).order is None


@pytest.mark.parametrize("exponent", [300, 310, 400, 3000])
def test_chances_below_the_doubles(exponent: int) -> None:
    tiny = F(1, 10**exponent)
    assert zcdp(channel_of_rows([[1 - tiny, tiny], [F(1), F(0)]])).extreme.enclosure == (
        Enclosure.infinite()
    )
    found = zcdp(channel_of_rows([[1 - tiny, tiny], [F(1, 2), F(1, 2)]])).extreme.enclosure
    # 1/2·ln(1/2) + 1/2·ln(1/(2t)) = ln(1/t)/2 - ln 2 at order 1; ε = ln(1/t) - ln 2 at any.
    with mpmath.workdps(60):
        loss = rational_near(exponent * mpmath.log(10))
    least = loss / 2 - F(7, 10)
    assert 0 <= F(found.lower) <= F(found.upper) <= loss
    assert least <= F(found.upper)
    assert exponent > 307 or least <= F(found.lower) * (1 + F(1, 10**9))


def test_a_vague_chance_beside_a_certain_zero_leaves_it_open() -> None:
    vague = Interval(F(0), F(1, 2000))
    channel = channel_of_rows([[vague, Interval(F(999, 1000), F(1))], [F(0), F(1)]])
    found = zcdp(channel).extreme.enclosure
    assert found.lower < F(1, 100)
    assert found.upper == math.inf
    assert decide_zcdp(channel, F(1))[0] is Decision.UNDECIDED


# -- decisions and width -----------------------------------------------------------------------


def test_decisions_near_the_smallest_rho() -> None:
    channel = randomised_response(F(1))
    with mpmath.workdps(60):
        truth = rational_near(mpmath.tanh(mpmath.mpf(1) / 2))
    for gap in (F(1, 10), F(1, 10**6), F(1, 10**10)):
        assert decide_zcdp(channel, truth + gap)[0] is Decision.HOLDS
        assert decide_zcdp(channel, truth - gap)[0] is Decision.VIOLATED
    decision, found = decide_zcdp(channel, truth)
    assert decision is Decision.UNDECIDED
    assert holds(found.enclosure, fraction(truth))
    assert decide_zcdp(channel, F(-1))[0] is Decision.VIOLATED
    assert decide_zcdp(channel, F(10**400))[0] is Decision.HOLDS


@given(
    rational_channels(),
    st.sampled_from([F(1, 100), F(1, 10), F(1, 2), F(2)]),
)
@settings(max_examples=40)
def test_decisions_are_right(channel: Channel, limit: Fraction) -> None:
    decision, found = decide_zcdp(channel, limit)
    truth = slow_zcdp(channel)
    assert holds(found.enclosure, truth)
    assert decision is right_decision(truth, limit)


def test_a_decision_may_end_the_work_early() -> None:
    channel = channel_of_rows(gaussian_rows(1, 30))
    decision, found = decide_zcdp(channel, F(3, 5))
    assert decision is Decision.HOLDS
    assert not narrow(found.enclosure, F(1, 10**4))
    assert decide_zcdp(channel, F(1, 2) + F(1, 10**6))[0] is Decision.HOLDS
    assert decide_zcdp(channel, F(1, 2) - F(1, 10**6))[0] is Decision.VIOLATED


def test_a_wider_width_is_less_work_and_still_right() -> None:
    channel = channel_of_rows(gaussian_rows(1, 30))
    found = zcdp(channel, F(1, 100)).extreme.enclosure
    assert narrow(found, F(1, 100))
    assert not narrow(found, F(1, 10**6))
    assert F(found.lower) <= F(1, 2) * (1 + F(1, 10**12))
    assert F(found.upper) >= F(1, 2) * (1 - F(1, 10**12))
    with pytest.raises(InputError, match="width"):
        zcdp(channel, F(0))


def test_work_that_ends_too_early_leaves_a_wide_enclosure(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = channel_of_rows(gaussian_rows(1, 30))
    for most in (0, 5000, 100_000):
        monkeypatch.setattr("audit.channels.measures.zcdp.MAX_WORK", most)
        found = zcdp(channel).extreme.enclosure
        assert F(found.lower) <= F(1, 2) * (1 + F(1, 10**12))
        assert F(found.upper) >= F(1, 2) * (1 - F(1, 10**12))
        assert not narrow(found)


def test_batches_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = Setting.of(Domain.from_cells("3"), ReplaceOne(), 4)
    channel = channel_of(build("multinomial-dirichlet", {"alpha": "1/2"}), setting).channel
    whole = zcdp(channel).extreme.enclosure
    monkeypatch.setattr("audit.channels.measures.zcdp.BATCH", 1)
    parts = zcdp(channel).extreme.enclosure
    assert narrow(whole)
    assert narrow(parts)
    assert F(max(whole.lower, parts.lower)) <= F(min(whole.upper, parts.upper))


def two_rows(seed: int) -> Channel:
    """Two rows of one of several kinds: even, rare outputs, near each other, bell-shaped."""
    rng = np.random.default_rng(seed)
    size, kind = int(rng.integers(2, 9)), seed % 4
    if kind == 0:
        weights = rng.dirichlet(np.full(size, rng.choice([0.1, 1, 10])), 2)
    elif kind == 1:
        weights = np.exp(rng.uniform(-rng.choice([3, 30, 300]), 0, (2, size)))
    elif kind == 2:
        first = rng.dirichlet(np.ones(size))
        noise = rng.normal(0, rng.choice([1e-5, 1e-3, 0.1]), size)
        weights = np.stack([first, first * np.exp(noise)])
    else:
        places, means = np.arange(size), size / 2 + np.array([0, rng.uniform(0, 1)])
        weights = np.exp(-((places - means[:, None]) ** 2) / (2 * rng.uniform(0.3, 5)))
    rows = [[F(weight) for weight in row] for row in weights.tolist()]
    return channel_of_rows([[weight / sum(row) for weight in row] for row in rows])


@pytest.mark.slow
@given(st.integers(0, 10**9))
@settings(max_examples=400)
def test_more_rows_of_every_kind(seed: int) -> None:
    channel = two_rows(seed)
    truth = slow_zcdp(channel)
    found = zcdp(channel).extreme.enclosure
    assert holds(found, truth)
    assert narrow(found)
    assert holds(zcdp(floated(channel, 100, [1, -1, 0])).extreme.enclosure, truth)
