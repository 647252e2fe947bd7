"""The factorised auditor: a transcript of independent noisy cells, any size of database.

Where a program's ledger is the same along every transcript and each of its
private events adds independent noise to linear queries, the chance of a
transcript is a product over cells. The privacy loss between two neighbours is
then the sum of the cells' losses, and its supremum follows from the noise law
alone: it covers databases of any size, and the output by post-processing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from audit.auditors.deciding import spell
from audit.auditors.effort import Effort
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Bound, Decision, Evidence, Side, TranscriptReplay, Witness
from audit.subjects.subject import ProgramSubject
from proofs.guarantees import ApproxDP
from proofs.ledger.programs import fixed_ledger
from synthesizers.curator import Setting
from synthesizers.events import Draw, Event, Measure
from synthesizers.exact import Exact, compare, divide, enclose, log_enclosure, multiply
from synthesizers.neighbours import extreme_differences
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace, RoundedLaplace, clamped_mass
from synthesizers.queries import (
    BoundedSum,
    CellCounts,
    LinearQueries,
    Marginal,
    RecodedMarginal,
    Total,
)

LINEAR = (Marginal, RecodedMarginal, CellCounts, Total, BoundedSum, LinearQueries)
"""Queries whose answers on two databases differ by the answers on the difference."""

ADDITIVE = (DiscreteLaplace, RoundedLaplace, DiscreteGaussian)
"""Laws whose ``shift_loss`` is proved and tested here."""

MAX_CELLS = 300
"""Domains up to which every corner of the differences of neighbours is tried."""

IntArray = NDArray[np.int64]


def examine(subject: ProgramSubject, claim: Claim, effort: Effort) -> Iterator[Evidence]:
    """The transcript's ε over databases of any size, where it factorises."""
    evidence = conclude(subject, claim, effort.setting(claim), effort.ledgers(subject, claim))
    if evidence is not None:
        yield evidence


def conclude(
    subject: ProgramSubject,
    claim: Claim,
    setting: Setting,
    ledgers: frozenset[tuple[Event, ...]] | None,
) -> Evidence | None:
    """The transcript's ε over databases of any size, or None where it does not factorise.

    ``ledgers``: all ledgers met in a full enumeration, where there was one.

    Guarantee
    ---------
    The upper end of the bound holds for the transcript, and so for the output,
    of every two neighbours of any size: the ledger is fixed (all transcripts
    were visited, or the first question exhausts the program's budget and the
    curator refuses every other), and a sum over independent cells of suprema
    of |ln ratio| bounds the loss; clamping is post-processing. The lower end is
    the exact loss of one transcript between two databases. Backed by
    ``tests/audit/auditors/test_factorised.py``.
    """
    if not isinstance(claim.guarantee, ApproxDP):
        return None
    events = fixed_ledger(
        subject.program, subject.budget(setting), setting, ledgers, ours=subject.built_in
    )
    if events is None or setting.domain.size > MAX_CELLS:
        return None
    measures = [event for event in events if not isinstance(event, Draw)]
    if not measures or not all(isinstance(e, Measure) and _independent(e) for e in measures):
        return None
    largest = _supremum(measures, setting)
    if largest is None:
        return None
    loss, difference = largest
    size = setting.require_rows() if claim.records is None else claim.records
    attained = _attain(measures, setting, difference, size)
    lower, witness = attained if attained is not None else (Fraction(0), None)
    return _evidence(claim, loss, Enclosure(min(lower, loss), loss), witness)


def _independent(event: Measure) -> bool:
    # A subclass may answer, or be noised, otherwise than its base.
    return type(event.query) in LINEAR and type(event.noise) in ADDITIVE


def _moves(measures: Sequence[Any], setting: Setting, difference: IntArray) -> list[IntArray]:
    """How far each answer of each measurement moves along a difference of neighbours."""
    codes = setting.domain.codes()
    return [m.query.answers(setting.domain, codes, difference[None, :])[0] for m in measures]


def _supremum(measures: Sequence[Any], setting: Setting) -> tuple[Fraction, IntArray] | None:
    """The largest sum of the cells' losses, with a difference of neighbours that has it.

    Answers are linear in the difference, and a cell's loss is |shift|/scale, so
    the sum is convex: its largest value is found at an extreme difference.
    """
    best: tuple[Fraction, IntArray] | None = None
    for difference in extreme_differences(setting.neighbours, setting.domain.size):
        vector = np.array(difference, np.int64)
        loss = Fraction(0)
        for measure, moves in zip(measures, _moves(measures, setting, vector), strict=True):
            for move in moves[moves != 0].tolist():
                part = measure.noise.shift_loss(move)
                if part is None:
                    return None
                # A single possible answer tells nothing.
                loss += part if measure.low < measure.high else 0
        if best is None or loss > best[0]:
            best = loss, vector
    return best


