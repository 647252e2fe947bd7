"""Figures of certificates: their verdict, and what is known of the parameter that they bound."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from audit.review.comparison.revisions import detectable_leak
from audit.review.comparison.yardsticks import yardstick
from audit.review.criteria.figures import Figure, Range
from audit.review.rereading import Reread, bounded_parameter, claimed_parameter
from audit.statements.certificate import OWN_WORD
from audit.statements.checks import Status
from audit.statements.decimals import Extended
from audit.statements.evidence import Decision, Side, Verdict
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from synthesizers.exact import parse_rational

PARAMETERS = ("epsilon", "rho", "mu", "rdp")


def certificate_figures(entry: Reread) -> dict[str, Figure]:
    """The figures of a certificate by name; all undefined of one that is not believed.

    Guarantee
    ---------
    ``verdict`` is PROVED, and a ceiling defined, only if the independent checker confirmed the
    proof. A ceiling is one of the whole claim, and so is an exact value; neither is defined where
    no PROVED or EXACT may rest on it. What is known of a parameter lies from the highest floor to
    the lowest of these. Backed by
    ``tests/audit/review/criteria/test_certificate_figures.py``.
    """
    figures = _figures(entry)
    if entry.fault is None:
        return figures
    why = f"the certificate is not believed: {entry.fault}"
    return {name: Figure("", None, why) for name in figures}


def _figures(entry: Reread) -> dict[str, Figure]:
    claim, document = entry.certificate.claim, entry.document
    isolation, leak = document.isolation, detectable_leak(entry)
    texts = {
        "guarantee": yardstick(claim).kind,
        "neighbours": claim.neighbours.name,
        "unit": claim.neighbours.unit.name,
        "released": claim.released,
        "subject": str(document.subject["name"]),
        "kind": str(document.subject["kind"]),
        "proof": _proof(entry),
    }
    named = {name: Figure("", text) for name, text in texts.items()}
    named |= {
        f"isolation.{part}": _as_figure(None if isolation is None else getattr(isolation, part))
        for part in ("process", "filesystem", "network")
    }
    parameters = document.subject.get("parameters")
    if isinstance(parameters, Mapping):
        named |= {f"parameters.{name}": _setting(value) for name, value in parameters.items()}
    most = Fraction(claim.neighbours.unit.max_records)
    return {
        "verdict": _verdict(entry),
        **{f"claim.{name}": figure for name, figure in _claimed(entry).items()},
        **_bounds(entry),
        "detectable": Figure("", None, "no attack states its power")
        if leak is None
        else Figure("", Range.point(leak if math.isinf(leak) else Fraction(str(leak)))),
        "max-records": Figure("", Range.point(most)),
        **named,
    }


def _verdict(entry: Reread) -> Figure:
    verdict = entry.certificate.verdict
    if verdict is Verdict.PROVED and _proof(entry) != "confirmed":
        why = "it says PROVED, and the independent checker sees its proof in part only: verify it"
        return Figure("", None, why)
    return Figure("", verdict.value, "as its evidence entails; dp-audit verify runs it again")


def _proof(entry: Reread) -> str:
    if entry.proof is None:
        return "none"
    return "confirmed" if entry.proof.status is Status.CONFIRMED else "not checked"


def _claimed(entry: Reread) -> dict[str, Figure]:
    """The numbers of the claim; those that another kind of claim has are undefined."""
    match entry.certificate.claim.guarantee:
        case ApproxDP(epsilon=epsilon, delta=delta):
            own = {"epsilon": epsilon, "delta": delta}
        case ZCDP(rho=rho):
            own = {"rho": rho}
        case GaussianDP(mu=mu):
            own = {"mu": mu}
        case RenyiDP(alpha=alpha, epsilon=rdp):
            own = {"alpha": alpha, "rdp": rdp}
    why = f"the claim is {entry.certificate.claim.guarantee}"
    names = ("epsilon", "delta", "rho", "mu", "alpha", "rdp")
    return {
        name: Figure("", Range.point(own[name])) if name in own else Figure("", None, why)
        for name in names
    }


def _bounds(entry: Reread) -> dict[str, Figure]:
    """The bounds of each side, and what is known of each parameter."""
    name, _ = claimed_parameter(entry.certificate.claim.guarantee)
    ranges = [
        (one.bound.side, one.whole, ends)
        for one in entry.document.evidence
        # Another instance has other public constants: a bound on it is none on the claim.
        if one.decision is not Decision.SILENT
        and one.bound is not None
        and (ends := bounded_parameter(one.bound, name)) is not None
    ]
    low = max((e.lower for side, _, e in ranges if side is not Side.CEILING), default=Fraction(0))
    above = [side for side in (Side.EXACT, Side.CEILING) if not _obstacle(entry, side)]
    high: Extended = min(
        (e.upper for side, whole, e in ranges if whole and side in above), default=math.inf
    )
    stick = yardstick(entry.certificate.claim)
    at = "" if stick.at is None else f" at {stick.at}"
    note = f"{stick.kind}{at}, {stick.neighbours.name}, by {stick.neighbours.unit.name}"
    other = f"the certificate bounds {name}"
    crossed = "its bounds contradict each other"
    known = Figure("", Range(low, high), note) if low <= high else Figure("", None, crossed)
    return {
        **{one: known if one == name else Figure("", None, other) for one in PARAMETERS},
        **{side.value: _side(entry, side, name, note) for side in Side},
    }


def _side(entry: Reread, side: Side, name: str, note: str) -> Figure:
    bound = entry.certificate.bound(side)
    ends = None if bound is None else bounded_parameter(bound, name)
    if bound is None or ends is None:
        return Figure("", None, f"the certificate has no {side.value} of {name}")
    sources = [one for one in entry.document.evidence if one.bound == bound]
    if side is not Side.FLOOR and not any(one.whole for one in sources):
        return Figure("", None, "it covers a part of the claim only")
    if all(one.decision is Decision.SILENT for one in sources):
        return Figure("", None, "it is about another instance")
    if obstacle := _obstacle(entry, side):
        return Figure("", None, obstacle)
    match side:
        case Side.FLOOR:
            return Figure("", Range.point(ends.lower), note)
        case Side.CEILING:
            return Figure("", Range.point(ends.upper), note)
        case Side.EXACT:
            return Figure("", Range(ends.lower, ends.upper), note)


def _obstacle(entry: Reread, side: Side) -> str:
    """Why nothing is bounded from above by findings of a side; empty where nothing is in the way.

    What forbids to conclude PROVED or EXACT from a finding forbids to take its bound.
    """
    own, isolation = entry.certificate, entry.certificate.isolation
    if side is Side.FLOOR:
        return ""
    if own.entailed is Verdict.CONTRADICTION:
        return "its findings contradict each other"
    if any(one.decision is Decision.EXCEEDED for one in own.evidence):
        return "something that the subject declares is exceeded"
    apart = own.trusted or (isolation is not None and isolation.sufficient)
    if own.subject["kind"] not in OWN_WORD and not apart:
        return "nothing kept the subject from the process that judged it"
    if side is Side.CEILING and _proof(entry) != "confirmed":
        return "the independent checker did not confirm the theorem: verify the certificate"
    return ""


def _as_figure(text: str | None) -> Figure:
    return Figure("", None, "no isolation is stated") if text is None else Figure("", text)


def _setting(value: object) -> Figure:
    """A parameter of the subject: a number where it spells one, otherwise its text."""
    try:
        return Figure("", Range.point(parse_rational(str(value), "a parameter")))
    except ValueError:
        return Figure("", str(value))
