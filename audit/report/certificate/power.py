"""Power in words: what an attack that refutes nothing could have seen, and what it lacks."""

from __future__ import annotations

import math
from fractions import Fraction

from audit.report.words import above, claimed_value, duration, number
from audit.statements.certificate import Certificate
from audit.statements.evidence import Decision, Evidence, SampledWitness
from audit.statements.power import Control, Lack, Power, Resolution, find_lack
from proofs.guarantees import ApproxDP, Guarantee


def power_text(certificate: Certificate) -> str:
    """What attacks that do not refute could have seen; empty without one."""
    return " ".join(
        _text(evidence, evidence.power, certificate)
        for evidence in certificate.evidence
        if evidence.power is not None
    )


def power_advice(certificate: Certificate) -> tuple[str, ...]:
    """What such attacks lack, and how to ask for it: how many runs, in what time."""
    return tuple(
        _advice(evidence.power, lacking, certificate)
        for evidence in certificate.evidence
        if evidence.power is not None
        and (lacking := _find_lack(evidence, evidence.power)) is not None
        and not _is_untested(evidence)
    )


def _is_untested(evidence: Evidence) -> bool:
    return evidence.partial and evidence.witness is None


def unseen_text(evidence: Evidence, guarantee: Guarantee) -> str:
    """What stands beside such a finding: events that are too rare, in older certificates more."""
    if evidence.power is not None:
        return (
            f"Events of a chance below {number(evidence.power.delta, 3)} could not have been seen "
            f"in these {evidence.power.runs:,} runs."
        )
    if evidence.resolution is not None:
        return _resolution(evidence.resolution, guarantee)
    sampled = isinstance(evidence.witness, SampledWitness)
    if sampled and evidence.decision in (Decision.UNSEEN, Decision.UNDECIDED):
        return "How small a leak it could have seen is not stated."
    return ""


def _text(evidence: Evidence, power: Power, certificate: Certificate) -> str:
    guarantee = certificate.claim.guarantee
    lacking = _find_lack(evidence, power)
    seen, control = _say_seen(power, guarantee), _say_planted(evidence.control, guarantee)
    match lacking:
        case None:
            others = "Of other pairs and of rarer events this says nothing."
            needed = f"(this verdict needs {_leak(power.detect, guarantee)} to be)"
            parts = [f"{seen} {needed}.", others, control]
        case Lack.SUSPICION:
            parts = [_suspicion(evidence)]
        case Lack.RUNS if _is_untested(evidence):
            parts = ["The attack was interrupted before it had tested anything: make it again."]
        case Lack.RUNS:
            parts = [
                f"Too few runs to say NOT REFUTED. {seen}, and {_leak(power.detect, guarantee)} "
                "has to be.",
            ]
        case Lack.CONTROL:
            parts = [f"{seen}.", control]
    return " ".join(part for part in parts if part)


def _find_lack(evidence: Evidence, power: Power) -> Lack | None:
    """What the decision was for want of."""
    if evidence.decision is Decision.UNSEEN:
        return None
    if not isinstance(evidence.witness, SampledWitness):
        # Without one nothing but the power is stated.
        return Lack.SUSPICION if power.enough else Lack.RUNS
    return find_lack(evidence.witness.p_value, power, evidence.control)


def _say_seen(power: Power, guarantee: Guarantee) -> str:
    where = "On the pair and by the rule that were tested,"
    symbol, _ = claimed_value(guarantee)
    leak = f"a leak of {symbol} ≥ {_least(power.detectable)}{_at_delta(guarantee)}"
    if math.isinf(power.detectable):
        leak = f"no leak, however large its {symbol}{_at_delta(guarantee)},"
    return f"{where} {leak} would have been refuted with a chance of 90 %"


def _least(value: float) -> str:
    return above(Fraction(str(value)) if math.isfinite(value) else value, 3)


def _leak(value: float, guarantee: Guarantee) -> str:
    symbol, _ = claimed_value(guarantee)
    return f"one of {symbol} = {number(value, 4)}"


def _at_delta(guarantee: Guarantee) -> str:
    if isinstance(guarantee, ApproxDP) and guarantee.delta > 0:
        return f" at δ = {number(guarantee.delta)}"
    return ""


def _say_planted(control: Control | None, guarantee: Guarantee) -> str:
    if control is None:
        return ""
    symbol, _ = claimed_value(guarantee)
    found = "was refuted" if control.refuted else "was not refuted"
    leak = f"A leak of {symbol} = {number(control.planted, 4)}, planted among its outputs,"
    return f"{leak} {found} by the same learning and test."


def _suspicion(evidence: Evidence) -> str:
    told = "The guesses are right more often than the claim would explain"
    if isinstance(evidence.witness, SampledWitness):
        told += f" (p = {number(evidence.witness.p_value, 2)})"
    return f"{told}, and not often enough to refute it."


def _advice(power: Power, lacking: Lack, certificate: Certificate) -> str:
    """How many runs would do, in what time, and how to ask for them."""
    if power.needed is None:
        return "No number of runs that anybody waits for would do: name a pair that tells more."
    if certificate.subject.get("kind") == "outputs":
        return f"{power.needed:,} outputs of each database would do."
    taken = ""
    if power.seconds is not None:
        taken = f", in about {duration(power.seconds * 2 * power.needed)}"
    asked = f"--runs {power.needed}" if certificate.reproduce else f"runs={power.needed}"
    made = _runs(certificate)
    runs = f"{power.needed:,} runs a database would do"
    if lacking is Lack.SUSPICION and made is not None:
        runs = f"Run {power.needed - made:,} more on each database to decide"
    return f"{runs}{taken}: repeat with {asked}."


def _runs(certificate: Certificate) -> int | None:
    """How many runs a database the attack was given."""
    found = [getattr(evidence.replay, "runs", None) for evidence in certificate.evidence]
    return next((runs for runs in found if runs is not None), None)


def _resolution(found: Resolution, guarantee: Guarantee) -> str:
    symbol, _ = claimed_value(guarantee)
    leak = f"a leak of {symbol} ≥ {number(found.detectable, 3)}{_at_delta(guarantee)}"
    if math.isinf(found.detectable):
        leak = f"no leak, however large its {symbol}{_at_delta(guarantee)},"
    return (
        f"With these {found.runs:,} runs {leak} would have been refuted with a chance of 80 %, on "
        "this pair and by this rule; whether that was enough is not stated. Events of a chance "
        f"below {number(found.delta, 3)} could not have been seen."
    )
