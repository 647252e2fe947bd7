"""The results as Markdown: a table for each data set and metric, programs by ε."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from grid import BOOTSTRAP, DIRECTIONS, EPSILONS, METRICS, SAMPLES, TABLES

MARK = "<!-- results -->"

RANKED = "1"
"""The ε at which programs are ranked."""


def read_results(path: Path) -> dict[tuple[str, str, str], list[dict[str, Any]]]:
    """The lines of a file of results, by program, table and ε."""
    held: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        figures = json.loads(line)
        key = figures["program"], figures["table"], figures["epsilon"]
        held.setdefault(key, []).append(figures)
    return held


def tables(path: Path) -> Iterator[str]:
    """The results as Markdown: a table for each data set and metric, programs by ε."""
    held = read_results(path)
    for table in TABLES:
        here = {key: lines for key, lines in held.items() if key[1] == table}
        if not here:
            continue
        epsilons = [e for e in EPSILONS if any(key[2] == e for key in here)]
        names = list(dict.fromkeys(key[0] for key in here if key[2] != "-"))
        yield f"## {table}\n"
        for metric in (*METRICS, "models", "seconds", "gigabytes"):
            if not any(metric in line for lines in here.values() for line in lines):
                continue
            better = DIRECTIONS.get(metric, "lower")
            yield f"### {table}: {metric} ({better} is better)\n"
            yield "| program | " + " | ".join(f"ε = {e}" for e in epsilons) + " |"
            yield "|---|" + "---|" * len(epsilons)
            for name in names:
                cells = [shown(here.get((name, table, e), []), metric) for e in epsilons]
                yield f"| {name} | " + " | ".join(cells) + " |"
            for name in (*SAMPLES, BOOTSTRAP):
                yardstick = shown(here.get((name, table, "-"), []), metric)
                if yardstick:
                    yield f"| *{name}* | " + " | ".join([yardstick] * len(epsilons)) + " |"
            yield ""
        yield from ranks(here, table)


def ranks(
    here: Mapping[tuple[str, str, str], Sequence[Mapping[str, Any]]], table: str
) -> Iterator[str]:
    """The programs' places by each metric at one ε, as Bowen & Snoke 2021, tables 5 and 6."""
    means = {
        name: {
            metric: statistics.fmean(line[metric] for line in lines)
            for metric in DIRECTIONS
            if all(line.get(metric) is not None for line in lines)
        }
        for (name, _, epsilon), lines in here.items()
        if epsilon == RANKED
    }
    complete = max(means.values(), key=len, default={})
    means = {name: found for name, found in means.items() if found and len(found) == len(complete)}
    if len(means) < 2:
        return
    places: dict[str, dict[str, int]] = {name: {} for name in means}
    for metric in complete:
        sign = 1 if DIRECTIONS[metric] == "lower" else -1
        ordered = sorted(means, key=lambda name: sign * means[name][metric])
        for place, name in enumerate(ordered, start=1):
            places[name][metric] = place
    yield f"### {table}: places at ε = {RANKED}, by each metric\n"
    yield "| program | " + " | ".join(complete) + " |"
    yield "|---|" + "---|" * len(complete)
    for name in sorted(places, key=lambda name: sum(places[name].values())):
        yield f"| {name} | " + " | ".join(str(places[name][metric]) for metric in complete) + " |"
    yield ""


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
