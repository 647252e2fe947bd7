"""How sure an attacker can be: a certificate in terms of a guess about one record.

The attacker knows every record but one, and thinks two answers about that one equally likely.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from audit.report.attestation.guessing import most_right
from audit.report.percentages import percent, percent_above, percent_below
from audit.report.words import claimed_value, decisive_value
from audit.statements.certificate import Certificate
from audit.statements.evidence import Decision, Evidence, Side, Verdict, Witness
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.errors import TooLargeError
from synthesizers.intervals import exp_interval
from synthesizers.neighbours import Neighbours

EVENS = Fraction(1, 2)

MOST_EXPONENT = 1000
"""Beyond it an exponential says no more than certainty does."""

CERTIFIED = (Verdict.PROVED, Verdict.EXACT)


@dataclass(frozen=True)
class Certainty:
    """An attacker before and after a release.

    ``question``: what the attacker wants; ``rise``: ``50 % → at most 73.2 %``; ``note``: what is
    assumed, and what the numbers leave out.
    """

    question: str
    rise: str
    note: str

    def __str__(self) -> str:
        return f"{self.question}: {self.rise}."


def certain_by(certificate: Certificate) -> Certainty | None:
    """What the certificate shows of the attacker; None where it shows nothing.

    Guarantee
    ---------
    A number after "at most" is never below what a mechanism that keeps the guarantee allows, and
    one after "at least" never above what the finding shows. Backed by
    ``tests/audit/report/certificate/test_attacker.py``.
    """
    if certificate.verdict in CERTIFIED:
        return limit_by(certified_guarantee(certificate), certificate.claim.neighbours)
    if certificate.verdict is Verdict.REFUTED:
        return _weigh_violations(certificate)
    return None


def promised_by(certificate: Certificate) -> Certainty:
    """What the claim says of the attacker, shown or not."""
    return limit_by(certificate.claim.guarantee, certificate.claim.neighbours)


def certified_guarantee(certificate: Certificate) -> Guarantee:
    """The claim of a certificate that shows it, with the least parameter that is shown."""
    guarantee = certificate.claim.guarantee
    symbol, most = claimed_value(guarantee)
    values = [
        ends.upper
        for evidence in certificate.evidence
        if evidence.whole and evidence.decision is Decision.HOLDS and evidence.bound is not None
        if evidence.bound.side is not Side.FLOOR and evidence.bound.rigour != "statistical"
        for name, ends in (decisive_value(evidence.bound),)
        if name == symbol
    ]
    least = Fraction(min(most, *values)) if values else most
    match guarantee:
        case ApproxDP() | RenyiDP():
            return replace(guarantee, epsilon=least)
        case ZCDP():
            return replace(guarantee, rho=least)
        case GaussianDP():
            return replace(guarantee, mu=least)


def limit_by(guarantee: Guarantee, neighbours: Neighbours) -> Certainty:
    """What a guarantee allows: of the surest release if it is pure, otherwise of the average."""
    who, what = _names(neighbours)
    if isinstance(guarantee, ApproxDP) and not guarantee.delta:
        most = percent_above(surest(guarantee.epsilon, EVENS))
        return Certainty(
            f"What an attacker who knows everything but one {who} can be sure of",
            f"50 % → at most {most}",
            f"Before the release the attacker thinks it a coin flip {what}. The second number "
            "is a limit for every possible release.",
        )
    return Certainty(
        f"How often an attacker who knows everything but one {who} guesses that one right",
        f"50 % → at most {percent_above(most_right(guarantee))}",
        f"Before the release the attacker thinks it a coin flip {what}. The second number is an "
        "average over releases: after a rare one the attacker may be surer, without a limit.",
    )


def surest(epsilon: Fraction, prior: Fraction) -> Fraction:
    """The most that a belief held with the prior chance can become under pure ε, rounded up."""
    try:
        factor = exp_interval(epsilon).upper
    except TooLargeError:
        return Fraction(1)
    return factor * prior / (factor * prior + 1 - prior)


def _names(neighbours: Neighbours) -> tuple[str, str]:
    """Whom the attacker does not know, and what is asked about them."""
    if not neighbours.unit.is_record:
        return "person", "which of two sets of records that person has"
    if neighbours.records_public:
        return "record", "which of two values that record has"
    return "record", "whether that record is there"


def _weigh_violations(certificate: Certificate) -> Certainty | None:
    """What the findings that violate the claim give an attacker, by the most telling of them."""
    violations = [e for e in certificate.evidence if e.decision is Decision.VIOLATED]
    beliefs = [(*belief, e) for e in violations for belief in _beliefs(e)]
    if not beliefs:
        return None
    belief, reached, evidence = max(beliefs, key=lambda entry: entry[:2])
    if belief <= EVENS:
        return None
    who, _ = _names(certificate.claim.neighbours)
    sure = f"at least {percent_below(belief)}"
    if belief == 1:
        sure = "100 %" if reached else "up to 100 %"
    notes = []
    if _is_pure(certificate.claim.guarantee):
        notes.append(f"The claim allows {promised_by(certificate).rise.partition('→ ')[2]}.")
    if evidence.confidence is not None:
        confidence = percent(Fraction(evidence.confidence))
        notes.append(f"The finding has a confidence of {confidence}.")
    return Certainty(
        f"What an attacker who knows everything but one {who} can be sure of after some releases",
        f"50 % → {sure}",
        " ".join(notes),
    )


def _is_pure(guarantee: Guarantee) -> bool:
    return isinstance(guarantee, ApproxDP) and not guarantee.delta


def _beliefs(evidence: Evidence) -> Iterator[tuple[Fraction, bool]]:
    """What a coin flip becomes after an event of a finding, rounded down; whether it is reached.

    A floor on ε at δ, too, means an event that is as much likelier under one of two neighbours:
    its chance exceeds e^ε times the other, and δ. An infinite one may be a limit.
    """
    if isinstance(evidence.witness, Witness):
        chances = evidence.witness.probabilities
        own, other = Fraction(chances[0].lower), Fraction(chances[1].upper)
        if own:
            yield own / (own + other), True
    bound = evidence.bound
    if bound is None or bound.side is Side.CEILING or decisive_value(bound)[0] != "ε":
        return
    least = bound.epsilon.lower
    if isinstance(least, float):
        yield Fraction(1), False
    elif least <= MOST_EXPONENT:
        factor = exp_interval(least).lower
        yield factor / (factor + 1), True
