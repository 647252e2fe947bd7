"""The smallest μ against all sets of outputs in high precision; decisions."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.tradeoff as tradeoffs
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.gdp import decide_gdp, gdp
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.exact import Exact
from synthesizers.intervals import Interval
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build
from tests.audit.channels.slow_measures import (
    DIGITS,
    SHAPES,
    blurred,
    blurs,
    channel_of_rows,
    encloses,
    exponential_channels,
    floated,
    honest,
    is_narrow,
    randomised_response,
    rational_channels,
    right_decision,
    roundings,
)
from tests.audit.channels.slow_tradeoff import slow_gdp, slow_quantile
from tests.synthesizers.brute_force import fraction

F = Fraction
HAIR = F(1, 10**20)


def shown_by(extreme: Extreme) -> mpmath.mpf:
    """The μ that the witness's two probabilities prove, at their worst ends."""
    assert extreme.witness is not None
    likely, unlikely = extreme.witness.probabilities
    with mpmath.workdps(2 * DIGITS):
        return slow_quantile(F(likely.lower)) - slow_quantile(F(unlikely.upper))


@given(rational_channels())
def test_mu_of_fractions_is_the_largest_over_all_tests(channel: Channel) -> None:
    found, truth = gdp(channel), slow_gdp(channel)
    assert encloses(found.enclosure, truth)
    assert is_narrow(found.enclosure, F(1, 10**25))
    if found.enclosure.lower == 0:
        assert found.witness is None and found.enclosure.upper == 0
        return
    assert found.witness is not None
    assert honest(channel, found.witness)
    if mpmath.isinf(truth):
        first, second = (ends.lower for ends in found.witness.probabilities)
        assert first > 0 == second
    else:
        assert abs(shown_by(found) - truth) < 1e-25


@given(rational_channels(), roundings(10**4))
@settings(max_examples=60)
def test_mu_of_doubles_encloses_the_exact_value(
    channel: Channel, rounding: tuple[int, list[int]]
) -> None:
    found, truth = gdp(floated(channel, *rounding)), slow_gdp(channel)
    assert encloses(found.enclosure, truth)
    assert is_narrow(found.enclosure, F(1, 10**9))
    if found.witness is not None:
        assert honest(channel, found.witness)
        if not mpmath.isinf(truth):
            assert shown_by(found) >= fraction(F(found.enclosure.lower))


@given(rational_channels(), blurs(), st.booleans())
@settings(max_examples=60)
def test_wide_intervals_enclose_whatever_lies_in_them(
    channel: Channel, blur: tuple[Fraction, Fraction], doubles: bool
) -> None:
    truth = slow_gdp(channel)
    with pytest.MonkeyPatch.context() as patch:
        if doubles:
            patch.setattr(tradeoffs, "MAX_FRACTIONS", 0)
        vague = blurred(channel, *blur)
        assert encloses(gdp(vague).enclosure, truth)
        for limit in (F(0), F(1, 2), F(3, 2)):
            decision = decide_gdp(vague, limit)[0]
            assert decision in (Decision.UNDECIDED, right_decision(truth, limit))


@given(exponential_channels())
@settings(max_examples=30)
def test_mu_of_exponential_sums_is_known_far_beyond_doubles(channel: Channel) -> None:
    found = gdp(channel)
    assert is_narrow(found.enclosure, F(1, 10**22))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tradeoffs, "MAX_FRACTIONS", 0)
        rough = gdp(channel)
    assert rough.enclosure.lower <= found.enclosure.upper
    assert found.enclosure.lower <= rough.enclosure.upper
    assert is_narrow(rough.enclosure, F(1, 10**12))
    if found.witness is not None:
        assert honest(channel, found.witness)


@pytest.mark.parametrize("text", ["1/1000", "1/10", "1", "3", "20", "100"])
def test_randomised_response_has_mu_in_closed_form(text: str) -> None:
    # Breakpoints (0, 1), (q, q), (1, 0) with q = 1/(1 + e^ε): μ = -2 Φ⁻¹(q).
    found = gdp(randomised_response(F(text)))
    with mpmath.workdps(4 * DIGITS):
        q = 1 / (1 + mpmath.exp(fraction(F(text))))
        truth = -2 * mpmath.sqrt(2) * mpmath.erfinv(2 * q - 1)
    assert encloses(found.enclosure, truth)
    assert is_narrow(found.enclosure, F(1, 10**22))


def test_randomised_response_of_three_quarters() -> None:
    # Φ⁻¹(3/4) = 0.67448975019608174320, the probable error, to 20 digits.
    found = gdp(channel_of_rows([[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]]))
    assert encloses(
        found.enclosure, fraction(2 * F("0.67448975019608174320222701454130718538690442845"))
    )
    assert found.witness is not None
    assert found.witness.probabilities == (
        Enclosure(F(3, 4), F(3, 4)),
        Enclosure(F(1, 4), F(1, 4)),
    )


