"""How much less a run costs that need not load its packages: served, and warm, beside a process.

The submission of the protocol that uses pandas. The same runs, of the same seeds, are made by
version 1 of the protocol, by the submission's own server, and warm: copies of a process that has
imported what the script imports; all must give the same outputs. Printed: the time of a run each
way, without the start of the server, and its ratio to a process, wanted below 0.1 of a served run.

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
from audit.subjects.warm import WarmBox
from proofs.guarantees import ApproxDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove

PROTOCOL = Path(__file__).parents[1] / "docs" / "reference" / "submission-protocol.md"


def submission(folder: str) -> str:
    """The served example of the protocol, run by the interpreter of this benchmark."""
    text = re.findall(r"```python\n(.*?)```", PROTOCOL.read_text("utf-8"), re.DOTALL)[1]
    path = Path(folder, "submission")
    path.write_text(text.replace("/usr/bin/env python3", sys.executable))
    path.chmod(0o755)
    return str(path)


def main() -> None:
    """Print the times and their ratios."""
    options = argparse.ArgumentParser(description="Time served runs beside runs in processes.")
    options.add_argument("--runs", type=int, default=40)
    runs = options.parse_args().runs
    domain, pair = Domain.from_cells("4"), Pair([{"cell": "3"}] * 5, [{"cell": "3"}] * 4)
    coins = np.random.default_rng(1).integers(0, 2, runs).astype(np.bool_)
    with tempfile.TemporaryDirectory() as folder:
        command = CommandBox(submission(folder), ApproxDP(Fraction(1)), AddRemove(), domain, 5)
        boxes = {"a process": command, "served": ServedBox(command), "warm": WarmBox(command)}
        took, codes = {}, {}
        for name, box in boxes.items():
            # A server is started here, and kept.
            box.draw(pair, coins[:1], 1)
            took[name] = seconds(lambda box=box: box.draw(pair, coins, 2)) / runs
            codes[name] = box.draw(pair, coins, 3).codes().tolist()
    same = all(one == codes["a process"] for one in codes.values())
    print(f"{runs} runs; outputs {'the same' if same else 'OTHERS'} each way")
    for name, time in took.items():
        print(f"{name:>12} {time * 1000:8.1f} ms {time / took['a process']:8.3f}")


if __name__ == "__main__":
    main()
