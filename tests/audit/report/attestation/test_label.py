"""Labels: what stands on them whatever the verdict, and that text of strangers stays text."""

from __future__ import annotations

import io
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from rich.console import Console

from audit.report.attestation.label import Label, label_lines, make_label
from audit.report.html import render_label
from audit.review.attestations.attestation import NamedFile
from audit.statements.evidence import Verdict
from tests.audit.report.samples import HOSTILE, certificates
from tests.audit.review.attestations.made_attestations import (
    CONFIRMED,
    UNCHECKED,
    attest,
    state_all,
)

ALL = sorted(certificates())
LONGEST = 4500
"""Characters on a page of A4 in the label's letters, about 110 on each of 60 lines, with room left
for headings and short lines."""


def spell(label: object, ascii_only: bool = False) -> str:
    page = io.StringIO()
    buffer = io.TextIOWrapper(io.BytesIO(), "ascii") if ascii_only else page
    console = Console(file=buffer, width=90, no_color=True, highlight=False)
    console.print(label_lines(label))
    if ascii_only:
        buffer.seek(0)
    return buffer.read() if ascii_only else page.getvalue()


def sample_label(name: str) -> Label:
    """The label of a release under a sample of a certificate."""
    made = attest(certificates()[name], CONFIRMED, state_all())
    return make_label(replace(made, table=NamedFile("s.csv", "a" * 64)))


@pytest.mark.parametrize("name", ALL)
def test_a_label_says_the_verdict_first_and_fits_a_page(name: str) -> None:
    certificate = certificates()[name]
    label = sample_label(name)
    page = render_label(label)
    words = " ".join("".join(ElementTree.fromstring(page).itertext()).split())
    shown = spell(label)
    for text in (words, " ".join(shown.split())):
        assert certificate.verdict.value in text
        assert "Not protected" in text and "dp-audit verify cert.json" in text
        assert "The audit was not run again" in text
        assert not any(word in text.lower() for word in (" safe", "anonymous", "secure"))
    assert "<script" not in page and "http" not in words
    assert "Signed by" in words and "Signed by" not in shown
    body = words.partition("Privacy label")[2]
    assert len(body) < LONGEST, len(body)
    assert label.verdict.startswith(certificate.verdict.value)
    if any(one.partial for one in certificate.evidence):
        assert label.meaning.startswith("Interrupted: ")


def test_text_of_strangers_is_escaped_and_spelled_out() -> None:
    certificate = certificates()["hostile"]
    made = attest(certificate)
    hostile = replace(made, reread=replace(made.reread, name=HOSTILE))
    page = render_label(make_label(hostile))
    assert "<script>alert" not in page and "&lt;script&gt;" in page and "\u202e" not in page
    told = spell(make_label(hostile))
    assert "\x1b" not in told and "\u202e" not in told
    assert spell(make_label(hostile), ascii_only=True).isascii()


def test_what_was_checked_is_said_as_it_is() -> None:
    certificate = certificates()["proved"]
    said = {proof: make_label(attest(certificate, proof)).check[0] for proof in (None, UNCHECKED)}
    assert "It has no proof that was checked here." in said[None]
    assert "Its proof was not checked here" in said[UNCHECKED]
    confirmed = make_label(attest(certificate, CONFIRMED)).check[0]
    assert "The independent checker found the claim in its proof." in confirmed


def test_only_what_is_shown_has_a_limit_without_an_if() -> None:
    for name in ALL:
        certificate = certificates()[name]
        after = make_label(attest(certificate)).after
        plain = after.startswith("at most") and "if" not in after
        assert plain == (certificate.verdict in (Verdict.PROVED, Verdict.EXACT)), name
