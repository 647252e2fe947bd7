"""The name that may be meant, for a message about one that is not known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def suggest(name: str, known: Iterable[str]) -> str:
    """``"; did you mean 'x'?"`` for the nearest of the known names, or nothing.

    >>> suggest("geometric-sanitiser", ["geometric-sanitizer", "subsample"])
    "; did you mean 'geometric-sanitizer'?"
    """
    # Hyphens in front are alike in all flags, and would make any two of them near.
    bare = {one.lstrip("-"): one for one in known}
    near = get_close_matches(str(name)[:80].lstrip("-"), bare, 1)
    return f"; did you mean {bare[near[0]]!r}?" if near else ""
