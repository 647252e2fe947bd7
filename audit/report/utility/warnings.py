"""What nobody should overlook in synthetic files, in words: it stands before all scores."""

from __future__ import annotations

from collections.abc import Sequence

from audit.report.utility.subgroups import lost_texts
from audit.report.utility.words import group_digits, join_names
from audit.report.words import plural
from audit.utility.copies import Copies
from audit.utility.results import UtilityResults

FEW = 50
"""From so many records on nothing is said of their number: a share of them is then known to about
7 percentage points, one standard error."""


def warnings(results: UtilityResults) -> tuple[str, ...]:
    """The sentences: on columns, copies, files alike, tables of few records, lost subgroups."""
    columns = [
        _columns(file, file == results.real, names) for file, names in results.undeclared.items()
    ]
    common = [file for file, copies in results.copies.items() if _all_common(results, file, copies)]
    copies = [
        _copies(results, file, copies)
        for file, copies in results.copies.items()
        if file not in common
    ]
    persons = [_persons(file, copies.persons) for file, copies in results.copies.items()]
    small = [_size(file, records) for file, records in results.records.items() if records < FEW]
    alike = [
        f"{', '.join(files[:-1])} and {files[-1]} hold the same records, each as often: they are "
        "one release, and that they do not differ says nothing of another run."
        for files in results.alike
    ]
    return (
        *columns,
        *filter(None, (_common(common), *copies, *persons)),
        *alike,
        *small,
        *lost_texts(results),
    )


def _size(file: str, records: int) -> str:
    return (
        f"{file} has {plural(records, 'record')}: of so few, most scores say how large a table is, "
        "and not how near it is."
    )


def _columns(file: str, real: bool, names: tuple[str, ...]) -> str:
    listed = ", ".join(map(repr, names))
    it = "it" if len(names) == 1 else "them"
    columns = plural(len(names), "column")
    undeclared = f"{file} has {columns} that the domain does not declare: {listed}"
    start = f"{undeclared}. No score speaks of {it}"
    return f"{start}." if real else f"{start}, and whoever gets the file gets {it} too."


def _persons(file: str, persons: int) -> str:
    if not persons:
        return ""
    return (
        f"The ids of {plural(persons, 'person')} of {file} are those of real ones: whoever gets "
        "the file can look them up."
    )


def _all_common(results: UtilityResults, file: str, copies: Copies) -> bool:
    """Whether all records of a file are such as several real persons have."""
    every = copies.records == results.records[file] > 0
    return every and not copies.whole and not copies.of_unique


def _common(files: Sequence[str]) -> str:
    if not files:
        return ""
    return (
        f"Every record of {join_names(files)} equals a real record in every column; each of these "
        "real records occurs more than once."
    )


def _copies(results: UtilityResults, file: str, copies: Copies) -> str:
    if copies.whole:
        return (
            f"{file} holds the very records of {results.real}, each as often: it is a copy, and "
            "its scores are those of a table beside itself."
        )
    if not copies.records:
        return ""
    records = results.records[file]
    start = (
        f"{group_digits(copies.records)} of {plural(records, 'record')} of {file} equal a real "
        "record in every column"
    )
    if not copies.of_unique:
        return f"{start}; each of these real records occurs more than once."
    return f"{start}, {group_digits(copies.of_unique)} of them a real record that occurs once."
