"""Reports of disclosure checks: what they say whatever was found, and of each case."""

from __future__ import annotations

import io
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from audit.disclosure.checks import Disclosure, check_release, name_attackers
from audit.disclosure.tables import Tables
from audit.report.disclosure.document import disclosure_json
from audit.report.disclosure.terminal import disclosure_lines
from audit.report.disclosure.view import sections
from audit.report.html import render
from audit.report.page import Page, TableSection, TextSection
from tests.audit.disclosure.made_tables import DOMAIN, tables


def find_view(made: Tables) -> Disclosure:
    attackers = name_attackers(DOMAIN, ["a", "o"], ["k"], None)
    return check_release(made, attackers, 0.05, 0, undeclared={"real.csv": ("name<b>",)})


COPY, NOTHING = find_view(tables(1, 100, 100)), find_view(tables(1, 0, 100))


def texts(one: Disclosure) -> dict[str, str]:
    """The words of each section, by its title."""
    return {
        part.title: " ".join(
            (*part.paragraphs,)
            if isinstance(part, TextSection)
            else (*part.header, *(cell for row in part.rows for cell in row), part.note)
        )
        for part in sections(one)
        if isinstance(part, TextSection | TableSection)
    }


@pytest.mark.parametrize("one", [COPY, NOTHING])
def test_every_report_says_what_it_is_not(one: Disclosure) -> None:
    said = texts(one)
    assert next(iter(said)) == "Not private"
    assert list(said)[-1] == "Distances to the nearest record: not evidence of privacy"
    assert "no ceiling" in said["Attacks, and what they gain"]
    assert "Yao" in list(said.values())[-1] and "Ganev" in list(said.values())[-1]
    assert "No certificate was given" in said["What certificates bound"]
    everything = " ".join(said.values()).lower()
    assert not any(word in everything for word in (" safe", "anonymous", "passed"))


def test_a_copy_is_the_first_thing_that_is_said() -> None:
    said = texts(COPY)
    assert (
        "it is a copy" in said["Look at this first"] and "'name<b>'" in said["Look at this first"]
    )
    assert "100 of 100 (100 %)" in said["Released records that equal real ones"]
    assert "is at least 0.9" in said["Who was in the table"]


def test_attacks_without_power_are_no_evidence_and_so_are_lucky_guesses() -> None:
    said = texts(NOTHING)
    assert "no power: no evidence" in said["Attacks, and what they gain"]
    assert "from which nothing follows" in said["Who was in the table"]
    rows = {one["attack"]: one for one in disclosure_json(NOTHING)["attacks"]}
    assert {one["has_power"] for one in rows.values()} == {True, False}


def test_a_holdout_that_is_none_is_told() -> None:
    made = tables(1, 100, 100)
    first = "Look at this first"
    again = texts(find_view(replace(made, holdout=made.real)))
    assert "the very records of the real table" in again[first]
    part = texts(find_view(replace(made, holdout=made.real.take(np.arange(30)))))
    assert "holds real records alone" in part[first]
    turned = texts(find_view(replace(made, real=made.holdout, holdout=made.real)))
    assert "the two were exchanged" in turned[first] and "linkability" in turned[first]
    assert "exchanged" not in texts(COPY)[first] and "holdout" not in texts(NOTHING)[first]
    assert "0 of 100 records of the holdout equal" in texts(NOTHING)["What was compared"]
    assert disclosure_json(find_view(made))["warnings"][0].startswith("real.csv has columns")


def test_persons_of_several_records_are_told() -> None:
    made = tables(1, 0, 100)
    real = replace(made.real, persons=np.arange(100) // 3)
    assert (
        "Persons have up to 3 records"
        in texts(find_view(replace(made, real=real)))["Look at this first"]
    )


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("width", [40, 100])
def test_a_terminal_shows_every_section_in_its_width(ascii_only: bool, width: int) -> None:
    page = io.BytesIO()
    file = io.TextIOWrapper(page, encoding="ascii" if ascii_only else "utf-8")
    Console(file=file, width=width, no_color=True).print(disclosure_lines(COPY))
    file.flush()
    lines = page.getvalue().decode("ascii" if ascii_only else "utf-8").splitlines()
    assert max(map(len, lines)) <= width
    plain = " ".join(" ".join(lines).split())
    assert all(title in plain for title in list(texts(COPY))[1:4])


def test_the_page_escapes_what_tables_are_called() -> None:
    page = render(Page("x", "", tuple(sections(COPY))))
    assert "name&lt;b&gt;" in page and "name<b>" not in page
