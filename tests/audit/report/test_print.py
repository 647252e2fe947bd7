"""Pages on paper: a summary first, and nothing that was closed on the screen."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from audit.cli import main
from audit.report.html import render
from audit.report.page import AnalysisSection, CertificateSection, FoldedSection, Page
from tests.audit.report import samples

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed here"),
]

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-pdf-header-footer",
)


def pages_of(page: Path, folder: Path) -> int:
    """How many sheets a browser prints a page on."""
    assert CHROMIUM is not None
    paper = folder / "paper.pdf"
    places = [f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={paper}", page.as_uri()]
    subprocess.run([CHROMIUM, *QUIET, *places], check=True, capture_output=True, timeout=120)
    return len(re.findall(rb"/Type\s*/Page\b", paper.read_bytes()))


def test_the_report_of_the_demo_is_at_most_six_pages(tmp_path: Path) -> None:
    assert main.main(["demo", "--quiet", "--jobs", "1", "--out", str(tmp_path / "demo")]) == 0
    report = tmp_path / "demo" / "report.html"
    assert 1 <= pages_of(report, tmp_path) <= 6
    # What is opened on the screen is printed.
    opened = report.with_name("opened.html")
    text = report.read_text("utf-8").replace("<details ", '<details open="open" ')
    opened.write_text(text, "utf-8")
    assert pages_of(opened, tmp_path) > 12


@pytest.mark.parametrize("name", ["exact", "proved", "attack unseen", "attack few"])
def test_a_certificate_without_a_violation_is_one_page(name: str, tmp_path: Path) -> None:
    section = CertificateSection("It", samples.certificates()[name])
    page = tmp_path / "page.html"
    page.write_text(render(Page("Is it private?", "", (section,))), "utf-8")
    assert pages_of(page, tmp_path) == 1


def test_a_folded_channel_takes_a_line(tmp_path: Path) -> None:
    section = AnalysisSection("Figure 1", samples.analyses()["figure 1"])
    page = tmp_path / "page.html"
    page.write_text(render(Page("It", "", (FoldedSection(section, "all of it"),))), "utf-8")
    assert pages_of(page, tmp_path) == 1
