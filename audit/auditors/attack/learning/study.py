"""Studies: what is learned on one pair while its runs are bet on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.guessing.betting import GuessKind, Stakes
from audit.auditors.attack.learning.attackers import Attacker
from audit.auditors.attack.learning.behind import veil_attackers
from audit.auditors.attack.learning.experts import WAY_SHARES, Experts, experts
from audit.auditors.attack.learning.learning import Cost
from audit.auditors.attack.learning.quick_attackers import DirectionAttacker, ForemostAttacker
from audit.auditors.attack.learning.selection import fold_runs, score_all_held_out
from audit.auditors.attack.scores.rules import GuessingRule, Score
from audit.subjects.failures import describe_failure
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs, Source

WAYS = len(WAY_SHARES)

QUICK: tuple[tuple[Attacker, float], ...] = (
    (DirectionAttacker(1.0), 0.2),
    (DirectionAttacker(0.5), 0.2),
    (ForemostAttacker(), 0.1),
)
"""Those that learn from a few runs, and the wealth that begins with their experts (they earn first,
where a few nats decide)."""

OTHERS_SHARE = 0.2
"""The wealth that begins with the experts of all other attackers together."""

FIRST = 4
"""Runs on a pair before the quick ones first learn."""

FIRST_OF_COST = {Cost.LOW: 16, Cost.MIDDLE: 256, Cost.HIGH: 1024}
"""The same of the others (with fewer they earn nothing)."""

RATIO_OF_COST = {Cost.LOW: 1.25, Cost.MIDDLE: 2.0, Cost.HIGH: 4.0}
"""By what factor runs grow until they learn again (seconds in all)."""

QUICK_RATIO = 1.1
"""The same of the quick ones."""

SETTLED, SETTLED_RATIO = 1000, 1.5
"""Runs from which on nobody learns again sooner than at this ratio (all
that is cheap to learn is nearly learned)."""

WINDOW = 2**14
"""The youngest runs, from which everything is learned (the thresholds of
a tail of a hundredth err by a tenth of it)."""


@dataclass(frozen=True)
class Enrolled:
    """An attacker that learns again and again; ``share``: of all wealth, that of its experts.

    ``first``: after how many runs; ``ratio``: by what factor they grow until the next time.
    """

    attacker: Attacker
    share: float
    first: int
    ratio: float

    def next(self, runs: int) -> float:
        """At how many runs it learns again."""
        return runs * (self.ratio if runs < SETTLED else max(self.ratio, SETTLED_RATIO))


def enrol(attackers: Sequence[Attacker], causes: tuple[str, ...] = ()) -> tuple[Enrolled, ...]:
    """The quick attackers and the others, all of them behind leaks of these known causes."""
    foremost = veil_attackers([attacker for attacker, _ in QUICK], causes)
    attackers = veil_attackers(attackers, causes)
    quick = [
        Enrolled(attacker, share, FIRST, QUICK_RATIO)
        for attacker, (_, share) in zip(foremost, QUICK, strict=True)
    ]
    others = [
        Enrolled(
            attacker,
            OTHERS_SHARE / len(attackers),
            FIRST_OF_COST[attacker.cost],
            RATIO_OF_COST[attacker.cost],
        )
        for attacker in attackers
    ]
    return (*quick, *others)


class Study:
    """What has been learned on one pair as its runs came; it changes as they do.

    ``tally``: [experts, 6], how the present rules' guesses of the runs on this pair come out: of
    those that they were learned from, held out, and of all since. ``answered``: some run gave an
    output.
    """

    def __init__(self, pair: Pair, number: int, learners: Sequence[Enrolled]) -> None:
        self.pair, self.number, self.learners = pair, number, learners
        self.runs = self._blocks = 0
        self.answered = False
        self._past: list[Runs] = []
        self._due = [float(learner.first) for learner in learners]
        self._experts: list[Experts | None] = [None] * len(learners)
        self.tally = np.zeros((len(learners) * WAYS, 6), np.int64)

    @property
    def kinds(self) -> tuple[GuessKind, GuessKind]:
        """Of guesses on the pair: by rules of two sides, and of one."""
        return (self.pair.distance, False), (self.pair.distance, True)

    def learn(self, aims: Sequence[Stakes]) -> None:
        """Teach the attackers whose time has come: to earn most against the claim, and so on."""
        coming = [place for place, due in enumerate(self._due) if self.runs >= due]
        if not coming:
            return
        past = Runs.join(self._past)
        past = past.take(np.arange(max(0, len(past) - WINDOW), len(past)))
        self._past = [past]
        attackers = [self.learners[place].attacker for place in coming]
        for place, found in zip(coming, teach(attackers, past, self.pair), strict=True):
            self._due[place] = self.learners[place].next(self.runs)
            if found is not None:
                score, scores, coins = found
                new = experts(score, scores, coins, aims)
                self._experts[place] = new
                self.tally[place * WAYS : (place + 1) * WAYS] = new.tally(scores, coins)

    def bet(self, source: Source, runs: int) -> NDArray[np.int64]:
        """[experts, 6], how the experts' guesses of further runs come out."""
        parts = list(source.blocks("anytime", self.pair, self.number, runs, self._blocks))
        self._blocks += len(parts)
        block = Runs.join(parts)
        self.answered = self.answered or describe_failure(block.outcomes) is None
        tallies = [
            np.zeros((WAYS, 6), np.int64) if some is None else some.bet(block)
            for some in self._experts
        ]
        tally = np.concatenate(tallies)
        self._past.append(block)
        self.runs += len(block)
        self.tally = self.tally + tally
        return tally

    def rule(self, expert: int) -> GuessingRule | None:
        """What an expert would guess by next."""
        some = self._experts[expert // WAYS]
        return None if some is None else some.rule(expert % WAYS)


Taught = tuple[Score, NDArray[np.float64], NDArray[np.bool_]]
"""A score, and scores of runs that did not teach it, or its like, with their coins."""


def teach(attackers: Sequence[Attacker], past: Runs, pair: Pair) -> list[Taught | None]:
    """What attackers learn from runs; None from those that learn nothing.

    The scores that show where to cut are of runs held out: each fold is scored by fits to the
    others. Costly attackers are fitted once, to all but one fold.
    """
    cheap = [attacker for attacker in attackers if attacker.cost is Cost.LOW]
    found: dict[str, Taught] = {}
    for attacker, held in zip(cheap, score_all_held_out(cheap, past, pair), strict=True):
        score = attacker.fit(past, pair)
        if score is not None and held is not None:
            found[attacker.name] = score, held, past.coins
    own = next(fold_runs(len(past)))
    others, these = past.take(~own), past.take(own)
    for attacker in attackers:
        score = None if attacker in cheap else attacker.fit(others, pair)
        if score is not None:
            found[attacker.name] = score, score.evaluate(these.outcomes), these.coins
    return [found.get(attacker.name) for attacker in attackers]
