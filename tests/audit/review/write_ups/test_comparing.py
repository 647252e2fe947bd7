"""Every kind of difference is found, each alone, and nothing else is one."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from audit.review.submissions.submission import StatedQuery
from audit.review.write_ups import matching
from audit.review.write_ups.asked import AskedQuery
from audit.review.write_ups.comparing import compare_in_full, compare_write_up
from synthesizers.errors import InputError
from tests.audit.review.write_ups.queries import AGES, SEXES, ask, state


def kinds(stated: list[StatedQuery], asked: list[AskedQuery]) -> list[str]:
    return [one.kind for one in compare_write_up(stated, asked)]


def test_a_right_list_differs_in_nothing() -> None:
    sexes = ask(SEXES, line=15), state(SEXES, line=15)
    assert kinds([state(), sexes[1]], [ask(), sexes[0]]) == []
    assert kinds([], []) == []


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("sensitivity", {"sensitivity": "1"}),
        ("share", {"share": "1/3"}),
        ("share", {"share": "0.49"}),
        ("noise", {"noise": "discrete-gaussian"}),
        ("place", {"line": 15}),
        ("place", {"file": "other.py"}),
        ("place", {"file": "not_synth.py"}),
        ("place", {"file": "synth.py/synth"}),
    ],
)
def test_a_wrong_field_is_one_difference(field: str, wrong: dict[str, Any]) -> None:
    assert kinds([state(**wrong)], [ask()]) == [field]


@pytest.mark.parametrize(
    "other",
    [
        {"noise": "Discrete Laplace"},
        {"noise": "discrete_laplace"},
        {"file": "src/synth.py"},
        {"file": "./src/synth.py"},
        {"share": "0.5"},
        {"share": "0.50"},
        {"sensitivity": "2.0"},
        {"question": '{"attributes": ["age"], "kind": "marginal"}'},
        {"question": '{"kind": "marginal"}'},
    ],
)
def test_another_spelling_is_no_difference(other: dict[str, Any]) -> None:
    assert kinds([state(**other)], [ask()]) == []


def test_what_is_asked_and_not_stated_is_missing_and_the_other_way_round_extra() -> None:
    assert kinds([], [ask()]) == ["missing"]
    assert kinds([state()], []) == ["extra"]
    # A question that is stated as another one is none of the program's.
    assert kinds([state(SEXES)], [ask()]) == ["extra", "missing"]


def test_a_difference_says_what_to_ask() -> None:
    (difference,) = compare_write_up([state(sensitivity="1", name="counts by age")], [ask()])
    assert difference.question == (
        "The write-up states sensitivity 1 for 'counts by age'; under replace-one it is 2 in L1 "
        "at synth.py:14. Which is meant?"
    )
    missing, extra = compare_write_up([], [ask()])[0], compare_write_up([state()], [])[0]
    assert missing.question.endswith("which the program asks at synth.py:14?")
    assert "takes 0.5 of the budget" in missing.sentence
    assert extra.question.startswith("Where, and under which conditions, does the program ask")


def test_silence_is_listed_and_is_no_difference() -> None:
    stated = StatedQuery("ages", question=AGES)
    compared = compare_in_full([stated], [ask()])
    assert not compared.differences
    assert [(one.field, one.shown) for one in compared.silences] == [
        ("sensitivity", "2"),
        ("share", "0.5"),
        ("noise", "discrete-laplace"),
        ("file", "synth.py"),
        ("line", "14"),
    ]


def test_what_the_run_does_not_know_differs_from_nothing() -> None:
    """A law of a whole table has no sensitivity, and a program may not tell its lines."""
    unknown = ask(sensitivity=None, share=None, file=None, line=None)
    assert kinds([state(sensitivity="7", share="1/9", line=3)], [unknown]) == []


def test_a_row_without_a_question_means_what_its_line_or_its_name_says() -> None:
    asked = [ask(), ask(SEXES, line=15)]
    by_line = [state(None, line=15, name="b"), state(None, line=14, name="a")]
    by_name = [StatedQuery("counts by sex"), StatedQuery("counts by age")]
    assert kinds(by_line, asked) == kinds(by_name, asked) == []
    assert kinds([StatedQuery("something")], [ask()]) == ["extra", "missing"]
    assert kinds([state("a histogram of ages")], [ask()]) == []


def test_the_rounds_of_a_loop_may_be_one_row() -> None:
    rounds = [ask(AGES, share=Fraction(1, 8)), ask(SEXES, share=Fraction(3, 8))]
    row = state('{"kind": "marginal"}')
    assert kinds([row], rounds) == []
    assert kinds([state('{"kind": "marginal"}', share="1/8")], rounds) == ["share"]
    # A row of other noise means no more than one of them.
    other = state('{"kind": "marginal"}', noise="laplace")
    assert kinds([other], rounds) == ["share", "noise", "missing"]
    # Another line is another loop.
    assert kinds([row], [rounds[0], ask(SEXES, line=90)]) == ["share", "missing"]
    # One of several sensitivities is wrong.
    assert kinds([row], [rounds[0], ask(SEXES, share=Fraction(3, 8), sensitivity="4")]) == [
        "sensitivity"
    ]


def test_rows_that_say_the_same_are_as_many_questions() -> None:
    twice = [ask(times=2)]
    assert kinds([state(share="1/4"), state(share="1/4", name="again")], twice) == []
    assert kinds([state(share="0.31"), state(share="1/4")], twice) == ["share"]
    assert kinds([state(share="1/4")] * 2, [ask()]) == ["number"]
    assert kinds([state()], [ask(times=100)]) == []


def test_two_questions_that_no_line_tells_apart_are_matched_by_their_shares() -> None:
    unplaced = {"file": None, "line": None}
    asked = [ask(share=Fraction(1, 4), **unplaced), ask(law="another", **unplaced)]
    stated = [state(**unplaced), state(share="0.25", **unplaced)]
    assert kinds(stated, asked) == kinds(stated[::-1], asked) == []
    # Stated once, the question is asked once more.
    assert kinds(stated[:1], asked) == kinds(stated[1:], asked) == ["missing"]
    assert kinds([*stated, stated[0]], asked) == ["number", "share"]


def test_a_folder_counts_where_both_tell_it() -> None:
    asked = ask(file="src/synth.py")
    assert kinds([state(file="lib/synth.py")], [asked]) == ["place"]
    assert kinds([state(file="handed-in/src/synth.py")], [asked]) == []


def test_the_best_pair_is_taken_first_in_any_order() -> None:
    """Two questions of one kind: each row goes to its own line, however both are sorted."""
    asked = [ask(line=14), ask(line=20, share=Fraction(1, 4)), ask(SEXES, share=Fraction(1, 4))]
    stated = [
        state('{"kind": "marginal"}', line=20, share="1/4"),
        state(),
        state(SEXES, share="0.25"),
    ]
    for rows in permutations(stated):
        for questions in permutations(asked):
            assert kinds(list(rows), list(questions)) == []


def test_the_order_of_questions_changes_no_difference() -> None:
    generator = random.Random(4)
    asked = [ask(line=line, share=Fraction(line, 100)) for line in range(1, 9)]
    stated = [state(line=line, share=f"{line + line % 2}/100") for line in range(1, 9)]
    first = set(compare_write_up(stated, asked))
    assert {one.kind for one in first} == {"share"} and len(first) == 4
    for _ in range(20):
        generator.shuffle(stated)
        generator.shuffle(asked)
        assert set(compare_write_up(stated, asked)) == first


def test_a_hostile_question_is_one_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ('{"a":' * 900 + "1" + "}" * 900, "[" * 10_000, '{"kind": ' + "9" * 9000 + "}"):
        assert kinds([state(text, line=3)], [ask()]) == ["extra", "missing"]
    monkeypatch.setattr(matching, "MOST_PAIRS", 5)
    many = [ask(line=line) for line in range(1, 7)]
    with pytest.raises(InputError, match="leaves open which of 6 questions"):
        compare_write_up([state('{"kind": "marginal"}')], many)
