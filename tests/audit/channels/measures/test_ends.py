"""Arithmetic with both ends, in rationals and in doubles, against fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import audit.channels.measures.ends as ends_module
from audit.channels.columns import Block
from audit.channels.measures.ends import Ends, pieces
from audit.statements.decimals import Enclosure
from synthesizers.exact import Exact, ExpRational
from synthesizers.intervals import Interval, float_above, float_below
from tests.audit.channels.slow_measures import channel_of_rows, floated, matrix

F = Fraction
Table = list[list[Fraction]]
SIZES = [
    F(0),
    F(1),
    F(1, 3),
    F(2, 7),
    F(7),
    F(1, 10**9),
    F(1, 10**200),
    F(1, 10**308),
    F(5, 2**1074),
]
WIDTHS = [F(0), F(1, 10**12), F(1, 3)]


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Numbers of very different size, some of them 0."""
    height, width = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    row = st.lists(st.sampled_from(SIZES), min_size=width, max_size=width)
    return draw(st.lists(row, min_size=height, max_size=height))


def known(truth: Table, width: Fraction, rational: bool) -> Ends:
    """The numbers as far as the relative width tells them."""
    low = [[x * (1 - width) for x in row] for row in truth]
    high = [[x * (1 + width) for x in row] for row in truth]
    if rational:
        return Ends(matrix(low), matrix(high))
    return Ends(
        np.array([[max(float_below(x), 0.0) for x in row] for row in low]),
        np.array([[float_above(x) for x in row] for row in high]),
    )


def holds(found: Ends, truth: Table | list[Fraction], exactly: bool) -> bool:
    """Whether every number lies between its ends, zeros are kept, and rationals lose nothing."""
    flat = [x for row in truth for x in (row if isinstance(row, list) else [row])]
    low, high = (list(map(F, side.flatten().tolist())) for side in (found.low, found.high))
    between = all(a <= x <= b for a, x, b in zip(low, flat, high, strict=True))
    zeros = all(b == 0 for x, b in zip(flat, high, strict=True) if x == 0)
    return between and zeros and (not exactly or low == flat == high)


def narrow(found: Ends) -> bool:
    """Whether ordinary numbers are known to twelve digits."""
    low, high = found.low.astype(float), found.high.astype(float)
    ordinary = high > 1e-290
    return bool((high - low <= 1e-12 * high)[ordinary].all())


def pick(truth: Table, numbers: Table) -> Table:
    """The products of two tables, entry by entry."""
    return [
        [x * n for x, n in zip(*rows, strict=True)] for rows in zip(truth, numbers, strict=True)
    ]


def total(numbers: Sequence[Fraction]) -> Fraction:
    return sum(numbers, F(0))


@given(tables(), st.sampled_from(WIDTHS), st.booleans())
def test_every_operation_encloses(truth: Table, width: Fraction, rational: bool) -> None:
    ends = known(truth, width, rational)
    law = [F(n + 1, 3) if n % 3 else F(0) for n in range(len(truth))]
    whole = np.array([[(3 * a + b) % 4 for b in range(len(truth[0]))] for a in range(len(truth))])
    columns = [list(column) for column in zip(*truth, strict=True)]
    weighted = pick(truth, [[weight] * len(columns) for weight in law])
    more = pick(truth, [[1 + weight] * len(columns) for weight in law])
    both = [
        [x + y for x, y in zip(*rows, strict=True)] for rows in zip(truth, truth[::-1], strict=True)
    ]
    sums = [total(column) for column in columns]
    results: list[tuple[Ends, Table | list[Fraction]]] = [
        (ends.total(0), sums),
        (ends.total(1), [total(row) for row in truth]),
        (ends.total(1).total(0), [total(sums)]),
        (ends.peaks(0), [max(column) for column in columns]),
        (ends.weigh(law), weighted),
        (ends + ends.weigh(law), more),
        (ends + known(truth[::-1], width, rational), both),
        (ends.times(whole), pick(truth, [[F(n) for n in row] for row in whole.tolist()])),
        (ends.where(whole > 1), pick(truth, [[F(n > 1) for n in row] for row in whole.tolist()])),
        (ends.column(0), [[x] for x in columns[0]]),
        (ends.shares(), pick(truth, [[1 / s if s else s for s in sums]] * len(truth))),
    ]
    ordinary = all(x == 0 or x > F(1, 10**250) for column in columns for x in column)
    for found, expected in results:
        assert holds(found, expected, rational and width == 0)
        assert width or not ordinary or narrow(found)


@given(tables(), st.sampled_from(WIDTHS), st.booleans())
def test_averages_and_extremes_enclose(truth: Table, width: Fraction, rational: bool) -> None:
    ends = known(truth, width, rational)
    law = [F(n + 1, 3) if n % 3 else F(0) for n in range(len(truth))]
    mean = total([weight * row[0] for weight, row in zip(law, truth, strict=True)])
    found = ends.column(0).total(1).average(law)
    assert found.lower <= mean <= found.upper
    flat = [x for row in truth for x in row]
    for (value, (row, column)), extreme in (
        (ends.largest(), max(flat)),
        (ends.smallest(), min(flat)),
    ):
        assert value.lower <= extreme <= value.upper
        assert width or abs(truth[row][column] - extreme) <= extreme / 10**12


