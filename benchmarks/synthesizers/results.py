"""The results as Markdown: a table for each data set and metric, programs by ε."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grid import BOOTSTRAP, DIRECTIONS, EPSILONS, METRICS, SAMPLES, TABLES

MARK = "<!-- results -->"

RANKED = "1"
"""The ε at which programs are ranked."""

Measured = Mapping[tuple[str, str], Sequence[Mapping[str, Any]]]
"""The lines of one table, by program and ε."""


def read_results(path: Path) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    """The lines of a file of results, by program, table and ε."""
    held: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        figures = json.loads(line)
        key = figures["program"], figures["table"], figures["epsilon"]
        held.setdefault(key, []).append(figures)
    return held


def tables(path: Path) -> Iterator[str]:
    """The results as Markdown: for each data set, a table a metric, and the programs' places."""
    held = read_results(path)
    for table in TABLES:
        here = {(name, e): lines for (name, of, e), lines in held.items() if of == table}
        if not here:
            continue
        yield f"## {table}\n"
        for metric in (*METRICS, "models", "seconds", "gigabytes"):
            if any(metric in line for lines in here.values() for line in lines):
                better = DIRECTIONS.get(metric, "lower")
                yield f"### {table}: {metric} ({better} is better)\n"
                yield from by_epsilon(here, metric)
        yield f"### {table}: places at ε = {RANKED}, by each metric\n"
        yield from places(here)


def by_epsilon(here: Measured, metric: str) -> Iterator[str]:
    """One metric of all programs, the best by pairs first, and of the samples."""
    epsilons = [e for e in EPSILONS if any(key[1] == e for key in here)]
    names = {name for name, epsilon in here if epsilon != "-"}
    first = {name: means(here.get((name, RANKED), [])).get("pairs", math.inf) for name in names}
    yield "| program | " + " | ".join(f"ε = {e}" for e in epsilons) + " |"
    yield "|---|" + "---|" * len(epsilons)
    for name in sorted(names, key=lambda name: (first[name], name)):
        cells = [shown(here.get((name, e), []), metric) for e in epsilons]
        yield f"| {name} | " + " | ".join(cells) + " |"
    for name in (*SAMPLES, BOOTSTRAP):
        yardstick = shown(here.get((name, "-"), []), metric)
        if yardstick:
            yield f"| *{name}* | " + " | ".join([yardstick] * len(epsilons)) + " |"
    yield ""


def places(here: Measured) -> Iterator[str]:
    """The programs' places by each metric at one ε, as Bowen & Snoke 2021, tables 5 and 6."""
    found = {name: means(lines) for (name, epsilon), lines in here.items() if epsilon == RANKED}
    metrics = [metric for metric in DIRECTIONS if any(metric in each for each in found.values())]
    found = {name: each for name, each in found.items() if len(each) == len(metrics)}
    orders = []
    for metric in metrics:
        sign = 1 if DIRECTIONS[metric] == "lower" else -1
        orders.append(sorted(found, key=lambda name: sign * found[name][metric]))
    yield "| program | " + " | ".join(metrics) + " |"
    yield "|---|" + "---|" * len(metrics)
    for name in orders[0]:
        yield f"| {name} | " + " | ".join(str(order.index(name) + 1) for order in orders) + " |"
    yield ""


def means(lines: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The mean of each metric that all releases have."""
    return {
        metric: statistics.fmean(line[metric] for line in lines)
        for metric in DIRECTIONS
        if lines and all(line.get(metric) is not None for line in lines)
    }


def shown(lines: Sequence[Mapping[str, Any]], metric: str) -> str:
    """A mean ± a standard deviation over releases, with their number where it is below five."""
    values = [line[metric] for line in lines if line.get(metric) is not None]
    if not values:
        return "refused" if any("refused" in line for line in lines) else ""
    mean = statistics.fmean(values)
    digits = 0 if mean >= 100 else 2 if mean >= 1 else 4
    spread = f" ± {statistics.stdev(values):.{digits}f}" if len(values) > 1 else ""
    few = f" ({len(values)})" if len(values) < 5 else ""
    return f"{mean:.{digits}f}{spread}{few}"


def write(document: Path, results: Path) -> None:
    """Put the tables after the mark of a document, whose text before it stays."""
    text, mark, _ = document.read_text().partition(MARK)
    if not mark:
        raise SystemExit(f"{document} has no line {MARK}")
    document.write_text(f"{text}{MARK}\n\n" + "\n".join(tables(results)))
