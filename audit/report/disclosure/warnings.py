"""What nobody should overlook in disclosure checks, in words: it stands before all else."""

from __future__ import annotations

from collections.abc import Iterator

from audit.disclosure.checks import Disclosure
from audit.report.utility.words import group_digits
from audit.report.words import plural


def find_warnings(found: Disclosure) -> tuple[str, ...]:
    """The sentences: on columns, on copies, on a holdout that is none, on persons."""
    return (*_columns(found), *_copies(found), *_holdout(found), *_persons(found))


def _columns(found: Disclosure) -> Iterator[str]:
    for table, columns in found.undeclared.items():
        listed = ", ".join(map(repr, columns))
        yield (
            f"{table} has columns that the domain does not declare, and of which nothing here "
            f"speaks: {listed}."
        )


def _copies(found: Disclosure) -> Iterator[str]:
    copies = found.copies
    if copies.whole:
        yield "The release holds the very records of the real table, each as often: it is a copy."
    elif copies.records:
        yield (
            f"{group_digits(copies.records)} of {plural(found.records[2], 'released record')} "
            f"equal a real record in every column, {group_digits(copies.of_unique)} of them one "
            "that occurs once."
        )
    if copies.persons:
        yield (
            f"The ids of {plural(copies.persons, 'person')} of the release are those of real ones: "
            "whoever gets it can look them up."
        )


def _holdout(found: Disclosure) -> Iterator[str]:
    if found.shared.records == found.records[1]:
        whole = "the very records of the real table, each as often"
        yield (
            f"The holdout holds {whole if found.shared.whole else 'real records alone'}: if they "
            "are not other people's, the release was made from it, and every risk here is too low."
        )
    reversed_ones = [one.attack for one in found.risks if one.hits_holdout_more]
    if reversed_ones:
        yield (
            f"The holdout is hit more often than the real table, beyond chance, by "
            f"{', '.join(reversed_ones)}: the two were exchanged, or differ by more than a random "
            "choice, and then no risk here means anything."
        )


def _persons(found: Disclosure) -> Iterator[str]:
    if found.of_a_person > 1:
        yield (
            f"Persons have up to {group_digits(found.of_a_person)} records. Attacks, risks and "
            "what certificates bound are of single records: what is learned of a person by all of "
            "them may be more, and who is in both tables makes every risk too low."
        )
