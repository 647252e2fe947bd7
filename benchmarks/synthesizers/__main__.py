"""The reference synthesizers on real tables: metrics × programs × ε × data, with time and memory.

Every release is drawn from the operating system's entropy; every figure is a mean and a standard
deviation over the releases. What has been measured is kept in a file of results and not measured
again, so that the whole grid can be filled bit by bit:

    python benchmarks/synthesizers --data ../shared/data                   # all of it (days)
    python benchmarks/synthesizers --data ../shared/data --table adult --epsilon 1
    python benchmarks/synthesizers --data ../shared/data --program mst aim --releases 5
    python benchmarks/synthesizers --write docs/reference/synthesizer-results.md  # the tables

A program runs in a process of its own, whose largest memory is measured, and is given up after
``--limit`` seconds. Metrics read the confidential table: none of these figures is private.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from grid import BOOTSTRAP, EPSILONS, SAMPLES, TABLES, programs
from releases import measure
from results import read_results, tables, write

from synthesizers.errors import DPAuditError


def child(flags: argparse.Namespace) -> None:
    """One program on one table at one ε, a line a release."""
    name, table, epsilon = flags.one
    try:
        for figures in measure(name, table, epsilon, flags.data, flags.releases):
            print(json.dumps(figures), flush=True)
    except DPAuditError as refusal:
        where = {"program": name, "table": table, "epsilon": epsilon}
        print(json.dumps({**where, "refused": str(refusal)}), flush=True)


def fill(flags: argparse.Namespace) -> None:
    """Measure what the results do not hold yet; every line is kept as soon as it is there."""
    held = read_results(flags.results)
    yardsticks = [*SAMPLES, BOOTSTRAP] if flags.program is None else []
    for table in flags.table:
        grid = [(name, "-") for name in yardsticks]
        grid += [(name, e) for e in flags.epsilon for name in flags.program or programs()]
        for name, epsilon in grid:
            there = held.get((name, table, epsilon), [])
            missing = flags.releases - len(there)
            if missing <= 0 or any("refused" in line for line in there):
                continue
            command = [sys.executable, str(Path(__file__).parent), "--data", str(flags.data)]
            command += ["--one", name, table, epsilon, "--releases", str(missing)]
            print(f"{table}, epsilon {epsilon}: {name}", file=sys.stderr)
            keep(command, flags.results, flags.limit, (name, table, epsilon))


def keep(command: Sequence[str], results: Path, limit: float, where: tuple[str, str, str]) -> None:
    """Run a child and append its lines; one that fails or is late leaves a line that says so."""
    given_up = None
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            told, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            process.kill()
            told, _ = process.communicate()
            given_up = f"not done within {limit:g} s"
    lines = told.splitlines()
    if given_up is None and process.returncode:
        given_up = f"exit code {process.returncode}"
    if given_up is not None and not lines:
        lines = [
            json.dumps(
                dict(zip(("program", "table", "epsilon"), where, strict=True))
                | {"refused": given_up}
            )
        ]
    with results.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)


def main() -> None:
    """Fill the results, or write them down."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, help="the folder of the real tables")
    parser.add_argument("--table", nargs="+", choices=TABLES, default=list(TABLES))
    parser.add_argument("--epsilon", nargs="+", choices=EPSILONS, default=list(EPSILONS))
    parser.add_argument("--program", nargs="+", choices=programs())
    parser.add_argument("--releases", type=int, default=5)
    parser.add_argument("--limit", type=float, default=3600, help="seconds a program and ε")
    parser.add_argument("--results", type=Path, default=Path("docs/synthesizers.jsonl"))
    parser.add_argument("--write", type=Path, metavar="FILE", help="the document of the tables")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    flags = parser.parse_args()
    if flags.one:
        child(flags)
        return
    if flags.data is not None:
        fill(flags)
    if flags.write is not None:
        write(flags.write, flags.results)
    elif flags.data is None:
        print("\n".join(tables(flags.results)))


if __name__ == "__main__":
    main()
