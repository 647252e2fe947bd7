"""The terms of a claim: one file's over another's, and the claim that they make."""

from __future__ import annotations

import doctest
from importlib import import_module

import pytest

from audit.review.submissions.claims import ClaimTerms, are_alike, complete_claim, guarantees
from audit.review.submissions.submission import StatedClaim
from proofs.guarantees import parse_guarantee

MODULES = ("submission", "commands", "names", "listed_records")


@pytest.mark.parametrize("name", MODULES)
def test_examples_say_what_is_so(name: str) -> None:
    outcome = doctest.testmod(import_module(f"audit.review.submissions.{name}"))
    assert outcome.failed == 0 and outcome.attempted > 0


def test_a_bound_on_records_goes_with_its_unit() -> None:
    shared = ClaimTerms(unit="person", max_records=7)
    assert ClaimTerms().over(shared) == shared
    assert ClaimTerms(unit="person").over(shared).max_records == 7
    assert ClaimTerms(unit="record").over(shared).max_records is None
    assert ClaimTerms(max_records=2).over(shared) == ClaimTerms(unit="person", max_records=2)


def test_each_guarantee_is_one_that_can_be_decided() -> None:
    problems: list[str] = []
    terms = ClaimTerms("alpha=8, rdp={epsilon}", ("1/3", "2"), "replace-one")
    claim = complete_claim(terms, problems)
    assert claim is not None and not problems
    assert guarantees(claim) == (
        parse_guarantee("alpha=8, rdp=1/3"),
        parse_guarantee("alpha=8, rdp=2"),
    )
    assert complete_claim(ClaimTerms("eps={epsilon}", ("1",), "add-remove"), problems) is None
    assert len(problems) == 1 and "a claim reads" in problems[0]


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (StatedClaim("epsilon={epsilon}, delta=0", ("10", "1.0"), "add-remove"), True),
        (StatedClaim("epsilon={epsilon}", ("1",), "add-remove"), False),
        (StatedClaim("epsilon={epsilon}", ("1", "10"), "replace-one"), False),
        (StatedClaim("epsilon={epsilon}", ("1", "10"), "add-remove", "person", 1), False),
        (StatedClaim("rho={epsilon}", ("1", "10"), "add-remove"), False),
    ],
)
def test_claims_are_compared_by_what_they_say(other: StatedClaim, same: bool) -> None:
    claim = StatedClaim("epsilon={epsilon}", ("1", "10"), "add-remove")
    assert are_alike(claim, other) is same and are_alike(other, claim) is same
