"""What a program asks, on made-up tables: its sensitivities, its shares, its lines, its course."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from audit.auditors.effort import Effort
from audit.review.write_ups.asking import read_place
from audit.review.write_ups.made_up import MOST_RECORDS, made_up_tables
from audit.review.write_ups.write_up import WriteUp, write_up_of
from audit.subjects.subject import ProgramSubject
from audit.subjects.synthesizer import program_subject
from dp_audit.request import Request
from synthesizers.budget import PureBudget, UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.errors import InputError, ProtocolError
from synthesizers.events import Event, Measure
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.queries import Marginal, Total

SMALL: dict[str, Any] = {"neighbours": "replace-one", "cells": "2x3", "records": 20}


def write(subject: ProgramSubject, claim: str = "epsilon=1", **about: Any) -> WriteUp:
    request = Request(claim=claim, **SMALL | about)
    stated = request.claim_of(request.records)
    setting = Effort(request.rows).setting(stated)
    return write_up_of(subject, stated, setting, lambda done, total, words: None)


class Own:
    """A program of these tests: two thirds of its budget, and a total, free where n is public."""

    limit = 2

    def budget(self, setting: Setting) -> PureBudget:
        return PureBudget(Fraction(self.limit))

    def __call__(self, curator: Curator) -> list[int]:
        first = curator.measure(Marginal(("a1",)), DiscreteLaplace(3), low=0, high=99)
        curator.measure(Total(), DiscreteLaplace(1), low=0, high=99)
        if self.turns(first):
            curator.measure(Marginal(("a2",)), DiscreteLaplace(3), low=0, high=99)
        else:
            curator.measure(Marginal(("a1", "a2")), DiscreteLaplace(3), low=0, high=99)
        return list(first)

    def turns(self, first: Any) -> bool:
        return True


class Adaptive(Own):
    """Its last question follows the first answer."""

    def turns(self, first: Any) -> bool:
        return bool(first[0] > 18)


class Generous(Own):
    """A budget for persons of three records."""

    limit = 10


class Unbounded(Own):
    """No budget, and Gaussian noise on two answers."""

    def budget(self, setting: Setting) -> UnlimitedBudget:
        return UnlimitedBudget()

    def __call__(self, curator: Curator) -> list[int]:
        for variance in (2, 4):
            noise = DiscreteGaussian(variance)
            curator.measure(Marginal(("a1",)), noise, low=0, high=99)
        return []


def own(program: Any) -> ProgramSubject:
    return ProgramSubject("own", program, False)


def test_each_question_has_its_share_its_sensitivity_and_its_line() -> None:
    found = write(own(Own()))
    assert [(one.name, one.norm, one.sensitivity, one.share) for one in found.asked] == [
        ("counts by a1", "L1", "2", Fraction(1, 3)),
        ("the number of records", "L1", "0", 0),
        ("counts by a2", "L1", "2", Fraction(1, 3)),
    ]
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    first, _, last = found.asked
    assert first.file == last.file == Path(__file__).name
    assert first.line is not None and 'Marginal(("a1",))' in lines[first.line - 1]
    assert last.line is not None and 'Marginal(("a2",))' in lines[last.line - 1]


def test_a_questions_course_is_fixed_alike_or_varying() -> None:
    found = write(own(Own()))
    assert (found.course, found.elsewhere) == ("alike", ())
    assert found.composition.holds is False and found.composition.derivation is not None
    other = write(own(Adaptive()))
    assert other.course == "varying"
    assert [(one.name, one.runs) for one in other.asked] == [
        ("counts by a1", 3),
        ("the number of records", 3),
        ("counts by a1, a2", 2),
    ]
    assert [(one.name, one.runs) for one in other.elsewhere] == [("counts by a2", 1)]
    sanitizer = program_subject("geometric-sanitizer", {"epsilon": "1"})
    fixed = write(sanitizer)
    assert (fixed.course, fixed.composition.holds) == ("fixed", True)
    assert [one.share for one in fixed.asked] == [1]


def test_without_a_budget_shares_are_those_of_what_was_spent() -> None:
    found = write(own(Unbounded()))
    # In rho, a question of variance v costs l2²/(2v): 1/2 and 1/4.
    assert [(one.sensitivity, one.share) for one in found.asked] == [
        ("sqrt(2)", Fraction(2, 3)),
        ("sqrt(2)", Fraction(1, 3)),
    ]
    assert found.composition.derivation is None and "no budget" in found.composition.refusal


def test_persons_own_as_many_records_as_they_may() -> None:
    found = write(own(Generous()), unit="person", max_records=3, neighbours="add-remove")
    assert [(one.sensitivity, one.share) for one in found.asked] == [
        ("3", Fraction(1, 10)), ("3", Fraction(3, 10)), ("3", Fraction(1, 10)),
    ]  # fmt: skip


def test_a_program_in_a_process_tells_its_lines(tmp_path: Path, monkeypatch: Any) -> None:
    (tmp_path / "elsewhere.py").write_text(
        "from synthesizers.budget import PureBudget\n"
        "from synthesizers.noise import DiscreteLaplace\n"
        "from synthesizers.queries import Marginal\n"
        "from fractions import Fraction\n"
        "def program(curator):\n"
        "    return curator.measure(Marginal(('a1',)), DiscreteLaplace(2), low=0, high=9)\n"
        "program.budget = lambda setting: PureBudget(Fraction(1))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    subject = program_subject("elsewhere:program", {})
    try:
        (asked,) = write(subject).asked
    finally:
        subject.end()
    assert (asked.file, asked.line, asked.share) == ("elsewhere.py", 6, 1)


class Declared(Own):
    """A ledger that it does not keep to."""

    def ledger(self, setting: Setting) -> tuple[Event, ...]:
        return (Measure(Marginal(("a2",)), DiscreteLaplace(3), low=0, high=99),)


def test_a_declared_list_is_kept_to() -> None:
    with pytest.raises(ProtocolError, match="declared ledger"):
        write(own(Declared()))


def test_a_function_of_this_process_tells_its_line() -> None:
    def ask_once(curator: Curator) -> list[int]:
        return list(curator.measure(Marginal(("a1",)), DiscreteLaplace(3), low=0, high=99))

    (asked,) = write(own(ask_once)).asked
    assert (asked.file, asked.line) == (
        Path(__file__).name,
        ask_once.__code__.co_firstlineno + 1,
    )


def test_places_are_read_as_they_are_spelt() -> None:
    assert read_place("a, line 3, b.tex, line 7") == ("a, line 3, b.tex", 7)
    assert read_place("line 7, step 2") == (None, 7)
    assert read_place("step 2") == (None, None)
    assert read_place("a.R, step 2") == ("a.R", None)


def test_made_up_tables_are_the_same_every_time_and_differ_from_each_other() -> None:
    request = Request(claim="epsilon=1", **SMALL)
    setting = Effort(None).setting(request.claim_of(20))
    once, again = ([one.dataset.codes for one in made_up_tables(setting)] for _ in range(2))
    assert all(np.array_equal(*pair) for pair in zip(once, again, strict=True))
    drawn, alike, half = (len(np.unique(codes, axis=0)) for codes in once)
    assert alike == 1 < half and drawn > 3
    about = SMALL | {"unit": "person", "max_records": 3, "neighbours": "add-remove"}
    persons = Effort(None).setting(Request(claim="epsilon=1", **about).claim_of(20))
    for table in made_up_tables(persons):
        assert table.dataset.persons is not None
        assert np.bincount(table.dataset.persons).tolist() == [3] * 6 + [2]
    large = Effort(None).setting(Request(claim="epsilon=1", **SMALL).claim_of(MOST_RECORDS + 1))
    with pytest.raises(InputError, match="state fewer"):
        next(made_up_tables(large))


def test_questions_are_json_of_their_own_ledger() -> None:
    for one in write(own(Own())).asked:
        assert json.loads(one.question)["kind"]
