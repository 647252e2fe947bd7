"""The four sections say what was seen, what bounds the total, and what is assumed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from audit.report.html import render
from audit.report.page import TableSection, TextSection
from audit.report.write_up.sections import ASSUMED, TO_WRITE, write_up_page
from audit.review.write_ups.write_up import WriteUp, write_up_of
from audit.subjects.synthesizer import program_subject
from dp_audit.request import Request
from synthesizers.curator import Setting
from tests.audit.review.write_ups.queries import ask


def write(name: str, **about: Any) -> WriteUp:
    request = Request(claim="epsilon=1, delta=1e-6", cells="2x3", records=20, **about)
    stated = request.claim_of(20)
    setting = Setting.of(stated.require_domain(), stated.neighbours, 20)
    parameters = {"epsilon": "1"} | ({"delta": "1e-6"} if name == "mst" else {})
    return write_up_of(program_subject(name, parameters), stated, setting, lambda *told: None)


@pytest.fixture(scope="module")
def sanitizer() -> WriteUp:
    return write("geometric-sanitizer", neighbours="replace-one")


def texts(found: WriteUp) -> dict[str, str]:
    """What stands under each title."""
    return {
        one.title: "\n".join(
            one.paragraphs
            if isinstance(one, TextSection)
            else [*map(" ".join, one.rows), one.note]
            if isinstance(one, TableSection)
            else []
        )
        for one in write_up_page(found).sections
    }


def test_there_are_four_sections_in_their_order(sanitizer: WriteUp) -> None:
    shown = texts(sanitizer)
    assert [title[0] for title in shown] == ["1", "2", "3", "3", "3", "3", "4"]
    assert shown["1. Main idea"].startswith("Histogram sanitizer with discrete Laplace")
    assert "Set here: epsilon = 1." in shown["1. Main idea"]
    assert "n = 20" in shown["2. Pre-processing"]
    assert "L1 2 discrete-laplace: scale = 2 1 " in shown["3. Privatization: the questions"]
    assert (
        "A theorem: ε ≤ 0.9999975 over databases of 20 records"
        in shown["3. Proof: the composition"]
    )
    assert "by fixed-ledger" in shown["3. Proof: the composition"]
    assert "clamped" in shown["4. Post-processing"] and ASSUMED in shown["4. Post-processing"]


def test_a_card_is_the_main_idea_up_to_its_own_title() -> None:
    shown = texts(write("mst", neighbours="add-remove", unit="person", max_records=3))
    assert shown["1. Main idea"].startswith("MST: a maximum spanning tree")
    assert "Post-processing" not in shown["1. Main idea"]
    assert "Of each person at most 3 records are kept" in shown["2. Pre-processing"]
    assert "refuses what would exceed the budget" in shown["3. Privatization: the questions seen"]


def test_nothing_is_promised_where_nothing_bounds_the_total(sanitizer: WriteUp) -> None:
    bare = replace(sanitizer.composition, derivation=None, bound=None, refusal="there is no budget")
    for course in ("alike", "varying"):
        shown = texts(replace(sanitizer, course=course, composition=bare))
        assert "Nothing bounds the total" in shown["3. Privatization: the questions seen"]
        assert shown["3. Proof: the composition"] == (
            "No theorem bounds the total: there is no budget."
        )
    short = texts(replace(sanitizer, composition=replace(sanitizer.composition, holds=False)))
    assert "which does not reach the claim" in short["3. Proof: the composition"]


def test_what_the_author_alone_knows_is_left_to_him(sanitizer: WriteUp) -> None:
    shown = texts(replace(sanitizer, card="", ours=False))
    for title in ("1. Main idea", "2. Pre-processing", "4. Post-processing"):
        assert TO_WRITE in shown[title]
    assert "the program's own word" in shown["3. Privatization: the questions seen"]


def test_questions_of_other_runs_stand_apart(sanitizer: WriteUp) -> None:
    other = ask(share=None, sensitivity=None, file=None, line=None, times=3)
    shown = texts(replace(sanitizer, course="varying", elsewhere=(other,), draws=("seed",)))
    row = shown["3. Privatization: asked in other runs alone"]
    assert row.startswith("counts by age, 3 times that of the law")
    assert "no finite one not told" in row
    assert "declared laws, which do not see the data: seed." in shown["4. Post-processing"]


def test_words_of_strangers_are_words_on_the_page(sanitizer: WriteUp) -> None:
    hostile = ask(name="<script>", file="<img src=x>", law="</td>", share=Fraction(1, 3))
    page = render(write_up_page(replace(sanitizer, program="<b>", asked=(hostile,))))
    assert not any(sign in page for sign in ("<script>alert", "<img", "<b>", "</td></td>"))
