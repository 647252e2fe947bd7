"""What a review will take, from a measured run of each submission, and what that buys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from audit.auditors.attack.plan import find_least_seen
from audit.auditors.effort import Attack
from audit.review.orders import Order
from audit.review.pieces.attacks import (
    ALARM,
    ERROR,
    OF_PRESCREEN,
    PRESCREEN_RUNS,
    claim_of,
    plan_blocks,
)
from audit.review.pieces.piece import Outcome, Piece
from audit.review.pieces.planning import Read, levels_of, list_pieces, tries_of
from audit.review.submissions.submission import Prepared
from audit.statements.durations import spell_seconds
from synthesizers.errors import InputError

BESIDE = 250
"""Runs beside those of an attack: of its start, of first looks, and of other auditors."""

OTHER_SECONDS = 20.0
"""What a piece is taken to need whose time nothing measured tells: a proof, utility of a table."""

DOCUMENT_BYTES = 60_000
"""About the size of a finished piece without its table."""


@dataclass(frozen=True)
class AttackPlan:
    """The attack on one claim of one submission.

    ``runs``: on both databases, those beside the attack included; ``seconds``: of one core, by the
    measured run. ``sees``: the least leak that it could show at best, beside ``wanted``, the one
    asked for, both in the claim's own parameter; None before the final stage, which asks.
    """

    submission: str
    epsilon: str
    runs: int
    seconds: float
    sees: float
    wanted: float | None


@dataclass(frozen=True)
class ReviewPlan:
    """All of them, and ``others``: pieces that are no attacks; ``bytes`` of what is kept."""

    attacks: tuple[AttackPlan, ...]
    others: int
    bytes: int

    @property
    def runs(self) -> int:
        """The runs of all attacks."""
        return sum(one.runs for one in self.attacks)

    @property
    def seconds(self) -> float:
        """What all pieces take one core."""
        return sum(one.seconds for one in self.attacks) + OTHER_SECONDS * self.others

    def words(self, jobs: int) -> str:
        """The plan in a line; ``jobs``: the processes that share it."""
        blind = [one for one in self.attacks if one.wanted is not None and one.sees > one.wanted]
        told = (
            f"plan: {self.runs:,} runs and {self.others} other pieces, "
            f"{self.seconds / 3600:.2f} core-hours ({spell_seconds(self.seconds / jobs)} on {jobs} "
            f"cores), some {self.bytes / 1e6:.0f} MB"
        )
        if blind:
            first = blind[0]
            told += (
                f"; {len(blind)} of {len(self.attacks)} attacks can't see the leak asked for, such "
                f"as that on {first.submission} at ε = {first.epsilon} ({first.sees:.3g} at best, "
                f"{first.wanted:.3g} asked for)"
            )
        return told


def make_plan(order: Order, read: Read) -> ReviewPlan:
    """What is left of an order whose trials are finished: what it takes, and what that can see."""
    pieces = list_pieces(order, read)
    left = [piece for piece in pieces if read(piece) is None]
    plans = []
    for prepared in order.prepared:
        name = prepared.submission.name
        done = [(one, read(one)) for one in pieces if one.alarm and one.submission == name]
        for epsilon in prepared.submission.claim.epsilons:
            attack = [piece for piece, made in done if made is None and piece.epsilon == epsilon]
            if attack:
                trial = read(tries_of(order, prepared, epsilon, read)[-1])
                seconds = _measure_run(trial, done)
                plans.append(_plan_attack(order, prepared, epsilon, attack, seconds))
    others = [piece for piece in left if not piece.alarm and piece.kind != "trial"]
    return ReviewPlan(tuple(plans), len(others), _count_bytes(order, left))


def _plan_attack(
    order: Order, prepared: Prepared, epsilon: str, pieces: Sequence[Piece], seconds: float
) -> AttackPlan:
    """``seconds``: those of one run."""
    claim = claim_of(order, prepared, epsilon, levels_of(prepared)[0])
    blocks = plan_blocks(order, claim)
    runs = sum(piece.runs + BESIDE for piece in pieces)
    early = Attack(PRESCREEN_RUNS, 0, ERROR, ALARM * OF_PRESCREEN)
    sees = find_least_seen(claim, early, PRESCREEN_RUNS)
    wanted = None
    if order.stage == "final":
        sees, wanted = min(sees, blocks.sees), float(blocks.wanted)
    name = prepared.submission.name
    return AttackPlan(name, epsilon, runs, runs * seconds, sees, wanted)


def fit(order: Order, read: Read, seconds: float, jobs: int) -> Order:
    """The order with as many runs as ``jobs`` cores make in so many seconds from here.

    Raises InputError where even the fewest take longer.
    """
    whole, least = make_plan(order, read), make_plan(replace(order, scale=0.0), read)
    afford = seconds * jobs
    if least.seconds > afford:
        raise InputError(
            f"--budget is too little: the least that tells anything takes "
            f"{spell_seconds(least.seconds / jobs)} on {jobs} cores"
        )
    if whole.seconds <= afford:
        return order
    spare = whole.seconds - least.seconds
    return replace(order, scale=(afford - least.seconds) / spare)


def _measure_run(trial: Outcome | None, attacks: Sequence[tuple[Piece, Outcome | None]]) -> float:
    """Seconds of one run: by a finished attack, otherwise by the run that was measured.

    An attack asks a submission that serves for many runs at once, so that one takes less than the
    single run of a trial.
    """
    done = [(piece.runs + BESIDE, made.seconds) for piece, made in attacks if made is not None]
    if done:
        return sum(seconds for _, seconds in done) / sum(runs for runs, _ in done)
    document = {} if trial is None else trial.document or {}
    seconds = document.get("seconds")
    return float(seconds) if isinstance(seconds, int | float) else 0.0


def _count_bytes(order: Order, pieces: Sequence[Piece]) -> int:
    data = order.challenge.data
    table = data.stat().st_size if data is not None and data.exists() else 0
    return sum(DOCUMENT_BYTES + (table if piece.kind == "release" else 0) for piece in pieces)
