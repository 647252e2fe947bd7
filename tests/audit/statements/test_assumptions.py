"""Assumptions in the words of earlier versions and of today."""

from __future__ import annotations

from audit.statements.assumptions import ADDED, SINCE, say_the_same

OLD, NEW = next(iter(SINCE.items()))


def test_each_assumption_has_a_line_and_each_line_is_one() -> None:
    found = ("the sampler has its law", NEW)
    assert say_the_same(["the sampler has its law", NEW], found)
    assert say_the_same([OLD, "the sampler has its law"], found)
    for stated in (
        [],
        [NEW],
        ["the sampler has its law"],
        ["the sampler has its law", NEW, NEW],
        ["the sampler has its law", NEW, "it was reviewed"],
        ["the sampler has its law", "it was reviewed"],
    ):
        assert not say_the_same(stated, found)


def test_a_line_that_is_still_written_stands_for_itself() -> None:
    kept = "a release opens its curator with the program's budget, which refuses further questions"
    assert say_the_same([kept], [kept])
    assert say_the_same([kept], [SINCE[kept]])
    assert not say_the_same([SINCE[kept]], [kept])


def test_what_was_added_may_be_missing_beside_earlier_words_alone() -> None:
    assert say_the_same([OLD], [NEW, ADDED]) and say_the_same([OLD, ADDED], [NEW, ADDED])
    assert not say_the_same([NEW], [NEW, ADDED])
    assert not say_the_same([OLD, ADDED], [NEW])


def test_two_lines_of_before_may_be_one_today() -> None:
    lines = [line for line, today in SINCE.items() if today == SINCE[list(SINCE)[-1]]]
    assert len(lines) > 1 and say_the_same(lines, [SINCE[lines[0]]])
