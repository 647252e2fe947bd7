"""The table of changes that the tests must see is complete, and fits the files that it changes."""

from __future__ import annotations

from collections import Counter

import pytest

from proofs.rules import RULES
from tests.proofs.mutations import ROOT, TABLE, TESTS, Mutation, mutations, occurrences

MUTATIONS = tuple(mutations(TABLE.read_text(encoding="utf-8")))


def _id(mutation: Mutation) -> str:
    return f"{mutation.name}: {mutation.breaks}"


def test_every_rule_is_broken_in_two_ways() -> None:
    ways = Counter(mutation.name for mutation in MUTATIONS)
    assert {name: ways[name] for name in RULES if ways[name] < 2} == {}


def test_every_old_text_stands_exactly_once_in_its_file() -> None:
    assert [_id(m) for m in MUTATIONS if occurrences(m) != 1] == []


def test_no_two_entries_are_the_same() -> None:
    assert len({(m.file, m.old, m.new) for m in MUTATIONS}) == len(MUTATIONS)


def test_every_changed_file_has_tests_of_its_own() -> None:
    assert [m.file for m in MUTATIONS if not m.tests] == []
    assert [file for file in TESTS if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize(
    "text",
    ["\n@ rule: no file\n- a\n+ b", "\n== f\n@ no colon\n- a\n+ b", "\n== f\n@ rule: x\n- a\n+ a"],
)
def test_a_malformed_entry_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="needs a file"):
        list(mutations(text))
