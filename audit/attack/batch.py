"""Batch: learn a rule, freeze it, and certify it on runs that nothing was chosen by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from audit.attack.attackers import PORTFOLIO, Attacker
from audit.attack.guesses import Guesses
from audit.attack.pair import Pair
from audit.attack.runs import Runs, Source
from audit.attack.selection import Aim, Choice, choose
from proofs.guarantees import Guarantee
from synthesizers.errors import InputError

LEARNING_SHARE = 0.35
"""The part of the runs to learn from (a choice of this project: certifying on 65 % widens the gap
to the truth by a quarter; fewer do not tell rare events from luck)."""

MOST_LEARNING = 1_000_000
"""The most runs to learn from (a choice of this project: they are held in memory)."""


@dataclass(frozen=True, eq=False)
class Learned:
    """A frozen rule, with the runs that it was learned from and how many will certify it."""

    choice: Choice
    learning: Runs
    certifying: int


def learning_runs(total: int) -> int:
    """How many of all runs, on both databases, are learned from."""
    return min(max(int(LEARNING_SHARE * total), 1), MOST_LEARNING)


def learn(
    drawing: Source,
    pair: Pair,
    number: int,
    guarantee: Guarantee,
    error: float,
    alarm: float,
    runs: int,
    attackers: Sequence[Attacker] = PORTFOLIO,
) -> Learned:
    """The rule that will certify the largest floor of the guarantee at ``error``.

    ``number``: the pair's, of the search. ``alarm``: the error at which the claim is refuted.
    ``runs``: on each database on average, learning included.
    """
    if runs < 1:
        raise InputError("an attack takes at least one run on each database")
    learning = drawing.runs("learn", pair, number, learning_runs(2 * runs))
    certifying = 2 * runs - len(learning)
    aim = Aim(guarantee, error, alarm, certifying, pair.distance)
    return Learned(choose(attackers, learning, pair, aim), learning, certifying)


def certified(
    drawing: Source, pair: Pair, number: int, learned: Learned
) -> Iterator[tuple[Guesses, Guesses]]:
    """How the rule fares on new runs: the guesses so far and, of these, those of each block.

    Guarantee
    ---------
    The rule was fixed before any of these runs was drawn, and they have random numbers of their
    own: guesses so far are those of independent runs with fair coins, as `guesses.chances` asks
    of all of them, and an e-process of each block in turn. Backed by
    ``tests/audit/attack/test_batch.py``.
    """
    rule = learned.choice.rule
    so_far = Guesses(0, 0, 0, rule.one_sided, rule.abstains)
    for block in drawing.blocks("certify", pair, number, learned.certifying):
        found = rule.count(block.outcomes, block.coins)
        so_far = so_far + found
        yield so_far, found
