"""Anytime: attack a claim run by run; what is shown holds whenever one stops."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from audit.auditors.attack.guessing.betting import EProcess, stakes
from audit.auditors.attack.guessing.floors import claimed_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.learning.attackers import PORTFOLIO, Attacker
from audit.auditors.attack.learning.experts import WAY_SHARES, leader
from audit.auditors.attack.learning.study import Study, enrol
from audit.auditors.attack.scores.rules import GuessingRule
from audit.subjects.pair import Pair
from audit.subjects.runs import Source
from proofs.guarantees import Guarantee
from synthesizers.errors import InputError

LEADER_SHARES = (0.2, 0.1)
"""The wealth that begins with the two experts that follow whoever earned most so far: against the
claim, and against the smallest value not yet rejected."""

GROWTH = 1 / 32
"""The size of a block, as a part of the pair's runs (what is seen late,
by waiting for a block to end, costs some 2 % of runs)."""

EXPLORATION = 32
"""Runs on each of several pairs before the best is preferred."""


@dataclass(frozen=True, eq=False)
class Anytime:
    """What an attack has found so far; sound whether or not it is stopped here.

    ``runs``: of all pairs together. ``rule``: by what the expert that had earned most against the
    claim guessed last, and ``pair`` on which; None if it rested. ``guesses``: those of the experts
    that led, by all rules that they had.
    """

    runs: int
    process: EProcess
    alarm: float
    pair: int
    rule: GuessingRule | None
    guesses: Guesses

    @property
    def floor(self) -> float:
        """The claim's own parameter exceeds this, but for the process's error."""
        return self.process.floor

    @property
    def p_value(self) -> float:
        """A p-value of the claim."""
        return self.process.p_value

    @property
    def decided(self) -> bool:
        """Whether the claim is refuted at the alarm."""
        return self.process.highest >= -math.log(self.alarm)


def attack(
    source: Source,
    pairs: Sequence[Pair],
    guarantee: Guarantee,
    error: float,
    alarm: float,
    runs: int,
    until_decided: bool,
    attackers: Sequence[Attacker] = PORTFOLIO,
    causes: tuple[str, ...] = (),
) -> Iterator[Anytime]:
    """States after each block of runs, until 2 × ``runs`` are made, or the claim is refuted.

    ``error``: of the floor; ``alarm``: the error at which the claim counts as refuted.
    ``until_decided``: stop then. ``attackers``: those that learn besides the quick ones.
    ``causes``: of known leaks behind which they look.

    Guarantee
    ---------
    Whenever one stops, and whatever is known by then: while the claim holds between the databases
    of each pair, it is refuted with probability at most ``alarm``; and the chance that the floor is
    as large as the true value is at most ``error``. The box's runs must be independent. Which pair
    is run, and by which rules is guessed, is settled before each block by earlier ones. Backed by
    ``tests/audit/auditors/attack/learning/test_anytime.py``.
    """
    if not pairs:
        raise InputError("an attack needs at least one pair of databases")
    learners = enrol(attackers, causes)
    shares = np.outer([learner.share for learner in learners], WAY_SHARES).ravel()
    studies = [Study(pair, number, learners) for number, pair in enumerate(pairs)]
    kinds = tuple(dict.fromkeys(kind for study in studies for kind in study.kinds))
    process = EProcess.start(guarantee, error, np.append(shares, LEADER_SHARES), kinds)
    claimed = float(claimed_value(guarantee))
    while (done := sum(study.runs for study in studies)) < 2 * runs:
        study = _next(studies, guarantee, claimed)
        aims = [
            stakes(guarantee, np.array([value]), study.kinds)
            for value in (claimed, process.frontier)
        ]
        study.learn(aims)
        leaders = [leader(study.tally, aim, np.log(shares)) for aim in aims]
        led = [best for best in leaders if best is not None]
        rule = study.rule(led[0]) if led else None
        size = min(max(1, int(study.runs * GROWTH)), 2 * runs - done)
        answered = study.answered
        own = study.bet(source, size)
        if not answered:
            # Nothing is staked on a pair on which every run failed so far.
            own = np.zeros_like(own)
        followed = [np.zeros(6, np.int64) if best is None else own[best] for best in leaders]
        tally = np.zeros_like(process.tally)
        columns = [kinds.index(kind) for kind in study.kinds]
        tally[:, columns] = np.concatenate([own, followed]).reshape(-1, 2, 3)
        process = process.after(tally)
        right, wrong, none = process.tally[len(shares)].sum(axis=0).tolist()
        guesses = Guesses(right + wrong + none, right, wrong)
        state = Anytime(done + size, process, alarm, study.number, rule, guesses)
        yield state
        if until_decided and state.decided:
            return


def _next(studies: Sequence[Study], guarantee: Guarantee, claimed: float) -> Study:
    """Whose turn it is: every pair's at first, then that of the most promising one.

    Pairs on which every run failed are left, unless all others are such pairs too.
    """
    studies = [one for one in studies if one.answered or one.runs < EXPLORATION] or studies
    fewest = min(studies, key=lambda study: study.runs)
    if len(studies) == 1 or fewest.runs < EXPLORATION:
        return fewest
    return max(studies, key=lambda study: _promise(study, guarantee, claimed))


def _promise(study: Study, guarantee: Guarantee, claimed: float) -> float:
    """The logarithm of what its experts together make of wealth against the claim."""
    table = stakes(guarantee, np.array([claimed]), study.kinds)
    return float(np.logaddexp.reduce(table.log_wealth(study.tally)[:, 0]))
