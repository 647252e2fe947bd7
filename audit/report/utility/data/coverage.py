"""What synthetic tables cover: a row a file, and a row for each attribute where one differs."""

from __future__ import annotations

from collections.abc import Sequence

from audit.report.grid import Grid
from audit.report.utility.data.words import share_text
from audit.report.utility.words import group_digits
from audit.report.words import plural, short
from audit.utility.data.coverage import Coverage, Range

MOST_ROWS = 40
"""The most attributes and files that are told of one by one."""

NAMED = 3
"""The most values that are named of an attribute."""

LONGEST_NAME = 30


def summarise(coverage: Sequence[Coverage], files: Sequence[str]) -> Grid:
    """How many values each file lacks and adds, and how many ranges differ."""
    rows = []
    for file in files:
        own = [each for each in coverage if each.file == file]
        ranges = [each.ranges for each in own if each.ranges[0] is not None]
        differ = sum(real != synthetic for real, synthetic in ranges)
        texts = (
            _columns([len(each.lost) for each in own]),
            _columns([len(each.invented) for each in own]),
            f"{differ} of {len(ranges)}",
        )
        rows.append((file, texts))
    heads = ("real values lost", "values invented", "ranges differ")
    return Grid("File", heads, tuple(rows))


def _columns(counts: Sequence[int]) -> str:
    columns = sum(map(bool, counts))
    return f"{group_digits(sum(counts))} in {plural(columns, 'column')}" if columns else "none"


def list_gaps(
    coverage: Sequence[Coverage], records: dict[str, int], real: str, files: Sequence[str]
) -> tuple[tuple[str, ...], ...]:
    """Attribute, file, what is lost, what is invented, both ranges; the largest shares first."""
    told = []
    for each in coverage:
        lost = sum(count for _, count in each.lost) / records[real]
        invented = sum(count for _, count in each.invented) / records[each.file]
        if each.file in files and (lost or invented or each.ranges[0] != each.ranges[1]):
            texts = _values(each.lost, lost, "real"), _values(each.invented, invented, "its")
            row = (each.attribute, each.file, *texts, *map(_range, each.ranges))
            told.append((lost + invented, row))
    told.sort(key=lambda item: -item[0])
    return tuple(row for _, row in told)


def _values(values: Sequence[tuple[str, int]], share: float, whose: str) -> str:
    """How many values, the share of records with one, and the most frequent of them."""
    if not values:
        return "–"
    frequent = sorted(values, key=lambda value: -value[1])[:NAMED]
    names = ", ".join(short(name, LONGEST_NAME) for name, _ in frequent)
    more = ", …" if len(values) > NAMED else ""
    return f"{plural(len(values), 'value')}, {share_text(share)} of {whose} records: {names}{more}"


def _range(ends: Range | None) -> str:
    return "–" if ends is None else f"{ends[0]} to {ends[1]}"
