"""Attackers against Bayes' rule over all pairs, outputs and guesses, in fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.ends as ends_module
from audit.channels.abowd_vilhuber import laplace_channel, plug_in_channel, predictive_channel
from audit.channels.channel import Channel
from audit.channels.measures.attacker import (
    Guess,
    LastRecord,
    guess,
    last_record,
    naming,
    posterior,
)
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.probabilistic import data_laws
from audit.statements.decimals import Enclosure
from synthesizers.errors import InputError
from synthesizers.exact import Exact
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.audit.channels.slow_measures import (
    DIGITS,
    SHAPES,
    blurred,
    channel_of_rows,
    encloses,
    exponential_channels,
    floated,
    fractions,
    honest,
    is_narrow,
    numbers,
    ordered_pairs,
    randomised_response,
    rational,
    rational_channels,
)
from tests.synthesizers.brute_force import fraction

F = Fraction
PRIORS = (F(1, 2), F(1, 100), F(2, 3), F(9, 10))
ONE = Enclosure(F(1), F(1))


def prior_of(channel: Channel, step: int) -> list[Fraction]:
    """A prior over the databases: even, or with more or less weight on each, and zeros."""
    weights = [F((step * row) % 4 + (row == 0)) for row in range(len(channel.databases))]
    return [weight / sum(weights) for weight in weights]


def slow_posterior(channel: Channel, prior: Fraction) -> Fraction | None:
    """Bayes' rule for every ordered pair and output; None without neighbours."""
    table = fractions(channel)
    return max(
        (
            prior * p / (prior * p + (1 - prior) * q)
            for a, b in ordered_pairs(channel)
            for p, q in zip(table[a], table[b], strict=True)
            if p
        ),
        default=None,
    )


def slow_right(channel: Channel, prior: Fraction) -> Fraction:
    """The chance of the better guess at every output, for the pair that is told apart best."""
    table = fractions(channel)
    return max(
        (
            sum(
                (max(prior * p, (1 - prior) * q) for p, q in zip(table[a], table[b], strict=True)),
                F(0),
            )
            for a, b in ordered_pairs(channel)
        ),
        default=max(prior, 1 - prior),
    )