@pytest.mark.parametrize("program", ["geometric-sanitizer", "multinomial-dirichlet"])
def test_a_program_in_doubles_agrees_with_its_exact_chances(program: str) -> None:
    values = {"epsilon": "1"} if program == "geometric-sanitizer" else {"alpha": "1"}
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 5)
    exact = gdp(channel_of(build(program, values), setting, exact=True).channel)
    doubles = gdp(channel_of(build(program, values), setting).channel)
    assert is_narrow(exact.enclosure, F(1, 10**22)) and is_narrow(doubles.enclosure)
    assert doubles.enclosure.lower <= exact.enclosure.lower
    assert exact.enclosure.upper <= doubles.enclosure.upper


def test_without_neighbours_or_difference_mu_is_zero_exactly() -> None:
    rows: list[list[Exact]] = [[F(1), F(0)], [F(0), F(1)], [F(1, 2), F(1, 2)]]
    for shape in (SHAPES[0], SHAPES[4]):
        channel = channel_of_rows(rows[: len(shape[1])], shape)
        assert gdp(channel) == Extreme(Enclosure(F(0), F(0)), None, None)
    same = channel_of_rows([[F(1, 3), F(2, 3)]] * 3)
    assert decide_gdp(same, F(0)) == (Decision.HOLDS, Extreme(Enclosure(F(0), F(0)), None, None))
    # Doubles can't tell rows that differ by a rounding from equal ones.
    decision, extreme = decide_gdp(floated(same, 2, [0]), F(0))
    assert decision is Decision.UNDECIDED
    assert extreme.enclosure.lower == 0 and extreme.enclosure.upper < F(1, 10**13)


def test_an_impossible_output_makes_mu_infinite_with_its_witness() -> None:
    for tiny in (F(1, 4), F(1, 10**20), F(1, 10**400)):
        rows: list[list[Exact]] = [[1 - tiny, tiny], [F(1), F(0)]]
        for channel in (channel_of_rows(rows), channel_of_rows(rows[::-1])):
            decision, found = decide_gdp(channel, F(10**6))
            assert decision is Decision.VIOLATED
            assert found.enclosure == Enclosure.infinite()
            assert found.witness is not None and found.witness.event == ((1,),)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(tradeoffs, "MAX_FRACTIONS", 0)
                assert gdp(channel).enclosure == Enclosure.infinite()


def test_a_vague_zero_beside_a_chance_leaves_mu_open_above() -> None:
    vague = Interval(F(0), F(1, 2000))
    channel = channel_of_rows([[vague, Interval(F(999, 1000), F(1))], [F(1, 3), F(2, 3)]])
    found = gdp(channel).enclosure
    # Φ⁻¹(1/3) - Φ⁻¹(1/2000) = 2.86.
    assert 2.85 < found.lower < 2.87 and found.upper == math.inf
    assert decide_gdp(channel, F(3))[0] is Decision.UNDECIDED
    assert decide_gdp(channel, F(2))[0] is Decision.VIOLATED


@pytest.mark.parametrize("exponent", [20, 100, 300, 400])
def test_tiny_errors_of_both_types(exponent: int) -> None:
    tiny = F(1, 10**exponent)
    rows: list[list[Exact]] = [[1 - tiny, tiny], [3 * tiny, 1 - 3 * tiny]]
    channel = channel_of_rows(rows)
    found = gdp(channel)
    with mpmath.workdps(exponent + DIGITS):
        q = [mpmath.erfinv(1 - 2 * fraction(p)) * mpmath.sqrt(2) for p in (tiny, 3 * tiny)]
        assert abs(fraction(F(found.enclosure.lower)) - q[0] - q[1]) < 1e-20
    assert is_narrow(found.enclosure, F(1, 10**20))
    if exponent <= 300:
        rough = gdp(floated(channel, 2, [1, -1])).enclosure
        assert rough.lower <= found.enclosure.lower
        assert found.enclosure.upper <= rough.upper
        assert is_narrow(rough, F(1, 10**12))


def test_chances_below_the_doubles_keep_mu_finite_in_doubles() -> None:
    tiny = F(1, 10**400)
    channel = channel_of_rows(
        [[F(2, 3) - tiny, F(1, 3), tiny], [F(1, 3), F(2, 3) - 2 * tiny, 2 * tiny]]
    )
    truth = gdp(channel).enclosure
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tradeoffs, "MAX_FRACTIONS", 0)
        rough = gdp(channel).enclosure
    assert rough.lower <= truth.lower and truth.upper <= rough.upper
    assert is_narrow(truth, F(1, 10**20)) and is_narrow(rough)


def test_decisions_on_either_side_of_mu() -> None:
    channel = randomised_response(F(1))
    ends = gdp(channel).enclosure
    above, below = F(ends.upper) + HAIR, F(ends.lower) - HAIR
    assert decide_gdp(channel, above)[0] is Decision.HOLDS
    decision, extreme = decide_gdp(channel, below)
    assert decision is Decision.VIOLATED
    assert shown_by(extreme) > fraction(below)
    assert decide_gdp(channel, (above + below) / 2)[0] is Decision.UNDECIDED
