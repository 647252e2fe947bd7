"""What long work tells of itself."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int, str], None]
"""Called with what is being done ("enumerating", "attacking", "scoring", …), how much is done, of
how much in all, and a word on it, such as the floor so far. Before an attack, "planning" has whole
sentences: a run that fails, with the end of its log; how many runs there will be, how long they
take, and what they can see."""


def nobody(step: str, done: int, total: int, word: str) -> None:
    """Nobody looks on."""