def slow_naming(channel: Channel, prior: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """The chance of the best guess at every output, and the largest posterior probability."""
    right, surest = F(0), F(0)
    for column in zip(*fractions(channel), strict=True):
        joint = [weight * p for weight, p in zip(prior, column, strict=True)]
        right += max(joint)
        surest = max([surest, *(x / sum(joint) for x in joint if x)])
    return right, surest


# -- all records but one -----------------------------------------------------------------------


@given(rational_channels(), st.sampled_from(PRIORS))
def test_the_posterior_is_bayes_rule_over_all_pairs_and_outputs(
    channel: Channel, prior: Fraction
) -> None:
    loss = epsilon(channel)
    found, truth = last_record(loss, prior), slow_posterior(channel, prior)
    if truth is None:
        assert found == LastRecord(prior, ONE, Enclosure(prior, prior), None)
        return
    assert found.posterior == Enclosure(truth, truth)
    assert found.witness is not None
    assert honest(channel, found.witness)
    likely, rare = (F(ends.lower) for ends in found.witness.probabilities)
    assert prior * likely / (prior * likely + (1 - prior) * rare) == truth
    # Equation (4): the posterior odds are the prior odds times the gain, whatever the prior.
    if truth < 1:
        assert truth / (1 - truth) / (prior / (1 - prior)) == found.gain.lower == loss.value
    else:
        assert found.gain == Enclosure.infinite()


@given(rational_channels(), st.sampled_from(PRIORS), st.booleans())
def test_the_posterior_of_vague_chances_encloses(
    channel: Channel, prior: Fraction, wide: bool
) -> None:
    vague = blurred(channel, F(1, 20), F(1, 2)) if wide else floated(channel, 1000, [1, -1, 0])
    found, truth = last_record(epsilon(vague), prior), slow_posterior(channel, prior)
    assert found.posterior.lower <= (prior if truth is None else truth) <= found.posterior.upper
    assert wide or is_narrow(found.posterior, F(1, 10**9))


@given(exponential_channels(), st.sampled_from(PRIORS))
@settings(max_examples=40)
def test_the_posterior_of_exponential_sums(channel: Channel, prior: Fraction) -> None:
    table, truth = numbers(channel), fraction(prior)
    with mpmath.workdps(DIGITS):
        p = fraction(prior)
        for a, b in ordered_pairs(channel):
            for likely, rare in zip(table[a], table[b], strict=True):
                if likely:
                    truth = max(truth, p * likely / (p * likely + (1 - p) * rare))
    found = last_record(epsilon(channel), prior)
    assert encloses(found.posterior, truth)
    assert is_narrow(found.posterior, F(1, 10**40))


def test_epsilon_2_takes_a_coin_flip_to_88_percent() -> None:
    # e^2/(1 + e^2) = 0.880797; from 1 in 10: e^2/(e^2 + 9) = 0.450853.
    loss = epsilon(laplace_channel())
    with mpmath.workdps(DIGITS):
        square = mpmath.exp(2)
        assert encloses(last_record(loss).gain, square)
        assert encloses(last_record(loss).posterior, square / (1 + square))
        assert encloses(last_record(loss, F(1, 10)).posterior, square / (square + 9))
    assert f"{float(last_record(loss).posterior.lower):.6f}" == "0.880797"


def test_the_papers_synthesizers_by_hand() -> None:
    # Odds of 3^5 = 243 for the plug-in, of 11 for equation (1).
    for channel, gain in ((plug_in_channel(), 243), (predictive_channel(), 11)):
        found = last_record(epsilon(channel))
        assert found.gain == Enclosure(F(gain), F(gain))
        assert found.posterior == Enclosure(F(gain, gain + 1), F(gain, gain + 1))


def test_a_gain_is_enclosed_where_only_epsilon_is() -> None:
    found = last_record(Extreme(Enclosure(F(1), F(2)), None, None))
    with mpmath.workdps(DIGITS):
        low, high = mpmath.e, mpmath.exp(2)
        assert encloses(Enclosure(found.gain.lower, F(3)), low)
        assert encloses(Enclosure(F(7), found.gain.upper), high)
    assert found.gain.upper < F("7.3891")
    assert found.gain.lower > F("2.7182")


def test_a_zero_beside_a_non_zero_is_certainty_at_every_prior() -> None:
    channel = channel_of_rows([[F(1, 2), F(1, 2)], [F(1), F(0)]])
    for prior in (*PRIORS, F(1, 10**30)):
        found = last_record(epsilon(channel), prior)
        assert (found.gain, found.posterior) == (Enclosure.infinite(), ONE)
        assert found.witness is not None
        assert found.witness.event == ((1,),)


def test_a_gain_that_may_be_infinite() -> None:
    vague = Interval(F(0), F(1, 2000))
    rows: list[list[Exact]] = [[vague, Interval(F(999, 1000), F(1))], [F(0), F(1)]]
    found = last_record(epsilon(channel_of_rows(rows)))
    assert found.gain.upper == math.inf
    assert found.posterior.upper == 1
    assert found.posterior.lower < F(51, 100)


def test_a_gain_beyond_the_doubles() -> None:
    tiny = F(1, 10**400)
    channel = channel_of_rows([[1 - tiny, tiny], [F(1, 2), F(1, 2)]])
    found = last_record(epsilon(channel), F(1, 10))
    assert found.gain == Enclosure(1 / tiny / 2, 1 / tiny / 2)
    assert 1 - F(10) * tiny * 2 < found.posterior.lower < 1


@pytest.mark.parametrize("prior", [F(0), F(1), F(-1, 2), F(3, 2), 0.5])
def test_a_prior_probability_lies_between_0_and_1(prior: Fraction) -> None:
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        last_record(epsilon(channel_of_rows([[F(1)], [F(1)]])), prior)
    with pytest.raises(InputError, match="strictly between 0 and 1"):
        guess(channel_of_rows([[F(1)], [F(1)]]), prior)


# -- two neighbours ----------------------------------------------------------------------------


@given(rational_channels())
def test_the_advantage_is_the_total_variation(channel: Channel) -> None:
    found = guess(channel)
    assert found.right == Enclosure(*[slow_right(channel, F(1, 2))] * 2)
    assert found.advantage == delta(channel, F(0)).enclosure
    loss = epsilon(channel).value
    if loss is not None:
        assert found.advantage.upper <= (rational(loss) - 1) / (rational(loss) + 1)
    assert (found.witness is None) == (not list(ordered_pairs(channel)))
    if found.witness is not None:
        assert honest(channel, found.witness)
        first, second = (F(ends.lower) for ends in found.witness.probabilities)
        assert (1 + first - second) / 2 == found.right.lower


@given(rational_channels(), st.sampled_from(PRIORS))
def test_the_best_guess_at_a_skewed_prior(channel: Channel, prior: Fraction) -> None:
    found, truth = guess(channel, prior), slow_right(channel, prior)
    assert found.right.lower <= truth <= found.right.upper
    assert is_narrow(found.right, F(1, 10**20))
    assert found.without == max(prior, 1 - prior) <= found.right.upper
    if found.witness is not None:
        # Who names the first of the pair on the event, and the second otherwise, is as often right.
        rarer = min(prior, 1 - prior)
        first, second = (F(ends.lower) for ends in found.witness.probabilities)
        assert abs(rarer * first + (1 - rarer) * (1 - second) - truth) < F(1, 10**20)


@given(rational_channels(), st.sampled_from(PRIORS), st.booleans())
def test_the_best_guess_from_vague_chances_encloses(
    channel: Channel, prior: Fraction, wide: bool
) -> None:
    vague = blurred(channel, F(1, 20), F(1, 2)) if wide else floated(channel, 1000, [1, -1, 0])
    found, truth = guess(vague, prior), slow_right(channel, prior)
    assert found.right.lower <= truth <= found.right.upper
    assert wide or is_narrow(found.right, F(1, 10**9))


def test_randomised_response_by_hand() -> None:
    # Keep with e/(1+e): the advantage is (e - 1)/(e + 1), which no channel of epsilon 1 exceeds.
    channel = randomised_response(F(1))
    with mpmath.workdps(DIGITS):
        e = mpmath.e
        assert encloses(guess(channel).advantage, (e - 1) / (e + 1))
        assert encloses(guess(channel).right, e / (e + 1))
    # At a prior of 1/4 the odds of 3 outweigh any output.
    assert guess(channel, F(1, 4)).right == Enclosure(F(3, 4), F(3, 4))
    assert guess(channel, F(3, 4)).right == Enclosure(F(3, 4), F(3, 4))


def test_the_logarithm_of_the_odds_is_taken_at_both_ends() -> None:
    # At odds of 2 to 1: 1/3 · 3/4 on one output, 2/3 · 3/4 on the other; ln 2 is no fraction.
    channel = channel_of_rows([[F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)]])
    for prior in (F(1, 3), F(2, 3)):
        found = guess(channel, prior)
        assert found.right.lower <= F(3, 4) <= found.right.upper
        assert is_narrow(found.right, F(1, 10**25))


