"""Evidence: one finding of one auditor, and the verdict that findings entail."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from audit.statements.decimals import Enclosure

CONTRADICTING = Fraction(1, 10**9)
"""The error of a floor that a contradiction may rest on (DESIGN.md, "Numbers")."""


class Verdict(Enum):
    """What a certificate concludes. Never "passed", "safe" or "secure"."""

    PROVED = "PROVED"
    EXACT = "EXACT"
    NOT_REFUTED = "NOT REFUTED"
    UNDECIDED = "UNDECIDED"
    REFUTED = "REFUTED"
    INVALID_RUN = "INVALID RUN"
    CONTRADICTION = "CONTRADICTION"

    @property
    def exit_code(self) -> int:
        """The process exit code of `dp-audit certify`."""
        return _EXIT_CODES[self]


_EXIT_CODES = {
    Verdict.PROVED: 0,
    Verdict.EXACT: 0,
    Verdict.NOT_REFUTED: 0,
    Verdict.UNDECIDED: 3,
    Verdict.REFUTED: 1,
    Verdict.INVALID_RUN: 5,
    Verdict.CONTRADICTION: 70,
}


class Decision(Enum):
    """What one finding says about the claim on the databases that it covers.

    SILENT: it is about another instance (fewer records), shown beside the claim. OPEN: it bounds
    what is claimed, and the bound does not reach the claim. INVALID: runs that should be
    independent draws are not. UNSEEN: an attack saw no violation. KEPT, EXCEEDED: of what is
    declared beside the claim, such as a sensitivity; no more than what was looked at.
    """

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDECIDED = "undecided"
    SILENT = "another instance"
    OPEN = "left open"
    INVALID = "invalid run"
    UNSEEN = "no violation seen"
    KEPT = "declaration kept"
    EXCEEDED = "declaration exceeded"

    @classmethod
    def of_declaration(cls, exceeded: bool) -> Decision:
        """The decision about something that is declared beside the claim."""
        return cls.EXCEEDED if exceeded else cls.KEPT


class Side(Enum):
    """Whether a bound is the exact value, a floor or a ceiling."""

    FLOOR = "floor"
    EXACT = "exact"
    CEILING = "ceiling"


@dataclass(frozen=True)
class Bound:
    """The smallest ε at the claim's δ: its exact value, or a bound on it.

    ``rigour``: exact (no rounding, or an enclosure of an exact value), rigorous
    (a theorem), or statistical (at the evidence's confidence). ``parameter``: the
    name and the smallest value of the claim's own parameter, where that is not ε.
    """

    side: Side
    epsilon: Enclosure
    covers: str
    rigour: str
    parameter: tuple[str, Enclosure] | None = None

    def to_json(self) -> dict[str, Any]:
        """The bound as plain data."""
        own = {} if self.parameter is None else {self.parameter[0]: self.parameter[1].to_json()}
        return {
            "side": self.side.value,
            "epsilon": self.epsilon.to_json(),
            **own,
            "covers": self.covers,
            "rigour": self.rigour,
        }


@dataclass(frozen=True)
class Witness:
    """Two neighbours, an event, and its probability under each: whoever holds it can check it.

    ``event``: outputs; ``probabilities``: of the event given ``source`` and
    given ``target``. A claim (ε, δ) is violated where the first exceeds
    e^ε times the second plus δ.
    """

    source: tuple[int, ...]
    target: tuple[int, ...]
    event: tuple[tuple[Any, ...], ...]
    probabilities: tuple[Enclosure, Enclosure]

    def to_json(self) -> dict[str, Any]:
        """The witness as plain data."""
        return {
            "from": list(self.source),
            "to": list(self.target),
            "event": [list(output) for output in self.event],
            "probabilities": {
                "from": self.probabilities[0].to_json(),
                "to": self.probabilities[1].to_json(),
            },
        }


@dataclass(frozen=True)
class SampledWitness:
    """A pair, a rule that was frozen before it was tested, and how its guesses came out.

    Whoever runs the subject again can test the rule on fresh randomness. ``pair``, ``rule``: as
    plain data. ``event``: when the rule guesses which database, in words. ``test``: "exact
    binomial", "e-process" or "if deterministic". ``evidence``: the p-value, or the reciprocal of
    the e-value, of the claim.
    """

    pair: Mapping[str, Any]
    rule: Mapping[str, Any]
    digest: str
    event: tuple[str, ...]
    test: str
    runs: int
    correct: int
    wrong: int
    p_value: float

    def to_json(self) -> dict[str, Any]:
        """The witness as plain data."""
        return {
            "pair": deepcopy(dict(self.pair)),
            "rule": deepcopy(dict(self.rule)),
            "digest": self.digest,
            "event": list(self.event),
            "test": self.test,
            "runs": self.runs,
            "correct": self.correct,
            "wrong": self.wrong,
            "p_value": self.p_value,
        }


@dataclass(frozen=True)
class Resolution:
    """How small a leak an attack of this size could have seen.

    ``detectable``: the smallest value of the claim's own parameter that would have refuted the
    claim with a chance of 80 %, by an event as frequent as the rule's; infinite if none.
    ``delta``: an event of smaller chance would probably not have occurred in any run. ``runs``:
    those that tested the rule.
    """

    detectable: float
    delta: float
    runs: int

    def to_json(self) -> dict[str, Any]:
        """The resolution as plain data."""
        detectable = "inf" if self.detectable == math.inf else self.detectable
        return {"detectable": detectable, "delta": self.delta, "runs": self.runs}


@dataclass(frozen=True)
class Evidence:
    """One finding of one auditor.

    ``whole``: the finding covers every database that the claim speaks of.
    ``replay``: what a second run needs to find the same again. ``proof``: the derivation behind
    a theorem, as plain data, for `proofs.checker`. ``strict``: a statistical floor at so small
    an error that a contradiction may rest on it. ``resolution``: what an attack could have seen.
    """

    auditor: str
    finding: str
    decision: Decision
    covers: str
    whole: bool
    bound: Bound | None = None
    confidence: str | None = None
    witness: Witness | SampledWitness | None = None
    replay: Mapping[str, Any] = field(default_factory=dict)
    proof: Mapping[str, Any] | None = None
    strict: Bound | None = None
    resolution: Resolution | None = None

    @property
    def violated(self) -> bool:
        """Whether it speaks against the claim, or against what is declared beside it."""
        return self.decision in (Decision.VIOLATED, Decision.EXCEEDED)

    def to_json(self) -> dict[str, Any]:
        """The evidence as plain data."""
        return {
            "auditor": self.auditor,
            "finding": self.finding,
            "decision": self.decision.value,
            "covers": self.covers,
            "whole": self.whole,
            "bound": None if self.bound is None else self.bound.to_json(),
            "confidence": self.confidence,
            "witness": None if self.witness is None else self.witness.to_json(),
            "replay": deepcopy(dict(self.replay)),
            **({} if self.strict is None else {"strict": self.strict.to_json()}),
            **({} if self.resolution is None else {"resolution": self.resolution.to_json()}),
        }


def verdict(evidence: Sequence[Evidence], subject_is_ours: bool) -> Verdict:
    """The verdict that the findings entail.

    ``subject_is_ours``: one of our own programs, so that findings which
    contradict each other are a fault of ours.

    Guarantee
    ---------
    PROVED only if a theorem that covers the claim's whole domain implies it, EXACT only if an
    exact finding that does holds; both only if no finding is violated, none lies above a
    theorem's ceiling, and no declaration is exceeded. A declaration that is kept says nothing of
    the claim. Backed by ``tests/audit/statements/test_evidence.py``.
    """
    proved = any(_holds(e) and e.proof is not None for e in evidence)
    exact = any(_holds(e) and e.bound is not None and e.bound.rigour == "exact" for e in evidence)
    violated = any(e.decision is Decision.VIOLATED for e in evidence)
    if violated:
        ours = subject_is_ours and (proved or exact or _crossed(evidence))
        return Verdict.CONTRADICTION if ours else Verdict.REFUTED
    if _crossed(evidence):
        return Verdict.CONTRADICTION
    if any(e.decision is Decision.INVALID for e in evidence):
        return Verdict.INVALID_RUN
    # Theorem and channel rest on what is declared, of sensitivities, noises and costs.
    if any(e.decision is Decision.EXCEEDED for e in evidence):
        return Verdict.UNDECIDED
    if proved:
        return Verdict.PROVED
    if exact:
        return Verdict.EXACT
    if any(e.decision is Decision.UNDECIDED for e in evidence):
        return Verdict.UNDECIDED
    # A bound that does not reach the claim is no search for a violation of it, nor is a look at
    # what is declared beside it.
    if evidence and all(e.decision in (Decision.OPEN, Decision.KEPT) for e in evidence):
        return Verdict.UNDECIDED
    return Verdict.NOT_REFUTED


def _holds(evidence: Evidence) -> bool:
    return evidence.decision is Decision.HOLDS and evidence.whole


def _crossed(evidence: Sequence[Evidence]) -> bool:
    """Whether a value lies above what an exact finding or a theorem about it allows.

    That is an exact value above a theorem's ceiling, or a strict floor above either. What is found
    on another instance is left out: its public constants differ.
    """
    heard = [e for e in evidence if e.decision is not Decision.SILENT]
    ceilings = [e.bound for e in heard if e.proof is not None and e.bound is not None]
    exact = [e for e in heard if e.bound is not None and e.bound.rigour == "exact"]
    values = [e.bound for e in exact if e.bound is not None and e.bound.side is not Side.CEILING]
    floors = [e.strict for e in heard if e.strict is not None]
    shown = [e.bound for e in exact if e.whole and e.bound is not None]
    limits = ceilings + [bound for bound in shown if bound.side is not Side.FLOOR]
    return any(_above(value, ceiling) for value in values for ceiling in ceilings) or any(
        _above(floor, limit) for floor in floors for limit in limits
    )


def _above(found: Bound, ceiling: Bound) -> bool:
    """Whether a value is certainly above a ceiling, in ε or in the claim's own parameter."""
    if found.epsilon.lower > ceiling.epsilon.upper:
        return True
    if found.parameter is None or ceiling.parameter is None:
        return False
    return found.parameter[1].lower > ceiling.parameter[1].upper
