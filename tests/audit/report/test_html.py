from __future__ import annotations

import base64
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest

from audit.report.html import render
from audit.report.page import (
    AnalysisSection,
    CertificateSection,
    ComparisonSection,
    Page,
    TableSection,
    TextSection,
)
from synthesizers.errors import InputError
from tests.audit.report import samples

CERTIFICATES = samples.certificates()
ANALYSES = samples.analyses()

VOID = {"meta", "br", "img", "source"}


class Balanced(HTMLParser):
    """Checks that elements close in order, and collects what would be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), "no event handlers"
            if name in ("src", "href", "srcset", "data", "action"):
                self.loads.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page_of(*sections: object) -> str:
    return render(Page("A title", "A lead.", sections))  # type: ignore[arg-type]


def text_of(document: str) -> str:
    root = ElementTree.fromstring(document.removeprefix("<!DOCTYPE html>"))
    body = root.find("{http://www.w3.org/1999/xhtml}body")
    assert body is not None
    return re.sub(r"\s+", " ", "".join(body.itertext()))


def checked(document: str) -> str:
    """The text of a document that is well formed and loads nothing."""
    parser = Balanced()
    parser.feed(document)
    parser.close()
    assert parser.open == []
    assert "script" not in parser.tags and "link" not in parser.tags
    assert all(load.startswith(("#", "data:image/png;base64,")) for load in parser.loads)
    assert len(set(parser.ids)) == len(parser.ids)
    assert "@import" not in document
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)", document))
    return text_of(document)


@pytest.mark.parametrize("name", CERTIFICATES)
def test_certificates_are_well_formed_and_load_nothing(name: str) -> None:
    certificate = CERTIFICATES[name]
    text = checked(page_of(CertificateSection(name, certificate)))
    assert certificate.verdict.value in text
    assert certificate.to_json()["digest"] in text
    assert certificate.reproduce in text
    assert not re.search(r"\b(passed|safe|secure)\b", text, re.IGNORECASE)


@pytest.mark.parametrize("name", ANALYSES)
def test_analyses_are_well_formed_and_load_nothing(name: str) -> None:
    checked(page_of(AnalysisSection(name, ANALYSES[name], ("A note.",))))


def test_comparison_table_and_text() -> None:
    text = checked(
        page_of(
            ComparisonSection("Side by side", tuple(CERTIFICATES.items()), "Each at its claim."),
            ComparisonSection("None", ()),
            TableSection("T", ("a", "b"), (("1", "2 < 3"),), "noted"),
            TextSection("Words", ("One & two.",)),
        )
    )
    assert all(name in text for name in CERTIFICATES if name != "hostile")
    assert "differ in neighbours, the databases covered, the kind of guarantee, δ:" in text
    assert "2 < 3" in text and "One & two." in text
    assert "There is nothing to compare." in text


def test_like_certificates_are_compared_without_caution() -> None:
    both = (("a", CERTIFICATES["exact"]), ("b", CERTIFICATES["no ceiling"]))
    assert "differ in" not in checked(page_of(ComparisonSection("Alike", both)))


def test_hostile_text_is_shown_as_text() -> None:
    sections = (
        CertificateSection(samples.HOSTILE, CERTIFICATES["hostile"]),
        TableSection(samples.HOSTILE, (samples.HOSTILE,), ((samples.HOSTILE,),), samples.HOSTILE),
        TextSection(samples.HOSTILE, (samples.HOSTILE,)),
        ComparisonSection(
            samples.HOSTILE, ((samples.HOSTILE, CERTIFICATES["hostile"]),), samples.HOSTILE
        ),
    )
    document = render(Page(samples.HOSTILE, samples.HOSTILE, sections))
    text = checked(document)
    assert "<script" not in document
    assert "\x1b" not in document and "\u202e" not in document
    assert "<script>alert(1)</script>\\x1b[31m\\u202e\\nVERDICT" in text


def test_infinity_has_its_own_place_on_the_ruler() -> None:
    text = checked(page_of(CertificateSection("Refuted", CERTIFICATES["refuted"])))
    assert "ε = ∞" in text and "∞ : 1" in text
    assert "knows for certain that the database was not B" in text
    assert "∞" not in checked(page_of(CertificateSection("Exact", CERTIFICATES["exact"])))


def test_the_ruler_names_all_bounds_where_they_coincide() -> None:
    text = checked(page_of(CertificateSection("Exact", CERTIFICATES["exact"])))
    for words in ("Claim: ε = 2", "Floor ε ≥ 1.62", "Exact value ε = 2", "Ceiling ε ≤ 2"):
        assert words in text
    assert "statistical at confidence 0.95" in text
    assert "a part of the claim only" in text


def test_missing_bounds_evidence_and_witness() -> None:
    text = checked(page_of(CertificateSection("Empty", CERTIFICATES["empty"])))
    assert "No finding bounds ε from either side." in text
    assert "No auditor has reported a finding." in text
    assert "Witness" not in text


def test_a_witness_is_told_in_words() -> None:
    text = checked(page_of(CertificateSection("Exact", CERTIFICATES["exact"])))
    # Cell 1 of the 2 x 3 domain loses the record that cell 2 gains.
    assert (
        "Database B is database A with one record of “sex = female, smoker = yes” now "
        "“sex = female, smoker = (missing)”." in text
    )
    # 3/10 against 1/10.
    assert "It is 3 times as likely under A as under B." in text
    assert "at most e^2 ≈ 7.389 times" in text


def test_a_channel_shows_its_matrix_and_odds() -> None:
    text = checked(page_of(AnalysisSection("Response", ANALYSES["response"])))
    # ln 3, and the δ at 1/2: 3/4 - e^(1/2)/4.
    assert "ε ≈ 1.098612" in text and "1.098612" in text
    assert "0.750000" in text and "0.3378197" in text


def test_odds_of_zeros() -> None:
    text = checked(page_of(AnalysisSection("Disclosing", ANALYSES["disclosing"])))
    assert "(suppressed, 1)" in text and "(“few”, 0)" in text and "(1, “<b>”)" in text
    assert "(0, 1) | (1, 0)0.000000∞∞" in text.replace(" ", "").replace(
        "(0,1)|(1,0)", "(0, 1) | (1, 0)"
    )
    assert "hatched: never occurs" in text


def test_channels_without_neighbours_say_so() -> None:
    for name in ("lonely", "strangers"):
        text = checked(page_of(AnalysisSection(name, ANALYSES[name])))
        assert "No two of the databases are neighbours" in text
        assert "Odds between neighbours" not in text


def test_a_large_channel_becomes_a_picture() -> None:
    document = page_of(AnalysisSection("100", ANALYSES["100"]))
    assert "are too many to print" in checked(document)
    pictures = re.findall(r"data:image/png;base64,([^\"]+)", document)
    assert len(pictures) == 2 and pictures[0] != pictures[1]
    assert all(base64.b64decode(p, validate=True)[:8] == b"\x89PNG\r\n\x1a\n" for p in pictures)
    assert "data:" not in page_of(AnalysisSection("40", ANALYSES["40"]))


def test_rendering_is_deterministic() -> None:
    section = AnalysisSection("100", ANALYSES["100"])
    assert page_of(section) == page_of(section)


def test_a_ragged_table_is_refused() -> None:
    with pytest.raises(InputError, match="needs 2 entries"):
        TableSection("T", ("a", "b"), (("1",),))
