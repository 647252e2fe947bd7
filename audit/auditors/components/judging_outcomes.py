"""A subject all of whose draws are coins and choices: the exact laws of its output, compared."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.auditors.components.case import HIDDEN, NAME, Case
from audit.auditors.components.cells import Cell, cell_of
from audit.auditors.components.comparing import may_violate, violates
from audit.auditors.components.looking import Looked
from audit.auditors.components.outcomes import MOST_CELLS, Law, Output, find_laws
from audit.auditors.components.pairs_of_chances import ChanceLoss, state_chances
from audit.auditors.components.parts import Line
from audit.auditors.components.recording.places import UNKNOWN
from audit.auditors.components.recording.steps import Call
from audit.auditors.components.sources import WHOLE, Several
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour

MOST_OF_ALL = 1_500
"""The most cells of all databases together, as far as the first runs foretell them."""

RARE = 1e-12
"""Outcomes of a smaller chance accuse nobody: doubles draw them by chances of their own."""

DIGITS = 9
"""Outputs that differ in later digits accuse nobody: sums of doubles in another order do."""


@dataclass(frozen=True)
class Judged:
    """A pair by the exact laws of its outputs: the loss, and the decision on the claim."""

    looked: Looked
    loss: ChanceLoss
    decision: Decision


def judge_outcomes(case: Case, looks: Sequence[Looked]) -> tuple[Finding, tuple[Line, ...]] | None:
    """The finding on the worst pair, and its row; None where the laws can't be had.

    Raises ProtocolError.

    Guarantee
    ---------
    VIOLATED only if the laws of the outputs break the claim, as far as `find_laws` has them, by
    outcomes that are not `RARE` and differ within `DIGITS`. Backed by
    ``tests/audit/auditors/components/test_outcomes.py``.
    """
    chosen = _choose(looks)
    databases = {
        json.dumps(database, sort_keys=True): database
        for looked in chosen
        for database in (looked.pair.first, looked.pair.second)
    }
    found = find_laws(case.ask, list(databases.values()), case.seed) if chosen else None
    if found is None:
        return None
    laws = dict(zip(databases, found, strict=True))
    judged = []
    for looked in chosen:
        first, second = (
            laws[json.dumps(one, sort_keys=True)] for one in (looked.pair.first, looked.pair.second)
        )
        if first is not None and second is not None:
            judged.append(_judge(case, looked, first, second))
    return _state(case, judged) if judged else None


def _choose(looks: Sequence[Looked]) -> list[Looked]:
    """Pairs whose outcomes can be run, the fewest outcomes first; none if draws are of others."""
    sized: list[tuple[int, int]] = []
    for place, looked in enumerate(looks):
        cells = [cell_of(one.first) for one in looked.transcripts]
        if any(one is None for one in cells):
            return []
        sized.append((max(_count_outcomes(one) for one in cells if one is not None), place))
    chosen: list[Looked] = []
    total = 0
    if all(size == 1 for size, _ in sized):
        return []
    for size, place in sorted(sized):
        total += 2 * size
        if size <= MOST_CELLS and (total <= MOST_OF_ALL or not chosen):
            chosen.append(looks[place])
    return chosen


def _count_outcomes(cell: Cell) -> int:
    return math.prod(
        len(piece.source.ends) if isinstance(piece.source, Several) else 1 + (piece.within != WHOLE)
        for piece in cell.values()
    )


def _judge(case: Case, looked: Looked, first: Law, second: Law) -> Judged:
    loss = _compare(first, second)
    sure = [one for one in _compare(_round(first), _round(second)).outcomes if max(one) >= RARE]
    decision = Decision.UNDECIDED
    if violates([ChanceLoss(tuple(sure))], 0, case.guarantee):
        decision = Decision.VIOLATED
    elif not may_violate([loss], 0, case.guarantee):
        decision = Decision.KEPT
    return Judged(looked, loss, decision)


def _compare(first: Law, second: Law) -> ChanceLoss:
    outputs = sorted({*first, *second}, key=repr)
    sides = [[float(law.get(one, 0)) for one in outputs] for law in (first, second)]
    return state_chances(sides[0], sides[1])


def _round(law: Law) -> Mapping[Output, Fraction]:
    rounded: defaultdict[Output, Fraction] = defaultdict(Fraction)
    for output, chance in law.items():
        rounded[tuple(map(_round_text, output))] += chance
    return rounded


def _round_text(text: str | None) -> str | None:
    """A number by its first digits, and any other text as it is."""
    try:
        return text if text is None else f"{float(text):.{DIGITS}g}"
    except ValueError:
        return text


_ORDER = (Decision.VIOLATED, Decision.UNDECIDED, Decision.KEPT)


def _state(case: Case, judged: Sequence[Judged]) -> tuple[Finding, tuple[Line, ...]]:
    # The smallest pair that is against the claim, or else the one that spends most.
    worst = min(
        judged,
        key=lambda one: (
            _ORDER.index(one.decision),
            -one.loss.epsilon if one.decision is Decision.KEPT else 0,
        ),
    )
    places = _list_places(worst.looked)
    apart = math.fsum(abs(p - q) for p, q in worst.loss.outcomes) / 2
    line = Line(places[0], "coins and choices", "", f"{apart:.3g} of a chance", worst.loss.epsilon)
    never = max(
        math.fsum(one[side] for one in worst.loss.outcomes if one[1 - side] == 0) for side in (0, 1)
    )
    told = f"epsilon {worst.loss.epsilon:.6g}"
    if never:
        told = f"outputs that the other database never gives (with chance {never:.3g})"
    told += f", by every outcome of its coins and choices, on {len(judged)} pairs"
    against = worst.decision is not Decision.KEPT
    if worst.decision is Decision.UNDECIDED:
        told += "; only by last digits, or by chances that doubles don't keep"
    finding = Finding(
        auditor=NAME,
        about="what its calls of noise spend",
        decision=worst.decision,
        declared=str(case.guarantee),
        found=HIDDEN if case.hidden and against else told,
        rigour=Rigour.FLOOR,
        covers=case.covers(),
        again=case.again,
        pair=case.show_pair(worst.looked) if against else None,
        responsible=f"drawn at {', '.join(places)}" if against else None,
    )
    return finding, (line,)


def _list_places(looked: Looked) -> list[str]:
    """The lines that draw, those first whose chances the pair moves."""
    moved = [one.place for t in looked.transcripts for one, _, _ in t.read.weighed]
    runs = [one for t in looked.transcripts for one in (t.first, t.second)]
    drawn = [step.place for one in runs for step in one.steps if isinstance(step, Call)]
    parted = [place for one in runs if one.parted for place in one.parted[1:] if place]
    return list(dict.fromkeys((*moved, *drawn, *parted))) or [UNKNOWN]
