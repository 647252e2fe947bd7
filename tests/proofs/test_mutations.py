"""The table of mutations can be run: each old text stands once, and every rule is broken twice."""

from __future__ import annotations

from collections import Counter

from proofs.rules import RULES
from tests.proofs.mutations import ROOT, TABLE, TESTS, mutations, occurrences


def test_each_old_text_stands_once_in_its_file() -> None:
    wrong = [
        f"{one.name}: {one.breaks}"
        for one in mutations(TABLE.read_text(encoding="utf-8"))
        if occurrences(one) != 1
    ]
    assert wrong == []


def test_every_rule_is_broken_in_two_ways_or_more() -> None:
    times = Counter(one.name for one in mutations(TABLE.read_text(encoding="utf-8")))
    assert {name for name in RULES if times[name] < 2} == set()


def test_every_file_that_is_trusted_is_broken_and_has_its_tests() -> None:
    assert all((ROOT / path).is_file() for tests in TESTS.values() for path in tests)
    broken = {one.file for one in mutations(TABLE.read_text(encoding="utf-8"))}
    assert broken <= set(TESTS)
    for folder in ("rules", "profiles"):
        known = {f"proofs/{folder}/{path.name}" for path in (ROOT / "proofs" / folder).glob("*.py")}
        assert known - broken <= EMPTY


EMPTY = {
    "proofs/rules/__init__.py",
    "proofs/profiles/__init__.py",
    "proofs/profiles/method.py",
    "proofs/profiles/methods.py",
}
"""Files that hold tables alone."""