def _attain(
    measures: Sequence[Any], setting: Setting, difference: IntArray, size: int
) -> tuple[Fraction, Witness] | None:
    """The exact loss of the best transcript found between two neighbours with that difference.

    Neither has more than ``size`` records: a witness lies within the claim.
    """
    best: tuple[Fraction, Exact, Witness] | None = None
    for base in _bases(setting, difference, size):
        for source, target in ((base, base + difference), (base + difference, base)):
            ratio, chances, answers = _best_transcript(measures, setting, source, target)
            if best is not None and compare(ratio, best[1]) != 1:
                continue
            witness = Witness(
                tuple(source.tolist()),
                tuple(target.tolist()),
                (tuple(answers),),
                (Enclosure.of(enclose(chances[0])), Enclosure.of(enclose(chances[1]))),
            )
            best = max(log_enclosure(ratio).lower, Fraction(0)), ratio, witness
    return None if best is None else (best[0], best[2])


def _bases(setting: Setting, difference: IntArray, size: int) -> Iterator[IntArray]:
    """Databases from which the difference leads to a neighbour, neither of more records."""
    lost = np.clip(-difference, 0, None)
    gained = int(np.clip(difference, 0, None).sum())
    spare = size - int(lost.sum())
    if setting.records is None:
        spare = min(spare, size - gained)
    if spare < 0:
        return
    touched = np.flatnonzero(difference)
    places = sorted({0, len(difference) - 1, *touched[:2].tolist()})
    for count, place in itertools.product(sorted({0, 1, spare // 2, spare}), places):
        if setting.records is not None and count != spare:
            # The remaining records go to another cell, so that n stays n.
            other = next((p for p in places if p != place), None)
            if other is None:
                continue
        else:
            other = None
        base = lost.copy()
        base[place] += min(count, spare)
        if other is not None:
            base[other] += spare - min(count, spare)
        yield base


def _best_transcript(
    measures: Sequence[Any], setting: Setting, source: IntArray, target: IntArray
) -> tuple[Exact, tuple[Exact, Exact], list[int]]:
    """The likeliest transcript by ratio: each cell takes the answer of its largest ratio."""
    codes = setting.domain.codes()
    ratio: Exact = Fraction(1)
    chances: tuple[Exact, Exact] = (Fraction(1), Fraction(1))
    answers: list[int] = []
    for m in measures:
        truths = [
            m.query.answers(setting.domain, codes, row[None, :])[0] for row in (source, target)
        ]
        for here, there in zip(truths[0].tolist(), truths[1].tolist(), strict=True):
            options = sorted({m.low, m.high, *(min(max(t, m.low), m.high) for t in (here, there))})
            best: tuple[Exact, int, Exact, Exact] | None = None
            for option in options:
                p = clamped_mass(m.noise, here, option, m.low, m.high)
                q = clamped_mass(m.noise, there, option, m.low, m.high)
                part = divide(p, q)
                if best is None or compare(part, best[0]) == 1:
                    best = part, option, p, q
            assert best is not None
            if here != there:
                ratio = multiply(ratio, best[0])
            answers.append(best[1])
            chances = multiply(chances[0], best[2]), multiply(chances[1], best[3])
    return ratio, chances, answers


def _evidence(claim: Claim, loss: Fraction, ends: Enclosure, witness: Witness | None) -> Evidence:
    guarantee = claim.guarantee
    assert isinstance(guarantee, ApproxDP)
    transcript = claim.released == "transcript"
    # A public n is a constant of the program: its ledger was seen at this n alone.
    public = claim.neighbours.records_public
    covers = claim.covers if public else replace(claim, records=None).covers
    holds = loss <= guarantee.epsilon
    violated = transcript and guarantee.delta == 0 and ends.lower > guarantee.epsilon
    decision = Decision.HOLDS if holds else Decision.VIOLATED if violated else Decision.UNDECIDED
    finding = (
        f"the transcript's smallest epsilon is {spell(ends)}, over {covers}: its cells carry "
        "independent noise, so the loss is a sum over cells"
    )
    if not transcript:
        finding += "; the output is post-processing of the transcript and is never worse"
    side = Side.EXACT if transcript and guarantee.delta == 0 else Side.CEILING
    return Evidence(
        auditor="factorised",
        finding=finding,
        decision=decision,
        covers=covers,
        whole=True,
        bound=Bound(side, ends if side is Side.EXACT else Enclosure(loss, loss), covers, "exact"),
        witness=witness if transcript else None,
        replay=TranscriptReplay(),
    )
