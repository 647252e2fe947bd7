"""What keeping runs costs and saves: one audit of a submission that loads pandas, three times.

Without a cache, with an empty one, and with the one that is then full; the first two are made of
the same runs, and the last must give the certificate of the second without any. Printed: seconds
of each, and its ratio to the first.

    OMP_NUM_THREADS=1 python benchmarks/kept_runs.py --runs 30
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from served import submission
from stopwatch import seconds

import dp_audit


def main() -> None:
    """Print the times and their ratios."""
    options = argparse.ArgumentParser(description="Time an audit without, with and from a cache.")
    options.add_argument("--runs", type=int, default=30)
    runs = options.parse_args().runs
    found: dict[str, str] = {}
    took: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
        subject = f"command:{submission(folder)}"
        cache = Path(kept, "cache")
        # The example of the protocol would serve: here each run is a process.
        path = Path(subject.removeprefix("command:"))
        path.write_text(path.read_text("utf-8").replace('"--serve" in sys.argv', "False"))
        ways = {"none": {"look": 1}, "empty": {"cache": cache}, "full": {"cache": cache}}
        for way, words in ways.items():

            def audit(way: str = way, words: dict[str, object] = words) -> None:
                result = dp_audit.certify(
                    subject,
                    "epsilon=1",
                    neighbours="add-remove",
                    cells=4,
                    records=5,
                    pair=([{"cell": "3"}] * 5, [{"cell": "3"}] * 4),
                    runs=runs,
                    seed=1,
                    jobs=1,
                    **words,
                )
                found[way] = _without_clock(result.json_text())

            took[way] = seconds(audit)
    same = len(set(found.values())) == 1
    print(f"{runs} runs a database; certificates {'the same' if same else 'OTHERS'}")
    for way, time in took.items():
        print(f"{way:>8} {time:8.2f} s {time / took['none']:8.3f}")


def _without_clock(certificate: str) -> str:
    """A certificate without how long runs took, which stands in its digest, too."""
    document = json.loads(certificate)
    del document["digest"]
    for one in document["evidence"]:
        one.get("power", {}).pop("seconds", None)
    return json.dumps(document)


if __name__ == "__main__":
    main()
