"""What it costs to keep a program apart: `true` in each kind of box, beside a plain process.

    python benchmarks/isolation.py            # some seconds

It prints ratios to the plain process, the median of the runs of each; and those to the start of a
Python that imports nothing, which every program in Python has to pay anyway.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from stopwatch import seconds

from audit.statements.isolation import Isolation
from audit.subjects.confinement import (
    BEST_FIRST,
    Confinement,
    available_isolation,
    find_permitted_probes,
    start_confined,
)
from synthesizers.errors import InputError

RUNS = 20
TRUE = ["/bin/true"]


def median(work: Callable[[], object]) -> float:
    """The median time of a call."""
    return statistics.median(seconds(work) for _ in range(RUNS))


def confined(isolation: Isolation) -> None:
    """Start `true` in a box, and wait until nothing of it is left."""
    box = start_confined(TRUE, Confinement(()), isolation=isolation)
    box.process.wait()
    box.kill()


def main() -> None:
    """Print the table."""
    plain = median(lambda: subprocess.run(TRUE, check=True))
    python = median(lambda: subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True))
    print(f"{'':48}{'plain true = 1':>16}{'bare Python = 1':>18}")

    def row(name: str, time: float) -> None:
        print(f"{name:48}{time / plain:16.1f}{time / python:18.1f}")

    row("bare Python", python)
    for isolation in BEST_FIRST:
        name = ", ".join(isolation.to_json().values())
        try:
            confined(isolation)
        except (OSError, InputError):
            print(f"{name:48}{'not on this machine':>34}")
            continue
        row(name, median(lambda isolation=isolation: confined(isolation)))
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.csv")
        data.write_text("private")
        row("all probes", median(lambda: find_permitted_probes(available_isolation(), [str(data)])))


if __name__ == "__main__":
    main()