def test_a_prior_within_rounding_of_the_largest_odds() -> None:
    # With a gain of 2 a prior of 1/3 is just balanced: the guess gains nothing.
    channel = channel_of_rows([[F(2, 3), F(1, 3)], [F(1, 3), F(2, 3)]])
    found = guess(channel, F(1, 3))
    assert found.right.lower == F(2, 3)
    assert F(2, 3) <= found.right.upper < F(2, 3) + F(1, 10**25)


def test_no_neighbours_leave_the_prior() -> None:
    for shape in (SHAPES[0], SHAPES[4]):
        rows: list[list[Exact]] = [[F(1), F(0)], [F(0), F(1)], [F(1, 2), F(1, 2)]]
        channel = channel_of_rows(rows[: len(shape[1])], shape)
        assert guess(channel, F(1, 5)) == Guess(F(1, 5), Enclosure(F(4, 5), F(4, 5)), None)
        assert last_record(epsilon(channel)).posterior == Enclosure(F(1, 2), F(1, 2))


# -- a prior over all databases ----------------------------------------------------------------


@given(rational_channels(), st.integers(0, 3))
def test_naming_is_bayes_rule_over_all_outputs(channel: Channel, step: int) -> None:
    prior = prior_of(channel, step)
    found, (right, surest) = naming(channel, prior), slow_naming(channel, prior)
    assert found.without == max(prior)
    assert found.right == Enclosure(right, right)
    assert found.gain == Enclosure(right / max(prior), right / max(prior))
    assert found.gain.lower >= 1
    assert found.surest == Enclosure(surest, surest)
    after = posterior(channel, prior, channel.outputs.index(found.output))
    assert after is not None
    assert after[channel.databases.tolist().index(list(found.database))] == found.surest
    loss = epsilon(channel).value
    if loss is not None and len(channel.databases) == 2:
        assert found.gain.upper <= rational(loss)


