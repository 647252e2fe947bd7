"""How fast a channel that is never held is measured, beside the plain method and bare arithmetic.

The program is multinomial-dirichlet over 4 cells. Streamed are ε, and at ε = 1 δ and probabilistic
δ, and the Rényi divergences of orders 2, 4, 8, 16, 32. The plain method holds the whole channel and
measures it one measure after the other; bare arithmetic is one quotient and one sum a pair of
neighbours and output.

    python benchmarks/streaming.py                 # 20 and 30 records, with the plain method
    python benchmarks/streaming.py --records 50    # 549 million chances; streamed alone
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

import numpy as np
from stopwatch import peak_gigabytes, seconds

from audit.channels.enumerate import channel_of, instance
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.one_pass import one_pass
from audit.channels.measures.power_sums import ORDERS
from audit.channels.measures.probabilistic import probabilistic_delta
from audit.channels.measures.renyi import renyi
from audit.channels.streamed import streamed_channel
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import ReplaceOne
from synthesizers.programs import build

CELLS = "4"
EPSILON = Fraction(1)
PROGRAM = build("multinomial-dirichlet", {"alpha": "1"})


def streamed(setting: Setting, records: int, jobs: int) -> tuple[int, int]:
    """The measures by one pass; the numbers of pairs and of outputs."""
    listed = instance(setting, records)
    channel = streamed_channel(PROGRAM, setting, listed, "output")
    one_pass(channel, [EPSILON], jobs)
    return len(channel.pairs), len(channel.outputs)


def held(setting: Setting, records: int) -> None:
    """The same measures of the channel held whole, one after the other."""
    channel = channel_of(PROGRAM, setting, size=records).channel
    epsilon(channel)
    delta(channel, EPSILON)
    probabilistic_delta(channel, EPSILON)
    for order in ORDERS:
        renyi(channel, Fraction(order))


def bare(entries: int) -> float:
    """Seconds of one quotient and one sum an entry."""
    width = 1 << 16
    p, q, out = np.full(width, 0.5), np.full(width, 0.25), np.empty(width)
    rounds = max(entries // width, 1)

    def work() -> None:
        for _ in range(min(rounds, 2000)):
            np.divide(p, q, out=out)
            out.sum()

    return seconds(work) * rounds / min(rounds, 2000)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--records", type=int, action="append")
    parser.add_argument("--jobs", type=int, default=2)
    flags = parser.parse_args()
    print(
        "records      chances  pairs x outputs   streamed  ns an entry  held/streamed  /arithmetic"
    )
    for records in flags.records or (20, 30):
        setting = Setting.of(Domain.from_cells(CELLS), ReplaceOne(), records)
        start = time.perf_counter()
        pairs, outputs = streamed(setting, records, flags.jobs)
        ours = time.perf_counter() - start
        plain = "-"
        if outputs**2 <= 40_000_000:
            plain = f"{seconds(lambda s=setting, n=records: held(s, n)) / ours:.1f}"
        entries = pairs * outputs
        print(
            f"{records:7} {outputs**2:12,} {entries:16,} {ours:8.1f} s "
            f"{ours / entries * 1e9:8.1f} {plain:>13} {ours / bare(entries):11.1f}"
        )
    print(f"largest process: {peak_gigabytes():.2f} GB")


if __name__ == "__main__":
    main()
