from __future__ import annotations

import dataclasses
import re

from audit.report.html import render
from audit.report.page import Page, TextSection, UtilitySection
from audit.report.utility.words import NOTICE
from tests.audit.report.pages import checked, page_of
from tests.audit.report.samples import HOSTILE
from tests.audit.report.utility import samples

DOCUMENT = page_of(UtilitySection("Utility", samples.results()))


def test_a_page_is_well_formed_and_loads_nothing() -> None:
    text = checked(DOCUMENT)
    assert f"Not private. {NOTICE}" in text
    for file in samples.FILES:
        assert file in text
    for metric in samples.results().metrics:
        assert metric in text


def test_the_notice_stands_before_any_number() -> None:
    body = DOCUMENT.split("<main>")[1]
    assert body.index(NOTICE) < body.index("<table")


def test_every_picture_has_a_name_or_is_told_beside() -> None:
    for tag in re.findall(r"<svg[^>]*>", DOCUMENT):
        assert 'aria-hidden="true"' in tag or 'role="img"' in tag
    for tag in re.findall(r'<svg[^>]*role="img"[^>]*>', DOCUMENT):
        found = re.search(r'aria-labelledby="([^"]+)"|aria-label="([^"]+)"', tag)
        assert found
        for target in (found[1] or "").split():
            assert f'id="{target}"' in DOCUMENT


def test_scores_stand_in_a_table_with_range_direction_error_and_rank() -> None:
    text = checked(DOCUMENT)
    assert (
        "k-marginal 0 to 1,000 · ↑ higher is better · sound definition · 300 draws, seed 0" in text
    )
    assert "pay-gap 0 to 1,000,000 · ↑ higher is better · reproduces nist-2018" in text
    assert "886.3± 4.6" in text
    assert "undefined: no city has wages of both sexes" in text
    assert "as good as a 19 % sample" in text
    assert "knows only the domain" in text
    assert "longitudinal" in text and "add [individual] to it" in text


def test_marks_lie_where_the_scores_do() -> None:
    # Files at 0.03, 0.09 and 0.58 between the baseline's 0.62 and 0.
    rows = DOCUMENT.split("<strong>total-variation</strong>")[1].split("</tbody>")[0]
    drawn = [float(x) for x in re.findall(r'cx="([\d.]+)%"', rows)]
    expected = [2 + 96 * (0.62 - value) / 0.62 for value in (0.03, 0.09, 0.58, 0.62)]
    assert [round(x - y, 3) for x, y in zip(drawn, expected, strict=True)] == [0, 0, 0, 0]
    kinds = re.findall(r'<circle class="([^"]+)"', rows)
    assert kinds == ["full", "other", "other", "hollow null"]


def test_one_file_is_shown_without_a_ranking() -> None:
    document = page_of(UtilitySection("Utility", samples.single()))
    text = checked(document)
    assert "Ranking" not in text and "Rank" not in text and "0.25" in text
    assert "the synthetic file" in text and "a table that knows only" not in text


def test_results_without_any_score_are_a_page() -> None:
    results = dataclasses.replace(samples.single(), scored=(), refused=(("m", "why not"),))
    assert "why not" in checked(page_of(UtilitySection("Utility", results)))


def test_hostile_text_is_shown_as_text() -> None:
    document = page_of(UtilitySection(HOSTILE, samples.hostile()))
    text = checked(document)
    assert "<script" not in document
    assert "\x1b" not in document and "\u202e" not in document
    assert "<script>alert(1)</script>\\x1b[31m\\u202e\\nVERDICT" in text


def test_every_look_is_in_the_stylesheet() -> None:
    sheet = DOCUMENT.split("<style>")[1].split("</style>")[0]
    used = set(re.findall(r'<(?:path|circle|rect|line|text|td|i) class="([^"]+)"', DOCUMENT))
    assert {"within", "hollow null", "area real", "curve whisker", "h15", "gap"} <= used
    for look in used - {"tick", "dot main", "c-score"}:
        for part in look.split():
            assert re.search(rf"\.{part}\b", sheet), look


def test_pages_without_utility_carry_none_of_its_style() -> None:
    plain = page_of(TextSection("T", ("One.",)))
    assert ".lying" in DOCUMENT and ".lying" not in plain
    assert "are in nats" in plain and "are in nats" not in DOCUMENT


def test_several_sections_are_one_page() -> None:
    sections = (
        UtilitySection("One", samples.results()),
        UtilitySection("Two", samples.results()),
        TextSection("Three", ("Words.",)),
    )
    text = checked(render(Page("A title", "", sections)))
    assert "are in nats" in text
