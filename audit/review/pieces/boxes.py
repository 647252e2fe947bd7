"""Whether submissions are kept from what a review writes."""

from __future__ import annotations

from pathlib import Path

from audit.subjects.apart import probe_isolation
from audit.subjects.process import paths_of


def keeps_apart(folder: Path) -> bool:
    """Whether what a prepared folder holds runs in a box that keeps it from our files.

    It is what a program that tries to break that box found, asked by the review itself: what is
    not kept apart could write any result, and any key that results were signed with lies where it
    can read it.
    """
    return probe_isolation(paths_of(str(folder))).sufficient
