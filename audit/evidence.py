"""Evidence: one finding of one auditor, and the verdict that findings entail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from audit.decimals import Enclosure


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

    SILENT: it is about another instance (fewer records), shown beside the claim.
    """

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDECIDED = "undecided"
    SILENT = "another instance"


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
class Evidence:
    """One finding of one auditor.

    ``whole``: the finding covers every database that the claim speaks of.
    ``replay``: what a second run needs to find the same again.
    """

    auditor: str
    finding: str
    decision: Decision
    covers: str
    whole: bool
    bound: Bound | None = None
    confidence: str | None = None
    witness: Witness | None = None
    replay: Mapping[str, Any] = field(default_factory=dict)

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
            "replay": dict(self.replay),
        }


def verdict(evidence: Sequence[Evidence], subject_is_ours: bool) -> Verdict:
    """The verdict that the findings entail.

    ``subject_is_ours``: one of our own programs, so that findings which
    contradict each other are a fault of ours.

    Guarantee
    ---------
    EXACT only if an exact finding that covers the claim's whole domain holds
    and none is violated. Backed by ``tests/audit/test_evidence.py``.
    """
    exact = [e for e in evidence if e.bound is not None and e.bound.rigour == "exact"]
    holds = any(e.decision is Decision.HOLDS and e.whole for e in exact)
    violated = any(e.decision is Decision.VIOLATED for e in evidence)
    if violated and holds and subject_is_ours:
        return Verdict.CONTRADICTION
    if violated:
        return Verdict.REFUTED
    if holds:
        return Verdict.EXACT
    if any(e.decision is Decision.UNDECIDED for e in evidence):
        return Verdict.UNDECIDED
    return Verdict.NOT_REFUTED
