"""Stated ends beside those found: implied, contradicted, or neither."""

from __future__ import annotations

import pytest

from audit.statements.checks import Status, compare_bound, compare_ends

FOUND = {"lower": "1", "upper": "2"}


def ends(lower: str, upper: str) -> dict[str, str]:
    return {"lower": lower, "upper": upper}


@pytest.mark.parametrize(
    ("side", "stated", "status"),
    [
        ("exact", ends("1", "2"), Status.CONFIRMED),
        ("exact", ends("0.5", "3"), Status.CONFIRMED),
        ("exact", ends("0", "inf"), Status.CONFIRMED),
        ("exact", ends("1.2", "3"), Status.UNCHECKED),
        ("exact", ends("1.2", "1.3"), Status.UNCHECKED),
        ("exact", ends("0", "0.5"), Status.FALSE),
        ("exact", ends("2.5", "3"), Status.FALSE),
        ("ceiling", ends("2", "2"), Status.CONFIRMED),
        ("ceiling", ends("3", "3"), Status.CONFIRMED),
        ("ceiling", ends("inf", "inf"), Status.CONFIRMED),
        ("ceiling", ends("1.5", "1.5"), Status.UNCHECKED),
        ("ceiling", ends("0.1", "3"), Status.FALSE),
        ("floor", ends("1", "inf"), Status.CONFIRMED),
        ("floor", ends("0.5", "inf"), Status.CONFIRMED),
        ("floor", ends("1.5", "inf"), Status.FALSE),
        ("floor", ends("0.5", "3"), Status.FALSE),
        ("exact", ends("01", "2"), Status.FALSE),
        ("exact", ends("1.0", "2"), Status.FALSE),
        ("exact", ends("2", "1"), Status.FALSE),
        ("exact", ends("x", "2"), Status.FALSE),
        ("exact", None, Status.FALSE),
    ],
)
def test_what_is_found_implies_it_contradicts_it_or_neither(
    side: str, stated: dict[str, str], status: Status
) -> None:
    check = compare_ends("ends", stated, FOUND, side)
    assert check.status is status
    if status is Status.CONFIRMED and stated != FOUND:
        assert "tighter today" in check.note


def test_a_bound_says_what_it_covers_as_the_audit_does() -> None:
    found = {"side": "exact", "epsilon": FOUND, "covers": "all", "rigour": "exact"}
    assert compare_bound("bound", dict(found), found).status is Status.CONFIRMED
    wider = {**found, "epsilon": ends("0", "2")}
    assert compare_bound("bound", wider, found).status is Status.CONFIRMED
    for change in ({"covers": "some"}, {"rigour": "rigorous"}, {"side": "ceiling"}, {"rho": FOUND}):
        assert compare_bound("bound", {**found, **change}, found).status is Status.FALSE
    assert compare_bound("bound", None, found).status is Status.FALSE
    assert compare_bound("bound", found, None).status is Status.FALSE
