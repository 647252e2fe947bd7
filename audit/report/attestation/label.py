"""A label of one page: what was released, what is claimed of it, and what that rests on."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from rich import box
from rich.console import Group, RenderableType
from rich.panel import Panel

from audit.report.attestation.facts import say_unprotected
from audit.report.attestation.guessing import describe_guess, describe_unit
from audit.report.certificate.verdict import explain_verdict, head_verdict, state_rests
from audit.report.certificate.view import note_interruption
from audit.report.sheet import Adaptive, Sheet
from audit.report.words import RELEASED, guarantee_words, short
from audit.review.attestations.attestation import Attestation
from audit.review.attestations.registry_schema import Field
from audit.statements.certificate import Certificate
from audit.statements.checks import Status
from synthesizers.neighbours import describe

LONG = 120
"""The most characters of a stranger's name on a label, so that it stays on one page."""

_STATED: tuple[tuple[str, Field], ...] = (
    ("Curator", ("deployment", "basic", "data_curators")),
    ("Description", ("deployment", "basic", "description")),
    ("Intended use", ("deployment", "basic", "intended_use")),
    ("Published", ("deployment", "basic", "publication_date")),
    ("Stated by", ("deployment", "administrative", "registry_authors")),
)
"""What a label repeats of what the user states."""


@dataclass(frozen=True)
class Label:
    """A label in words.

    ``tone``: the verdict's name for a stylesheet; ``before``, ``after``: how often a guess is right
    without and with the release, and ``guess`` the sentence around both. ``claim``: what was
    released and what is claimed, as terms with texts; ``unprotected``: sentences; ``stated``: by
    the user, empty where nothing is; ``check``: how to check it again, the command apart.
    """

    name: str
    tone: str
    verdict: str
    meaning: str
    rests: str
    before: str
    after: str
    guess: str
    claim: tuple[tuple[str, str], ...]
    unprotected: tuple[str, ...]
    stated: tuple[tuple[str, str], ...]
    check: tuple[str, ...]
    command: str


def make_label(attestation: Attestation) -> Label:
    """The label of an attestation, whatever its verdict."""
    certificate = attestation.reread.certificate
    before, after, guess = describe_guess(certificate.claim, certificate.verdict)
    about = attestation.about or {}
    names = about.get(("deployment", "basic", "name"), _subject(certificate))
    return Label(
        short(str(names), LONG),
        certificate.verdict.name.lower().replace("_", "-"),
        head_verdict(certificate),
        " ".join(filter(None, (note_interruption(certificate), explain_verdict(certificate)))),
        state_rests(certificate),
        before,
        after,
        guess,
        tuple(_claim(attestation)),
        tuple(say_unprotected(certificate)),
        tuple(_list_stated(attestation)),
        tuple(_check(attestation)),
        f"dp-audit verify {shlex.quote(attestation.file.name)}",
    )


def label_lines(label: Label) -> RenderableType:
    """The label for a terminal."""
    return Adaptive(lambda sheet: Group(*_parts(sheet, label)))


def _subject(certificate: Certificate) -> str:
    return short(str(certificate.subject.get("name") or certificate.subject.get("kind")), LONG)


def _claim(attestation: Attestation) -> Iterator[tuple[str, str]]:
    certificate = attestation.reread.certificate
    claim = certificate.claim
    yield "Made by", _subject(certificate)
    settings = certificate.subject.get("parameters") or {}
    if settings:
        yield "Settings", short(", ".join(f"{k} = {v}" for k, v in settings.items()), LONG)
    if attestation.table is not None:
        table = attestation.table
        yield (
            "Table",
            f"{short(table.name, LONG)}, SHA-256 {table.sha256} (stated, and not checked)",
        )
    yield "Released", RELEASED[claim.released]
    yield "Claim", guarantee_words(claim.guarantee)
    yield "Protects", describe_unit(claim.neighbours)
    yield "Neighbours", describe(claim.neighbours)
    yield "Databases", claim.covers


def _list_stated(attestation: Attestation) -> Iterator[tuple[str, str]]:
    about = attestation.about or {}
    for term, field in _STATED:
        if field in about:
            value = about[field]
            yield term, short(", ".join(value) if isinstance(value, tuple) else value, LONG)


def _check(attestation: Attestation) -> Iterator[str]:
    reread = attestation.reread
    if reread.is_rechecked:
        proof = "The independent checker found the claim in its proof."
    elif reread.proof is None or reread.proof.status is not Status.UNCHECKED:
        proof = "It has no proof that was checked here."
    else:
        proof = "Its proof was not checked here: run the command below."
    yield (
        f"Read by dp-audit {attestation.version} at {attestation.timestamp}: the certificate's "
        f"text is unaltered, and its verdict follows from its evidence. {proof} The audit was not "
        "run again; this does:"
    )
    yield f"{short(attestation.file.name, LONG)}: SHA-256 {attestation.file.sha256}"


def _parts(sheet: Sheet, label: Label) -> Iterator[RenderableType]:
    head = sheet.text(f"{label.verdict}: {label.name}", "bold")
    told = map(sheet.text, (label.meaning, label.rests) if label.rests else (label.meaning,))
    yield Panel(Group(head, *told), box=box.ROUNDED, padding=(0, 1))
    yield sheet.heading("How often somebody who knows all the rest guesses right")
    yield sheet.pairs([("by a coin", label.before), ("by the release", label.after)])
    yield from sheet.lines([label.guess])
    yield sheet.text("")
    yield sheet.heading("What was released, and what is claimed")
    yield sheet.pairs(label.claim)
    yield sheet.text("")
    yield sheet.heading("Not protected")
    yield from sheet.lines(f"- {text}" for text in label.unprotected)
    if label.stated:
        yield sheet.text("")
        yield sheet.heading("Stated, and not checked")
        yield sheet.pairs(label.stated)
    yield sheet.text("")
    yield sheet.heading("Check it")
    first, digest = label.check
    yield from sheet.lines([first])
    yield sheet.command(label.command)
    yield from sheet.lines([digest], "dim")
