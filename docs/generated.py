"""What generators of pages share: a template, lines that fit, and a comparison with the file."""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

DOCS = Path(__file__).parent
WIDTH = 99
"""The most characters of a line of the documentation."""

_KEPT = re.compile(r"`[^`]{1,70}`|\[[^\]]{1,40}\]\([^)]*\)")
_FENCED = re.compile(r"(^```.*?^```$\n?)", re.MULTILINE | re.DOTALL)
_ITEM = re.compile(r"\n(?=\s*(?:[-*]|\d+\.) )")
_BULLET = re.compile(r"\s*(?:[-*]|\d+\.) +")
_MARK = re.compile(r" (?=(?:[-+*#>]|\d+[.)])(?: |$))")


def render(template: str, **values: Any) -> str:
    """A page of Markdown from its template, its prose on lines that fit."""
    environment = Environment(
        loader=FileSystemLoader(DOCS),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # The page is Markdown.
    )
    return fill_page(environment.get_template(template).render(**values))


def fill(text: str, first: str = "", rest: str | None = None) -> str:
    """A paragraph, or an item, on lines that fit; code and short links stay on one line.

    ``first`` begins the first line, ``rest`` the others: by default as many spaces.
    """
    line = _KEPT.sub(lambda kept: kept[0].replace(" ", "\0"), " ".join(text.split()))
    return textwrap.fill(
        _MARK.sub("\0", line),
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * len(first) if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    ).replace("\0", " ")


def fill_page(text: str) -> str:
    """A page whose paragraphs and lists are on lines that fit; all else is as it stands."""
    parts = _FENCED.split(text)
    parts[::2] = ["\n\n".join(map(_fill_block, part.split("\n\n"))) for part in parts[::2]]
    return "".join(parts)


def _fill_block(block: str) -> str:
    if block.lstrip("\n").startswith(("|", "#", "<", "    ")) or not block.strip():
        return block
    before, after = (re.match(r"\n*", block) or [""])[0], "\n" if block.endswith("\n") else ""
    items = _ITEM.split(block.strip("\n"))
    return before + "\n".join(map(_fill_item, items)) + after


def _fill_item(item: str) -> str:
    mark = _BULLET.match(item)
    first = mark[0] if mark else ""
    return fill(item.removeprefix(first), first)


def write_or_compare(
    words: str, made: Mapping[Path, Callable[[], str]], arguments: Sequence[str] | None = None
) -> int:
    """Write the files, or compare them for ``--check``; the exit code.

    ``words``: what the script does. ``made``: what gives each file.
    ``arguments``: by default those of the script.
    """
    parser = argparse.ArgumentParser(description=words.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    check = parser.parse_args(arguments).check
    differing = 0
    for file, rendered in made.items():
        text = rendered()
        if not check:
            file.write_text(text, "utf-8")
        elif not file.exists() or file.read_text("utf-8") != text:
            print(f"{file} differs from what its script writes", file=sys.stderr)
            differing += 1
    return 1 if differing else 0
