"""``dp-audit list``: what is built in."""

from __future__ import annotations

import argparse
import inspect
import math
from typing import Any

from rich.table import Table
from rich.text import Text

from audit.auditors.registry import AUDITORS
from audit.cli.common import output_console
from audit.utility.metric import FIXED, Metric
from synthesizers.declared import NOISES, PUBLIC_LAWS, SAMPLED_NOISES, SELECTIONS, TABLE_LAWS
from synthesizers.programs import PROGRAMS, card

TOPICS = ("programs", "auditors", "metrics", "noise")


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Declare the command's flags."""
    parser = commands.add_parser("list", help="list what is built in, with the programs' cards")
    parser.add_argument("topic", nargs="?", choices=TOPICS, help="one topic alone")
    parser.set_defaults(run=run)


def run(flags: argparse.Namespace) -> int:
    """Print the lists; exit code 0."""
    console = output_console()
    for topic in TOPICS if flags.topic is None else (flags.topic,):
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
        return [(name, auditor.summary) for name, auditor in AUDITORS.items()]
    if topic == "noise":
        laws: set[Any] = NOISES | SAMPLED_NOISES | SELECTIONS | TABLE_LAWS | PUBLIC_LAWS
        return sorted((law.name, (inspect.getdoc(law) or "").splitlines()[0]) for law in laws)
    # Here, not above: scikit-learn comes with it.
    from audit.utility.catalogue import METRICS

    return [(name, _summary(metric)) for name, metric in METRICS.items()]


def _summary(metric: type[Metric]) -> str:
    """What a metric is, its range, and the programs that it can reproduce."""
    words = (inspect.getdoc(metric) or "").splitlines()[0]
    span = f"{metric.lowest:g} to {'∞' if math.isinf(metric.highest) else f'{metric.highest:g}'}"
    others = [mode for mode in metric.modes if mode != FIXED]
    compat = f"; --compat {', '.join(others)}" if others else ""
    return f"{words} [{span}, {metric.direction} is better{compat}]"
