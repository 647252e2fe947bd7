"""Assumptions in the words of earlier versions: an older certificate says no less for them."""

from __future__ import annotations

from collections.abc import Sequence

SINCE = {
    "post-processing looks at the transcript alone (Python cannot enforce it)": (
        "what is released is a function of the answers and the drawn seed alone"
    ),
    "the module's code is the code that will run": "the program's code is the code that will run",
    "a release opens its curator with the program's budget, which refuses further questions": (
        "a release is made by dp-audit release --certificate with this certificate: its curator "
        "refuses every question and every cost that was not analysed"
    ),
    "the module read nothing private when it was imported": (
        "nobody but dp-audit hands the program private data, nor did so before"
    ),
}
"""What is assumed today instead of each line that an earlier version wrote. A line that is worded
anew gets an entry here."""


def say_the_same(stated: Sequence[str], found: Sequence[str]) -> bool:
    """Whether assumptions are those found, in today's words or in those of an earlier version.

    Guarantee
    ---------
    Each assumption that is found has a line of its own among those stated, and no other line is
    stated. Backed by ``tests/audit/statements/test_earlier_assumptions.py``.
    """
    return sorted(_today(line, found) for line in stated) == sorted(found)


def _today(line: str, found: Sequence[str]) -> str:
    """A line in today's words, where what is found has it in these."""
    while line not in found and line in SINCE:
        line = SINCE[line]
    return line
