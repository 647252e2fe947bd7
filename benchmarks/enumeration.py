"""How fast programs are enumerated, beside the plain method, and other people's beside ours.

The program is the geometric sanitizer with rescaling on 4 cells, its output released. The plain
method evaluates the law of every cell once, walks over all transcripts in a loop, multiplies one
row of chances a cell and adds the product to the output's column: it knows this program and no
other. The suite runs the program once a transcript, and asks it what it does.

    python benchmarks/enumeration.py            # up to 816 databases: about a minute
    python benchmarks/enumeration.py --large    # and 3,276 databases, 456,976 transcripts

Every figure is the best of some runs, those of one line in turn. One process, the plain method and
the last table are held on one processor. Of two processes, "anew" counts the start of the second,
"again" is a further enumeration by the same two. All channels of a line are compared.
"""

from __future__ import annotations

import argparse
import itertools
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

import numpy as np
from stopwatch import peak_gigabytes, seconds

from audit import parallel as workers
from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.subjects.program_process import ProgramProcess
from audit.subjects.synthesizer import program_subject
from synthesizers.curator import Program, Setting
from synthesizers.domain import Domain
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.exact import enclose
from synthesizers.neighbours import ReplaceOne, histograms
from synthesizers.noise import DiscreteLaplace, clamped_mass
from synthesizers.programs import build

CELLS = 4
SMALL = (5, 8, 11, 15)
LARGE = 25
RUNS = 3
APART = 15
EXACT_ENTRIES = 100_000

THEIRS = """
from fractions import Fraction

from synthesizers.budget import PureBudget
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import whole_table


class Sanitizer:
    def budget(self, setting):
        return PureBudget(Fraction(1))

    def __call__(self, curator):
        query, noise = whole_table(curator.domain), DiscreteLaplace(Fraction(2))
        noisy = curator.measure(query, noise, low=0, high=curator.records)
        return largest_remainder(noisy.tolist(), curator.records)


sanitizer = Sanitizer()
"""
"""The same program, as somebody else would write it."""


def setting_of(records: int) -> Setting:
    """4 cells, and so many records."""
    return Setting.of(Domain.from_cells(str(CELLS)), ReplaceOne(), records)


def enumerated(records: int, jobs: int, *, exact: bool = False) -> Channel:
    """The channel, by the suite."""
    program = build("geometric-sanitizer", {"epsilon": "1"})
    return channel_of(program, setting_of(records), jobs=jobs, exact=exact).channel


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


@contextmanager
def one_processor() -> Iterator[None]:
    """Hold this process and what it starts on one processor."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class Stopwatch:
    """The best time of each of some works, and what they made last."""

    def __init__(self) -> None:
        self.best: dict[str, float] = {}
        self.made: dict[str, object] = {}

    def time(self, name: str, work: Callable[[], object]) -> None:
        """Do a work once more."""

        def kept() -> None:
            self.made[name] = work()

        self.best[name] = min(seconds(kept), self.best.get(name, float("inf")))


def require_equal(one: Channel, other: Channel) -> None:
    """Two channels of doubles are the same to the last bit."""
    assert one.outputs == other.outputs
    assert np.array_equal(one.lower, other.lower)
    assert np.array_equal(one.upper, other.upper)


def require_near(found: Channel, columns: dict[tuple[int, ...], np.ndarray]) -> None:
    """A channel holds what the plain method finds, but for its roundings."""
    assert found.outputs == tuple(sorted(columns))
    chances = np.stack([columns[output] for output in found.outputs], axis=1)
    assert np.allclose(found.centre, chances, rtol=1e-12, atol=0)


def line(records: int) -> None:
    """One line of the table."""
    watch = Stopwatch()
    databases, transcripts = len(histograms(CELLS, records)), (records + 1) ** CELLS
    for _ in range(RUNS):
        with one_processor():
            watch.time("plain", lambda: plain(records))
            watch.time("one", lambda: enumerated(records, 1))
        workers._others(1).kill()
        watch.time("anew", lambda: enumerated(records, 2))
        watch.time("again", lambda: enumerated(records, 2))
    one = watch.made["one"]
    assert isinstance(one, Channel)
    require_near(one, watch.made["plain"])
    for name in ("anew", "again"):
        require_equal(one, watch.made[name])
    best, compared = watch.best, "-"
    if databases * transcripts <= EXACT_ENTRIES:
        watch.time("exact", lambda: enumerated(records, 1, exact=True))
        assert np.allclose(watch.made["exact"].centre, one.centre, rtol=1e-12, atol=0)
        compared = f"{best['exact'] / best['one']:.0f}"
    print(
        f"{records:7} {databases:9} {transcripts:11} {best['one']:8.2f} s "
        f"{1e6 * best['one'] / transcripts:8.1f} {best['one'] / best['plain']:9.2f} "
        f"{best['one'] / best['anew']:10.2f} {best['one'] / best['again']:11.2f} {compared:>8}",
        flush=True,
    )


def apart(records: int) -> None:
    """Other people's program, in its process, beside ours."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder, one_processor():
        Path(folder, "their_sanitizer.py").write_text(THEIRS)
        sys.path.insert(0, folder)
        subject = program_subject("their_sanitizer:sanitizer", {})
        sys.path.remove(folder)
        theirs, setting = subject.program, setting_of(records)
        ours: Program = build("geometric-sanitizer", {"epsilon": "1"})
        assert isinstance(theirs, ProgramProcess)
        for _ in range(RUNS):
            watch.time("ours", lambda: channel_of(ours, setting).channel)
            theirs.check()
            watch.time("theirs", lambda: channel_of(theirs, setting).channel)
            theirs.end()
            watch.time("from its start", lambda: channel_of(theirs, setting).channel)
        theirs.end()
    for name in ("theirs", "from its start"):
        require_equal(watch.made["ours"], watch.made[name])
    best = watch.best
    print(
        f"\nother people's, {records} records, parent and child on one processor:\n"
        f"  beside the built-in one                  {best['theirs'] / best['ours']:.2f}\n"
        f"  counting the start of its process, too   {best['from its start'] / best['ours']:.2f}"
    )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true")
    sizes = (*SMALL, LARGE) if parser.parse_args().large else SMALL
    print(
        "records databases transcripts  1 process       µs   1/plain "
        " 1/2 (anew) 1/2 (again)  exact/1"
    )
    for records in sizes:
        line(records)
    apart(APART)
    print(f"\nlargest process: {peak_gigabytes():.2f} GB")


if __name__ == "__main__":
    main()
