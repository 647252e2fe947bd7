"""Yardsticks: claims that answer one question have one, and no others."""

from __future__ import annotations

import itertools

import pytest

from audit.review.comparison.yardsticks import group_claims, yardstick
from audit.statements.claim import Claim
from synthesizers.neighbours import AddRemove, Unit
from tests.audit.report.samples import claim

UNLIKE = (
    claim("epsilon=1"),
    claim("epsilon=1, delta=1e-6"),
    claim("epsilon=1, delta=1e-5"),
    claim("rho=1"),
    claim("mu=1"),
    claim("alpha=2, rdp=1"),
    claim("alpha=3, rdp=1"),
    claim("epsilon=1", AddRemove()),
    claim("epsilon=1", AddRemove(Unit("person", 2))),
    claim("epsilon=1", AddRemove(Unit("person", 3))),
)


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(UNLIKE, 2)))
def test_other_questions_have_other_yardsticks(one: Claim, other: Claim) -> None:
    assert yardstick(one) != yardstick(other)


def test_the_size_of_the_claim_changes_no_yardstick() -> None:
    assert yardstick(claim("epsilon=1")) == yardstick(claim("epsilon=3"))
    found = group_claims([claim("epsilon=1"), claim("rho=1"), claim("epsilon=7")])
    assert list(found.values()) == [(0, 2), (1,)]
