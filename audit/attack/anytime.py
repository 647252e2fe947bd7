"""Anytime: attack a claim run by run; what is shown holds whenever one stops."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from audit.attack.attackers import PORTFOLIO, Attacker
from audit.attack.betting import EProcess, Kind, Stakes, stakes
from audit.attack.cost import Cost
from audit.attack.experts import (
    DirectionLearner,
    Experts,
    Learner,
    SingleLearner,
    experts,
    leader,
)
from audit.attack.floors import claimed_value
from audit.attack.guesses import Guesses
from audit.attack.pair import Pair
from audit.attack.rules import Rule
from audit.attack.runs import Runs, Source
from audit.attack.selection import held_out
from proofs.guarantees import Guarantee
from synthesizers.errors import InputError

QUICK: tuple[tuple[Learner, float], ...] = (
    (DirectionLearner(1.0), 0.2),
    (DirectionLearner(0.5), 0.2),
    (SingleLearner(), 0.1),
)
"""Those that learn from a few runs, and the wealth that begins with their experts (a choice of this
project: they earn first, where a few nats decide)."""

ATTACKERS_SHARE = 0.2
"""The wealth that begins with the experts of all attackers together (a choice of this project)."""

LEADER_SHARES = (0.2, 0.1)
"""The wealth that begins with the experts that follow whoever earned most so far: against the
claim, and against the smallest value not yet rejected (a choice of this project)."""

WAY_SHARES = np.array([0.1, 0.25, 0.2, 0.1, 0.2, 0.15])
"""How experts that share a score share its wealth: those of fixed tails, and what earned most
against the claim, and against the smallest value not yet rejected (a choice of this project)."""

WAYS = len(WAY_SHARES)

FIRST = 4
"""Runs on a pair before the first guess (a choice of this project)."""

GROWTH = 1 / 32
"""The size of a block, as a part of the pair's runs (a choice of this project: what is learned
late, and seen late, by waiting for a block to end costs some 2 % of runs)."""

REFITS = {Cost.LOW: (16, 1.25), Cost.MIDDLE: (256, 2.0), Cost.HIGH: (1024, 2.0)}
"""Runs of a pair before an attacker first learns, and between which ratios it does so again (a
choice of this project: fits take less time than some runs of a slow box)."""

QUICK_GROWTH = 1.1
"""The same ratio for the quick ones, who learn at every run at first."""

WINDOW = 2**16
"""The youngest runs, from which everything is learned (a choice of this project: memory, seconds,
and thresholds that err by a few thousandths)."""

EXPLORATION = 32
"""Runs on each of several pairs before the best is preferred (a choice of this project)."""


@dataclass(frozen=True, eq=False)
class Anytime:
    """What an attack has found so far; sound whether or not it is stopped here.

    ``runs``: of all pairs together. ``rule``: what the expert that earned most against the claim
    would guess next, and ``pair`` on which; None if nobody would. ``guesses``: those of the leading
    expert, by all rules that it had.
    """

    runs: int
    process: EProcess
    alarm: float
    pair: int
    rule: Rule | None
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


@dataclass(eq=False)
class Study:
    """What has been learned on one pair as its runs came.

    ``experts``: by attacker, None for one that has not learned; ``tally``: [experts, 6], their
    guesses on this pair.
    """

    pair: Pair
    number: int
    learners: Sequence[tuple[Learner, int, float, bool]]

    def __post_init__(self) -> None:
        self.runs = self.blocks = 0
        self.past = Runs.join([])
        self.coming: list[Runs] = []
        self.experts: list[Experts | None] = [None] * len(self.learners)
        self.due = [float(first) for _, first, _, _ in self.learners]
        self.tally = np.zeros((len(self.learners) * WAYS, 6), np.int64)

    @property
    def kinds(self) -> tuple[Kind, Kind]:
        """Of guesses on the pair: by rules of two sides, and of one."""
        return (self.pair.distance, False), (self.pair.distance, True)

    def block(self, drawing: Source, runs: int) -> Runs:
        """Further runs, with random numbers of their own."""
        parts = list(drawing.blocks("anytime", self.pair, self.number, runs, self.blocks))
        self.blocks += len(parts)
        return Runs.join(parts)

    def learn(self, aims: Sequence[Stakes]) -> None:
        """Teach those whose time has come."""
        for place, (learner, _, ratio, apart) in enumerate(self.learners):
            if self.runs < self.due[place]:
                continue
            self.due[place] = self.runs * ratio
            if self.coming:
                self.past = Runs.join([self.past, *self.coming])
                self.past = self.past.take(slice(max(0, len(self.past) - WINDOW), None))
                self.coming = []
            found = taught(learner, self.past, self.pair, aims, apart)
            if found is not None:
                self.experts[place], tally = found
                self.tally[place * WAYS : (place + 1) * WAYS] = tally.reshape(-1, 6)

    def bet(self, runs: Runs) -> NDArray[np.int64]:
        """[experts, 6], how the experts' guesses of these runs come out."""
        found = [
            np.zeros((WAYS, 2, 3), np.int64) if some is None else some.bet(runs)
            for some in self.experts
        ]
        tally = np.concatenate(found).reshape(-1, 6)
        self.coming.append(runs)
        self.runs += len(runs)
        self.tally = self.tally + tally
        return tally

    def rule(self, expert: int) -> Rule | None:
        """What an expert would guess next."""
        some = self.experts[expert // WAYS]
        return None if some is None else some.rule(expert % WAYS)


def taught(
    learner: Learner, past: Runs, pair: Pair, aims: Sequence[Stakes], apart: bool
) -> tuple[Experts, NDArray[np.int64]] | None:
    """The experts of an attacker's score.

    ``apart``: cut by the scores that fits to the other folds give each run, as a flexible attacker
    has too high an opinion of those that it learned from.
    """
    score = learner.fit(past, pair)
    if score is None:
        return None
    scores = held_out(learner, past, pair) if apart else score.evaluate(past.outcomes)
    if scores is None:
        return None
    found = experts(score, scores, past.coins, aims)
    return found, found.tally(scores, past.coins)


def attack(
    drawing: Source,
    pairs: Sequence[Pair],
    guarantee: Guarantee,
    error: float,
    alarm: float,
    runs: int,
    until_decided: bool,
    attackers: Sequence[Attacker] = PORTFOLIO,
) -> Iterator[Anytime]:
    """States after each block of runs, until 2 × ``runs`` are made, or the claim is refuted.

    ``error``: of the floor; ``alarm``: the error at which the claim counts as refuted.
    ``until_decided``: stop then.

    Guarantee
    ---------
    Whenever one stops, and whatever is known by then: while the claim holds between the databases
    of each pair, it is refuted with probability at most ``alarm``; and the chance that the floor is
    as large as the true value is at most ``error``. The box's runs must be independent. Backed by
    ``tests/audit/attack/test_anytime.py``.
    """
    if not pairs:
        raise InputError("an attack needs at least one pair of databases")
    learners = [(learner, FIRST, QUICK_GROWTH, True) for learner, _ in QUICK]
    learners += [(attacker, *REFITS[attacker.cost], True) for attacker in attackers]
    studies = [Study(pair, number, learners) for number, pair in enumerate(pairs)]
    kinds = tuple(dict.fromkeys(kind for study in studies for kind in study.kinds))
    own = [share for _, share in QUICK]
    own += [ATTACKERS_SHARE / max(len(attackers), 1) for _ in attackers]
    shares = np.outer(own, WAY_SHARES).ravel()
    count = len(shares)
    process = EProcess.start(guarantee, error, np.append(shares, LEADER_SHARES), kinds)
    claimed = float(claimed_value(guarantee))
    done = 0
    while done < 2 * runs:
        study = _next(studies, guarantee, claimed)
        aims = [stakes(guarantee, np.array([h]), study.kinds) for h in (claimed, process.frontier)]
        study.learn(aims)
        leaders = [leader(study.tally, aim, np.log(shares)) for aim in aims]
        rule = None if leaders[0] is None else study.rule(leaders[0])
        size = min(max(1, int(study.runs * GROWTH)), 2 * runs - done)
        found = study.bet(study.block(drawing, size))
        tally = np.zeros((count + len(leaders), len(kinds), 3), np.int64)
        columns = [kinds.index(kind) for kind in study.kinds]
        followed = [np.zeros(6, np.int64) if best is None else found[best] for best in leaders]
        tally[:, columns] = np.concatenate([found, followed]).reshape(-1, 2, 3)
        process = process.after(tally)
        done += size
        right, wrong, none = process.tally[count].sum(axis=0).tolist()
        guesses = Guesses(right + wrong + none, right, wrong)
        state = Anytime(done, process, alarm, study.number, rule, guesses)
        yield state
        if until_decided and state.decided:
            return


def _next(studies: Sequence[Study], guarantee: Guarantee, claimed: float) -> Study:
    """Whose turn it is: every pair's at first, then that of the most promising one."""
    fewest = min(studies, key=lambda study: study.runs)
    if len(studies) == 1 or fewest.runs < EXPLORATION:
        return fewest
    return max(studies, key=lambda study: _promise(study, guarantee, claimed))


def _promise(study: Study, guarantee: Guarantee, claimed: float) -> float:
    """The logarithm of what its experts together have made of wealth against the claim."""
    table = stakes(guarantee, np.array([claimed]), study.kinds)
    return float(logsumexp(table.log_wealth(study.tally)))
