"""The table of changes that the tests must see is complete, and fits the files that it changes."""

from __future__ import annotations

from collections import Counter

import pytest

from proofs.rules import RULES
from tests.proofs.mutations import ROOT, TABLE, TESTS, Mutation, mutations, occurrences

MUTATIONS = tuple(mutations(TABLE.read_text(encoding="utf-8")))

TABLES = {
    "proofs/rules/__init__.py",
    "proofs/profiles/__init__.py",
    "proofs/profiles/method.py",
    "proofs/profiles/methods.py",
}
"""Files that hold tables alone."""


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
    named = {*TESTS, *(path for tests in TESTS.values() for path in tests)}
    assert [file for file in named if not (ROOT / file).is_file()] == []


def test_every_file_of_the_rules_and_profiles_is_changed() -> None:
    changed = {mutation.file for mutation in MUTATIONS}
    for folder in ("rules", "profiles"):
        trusted = {
            f"proofs/{folder}/{path.name}" for path in (ROOT / "proofs" / folder).glob("*.py")
        }
        assert trusted - changed <= TABLES


@pytest.mark.parametrize(
    "text",
    ["\n@ rule: no file\n- a\n+ b", "\n== f\n@ no colon\n- a\n+ b", "\n== f\n@ rule: x\n- a\n+ a"],
)
def test_a_malformed_entry_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="needs a file"):
        list(mutations(text))
