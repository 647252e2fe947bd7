"""Re-checking: what a certificate says of an attack, as far as it follows from its own counts.

The counts of guesses are trusted only where they are drawn anew; but from counts the floor, the
p-value, the decision and the resolution follow, and a certificate that says other is false.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from audit.auditors.attack.evidence import About, Attack, Tested
from audit.auditors.attack.floors import binomial_floor, binomial_p_value
from audit.auditors.attack.guesses import Guesses
from audit.auditors.attack.replaying import MOST_RUNS, stated_error, threshold
from audit.statements.checks import Check, Status, compare_bound, same
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import CONTRADICTING, Bound, Decision, Evidence, Resolution, Side
from audit.subjects.pair import Pair
from synthesizers.errors import InputError

NEAR = 1e-5
"""How far, relatively, p-values and resolutions may lie apart between versions of scipy (a choice
of this project: ten times the step at which a root is left)."""

AUDITOR = "attack"

BINOMIAL = "exact binomial"

NAME = "evidence of the attack auditor"

REPLAY = "dp-audit replay CERT.json"
"""The command that makes fresh runs: our own word, whatever a certificate states."""

SHARED_AND_FRESH = ("shared_runs", "fresh_runs")
"""Where the evidence of an attack says how many runs shared processes, and how many did not."""


def is_attack(evidence: Any) -> bool:
    """Whether an entry of a certificate's evidence is that of an attack."""
    return isinstance(evidence, Mapping) and evidence.get("auditor") == AUDITOR


@dataclass(frozen=True)
class Rechecked:
    """What came of an attack's evidence.

    ``evidence``: what is stated, for the verdict that it entails. ``drawn``: whether its runs were
    drawn again, and gave the same.
    """

    checks: tuple[Check, ...]
    evidence: Evidence
    drawn: bool


def rechecked(
    stated: Mapping[str, Any], claim: Claim, again: Mapping[str, Any] | None = None
) -> Rechecked:
    """Check an attack's evidence against its own counts, and these against the attack made again.

    ``again``: the evidence, as plain data, of the same attack on the same subject; None where it
    was not made. Raises InputError where what is stated is malformed.

    Guarantee
    ---------
    Of a binomial test nothing is confirmed but what its counts entail, at the errors that the
    evidence states; counts are confirmed only if the same rule had the same counts again. Backed
    by ``tests/audit/auditors/attack/test_rechecking.py``.
    """
    evidence = _read(stated)
    if again is not None and same(again, stated):
        return Rechecked((Check(NAME, Status.CONFIRMED),), evidence, True)
    checks = _entailed(stated, evidence, claim), _runs(stated, again)
    return Rechecked(checks, evidence, checks[1].status is Status.CONFIRMED)


def _runs(stated: Mapping[str, Any], again: Mapping[str, Any] | None) -> Check:
    """What is known of the counts."""
    name = f"{NAME}: what the runs gave"
    old = stated["witness"]
    if again is None:
        fresh = f"; fresh ones: {REPLAY}" if isinstance(old, Mapping) else ""
        return Check(name, Status.UNCHECKED, f"they were not drawn again{fresh}")
    new = again["witness"]
    tested = isinstance(old, Mapping) and isinstance(new, Mapping)
    if tested and old.get("digest") != new.get("digest"):
        note = f"run again, the attack chose another rule; fresh runs of this one: {REPLAY}"
        return Check(name, Status.UNCHECKED, note)
    parts = ("auditor", "finding", "decision", "covers", "whole", "confidence", "replay")
    alike = all(same(stated.get(part), again.get(part)) for part in parts)
    if alike and tested and same(_without_p(old), _without_p(new)):
        return Check(name, Status.CONFIRMED)
    return Check(name, Status.FALSE, "drawn again, the runs gave otherwise")


def _without_p(witness: Mapping[str, Any]) -> dict[str, Any]:
    """A witness but for its p-value, which `_entailed` compares."""
    return {key: value for key, value in witness.items() if key != "p_value"}


def _entailed(stated: Mapping[str, Any], evidence: Evidence, claim: Claim) -> Check:
    """Whether the numbers follow from the counts, as far as anything follows from these."""
    witness = stated["witness"]
    if isinstance(witness, Mapping) and witness.get("test") == BINOMIAL:
        return _binomial(stated, witness, claim)
    false = _inconsistent(stated, evidence)
    if false:
        return Check(NAME, Status.FALSE, false)
    return Check(NAME, Status.UNCHECKED, "it does not follow from counts alone")


def _binomial(stated: Mapping[str, Any], witness: Mapping[str, Any], claim: Claim) -> Check:
    """Whether all that is said of a binomial test follows from the counts."""
    guesses, pair = _guesses(witness), _pair(witness)
    error, alarm = stated_error(stated, "error"), stated_error(stated, "alarm")
    about = About(claim, Attack(guesses.runs, 0, error, alarm), pair, "batch")
    test = Tested(
        BINOMIAL,
        guesses,
        binomial_p_value(guesses, claim.guarantee, pair.distance),
        binomial_floor(guesses, claim.guarantee, error, pair.distance, about.covers),
        binomial_floor(guesses, claim.guarantee, CONTRADICTING, pair.distance, about.covers),
    )
    notes = _shared_and_fresh(stated)
    refuted = stated["decision"] == Decision.VIOLATED.value
    if refuted and notes.get("fresh_runs", guesses.runs) != guesses.runs:
        return Check(NAME, Status.FALSE, "its rule was tested on runs that share processes")
    found = about.evidence(None, test, about.could_test(guesses), notes).to_json()
    for part in ("bound", "strict"):
        check = compare_bound(NAME, stated.get(part), found[part])
        if check.status is not Status.CONFIRMED:
            return check
    if not _close(witness.get("p_value"), test.p_value):
        return Check(NAME, Status.FALSE, f"its counts have the p-value {test.p_value:.3g}")
    if not _alike(stated.get("resolution"), found.get("resolution")):
        return Check(NAME, Status.FALSE, "its resolution does not follow from its counts")
    for part in ("decision", "confidence", "covers", "finding"):
        if stated[part] != found[part]:
            return Check(NAME, Status.FALSE, f"its {part} does not follow from its counts")
    return Check(NAME, Status.CONFIRMED)


