"""How much less a served run costs than a process: the submission of the protocol that uses pandas.

The same runs, of the same seeds, are made by version 1 of the protocol and by a server; whether
both give the same outputs is said. Printed: the time of a run either way, without the start of the
server, and their ratio, wanted below 0.1.

    OMP_NUM_THREADS=1 python benchmarks/served.py --runs 40
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import numpy as np
from stopwatch import seconds

from audit.subjects.command import CommandBox
from audit.subjects.pair import Pair
from audit.subjects.served import ServedBox
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove

PROTOCOL = Path(__file__).parents[1] / "docs" / "submission-protocol.md"


def submission(folder: str) -> str:
    """The served example of the protocol, run by the interpreter of this benchmark."""
    text = re.findall(r"```python\n(.*?)```", PROTOCOL.read_text("utf-8"), re.DOTALL)[1]
    path = Path(folder, "submission")
    path.write_text(text.replace("/usr/bin/env python3", sys.executable))
    path.chmod(0o755)
    return str(path)


def main() -> None:
    """Print the two times and their ratio."""
    options = argparse.ArgumentParser(description="Time served runs beside runs in processes.")
    options.add_argument("--runs", type=int, default=40)
    runs = options.parse_args().runs
    domain, pair = Domain.from_cells("4"), Pair([{"cell": "3"}] * 5, [{"cell": "3"}] * 4)
    coins = np.random.default_rng(1).integers(0, 2, runs).astype(np.bool_)
    with tempfile.TemporaryDirectory() as folder:
        command = CommandBox(submission(folder), ApproxDP(Fraction(1)), AddRemove(), domain, 5)
        box = ServedBox(command)
        # The server is started here, and kept.
        box.draw(pair, coins[:1], 1)
        served = seconds(lambda: box.draw(pair, coins, 2)) / runs
        alone = seconds(lambda: box.draw_first(pair, coins, 2)) / runs
        found = [draw(pair, coins, 3).codes() for draw in (box.draw, box.draw_first)]
    print(f"{runs} runs; outputs {'the same' if np.array_equal(*found) else 'OTHERS'} either way")
    print(f"{'a process':>12} {alone * 1000:8.1f} ms")
    print(f"{'served':>12} {served * 1000:8.1f} ms")
    print(f"{'ratio':>12} {served / alone:8.3f}")


if __name__ == "__main__":
    main()
