"""Pages on paper: a summary first, and nothing that was closed on the screen."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dp_audit
from audit.cli import main
from audit.report.html import render
from audit.report.page import AnalysisSection, CertificateSection, FoldedSection, Page
from tests.audit.report import samples
from tests.audit.report.chromium import LOOKS, Chromium, chromium, count_sheets, needs_chromium

pytestmark = [pytest.mark.slow, needs_chromium]

UNFOLD = 'document.querySelectorAll("details").forEach((one) => one.open = true)'

MOST_OF_UTILITY = 8
"""Sheets of a printed report of utility, as long as no details are unfolded."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with chromium() as tab:
        yield tab


def sheets_of(browser: Chromium, page: Path) -> tuple[int, int]:
    """How many sheets a page is printed on: as it opens, and with all its details unfolded."""
    browser.open(page, LOOKS[0])
    folded = count_sheets(browser.print_pdf())
    browser.evaluate(UNFOLD)
    return folded, count_sheets(browser.print_pdf())


def test_the_report_of_the_demo_is_at_most_six_pages(browser: Chromium, tmp_path: Path) -> None:
    assert main.main(["demo", "--quiet", "--jobs", "1", "--out", str(tmp_path / "demo")]) == 0
    folded, unfolded = sheets_of(browser, tmp_path / "demo" / "report.html")
    assert 1 <= folded <= 6
    assert unfolded > 12


def test_a_printed_report_of_four_tables_is_short(browser: Chromium, tmp_path: Path) -> None:
    draw = partial(np.random.default_rng(0).integers, 0, 4, (400, 6))
    files = [tmp_path / f"{name}.csv" for name in ("real", "one", "two", "three", "four")]
    for file in files:
        pd.DataFrame(draw(), columns=list("abcdef")).astype(str).to_csv(file, index=False)
    lines = (f'{name} = {{ values = ["0", "1", "2", "3"] }}' for name in "abcdef")
    (tmp_path / "domain.toml").write_text("\n".join(('name = "d"', "[attributes]", *lines)))
    report = dp_audit.utility(files[0], files[1:], domain=tmp_path / "domain.toml")
    report.save(tmp_path / "page.html")
    folded, unfolded = sheets_of(browser, tmp_path / "page.html")
    assert 1 <= folded <= MOST_OF_UTILITY < unfolded


@pytest.mark.parametrize("name", ["exact", "proved", "attack unseen", "attack few"])
def test_a_certificate_without_a_violation_is_one_page(
    browser: Chromium, name: str, tmp_path: Path
) -> None:
    section = CertificateSection("It", samples.certificates()[name])
    page = tmp_path / "page.html"
    page.write_text(render(Page("Is it private?", "", (section,))), "utf-8")
    assert sheets_of(browser, page)[0] == 1


@pytest.mark.parametrize("name", ["response", "suppressing", "streamed"])
def test_a_channel_is_two_pages(browser: Chromium, name: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(render(Page("It", "", (AnalysisSection("It", samples.analyses()[name]),))))
    folded, unfolded = sheets_of(browser, page)
    assert folded <= 2 < unfolded


def test_a_folded_channel_takes_a_line(browser: Chromium, tmp_path: Path) -> None:
    section = AnalysisSection("Figure 1", samples.analyses()["figure 1"])
    page = tmp_path / "page.html"
    page.write_text(render(Page("It", "", (FoldedSection(section, "all of it"),))), "utf-8")
    assert sheets_of(browser, page)[0] == 1
