"""Measures against all pairs in fractions and high precision; decisions at equality."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import audit.channels.measures.extreme as extremes
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.delta import decide_delta, delta, epsilon_at, hockey_stick
from audit.channels.measures.epsilon import decide_epsilon, epsilon
from audit.channels.measures.extreme import decide
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.exact import Exact, ExpRational, enclose
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs import build
from tests.audit.channels.slow_measures import (
    SHAPES,
    blurred,
    channel_of_rows,
    encloses,
    exponential_channels,
    floated,
    fractions,
    honest,
    is_narrow,
    matrix,
    normalised,
    ordered_pairs,
    power,
    rational,
    rational_channels,
    shows_violation,
    slow_delta,
    slow_epsilon,
    slow_total_variation,
)
from tests.synthesizers.brute_force import fraction, rational_near

F = Fraction
HAIR = F(1, 10**30)
EPSILONS = (F(0), F(1, 3), F(1), F(5, 2))


def program_channel(name: str, cells: int, records: int, **values: str) -> Channel:
    """The exact channel of a built-in program under ReplaceOne."""
    setting = Setting.of(Domain.from_cells(str(cells)), ReplaceOne(), records)
    return channel_of(build(name, values), setting, exact=True).channel


# -- epsilon ---------------------------------------------------------------------------------


@given(rational_channels())
def test_epsilon_of_fractions_is_the_largest_ratio(channel: Channel) -> None:
    found, truth = epsilon(channel), slow_epsilon(channel)
    assert encloses(found.enclosure, truth)
    assert is_narrow(found.enclosure)
    assert (found.witness is None) == (not list(ordered_pairs(channel)))
    if found.witness is None:
        return
    assert honest(channel, found.witness)
    first, second = (ends.lower for ends in found.witness.probabilities)
    if mpmath.isinf(truth):
        assert first > 0 == second
        assert found.enclosure.lower == math.inf
    else:
        table = fractions(channel)
        rows = [zip(table[a], table[b], strict=True) for a, b in ordered_pairs(channel)]
        ratios = [p / q for row in rows for p, q in row if p]
        assert found.value == max(ratios) == F(first) / F(second)


@given(exponential_channels())
@settings(max_examples=60)
def test_epsilon_of_exponential_sums(channel: Channel) -> None:
    found, truth = epsilon(channel), slow_epsilon(channel)
    assert encloses(found.enclosure, truth)
    assert is_narrow(found.enclosure)
    if found.witness is not None:
        assert honest(channel, found.witness)


@given(
    rational_channels(),
    st.integers(1, 10**6),
    st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=7),
)
def test_epsilon_and_delta_of_doubles_enclose_the_exact_values(
    channel: Channel, operations: int, steps: list[int]
) -> None:
    doubles = floated(channel, operations, steps)
    found, truth = epsilon(doubles), slow_epsilon(channel)
    assert encloses(found.enclosure, truth)
    assert is_narrow(found.enclosure, F(1, 10**6))
    assert found.value is None or found.witness is None
    if found.witness is not None:
        assert honest(channel, found.witness)
    for loss in EPSILONS:
        extreme = delta(doubles, loss)
        assert encloses(extreme.enclosure, slow_delta(channel, loss))
        assert is_narrow(extreme.enclosure, F(1, 10**6))
        if extreme.witness is not None:
            assert honest(channel, extreme.witness)


@given(
    rational_channels(),
    st.sampled_from([F(1, 1000), F(1, 20), F(1, 3)]),
    st.sampled_from([F(0), F(1, 2), F(1)]),
)
def test_wide_intervals_enclose_whatever_lies_in_them(
    channel: Channel, width: Fraction, shift: Fraction
) -> None:
    vague = blurred(channel, width, shift)
    assert encloses(epsilon(vague).enclosure, slow_epsilon(channel))
    for loss in EPSILONS:
        truth = slow_delta(channel, loss)
        found = delta(vague, loss)
        assert encloses(found.enclosure, truth)
        for limit in (F(0), F(1, 10), F(1, 2)):
            decision = decide(found, limit, limit)
            if decision is not Decision.UNDECIDED:
                violated = rational_near(truth) > limit
                assert (decision is Decision.VIOLATED) == violated


@given(st.one_of(rational_channels(), exponential_channels()))
@settings(max_examples=60)
def test_without_exact_comparisons_the_doubles_still_enclose(channel: Channel) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for module in ("epsilon", "delta"):
            patch.setattr(f"audit.channels.measures.{module}.MAX_EXACT_TERMS", 0)
        found = epsilon(channel)
        assert encloses(found.enclosure, slow_epsilon(channel))
        assert is_narrow(found.enclosure)
        for loss in EPSILONS:
            extreme = delta(channel, loss)
            assert extreme.value is None or extreme.witness is None
            assert encloses(extreme.enclosure, slow_delta(channel, loss))
            assert is_narrow(extreme.enclosure)
            if extreme.witness is not None and extreme.enclosure.lower > F(1, 10**9):
                claimed = rational(extreme.enclosure.lower)
                assert shows_violation(extreme.witness, loss, claimed - claimed / 10**9)


def test_a_single_database_or_no_neighbours_have_nothing_to_lose() -> None:
    for shape in (SHAPES[0], SHAPES[4]):
        rows: list[list[Exact]] = [[F(1), F(0)], [F(0), F(1)], [F(1, 2), F(1, 2)]]
        channel = channel_of_rows(rows[: len(shape[1])], shape)
        assert epsilon(channel).enclosure == Enclosure(F(0), F(0))
        assert delta(channel, F(0)).enclosure == Enclosure(F(0), F(0))
        assert epsilon_at(channel, F(0)) == Enclosure(F(0), F(0))
        assert decide_epsilon(channel, F(0))[0] is Decision.HOLDS
        assert decide_delta(channel, F(0), F(0))[0] is Decision.HOLDS


def test_a_constant_output_loses_nothing_exactly() -> None:
    channel = channel_of_rows([[F(1)], [F(1)], [F(1)]])
    found = epsilon(channel)
    assert found.value == 1
    assert found.enclosure == Enclosure(F(0), F(0))
    assert decide_epsilon(channel, F(0))[0] is Decision.HOLDS


def test_a_zero_beside_a_non_zero_is_infinite_whatever_stands_elsewhere() -> None:
    for side in (0, 1):
        rows: list[list[Exact]] = [[F(1, 2), F(1, 2), F(0)], [F(1, 2), F(1, 4), F(1, 4)]]
        channel = channel_of_rows(rows if side else rows[::-1])
        decision, found = decide_epsilon(channel, F(10**5))
        assert found.enclosure == Enclosure.infinite()
        assert decision is Decision.VIOLATED
        assert found.witness is not None
        assert found.witness.event == ((2,),)
        assert found.witness.probabilities == (
            Enclosure(F(1, 4), F(1, 4)),
            Enclosure(F(0), F(0)),
        )
        assert shows_violation(found.witness, F(10**5), F(0))


@pytest.mark.parametrize("exponent", [300, 308, 310, 320, 323, 324, 400, 3000])
def test_chances_below_the_doubles_are_neither_zero_nor_lost(exponent: int) -> None:
    tiny = F(1, 10**exponent)
    beside_zero = channel_of_rows([[1 - tiny, tiny], [F(1), F(0)]])
    decision, found = decide_epsilon(beside_zero, F(1000))
    assert found.enclosure == Enclosure.infinite()
    assert decision is Decision.VIOLATED
    assert found.witness is not None
    assert found.witness.event == ((1,),)
    assert shows_violation(found.witness, F(1000), F(0))
    extreme = delta(beside_zero, F(1))
    assert extreme.value == tiny
    assert extreme.witness is not None
    assert shows_violation(extreme.witness, F(1), tiny * (1 - HAIR))
    # Both non-zero: the ratio is finite, and exact.
    finite = channel_of_rows([[1 - tiny, tiny], [1 - 3 * tiny, 3 * tiny]])
    assert epsilon(finite).value == 3
    # ... and far beyond the doubles where the other side is ordinary.
    steep = channel_of_rows([[1 - tiny, tiny], [F(1, 2), F(1, 2)]])
    found = epsilon(steep)
    assert found.value == 1 / tiny / 2
    assert is_narrow(found.enclosure)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("epsilon", "delta"):
            patch.setattr(f"audit.channels.measures.{module}.MAX_EXACT_TERMS", 0)
        assert encloses(epsilon(finite).enclosure, slow_epsilon(finite))
        assert encloses(epsilon(steep).enclosure, slow_epsilon(steep))
        assert epsilon(beside_zero).enclosure == Enclosure.infinite()
        assert delta(beside_zero, F(1)).enclosure.lower <= tiny
        assert delta(beside_zero, F(1)).enclosure.upper >= tiny


def test_subnormal_chances_keep_their_rounding_inside_the_enclosures() -> None:
    # Multiples of the smallest subnormal and a half: every product of doubles would be inexact.
    unit = F(1, 2**1074)
    with pytest.MonkeyPatch.context() as patch:
        for module in ("epsilon", "delta"):
            patch.setattr(f"audit.channels.measures.{module}.MAX_EXACT_TERMS", 0)
        for a in range(1, 6):
            for b in range(1, 6):
                p, q = a * unit * F(3, 4), b * unit * F(3, 4)
                channel = channel_of_rows([[p, 1 - p], [q, 1 - q]])
                for loss in (F(1, 3), F(1, 2), F(1)):
                    assert encloses_tiny(delta(channel, loss).enclosure, slow_delta(channel, loss))


def encloses_tiny(ends: Enclosure, truth: mpmath.mpf) -> bool:
    value = rational_near(truth)
    return ends.lower <= value * (1 + HAIR) and value * (1 - HAIR) <= ends.upper


def test_a_vague_chance_beside_a_certain_zero_leaves_epsilon_open() -> None:
    vague = Interval(F(0), F(1, 2000))
    channel = channel_of_rows([[vague, Interval(F(999, 1000), F(1))], [F(0), F(1)]])
    found = epsilon(channel)
    assert found.enclosure.lower < 1 / F(100)
    assert found.enclosure.upper == math.inf
    assert decide_epsilon(channel, F(1))[0] is Decision.UNDECIDED


# -- delta -----------------------------------------------------------------------------------


@given(rational_channels())
def test_delta_at_zero_is_the_total_variation_exactly(channel: Channel) -> None:
    found = delta(channel, F(0))
    truth = slow_total_variation(channel)
    assert found.value == truth
    assert found.enclosure == Enclosure(truth, truth)
    if found.witness is not None:
        assert honest(channel, found.witness)
        first, second = (F(ends.lower) for ends in found.witness.probabilities)
        assert first - second == found.value


@given(st.one_of(rational_channels(), exponential_channels()), st.sampled_from(EPSILONS))
@settings(max_examples=150)
def test_delta_over_all_pairs(channel: Channel, loss: Fraction) -> None:
    found, truth = delta(channel, loss), slow_delta(channel, loss)
    assert encloses(found.enclosure, truth)
    assert is_narrow(found.enclosure)
    assert found.value is not None
    if found.witness is not None:
        assert honest(channel, found.witness)
        largest = F(found.enclosure.lower)
        if largest > 0:
            assert shows_violation(found.witness, loss, largest * (1 - HAIR))


def test_delta_is_one_sided_and_takes_the_worse_direction() -> None:
    # From the first to the second database 0.2, back 0.1 at e^epsilon = 2.
    rows: list[list[Exact]] = [[F(6, 10), F(4, 10), F(0)], [F(2, 10), F(7, 10), F(1, 10)]]
    for ordered in (rows, rows[::-1]):
        channel = channel_of_rows(ordered)
        two = Fraction(math.log(2)).limit_denominator(10**12)
        assert abs(F(delta(channel, two).enclosure.lower) - F(1, 5)) < F(1, 10**9)
        witness = delta(channel, two).witness
        assert witness is not None
        assert F(witness.probabilities[0].lower) == F(6, 10)
        assert F(witness.probabilities[1].lower) == F(2, 10)


@pytest.mark.parametrize("loss", [F(709), F(1419, 2), F(710), F(745), F(5000), F(10**5)])
def test_delta_where_e_to_the_epsilon_is_beyond_the_doubles(loss: Fraction) -> None:
    exact = channel_of_rows([[F(9, 10), F(1, 10)], [F(1), F(0)]])
    assert delta(exact, loss).value == F(1, 10)
    for channel in (exact, floated(exact, 3, [1, -1, 0])):
        found = delta(channel, loss)
        assert encloses(found.enclosure, fraction(F(1, 10)))
        assert is_narrow(found.enclosure)
        assert found.witness is not None
        assert found.witness.event == ((1,),)
    none = channel_of_rows([[F(9, 10), F(1, 10)], [F(1, 2), F(1, 2)]])
    assert delta(none, loss).enclosure == Enclosure(F(0), F(0))


def test_hockey_stick_needs_every_sign() -> None:
    overlapping = [Interval(F(1, 4), F(1, 2))]
    assert hockey_stick(overlapping, [F(1, 3)], F(0)) is None
    assert hockey_stick([F(1, 2)], [F(1, 3)], F(0)) == F(1, 6)
    assert hockey_stick([F(0)], overlapping, F(0)) == 0


# -- decisions -------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [2, 3])
@pytest.mark.parametrize("text", ["1/7", "1/2", "1", "2", "31/10"])
def test_geometric_sanitizer_keeps_its_nominal_epsilon_as_an_equality(
    cells: int, text: str
) -> None:
    nominal = F(text)
    channel = program_channel("geometric-sanitizer", cells, 3 if cells == 2 else 2, epsilon=text)
    found = epsilon(channel)
    if cells == 3:
        # Rescaling and clamping may only hide: the transcript attains the nominal value.
        setting = Setting.of(Domain.from_cells("3"), ReplaceOne(), 2)
        program = build("geometric-sanitizer", {"epsilon": text})
        assert found.enclosure.upper <= nominal
        channel = channel_of(program, setting, exact=True, released="transcript").channel
        found = epsilon(channel)
    assert found.enclosure == Enclosure(nominal, nominal)
    assert decide_epsilon(channel, nominal)[0] is Decision.HOLDS
    assert decide_epsilon(channel, nominal + HAIR)[0] is Decision.HOLDS
    decision, extreme = decide_epsilon(channel, nominal - HAIR)
    assert decision is Decision.VIOLATED
    assert extreme.witness is not None
    assert shows_violation(extreme.witness, nominal - HAIR, F(0))
    assert not shows_violation(extreme.witness, nominal, F(0))


@pytest.mark.parametrize("cells", [2, 3, 4])
@pytest.mark.parametrize("alpha", ["1/2", "1", "2", "5/3"])
def test_predictive_dirichlet_multinomial_costs_ln_1_plus_m_over_alpha(
    cells: int, alpha: str
) -> None:
    records = {2: 5, 3: 3, 4: 2}[cells]
    channel = program_channel("multinomial-dirichlet", cells, records, alpha=alpha)
    found = epsilon(channel)
    assert found.value == 1 + records / F(alpha)
    with mpmath.workdps(60):
        assert encloses(found.enclosure, mpmath.log(1 + records / fraction(F(alpha))))


def test_predictive_dirichlet_multinomial_follows_the_smallest_alpha() -> None:
    channel = program_channel("multinomial-dirichlet", 3, 3, alpha="2,1/3,1")
    assert epsilon(channel).value == 1 + 3 / F(1, 3)


@pytest.mark.parametrize(("f", "records"), [("1/4", 4), ("1/2", 4), ("1/3", 3), ("3/5", 5)])
def test_a_subsample_has_delta_f_at_every_epsilon(f: str, records: int) -> None:
    channel = program_channel("subsample", 2, records, fraction=f)
    assert epsilon(channel).enclosure == Enclosure.infinite()
    assert decide_epsilon(channel, F(10**6))[0] is Decision.VIOLATED
    for loss in (F(0), F(1, 10), F(1), F(7), F(50), F(1000)):
        found = delta(channel, loss)
        assert found.enclosure == Enclosure(F(f), F(f))
        assert decide_delta(channel, loss, F(f))[0] is Decision.HOLDS
        decision, extreme = decide_delta(channel, loss, F(f) - HAIR)
        assert decision is Decision.VIOLATED
        assert extreme.witness is not None
        assert shows_violation(extreme.witness, loss, F(f) - HAIR)
    assert epsilon_at(channel, F(f)) == Enclosure(F(0), F(0))
    assert epsilon_at(channel, F(f) - HAIR) == Enclosure.infinite()
    assert epsilon_at(channel, F(0)) == Enclosure.infinite()


def test_decisions_at_a_delta_that_is_no_fraction() -> None:
    channel = program_channel("geometric-sanitizer", 2, 3, epsilon="2")
    found = delta(channel, F(1))
    middle = (F(found.enclosure.lower) + F(found.enclosure.upper)) / 2
    assert decide_delta(channel, F(1), middle + HAIR)[0] is Decision.HOLDS
    decision, extreme = decide_delta(channel, F(1), middle - HAIR)
    assert decision is Decision.VIOLATED
    assert extreme.witness is not None
    assert shows_violation(extreme.witness, F(1), middle - HAIR)


@given(rational_channels(), st.sampled_from([F(1, 2), F(1), F(3, 2)]), st.sampled_from([-1, 0, 1]))
def test_decisions_about_doubles_are_right_or_open(
    channel: Channel, wanted: Fraction, side: int
) -> None:
    doubles = floated(channel, 50, [1, -1])
    for value, truth in (
        (decide_epsilon(doubles, wanted)[0], rational_or_inf(slow_epsilon(channel)) > wanted),
        (
            decide_delta(doubles, wanted, F(1, 3) + side * HAIR)[0],
            rational_near(slow_delta(channel, wanted)) > F(1, 3) + side * HAIR,
        ),
    ):
        assert value is Decision.UNDECIDED or (value is Decision.VIOLATED) == truth


def rational_or_inf(value: mpmath.mpf) -> Fraction | float:
    return math.inf if mpmath.isinf(value) else rational_near(value)


def test_an_equality_in_doubles_is_left_open() -> None:
    exact = channel_of_rows([[F(2, 3), F(1, 3)], [F(1, 3), F(2, 3)]])
    doubles = floated(exact, 2, [0])
    assert decide_delta(exact, F(0), F(1, 3))[0] is Decision.HOLDS
    assert decide_delta(doubles, F(0), F(1, 3))[0] is Decision.UNDECIDED
    assert decide_delta(doubles, F(0), F(1, 3) - F(1, 10**9))[0] is Decision.VIOLATED
    assert decide_delta(doubles, F(0), F(1, 3) + F(1, 10**9))[0] is Decision.HOLDS


def test_decide_by_enclosures_alone() -> None:
    def extreme(low: Fraction, high: Fraction) -> extremes.Extreme:
        return extremes.Extreme(Enclosure(low, high), None, None)

    e_one = ExpRational.exp(1)
    assert decide(extreme(F(0), F(1)), e_one, F(1)) is Decision.HOLDS
    assert decide(extreme(F(1), F(2)), e_one, F(1)) is Decision.UNDECIDED
    assert decide(extreme(F(1) + HAIR, F(2)), e_one, F(1)) is Decision.VIOLATED
    assert decide(extreme(F(1, 2), F(1, 2)), F(1, 2), F(1, 2)) is Decision.HOLDS
    assert decide(extreme(F(1, 2), F(3, 4)), F(1, 2), F(1, 2)) is Decision.UNDECIDED
    vague = extremes.Extreme(Enclosure(F(1, 4), F(1)), Interval(F(1, 4), F(1)), None)
    assert decide(vague, F(1, 2), F(1, 2)) is Decision.UNDECIDED


# -- epsilon at a delta ----------------------------------------------------------------------


def slow_epsilon_at(channel: Channel, limit: Fraction) -> Fraction | float:
    """The smallest ε with δ(ε) <= limit by halving [0, 40] to 2^-70; infinite beyond 40."""
    low, high = F(0), F(40)
    if rational_near(slow_delta(channel, low)) <= limit:
        return low
    for _ in range(75):
        middle = (low + high) / 2
        low, high = (
            (low, middle) if rational_near(slow_delta(channel, middle)) <= limit else (middle, high)
        )
    return math.inf if high == 40 else high


@given(
    st.one_of(rational_channels(), exponential_channels()),
    st.sampled_from([F(1, 1000), F(1, 20), F(1, 4), F(2, 3)]),
)
@settings(max_examples=40)
def test_epsilon_at_against_bisection_of_the_slow_delta(channel: Channel, limit: Fraction) -> None:
    truth = slow_epsilon_at(channel, limit)
    found = epsilon_at(channel, limit)
    if math.isinf(truth):
        assert found == Enclosure.infinite()
        return
    slack = F(1, 10**15)
    assert found.lower - slack <= truth <= found.upper + slack
    assert is_narrow(found, F(1, 10**8))
    # What the guarantee says, at the ends themselves.
    assert rational_near(slow_delta(channel, F(found.upper))) <= limit + F(1, 10**40)
    if found.lower > 0:
        before = F(found.lower) * (1 - F(1, 10**15))
        assert rational_near(slow_delta(channel, before)) > limit


@given(rational_channels(), st.sampled_from([F(1, 20), F(1, 4), F(2, 3)]))
@settings(max_examples=40)
def test_epsilon_at_of_doubles_and_intervals_still_encloses(
    channel: Channel, limit: Fraction
) -> None:
    truth = slow_epsilon_at(channel, limit)
    slack = F(1, 10**15)
    for vague in (floated(channel, 1000, [1, -1]), blurred(channel, F(1, 100), F(1, 2))):
        found = epsilon_at(vague, limit)
        assert found.lower - slack <= truth <= found.upper + slack


def test_epsilon_at_a_limit_that_delta_reaches_and_never_passes() -> None:
    # delta(ε) = 1/10 + (1/5 - e^ε/1000)₊ comes down to 1/10 at ln 200, and stays there.
    rows: list[list[Exact]] = [
        [F(1, 10), F(1, 5), F(7, 10)],
        [F(0), F(1, 1000), F(999, 1000)],
    ]
    found = epsilon_at(channel_of_rows(rows), F(1, 10))
    with mpmath.workdps(60):
        assert encloses(found, mpmath.log(200))
    assert is_narrow(found)


def test_epsilon_at_zero_delta_is_epsilon() -> None:
    channel = program_channel("geometric-sanitizer", 2, 2, epsilon="3/2")
    assert epsilon_at(channel, F(0)) == Enclosure(F(3, 2), F(3, 2))


# -- known values ----------------------------------------------------------------------------


def test_randomised_response_by_hand() -> None:
    # Keep with e/(1+e): epsilon 1 exactly; delta(1/2) = (e - sqrt e)/(1 + e).
    keep = ExpRational({F(1): F(1)}, {F(0): F(1), F(1): F(1)})
    channel = channel_of_rows([[keep, 1 - keep], [1 - keep, keep]])
    assert epsilon(channel).enclosure == Enclosure(F(1), F(1))
    with mpmath.workdps(60):
        e = mpmath.e
        assert encloses(delta(channel, F(1, 2)).enclosure, (e - mpmath.sqrt(e)) / (1 + e))
    assert delta(channel, F(1)).enclosure == Enclosure(F(0), F(0))


def test_add_remove_pairs_are_measured_too() -> None:
    rows: list[list[Exact]] = [normalised([F(1), F(1)]), normalised([F(1), F(3)])]
    channel = channel_of_rows(rows, (AddRemove(), ((0,), (1,))))
    assert epsilon(channel).value == 2
    apart = channel_of_rows(rows, (AddRemove(), ((0,), (2,))))
    assert epsilon(apart).witness is None


def test_every_pair_counts_the_last_one_too() -> None:
    # Only one pair of the chain differs; it is moved along the chain.
    for place in range(4):
        rows: list[list[Exact]] = [[F(1, 2), F(1, 2)]] * (place + 1)
        rows += [[F(1, 3), F(2, 3)]] * (4 - place)
        channel = channel_of_rows(rows)
        assert epsilon(channel).value == F(3, 2)
        assert delta(channel, F(0)).value == F(1, 6)
        witness = epsilon(channel).witness
        assert witness is not None
        assert {witness.source[0], witness.target[0]} == {place, place + 1}


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_pairs_that_doubles_cannot_tell_apart(order: tuple[int, ...]) -> None:
    # The second pair loses more than the first by a hair: value and witness are its own.
    rows: list[list[Exact]] = [
        [F(3, 4), F(1, 4)],
        [F(1, 2), F(1, 2)],
        [F(1, 4) - HAIR, F(3, 4) + HAIR],
    ]
    channel = channel_of_rows([rows[place] for place in order])
    found = delta(channel, F(0))
    assert found.value == F(1, 4) + HAIR
    assert found.witness is not None
    assert honest(channel, found.witness)
    assert shows_violation(found.witness, F(0), F(1, 4))
    ratios: list[list[Exact]] = [
        [F(1, 2), F(1, 2)],
        [F(1, 4), F(3, 4)],
        [F(1, 8) - HAIR, F(7, 8) + HAIR],
    ]
    channel = channel_of_rows([ratios[place] for place in order])
    steepest = epsilon(channel)
    assert steepest.value == F(1, 4) / (F(1, 8) - HAIR)
    assert steepest.witness is not None
    first, second = (F(ends.lower) for ends in steepest.witness.probabilities)
    assert first / second == steepest.value


def test_chances_of_any_form_mix() -> None:
    keep = ExpRational({F(1): F(1)}, {F(0): F(1), F(1): F(1)})
    near = enclose(keep)
    rows: list[list[Exact]] = [[keep, 1 - keep], [F(1, 2), F(1, 2)], [near, 1 - near]]
    channel = channel_of_rows(rows)
    found = epsilon(channel)
    with mpmath.workdps(60):
        # ln((1/2)/(1/(1+e)))
        assert encloses(found.enclosure, mpmath.log((1 + mpmath.e) / 2))
    assert encloses(delta(channel, F(0)).enclosure, slow_delta(channel, F(0)))


def test_power_is_the_reference() -> None:
    assert abs(power(F(1)) - mpmath.e) < 1e-15
    assert matrix([[F(1)]]).shape == (1, 1)
    assert np.isclose(float(power(F(0))), 1.0)


@pytest.mark.slow
@given(st.one_of(rational_channels(), exponential_channels()))
@settings(max_examples=600)
def test_more_channels_of_every_kind(channel: Channel) -> None:
    assume(len(channel.outputs) > 1)
    assert encloses(epsilon(channel).enclosure, slow_epsilon(channel))
    for loss in (*EPSILONS, F(7, 3), F(20)):
        assert encloses(delta(channel, loss).enclosure, slow_delta(channel, loss))


def test_chances_that_may_all_be_zero_prove_nothing() -> None:
    rows: list[list[Fraction]] = [[F(1, 4)] * 4, [F(1, 6), F(1, 6), F(1, 3), F(1, 3)]]
    vague = blurred(channel_of_rows(rows), F(1, 3), F(1))
    assert not vague.lower.any()
    found = epsilon(vague)
    assert found.enclosure.lower == 0
    assert found.enclosure.upper == math.inf
    assert found.witness is None
    assert decide_epsilon(vague, F(1, 10))[0] is Decision.UNDECIDED
    assert decide_delta(vague, F(1, 10), F(1, 100))[0] is Decision.UNDECIDED
