"""Promises: how likely a pair is to refute the claim, by the few runs that a search spends on it.

What counts is not how large a floor would be, but whether guesses will be right so often that the
claim falls at the alarm: at the ends of a chain a floor may look well and never get there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.learning.attackers import Attacker
from audit.auditors.attack.learning.selection import score_held_out
from audit.auditors.attack.learning.tails import Scored, find_best_cut
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

PRIOR = 6.0
"""Guesses that are added to those that were seen, right as often as lies halfway from tossing a
coin to what refutes (of some hundred pairs the luckiest has as many more right ones, in a first try
of 16 runs, as this takes back; nearer to a coin, it would take all hope from the ends of a chain,
where more must be right than a first try could then show)."""

LEARNING = 3.0
"""How much less is known of an accuracy from so many held-out guesses than their number says: a
rule learned from more runs is better. As a factor of the variance, for what is tried further."""

DOUBT = 1.5
"""How far below what was seen an accuracy is counted, in its standard errors, where a chance is
told (whichever of some dozen pairs looks best was lucky too)."""

TOLD_APART, LIKELY = 0.1, 0.5
"""Chances that differ by less are alike, and so are all that are less than likely: the larger floor
is taken (a search leaves some hundred guesses, by which a chance is not known better)."""


TINY = 1e-9
"""Of how far two means lie apart: a smaller deviation is none."""

FARTHEST = 6.0
"""Deviations between two means; beyond, the tails of the laws are not known by them."""

NO_GUESSES = Guesses(0, 0, 0)
"""Of scores that tell nothing in this way."""


@dataclass(frozen=True, order=True)
class Promise:
    """What a pair promises; the larger, the better.

    ``chance``: of refuting the claim, cautiously, in steps of `TOLD_APART`; 0 below `LIKELY`.
    ``floor``: what is cautiously predicted to be certified. ``surplus``: right guesses beyond wrong
    ones in standard deviations. ``hope``: by how many of its standard errors accuracy is ahead of
    what refutes, with what more runs would teach in its favour: which pair to try further.
    """

    chance: float
    floor: float
    surplus: float
    hope: float = field(default=-math.inf, compare=False)


NOTHING = Promise(0.0, 0.0, 0.0)
"""Of a pair on which no attacker has a score."""


def foresee(runs: Runs, pair: Pair, attackers: Sequence[Attacker], aim: Aim) -> Promise:
    """The best that any of the attackers promises on a pair.

    ``aim``: what is certified later; of its distance, the pair's own is taken. Thresholds are
    chosen on one half of the runs and counted on the other, both ways: chosen and counted on the
    same few, they would find luck on every pair.
    """
    own = replace(aim, distance=pair.distance)
    # Who has not guessed yet may still: as well as by tossing a coin in every run.
    blind = _foresee_by(Guesses(len(runs), len(runs) // 2, len(runs) - len(runs) // 2), own)
    found = replace(NOTHING, hope=blind.hope)
    halves = [np.arange(len(runs)) % 2 == half for half in (0, 1)]
    for attacker in attackers:
        scores = score_held_out(attacker, runs, pair)
        if scores is not None:
            here, there = (Scored.of(scores[half], runs.coins[half]) for half in halves)
            held = _count(here, there, own) + _count(there, here, own)
            for guesses in (held, guess_by_normal_laws(scores, runs.coins)):
                one = _foresee_by(guesses, own)
                found = replace(max(found, one), hope=max(found.hope, one.hope))
    return found


def promises_refutation(runs: Runs, pair: Pair, attackers: Sequence[Attacker], aim: Aim) -> bool:
    """Whether one of the attackers is likely to refute the claim on a pair, cautiously."""
    return foresee(runs, pair, attackers, aim).chance > 0


def can_refute(aim: Aim, distance: int) -> bool:
    """Whether any number of right guesses refutes the claim between databases at ``distance``."""
    right = Guesses(aim.runs, aim.runs, 0, abstains=False)
    return replace(aim, distance=distance).fewest_right(right) is not None


def _foresee_by(held: Guesses, aim: Aim) -> Promise:
    predicted = aim.predict(held)
    needed = aim.fewest_right(held) if held.number else None
    if needed is None:
        return Promise(0.0, predicted.floor, predicted.surplus)
    made = aim.count_made(held)
    known, later = held.number + PRIOR, 1 / made
    # On this scale an accuracy from n guesses has a variance of 1/n, whatever it is.
    enough = 2 * math.asin(math.sqrt(min(needed / made, 1.0)))
    halfway = math.sin((math.pi / 2 + enough) / 4) ** 2
    ahead = 2 * math.asin(math.sqrt((held.correct + PRIOR * halfway) / known)) - enough
    doubted = ahead - DOUBT / math.sqrt(known)
    chance = float(ndtr(doubted / math.sqrt(later + 1 / known)))
    hope = ahead / math.sqrt(later + LEARNING / known)
    told = round(chance / TOLD_APART) * TOLD_APART if chance >= LIKELY else 0.0
    return Promise(told, predicted.floor, predicted.surplus, hope)


def guess_by_normal_laws(scores: NDArray[np.float64], coins: NDArray[np.bool_]) -> Guesses:
    """What a rule that always guesses gets right if scores are normal, of one deviation.

    As many guesses as tell their accuracy as well as the scores do: by their means and deviation
    it is known from half as many runs as by counting, and no threshold has to be found first.
    (Hedges 1981: the correction of a standardised difference, and its variance.) None where scores
    of one coin are too few or all alike.
    """
    sides = [scores[coins == coin] for coin in (False, True)]
    known = len(scores) - 2
    if min(map(len, sides)) < 2:
        return NO_GUESSES
    within = math.sqrt(sum(len(side) * float(side.var()) for side in sides) / known)
    apart = float(sides[1].mean() - sides[0].mean())
    if not within > TINY * abs(apart):
        return NO_GUESSES
    apart = max(-FARTHEST, min(apart * (1 - 3 / (4 * known - 1)) / within, FARTHEST))
    accuracy = float(ndtr(apart / 2))
    variance = sum(1 / len(side) for side in sides) + apart**2 / (2 * len(scores))
    # In the accuracy, by its derivative, the density of the normal law.
    variance *= math.exp(-(apart**2) / 4) / (8 * math.pi)
    number = min(round(accuracy * (1 - accuracy) / variance), 2 * len(scores))
    right = round(accuracy * number)
    return Guesses(number, right, number - right, abstains=False)


def _count(chosen: Scored, counted: Scored, aim: Aim) -> Guesses:
    """The guesses on some runs by the thresholds that are best on others."""
    low, high = chosen.thresholds(find_best_cut(chosen, aim)[1])
    first = int(np.searchsorted(counted.scores, low, "right"))
    return counted.guesses((first, int(np.searchsorted(counted.scores, high, "left"))))
