"""Where a command speaks: results to standard output, talk and progress to standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console

TRANSCRIPTS = "transcripts", ", each for all databases"
"""What an enumeration counts."""


class Report(Protocol):
    """Told how much is done, of how much, and a word on it."""

    def __call__(self, done: int, total: int, word: str = "") -> None:
        """Show it."""


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
def progress_bar(console: Console, label: str, unit: str, begins: str = "") -> Iterator[Report]:
    """A bar on the console that follows so many ``unit``; ``begins``: said of their total."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(label),
        BarColumn(),
        TextColumn("{task.completed:,}/{task.total:,} " + unit),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
    )
    # Off a terminal the bar would leave nothing but an empty line.
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=1)

        def report(done: int, total: int, word: str = "") -> None:
            if done == 0 and begins:
                console.print(f"{label}: {total:,} {unit}{begins}")
            bar.update(task, completed=done, total=total, description=word)

        yield report