@given(tables(), st.booleans())
def test_a_share_without_rivals_is_all_of_it(truth: Table, rational: bool) -> None:
    column = [row[0] for row in truth]
    shares = known(truth, F(1, 3), rational).shares()
    if sum(x > 0 for x in column) == 1:
        row = max(range(len(column)), key=lambda place: column[place])
        assert shares.high[row, 0] == 1
        # A number below the doubles may be 0 as far as they know.
        assert shares.low[row, 0] == 1 or (not rational and column[row] < F(1, 10**300))


def test_shares_by_hand() -> None:
    # x in [1, 2] beside y in [1, 3]: x/(x + y) from 1/4 to 2/3, not 1/5 to 1.
    low, high = matrix([[F(1)], [F(1)]]), matrix([[F(2)], [F(3)]])
    shares = Ends(low, high).shares()
    assert shares.enclosure(0, 0) == Enclosure(F(1, 4), F(2, 3))
    assert shares.enclosure(1, 0) == Enclosure(F(1, 3), F(3, 4))
    doubles = Ends(low.astype(float), high.astype(float)).shares()
    assert doubles.enclosure(0, 0).lower == pytest.approx(1 / 4)
    assert doubles.enclosure(0, 0).upper == pytest.approx(2 / 3)


def test_weights_below_the_doubles_are_rounded_both_ways() -> None:
    # 3/2 units of the smallest double: the nearest double is 2 units.
    weight = F(3, 2**1075)
    ends = Ends(np.array([1.0]), np.array([1.0])).weigh([weight])
    assert F(float(ends.low[0])) <= weight <= F(float(ends.high[0]))
    smaller = Ends(np.array([1.0]), np.array([1.0])).weigh([F(1, 10**400)])
    assert smaller.low[0] == 0 < smaller.high[0]


def test_an_upper_limit_cuts_the_upper_end() -> None:
    ends = Ends(np.array([0.5]), np.array([1.5])).at_most(1)
    assert ends.enclosure(0) == Enclosure(F(1, 2), F(1))


def test_equals_are_attained_at_the_first() -> None:
    ends = Ends(np.array([1.0, 2.0, 2.0, 1.0]), np.array([1.0, 2.0, 2.0, 1.0]))
    assert ends.largest() == (Enclosure(F(2), F(2)), (1,))
    assert ends.smallest() == (Enclosure(F(1), F(1)), (0,))


def test_the_extremes_of_wide_numbers() -> None:
    ends = Ends(np.array([1.0, 2.0, 0.0]), np.array([5.0, 3.0, 4.0]))
    assert ends.largest() == (Enclosure(F(2), F(5)), (1,))
    assert ends.smallest() == (Enclosure(F(0), F(3)), (1,))


def test_exact_numbers_become_their_ends() -> None:
    vague = Interval(F(-1, 10**60), F(1, 2))
    ends = Ends.of_exact(matrix([[F(1, 3), vague, ExpRational.exp(-1), ExpRational.of(0)]]))
    assert ends.enclosure(0, 0) == Enclosure(F(1, 3), F(1, 3))
    assert ends.enclosure(0, 1) == Enclosure(F(0), F(1, 2))
    assert ends.low[0, 2] < ends.high[0, 2] < ends.low[0, 2] * (1 + F(1, 2**180))
    assert ends.enclosure(0, 3) == Enclosure(F(0), F(0))


def test_a_blocks_error_widens_both_ends() -> None:
    values = np.array([[0.25, 0.0, 1e-320]])
    for error in (2.0**-53, 2.0**-40, 0.01):
        ends = Ends.of_block(Block(0, values, values, error))
        for place, value in enumerate(values[0].tolist()):
            least, most = F(value) * (1 - F(error)), F(value) * (1 + F(error))
            assert F(float(ends.low[0, place])) <= least
            assert F(float(ends.high[0, place])) >= most
        assert ends.high[0, 1] == 0
        assert ends.high[0, 0] <= 0.25 * (1 + error) * (1 + 1e-14)


def test_small_exact_channels_are_read_in_rationals(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[list[Exact]] = [[F(1, 3), F(2, 3)], [F(1, 2), F(1, 2)], [F(1), F(0)]]
    channel = channel_of_rows(rows)
    ((first, ends),) = pieces(channel)
    assert (first, ends.rational) == (0, True)
    monkeypatch.setattr(ends_module, "MAX_RATIONALS", 17)
    assert next(iter(pieces(channel, 2)))[1].rational
    assert not next(iter(pieces(channel, 3)))[1].rational
    assert not next(iter(pieces(floated(channel, 3, [1]))))[1].rational


def test_blocks_cover_every_column_once() -> None:
    rows: list[list[Exact]] = [[F(1, 300)] * 300] * 2
    parts = list(pieces(floated(channel_of_rows(rows), 3, [1, 0, -1])))
    assert len(parts) > 1
    assert [first for first, _ in parts] == [
        sum(e.width for _, e in parts[:n]) for n in range(len(parts))
    ]
    assert sum(ends.width for _, ends in parts) == 300
