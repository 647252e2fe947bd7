"""What the finished pieces say of each claim of a submission: a verdict, its bounds, its cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.review.conclusions.combining import WORST_FIRST, Block, combine
from audit.review.pieces.attacks import ALARM, OF_PRESCREEN
from audit.review.pieces.piece import Outcome, Piece
from audit.review.pieces.planning import Read, levels_of
from audit.review.submissions.submission import Prepared
from audit.statements.evidence import Decision, Verdict
from audit.subjects.server import Serving

FAILED, PENDING, LATER = "NOT RUN", "PENDING", "LATER"
"""In place of a verdict: the submission, or its audit, gave no result; pieces are missing still; or
the claim is looked at in the final stage."""

_AGAINST = {one.value for one in (Decision.VIOLATED, Decision.EXCEEDED, Decision.INVALID)}


@dataclass(frozen=True)
class Bounds:
    """A claim's own parameter between bounds, as decimals; None where there is none."""

    parameter: str
    floor: str | None = None
    exact: tuple[str, str] | None = None
    ceiling: str | None = None


@dataclass(frozen=True)
class ClaimConclusion:
    """What was found about one claim, at one ε and one unit.

    ``claimed``: whether the submission claims this unit, or the review looks at it beside.
    ``stage``: the last one of which there is a result. ``detectable``, ``detect``: the least leak
    that runs could have seen, and the one that they were to see. ``cause``: of a refutation, its
    name, and what was ``seen``. ``error``: that REFUTED may have. ``certificates``: the digests of
    the pieces that hold them, ``failures``: the pieces that hold none; ``done`` of ``wanted``
    pieces are finished.
    """

    epsilon: str
    level: str
    claimed: bool
    claim: str
    verdict: str
    stage: str
    bounds: Bounds
    detectable: float | None
    detect: float | None
    cause: str
    seen: tuple[str, ...]
    error: str
    runs: int
    done: int
    wanted: int
    certificates: tuple[str, ...]
    failures: tuple[Piece, ...] = ()


def leave_open(prepared: Prepared, epsilon: str, verdict: str) -> ClaimConclusion:
    """A claim that nothing looked at, with one of the words that stand in place of a verdict."""
    claim = prepared.submission.claim.at(epsilon)
    level, bounds = levels_of(prepared)[0], Bounds(_parameter(claim))
    return ClaimConclusion(
        epsilon, level, True, claim, verdict, "", bounds, None, None, "", (), "0", 0, 0, 0, ()
    )


def conclude_claim(
    prepared: Prepared, epsilon: str, level: str, pieces: Sequence[Piece], read: Read
) -> ClaimConclusion:
    """The conclusion from the pieces about this claim, those of earlier stages included."""
    outcomes = [(piece, read(piece)) for piece in pieces]
    done = [(piece, outcome) for piece, outcome in outcomes if outcome is not None]
    found = [(p, o.document) for p, o in done if o.document is not None and _is_certificate(o)]
    final = [(piece, document) for piece, document in found if piece.stage == "final"]
    documents = [document for _, document in found]
    early = [_verdict_of(document) for piece, document in found if piece.stage != "final"]
    blocks = [_block(read(piece)) for piece in pieces if piece.stage == "final"]
    verdict = _conclude(early, blocks, bool(final), len(done) == len(pieces))
    stage = "final" if final else "prescreen" if found else ""
    seen = [one for document in documents for one in _against(document)]
    return ClaimConclusion(
        epsilon,
        level,
        level == levels_of(prepared)[0],
        prepared.submission.claim.at(epsilon),
        verdict,
        stage,
        _bounds(documents),
        *_power([document for _, document in final] or documents),
        next((cause for cause, _ in seen if cause), ""),
        tuple(dict.fromkeys(words for _, words in seen)),
        str(ALARM) if any(piece.alarm for piece in pieces) else "0",
        sum(piece.runs for piece, _ in done),
        len(done),
        len(pieces),
        tuple(piece.digest for piece, _ in found),
        tuple(p for p, o in done if o.document is None or not _is_certificate(o)),
    )


def _is_certificate(outcome: Outcome) -> bool:
    return outcome.document is not None and "verdict" in outcome.document


