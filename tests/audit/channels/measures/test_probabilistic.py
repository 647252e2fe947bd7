"""Probabilistic DP against all pairs, all outputs, in high precision."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.probabilistic as probabilistic
from audit.channels.channel import Channel
from audit.channels.measures.probabilistic import data_laws, probabilistic_delta
from audit.statements.decimals import Enclosure
from synthesizers.exact import Exact, ExpRational
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne, databases
from tests.audit.channels.slow_measures import (
    DIGITS,
    Shape,
    blurred,
    channel_of_rows,
    encloses,
    exponential_channels,
    floated,
    is_narrow,
    rational_channels,
    slow_exceeding,
)
from tests.synthesizers.brute_force import fraction

F = Fraction
EPSILONS = (F(0), F(1, 3), F(1), F(2))


def check(found: Channel, truth: Channel, loss: Fraction, width: Fraction | None) -> None:
    """Every number of a result against the slow version on the exact channel."""
    result = probabilistic_delta(found, loss)
    either, rarer = (slow_exceeding(truth, loss, rarer=which) for which in (False, True))
    assert encloses(result.worst, max(either))
    laws = data_laws(found)
    assert set(result.average) == {f"{n}{s}" for n in laws for s in ("", ", less likely cells")}
    for name, law in laws.items():
        for suffix, sums in (("", either), (", less likely cells", rarer)):
            with mpmath.workdps(DIGITS):
                mean = mpmath.fsum(fraction(w) * s for w, s in zip(law, sums, strict=True))
            ends = result.average[name + suffix]
            assert encloses(ends, mean)
            assert width is None or is_narrow(ends, width)
    if width is not None:
        assert is_narrow(result.worst, width)
        row = truth.databases.tolist().index(list(result.table))
        assert abs(either[row] - max(either)) < 1e-6


@given(st.one_of(rational_channels(), exponential_channels()), st.sampled_from(EPSILONS))
@settings(max_examples=120)
def test_exact_channels(channel: Channel, loss: Fraction) -> None:
    check(channel, channel, loss, F(1, 10**12))


@given(rational_channels(), st.sampled_from(EPSILONS), st.integers(1, 10**5))
def test_doubles_enclose(channel: Channel, loss: Fraction, operations: int) -> None:
    check(floated(channel, operations, [1, -1, 0]), channel, loss, None)


@given(rational_channels(), st.sampled_from(EPSILONS), st.sampled_from([F(1, 1000), F(1, 4)]))
def test_intervals_enclose(channel: Channel, loss: Fraction, width: Fraction) -> None:
    check(blurred(channel, width, F(1, 2)), channel, loss, None)


@given(st.one_of(rational_channels(), exponential_channels()), st.sampled_from(EPSILONS))
@settings(max_examples=40)
def test_without_exact_comparisons_the_doubles_still_enclose(
    channel: Channel, loss: Fraction
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probabilistic, "MAX_COMPARISONS", 0)
        check(channel, channel, loss, None)


def test_a_loss_of_exactly_epsilon_does_not_exceed_it() -> None:
    keep = ExpRational({F(1): F(1)}, {F(0): F(1), F(1): F(1)})
    channel = channel_of_rows([[keep, 1 - keep], [1 - keep, keep]])
    none = Enclosure(F(0), F(0))
    assert probabilistic_delta(channel, F(1)).worst == none
    assert probabilistic_delta(channel, F(1) + F(1, 10**30)).worst == none
    below = probabilistic_delta(channel, F(1) - F(1, 10**30)).worst
    assert below.lower > F(999, 1000)
    # Doubles can't tell: the upper end alone counts what is open.
    doubles = Channel.of_floats(
        channel.domain,
        channel.neighbours,
        channel.databases,
        channel.outputs,
        np.array([[float(F(math.e) / (1 + F(math.e)))] * 2] * 2),
        3,
        "output",
    )
    assert probabilistic_delta(doubles, F(0)).worst.lower == 0
    assert probabilistic_delta(doubles, F(0)).worst.upper == 1


def test_zeros_exceed_every_epsilon_in_both_directions() -> None:
    rows: list[list[Exact]] = [[F(9, 10), F(1, 10)], [F(1), F(0)], [F(1), F(0)]]
    channel = channel_of_rows(rows)
    for loss in (F(0), F(1), F(709), F(710), F(800), F(10**5)):
        for found in (channel, floated(channel, 3, [0, 1])):
            result = probabilistic_delta(found, loss)
            if loss:
                assert encloses(result.worst, fraction(F(1, 10)))
                assert result.table == (0, 2)
                # The rarer side of that output has no chance at all.
                assert result.average["uniform, less likely cells"] == Enclosure(F(0), F(0))
                assert encloses(result.average["uniform"], fraction(F(1, 30)))


def test_a_vague_chance_counts_for_the_upper_end_only() -> None:
    vague = Interval(F(1, 10), F(1, 2))
    rows: list[list[Exact]] = [[vague, 1 - vague], [F(1, 4), F(3, 4)]]
    result = probabilistic_delta(channel_of_rows(rows), F(1, 2))
    assert result.worst.lower == 0
    assert result.worst.upper > F(1, 2)


def test_the_rarer_side_is_that_of_the_database_drawn() -> None:
    # Output 1: 0.4 under the first database, 0.1 under the second; the loss is ln 4 > 1.
    channel = channel_of_rows([[F(6, 10), F(4, 10)], [F(9, 10), F(1, 10)]])
    result = probabilistic_delta(channel, F(1))
    assert encloses(result.worst, fraction(F(4, 10)))
    assert result.table == (0, 1)
    assert encloses(result.average["uniform"], fraction(F(1, 4)))
    assert encloses(result.average["uniform, less likely cells"], fraction(F(1, 20)))


@pytest.mark.parametrize(("cells", "records"), [(1, 3), (2, 5), (3, 3), (4, 2)])
def test_the_multinomial_law_by_listing_every_table_of_records(cells: int, records: int) -> None:
    listed = databases(ReplaceOne(), cells, records)
    rows: list[list[Exact]] = [[F(1)] for _ in listed]
    shape: Shape = (ReplaceOne(), tuple(map(tuple, listed.tolist())))
    laws = data_laws(channel_of_rows(rows, shape))
    seen = Counter(
        tuple(records.count(cell) for cell in range(cells))
        for records in product(range(cells), repeat=records)
    )
    expected = [F(seen[tuple(row)], cells**records) for row in listed.tolist()]
    assert list(laws["multinomial"]) == expected
    assert laws["uniform"] == (F(1, len(listed)),) * len(listed)


def test_an_incomplete_or_mixed_list_has_the_uniform_law_alone() -> None:
    for shape in (
        (ReplaceOne(), ((0, 4), (1, 3), (2, 2))),
        (AddRemove(), ((0, 0), (0, 1), (1, 0))),
    ):
        rows: list[list[Exact]] = [[F(1)]] * len(shape[1])
        assert set(data_laws(channel_of_rows(rows, shape))) == {"uniform"}


def test_one_cell_of_very_many_records_is_no_work() -> None:
    channel = channel_of_rows([[F(1)]], (ReplaceOne(), ((10**14,),)))
    assert data_laws(channel)["multinomial"] == (F(1),)
    assert probabilistic_delta(channel, F(0)).worst == Enclosure(F(0), F(0))
