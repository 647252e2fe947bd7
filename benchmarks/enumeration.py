"""How fast programs are enumerated, beside the plain method and beside bare arithmetic.

The program is the geometric sanitizer with rescaling, its output released. The plain method
evaluates the law of every cell once, walks over all transcripts in a loop, multiplies one row of
chances a cell and adds the product to the output's column: it knows this program and no other.
Bare arithmetic is one product and one sum of doubles for each transcript and database, without
running anything. What is left between the two is the program itself, run once a transcript.

    python benchmarks/enumeration.py            # up to 816 databases: about a minute
    python benchmarks/enumeration.py --large    # and 3,276 databases, 456,976 transcripts
"""

from __future__ import annotations

import argparse
import itertools
from fractions import Fraction

import numpy as np
from stopwatch import peak_gigabytes, seconds

from audit.enumerate import channel_of
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.exact import enclose
from synthesizers.neighbours import ReplaceOne, histograms
from synthesizers.noise import DiscreteLaplace, clamped_mass
from synthesizers.programs import build

CELLS = 4
SMALL = (5, 8, 11, 15)
LARGE = 25


def enumerated(records: int, jobs: int, *, exact: bool = False) -> object:
    """The channel, by the suite."""
    setting = Setting.of(Domain.from_cells(str(CELLS)), ReplaceOne(), records)
    program = build("geometric-sanitizer", {"epsilon": "1"})
    return channel_of(program, setting, jobs=jobs, exact=exact).channel


def plain(records: int) -> dict[tuple[int, ...], np.ndarray]:
    """The same channel, by a loop over transcripts that knows the program."""
    rows = histograms(CELLS, records)
    noise = DiscreteLaplace(Fraction(2))
    law = np.array(
        [
            [
                float(enclose(clamped_mass(noise, n, m, 0, records)).lower)
                for n in range(records + 1)
            ]
            for m in range(records + 1)
        ]
    )
    tables = [law[:, rows[:, cell]] for cell in range(CELLS)]
    columns: dict[tuple[int, ...], np.ndarray] = {}
    for noisy in itertools.product(range(records + 1), repeat=CELLS):
        chances = tables[0][noisy[0]].copy()
        for cell in range(1, CELLS):
            chances *= tables[cell][noisy[cell]]
        output = tuple(largest_remainder(noisy, records))
        if output in columns:
            columns[output] += chances
        else:
            columns[output] = chances
    return columns


def arithmetic(records: int) -> None:
    """One product and one sum a transcript and database."""
    count = len(histograms(CELLS, records))
    total, left, right = np.zeros(count), np.full(count, 0.5), np.full(count, 0.5)
    product = np.empty(count)
    for _ in range((records + 1) ** CELLS):
        np.multiply(left, right, out=product)
        total += product


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true")
    sizes = (*SMALL, LARGE) if parser.parse_args().large else SMALL
    print("records databases transcripts 1 process 2 processes  plain/2  2/arithmetic  exact/1")
    for records in sizes:
        databases, transcripts = len(histograms(CELLS, records)), (records + 1) ** CELLS
        both = seconds(lambda n=records: enumerated(n, 2))
        bare = seconds(lambda n=records: arithmetic(n))
        alone = ratio = compared = "-"
        if records != LARGE:
            single = seconds(lambda n=records: enumerated(n, 1))
            alone = f"{single:.2f} s"
            ratio = f"{seconds(lambda n=records: plain(n)) / both:.1f}"
            if databases * transcripts <= 100_000:
                compared = f"{seconds(lambda n=records: enumerated(n, 1, exact=True)) / single:.0f}"
        print(
            f"{records:7} {databases:9} {transcripts:11} {alone:>9} {both:9.2f} s "
            f"{ratio:>8} {both / bare:13.1f} {compared:>8}"
        )
    print(f"largest process: {peak_gigabytes():.2f} GB")


if __name__ == "__main__":
    main()