def _conclude(early: Sequence[Verdict], blocks: Sequence[Block], begun: bool, whole: bool) -> str:
    """The verdict of a claim.

    ``early``: of the prescreen. ``blocks``: all that the final stage plans; ``begun``: whether one
    of them has a result, ``whole``: whether none is missing.
    """
    if not early and not begun:
        return FAILED if whole else PENDING
    late = [combine(blocks, ALARM * (1 - OF_PRESCREEN) / 2)] if begun else []
    against = [verdict for verdict in (*early, *late) if verdict in WORST_FIRST[:3]]
    if against:
        return min(against, key=WORST_FIRST.index).value
    if begun and not whole:
        return PENDING
    if blocks and whole:
        # The prescreen looks for another leak than the final stage, and is no answer to it.
        early = [Verdict.UNDECIDED if one is Verdict.NOT_REFUTED else one for one in early]
    # A proof is not undone by what shows less.
    return max((*early, *late), key=WORST_FIRST.index).value


def _verdict_of(document: Mapping[str, Any]) -> Verdict:
    return Verdict(document["verdict"])


def _block(outcome: Outcome | None) -> Block:
    """What came of a block; one that has no certificate, or not yet, says nothing."""
    if outcome is None or outcome.document is None or not _is_certificate(outcome):
        return Block(Verdict.UNDECIDED, None)
    for evidence in outcome.document["evidence"]:
        if evidence["auditor"] == "attack":
            # That of the attack's own test; None where it did not come to one.
            value = (evidence.get("witness") or {}).get("p_value")
            replay = evidence.get("replay") or {}
            shared = not _has_own_processes(outcome.document["subject"]) and (
                "shared_runs" in replay or replay.get("repeatable") is not True
            )
            p_value = None if value is None else float(value)
            return Block(_verdict_of(outcome.document), p_value, shared)
    return Block(_verdict_of(outcome.document), None)


def _has_own_processes(subject: Mapping[str, Any]) -> bool:
    """Whether each run of a subject had a process of its own: a command's, unless some served."""
    several = "warm" in subject or Serving.of_subject(subject) is Serving.SHARING
    return bool(subject["kind"] == "command") and not several


def _bounds(documents: Sequence[Mapping[str, Any]]) -> Bounds:
    """The tightest of each kind over all documents."""
    floors: list[tuple[Fraction, str]] = []
    ceilings: list[tuple[Fraction, str]] = []
    exact: tuple[str, str] | None = None
    parameter = ""
    for document in documents:
        bounds = document["bounds"]
        parameter = parameter or _parameter(document["claim"])
        for kind, ends in _ends(bounds, parameter):
            if kind == "floor" and ends[0] not in ("0", "inf"):
                floors.append((Fraction(ends[0]), ends[0]))
            elif kind == "ceiling" and ends[1] != "inf":
                ceilings.append((Fraction(ends[1]), ends[1]))
            elif kind == "exact":
                exact = exact or ends
    return Bounds(
        parameter,
        max(floors)[1] if floors else None,
        exact,
        min(ceilings)[1] if ceilings else None,
    )


def _ends(bounds: Mapping[str, Any], parameter: str) -> list[tuple[str, tuple[str, str]]]:
    found = []
    for kind in ("floor", "exact", "ceiling"):
        bound = bounds.get(kind)
        if bound is not None and isinstance(bound.get(parameter), Mapping):
            ends = bound[parameter]
            found.append((kind, (str(ends["lower"]), str(ends["upper"]))))
    return found


def _parameter(claim: str) -> str:
    """The parameter by whose value a claim is measured: the first one, or that of RDP."""
    names = [part.split("=")[0].strip() for part in claim.split(",")]
    return "rdp" if "rdp" in names else names[0]


def _power(documents: Sequence[Mapping[str, Any]]) -> tuple[float | None, float | None]:
    """The least leak that one of the attacks could have seen, and the one asked for."""
    powers = [e["power"] for d in documents for e in d["evidence"] if e.get("power") is not None]
    if not powers:
        return None, None
    best = min(powers, key=lambda power: float(power["detectable"]))
    return float(best["detectable"]), float(best["detect"])


def _against(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What speaks against the claim, or against the runs: the cause's name, and what was seen."""
    found = []
    for evidence in document["evidence"]:
        if evidence["decision"] in _AGAINST:
            cause = evidence.get("cause") or {}
            found.append((str(cause.get("name", "")), str(evidence["finding"])))
    return found