def _inconsistent(stated: Mapping[str, Any], evidence: Evidence) -> str:
    """What contradicts itself in evidence that can't be made again from counts; or nothing."""
    witness = stated["witness"]
    if evidence.decision in (Decision.INVALID, Decision.UNDECIDED):
        stray = evidence.bound or evidence.strict or evidence.resolution or witness
        return "runs that decide nothing bound nothing" if stray else ""
    if evidence.decision is Decision.VIOLATED:
        if not isinstance(witness, Mapping):
            return "a violation needs a witness"
        p = witness.get("p_value")
        if not isinstance(p, int | float) or not 0 <= p <= stated_error(stated, "alarm"):
            return "its decision does not follow from its p-value"
    return ""


def _read(stated: Mapping[str, Any]) -> Evidence:
    """The evidence of its plain data, without its witness; raises InputError."""
    if "witness" not in stated:
        raise InputError("the certificate's evidence of an attack lacks its witness")
    try:
        return Evidence(
            AUDITOR,
            str(stated["finding"]),
            _decision(stated["decision"]),
            str(stated["covers"]),
            _false(stated["whole"]),
            _bound(stated["bound"]),
            None if stated["confidence"] is None else str(stated["confidence"]),
            None,
            dict(stated["replay"]),
            strict=_bound(stated.get("strict")),
            resolution=_resolution(stated.get("resolution")),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("the certificate's evidence of an attack is malformed") from None


def _decision(value: Any) -> Decision:
    found = Decision(value)
    if found not in (Decision.VIOLATED, Decision.UNSEEN, Decision.INVALID, Decision.UNDECIDED):
        raise ValueError("an attack concludes other things")
    return found


def _false(value: Any) -> bool:
    if value is not False:
        raise ValueError("an attack covers a pair alone")
    return False


def _bound(data: Any) -> Bound | None:
    """A statistical floor of its plain data."""
    if data is None:
        return None
    floor = {"side": "floor", "rigour": "statistical"}
    if any(data[key] != value for key, value in floor.items()):
        raise ValueError("an attack makes floors")
    own = [(name, Enclosure.from_json(data[name])) for name in ("rho", "mu", "rdp") if name in data]
    ends = Enclosure.from_json(data["epsilon"])
    return Bound(Side.FLOOR, ends, str(data["covers"]), "statistical", own[0] if own else None)


def _resolution(data: Any) -> Resolution | None:
    if data is None:
        return None
    return Resolution(threshold(data["detectable"]), threshold(data["delta"]), int(data["runs"]))


def _guesses(witness: Mapping[str, Any]) -> Guesses:
    """The counts, as those of the rule that is stated; raises InputError."""
    rule = witness.get("rule")
    if not isinstance(rule, Mapping):
        raise InputError("the certificate's rule is malformed")
    low, high = threshold(rule.get("low")), threshold(rule.get("high"))
    one_sided = low == -math.inf or high == math.inf
    return Guesses(
        _count(witness.get("runs")),
        _count(witness.get("correct")),
        _count(witness.get("wrong")),
        one_sided,
        math.nextafter(low, math.inf) < high,
    )


def _shared_and_fresh(stated: Mapping[str, Any]) -> dict[str, int]:
    """How many runs shared processes, and how many did not, where the evidence says so."""
    replay = stated["replay"]
    notes = {key: _count(replay[key]) for key in SHARED_AND_FRESH if key in replay}
    if len(notes) == 1:
        raise InputError("the certificate says of some runs alone which processes they had")
    return notes


def _count(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= MOST_RUNS:
        raise InputError(f"counts of guesses are whole numbers up to {MOST_RUNS}")
    return value


def _pair(witness: Mapping[str, Any]) -> Pair:
    """The pair as it is stated, of which the distance alone matters here."""
    pair = witness.get("pair")
    distance = pair.get("distance") if isinstance(pair, Mapping) else None
    if type(distance) is not int or not 1 <= distance <= MOST_RUNS:
        raise InputError("the distance of the certificate's pair is a whole number of at least 1")
    return Pair(None, None, distance)


def _close(stated: Any, found: float) -> bool:
    if isinstance(stated, bool) or not isinstance(stated, int | float):
        return False
    return math.isclose(stated, found, rel_tol=NEAR, abs_tol=1e-300)


def _alike(stated: Any, found: dict[str, Any] | None) -> bool:
    """Whether a resolution is the one found, but for the rounding of doubles."""
    if stated is None or found is None:
        return stated is found
    if not isinstance(stated, Mapping) or stated.keys() != found.keys():
        return False
    return all(
        stated[key] == value or (not isinstance(value, str) and _close(stated[key], value))
        for key, value in found.items()
    )
