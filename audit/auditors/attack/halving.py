"""Halving: which pair of databases an attack will show the most of.

Successive halving (Karnin, Koren & Somekh 2013, Sequential Halving): each round spends an equal
share on the pairs that are left and keeps the better half. Its runs are used for nothing else, so
what was tried here costs the certified floor no confidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from audit.auditors.attack.attackers import Attacker
from audit.auditors.attack.guesses import Guesses
from audit.auditors.attack.selection import Aim, Prediction, Scored, best_cut, score_held_out
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs, Source
from synthesizers.errors import InputError

SHARE = 0.2
"""The most of all runs that the search spends (certifying on four fifths
of the runs widens the gap to the truth by 12 %, where a poorer pair may halve the floor)."""

LEAST = 40
"""Runs on a pair in the first round, at least (a pair that gives itself
away in every run is clearly ahead of others; where runs are fewer, fewer pairs are tried)."""


@dataclass(frozen=True)
class Round:
    """So many pairs, each with so many further runs."""

    pairs: int
    runs: int


def rounds(candidates: int, runs: int) -> tuple[Round, ...]:
    """The rounds of a search among ``candidates`` in an audit of ``runs``, on both databases.

    Together at most `SHARE` of the runs; none for a single candidate. Where the first round could
    not give every pair `LEAST` runs, only the first candidates take part.
    """
    budget = int(SHARE * runs)
    alive = candidates
    while alive > 1 and budget // (_halvings(alive) * alive) < LEAST:
        alive -= 1
    found = []
    share = budget // max(1, _halvings(alive))
    while alive > 1:
        found.append(Round(alive, share // alive))
        alive = (alive + 1) // 2
    return tuple(found)


def search(
    source: Source, pairs: Sequence[Pair], attackers: Sequence[Attacker], aim: Aim, runs: int
) -> tuple[Pair, int]:
    """The pair on which the most is predicted to be certified, and its number among ``pairs``.

    ``attackers``: cheap ones, that learn from few runs. ``aim``: what is certified later; of its
    distance, each pair's own is taken. ``runs``: of the whole audit, of which the search spends
    what `rounds` says. Pairs come with the most telling first: that one is taken where runs are
    too few for a search, and of pairs with equal predictions the first. Each round predicts from
    all runs so far, cautiously (`Aim.predict`), so that luck in few runs doesn't win. The same
    pair is found wherever the runs are drawn.
    """
    if not pairs:
        raise InputError("a search needs at least one pair of databases")
    plan = rounds(len(pairs), runs)
    alive = list(range(plan[0].pairs if plan else 1))
    seen: dict[int, Runs] = {}
    for one in plan:
        alive = alive[: one.pairs]
        for number in alive:
            # Blocks of earlier rounds are at most as many as their runs.
            start = len(seen[number]) if number in seen else 0
            drawn = source.runs("search", pairs[number], number, one.runs, start)
            seen[number] = Runs.join([seen[number], drawn]) if start else drawn
        predictions = {n: predict(seen[n], pairs[n], attackers, aim) for n in alive}
        alive.sort(key=lambda number: predictions[number], reverse=True)
    return pairs[alive[0]], alive[0]


def predict(runs: Runs, pair: Pair, attackers: Sequence[Attacker], aim: Aim) -> Prediction:
    """The best that any of the attackers is predicted to certify on a pair.

    Thresholds are chosen on one half of the runs and counted on the other, both ways: chosen and
    counted on the same few, they would find luck on every pair.
    """
    own = replace(aim, distance=pair.distance)
    halves = [np.arange(len(runs)) % 2 == half for half in (0, 1)]
    found = [Prediction(False, 0.0, 0)]
    for attacker in attackers:
        scores = score_held_out(attacker, runs, pair)
        if scores is not None:
            here, there = (Scored.of(scores[half], runs.coins[half]) for half in halves)
            held = _count(here, there, own) + _count(there, here, own)
            found.append(own.predict(held))
    return max(found)


def _count(chosen: Scored, counted: Scored, aim: Aim) -> Guesses:
    """The guesses on some runs by the thresholds that are best on others."""
    low, high = chosen.thresholds(best_cut(chosen, aim)[1])
    first = int(np.searchsorted(counted.scores, low, "right"))
    return counted.guesses((first, int(np.searchsorted(counted.scores, high, "left"))))


def _halvings(candidates: int) -> int:
    """How often a number of pairs is halved, rounded up, until one is left."""
    return max(candidates - 1, 0).bit_length()
