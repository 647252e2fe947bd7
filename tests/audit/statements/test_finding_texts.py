"""Findings in words: their numbers are compared, and everything else must be the audit's."""

from __future__ import annotations

import pytest

from audit.statements.checks import Status
from audit.statements.decimals import Enclosure, parse_extended
from audit.statements.evidence import Bound, Decision, Evidence, Side
from audit.statements.finding_texts import compare_finding

WORDS = "the smallest epsilon is {}: every pair of neighbours among 4 databases"
THEOREM = "a theorem: epsilon is at most {} over databases of 3 records, by {}"


def evidence(auditor: str, finding: str, lower: str, upper: str, side: str) -> Evidence:
    ends = Enclosure(parse_extended(lower), parse_extended(upper))
    bound = Bound(Side(side), ends, "all", "exact")
    return Evidence(auditor, finding, Decision.HOLDS, "all", True, bound)


FOUND = evidence("exhaustive", WORDS.format("in [0.9, 1.1]"), "0.9", "1.1", "exact")
PROVED = evidence("proof", THEOREM.format("exactly 1", "compose"), "1", "1", "ceiling")


@pytest.mark.parametrize(
    ("stated", "status"),
    [
        (FOUND, Status.CONFIRMED),
        (
            evidence("exhaustive", WORDS.format("in [0.8, 1.2]"), "0.8", "1.2", "exact"),
            Status.CONFIRMED,
        ),
        (
            evidence("exhaustive", WORDS.format("in [0.95, 1.2]"), "0.95", "1.2", "exact"),
            Status.UNCHECKED,
        ),
        (
            evidence("exhaustive", WORDS.format("in [0.1, 0.2]"), "0.1", "0.2", "exact"),
            Status.FALSE,
        ),
        (
            evidence("exhaustive", WORDS.format("in [0.1, 0.2]"), "0.9", "1.1", "exact"),
            Status.FALSE,
        ),
        (
            evidence("exhaustive", WORDS.format("exactly 1/100"), "0.9", "1.1", "exact"),
            Status.FALSE,
        ),
        (evidence("exhaustive", WORDS.format("infinite"), "0.9", "1.1", "exact"), Status.FALSE),
        (evidence("exhaustive", WORDS.format("small"), "0.9", "1.1", "exact"), Status.FALSE),
        (
            evidence(
                "exhaustive", WORDS.format("in [0.9, 1.1]") + ", reviewed", "0.9", "1.1", "exact"
            ),
            Status.FALSE,
        ),
    ],
)
def test_numbers_agree_with_the_bound_and_are_implied(stated: Evidence, status: Status) -> None:
    assert compare_finding("finding", stated, FOUND, []).status is status


@pytest.mark.parametrize(
    ("number", "rule", "end", "status"),
    [
        ("exactly 1", "compose", "1", Status.CONFIRMED),
        ("exactly 2", "laplace", "2", Status.CONFIRMED),
        ("exactly 2", "wish", "2", Status.FALSE),
        ("exactly 1/2", "laplace", "0.5", Status.UNCHECKED),
        ("exactly 1/2", "laplace", "1", Status.FALSE),
    ],
)
def test_a_theorem_is_by_a_rule_of_its_proof(
    number: str, rule: str, end: str, status: Status
) -> None:
    stated = evidence("proof", THEOREM.format(number, rule), end, end, "ceiling")
    assert compare_finding("finding", stated, PROVED, ["laplace"]).status is status
