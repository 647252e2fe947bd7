"""How fast a dense channel is measured, beside the plain method and beside bare arithmetic.

A random channel of 3,276 databases (25 records over 4 cells) and as many outputs: 17,550 pairs of
neighbours. The plain method takes one pair at a time, whole rows at once, in plain doubles
without error bounds. Bare arithmetic is one quotient and one comparison a pair and output for ε,
and a product, a difference, a comparison and a sum for δ, one way round.

    python benchmarks/measures.py            # ε, δ and their witnesses
    python benchmarks/measures.py --all      # then the slower measures, and a whole analysis

An analysis takes every measure there is; of this channel all but the optimum, which is for smaller
ones. Its μ follows from the trade-off functions, which are timed by themselves.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from stopwatch import seconds

from audit.channels.analysis import Wishes, analyse
from audit.channels.channel import Channel
from audit.channels.measures.attacker import guess, naming
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.gdp import smallest_mu
from audit.channels.measures.groups import group_losses
from audit.channels.measures.probabilistic import data_laws, probabilistic_delta
from audit.channels.measures.profile import profile
from audit.channels.measures.renyi import renyi
from audit.channels.measures.rows import row_view
from audit.channels.measures.tradeoff import tradeoff
from audit.channels.measures.zcdp import zcdp
from synthesizers.domain import Domain
from synthesizers.neighbours import ReplaceOne, histograms

CELLS, RECORDS, SPREAD = 4, 25, 40.0
EPSILON = Fraction(1)


def channel() -> Channel:
    """Chances that fall with the distance from the database, like a Gaussian."""
    rows = histograms(CELLS, RECORDS)
    distances = ((rows[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2)
    chances = np.exp(-distances / SPREAD)
    chances /= chances.sum(axis=1, keepdims=True)
    outputs = tuple(map(tuple, rows.tolist()))
    domain = Domain.from_cells(str(CELLS))
    return Channel.of_floats(domain, ReplaceOne(), rows, outputs, chances, 4, "output")


def plain_epsilon(of: Channel) -> float:
    """The largest |ln ratio|, pair by pair."""
    chances, largest = of.centre, 0.0
    for a, b in of.pairs.tolist():
        largest = max(largest, float(np.abs(np.log(chances[a]) - np.log(chances[b])).max()))
    return largest


def plain_delta(of: Channel) -> float:
    """The largest hockey-stick divergence, pair by pair."""
    chances, factor, largest = of.centre, math.exp(EPSILON), 0.0
    for a, b in of.pairs.tolist():
        for p, q in ((chances[a], chances[b]), (chances[b], chances[a])):
            largest = max(largest, float(np.clip(p - factor * q, 0, None).sum()))
    return largest


def bare(of: Channel) -> tuple[float, float]:
    """Seconds of the arithmetic of ε and of δ alone, on as many entries as there are."""
    width = len(of.outputs)
    p, q = of.centre[0], of.centre[1]
    out = np.empty(width)

    def for_epsilon() -> None:
        for _ in range(len(of.pairs)):
            np.divide(p, q, out=out)
            out.max()

    def for_delta() -> None:
        for _ in range(2 * len(of.pairs)):
            np.multiply(q, 2.0, out=out)
            np.subtract(p, out, out=out)
            np.maximum(out, 0, out=out)
            out.sum()

    return seconds(for_epsilon), seconds(for_delta)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true")
    everything = parser.parse_args().all
    of = channel()
    print(f"{len(of.databases)} databases, {len(of.outputs)} outputs, {len(of.pairs)} pairs")
    floors = bare(of)
    print("measure      seconds  plain/ours  ours/arithmetic")
    for name, ours, theirs, floor in (
        ("epsilon", lambda: epsilon(of), lambda: plain_epsilon(of), floors[0]),
        ("delta", lambda: delta(of, EPSILON), lambda: plain_delta(of), floors[1]),
    ):
        mine = seconds(ours)
        print(f"{name:12} {mine:7.2f} {seconds(theirs) / mine:11.1f} {mine / floor:16.1f}")
    if not everything:
        return
    curves = tradeoff(of)
    rest: tuple[tuple[str, Callable[[], object]], ...] = (
        ("probabilistic", lambda: probabilistic_delta(of, EPSILON)),
        ("renyi, order 2", lambda: renyi(of, Fraction(2))),
        ("rho", lambda: zcdp(of)),
        ("trade-off", lambda: tradeoff(of)),
        ("mu, from these", lambda: smallest_mu(of, curves)),
        ("profile", lambda: profile(of)),
        ("rows", lambda: row_view(of)),
        ("guess", lambda: guess(of)),
        ("naming", lambda: naming(of, data_laws(of)["uniform"])),
        ("groups", lambda: group_losses(of, {}, 2)),
        ("an analysis", lambda: analyse(of, Wishes({"1": EPSILON}))),
    )
    for name, work in rest:
        print(f"{name:15} {seconds(work):7.2f} s")


if __name__ == "__main__":
    main()
