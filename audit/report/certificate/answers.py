"""The first screen of a certificate: what is known, what is not, and what to do next.

It is written for a reader who knows nothing of differential privacy.
"""

from __future__ import annotations

from dataclasses import dataclass

from audit.report.certificate.attacker import Certainty, certain_by, promised_by
from audit.report.certificate.verdict import Explanation, explanation_of, state_rests
from audit.statements.certificate import OWN_WORD, Certificate
from audit.statements.evidence import AttackReplay, Decision, SampledWitness, Verdict


@dataclass(frozen=True)
class Step:
    """Something to do, with the ``command`` that does it, if there is one."""

    text: str
    command: str = ""


@dataclass(frozen=True)
class Answers:
    """``certainty``: of an attacker, where the certificate shows it; ``steps``: in their order."""

    known: str
    certainty: Certainty | None
    unknown: str
    steps: tuple[Step, ...]


def answers_of(certificate: Certificate) -> Answers:
    """What a certificate answers."""
    explanation = explanation_of(certificate)
    unknown = (_unshown(certificate), explanation.unknown, state_rests(certificate))
    return Answers(
        explanation.known,
        certain_by(certificate),
        " ".join(filter(None, unknown)),
        _next_steps(certificate, explanation),
    )


def _unshown(certificate: Certificate) -> str:
    """What the verdict leaves open of the claim, or beyond it."""
    if certificate.verdict is Verdict.REFUTED:
        return "Whether a weaker claim holds is another question, for a certificate of its own."
    if certificate.verdict not in (Verdict.NOT_REFUTED, Verdict.UNDECIDED):
        return ""
    promised = promised_by(certificate)
    question = f"{promised.question[0].lower()}{promised.question[1:]}"
    return f"The claim limits {question} ({promised.rise}). Whether it is kept is not shown."


def _next_steps(certificate: Certificate, explanation: Explanation) -> tuple[Step, ...]:
    mends = tuple(Step(text) for text in explanation.mends)
    match certificate.verdict:
        case Verdict.PROVED | Verdict.EXACT:
            return (*_checks(certificate), _ask_who_releases(certificate))
        case Verdict.REFUTED:
            return (_DO_NOT_RELEASE, *mends, *_changes(certificate))
        case Verdict.NOT_REFUTED:
            return (*mends, *_MORE_RUNS, *_checks(certificate))
        case Verdict.UNDECIDED:
            return (*(mends or _FIND_WHAT_IS_OPEN), *_checks(certificate))
        case Verdict.INVALID_RUN:
            return (_SEPARATE_RUNS, *_again(certificate))
        case Verdict.CONTRADICTION:
            return (_REPORT, *_again(certificate))


_DO_NOT_RELEASE = Step("Do not release anything under this claim.")
_MORE_RUNS = (
    Step("Ask for more runs (--runs) if a smaller leak would matter: more runs see smaller leaks."),
    Step(
        "Ask the author for a program that puts its questions to a curator: such a program can be "
        "proved, and other code can only be attacked."
    ),
)
_FIND_WHAT_IS_OPEN = (
    Step("Read under “Evidence” which finding leaves the claim open, and mend what it names."),
)
_SEPARATE_RUNS = Step(
    "Ask the author what two runs share: a fixed seed, a file or a cache. Remove it, and run the "
    "audit again."
)
_WHICH_FOLDER = " FOLDER is the one that holds the code."
_REPORT = Step("Send this certificate to those who maintain dp-audit: the fault is theirs.")


def _checks(certificate: Certificate) -> tuple[Step, ...]:
    """How to check a certificate again, with and without this program."""
    folder = _folder(certificate)
    named = f" --subject NAME{folder}" if folder else ""
    holds = _WHICH_FOLDER if folder else ""
    again = Step(
        "Check this certificate again from nothing. CERT.json stands for the name of its file."
        f"{holds}",
        f"dp-audit verify CERT.json{named}",
    )
    if certificate.proof is None:
        return (again,)
    return (
        again,
        Step(
            "Check its proof without trusting dp-audit: proofs/checker.py is one file that needs "
            "Python alone.",
            "python -m proofs.checker CERT.json",
        ),
    )


def _folder(certificate: Certificate) -> str:
    """How to name the folder of other people's code, which may lie anywhere."""
    return "" if certificate.subject.get("kind") in OWN_WORD else " --folder FOLDER"


def _ask_who_releases(certificate: Certificate) -> Step:
    """What no certificate of a program can answer."""
    unit = certificate.claim.neighbours.unit
    persons = " Can one person have several records?" if unit.is_record else ""
    return Step(
        f"Ask whoever releases data: is it this program that makes it, and how often?{persons}"
    )


def _changes(certificate: Certificate) -> tuple[Step, ...]:
    """What to ask of whoever made a refuted claim, and how to see the violation again."""
    places = [
        place
        for place, evidence in enumerate(certificate.evidence, start=1)
        if evidence.decision is Decision.VIOLATED and isinstance(evidence.witness, SampledWitness)
    ]
    violations = [e for e in certificate.evidence if e.decision is Decision.VIOLATED]
    what = "tells the two databases of the witness apart"
    if all(evidence.witness is None for evidence in violations):
        what = "does what the finding under “Evidence” names"
    asked = Step(f"Ask the author which line {what}, and have the changed program audited again.")
    if not places:
        return (asked, *_again(certificate))
    replay = f"{AttackReplay.command}{f' --evidence {places[0]}' if len(places) > 1 else ''}"
    folder = _folder(certificate)
    holds = _WHICH_FOLDER if folder else ""
    again = f"See the violation again, on fresh random numbers.{holds}"
    return (asked, Step(again, f"{replay}{folder}"))


def _again(certificate: Certificate) -> tuple[Step, ...]:
    if not certificate.reproduce:
        return ()
    return (Step("See it again.", certificate.reproduce),)
