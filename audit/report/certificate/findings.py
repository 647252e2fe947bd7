"""Findings of property auditors for a terminal: declared beside found, the pair, the replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from audit.report.grid import Grid, side_by_side
from audit.report.sheet import Adaptive, Sheet
from audit.report.words import plural, record_text, short
from audit.statements.decimals import with_decimals
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour, Shown, violations

MOST_ROWS = 12
"""Rows of a pair's table (half a screen); equal ones go first."""

LONGEST_NAME = 60
"""Characters of a record in it."""

_RIGOUR = {
    Rigour.EXACT: "exact",
    Rigour.FLOOR: "a floor: at least this",
    Rigour.STATISTICAL: "statistical",
}


def findings_lines(findings: Sequence[Finding]) -> RenderableType:
    """What was found, violations first, in the order given otherwise; a last line sums it up."""
    ordered = sorted(findings, key=_rank)

    def build(sheet: Sheet) -> RenderableType:
        parts: list[RenderableType] = []
        for finding in ordered:
            parts += [*_finding(sheet, finding), Text()]
        return Group(*parts, sheet.text(summary(findings), "bold"))

    return Adaptive(build)


def _rank(finding: Finding) -> tuple[bool, bool, bool]:
    undecided = finding.decision is Decision.UNDECIDED
    return not finding.violated, not undecided, finding.excess is None


def summary(findings: Sequence[Finding]) -> str:
    """One line: how many findings speak against what was declared."""
    if not findings:
        return "Nothing was examined."
    bad = len(violations(findings))
    if bad:
        verb = "exceeds" if bad == 1 else "exceed"
        return f"{bad} of {plural(len(findings), 'finding')} {verb} what was declared."
    open_ = sum(finding.decision is Decision.UNDECIDED for finding in findings)
    if open_:
        return f"{open_} of {plural(len(findings), 'finding')} could not be decided."
    exact = all(finding.rigour is Rigour.EXACT for finding in findings)
    but = " by more than rounding" if any(finding.excess for finding in findings) else ""
    return (
        f"Nothing exceeds what was declared{but}."
        if exact
        else f"Nothing was found that exceeds what was declared{but}; a floor does not show that "
        "there is nothing."
    )


def _finding(sheet: Sheet, finding: Finding) -> Iterator[RenderableType]:
    held = "not violated" if finding.excess is None else "holds up to rounding"
    if finding.decision is Decision.UNDECIDED:
        held = "LEFT OPEN"
    verdict = "VIOLATED" if finding.violated else held
    style = "bold red" if finding.violated else "bold"
    yield sheet.text(f"{finding.about}: {verdict}", style)
    yield sheet.pairs(_facts(finding))
    if finding.pair is not None:
        yield Text()
        yield sheet.grid(pair_grid(finding.pair))
        yield from sheet.lines([_rest_line(finding.pair)], "dim")
    if not finding.again:
        return
    yield from sheet.lines(["replay:"], "dim")
    for line in finding.again.splitlines():
        yield sheet.command(line)


def _facts(finding: Finding) -> list[tuple[str, str]]:
    rigour = _RIGOUR[finding.rigour]
    if finding.error is not None:
        rigour += f", an honest subject is accused with a chance of at most {finding.error:.2g}"
    facts = [
        ("declared", with_decimals(finding.declared)),
        ("found", f"{with_decimals(finding.found)}  ({rigour})"),
    ]
    excess = finding.excess
    if excess is not None:
        size = f"{excess.absolute}, which is {excess.relative} of what is declared"
        facts += [("beyond it by", f"{size} ({excess.because})"), ("cost", excess.cost)]
    if finding.responsible is not None:
        facts.append(("responsible", with_decimals(finding.responsible)))
    return [*facts, ("covers", with_decimals(finding.covers))]


def pair_grid(pair: Shown) -> Grid:
    """Both databases side by side: how often each holds each record, a star where they differ.

    Databases of the same records in another order are listed place by place.
    """
    rows = _rows(pair)
    kept = [row for row in rows if row[1] != row[2]][:MOST_ROWS]
    kept += [row for row in rows if row[1] == row[2]][: MOST_ROWS - len(kept)]
    listed = sorted(kept, key=rows.index)
    what = "place" if _is_reordered(pair) else "record"
    return side_by_side(what, listed or [("no records", "", "")])


def _rows(pair: Shown) -> list[tuple[str, str, str]]:
    first, second = _items(pair.first), _items(pair.second)
    if _is_reordered(pair):
        return [
            (str(place + 1), short(a, LONGEST_NAME), short(b, LONGEST_NAME))
            for place, (a, b) in enumerate(zip(first, second, strict=True))
        ]
    left, right = Counter(first), Counter(second)
    return [
        (short(name, LONGEST_NAME), str(left[name]), str(right[name]))
        for name in dict.fromkeys((*first, *second))
    ]


def _rest_line(pair: Shown) -> str:
    more = len(_rows(pair)) - MOST_ROWS
    return f"and {plural(more, 'further row')}" if more > 0 else ""


def _is_reordered(pair: Shown) -> bool:
    first, second = _items(pair.first), _items(pair.second)
    return first != second and Counter(first) == Counter(second)


def _items(database: Any) -> list[str]:
    """A database's records as text: cells as often as they are counted, or anything else as one."""
    if isinstance(database, tuple) and all(isinstance(count, int) for count in database):
        return [f"cell {cell}" for cell, count in enumerate(database) for _ in range(count)]
    if isinstance(database, list | tuple):
        return [record_text(record) for record in database]
    return [record_text(database)]
