"""Batch: learn a rule, freeze it, and certify it on runs that nothing was chosen by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.learning.aims import Aim
from audit.auditors.attack.learning.attackers import PORTFOLIO, Attacker
from audit.auditors.attack.learning.quick_attackers import ChoiceAttacker, MarginalAttacker
from audit.auditors.attack.learning.selection import (
    Candidate,
    Choice,
    choose,
    choose_finalists,
)
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs, Source
from proofs.guarantees import Guarantee
from synthesizers.errors import InputError

LEAST_SHARE, MOST_SHARE = 0.15, 0.35
"""The parts of the runs to learn from (certifying on 85 % widens the gap
to the truth by a twelfth, on 65 % by a quarter)."""

ENOUGH_GUESSES = 350
"""Guesses to learn from (calibrated scores place a tail of as many well; where guesses are rarer,
more runs are learned from, though each is one less to certify)."""

NOBODY = Guesses(1, 0, 0)
"""The guesses of no attacker."""

KNOWING = (MarginalAttacker, ChoiceAttacker)
"""Attackers that know from the databases which way a leak moves their columns."""

MOST_LEARNING = 1_000_000
"""The most runs to learn from (they are held in memory)."""


@dataclass(frozen=True, eq=False)
class Learned:
    """A frozen rule, with the runs that it was learned from and how many will certify it."""

    choice: Choice
    learning: Runs
    certifying: int


def learning_runs(total: int, held: Guesses | None = None) -> int:
    """How many of all runs, on both databases, are learned from.

    ``held``: held-out guesses of an attacker of a first try; none at first.
    """
    wanted = 0.0 if held is None else ENOUGH_GUESSES * held.runs / max(held.number, 1)
    found = int(min(max(wanted, LEAST_SHARE * total), MOST_SHARE * total))
    return min(max(found, 1), MOST_LEARNING)


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
    total = 2 * runs
    blocks = list(drawing.blocks("learn", pair, number, learning_runs(total)))
    learning = Runs.join(blocks)
    aim = Aim(guarantee, error, alarm, total - len(learning), pair.distance)
    left = choose_finalists(attackers, learning, pair, aim)
    # Of the best ones the least picky: few guesses may be luck.
    held = max((candidate.held for candidate in left), key=lambda one: one.number, default=NOBODY)
    missing = learning_runs(total, held) - len(learning)
    if missing and not _knows(left):
        more = drawing.blocks("learn", pair, number, missing, start=len(blocks))
        learning = Runs.join([*blocks, *more])
        aim = replace(aim, runs=total - len(learning))
        left = left or choose_finalists(attackers, learning, pair, aim)
    choice = choose([candidate.attacker for candidate in left], learning, pair, aim)
    return Learned(choice, learning, aim.runs)


def _knows(candidates: Sequence[Candidate]) -> bool:
    """Whether the best one knew its direction beforehand, and guesses in every run.

    It then has one threshold to learn, which the first runs place well.
    """
    best = max(candidates, key=lambda candidate: candidate.prediction, default=None)
    return best is not None and isinstance(best.attacker, KNOWING) and not best.held.abstains


def choose_rule(
    learning: Runs, pair: Pair, aim: Aim, attackers: Sequence[Attacker] = PORTFOLIO
) -> Choice:
    """The rule that `learn` would freeze after such learning runs alone."""
    left = choose_finalists(attackers, learning, pair, aim)
    return choose([candidate.attacker for candidate in left], learning, pair, aim)


def certify(
    drawing: Source, pair: Pair, number: int, learned: Learned
) -> Iterator[tuple[Runs, Guesses]]:
    """New runs, block by block, and how often the rule was right in all of them so far.

    Guarantee
    ---------
    The rule was fixed before any of these runs was drawn, and they have random numbers of their
    own: guesses so far are those of independent runs with fair coins, as `guesses.chances` asks
    of all of them, and an e-process of each block in turn. Backed by
    ``tests/audit/auditors/attack/learning/test_batch.py`` and ``benchmarks/coverage.py``.
    """
    rule = learned.choice.rule
    guesses = Guesses(0, 0, 0, rule.one_sided, rule.abstains)
    for block in drawing.blocks("certify", pair, number, learned.certifying):
        guesses = guesses + rule.count(block.outcomes, block.coins)
        yield block, guesses
