"""Where a command speaks: results to standard output, talk and progress to standard error."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from audit.statements.durations import spell_seconds
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
    "scoring subgroups": ("scores", ""),
    "examining": ("cases", ""),
}
"""What the steps of long work count, and what is said of their total as they begin."""

UNEVEN = frozenset({"scoring"})
"""Steps whose units take unlike times: what is left is said by their word, and not by counting."""

HEARTBEAT_SECONDS = 30.0
"""How long a log stays without a line of work that goes on: seldom enough for one that is kept, and
often enough for whoever waits to see that nothing hangs."""


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


class Heartbeat:
    """Says now and then, where there is no terminal, how far a step of long work is.

    ``say``: takes a line; ``clock``: gives seconds. A step's first word begins its time.
    """

    def __init__(self, say: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._say = say
        self._clock = clock
        self._step = ""
        self._begun = self._said = 0.0
        self._before = 0

    def beat(self, step: str, done: int, total: int, word: str) -> None:
        """Told of progress, as `dp_audit.progress.Progress` is."""
        now = self._clock()
        if step != self._step:
            self._step, self._before, self._begun, self._said = step, done, now, now
        # Whoever was told of the work is told of its end, too.
        ends = done == total and self._said > self._begun
        if now - self._said < HEARTBEAT_SECONDS and not ends:
            return
        self._said = now
        unit, _ = UNITS.get(step, ("", ""))
        counts = f"{done:,} of {total:,} {unit}" if total else f"{done:,} {unit}"
        made = done - self._before
        even = total and made > 0 and step not in UNEVEN
        left = (now - self._begun) * (total - done) / made if even else 0.0
        parts = (counts.strip(), word, f"{spell_seconds(left)} left" if left > 0 else "")
        self._say(f"{step}: {', '.join(part for part in parts if part)}")


@contextmanager
def follow(console: Console, clock: Callable[[], float] = time.monotonic) -> Iterator[Progress]:
    """A bar on the console that follows the steps of long work; off a terminal, lines of it."""
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
        say = partial(console.print, markup=False, soft_wrap=True)
        heart = Heartbeat(say, clock) if hidden else None
        last = ("", 0)

        def report(step: str, done: int, total: int, word: str) -> None:
            nonlocal last
            begins, last = done == 0 and last != (step, 0), (step, done)
            if step == "planning":
                say(word)
                return
            if heart is not None:
                heart.beat(step, done, total, word)
            unit, beginning = UNITS.get(step, ("", ""))
            if step == "reading":
                console.print(f"reading {word}", markup=False, soft_wrap=True)
            if begins and beginning:
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


def write_text(path: str, text: str) -> None:
    """Write a file whole or not at all."""
    with replacing(Path(path)) as file:
        file.write(text.encode())
