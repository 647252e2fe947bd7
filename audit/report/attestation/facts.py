"""What a certificate says of each field of a registry entry, and how it is known."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from audit.report.attestation.guessing import describe_unit
from audit.report.certificate.power import power_text
from audit.report.words import clean, guarantee_words, plural, short
from audit.review.attestations.attestation import Attestation
from audit.review.attestations.registry_schema import Field
from audit.statements.certificate import Certificate
from audit.statements.evidence import Verdict
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.hypotheses import HYPOTHESES
from synthesizers.errors import InputError
from synthesizers.neighbours import describe

Mark = Literal["shown", "assumed", "stated"]
"""How something is known: by the certificate's evidence, as what that rests on, or by the user."""

MARKS: Mapping[Mark, str] = {
    "shown": "by the certificate's evidence, which dp-audit verify makes again",
    "assumed": "what the verdict rests on, or what is claimed, and no evidence shows",
    "stated": "by whoever wrote this entry, and not checked",
}
"""What each mark says."""

LOSS: Field = ("deployment", "privacy_loss")
MODEL: Field = ("deployment", "deployment_model")
VARIANT: Field = ("deployment", "dp_variant")

MANY = 12
"""The most attributes, or mechanisms, that an entry names one by one."""

Text = str | float


@dataclass(frozen=True)
class Fact:
    """What is said in a field, and how it is known; a field may have several."""

    field: Field
    mark: Mark
    text: Text


def find_facts(attestation: Attestation) -> Iterator[Fact]:
    """The facts of a certificate and of the ledger beside it, field by field.

    Guarantee
    ---------
    Nothing is marked as shown unless the verdict is PROVED or EXACT. Backed by
    ``tests/audit/report/attestation/test_facts.py``.
    """
    certificate = attestation.reread.certificate
    shown: Mark = "shown" if attestation.reread.is_shown else "assumed"
    yield from _variant(certificate, shown)
    yield from _loss(certificate, shown)
    yield Fact((*MODEL, "model_name"), "assumed", "Central")
    yield Fact((*MODEL, "access_type"), "assumed", "Non-interactive")
    yield Fact(
        (*MODEL, "access_type_details"),
        "assumed",
        "The claim is about one run of a program that reads all records and puts out "
        f"{_RELEASED[certificate.claim.released]}; nobody asks the records further questions.",
    )
    yield from _accounting(certificate, shown)
    yield from _mechanisms(certificate, shown)
    yield from _of_ledger(attestation.ledger)


_RELEASED = {"output": "its output alone", "transcript": "all its noisy answers"}


def escape(text: object) -> str:
    """Text of a stranger, in which nothing is markup where it is rendered as Markdown."""
    return re.sub(r"([\\`*_\[\]<>$~&#|])", r"\\\1", clean(str(text)))


def name_variant(guarantee: Guarantee) -> str:
    """The variant as the registry calls it; those that it does not know are its *Custom*."""
    match guarantee:
        case ApproxDP(delta=delta):
            return "Approximate DP" if delta else "Pure DP"
        case ZCDP():
            return "Zero-concentrated DP"
        case RenyiDP():
            return "Renyi DP"
        case GaussianDP():
            return "Custom"


def spell_parameters(guarantee: Guarantee) -> dict[str, float]:
    """The parameters that the registry has a place for; no number is below the claim's.

    That has none for the order of Rényi's divergence, nor for μ: no other number stands for them.
    """
    match guarantee:
        case ApproxDP(epsilon, delta):
            return {
                "epsilon": round_up(epsilon),
                **({"delta": round_up(delta)} if delta else {}),
            }
        case ZCDP(rho):
            return {"rho": round_up(rho)}
        case RenyiDP() | GaussianDP():
            return {}


def round_up(value: Fraction) -> float:
    """A double whose shortest decimal is at least a value, and the least or next to it.

    >>> round_up(Fraction(1, 10)), round_up(Fraction(1, 3))
    (0.1, 0.33333333333333337)

    Raises InputError for a value beyond the doubles.
    """
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    while math.isfinite(found) and Fraction(repr(found)) < value:
        found = math.nextafter(found, math.inf)
    if not math.isfinite(found):
        raise InputError("the claim's parameter is beyond the numbers of a registry entry")
    return found


def _variant(certificate: Certificate, shown: Mark) -> Iterator[Fact]:
    claim = certificate.claim
    yield Fact((*VARIANT, "variant_name"), shown, name_variant(claim.guarantee))
    domain = claim.domain
    if domain is None:
        records = "No domain is declared."
    else:
        named = [f"{escape(a.name)} ({plural(a.size, 'value')})" for a in domain.attributes]
        more = f" and {len(named) - MANY} more" if len(named) > MANY else ""
        records = f"Records have the attributes {', '.join(named[:MANY])}{more}."
    yield Fact((*VARIANT, "data_domain"), shown, f"The claim is about {claim.covers}.")
    yield Fact((*VARIANT, "data_domain"), "assumed", records)
    unprotected = " ".join(say_unprotected(certificate))
    yield Fact((*VARIANT, "unprotected_quantities"), "assumed", unprotected)


def say_unprotected(certificate: Certificate) -> Iterator[str]:
    """What the guarantee does not protect, a sentence each."""
    claim, rows = certificate.claim, certificate.subject.get("rows")
    if claim.domain is not None:
        yield "The domain, with its bins, is public: it must not be read off the data."
    if claim.neighbours.records_public:
        count = "" if claim.records is None else f", {claim.records}"
        yield f"The number of records{count}, is public."
    elif claim.neighbours.name == "replace-one":
        yield "The number of persons is public."
    if rows is not None:
        yield f"The number of rows of the output, {rows}, is public."
    yield "The program and its parameters are public."
    yield "Time, memory and all else beside what is released are not covered."


