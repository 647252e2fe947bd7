"""The lists of a page, as a reader sees them: each item with its labelled parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ITEM = re.compile(r"^- (.*\n(?:(?:  .*)?\n)*?)(?=\S|\Z|\n\S)", re.MULTILINE)
_PART = re.compile(r"^    - \*([^*]+)\*:\s", re.MULTILINE)


def read_items(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each item of the lists in a text: its own words, and what stands under each of its labels.

    An item ``- words``, with ``    - *label*: words`` below it, or none.
    """
    for item in _ITEM.findall(text if text.endswith("\n") else f"{text}\n"):
        words, *parts = _PART.split(item)
        labels, texts = parts[::2], parts[1::2]
        yield _line(words), dict(zip(labels, map(_line, texts), strict=True))


def _line(text: str) -> str:
    return " ".join(text.split())
