"""The command as a function of this process, and what it showed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Shown(NamedTuple):
    """The exit code, and what stood on either stream."""

    code: int
    out: str
    err: str


Command = Callable[..., Shown]
"""One line of words as a shell would read it; further words are taken as they are."""
