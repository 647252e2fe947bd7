from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from audit.channels.measures.optimum import Optimum
from audit.channels.measures.rows import RowView
from audit.report.channel.release import MAX_CELLS, ReleaseView, optimum_view, rows_view
from audit.statements.decimals import Enclosure
from tests.audit.report import samples
from tests.audit.report.display import assert_rounds, numbers

F = Fraction
ANALYSES = samples.analyses()
WITH_OPTIMUM = [name for name, a in ANALYSES.items() if isinstance(a.optimum, Optimum)]
WITH_ROWS = [name for name, a in ANALYSES.items() if isinstance(a.rows, RowView)]


def view_of(name: str) -> ReleaseView:
    analysis = ANALYSES[name]
    assert isinstance(analysis.rows, RowView)
    return rows_view(analysis.rows, analysis.channel.domain)


def optimum_of(name: str) -> Optimum:
    found = ANALYSES[name].optimum
    assert isinstance(found, Optimum)
    return found


def test_there_is_something_to_check() -> None:
    assert {"response", "figure 1", "tailed", "many cells"} <= {*WITH_OPTIMUM}
    assert {"response", "figure 1", "suppressing", "many cells"} <= {*WITH_ROWS}


@pytest.mark.parametrize("name", WITH_OPTIMUM)
def test_losses_are_those_of_the_analysis(name: str) -> None:
    found = optimum_of(name)
    view = optimum_view(found)
    own, least = view.sentences
    mean, worst = re.search(r"Here it is (.*) on average .*, and (.*) for the", own).groups()
    assert_rounds(mean, found.own_uniform)
    assert_rounds(worst, found.own_worst)
    mean, worst = re.search(r"can lose is (.*) on average, and (.*) for its", least).groups()
    assert_rounds(mean, found.uniform)
    assert_rounds(worst, found.worst)
    assert found.ranges_over in least
    assert_rounds(least.split(" at ε ")[1].split(", can")[0], found.epsilon)
    if view.spans is None:
        assert found.own_worst.upper == 0 == found.worst.lower
        return
    pairs = ((found.uniform, found.own_uniform), (found.worst, found.own_worst))
    for row, (best, mine) in zip(view.spans.rows, pairs, strict=True):
        assert (row.start, row.end) == pytest.approx((float(best.lower), float(mine.upper)))
        mean, worst = row.text.split(" (at best ")
        assert_rounds(mean, mine)
        assert_rounds(worst, best)
        assert 0 <= view.spans.axis.share(row.end) <= 1 and row.end <= view.spans.axis.high


def test_randomized_response_is_optimal() -> None:
    # One record of two values: the wrong one, two counts off, with a chance of 1/4.
    view = optimum_view(optimum_of("response"))
    assert view.spans is not None
    assert [row.text for row in view.spans.rows] == ["0.5 (at best 0.5)"] * 2


def test_no_loss_is_not_drawn() -> None:
    nothing = Enclosure(F(0), F(0))
    perfect = Optimum(nothing, nothing, nothing, nothing, nothing, "mechanisms of all kinds")
    view = optimum_view(perfect)
    assert view.spans is None and "Here it is 0 on average" in view.sentences[0]


def test_a_wide_enclosure_is_told_as_such() -> None:
    vague = replace(optimum_of("response"), uniform=Enclosure(F(1, 4), F(1, 2)))
    view = optimum_view(vague)
    (note,) = view.notes
    assert note[0].isupper() and note.endswith("which is wide.")
    assert "can lose is 0.25 to 0.5 on average" in view.sentences[1]


@pytest.mark.parametrize("name", WITH_ROWS)
def test_rows_are_those_of_the_analysis(name: str) -> None:
    rows, view = ANALYSES[name].rows, view_of(name)
    assert isinstance(rows, RowView) and view.grid is not None and view.spans is not None
    percentages = [part.removesuffix(" %") for part in re.findall(r"[\d.]+ %", view.sentences[0])]
    wanted = [rows.largest.value]
    if len(percentages) > 1:
        wanted += [rows.smallest.value, *rows.average.values()]
    for text, ends in zip(percentages, wanted, strict=True):
        assert_rounds(text, ends, 100)
    place = {head: k for k, head in enumerate(view.grid.columns)}
    shown = {name: cells for name, cells in view.grid.rows}
    by_name = {f"cell = {k}": cell for k, cell in enumerate(rows.cells)}
    for title, cells in shown.items():
        cell = by_name[title]
        assert_rounds(cells[place["changed, least"]], cell.differs.value)
        if len(cell.differs.database) <= 4:
            assert [int(n) for n in numbers(cells[place["at"]])] == list(cell.differs.database)
        for law, ends in cell.average_differs.items():
            assert_rounds(cells[place[f"changed, {law}"]], ends)
            if f"suppressed, {law}" in place:
                assert_rounds(cells[place[f"suppressed, {law}"]], cell.average_suppressed[law])
            error = cells[place[f"mean error, {law}"]]
            if cell.average_distance is None:
                assert error == "–"
            else:
                assert_rounds(error, cell.average_distance[law])
    for row in view.spans.rows:
        cell = by_name[row.name]
        assert row.end == pytest.approx(float(cell.differs.value.lower))
        assert row.start == pytest.approx(float(cell.average_differs["uniform"].lower))


def test_randomized_response_by_hand() -> None:
    view = view_of("response")
    assert view.sentences[0] == ("The confidential table itself is released with a chance of 75 %.")
    assert view.sentences[1] == (
        "The cell that changes least is “cell = 0”: when the table is (0, 1), its count is "
        "released changed with a chance of 25 %."
    )


def test_suppressed_counts_change_and_have_no_distance() -> None:
    # Every table is itself with 1/4, hidden with 1/4 + 1/8 + 1/8.
    view = view_of("suppressing")
    assert view.grid is not None
    first, second = (
        dict(zip(view.grid.columns, cells, strict=True)) for _, cells in view.grid.rows
    )
    assert first["suppressed, uniform"] == "0.5" and second["suppressed, uniform"] == "0"
    assert first["changed, least"] == "0.75" and second["changed, least"] == "0.5"
    assert first["mean error, uniform"] == "–" and second["mean error, uniform"] != "–"
    assert "A count that is suppressed is among those that change." in view.notes
    assert not any("suppressed" in note for note in view_of("response").notes)
    plain = view_of("response").grid
    assert plain is not None and not any("suppressed" in head for head in plain.columns)


def test_of_many_cells_those_that_change_least_are_listed() -> None:
    view = view_of("many cells")
    assert view.grid is not None
    listed = [name for name, _ in view.grid.rows]
    # The first two cells change with a chance of 1/4, the others never.
    assert listed == [f"cell = {k}" for k in range(2, 14)] and len(listed) == MAX_CELLS
    assert "2 further cells that change no less." in view.notes
    assert view.sentences[1].endswith("its count is always released as it is.")
