"""The row view against sums over all entries, and on the paper's instance by hand."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import audit.channels.measures.ends as ends
from audit.channels.abowd_vilhuber import laplace_channel, plug_in_channel
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.probabilistic import data_laws
from audit.channels.measures.rows import Attained, RowView, row_view
from audit.channels.measures.unavailable import Unavailable
from audit.statements.decimals import Enclosure
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.exact import Exact
from synthesizers.intervals import Interval
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs import build
from tests.audit.channels.slow_measures import (
    DIGITS,
    SHAPES,
    Shape,
    channel_of_rows,
    encloses,
    floated,
    fractions,
    is_narrow,
    normalised,
)
from tests.synthesizers.brute_force import real

F = Fraction
Output = tuple[Any, ...]


def releasing(channel: Channel, outputs: tuple[Output, ...]) -> Channel:
    """The channel with other outputs in its columns."""
    return dataclasses.replace(channel, outputs=outputs)


@st.composite
def table_channels(draw: st.DrawFn) -> Channel:
    """Channels of small fractions that release tables, some with suppressed counts."""
    shape = draw(st.sampled_from(SHAPES))
    cells = len(shape[1][0])
    counts = st.sampled_from([0, 1, 2, 3, 4, None])
    near = st.sampled_from(shape[1])
    table = st.one_of(near, st.tuples(*[counts] * cells))
    outputs = draw(st.lists(table, min_size=1, max_size=6, unique=True))
    weight = st.integers(0, 4).map(Fraction)
    line = st.lists(weight, min_size=len(outputs), max_size=len(outputs)).filter(any)
    rows = [normalised(draw(line)) for _ in shape[1]]
    return releasing(channel_of_rows(rows, shape), tuple(outputs))


def sums(channel: Channel, value: Any) -> list[Fraction]:
    """For every database the sum over outputs of chance times value(counts, output)."""
    table, listed = fractions(channel), channel.databases.tolist()
    return [
        sum((p * value(n, m) for p, m in zip(row, channel.outputs, strict=True)), F(0))
        for n, row in zip(listed, table, strict=True)
    ]


def quantities(channel: Channel) -> Iterator[tuple[str, int, list[Fraction]]]:
    """Every number that the row view speaks of, by its definition: name, cell, per database."""
    yield "diagonal", -1, sums(channel, lambda n, m: tuple(n) == m)
    for cell in range(channel.databases.shape[1]):
        yield "differs", cell, sums(channel, lambda n, m, i=cell: m[i] is None or m[i] != n[i])
        yield "shown", cell, sums(channel, lambda n, m, i=cell: m[i] is not None and m[i] == n[i])
        yield "suppressed", cell, sums(channel, lambda n, m, i=cell: m[i] is None)
        yield (
            "distance",
            cell,
            sums(channel, lambda n, m, i=cell: 0 if m[i] is None else abs(m[i] - n[i])),
        )


def check(channel: Channel, truth: Channel, exactly: bool) -> None:
    """Every number of the row view against its definition on the exact channel."""
    view = row_view(channel)
    assert isinstance(view, RowView)
    laws = data_laws(truth)

    def attained(found: Attained, pick: Any, numbers: list[Fraction]) -> None:
        assert found.value.lower <= pick(numbers) <= found.value.upper <= 1
        if exactly:
            row = truth.databases.tolist().index(list(found.database))
            assert found.value.lower == found.value.upper == numbers[row] == pick(numbers)

    def averaged(found: Any, numbers: list[Fraction]) -> None:
        assert set(found) == set(laws)
        for name, law in laws.items():
            mean = sum((w * x for w, x in zip(law, numbers, strict=True)), F(0))
            assert found[name].lower <= mean <= found[name].upper
            assert not exactly or found[name].lower == found[name].upper

    hidden = False
    for name, place, numbers in quantities(truth):
        if name == "diagonal":
            attained(view.largest, max, numbers)
            attained(view.smallest, min, numbers)
            averaged(view.average, numbers)
            continue
        cell = view.cells[place]
        if name == "differs":
            attained(cell.differs, min, numbers)
            averaged(cell.average_differs, numbers)
        elif name == "shown":
            attained(cell.shown, max, numbers)
            averaged(cell.average_shown, numbers)
        elif name == "suppressed":
            averaged(cell.average_suppressed, numbers)
            hidden = any(numbers)
        else:
            assert (cell.average_distance is None) == hidden
            if cell.average_distance is not None:
                averaged(cell.average_distance, numbers)
    smallest = min(min(x) for name, _, x in quantities(truth) if name == "differs")
    place, least = view.least_changed
    assert least.value.lower <= smallest <= least.value.upper
    if exactly:
        assert view.cells[place].differs == least
        assert least.value.lower == smallest


@given(table_channels())
def test_fractions_exactly(channel: Channel) -> None:
    check(channel, channel, exactly=True)


@given(table_channels(), st.integers(1, 10**6))
def test_doubles_enclose(channel: Channel, operations: int) -> None:
    check(floated(channel, operations, [1, -1, 0]), channel, exactly=False)


@given(table_channels(), st.sampled_from([F(1, 1000), F(1, 3)]), st.sampled_from([F(0), F(1)]))
def test_intervals_enclose(channel: Channel, width: Fraction, shift: Fraction) -> None:
    rows: list[list[Exact]] = [
        [Interval(max(p - width * shift, F(0)), p + width * (1 - shift)) if p else p for p in row]
        for row in fractions(channel)
    ]
    shape = (channel.neighbours, tuple(map(tuple, channel.databases.tolist())))
    check(releasing(channel_of_rows(rows, shape), channel.outputs), channel, exactly=False)


@given(table_channels())
@settings(max_examples=30)
def test_large_exact_channels_are_added_up_in_doubles(channel: Channel) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ends, "MAX_RATIONALS", 0)
        check(channel, channel, exactly=False)
        view = row_view(channel)
        assert isinstance(view, RowView)
        assert is_narrow(view.least_changed[1].value)
        assert is_narrow(view.largest.value)


def test_each_cell_counts_towards_the_size_of_an_exact_channel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for most, exact in ((72, True), (71, False)):
        monkeypatch.setattr(ends, "MAX_RATIONALS", most)
        view = row_view(plug_in_channel())
        assert isinstance(view, RowView)
        assert (view.largest.value.lower == view.largest.value.upper) == exact


@given(table_channels())
@settings(max_examples=30)
def test_columns_come_a_few_at_a_time(channel: Channel) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("audit.channels.channel.BLOCK", 2)
        check(floated(channel, 3, [0, 1]), channel, exactly=False)


def test_figure_3_by_hand() -> None:
    # Its diagonal is 1 - e^-1/2 at the ends and 1 - e^-1 between them: 0.816060 and 0.632121.
    view = row_view(laplace_channel())
    assert isinstance(view, RowView)
    with mpmath.workdps(DIGITS):
        end, middle = 1 - mpmath.exp(-1) / 2, 1 - mpmath.exp(-1)
        uniform, binomial = (2 * end + 4 * middle) / 6, (2 * end + 30 * middle) / 32
        changed, on_average = 1 - end, 1 - uniform
    assert f"{float(end):.6f} {float(middle):.6f}" == "0.816060 0.632121"
    assert encloses(view.largest.value, end)
    assert view.largest.database in ((0, 5), (5, 0))
    assert encloses(view.smallest.value, middle)
    assert view.smallest.database not in ((0, 5), (5, 0))
    assert encloses(view.average["uniform"], uniform)
    assert encloses(view.average["multinomial"], binomial)
    # With two cells and n public, a cell differs exactly where the table does.
    for cell in view.cells:
        assert encloses(cell.differs.value, changed)
        assert encloses(cell.shown.value, end)
        assert encloses(cell.average_differs["uniform"], on_average)
        assert cell.average_suppressed == {
            name: Enclosure(F(0), F(0)) for name in ("uniform", "multinomial")
        }
        assert is_narrow(cell.differs.value, F(1, 10**40))


def test_figure_1_by_hand() -> None:
    # Row n is Binomial(5, (n + 1/2)/6): the diagonal is largest at 0 and 5, (11/12)^5 = 0.647228.
    view = row_view(plug_in_channel())
    assert isinstance(view, RowView)
    assert view.largest == Attained(Enclosure(F(11, 12) ** 5, F(11, 12) ** 5), (0, 5))
    assert f"{float(F(11, 12) ** 5):.6f}" == "0.647228"
    middle = 10 * F(5, 12) ** 2 * F(7, 12) ** 3
    assert view.smallest == Attained(Enclosure(middle, middle), (2, 3))
    assert f"{float(middle):.6f}" == "0.344610"
    assert view.least_changed[1].value.lower == 1 - F(11, 12) ** 5


def test_a_table_may_always_change_while_one_of_its_cells_never_does() -> None:
    # The first cell is always shown; the others are exchanged. The diagonal is 0.
    rows: list[list[Exact]] = [[F(0), F(1)], [F(1), F(0)]]
    shape: Shape = (ReplaceOne(), ((1, 1, 0), (1, 0, 1)))
    view = row_view(releasing(channel_of_rows(rows, shape), shape[1]))
    assert isinstance(view, RowView)
    assert view.largest.value == Enclosure(F(0), F(0))
    assert view.least_changed == (0, Attained(Enclosure(F(0), F(0)), (1, 1, 0)))
    assert [cell.differs.value.lower for cell in view.cells] == [0, 1, 1]


def test_a_suppressed_count_differs_and_has_no_distance() -> None:
    # (0, 2) is released as it is, or with its first count suppressed, evenly.
    shape: Shape = (ReplaceOne(), ((0, 2),))
    rows: list[list[Exact]] = [[F(1, 2), F(1, 2)]]
    view = row_view(releasing(channel_of_rows(rows, shape), ((0, 2), (None, 2))))
    assert isinstance(view, RowView)
    half, none = Enclosure(F(1, 2), F(1, 2)), Enclosure(F(0), F(0))
    first, second = view.cells
    assert view.largest.value == view.smallest.value == half
    assert first.differs.value == first.shown.value == half
    assert first.average_suppressed["uniform"] == half
    assert first.average_distance is None
    assert second.differs.value == second.average_suppressed["uniform"] == none
    assert second.average_distance == {"uniform": none}


def test_the_suppression_of_a_program_is_read() -> None:
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 3)
    program = build("suppress", {"threshold": "2", "complementary": "false"})
    view = row_view(channel_of(program, setting, exact=True).channel)
    assert isinstance(view, RowView)
    # Of (0, 3), (1, 2), (2, 1), (3, 0) the middle two have a count of 1, which is suppressed.
    assert view.average["uniform"] == Enclosure(F(1, 2), F(1, 2))
    assert view.cells[0].average_suppressed["uniform"] == Enclosure(F(1, 4), F(1, 4))
    assert view.cells[0].shown == Attained(Enclosure(F(1), F(1)), (0, 3))


def test_one_database_without_records() -> None:
    shape: Shape = (AddRemove(), ((0, 0),))
    rows: list[list[Exact]] = [[F(1, 4), F(3, 4)]]
    view = row_view(releasing(channel_of_rows(rows, shape), ((0, 0), (0, 7))))
    assert isinstance(view, RowView)
    quarter = Enclosure(F(1, 4), F(1, 4))
    assert view.largest == view.smallest == Attained(quarter, (0, 0))
    assert view.cells[1].average_distance == {
        "uniform": Enclosure(F(21, 4), F(21, 4)),
        "multinomial": Enclosure(F(21, 4), F(21, 4)),
    }


def test_a_released_table_that_is_never_a_database() -> None:
    # A subsample holds fewer records: the diagonal is 0, and a cell may still be right.
    setting = Setting.of(Domain.from_cells("2"), ReplaceOne(), 2)
    channel = channel_of(build("subsample", {"fraction": "1/2"}), setting, exact=True).channel
    view = row_view(channel)
    assert isinstance(view, RowView)
    assert view.largest.value == Enclosure(F(0), F(0))
    assert view.cells[0].shown.value == Enclosure(F(1), F(1))


@pytest.mark.parametrize(
    ("outputs", "reason"),
    [
        (((0,), (1, 2)), "an output is not a table over the domain's 2 cells"),
        (((0, 1), ("yes", "no")), "an output holds other values than counts"),
        (((0, 1), (True, 1)), "an output holds other values than counts"),
        (((0, 1), (2**53, 1)), "an output holds other values than counts"),
    ],
)
def test_outputs_that_are_no_tables(outputs: tuple[Output, ...], reason: str) -> None:
    rows: list[list[Exact]] = [[F(1, 2), F(1, 2)]]
    channel = channel_of_rows(rows, (ReplaceOne(), ((1, 1),)))
    assert row_view(releasing(channel, outputs)) == Unavailable(reason)


def test_a_transcript_is_no_table() -> None:
    transcript = dataclasses.replace(laplace_channel(), released="transcript")
    found = row_view(transcript)
    assert isinstance(found, Unavailable)
    assert "transcript" in found.reason


def test_exponential_sums_of_several_cells() -> None:
    setting = Setting.of(Domain.from_cells("3"), ReplaceOne(), 2)
    program = build("geometric-sanitizer", {"epsilon": "1"})
    channel = channel_of(program, setting, exact=True).channel
    view = row_view(channel)
    assert isinstance(view, RowView)
    assert channel.exact is not None
    for cell, found in enumerate(view.cells):
        differs = []
        for row, counts in zip(channel.exact, channel.databases.tolist(), strict=True):
            with mpmath.workdps(DIGITS):
                pairs = zip(row, channel.outputs, strict=True)
                differs.append(mpmath.fsum(real(p) for p, m in pairs if m[cell] != counts[cell]))
        assert encloses(found.differs.value, min(differs))
        with mpmath.workdps(DIGITS):
            assert encloses(found.average_differs["uniform"], mpmath.fsum(differs) / len(differs))
        assert is_narrow(found.differs.value, F(1, 10**40))


def test_the_reference_is_the_definition() -> None:
    channel = channel_of_rows([[F(1, 3), F(2, 3)], [F(1), F(0)]])
    tables = releasing(channel, ((0, 1), (1, None)))
    numbers = {(name, cell): x for name, cell, x in quantities(tables)}
    assert numbers["diagonal", -1] == [F(1, 3), F(0)]
    assert numbers["differs", 0] == [F(2, 3), F(1)]
    assert numbers["suppressed", 1] == [F(2, 3), F(0)]
    assert numbers["distance", 0] == [F(2, 3), F(1)]
