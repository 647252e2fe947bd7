"""Pages as a browser shows them: by axe-core, at a screen's and a phone's width."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from audit.report.comparison.view import sections as comparison_sections
from audit.report.criteria.view import sections as criteria_sections
from audit.report.disclosure.view import sections as disclosure_sections
from audit.report.html import render, render_label
from audit.report.page import (
    AnalysisSection,
    CertificateSection,
    ComparisonSection,
    Page,
    UtilitySection,
)
from audit.report.review.files import review_page, submission_page
from audit.report.utility.words import utility_title
from audit.review.comparison.comparing import compare_certificates
from tests.audit.report import samples
from tests.audit.report.attestation.test_label import sample_label
from tests.audit.report.chromium import (
    LOOKS,
    Chromium,
    Look,
    axe_source,
    chromium,
    needs_chromium,
)
from tests.audit.report.criteria.test_document import decided
from tests.audit.report.disclosure.test_view import COPY
from tests.audit.report.review.made_review import make_review
from tests.audit.report.utility.samples import results
from tests.audit.report.utility.test_subgroups import divide_tables, results_with
from tests.audit.review.certificates import read

pytestmark = [pytest.mark.slow, needs_chromium]

CHANNELS = ("response", "suppressing", "tailed", "streamed")
"""Analyses whose pages differ in what they show."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as tab:
        yield tab


def page(title: str, *sections: object) -> str:
    return render(Page(title, "A sentence that leads in.", sections))


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """A page of every kind, by its name."""
    review = make_review(tmp_path_factory.mktemp("review"))
    certificates, analyses = samples.certificates(), samples.analyses()
    of_verdict = {one.verdict.value: one for one in certificates.values()}
    compared = compare_certificates([read(name) for name in certificates])
    demo = (
        CertificateSection("The certificate", certificates["exact"]),
        UtilitySection("How useful is the release?", results()),
        ComparisonSection("Rivals", tuple(certificates.items()), "A note."),
        AnalysisSection("A channel", analyses["response"]),
    )
    return {
        **{name: page(name, CertificateSection(name, of_verdict[name])) for name in of_verdict},
        **{name: page(name, AnalysisSection(name, analyses[name])) for name in CHANNELS},
        **{one.name: render(submission_page(review, one)) for one in review.submissions},
        "review": render(review_page(review)),
        "utility": page(
            utility_title(results()), UtilitySection(utility_title(results()), results())
        ),
        "subgroups": page(
            "By subgroups", UtilitySection("By subgroups", results_with(divide_tables()))
        ),
        "disclosure": page("Disclosure", *disclosure_sections(COPY)),
        "comparison": page("Side by side", *comparison_sections(compared)),
        "criteria": page("Criteria", *criteria_sections(decided())),
        "label": render_label(sample_label("exact")),
        "demo": page("A release, certified", *demo),
    }


@pytest.mark.parametrize("look", LOOKS, ids=str)
def test_axe_has_nothing_against_any_page(
    browser: Chromium, pages: Mapping[str, str], tmp_path: Path, look: Look
) -> None:
    axe, faults = axe_source(), {}
    for name, text in pages.items():
        (tmp_path / "page.html").write_text(text, "utf-8")
        browser.open(tmp_path / "page.html", look)
        faults[name] = browser.find_violations(axe)
    assert {name: lines for name, lines in faults.items() if lines} == {}


def test_nothing_is_cut_on_a_phone(
    browser: Chromium, pages: Mapping[str, str], tmp_path: Path
) -> None:
    cut = {}
    for name, text in pages.items():
        (tmp_path / "page.html").write_text(text, "utf-8")
        browser.open(tmp_path / "page.html", LOOKS[2])
        cut[name] = browser.overflow()
    assert {name: lines for name, lines in cut.items() if lines} == {}


def test_axe_finds_what_is_wrong(browser: Chromium, tmp_path: Path) -> None:
    """A picture without words, and pale writing."""
    body = '<main><h1>t</h1><img src=""><p style="color:#bbb">Pale.</p></main>'
    wrong = f'<html lang="en"><title>t</title>{body}</html>'
    (tmp_path / "page.html").write_text(wrong, "utf-8")
    browser.open(tmp_path / "page.html", LOOKS[0])
    found = {line.partition(":")[0] for line in browser.find_violations(axe_source())}
    assert found == {"image-alt", "color-contrast"}
