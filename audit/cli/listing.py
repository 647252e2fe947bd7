"""``dp-audit list``: what is built in."""

from __future__ import annotations

import argparse
import json
import sys
from importlib.resources import files

from rich.table import Table
from rich.text import Text

from audit.cli import streams
from synthesizers.programs import PROGRAMS, card

TOPICS = ("programs", "auditors", "metrics", "noise")

AUDITORS = {
    "exhaustive": "the exact channel of an enumerated instance: every pair, every output",
    "factorised": "the transcript of independent noisy cells: databases of any size",
    "proof": "a theorem from the program's budget or its ledger: databases of any size",
    "attack": "repeated runs of a black box on two databases: a floor, with its confidence",
    "sensitivity": "how far one unit can move a query: exact, or a floor with its pair",
    "composition": "a ledger recounted from the law of every question",
    "data independence": "what tells neighbours apart beside the noisy answers",
    "noise law": "whether noise has its declared law, is fresh, and hides what it is added to",
    "utility sanity": "whether the error falls to its limit as epsilon grows",
}


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the command's flags."""
    parser.add_argument("topic", nargs="?", choices=TOPICS, help="one topic alone")
    parser.add_argument("--json", metavar="FILE", help="write names and words as JSON; - prints it")
    parser.add_argument("--quiet", action="store_true", help="say nothing beside the list")


def run(flags: argparse.Namespace) -> int:
    """Print the lists; exit code 0."""
    topics = TOPICS if flags.topic is None else (flags.topic,)
    if flags.json is not None:
        text = streams.dump({topic: dict(_rows(topic)) for topic in topics})
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
                console.print(_filled(card(name)), markup=False)
            continue
        table = Table(box=None, show_header=False, padding=(0, 2))
        for name, words in _rows(topic):
            table.add_row(name, Text(words))
        console.print(table)
    return 0


def _filled(text: str) -> str:
    """Paragraphs of one line each, for the terminal to break where it ends."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


def _rows(topic: str) -> list[tuple[str, str]]:
    if topic == "programs":
        return [(name, card(name).splitlines()[0]) for name in PROGRAMS]
    if topic == "auditors":
        return list(AUDITORS.items())
    # Written by docs/listed.py: metrics and laws would bring the libraries that they need.
    lines = json.loads(files("audit.cli").joinpath("listed.json").read_text(encoding="utf-8"))
    return list(lines[topic].items())
