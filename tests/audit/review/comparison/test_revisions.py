"""Revisions: what a new version shows more, and what less."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from audit.review.comparison.revisions import Turn, find_revisions
from audit.review.rereading import Reread, reread
from audit.statements.evidence import Decision, Evidence, Side
from tests.audit.report.samples import attack, bound, certificate, claim, finding, sampled, theorem

OLD, NEW = "a" * 64, "b" * 64


def make_reread(code: str, *evidence: Evidence, text: str = "epsilon=2", **changed: Any) -> Reread:
    box = {"kind": "function", "name": "box:noisy", "sources_sha256": code, **changed}
    document = certificate(claim(text), *evidence, **box).to_json()
    return reread(f"{code[0]}.json", document)


def turns(before: Reread, after: Reread) -> dict[str, Turn]:
    (revision,) = find_revisions([before, after])
    return {change.statement: change.turn for change in revision.changes}


def exact(low: str, high: str | None = None) -> Evidence:
    decision = Decision.HOLDS if Fraction(high or low) <= 2 else Decision.VIOLATED
    return finding(decision, bound(Side.EXACT, Fraction(low), Fraction(high or low)))


SEEN = attack(Decision.UNSEEN, Fraction("0.9"), sampled(700, 260), 1.5)


def test_a_verdict_is_judged_by_what_it_shows() -> None:
    refuted = make_reread(OLD, exact("3"))
    holds = make_reread(NEW, SEEN)
    assert turns(refuted, holds)["verdict"] is Turn.BETTER
    assert turns(make_reread(OLD, SEEN), make_reread(NEW, exact("3")))["verdict"] is Turn.WORSE
    invalid = make_reread(NEW, attack(Decision.INVALID, None, None))
    assert turns(refuted, invalid)["verdict"] is Turn.OPEN


@pytest.mark.parametrize(
    ("old", "new", "turn"),
    [
        (("1.5", "1.5"), ("1.2", "1.2"), Turn.BETTER),
        (("1.2", "1.2"), ("1.5", "1.5"), Turn.WORSE),
        (("1.2", "1.4"), ("1.3", "1.5"), Turn.OPEN),
        (("1.2", "1.4"), ("1.2", "1.4"), Turn.SAME),
    ],
)
def test_exact_values_are_judged_where_their_enclosures_part(
    old: tuple[str, str], new: tuple[str, str], turn: Turn
) -> None:
    assert (
        turns(make_reread(OLD, exact(*old)), make_reread(NEW, exact(*new)))["exact value"] is turn
    )


def test_a_ceiling_that_is_gone_is_worse_and_a_lower_one_is_better() -> None:
    high, low = (theorem(Decision.HOLDS, Fraction(most)) for most in ("1.9", "1.5"))
    assert turns(make_reread(OLD, high), make_reread(NEW, low))["ceiling"] is Turn.BETTER
    assert turns(make_reread(OLD, high), make_reread(NEW, SEEN))["ceiling"] is Turn.WORSE
    assert turns(make_reread(OLD, high), make_reread(NEW, SEEN))["hypotheses"] is Turn.BETTER


def test_a_floor_alone_says_nothing_of_the_leak() -> None:
    less = attack(Decision.UNSEEN, Fraction("0.2"), sampled(700, 260), 1.5)
    assert turns(make_reread(OLD, SEEN), make_reread(NEW, less))["floor"] is Turn.OPEN
    proved = make_reread(NEW, theorem(Decision.HOLDS, Fraction("0.5")))
    assert turns(make_reread(OLD, SEEN), proved)["floor"] is Turn.BETTER
    before = make_reread(OLD, theorem(Decision.HOLDS, Fraction("0.5")))
    assert turns(before, make_reread(NEW, SEEN))["floor"] is Turn.WORSE


def test_power_is_better_where_less_would_have_been_seen() -> None:
    sharp = attack(Decision.UNSEEN, Fraction("0.9"), sampled(700, 260), 1.2)
    assert turns(make_reread(OLD, SEEN), make_reread(NEW, sharp))["power"] is Turn.BETTER


def test_same_code_another_claim_or_another_subject_is_no_revision() -> None:
    assert not find_revisions([make_reread(OLD, SEEN), make_reread(OLD, SEEN)])
    assert not find_revisions([make_reread(OLD, SEEN), make_reread(NEW, SEEN, text="epsilon=1")])
    assert not find_revisions([make_reread(OLD, SEEN), make_reread(NEW, SEEN, name="box:other")])


def test_versions_follow_each_other() -> None:
    third = make_reread("c" * 64, SEEN)
    found = find_revisions([make_reread(OLD, SEEN), make_reread(NEW, SEEN), third])
    assert [(one.before.name, one.after.name) for one in found] == [
        ("a.json", "b.json"),
        ("b.json", "c.json"),
    ]
