"""The verdict's own box: what the verdict means, what it rests on, and who says so."""

from __future__ import annotations

from dataclasses import dataclass

from audit.report.certificate.causes import tell_causes
from audit.report.certificate.power import power_advice, power_text
from audit.report.certificate.spending import blame_sentence
from audit.report.words import MEANINGS, bound_text, claimed_text
from audit.statements.certificate import OWN_WORD, Certificate
from audit.statements.evidence import ALIVE, AttackReplay, Decision, Side, Verdict

HOLDS = (Verdict.PROVED, Verdict.EXACT)


def head_verdict(certificate: Certificate) -> str:
    """The verdict; EXACT about other people's code is so for the program as observed."""
    if certificate.verdict is Verdict.EXACT and _is_foreign(certificate):
        return f"{certificate.verdict.value} for the program as observed"
    return certificate.verdict.value


@dataclass(frozen=True)
class Explanation:
    """A verdict in sentences: what is ``known``, what is ``unknown``, and what ``mends`` it."""

    known: str
    unknown: str = ""
    mends: tuple[str, ...] = ()


def explain_verdict(certificate: Certificate) -> str:
    """What the verdict means, in a few sentences."""
    parts = explanation_of(certificate)
    return " ".join(filter(None, (parts.known, parts.unknown, *parts.mends)))


def explanation_of(certificate: Certificate) -> Explanation:
    """What the verdict means, in parts."""
    verdict, meaning = certificate.verdict, MEANINGS[certificate.verdict]
    match verdict:
        case Verdict.EXACT if certificate.of_program:
            ceiling = _ceiling(certificate) if _is_foreign(certificate) else ""
            return Explanation(meaning, f"{_why_no_theorem(certificate)} {ceiling}".strip())
        case Verdict.REFUTED:
            blame = blame_sentence(certificate)
            return Explanation(f"{meaning} {blame}".strip(), "", tell_causes(certificate))
        case Verdict.NOT_REFUTED:
            return Explanation(meaning, power_text(certificate), power_advice(certificate))
        case Verdict.UNDECIDED:
            return _explain_undecided(certificate)
        case _:
            return Explanation(meaning)


def _explain_undecided(certificate: Certificate) -> Explanation:
    if certificate.entailed is not Verdict.UNDECIDED:
        return Explanation(
            f"The findings entail {certificate.entailed.value}, but nothing kept the program from "
            "this process, so that it could have brought them about.",
            "",
            (
                "Run the audit where programs can be kept apart (Linux, with user namespaces or "
                "as root), or say --trust-subject.",
            ),
        )
    if _is_exceeded(certificate) and not certificate.of_program:
        return Explanation(
            "Something beside the output tells neighbours apart, or its noise or a query is not "
            "what it should be: the claim, which is about the output, is neither confirmed nor "
            "refuted."
        )
    if _is_exceeded(certificate):
        return Explanation(
            "Something that the subject declares, and that conclusions about it rest on, is "
            "exceeded: the claim is neither confirmed nor refuted."
        )
    if ignores := _ignored_input(certificate):
        return Explanation(
            f"{ignores[0].upper()}{ignores[1:]}.",
            "A program that reads nothing gives nothing away, whatever its noise.",
            ("Check that it reads the records as they are handed over.",),
        )
    if power := power_text(certificate):
        known = "The claim is neither confirmed nor refuted."
        return Explanation(known, power, power_advice(certificate))
    return Explanation(MEANINGS[Verdict.UNDECIDED])


def state_rests(certificate: Certificate) -> str:
    """How the subject ran, what the verdict rests on beyond the evidence, and what its maker adds.

    The assumptions are those that the certificate lists in full, in a sentence or two.
    """
    rests = _assumptions_sentence(certificate)
    place = _place(certificate) if rests or not _is_own(certificate) else ""
    parts = (place, rests, _self_test(certificate))
    return " ".join(part for part in parts if part)


def _is_exceeded(certificate: Certificate) -> bool:
    return any(evidence.decision is Decision.EXCEEDED for evidence in certificate.evidence)


