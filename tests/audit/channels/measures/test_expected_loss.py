"""Expected losses against sums over all entries, and the best reading against all readings."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.ends as ends
from audit.channels.channel import Channel
from audit.channels.measures.expected_loss import (
    Table,
    expected_losses,
    is_count,
    loss_of_best_reading,
    no_tables,
)
from audit.statements.decimals import Enclosure
from synthesizers.errors import InputError, TooLargeError
from synthesizers.exact import Exact
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.audit.channels.slow_measures import (
    SHAPES,
    Shape,
    blurred,
    channel_of_rows,
    floated,
    fractions,
    is_narrow,
    rational_channels,
)

F = Fraction
HALVES = channel_of_rows([[F(1, 2), F(1, 2)]] * 2, SHAPES[1])
COUNTS: list[int | Fraction] = [0, 1, 4, -2, F(5, 2), F(1, 3), F(-7, 6), F(12, 1)]


@st.composite
def read_channels(draw: st.DrawFn) -> tuple[Channel, list[tuple[int | Fraction, ...]]]:
    """Channels with a table of whole and broken counts for each output."""
    channel = draw(rational_channels())
    cells = channel.databases.shape[1]
    table = st.tuples(*[st.sampled_from(COUNTS)] * cells)
    width = len(channel.outputs)
    return channel, draw(st.lists(table, min_size=width, max_size=width))


def slow_losses(channel: Channel, tables: Sequence[Table]) -> list[Fraction]:
    """For every database the sum over outputs of chance times distance."""
    return [
        sum(
            (
                chance * sum(abs(Fraction(m) - n) for m, n in zip(table, counts, strict=True))
                for chance, table in zip(row, tables, strict=True)
            ),
            F(0),
        )
        for counts, row in zip(channel.databases.tolist(), fractions(channel), strict=True)
    ]


def slow_best(channel: Channel, law: Sequence[Fraction]) -> Fraction:
    """The least average loss of all readings, every one of them tried on a grid of halves.

    A convex piecewise-linear function is least at one of its kinks, which are whole numbers.
    """
    listed, rows = channel.databases.tolist(), fractions(channel)
    top = max(map(max, listed))
    grid = [F(step, 2) for step in range(-2, 2 * top + 3)]
    cells = range(len(listed[0]))
    return sum(
        (
            min(
                sum(
                    (
                        weight * row[output] * abs(count - table[cell])
                        for weight, row, table in zip(law, rows, listed, strict=True)
                    ),
                    F(0),
                )
                for count in grid
            )
            for output in range(len(channel.outputs))
            for cell in cells
        ),
        F(0),
    )


def law_of(weights: Sequence[int], channel: Channel) -> tuple[Fraction, ...]:
    """A law with such proportions, some of them 0."""
    picked = [weights[place % len(weights)] for place in range(len(channel.databases))]
    total = sum(picked) or 1
    return tuple(F(weight, total) for weight in picked)


def check(
    channel: Channel, truth: Channel, tables: Sequence[Table], law: Sequence[Fraction]
) -> tuple[list[Enclosure], Enclosure]:
    """What encloses the losses, and that of the best reading, after a look at both."""
    found = expected_losses(channel, tables)
    losses = [found.enclosure(row) for row in range(len(channel.databases))]
    for enclosure, loss in zip(losses, slow_losses(truth, tables), strict=True):
        assert enclosure.lower <= loss <= enclosure.upper
    best = loss_of_best_reading(channel, law)
    assert best.lower <= slow_best(truth, law) <= best.upper
    return losses, best


WEIGHTS = st.lists(st.integers(0, 3), min_size=1, max_size=5)


@given(read_channels(), WEIGHTS)
def test_fractions_exactly(
    read: tuple[Channel, list[tuple[int | Fraction, ...]]], weights: list[int]
) -> None:
    channel, tables = read
    losses, best = check(channel, channel, tables, law_of(weights, channel))
    assert all(loss.lower == loss.upper for loss in [*losses, best])


@given(read_channels(), WEIGHTS, st.integers(1, 10**6))
def test_doubles_enclose(
    read: tuple[Channel, list[tuple[int | Fraction, ...]]], weights: list[int], operations: int
) -> None:
    channel, tables = read
    rough = floated(channel, operations, [1, -1, 0])
    losses, best = check(rough, channel, tables, law_of(weights, channel))
    assert all(is_narrow(loss, F(operations, 10**14)) for loss in [*losses, best])


@given(
    read_channels(), WEIGHTS, st.sampled_from([F(1, 1000), F(1, 3)]), st.sampled_from([F(0), F(1)])
)
def test_intervals_enclose(
    read: tuple[Channel, list[tuple[int | Fraction, ...]]],
    weights: list[int],
    width: Fraction,
    shift: Fraction,
) -> None:
    channel, tables = read
    check(blurred(channel, width, shift), channel, tables, law_of(weights, channel))


@given(read_channels(), WEIGHTS)
@settings(max_examples=30)
def test_columns_come_a_few_at_a_time(
    read: tuple[Channel, list[tuple[int | Fraction, ...]]], weights: list[int]
) -> None:
    channel, tables = read
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.channels.channel.BLOCK", 2)
        patch.setattr(ends, "MAX_RATIONALS", 0)
        losses, best = check(channel, channel, tables, law_of(weights, channel))
    assert all(is_narrow(loss) for loss in [*losses, best])


def test_by_hand() -> None:
    # Of (0, 2) the table read is off by 0 or by 1/2 + 3/2, of (2, 0) by 4 or by 3/2 + 1/2.
    rows: list[list[Exact]] = [[F(3, 4), F(1, 4)], [F(1, 3), F(2, 3)]]
    channel = channel_of_rows(rows, (ReplaceOne(), ((0, 2), (2, 0))))
    found = expected_losses(channel, [(0, 2), (F(1, 2), F(1, 2))])
    assert [found.enclosure(row).lower for row in range(2)] == [F(1, 2), F(8, 3)]
    # The first output is likelier of (0, 2): the best reading is off by 4 with 1/3 of the other.
    # The second is likelier of (2, 0), and off by 4 with 1/4 of the first.
    even = loss_of_best_reading(channel, (F(1, 2), F(1, 2)))
    assert even.lower == even.upper == 4 * (F(1, 6) + F(1, 8))
    sure = loss_of_best_reading(channel, (F(0), F(1)))
    assert sure.lower == sure.upper == 0


def test_no_reading_is_better_than_the_best() -> None:
    # Every reading of two outputs of one count, in quarters, against the least loss.
    rows: list[list[Exact]] = [[F(2, 3), F(1, 3)], [F(1, 2), F(1, 2)], [F(1, 7), F(6, 7)]]
    channel = channel_of_rows(rows, (AddRemove(), ((0,), (1,), (2,))))
    law = (F(1, 4), F(1, 4), F(1, 2))
    quarters = [F(step, 4) for step in range(-2, 11)]
    losses = [
        sum(w * x for w, x in zip(law, slow_losses(channel, [(a,), (b,)]), strict=True))
        for a, b in product(quarters, repeat=2)
    ]
    assert loss_of_best_reading(channel, law).lower == min(losses)


@pytest.mark.parametrize(("most", "exact"), [(16, True), (15, False)])
def test_each_value_that_may_be_read_counts_towards_the_size_of_an_exact_channel(
    most: int, exact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Four chances, each of which enters the sums of two values in each of two cells.
    monkeypatch.setattr(ends, "MAX_RATIONALS", most)
    best = loss_of_best_reading(HALVES, (F(1, 3), F(2, 3)))
    assert (best.lower == best.upper) == exact


def test_a_best_reading_needs_no_tables() -> None:
    shape: Shape = (ReplaceOne(), ((0, 2), (2, 0)))
    channel = channel_of_rows([[F(1), F(0)], [F(0), F(1)]], shape)
    words = dataclasses.replace(channel, outputs=(("a",), ("b", None)), released="transcript")
    assert loss_of_best_reading(words, (F(1, 2), F(1, 2))) == Enclosure(F(0), F(0))


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "tables",
    [
        [(0, 1)],
        [(0, 1), (1, 0), (1, 1)],
        [(0, 1), (1,)],
        [(0, 1), (1, None)],
        [(0, 1), (1, 0.5)],
        [(0, 1), (1, "0")],
    ],
)
def test_tables_that_do_not_fit(tables: Any) -> None:
    with pytest.raises(InputError, match="each of the 2 outputs, a table of 2 counts"):
        expected_losses(HALVES, tables)


@pytest.mark.parametrize(
    ("count", "fits"),
    [
        (2**51 - 1, True),
        (2**51, False),
        (-(2**51), False),
        (2**200, False),
        (F(1, 2**51 - 1), True),
        (F(1, 2**51), False),
    ],
)
def test_distances_that_doubles_may_not_hold(count: int | Fraction, fits: bool) -> None:
    # Over two cells the distance may be 4 times the largest count, in units of the fractions'.
    tables = [(0, 1), (count, 0)]
    if fits:
        check(HALVES, HALVES, tables, (F(1, 2), F(1, 2)))
        return
    with pytest.raises(TooLargeError, match="too large for doubles"):
        expected_losses(HALVES, tables)


def test_databases_whose_distances_doubles_may_not_hold() -> None:
    for count, fits in ((2**52 - 1, True), (2**52, False)):
        channel = channel_of_rows([[F(1, 2), F(1, 2)]] * 2, (AddRemove(), ((0,), (count,))))
        law = (F(1, 2), F(1, 2))
        if fits:
            assert loss_of_best_reading(channel, law).lower == F(count, 2)
            assert expected_losses(channel, [(0,), (1,)]).enclosure(0).lower == F(1, 2)
            continue
        with pytest.raises(TooLargeError, match="too large for doubles"):
            loss_of_best_reading(channel, law)
        with pytest.raises(TooLargeError, match="too large for doubles"):
            expected_losses(channel, [(0,), (1,)])


@pytest.mark.parametrize("law", [(F(1),), (F(1, 3),) * 3, (F(3, 2), F(-1, 2))])
def test_laws_that_do_not_fit(law: tuple[Fraction, ...]) -> None:
    with pytest.raises(InputError, match="each of the 2 listed databases"):
        loss_of_best_reading(HALVES, law)


@pytest.mark.parametrize(
    ("outputs", "released", "reason"),
    [
        (((0, 1), (5, -1)), "output", ""),
        (((0, 1), (1, 0)), "transcript", "a transcript is released"),
        (((0, 1), (1,)), "output", "not a table over the domain's 2 cells"),
        (((0, 1), (1, None)), "output", "other values than counts"),
        (((0, 1), (True, 0)), "output", "other values than counts"),
        (((0, 1), (F(1), 0)), "output", "other values than counts"),
    ],
)
def test_outputs_that_are_no_tables(
    outputs: tuple[tuple[Any, ...], ...], released: str, reason: str
) -> None:
    found = no_tables(dataclasses.replace(HALVES, outputs=outputs, released=released), is_count)
    assert reason in found and bool(reason) == bool(found)


def test_a_reader_says_what_counts_as_a_count() -> None:
    hidden = dataclasses.replace(HALVES, outputs=((0, 1), (1, None)))
    assert no_tables(hidden, lambda value: value is None or is_count(value)) == ""
