"""``dp-audit list``: what is built in."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.resources import files

from rich.table import Table
from rich.text import Text

from audit.auditors.attack.veils.causes import CAUSES
from audit.auditors.registry import AUDITORS
from audit.cli import streams
from audit.report.json_text import json_text
from synthesizers.programs import PROGRAMS, card

TOPICS = ("programs", "auditors", "metrics", "noise", "causes")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("topic", nargs="?", choices=TOPICS, help="one topic alone")
    parser.add_argument("--json", metavar="FILE", help="write names and words as JSON; - prints it")
    parser.add_argument("--quiet", action="store_true", help="say nothing beside the list")


def run(flags: argparse.Namespace) -> int:
    """Print the lists; exit code 0."""
    topics = TOPICS if flags.topic is None else (flags.topic,)
    if flags.json is not None:
        text = json_text({topic: dict(_rows(topic)) for topic in topics})
        if flags.json != "-":
            streams.write_text(flags.json, text)
        else:
            sys.stdout.write(text)
            return 0
    console = streams.output_console()
    for topic in topics:
        console.print(f"[bold]{topic}[/bold]")
        if topic == "programs" and flags.topic is not None:
            for name in PROGRAMS:
                console.print(f"\n[bold]{name}[/bold]")
                console.print(_fill(card(name)), markup=False)
            continue
        table = Table(box=None, show_header=False, padding=(0, 2))
        for name, words in _rows(topic):
            table.add_row(name, Text(words))
        console.print(table)
    return 0


def names(topic: str) -> tuple[str, ...]:
    """The names of a topic."""
    return tuple(name for name, _ in _rows(topic))


def _fill(text: str) -> str:
    """Paragraphs of one line each, for the terminal to break where it ends."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _rows(topic: str) -> list[tuple[str, str]]:
    if topic == "programs":
        return [(name, card(name).splitlines()[0]) for name in PROGRAMS]
    if topic == "causes":
        return [(kind.name, f"{kind.words}. {kind.mend}") for kind in CAUSES.values()]
    if topic == "auditors":
        return [(name, auditor.summary) for name, auditor in AUDITORS.items()]
    # Written by docs/listed.py: metrics and laws would bring the libraries that they need.
    lines = json.loads(files("audit.cli").joinpath("listed.json").read_text(encoding="utf-8"))
    return list(lines[topic].items())