@given(rational_channels(), st.integers(0, 3), st.booleans())
def test_naming_from_vague_chances_encloses(channel: Channel, step: int, wide: bool) -> None:
    prior = prior_of(channel, step)
    vague = blurred(channel, F(1, 20), F(1, 2)) if wide else floated(channel, 1000, [1, -1, 0])
    found, (right, surest) = naming(vague, prior), slow_naming(channel, prior)
    assert found.right.lower <= right <= found.right.upper
    assert found.surest.lower <= surest <= found.surest.upper
    assert wide or (is_narrow(found.right, F(1, 10**9)) and is_narrow(found.surest, F(1, 10**9)))
    for output, column in enumerate(zip(*fractions(channel), strict=True)):
        joint = [weight * p for weight, p in zip(prior, column, strict=True)]
        after = posterior(vague, prior, output)
        if not any(joint):
            assert wide or after is None
            continue
        assert after is not None
        for ends, x in zip(after, joint, strict=True):
            assert ends.lower <= x / sum(joint) <= ends.upper


@given(rational_channels(), st.integers(0, 3))
@settings(max_examples=60)
def test_columns_come_a_few_at_a_time(channel: Channel, step: int) -> None:
    prior, doubles = prior_of(channel, step), floated(channel, 3, [1, 0])
    right, surest = slow_naming(channel, prior)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.channels.channel.BLOCK", 1)
        found = naming(doubles, prior)
        after = posterior(doubles, prior, channel.outputs.index(found.output))
    assert found.right.lower <= right <= found.right.upper
    assert is_narrow(found.right)
    assert found.surest.lower <= surest <= found.surest.upper
    assert is_narrow(found.surest)
    assert after is not None
    assert after[channel.databases.tolist().index(list(found.database))].lower == found.surest.lower


def test_the_largest_posterior_may_be_in_any_block() -> None:
    rows: list[list[Exact]] = [
        [Interval(F("0.2"), F("0.65")), Interval(F("0.35"), F("0.8"))],
        [F("0.4"), F("0.6")],
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.channels.channel.BLOCK", 1)
        patch.setattr(ends_module, "MAX_RATIONALS", 0)
        found = naming(channel_of_rows(rows), [F(1, 2)] * 2)
    # Each share at its least and its most: first 0.2/0.6 to 0.65/1.05 beside 0.4/1.05 to 0.4/0.6,
    # then 0.35/0.95 to 0.8/1.4 beside 0.6/1.4 to 0.6/0.95.
    assert 0 <= F(6, 14) - F(found.surest.lower) < F(1, 10**12)
    assert 0 <= F(found.surest.upper) - F(4, 6) < F(1, 10**12)


@given(rational_channels(), st.integers(0, 3))
def test_the_posterior_distribution_is_exact(channel: Channel, step: int) -> None:
    prior = prior_of(channel, step)
    for output, column in enumerate(zip(*fractions(channel), strict=True)):
        joint = [weight * p for weight, p in zip(prior, column, strict=True)]
        after = posterior(channel, prior, output)
        if not any(joint):
            assert after is None
        else:
            assert after == tuple(Enclosure(*[x / sum(joint)] * 2) for x in joint)


@given(st.one_of(rational_channels(), exponential_channels()))
@settings(max_examples=40)
def test_large_exact_channels_are_added_up_in_doubles(channel: Channel) -> None:
    prior = prior_of(channel, 1)
    precise = naming(channel, prior)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ends_module, "MAX_RATIONALS", 0)
        found = naming(channel, prior)
    for wide, close in ((found.right, precise.right), (found.surest, precise.surest)):
        assert wide.lower <= F(close.lower)
        assert F(close.upper) <= wide.upper
        assert is_narrow(wide)


