"""Findings in a terminal: verdict, declared beside found, the pair, the replay."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from audit.report.certificate.findings import MOST_ROWS, findings_lines, pair_grid, summary
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown

FINDING = Finding(
    auditor="sensitivity",
    about="L1 sensitivity",
    decision=Decision.EXCEEDED,
    declared="1",
    found="2",
    rigour=Rigour.EXACT,
    covers="all databases of 2 records",
    again="python -c 'print(f([]))'",
    pair=Shown([{"x": "a"}, {"x": "b"}], [{"x": "a"}, {"x": "a"}]),
    responsible="coordinate 0",
)


def _printed(*findings: Finding, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(findings_lines(findings))
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_everything_that_a_reader_needs_is_there() -> None:
    printed = _printed(FINDING)
    for text in (
        "VIOLATED",
        "declared",
        "2  (exact)",
        "coordinate 0",
        "all databases of 2 records",
    ):
        assert text in printed
    assert "python -c 'print(f([]))'" in printed
    assert "1 of 1 finding exceeds what was declared." in printed


def test_violations_come_first() -> None:
    fine = replace(FINDING, decision=Decision.KEPT, about="L2 sensitivity")
    printed = _printed(fine, FINDING)
    assert printed.index("L1 sensitivity: VIOLATED") < printed.index("L2 sensitivity: not violated")


def test_records_are_counted_and_differences_starred() -> None:
    pair = Shown([{"x": "a"}] * 999, [{"x": "a"}] * 999 + [{"x": None}])
    grid = pair_grid(pair)
    assert grid.rows == (("x = a", ("999", "999")), ("x = (missing) *", ("0", "1")))


def test_counts_over_cells_are_told_cell_by_cell() -> None:
    grid = pair_grid(Shown((0, 3, 1), (0, 2, 1)))
    assert grid.rows == (("cell 1 *", ("3", "2")), ("cell 2", ("1", "1")))


def test_other_orders_are_told_place_by_place() -> None:
    one, two = {"x": 1.0}, {"x": 2.0}
    grid = pair_grid(Shown([one, one, two], [one, two, one]))
    assert grid.corner == "place"
    assert [row[0] for row in grid.rows] == ["1", "2 *", "3 *"]


def test_of_many_rows_those_that_differ_are_kept() -> None:
    many = [{"x": n} for n in range(50)]
    grid = pair_grid(Shown(many, [*many, {"x": "last"}]))
    assert len(grid.rows) == MOST_ROWS and grid.rows[-1][0] == "x = last *"
    assert "and 39 further rows" in _printed(
        replace(FINDING, pair=Shown(many, [*many, {"x": "last"}]))
    )


def test_empty_and_other_databases_are_shown_too() -> None:
    assert pair_grid(Shown([], [])).rows == (("no records", ("", "")),)
    assert pair_grid(Shown(3, {"n": [4]})).rows == (("3 *", ("1", "0")), ("n = [4] *", ("0", "1")))


def test_names_can_not_reorder_or_add_lines() -> None:
    printed = _printed(replace(FINDING, about="a\u202eb\nc", pair=None))
    assert "\u202e" not in printed and "\\u202e" in printed and "a\\u202eb\\nc" in printed


def test_the_last_line_says_what_was_shown_and_no_more() -> None:
    fine = replace(FINDING, decision=Decision.KEPT)
    assert summary([fine]) == "Nothing exceeds what was declared."
    assert "does not show" in summary([fine, replace(fine, rigour=Rigour.FLOOR)])
    assert summary([]) == "Nothing was examined."
