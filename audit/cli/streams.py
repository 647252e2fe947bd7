"""Where a command speaks: results to standard output, talk and progress to standard error."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console

from synthesizers.files import replacing

if TYPE_CHECKING:
    import argparse

    from dp_audit.progress import Progress
    from dp_audit.results import Result

UNITS = {
    "enumerating": ("transcripts", ", each for all databases"),
    "measuring": ("transcripts", ", each for all databases"),
    "attacking": ("runs", " at most; Ctrl-C reports what is found"),
    "scoring": ("scores", ""),
    "examining": ("cases", ""),
}
"""What the steps of long work count, and what is said of their total as they begin."""


class _Results(Console):
    """A console whose reader may go away without changing the exit code."""

    def on_broken_pipe(self) -> None:
        """Print nothing further."""
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def output_console() -> Console:
    """Results: standard output; characters that it cannot show become question marks."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")
    return _Results(file=sys.stdout, highlight=False)


def talk_console(quiet: bool) -> Console:
    """Talk and progress: standard error, silent with ``--quiet``."""
    return Console(file=sys.stderr, quiet=quiet, highlight=False)


@contextmanager
def follow(console: Console) -> Iterator[Progress]:
    """A bar on the console that follows the steps of long work."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[counts]}"),
        TextColumn("{task.fields[word]}", markup=False),
        TimeElapsedColumn(),
    )
    # Off a terminal the bar would leave nothing but an empty line.
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=None, counts="", word="")

        def report(step: str, done: int, total: int, word: str) -> None:
            unit, beginning = UNITS.get(step, ("", ""))
            if step == "reading":
                console.print(f"reading {word}", markup=False, soft_wrap=True)
            if done == 0 and beginning:
                console.print(f"{step}: {total:,} {unit}{beginning}")
            counts = f"{done:,}/{total:,} {unit}" if total else f"{done or ''}"
            limit = total or None
            bar.update(
                task, description=step, completed=done, total=limit, counts=counts, word=word
            )

        yield report


def deliver(
    result: Result,
    flags: argparse.Namespace,
    beside: Mapping[str | None, str] | None = None,
    printed: bool = True,
) -> None:
    """Write the files that were asked for, then print the result; ``--json -`` prints that alone.

    ``beside``: texts of further files, by path; None for one that was not asked for. ``printed``:
    False where the result is a file, and nothing is to be read of it.
    """
    place = getattr(flags, "json", None)
    text = result.json_text() if place is not None else ""
    # All texts are made before the first is written: after a fault in one, none is.
    texts = {path: text for path, text in (beside or {}).items() if path is not None}
    if getattr(flags, "html", None) is not None and flags.html not in texts:
        texts[flags.html] = result.html()
    if place not in (None, "-"):
        texts[place] = text
    for path, content in texts.items():
        write_text(path, content)
    if place == "-":
        sys.stdout.write(text)
    elif printed:
        output_console().print(result.lines(), soft_wrap=result.soft_wrap)


def dump(document: Mapping[str, Any]) -> str:
    """A document as the text of a JSON file."""
    return json.dumps(document, indent=1, allow_nan=False) + "\n"


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    with replacing(Path(path)) as file:
        file.write(text.encode())
