"""Component mode: what calls of noise inside foreign code hide, spend and leave bare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from audit.auditors.components.case import HIDDEN, NAME, Case, read_on_both
from audit.auditors.components.comparing import Spent, may_violate, violates
from audit.auditors.components.differences import (
    find_outputs,
    find_scales,
    find_unread,
)
from audit.auditors.components.judging_outcomes import judge_outcomes
from audit.auditors.components.lattices import LATTICES
from audit.auditors.components.looking import Looked, Transcript, look
from audit.auditors.components.low_bits import find_low_bits
from audit.auditors.components.parts import Line, Part
from audit.auditors.components.readable import select_readable
from audit.auditors.components.recording.primitives import STATED
from audit.auditors.components.sensitivities import find_sensitivities
from audit.auditors.components.shrinking import look_closer, shrink
from audit.auditors.components.stale import find_stale, repeats_itself
from audit.auditors.components.stated_laws import examine_laws
from audit.statements.evidence import Decision
from audit.statements.finding import Finding, Rigour
from proofs.guarantees import ApproxDP
from synthesizers.errors import ProtocolError

MOST_PAIRS = 48
"""Pairs that are looked at unless told otherwise."""

LOOKED_AGAIN = 6
"""How often a pair that accuses is looked at again, with other random numbers."""

_SEEDS = 3_000
"""How far apart their seeds lie."""

BESIDE = frozenset(
    {
        *("scale of noise", "parameter of noise", "output beside its noisy answers"),
        *("control flow", "fresh noise"),
    }
)
"""What findings are about that say what depends on the data beside noisy answers."""


@dataclass(frozen=True)
class Examined:
    """The findings, and the table of what each line of the worst pair spends."""

    findings: tuple[Finding, ...]
    lines: tuple[Line, ...]


def examine(case: Case) -> Examined:
    """Record a subject on all pairs and judge what is seen.

    Raises ProtocolError where it can't be recorded, or every run raises.

    Guarantee
    ---------
    VIOLATED only of losses of answers that were changed one by one and read from the output, on
    neighbours, or where plain runs refute the claim at the alarm's error; both by the word of the
    process that ran the subject, and the first for noise of the law that its call names. Backed by
    ``tests/audit/auditors/components/test_honest_functions.py``.
    """
    looks = look(case.ask, case.pairs, case.seed)
    # Laws of draws say nothing of what is the same in every run.
    judged = None if repeats_itself(case, looks) else judge_outcomes(case, looks)
    if judged is not None:
        finding, lines = judged
        kept = finding.decision is Decision.KEPT
        return Examined((finding, _nothing_else(case)) if kept else (finding,), lines)
    looks = look_closer(case.ask, looks)
    runs = [one for looked in looks for one in looked.transcripts]
    if all(one.first.error is not None for one in runs):
        raise ProtocolError(f"every run raises ({runs[0].first.error}): there is nothing to record")
    worst = max(looks, key=lambda one: _order(case, one))
    if _over(case, worst.worst):
        most = _order(case, worst)
        worst = shrink(case, worst, lambda tried: _order(case, tried) >= most)
    findings = [
        _spending(case, worst),
        *find_scales(case, looks),
        *find_unread(case, looks),
        *find_sensitivities(case, looks),
        *find_stale(case, looks),
        *find_outputs(case, looks),
        *find_low_bits(case, looks),
        *(
            replace(one, again=case.again)
            for one in examine_laws(case.ask, case.named, worst.pair, case.seed, case.alarm / 4)
        ),
    ]
    if all(one.about not in BESIDE for one in findings):
        findings.append(_nothing_else(case))
    return Examined(tuple(findings), _table(worst.worst.parts))


def _losses(parts: Sequence[Part]) -> tuple[list[Spent], float]:
    return [loss for part in parts for loss in part.losses or ()], max(
        (part.leak for part in parts), default=0.0
    )


def _order(case: Case, looked: Looked) -> tuple[bool, bool, float]:
    return _over(case, looked.worst), *looked.worst.size


def _over(case: Case, transcript: Transcript) -> bool:
    """Whether the noise of a transcript may spend more than is claimed, as far as theorems go."""
    losses, leak = _losses(transcript.parts)
    return may_violate(losses, leak, case.guarantee)


def _steady(case: Case, looked: Looked) -> bool:
    """Whether what is spent is the same in all transcripts, or the claim bounds each of them.

    Where questions follow answers, a δ is a mean over transcripts, and one of them shows no mean.
    """
    if isinstance(case.guarantee, ApproxDP) and case.guarantee.delta == 0:
        return True
    more = [
        again
        for number in range(1, LOOKED_AGAIN + 1)
        for again in look(case.ask, [looked.pair], case.seed + _SEEDS * number)
    ]
    more = list(look_closer(case.ask, more))
    spent = [
        [(part.losses, part.leak) for part in one.parts if part.exact]
        for again in (looked, *more)
        for one in again.transcripts
    ]
    return all(one == spent[0] for one in spent)


def _table(parts: Sequence[Part]) -> tuple[Line, ...]:
    return tuple(line for part in parts for line in part.lines)


def _spending(case: Case, worst: Looked) -> Finding:
    """What the noise of the worst pair spends, against the claim."""
    transcript = worst.worst
    parts = transcript.parts
    unknown = [part for part in parts if part.losses is None and not part.leak]
    over = _over(case, transcript)
    decision, reason = Decision.KEPT, ""
    if over:
        decision, reason = Decision.UNDECIDED, _why_open(parts)
        first = worst.transcripts[0]
        exact = [part for part in first.parts if part.exact]
        losses, leak = _losses(exact)
        if violates(losses, leak, case.guarantee) and _steady(case, worst):
            entries = [entry for part in exact for entry in part.entries]
            read = select_readable(exact, read_on_both(case, worst, entries))
            losses, leak = _losses(read)
            if violates(losses, leak, case.guarantee):
                decision, reason = Decision.VIOLATED, ""
                parts = read
            else:
                reason = "the output may tell less than these answers do"
    elif unknown:
        decision, reason = Decision.UNDECIDED, unknown[0].why
    told = HIDDEN if case.hidden and decision is not Decision.KEPT else _words(parts)
    return Finding(
        auditor=NAME,
        about="what its calls of noise spend",
        decision=decision,
        declared=str(case.guarantee),
        found=f"{told}; {reason}" if reason else told,
        rigour=Rigour.FLOOR,
        covers=case.covers(),
        again=case.again,
        pair=case.show_pair(worst) if decision is not Decision.KEPT else None,
        responsible=_dearest(case, parts) if decision is not Decision.KEPT else None,
    )


def _why_open(parts: Sequence[Part]) -> str:
    reasons = [part.why for part in parts if not part.exact and part.why]
    return reasons[0] if reasons else "the output may tell less than these answers do"


def _words(parts: Sequence[Part]) -> str:
    """The sums, by the kinds of noise."""
    lines = _table(parts)
    if not lines:
        return "no pair moves what its noise hides"
    pure = sum(line.epsilon for line in lines if not line.squared and line.epsilon < float("inf"))
    squared = sum(line.squared for line in lines)
    told = [f"epsilon {pure:.6g}"] if pure else []
    bare = {one.law for one in lines if one.epsilon == float("inf") and not one.squared}
    whole = sorted(bare & LATTICES)
    told += [f"{' and '.join(whole)} noise, which has no largest loss"] if whole else []
    told += [f"normal noise with μ² = {squared:.6g}"] if squared else []
    stated = sum(line.law == STATED and line.epsilon < float("inf") for line in lines)
    told += [f"{stated} answers at the word of their library, an assumption"] if stated else []
    leak = max((part.leak for part in parts), default=0.0)
    told += [f"{_explain_leak(parts)} (told apart with chance {leak:.3g})"] if leak else []
    unknown = sum(part.losses is None and not part.leak for part in parts)
    told += [f"{unknown} answers of noise that no theorem here covers"] if unknown else []
    places = len({line.place for line in lines})
    return f"{', '.join(told)}, at {places} {'line' if places == 1 else 'lines'}"


def _explain_leak(parts: Sequence[Part]) -> str:
    """Why the part that leaks most does."""
    return max(parts, key=lambda part: part.leak).why


def _dearest(case: Case, parts: Sequence[Part]) -> str | None:
    """The line that spends most, in words."""
    leaking = [line for part in parts if part.leak for line in part.lines]
    lines = leaking or _table(parts)
    if not lines:
        return None
    by_place: dict[str, list[Line]] = {}
    for line in lines:
        by_place.setdefault(line.place, []).append(line)
    found = max(by_place.values(), key=lambda own: sum(one.squared or one.epsilon for one in own))
    one = max(found, key=lambda line: line.squared or line.epsilon)
    added = f", added at {one.added}" if one.added else ""
    scale = f" of scale {one.scale}" if one.scale else ""
    told = f"{one.law} noise{scale} at {one.place}{added}"
    moved = ", ".join(dict.fromkeys(line.moved for line in found))
    return told if case.hidden else f"{told}: what it hides moves by {moved}"


def _nothing_else(case: Case) -> Finding:
    return Finding(
        auditor=NAME,
        about="what depends on the data beside noisy answers",
        decision=Decision.KEPT,
        declared="nothing",
        found="nothing: scales, control flow and output are the same where all answers are",
        rigour=Rigour.FLOOR,
        covers=case.covers(),
        again=case.again,
    )
