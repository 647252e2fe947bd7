"""Comparisons as text: what strangers wrote is shown as text, and computed by nothing."""

from __future__ import annotations

import csv
import io

import pytest

from audit.report.comparison.document import FORMULAS, comparison_csv
from audit.report.comparison.view import sections
from audit.report.html import render
from audit.report.page import Page, TextSection
from audit.review.comparison.comparing import compare_certificates
from audit.review.rereading import reread
from dp_audit.results import ComparisonResult
from tests.audit.report.samples import certificates
from tests.audit.review.certificates import change, plain, read


def fields(text: str) -> list[str]:
    return [field for row in csv.reader(io.StringIO(text)) for field in row]


@pytest.mark.parametrize("sign", FORMULAS)
def test_a_spreadsheet_computes_nothing(sign: str) -> None:
    name = f"{sign}HYPERLINK(1)"
    other = change("exact", lambda document: document["subject"].update(name=name))
    found = compare_certificates([read("proved", f" {name}"), reread("b", other)])
    text = comparison_csv(found)
    assert not any(field.lstrip(" ").startswith(FORMULAS) for field in fields(text))
    assert sum("HYPERLINK" in field for field in fields(text)) == 2


def test_markup_and_control_signs_are_shown() -> None:
    found = compare_certificates([read("hostile", "<b>\x1b[2J"), read("exact"), read("persons")])
    page = render(Page("Side by side", "", tuple(sections(found))))
    shown = str(ComparisonResult(found))
    assert "<script" not in page and "<b>" not in page and "\x1b" not in page + shown
    assert "\u202e" not in page + shown and "\\u202e" in page


def test_every_sample_is_laid_beside_the_others() -> None:
    found = compare_certificates([read(name) for name in certificates()])
    page = render(Page("Side by side", "", tuple(sections(found))))
    assert "Not comparable" in page and page.count("Ruler ") == len(found.groups)


def test_what_is_not_believed_is_said_first_and_on_no_ruler() -> None:
    forged = reread("forged", change("exact", lambda document: document.update(verdict="PROVED")))
    found = compare_certificates([read("wide"), forged])
    first = next(iter(sections(found)))
    assert isinstance(first, TextSection) and first.title == "Not believed"
    assert "forged: its verdict does not follow" in first.paragraphs[0]
    altered = plain("exact")
    altered["assumptions"] = ["None."]
    shown = str(ComparisonResult(compare_certificates([read("wide"), reread("a", altered)])))
    assert "EXACT, which is not believed" in " ".join(shown.split())
    shown = str(ComparisonResult(found))
    assert "PROVED, which is not believed" in " ".join(shown.split())
