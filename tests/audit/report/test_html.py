from __future__ import annotations

import base64
import html
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest

from audit.channels.measures.unavailable import Unavailable
from audit.report.certificate.proof import proof_lines
from audit.report.channel.attacker import attacker_view
from audit.report.channel.measures import measures_view
from audit.report.html import render
from audit.report.page import (
    AnalysisSection,
    CertificateSection,
    ComparisonSection,
    FoldedSection,
    Page,
    TableSection,
    TextSection,
)
from synthesizers.attributes import Attribute
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from tests.audit.report import samples
from tests.audit.report.drawings import at
from tests.audit.report.pages import checked, page_of

CERTIFICATES = samples.certificates()
ANALYSES = samples.analyses()


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
    checked(page_of(AnalysisSection(name, ANALYSES[name])))


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


@pytest.mark.parametrize(
    ("name", "tone", "words"),
    [
        ("proved", "holds", "claim holds here"),
        ("left open", "left-open", "does not reach the claim"),
    ],
)
def test_a_theorem_is_shown_with_its_decision_and_its_proof(
    name: str, tone: str, words: str
) -> None:
    certificate = CERTIFICATES[name]
    document = page_of(CertificateSection(name, certificate))
    assert words in document and f"tone-{tone}" in document.split("</style>")[1]
    assert re.search(rf"\.tone-{tone}\b", document.split("<style>")[1].split("</style>")[0])
    assert certificate.proof is not None
    text = html.unescape(document)
    for line in proof_lines(certificate.proof["derivation"]):
        assert line in text
    assert "The proof" not in page_of(CertificateSection("exact", CERTIFICATES["exact"]))


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


@pytest.mark.parametrize(
    ("name", "claim", "exact", "axis"),
    [
        ("gaussian", "μ = 1/3", "μ between 0.7 and 0.8", "μ"),
        ("concentrated", "ρ = 1", "ρ = ∞", "ρ, nats"),
        ("rényi", "ε(α) = 2", "ε(α) = 1.75", "ε(α), nats"),
    ],
)
def test_a_claim_is_shown_beside_what_it_is_decided_on(
    name: str, claim: str, exact: str, axis: str
) -> None:
    document = page_of(CertificateSection(name, CERTIFICATES[name]))
    text = checked(document)
    symbol = claim.split(" = ")[0]
    kind = "Enclosure" if "between" in exact else "Exact value"
    assert f"bounds on {symbol} lie Claim: {claim}. {kind}: {exact}, covering" in text
    assert f"right of the claim, {symbol} would be larger than claimed" in text
    assert f'text-anchor="end">{axis}</text>' in document
    row = document.split('<table class="evidence')[1].split("</tbody>")[0]
    assert f'<span class="value">{exact}</span>' in row and "ε = 2" not in row


def test_the_full_ends_are_those_of_what_is_bounded() -> None:
    text = checked(page_of(CertificateSection("Gaussian", CERTIFICATES["gaussian"])))
    assert "[0.7, 0.8]" in text


def test_claims_that_bound_other_things_are_compared_on_other_axes() -> None:
    entries = tuple(
        (name, CERTIFICATES[name]) for name in ("exact", "gaussian", "rényi", "refuted")
    )
    document = page_of(ComparisonSection("Side by side", entries))
    text = checked(document)
    assert re.findall(r'axis-name">(.*?)</div>', document) == [
        "ε, nats",
        "μ",
        "ε(α), nats",
        "ε, nats",
    ]
    assert text.count("gaussian: REFUTED; claim mu=1/3; Enclosure μ between 0.7 and 0.8") == 1
    assert "their bounds answer different questions" in text
    orders = tuple(
        (order, samples.certificate(samples.claim(f"alpha={order}, rdp=1"))) for order in "23"
    )
    assert "differ in the order α:" in checked(page_of(ComparisonSection("Orders", orders)))


def test_missing_bounds_evidence_and_witness() -> None:
    text = checked(page_of(CertificateSection("Empty", CERTIFICATES["empty"])))
    assert "No finding bounds ε from either side." in text
    other = checked(page_of(CertificateSection("Other", CERTIFICATES["in ε alone"])))
    assert "No finding bounds ρ from either side." in other
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


def section_of(name: str) -> str:
    return page_of(AnalysisSection(name, ANALYSES[name]))


@pytest.mark.parametrize("name", [*CERTIFICATES, *ANALYSES])
def test_every_drawing_has_words_for_those_who_do_not_see_it(name: str) -> None:
    kind = CertificateSection if name in CERTIFICATES else AnalysisSection
    document = page_of(kind(name, {**CERTIFICATES, **ANALYSES}[name]))
    root = ElementTree.fromstring(document.removeprefix("<!DOCTYPE html>"))
    named = {node.get("id"): "".join(node.itertext()) for node in root.iter() if node.get("id")}
    parents = {child: node for node in root.iter() for child in node}
    pictures = [node for node in root.iter() if node.get("role") == "img"]
    for drawing in {*pictures, *root.iter("{http://www.w3.org/1999/xhtml}svg")}:
        if "over" in (drawing.get("class") or "").split():
            drawing = parents[drawing]
        if drawing.get("aria-hidden") == "true":
            continue
        assert drawing.get("role") == "img"
        words = drawing.get("aria-label") or " ".join(
            named[of] for of in (drawing.get("aria-labelledby") or "").split()
        )
        assert len(words) > 10


