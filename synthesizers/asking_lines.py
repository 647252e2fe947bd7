"""Where a program asks: the file and the line of its code from which a question comes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from types import FrameType

_OWN = tuple(
    os.path.join(os.path.dirname(os.path.abspath(__file__)), name)
    for name in ("curator.py", "playing.py")
)
"""What stands between a program and the answer to its question."""


def find_asking_line(calls: Iterable[tuple[FrameType, int]]) -> tuple[str, int] | None:
    """The file, without its folder, and the line of the innermost call outside of the curator.

    ``calls``: frames with the lines that they are at, the innermost first.
    """
    for frame, line in calls:
        file = frame.f_code.co_filename
        if file not in _OWN:
            return os.path.basename(file), line
    return None


def spell_line(file: str, line: int) -> str:
    """A place of code in words: "mine.py, line 12"."""
    return f"{file}, line {line}"