def test_naming_the_table_behind_figure_1_by_hand() -> None:
    # Evenly over n = 0 … 5 the best guess at m is n = m: the mean of the diagonal.
    channel = plug_in_channel()
    row = [
        [math.comb(5, m) * F(2 * n + 1, 12) ** m * F(11 - 2 * n, 12) ** (5 - m) for m in range(6)]
        for n in range(6)
    ]
    diagonal = sum((row[n][n] for n in range(6)), F(0))
    found = naming(channel, data_laws(channel)["uniform"])
    assert found.without == F(1, 6)
    assert found.right == Enclosure(diagonal / 6, diagonal / 6)
    # At m = 0 the chances are 11^5, 9^5, … over 12^5.
    surest = F(11**5, sum(odd**5 for odd in (1, 3, 5, 7, 9, 11)))
    assert found.surest == Enclosure(surest, surest)
    assert (found.database, found.output) == ((0, 5), (0, 5))


def test_the_table_itself_released_is_named_for_certain() -> None:
    rows: list[list[Exact]] = [[F(1), F(0), F(0)], [F(0), F(1), F(0)], [F(0), F(0), F(1)]]
    for channel in (channel_of_rows(rows), floated(channel_of_rows(rows), 3, [1])):
        found = naming(channel, [F(1, 3)] * 3)
        assert found.surest == ONE
        assert found.gain.upper <= 3
        assert is_narrow(found.right)


def test_what_tells_nothing_gains_nothing() -> None:
    channel = channel_of_rows([[F(1, 4), F(3, 4)]] * 3)
    prior = [F(1, 2), F(1, 3), F(1, 6)]
    found = naming(channel, prior)
    assert found.gain == ONE
    assert found.surest == Enclosure(F(1, 2), F(1, 2))
    assert posterior(channel, prior, 1) == tuple(Enclosure(p, p) for p in prior)


def test_databases_that_the_prior_rules_out_are_never_named() -> None:
    channel = channel_of_rows([[F(1), F(0)], [F(1, 2), F(1, 2)], [F(0), F(1)]])
    prior = [F(1, 2), F(1, 2), F(0)]
    found = naming(channel, prior)
    assert found.right == Enclosure(F(3, 4), F(3, 4))
    assert (found.surest, found.database) == (ONE, (1, 1))
    assert posterior(channel, [F(1), F(0), F(0)], 1) is None


def test_an_output_that_is_perhaps_impossible_has_a_posterior() -> None:
    rows: list[list[Exact]] = [[Interval(F(0), F(1, 4)), Interval(F(3, 4), F(1))], [F(0), F(1)]]
    after = posterior(channel_of_rows(rows), [F(1, 2)] * 2, 0)
    assert after == (Enclosure(F(0), F(1)), Enclosure(F(0), F(0)))


def test_databases_of_several_sizes_and_none_at_all() -> None:
    shape = (AddRemove(), ((0,), (1,)))
    found = naming(channel_of_rows([[F(1), F(0)], [F(1, 4), F(3, 4)]], shape), [F(1, 2)] * 2)
    assert found.right == Enclosure(F(7, 8), F(7, 8))
    single = naming(channel_of_rows([[F(1, 4), F(3, 4)]], (ReplaceOne(), ((0,),))), [F(1)])
    assert (single.without, single.right, single.surest) == (F(1), ONE, ONE)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        ([F(1)], "one probability for each of the 2 listed databases, found 1"),
        ([F(1, 2), F(1, 3)], "sum to 1, found 5/6"),
        ([F(3, 2), F(-1, 2)], "at least 0"),
        ([0.5, 0.5], "are fractions"),
    ],
)
def test_a_prior_is_a_distribution(prior: list[Fraction], message: str) -> None:
    channel = channel_of_rows([[F(1)], [F(1)]])
    with pytest.raises(InputError, match=message):
        naming(channel, prior)
    with pytest.raises(InputError, match=message):
        posterior(channel, prior, 0)


def test_an_output_that_is_not_there() -> None:
    with pytest.raises(InputError, match="from 0 to 0, found 1"):
        posterior(channel_of_rows([[F(1)], [F(1)]]), [F(1, 2)] * 2, 1)