def test_the_story_is_told_in_order() -> None:
    text = section_of("figure 1")
    headings = re.findall(r"<h3>(.*?)</h3>|<summary><strong>(.*?)</strong>", text)
    assert ["".join(pair) for pair in headings] == [
        "What the best attacker sees",
        "The most telling output",
        "The setting",
        "In every language of privacy",
        "At chosen values of ε",
        "Distance from the optimum",
        "What the release protects",
        "The channel",
        "Odds between neighbours",
    ]


@pytest.mark.parametrize("name", ANALYSES)
def test_all_that_a_view_says_is_on_the_page(name: str) -> None:
    text, view = checked(section_of(name)), measures_view(ANALYSES[name])
    said = [*view.attacker.sentences, view.groups_note, *view.law_notes]
    said += [line for part in view.gaps.values() for line in part]
    for language in view.languages:
        said += [language.name, language.value, language.meaning]
    for plot in view.plots:
        said += [plot.title, plot.reading, plot.fact, plot.box.x.name, plot.box.y.name]
        said += [label.text for label in plot.labels]
    spans = [view.attacker.rises]
    grids = [view.renyi, view.groups, view.chosen]
    for release in (view.optimum, view.rows):
        if release is not None:
            said += [*release.sentences, *release.notes]
            spans.append(release.spans)
            grids.append(release.grid)
    for drawn in spans:
        if drawn is not None:
            said += [drawn.axis.name, drawn.hollow, drawn.full]
            said += [words for row in drawn.rows for words in (row.name, row.text)]
    for grid in grids:
        if grid is not None:
            said += [grid.corner, *grid.columns, *(cell for _, row in grid.rows for cell in row)]
    assert len(said) > 10
    for words in said:
        assert words in text


def test_what_a_picture_says_is_said_beside_it_too() -> None:
    document = re.sub(r"<desc.*?</desc>", "", section_of("figure 1"))
    facts = [plot.fact for plot in measures_view(ANALYSES["figure 1"]).plots if plot.fact]
    assert len(facts) == 4 and all(fact in document for fact in facts)


def test_names_of_cells_are_shown_as_text() -> None:
    domain = Domain("d", (Attribute("sex", ("<b>&", "<script>")),))
    named = replace(samples.response(), domain=domain)
    document = page_of(AnalysisSection("Named", samples.analysis(named)))
    assert "<script" not in document
    text = checked(document)
    assert "The cell that changes least is “sex = <b>&”" in text
    assert text.count("sex = <script>") > 3


def test_drawings_are_those_of_the_view() -> None:
    document = section_of("figure 1")
    for plot in measures_view(ANALYSES["figure 1"]).plots:
        assert all(
            f'class="curve {drawn.kind}" d="{plot.box.path(drawn.points)}"' in document
            for drawn in plot.lines
        )
        for dot in plot.dots:
            x, y = at(plot, dot)
            assert f'class="dot {dot.kind}" cx="{x:.2f}" cy="{y:.2f}"' in document
        for label in plot.labels:
            x, y = at(plot, label)
            assert f'class="name {label.kind}" x="{x:.2f}" y="{y:.2f}"' in document
        for bar in plot.bars:
            left, top = plot.box.place(bar.x - 0.25, bar.y)
            width, height = plot.box.place(bar.x + 0.25, 0)[0] - left, plot.box.bottom - top
            assert f'y="{top:.2f}" width="{width:.2f}" height="{height:.2f}"' in document


def attributes(document: str, pattern: str) -> list[float]:
    """The percentages that a pattern finds, of a drawing's width."""
    return [float(found) for found in re.findall(pattern, document)]


def test_spans_begin_and_end_where_their_values_are() -> None:
    view = attacker_view(ANALYSES["response"]).rises
    assert view is not None
    # From 2 % to 98 % of the width.
    ends = [(2 + 96 * row.start, 2 + 96 * row.end) for row in view.rows]
    part = section_of("response").split('class="compare spans"')[1].split("<ul")[0]
    for mark, end in (("hollow", 0), ("full", 1)):
        found = attributes(part, rf'<circle class="{mark}" cx="([\d.]+)%"')
        assert found == pytest.approx([pair[end] for pair in ends], abs=1e-3)
    ticks = re.findall(r'<text class="tick" x="([\d.]+)%"[^>]*>([^<]*)<', part)
    assert [(float(x), label) for x, label in ticks] == [
        (2 + 24 * k, f"{25 * k} %") for k in range(5)
    ]


