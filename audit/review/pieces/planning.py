"""Which pieces an order asks for, given what came of those that are finished.

The list is a function of the order and of results that it names itself: whoever runs the pieces, in
whatever order and on however many machines, finds the same list in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from audit.review.orders import Order
from audit.review.pieces import attacks
from audit.review.pieces.commands import REFERENCES, Asking
from audit.review.pieces.exactness import choose_runs
from audit.review.pieces.piece import Outcome, Piece
from audit.review.submissions.submission import Prepared
from audit.statements.evidence import Verdict

TRIALS = 5
"""Failures after which a submission is not tried at an ε any more."""

LATE_TRIALS = 2
"""Runs out of time after which it is not: they are the longest, and the likeliest to do so again.
"""

Read = Callable[[Piece], Outcome | None]
"""What came of a piece; None of one that is not finished."""


def list_pieces(order: Order, read: Read) -> tuple[Piece, ...]:
    """All pieces that are known to be wanted; further ones may be once these are finished."""
    pieces: list[Piece] = []
    for prepared in order.prepared:
        pieces += _of_submission(order, prepared, read)
    if order.stage == "final" and order.challenge.data is not None:
        pieces += _of_references(order, read)
    return tuple(dict.fromkeys(pieces))


def choose_epsilon(prepared: Prepared) -> str:
    """The ε of the prescreen: the one nearest to 1, where runs show most."""
    epsilons = prepared.submission.claim.epsilons
    return min(epsilons, key=lambda text: (max(Fraction(text), 1 / Fraction(text)), text))


def levels_of(prepared: Prepared) -> tuple[str, ...]:
    """The units that are looked at, the claimed one first; both where there are persons."""
    claimed = prepared.submission.claim.unit
    return ("person", "record") if claimed == "person" else ("record",)


def tries_of(order: Order, prepared: Prepared, epsilon: str, read: Read) -> tuple[Piece, ...]:
    """The runs on made-up data that are wanted: until one succeeds, or enough failed."""
    asking = Asking(order, prepared, epsilon)
    wanted: list[Piece] = []
    late = 0
    for number in range(TRIALS):
        wanted.append(asking.trial(number))
        outcome = read(wanted[-1])
        if outcome is None or outcome.exit == 0:
            break
        late += _ran_out_of_time(outcome)
        if late == LATE_TRIALS:
            break
    return tuple(wanted)


def _ran_out_of_time(outcome: Outcome) -> bool:
    failure = (outcome.document or {}).get("failure") or {}
    return outcome.exit is None or failure.get("ending") == "time"


def runs_at(order: Order, prepared: Prepared, epsilon: str, read: Read) -> bool | None:
    """Whether a submission gave an output at an ε; None where that is not known yet."""
    outcomes = [read(piece) for piece in tries_of(order, prepared, epsilon, read)]
    if any(outcome is not None and outcome.exit == 0 for outcome in outcomes):
        return True
    return None if None in outcomes else False


def _of_submission(order: Order, prepared: Prepared, read: Read) -> Iterator[Piece]:
    chosen = choose_epsilon(prepared)
    for epsilon in prepared.submission.claim.epsilons:
        tries = tries_of(order, prepared, epsilon, read)
        yield from tries
        if not runs_at(order, prepared, epsilon, read):
            continue
        asking, after = Asking(order, prepared, epsilon), tries[-1:]
        early = tuple(_of_prescreen(asking, after)) if epsilon == chosen else ()
        yield from early
        if order.stage == "final":
            yield from _of_final(asking, after, early, read)
            if runs := choose_runs(order, prepared, epsilon):
                yield asking.exactness(runs, after)
        if order.challenge.data is not None and (order.stage == "final" or epsilon == chosen):
            made = tuple(_release(asking, chosen, after))
            yield from made
            yield from _measure(asking, order.stage, made, read)


def _of_prescreen(asking: Asking, after: tuple[Piece, ...]) -> Iterator[Piece]:
    prepared = asking.prepared
    levels = levels_of(prepared)
    for level in levels:
        if prepared.asks:
            yield asking.proof("prescreen", level, after)
        else:
            yield asking.short_attack(level, after)
    if prepared.asks and prepared.submission.write_up.queries:
        yield asking.write_up(levels[0], after)


def _of_final(
    asking: Asking, after: tuple[Piece, ...], early: tuple[Piece, ...], read: Read
) -> Iterator[Piece]:
    """The pieces that decide the claim at one ε; ``early``: those of the prescreen at this ε."""
    prepared = asking.prepared
    level = levels_of(prepared)[0]
    before = tuple(one for one in early if (one.kind, one.level) == ("certify", level))
    if prepared.asks:
        # What the prescreen proved or enumerated is not done again.
        if not before:
            yield asking.proof("final", level, after)
        return
    # Nothing can undo a refutation.
    if any(_refutes(read(one)) for one in before):
        return
    claim = attacks.claim_of(asking.order, prepared, asking.epsilon, level)
    blocks = attacks.plan_blocks(asking.order, claim)
    every = [asking.block(level, blocks, n, (*after, *before)) for n in range(blocks.number)]
    # One block that refutes decides: those that are not made yet have nothing to add.
    decided = any(_refutes(read(one)) for one in every)
    yield from (one for one in every if not decided or read(one) is not None)


def _refutes(outcome: Outcome | None) -> bool:
    document = None if outcome is None else outcome.document
    return document is not None and document.get("verdict") == Verdict.REFUTED.value


def _release(asking: Asking, chosen: str, after: tuple[Piece, ...]) -> Iterator[Piece]:
    """Tables of the public data: one in the prescreen, several in the final stage."""
    order = asking.order
    for number in range(1 if order.stage == "prescreen" else order.releases):
        first = number == 0 and asking.epsilon == chosen
        yield asking.release("prescreen" if first else "final", number, after)


def _measure(
    asking: Asking, stage: str, releases: tuple[Piece, ...], read: Read
) -> Iterator[Piece]:
    """The utility of the tables, those left out that could not be made."""
    made = tuple(piece for piece in releases if not _fails(read(piece)))
    if made:
        yield asking.utility(stage, made)


def _fails(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.exit != 0


def _of_references(order: Order, read: Read) -> Iterator[Piece]:
    """The reference synthesizers at each ε, as the first submission that has it is asked for."""
    firsts: dict[str, Prepared] = {}
    for prepared in order.prepared:
        for epsilon in prepared.submission.claim.epsilons:
            firsts.setdefault(epsilon, prepared)
    for epsilon, prepared in firsts.items():
        asking = Asking(order, prepared, epsilon)
        for name in REFERENCES:
            made = tuple(asking.reference(name, number) for number in range(order.releases))
            yield from made
            yield from _measure(asking, "final", made, read)
