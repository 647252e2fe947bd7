"""The plan of an attack, told before it starts: its runs, their time, and what they can see."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from audit.auditors.attack.guessing.floors import BETTOR_SHARE, claimed_name, claimed_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import Bets, Binomial, find_detectable, require_detect
from audit.auditors.attack.learning import anytime
from audit.auditors.attack.learning.batch import LEAST_SHARE
from audit.auditors.attack.pairs.distances import MOST_STEPS, list_distances
from audit.auditors.attack.searching import search
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.statements.durations import spell_seconds
from proofs.guarantees import Guarantee

MOST_RUNS = 10**9
"""Runs beyond which nobody is told how many would do."""


@dataclass(frozen=True)
class Plan:
    """What an attack will do.

    ``runs``: on both databases, at most. ``beside``: of other auditors, and of looks before and
    after. ``seconds``: all of them take; None where no run was
    measured. ``sees``: the least leak, in the claim's own parameter, that its best event could
    show; infinite for none. ``wanted``: the leak that it must be able to see.
    ``needed``: runs a database that could see it; None where these do, or none of a number that
    anybody makes.
    """

    guarantee: Guarantee
    runs: int
    seconds: float | None
    sees: float
    wanted: float
    needed: int | None
    beside: int = 0

    def words(self) -> str:
        """The plan in a line."""
        name, claimed = claimed_name(self.guarantee), float(claimed_value(self.guarantee))
        told = f"plan: at most {self.runs:,} runs"
        if self.beside:
            told += f", and some {self.beside:,} beside them"
        if self.seconds is not None:
            told += f", {spell_seconds(self.seconds)}"
        if math.isinf(self.sees):
            told += f"; no leak, however large, can refute {self.guarantee} in so few"
        else:
            told += (
                f"; at best they can see {name} >= {self.sees:.3g}, where {claimed:.3g} is claimed"
            )
        if self.sees > self.wanted:
            told += f", and {name} = {self.wanted:.3g} was to be detected"
        if self.needed is not None:
            told += f": that takes --runs {self.needed} or more"
        return told


def make_plan(claim: Claim, attack: Attack, seconds: float | None, beside: int = 0) -> Plan:
    """The plan of an attack on a claim, of which a run takes ``seconds`` where that is known.

    ``beside``: the runs that are made besides.

    What it can see at best is what it could if a rule guessed in every run, on the best of the
    pairs that are searched; what it could have seen with the rule that there was, is said with it.
    """
    wanted = float(require_detect(claim.guarantee, attack.detect))

    def sees(runs: int) -> float:
        return find_least_seen(claim, attack, runs)

    def does(runs: int) -> bool:
        return sees(runs) <= wanted

    needed = None if does(attack.runs) else _find_fewest(does, attack.runs)
    total = 2 * attack.runs
    whole = None if seconds is None else seconds * (total + beside)
    return Plan(claim.guarantee, total, whole, sees(attack.runs), wanted, needed, beside)


def find_least_seen(claim: Claim, attack: Attack, runs: int) -> float:
    """The least leak that ``runs`` a database of an attack could show, by its best event.

    In the claim's own parameter; infinite where no leak could refute it.
    """
    guarantee, most = claim.guarantee, claim.records
    room = MOST_STEPS if most is None else most // claim.neighbours.unit.max_records
    distances = [1, *(steps for steps in list_distances(guarantee) if steps <= room)]
    if attack.pair is not None:
        distances = [attack.pair.distance]
    left = 2 * runs if attack.pair is not None else int(2 * runs * (1 - search.SHARE))
    alarm = float(attack.alarm)
    test: type[Bets] | type[Binomial] = Bets
    if attack.until_decided:
        alarm *= anytime.LEADER_SHARES[0]
    else:
        test, alarm = Binomial, alarm * float(1 - BETTOR_SHARE)
        left = int(left * (1 - LEAST_SHARE))
    all_guessed = Guesses(left, left, 0, abstains=False)
    return min(find_detectable(test(guarantee, alarm, steps), all_guessed) for steps in distances)


def _find_fewest(does: Callable[[int], bool], runs: int) -> int | None:
    """The fewest runs beyond these that do, to 5 %; None for too many."""
    too_few, enough = runs, 2 * runs
    while not does(enough):
        if enough > MOST_RUNS:
            return None
        too_few, enough = enough, 2 * enough
    while enough - too_few > max(1, enough // 20):
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if does(middle) else (middle, enough)
    return enough