def test_a_ruler_puts_the_claim_and_infinity_where_they_are() -> None:
    certificate = CERTIFICATES["refuted"]
    document = page_of(CertificateSection("Refuted", certificate))
    # 1 of 1.12 on 86 % of the width's 96 %; infinity at 97 % of it.
    claim = 2 + 96 * 0.86 / 1.12
    assert attributes(document, r'<line class="claim" x1="([\d.]+)%"') == [
        pytest.approx(claim, abs=1e-3)
    ]
    assert attributes(document, r'<rect class="beyond" x="([\d.]+)%"') == [
        pytest.approx(claim, abs=1e-3)
    ]
    (infinity,) = attributes(document, r'<text class="tick infinity" x="([\d.]+)%"')
    assert infinity == pytest.approx(2 + 96 * 0.97, abs=1e-3)
    (end,) = attributes(document, r'<line class="axis" x1="2%" x2="([\d.]+)%"')
    assert end == pytest.approx(2 + 96 * 0.86, abs=1e-3)


@pytest.mark.parametrize(("name", "reaches"), [("attack unseen", False), ("attack refuted", True)])
def test_a_floor_reaches_into_the_colour_of_a_violation_only_if_it_is_one(
    name: str, reaches: bool
) -> None:
    document = page_of(CertificateSection("It", CERTIFICATES[name]))
    (end,) = attributes(document, r'<line class="reach floor"[^>]* x2="([\d.]+)%"')
    (claim,) = attributes(document, r'<line class="claim" x1="([\d.]+)%" x2="[\d.]+%"')
    assert end == (98 if reaches else claim)


@pytest.mark.parametrize("name", CERTIFICATES)
def test_every_mark_has_its_legend(name: str) -> None:
    document = page_of(CertificateSection("It", CERTIFICATES[name]))
    drawn, _, rest = document.partition('<ul class="key inline">')
    legend = rest.partition("</ul>")[0]
    for mark, words in (
        ('class="bracket floor', "floor:"),
        ('class="bracket ceiling', "ceiling:"),
        ('class="shape power', "power:"),
        ('class="stem', "arrow:"),
        ('class="bracket exact', "exact value"),
    ):
        assert mark not in drawn.split("<body>")[1] or words in legend


def test_folded_sections_hold_their_text_closed() -> None:
    folded = FoldedSection(TextSection(samples.HOSTILE, ("Inside.",)), samples.HOSTILE)
    document = page_of(folded, TextSection("Open", ("Outside.",)))
    text = checked(document)
    assert "Inside." in text and "Outside." in text
    assert document.index("<details") < document.index("Inside.") < document.index("</details>")
    assert document.index("</details>") < document.index("Outside.")


DRAWN = ("area", "curve", "dot", "name")
"""What a plot draws, each of a kind."""

PLAIN = {"dot chosen", "dot main"}
"""The kinds that look as any other."""


def test_every_look_is_in_the_stylesheet() -> None:
    used = set()
    for name in ANALYSES:
        document = section_of(name)
        sheet = document.split("<style>")[1].split("</style>")[0]
        used |= set(re.findall(r'<(?:path|circle|rect|line|text) class="([^"]+)"', document))
    assert {"curve main", "dot touch", "name limit", "hollow", "full", "column"} <= used
    drawn = {look for look in used if look.split()[0] in DRAWN}
    own = set(re.findall(rf"\.((?:{'|'.join(DRAWN)})\.\w+)\b", sheet))
    assert {look.replace(".", " ") for look in own} == drawn - PLAIN
    for look in used - drawn - {"tick"}:
        assert re.search(rf"\.{look}\b", sheet), look


def test_a_streamed_channel_says_why_so_much_is_missing() -> None:
    text = checked(section_of("streamed"))
    assert text.count("the channel is too large to hold") == 1
    assert "there is no matrix, no heat map and no list of odds to show" in text
    assert "Heat map of the channel" not in text and "ε ≈ 2.397895" in text
    assert "Rényi divergences" in text and "Distance from the optimum" not in text


def test_reasons_are_shown_as_text() -> None:
    hostile = replace(ANALYSES["response"], gdp=Unavailable(samples.HOSTILE))
    document = page_of(AnalysisSection("Hostile", hostile))
    assert "<script" not in document and "\u202e" not in document
    reason = "<script>alert(1)</script>\\x1b[31m\\u202e\\nVERDICT & 'more' \"quotes\"."
    assert f"Not available (μ of Gaussian privacy): {reason}" in checked(document)


def test_a_channel_shows_its_matrix_and_odds() -> None:
    text = checked(page_of(AnalysisSection("Response", ANALYSES["response"])))
    # ln 3, and the δ at 1/2: 3/4 - e^(1/2)/4.
    assert "ε ≈ 1.098612" in text and "1.098612" in text
    assert "0.750000" in text and "0.3378197" in text


def test_odds_of_zeros() -> None:
    text = checked(page_of(AnalysisSection("Disclosing", ANALYSES["disclosing"])))
    assert "(suppressed, 1)" in text and "“few”: (0)" in text and "(1, “<b>”)" in text
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