def _ignored_input(certificate: Certificate) -> str:
    """What was found of a subject that seems to ignore its input, without what was tried."""
    for one in certificate.evidence:
        alive = isinstance(one.replay, AttackReplay) and one.replay.mode == ALIVE
        if alive and one.decision is Decision.UNDECIDED:
            return one.finding.partition(" (tried")[0]
    return ""


def _is_foreign(certificate: Certificate) -> bool:
    return certificate.subject.get("kind") not in OWN_WORD


def _is_own(certificate: Certificate) -> bool:
    return bool(certificate.subject.get("kind") == "program")


def _ceiling(certificate: Certificate) -> str:
    """Of a program that is not ours, what holds whatever it makes of its answers."""
    if certificate.claim.released == "transcript":
        return "It is about the questions, so that it stands for every run that keeps to them."
    bound = certificate.bound(Side.CEILING)
    if bound is None:
        return (
            "No ceiling stands for every run: certify it with --released transcript, or have the "
            "program declare a budget."
        )
    return (
        "The ceiling that stands for every run is that of its questions or its budget: "
        f"{bound_text(bound)}."
    )


def _why_no_theorem(certificate: Certificate) -> str:
    """That no theorem speaks of more than what was looked at, and why."""
    more = "" if certificate.claim.records is None else " or more records"
    return f"No theorem covers larger domains{more}: {_refusal(certificate)}."


def _refusal(certificate: Certificate) -> str:
    for one in certificate.evidence:
        if one.auditor == "proof" and one.bound is not None:
            claim = claimed_text(certificate.claim.guarantee)
            return f"the best that is proved is {bound_text(one.bound)}, and the claim is {claim}"
    return certificate.unproved or "the certificate does not say why"


def _place(certificate: Certificate) -> str:
    """Where the subject ran, and on whose word."""
    isolation = certificate.isolation
    if _is_own(certificate):
        return "The program is one of dp-audit's own."
    if isolation is None:
        return ""
    how = isolation.describe()
    if isolation.of_caller and certificate.trusted:
        return f"The program is trusted, as the caller's own: it ran {how}."
    if certificate.trusted and not isolation.sufficient:
        return (
            "The subject is trusted (--trust-subject), as nothing kept it from this process: it "
            f"ran {how}."
        )
    return f"The subject ran {how}."


def _assumptions_sentence(certificate: Certificate) -> str:
    """The assumptions that remain, in a sentence or two."""
    kind, holds = certificate.subject.get("kind"), certificate.verdict in HOLDS
    if kind == "channel":
        return "Taken for granted, and not shown: the file's matrix is the law of the mechanism."
    if certificate.of_program:
        return _OF_PROGRAM if holds else ""
    if certificate.verdict in (Verdict.CONTRADICTION, Verdict.INVALID_RUN):
        return ""
    if kind == "training":
        return _OF_COINS
    if kind == "release":
        return _OF_SPLIT
    return _OF_BLACK_BOX


_OF_PROGRAM = (
    "Taken for granted, and not shown: the noise has its stated law, the system's random numbers "
    "are good, the output is made of the noisy answers and a drawn seed alone, bins and bounds "
    "were not read off the data, and the release keeps to what was analysed. Time, memory and "
    "other side channels are out of scope."
)
_OF_COINS = (
    "Taken for granted, and not shown: the coins are fair, nothing but the records handed over "
    "tells how they fell, and the code that ran is the code that will run. Time, memory and other "
    "side channels are out of scope."
)
_OF_SPLIT = (
    "Taken for granted, and not shown: the split is older than the release, its digest was "
    "published before, and nobody who trained has seen the holdout."
)
_OF_BLACK_BOX = (
    "Taken for granted, and not shown: repeated runs are independent draws of one law, and the "
    "code that ran is the code that will run. Time, memory and other side channels are out of "
    "scope."
)


def _self_test(certificate: Certificate) -> str:
    """How the auditors did on liars and honest cases, where the certificate says so."""
    stated = certificate.self_test
    if stated is None:
        return ""
    return (
        f"By its maker's word, the auditors were tested beforehand: {stated['caught']} of "
        f"{stated['liars']} lying subjects caught, {stated['accused']} of {stated['honest']} "
        f"honest ones accused ({stated['form']} form, by this code)."
    )
