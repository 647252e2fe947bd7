"""How fast programs are enumerated, side by side in one run.

Prints, for growing instances, the seconds of one process and of two, transcripts
a second, and the time of exact chances where that is affordable. The caps of
`synthesizers.enumeration` and the thresholds of `audit.enumerate` and
`audit.auditors.exhaustive` were chosen from this table.

    python benchmarks/enumeration.py
"""

from __future__ import annotations

import time

from audit.enumerate import channel_of
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build

INSTANCES = ((3, 5), (4, 5), (4, 8), (4, 11))
EXACT_UP_TO = 100_000


def seconds(cells: int, records: int, *, jobs: int, exact: bool) -> tuple[float, int, int]:
    """The time of one enumeration, its transcripts and its databases."""
    setting = Setting.of(Domain.from_cells(str(cells)), ReplaceOne(), records)
    program = build("geometric-sanitizer", {"epsilon": "1"})
    start = time.perf_counter()
    found = channel_of(program, setting, jobs=jobs, exact=exact)
    elapsed = time.perf_counter() - start
    return elapsed, found.transcripts, len(found.channel.databases)


def main() -> None:
    """Print the table."""
    print("cells records databases transcripts   1 process  2 processes  transcripts/s  exact/1")
    for cells, records in INSTANCES:
        alone, transcripts, databases = seconds(cells, records, jobs=1, exact=False)
        both, _, _ = seconds(cells, records, jobs=2, exact=False)
        ratio = "-"
        if transcripts * databases <= EXACT_UP_TO:
            exact, _, _ = seconds(cells, records, jobs=1, exact=True)
            ratio = f"{exact / alone:.0f}x"
        print(
            f"{cells:5} {records:7} {databases:9} {transcripts:11} {alone:10.2f}s {both:11.2f}s "
            f"{transcripts / alone:13,.0f} {ratio:>8}"
        )


if __name__ == "__main__":
    main()
