"""Stated ends beside those found: implied, contradicted, or neither."""

from __future__ import annotations

from dataclasses import replace

import pytest

from audit.statements.checks import Status, compare_bound, compare_ends
from audit.statements.decimals import Enclosure, parse_extended
from audit.statements.evidence import Bound, Side


def ends(lower: str, upper: str) -> Enclosure:
    return Enclosure(parse_extended(lower), parse_extended(upper))


FOUND = ends("1", "2")


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
    ],
)
def test_what_is_found_implies_it_contradicts_it_or_neither(
    side: str, stated: Enclosure, status: Status
) -> None:
    check = compare_ends("ends", stated, FOUND, Side(side))
    assert check.status is status
    if status is Status.CONFIRMED and stated != FOUND:
        assert "tighter today" in check.note


def test_a_bound_says_what_it_covers_as_the_audit_does() -> None:
    found = Bound(Side.EXACT, FOUND, "all", "exact")
    assert compare_bound("bound", found, found).status is Status.CONFIRMED
    wider = replace(found, epsilon=ends("0", "2"))
    assert compare_bound("bound", wider, found).status is Status.CONFIRMED
    for stated in (
        replace(found, covers="some"),
        replace(found, rigour="rigorous"),
        replace(found, side=Side.CEILING),
        replace(found, parameter=("rho", FOUND)),
        None,
    ):
        assert compare_bound("bound", stated, found).status is Status.FALSE
    assert compare_bound("bound", found, None).status is Status.FALSE
    own = [replace(found, parameter=(name, FOUND)) for name in ("rho", "mu")]
    assert compare_bound("bound", *own).status is Status.FALSE
