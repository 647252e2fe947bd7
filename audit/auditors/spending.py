"""Which question of a refuting transcript spends more than it should: its losses, one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce

import numpy as np

from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Spending, Witness
from proofs.guarantees import ApproxDP
from synthesizers.arithmetic import ScaledArithmetic
from synthesizers.budget import Budget
from synthesizers.curator import Program, Setting
from synthesizers.enumeration import Leaf, Listing, leaves, transcript_of
from synthesizers.event_words import describe
from synthesizers.events import Coordinate, Databases, Event, Outcome
from synthesizers.exact import Exact, compare, is_zero, log_enclosure, multiply, times_exp
from synthesizers.intervals import Interval
from synthesizers.playing import Script, player_of

MOST_WALKED = 200_000
"""Transcripts up to which the one that tells most is looked for (some seconds)."""


@dataclass(frozen=True)
class _Asked:
    """A question of the transcript, the chance of its answer under either database, its cost."""

    event: Event
    answer: Outcome
    chances: tuple[Exact, Exact]
    cost: Fraction | None

    @property
    def loss(self) -> Interval | None:
        """ln of the ratio of the chances; None where it is infinite."""
        first, second = self.chances
        return None if is_zero(second) else log_enclosure(first) - log_enclosure(second)

    @property
    def overspends(self) -> bool:
        """Whether the loss is certainly above the question's own cost in ε."""
        if self.cost is None:
            return False
        first, second = self.chances
        return compare(first, times_exp(second, self.cost)) == 1


def find_spending(
    program: Program, setting: Setting, budget: Budget, claim: Claim, witness: Witness
) -> Spending | None:
    """The question at fault on the way to a witness's event, with its loss between the two.

    Of the transcripts that lead to the event the one that tells most. At fault is a question whose
    loss is above its own cost; otherwise, of a claim of ε, the one with which the losses so far
    pass it; otherwise the one of the largest loss. None where there are too many transcripts.
    Where the question is asked is the program's own word, or the line of our own program's code.

    Guarantee
    ---------
    Losses are enclosed from exact chances, and a question is said to spend more than it declares
    only where that is certain. Backed by ``tests/audit/auditors/test_spending.py``.
    """
    rows = np.array([witness.source, witness.target], np.int64)
    pair = Databases(setting.domain, rows)
    leaf = _telling_leaf(program, setting, budget, claim.released, pair, witness)
    if leaf is None or not leaf.ledger:
        return None
    found = _choose_spending(leaf, pair, setting, claim)
    where = player_of(program, setting, budget).locate(_script_to(leaf, found.question))
    return replace(found, where=where or None)


def _script_to(leaf: Leaf, question: int) -> Script:
    """The answers before a question of the number, refusals among them."""
    answered = [place for place, answer in enumerate(leaf.script) if answer is not None]
    return leaf.script[: answered[question - 1]]


def _choose_spending(leaf: Leaf, pair: Databases, setting: Setting, claim: Claim) -> Spending:
    asked = [_ask(*one, pair, setting) for one in leaf.transcript]
    beyond = [place for place, one in enumerate(asked) if one.overspends]
    if beyond:
        place = max(beyond, key=lambda place: _size(asked[place].loss))
        return _spending(asked, place, None)
    passed = _find_passing(asked, claim)
    if passed is not None:
        return _spending(asked, *passed)
    place = max(range(len(asked)), key=lambda place: _size(asked[place].loss))
    return _spending(asked, place, None)


def _telling_leaf(
    program: Program,
    setting: Setting,
    budget: Budget,
    released: str,
    pair: Databases,
    witness: Witness,
) -> Leaf | None:
    """The transcript to the event whose chances differ most."""
    event = set(witness.event)
    best: tuple[float, Leaf] | None = None
    listing = Listing(program, setting, pair, ScaledArithmetic(), budget, replays=1)
    for count, leaf in enumerate(leaves(listing)):
        if count >= MOST_WALKED:
            return None
        reached = leaf.output if released == "output" else transcript_of(leaf)
        if reached not in event:
            continue
        (first, second), (power, other) = leaf.chances
        if first == 0:
            continue
        ratio = math.inf if second == 0 else math.log2(first / second) + power - other
        if best is None or ratio > best[0]:
            best = ratio, leaf
    return None if best is None else best[1]


def _ask(event: Event, answer: Outcome, pair: Databases, setting: Setting) -> _Asked:
    parts = list(_parts(event.coordinates(pair), answer))
    first, second = (reduce(multiply, one) for one in zip(*parts, strict=True))
    cost = event.cost(setting.domain, setting.neighbours).epsilon
    return _Asked(event, answer, (first, second), cost)


def _parts(coordinates: tuple[Coordinate, ...], answer: Outcome) -> Iterator[tuple[Exact, Exact]]:
    """The chances of each coordinate of an answer, under either database."""
    start = 0
    for one in coordinates:
        # What is answered whole may be of several lengths.
        alone = len(coordinates) == 1
        own = answer if alone else answer[start : start + len(one.outcomes[0])]
        start += len(own)
        place = next(place for place, outcome in enumerate(one.outcomes) if outcome == own)
        yield one.chance(place, int(one.truths[0])), one.chance(place, int(one.truths[1]))


def _find_passing(asked: list[_Asked], claim: Claim) -> tuple[int, Enclosure] | None:
    """The question with which the losses pass a claim of ε, and their sum by then."""
    guarantee = claim.guarantee
    if not isinstance(guarantee, ApproxDP) or guarantee.delta > 0:
        return None
    total = Interval(Fraction(0), Fraction(0))
    for place, one in enumerate(asked):
        loss = one.loss
        if loss is None:
            return place, Enclosure.infinite()
        total = total + loss
        if total.lower > guarantee.epsilon:
            return place, Enclosure.of(total)
    return None


def _spending(asked: list[_Asked], place: int, total: Enclosure | None) -> Spending:
    one = asked[place]
    loss = Enclosure.infinite() if one.loss is None else Enclosure.of(one.loss)
    cost = None if one.cost is None else Enclosure(one.cost, one.cost)
    return Spending(place + 1, describe(one.event), one.answer, loss, cost, total)


def _size(loss: Interval | None) -> float:
    return math.inf if loss is None else float(loss.lower)
