"""Assumptions in the words of earlier versions: an older certificate says no less for them."""

from __future__ import annotations

from collections.abc import Sequence

_CODE = (
    "the module's code is the code that will run, and nobody but dp-audit hands it private data, "
    "nor did so before"
)
SINCE = {
    "post-processing looks at the transcript alone (Python cannot enforce it)": (
        "what is released is a function of the answers and the drawn seed alone"
    ),
    "a release opens its curator with the program's budget, which refuses further questions": (
        "a release is made by dp-audit release --certificate with this certificate: its curator "
        "refuses every question and every cost that was not analysed"
    ),
    "the module's code is the code that will run": _CODE,
    "the program's code is the code that will run": _CODE,
    "the module read nothing private when it was imported": _CODE,
    "nobody but dp-audit hands the program private data, nor did so before": _CODE,
}
"""What is assumed today instead of each line that an earlier version wrote. A line that is worded
anew gets an entry here."""

ADDED = (
    "the operating system keeps the program's process apart, as far as a program that tried to "
    "break out found"
)
"""What earlier versions did not write: their certificates have a line in earlier words."""


def say_the_same(stated: Sequence[str], found: Sequence[str]) -> bool:
    """Whether assumptions are those found, in today's words or in those of an earlier version.

    Guarantee
    ---------
    Each assumption that is found has a line among those stated, but for the `ADDED` one beside
    lines in earlier words, and no other line is stated. Backed by
    ``tests/audit/statements/test_earlier_assumptions.py``.
    """
    earlier = {_today(line, found) for line in stated} - set(stated)
    said = {line for line in stated if line in found}
    if any(SINCE.get(line) in said for line in stated):
        # Today's words beside earlier ones: no version wrote both.
        return False
    today = {_today(line, found) for line in stated} | ({ADDED} & set(found) if earlier else set())
    return len(set(stated)) == len(stated) and today == set(found)


def _today(line: str, found: Sequence[str]) -> str:
    """A line in today's words, where what is found has it in these."""
    return line if line in found else SINCE.get(line, line)
