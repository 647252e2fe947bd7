"""How many runs attack a claim, in how many blocks, and with which part of the error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from audit.auditors.attack.guessing.floors import claimed_value
from audit.auditors.attack.guessing.power import choose_detect
from audit.auditors.attack.plan import find_least_seen, make_plan
from audit.auditors.effort import Attack
from audit.review.orders import Order
from audit.review.submissions.submission import Prepared
from audit.statements.claim import Claim
from proofs.guarantees import parse_guarantee
from synthesizers.neighbours import neighbours_from

ALARM = Fraction(1, 10**6)
"""The error that REFUTED may have, of one claim of a submission, in all its pieces."""

ERROR = Fraction(1, 20)
"""That of the floor of one claim, in all its pieces."""

OF_PRESCREEN = Fraction(1, 10)
"""The part of both that the prescreen may use."""

PRESCREEN_RUNS = 150
"""Runs a database of the short attack: what some 20 seconds of a served program afford."""

MARGIN = 5
"""Runs, as a multiple of those that would do if a rule guessed in every run on the best pair: the
rules that are learned abstain, and guess on the pair that a search finds."""

BLOCK = 5_000
"""Runs a database of one piece, so that an interruption loses minutes."""

LEAST_RUNS = 100
"""Fewer runs are not worth their start."""


@dataclass(frozen=True)
class Blocks:
    """The attack on one claim: ``number`` pieces of ``runs`` a database, each at ``alarm``.

    ``sees``: the least leak that one of them could show at best, in the claim's own parameter,
    beside ``wanted``, the one to be seen; ``combined``: the part of the alarm for all together;
    ``error``: that of each one's floor.
    """

    number: int
    runs: int
    alarm: Fraction
    combined: Fraction
    error: Fraction
    sees: float
    wanted: Fraction

    @property
    def total(self) -> int:
        """The runs of all blocks, on both databases."""
        return 2 * self.runs * self.number


def claim_of(order: Order, prepared: Prepared, epsilon: str, level: str) -> Claim:
    """What is claimed of the small databases that a review makes up, whatever their domain."""
    stated = prepared.submission.claim
    most = stated.max_records if level == "person" else None
    relation = neighbours_from(stated.neighbours, level, most)
    records = count_records(order, prepared, level)
    return Claim(parse_guarantee(stated.at(epsilon)), relation, "output", None, records)


def count_records(order: Order, prepared: Prepared, level: str) -> int:
    """The records of databases that are made up: enough for two persons."""
    return max(order.records, 2 * prepared.submission.claim.max_records if level == "person" else 0)


def plan_blocks(order: Order, claim: Claim) -> Blocks:
    """The attack of the final stage that sees the leak asked for, within the order's scale."""
    return _plan_blocks(claim, _choose_leak(order, claim), order.runs, order.scale)


@cache
def _plan_blocks(claim: Claim, wanted: Fraction, most: int, scale: float) -> Blocks:
    left = ALARM * (1 - OF_PRESCREEN) / 2
    attack = Attack(LEAST_RUNS, 0, ERROR, left, detect=wanted)
    plan = make_plan(claim, attack, None)
    enough = LEAST_RUNS if plan.sees <= wanted else plan.needed
    # Where no bearable number sees the leak, few runs show what is broken as well as many.
    runs = min(most, MARGIN * enough) if enough and enough <= most else LEAST_RUNS
    runs = max(LEAST_RUNS, math.floor(runs * scale))
    number = math.ceil(runs / BLOCK)
    each, alarm = math.ceil(runs / number), left / number
    error = ERROR * (1 - OF_PRESCREEN) / number
    sees = find_least_seen(claim, Attack(each, 0, error, alarm), each)
    return Blocks(number, each, alarm, left, error, sees, wanted)


def _choose_leak(order: Order, claim: Claim) -> Fraction:
    """The leak to be seen: the order's multiple of what is claimed; where that is 0, the usual."""
    value = claimed_value(claim.guarantee)
    return Fraction(order.detect) * value if value else choose_detect(claim.guarantee)