def _loss(certificate: Certificate, shown: Mark) -> Iterator[Fact]:
    claim = certificate.claim
    yield Fact((*LOSS, "privacy_unit"), shown, describe_unit(claim.neighbours))
    relation = describe(claim.neighbours)
    yield Fact((*LOSS, "privacy_unit_details"), shown, f"Neighbours are {relation}.")
    if not claim.neighbours.unit.is_record:
        word = "Every record carries the right person's id, and no person has two."
        yield Fact((*LOSS, "privacy_unit_details"), "assumed", word)
    for name, value in spell_parameters(claim.guarantee).items():
        yield Fact((*LOSS, "privacy_parameters", name), shown, value)
    details = f"{guarantee_words(claim.guarantee).capitalize()}, for {claim.covers}."
    if isinstance(claim.guarantee, GaussianDP):
        details += (
            " Telling two neighbours apart is at least as hard as telling a draw from N(0, 1) "
            "from one of N(μ, 1) (Dong, Roth & Su 2022)."
        )
    if certificate.verdict is Verdict.NOT_REFUTED:
        details = (
            f"NOT SHOWN: {details} It is claimed and was not refuted, which shows no "
            f"guarantee. {power_text(certificate)}"
        ).strip()
    yield Fact((*LOSS, "privacy_parameters_details"), shown, details)


def _accounting(certificate: Certificate, shown: Mark) -> Iterator[Fact]:
    field: Field = ("deployment", "accounting", "composition")
    proof = certificate.proof
    if certificate.verdict is Verdict.PROVED and proof is not None:
        derivation = proof["derivation"]
        rules = dict.fromkeys(step["rule"] for step in derivation["steps"])
        listed = ", ".join(map(escape, rules))
        yield Fact(field, shown, f"By a theorem that follows by the rules {listed}.")
        rests = [HYPOTHESES.get(name, escape(name)) for name in derivation["hypotheses"]]
        yield Fact(field, "assumed", f"It rests on: {'; '.join(rests)}.")
    elif certificate.verdict is Verdict.EXACT:
        text = "Nothing is composed: the chances of all outputs were computed for the whole claim."
        yield Fact(field, shown, text)
    else:
        yield Fact(field, "assumed", "How the loss adds up within the program is not known.")
    after: Field = ("deployment", "accounting", "post_processing")
    if certificate.of_program:
        text = "What is released is a function of the answers and the drawn seed alone."
        yield Fact(after, "assumed", text)
    elif certificate.subject.get("kind") != "channel":
        text = "The subject was run as a whole: what it makes of its noise is part of what ran."
        yield Fact(after, "assumed", text)


def _mechanisms(certificate: Certificate, shown: Mark) -> Iterator[Fact]:
    field: Field = ("deployment", "implementation", "mechanisms")
    subject = certificate.subject
    name = escape(short(str(subject.get("name")), 200))
    settings = subject.get("parameters") or {}
    listed = ", ".join(f"{escape(key)} = {escape(short(str(v)))}" for key, v in settings.items())
    yield Fact(field, shown, f"The subject is {name}{f' with {listed}' if listed else ''}.")
    made = () if certificate.proof is None else tuple(_describe_steps(certificate.proof))
    if made:
        more = f"; and {len(made) - MANY} more" if len(made) > MANY else ""
        yield Fact(field, shown, f"What it asks is answered by {'; '.join(made[:MANY])}{more}.")
    if certificate.of_program:
        text = (
            "Every answer is drawn by dp-audit's samplers from a discrete law with exact "
            "parameters, so that no floating-point noise is added; each sampler has its stated "
            "law, and the operating system's entropy is uniform."
        )
    else:
        text = "What is done against errors of floating-point noise is not known."
    yield Fact(field, "assumed", text)


def _describe_steps(proof: Mapping[str, Any]) -> Iterator[str]:
    """The mechanisms of a proof: what is private, and does not follow from what was before."""
    steps = proof["derivation"]["steps"]
    for step in steps:
        before = (steps[place]["conclusion"]["judgment"] for place in step["premises"])
        if step["conclusion"]["judgment"] == "private" and "private" not in before:
            given = ", ".join(
                f"{escape(key)} {escape(short(value))}"
                for key, value in step["parameters"].items()
                if isinstance(value, str)
            )
            yield f"{escape(step['rule'])}{f' ({given})' if given else ''}"


def _of_ledger(ledger: Mapping[str, Any] | None) -> Iterator[Fact]:
    if ledger is None:
        return
    asked = [event for event in ledger["events"] if event.get("event") != "draw"]
    budget, spent = (_spell_cost(ledger.get(key)) for key in ("budget", "spent"))
    yield Fact(
        ("deployment", "accounting", "composition"),
        "stated",
        f"By its ledger the release asked {plural(len(asked), 'question')} (budget: {budget}; "
        f"spent: {spent}).",
    )
    laws = dict.fromkeys(
        str(event["noise"].get("law")) for event in asked if isinstance(event.get("noise"), Mapping)
    )
    if laws:
        yield Fact(
            ("deployment", "implementation", "mechanisms"),
            "stated",
            f"By its ledger the release drew noise of the laws {', '.join(map(escape, laws))}.",
        )


def _spell_cost(cost: object) -> str:
    if not isinstance(cost, Mapping) or not cost:
        return "not stated"
    if cost.get("unlimited") is True:
        return "no limit of its own"
    stated = {key: value for key, value in cost.items() if value is not None}
    return ", ".join(f"{escape(key)} = {escape(short(str(v)))}" for key, v in stated.items())
