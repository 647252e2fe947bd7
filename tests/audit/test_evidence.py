"""The verdict that findings entail, against a table written from the design's rules."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from audit.decimals import Enclosure
from audit.evidence import Bound, Decision, Evidence, Side, Verdict, Witness, verdict

HOLDS, VIOLATED, UNDECIDED, SILENT = (
    Decision.HOLDS,
    Decision.VIOLATED,
    Decision.UNDECIDED,
    Decision.SILENT,
)


def finding(
    decision: Decision, *, whole: bool = True, rigour: str | None = "exact", side: Side = Side.EXACT
) -> Evidence:
    one = Enclosure(Fraction(1), Fraction(1))
    bound = None if rigour is None else Bound(side, one, "here", rigour)
    return Evidence("exhaustive", "found", decision, "here", whole, bound)


def test_no_evidence_refutes_nothing_and_shows_nothing() -> None:
    assert verdict([], True) is Verdict.NOT_REFUTED


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize(
    ("decisions", "expected"),
    [
        ((HOLDS,), Verdict.EXACT),
        ((VIOLATED,), Verdict.REFUTED),
        ((UNDECIDED,), Verdict.UNDECIDED),
        ((SILENT,), Verdict.NOT_REFUTED),
        ((HOLDS, UNDECIDED), Verdict.EXACT),
        ((HOLDS, SILENT), Verdict.EXACT),
        ((UNDECIDED, VIOLATED), Verdict.REFUTED),
        ((SILENT, VIOLATED), Verdict.REFUTED),
        ((SILENT, UNDECIDED), Verdict.UNDECIDED),
        ((HOLDS, HOLDS), Verdict.EXACT),
    ],
)
def test_findings_on_the_whole_claim(
    decisions: tuple[Decision, ...], expected: Verdict, ours: bool
) -> None:
    for order in itertools.permutations(decisions):
        assert verdict([finding(d) for d in order], ours) is expected


def test_findings_that_contradict_each_other_are_our_fault_only_for_our_programs() -> None:
    both = [finding(HOLDS), finding(VIOLATED)]
    assert verdict(both, True) is Verdict.CONTRADICTION
    assert verdict(both, False) is Verdict.REFUTED
    assert verdict(both[::-1], True) is Verdict.CONTRADICTION


def test_a_finding_on_a_part_of_the_claim_does_not_make_it_exact() -> None:
    assert verdict([finding(HOLDS, whole=False)], True) is Verdict.NOT_REFUTED
    assert verdict([finding(HOLDS, whole=False)] * 3, False) is Verdict.NOT_REFUTED


def test_a_violation_on_a_part_of_the_claim_refutes_it() -> None:
    assert verdict([finding(VIOLATED, whole=False)], True) is Verdict.REFUTED


def test_a_partial_finding_does_not_contradict_a_violation() -> None:
    part = [finding(HOLDS, whole=False), finding(VIOLATED)]
    assert verdict(part, True) is Verdict.REFUTED


@pytest.mark.parametrize("rigour", ["statistical", "rigorous", None])
def test_only_an_exact_bound_makes_a_claim_exact(rigour: str | None) -> None:
    assert verdict([finding(HOLDS, rigour=rigour)], True) is Verdict.NOT_REFUTED


@pytest.mark.parametrize("side", Side)
def test_the_side_of_an_exact_bound_does_not_matter_to_a_decision(side: Side) -> None:
    assert verdict([finding(HOLDS, side=side)], True) is Verdict.EXACT


def test_side_evidence_never_decides() -> None:
    for whole, rigour in itertools.product((True, False), ("exact", "statistical", None)):
        silent = finding(SILENT, whole=whole, rigour=rigour)
        for other in (HOLDS, VIOLATED, UNDECIDED):
            alone = verdict([finding(other)], True)
            assert verdict([silent, finding(other), silent], True) is alone
        assert verdict([silent, silent], True) is Verdict.NOT_REFUTED


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("PROVED", 0),
        ("EXACT", 0),
        ("NOT REFUTED", 0),
        ("REFUTED", 1),
        ("UNDECIDED", 3),
        ("INVALID RUN", 5),
        ("CONTRADICTION", 70),
    ],
)
def test_exit_codes_are_the_contracts(name: str, code: int) -> None:
    assert Verdict(name).exit_code == code


def test_every_verdict_has_an_exit_code() -> None:
    assert len({v.value for v in Verdict}) == 7
    assert all(isinstance(v.exit_code, int) for v in Verdict)


def test_plain_data_of_a_finding() -> None:
    third = Enclosure(Fraction(1, 3), Fraction(1, 3))
    witness = Witness((1, 0), (0, 1), ((None, 1), ("few",)), (third, Enclosure.infinite()))
    found = Evidence(
        "exhaustive", "f", HOLDS, "c", True, Bound(Side.FLOOR, third, "c", "exact"), None, witness
    )
    data = found.to_json()
    assert data["bound"]["epsilon"] == {
        "lower": "0.33333333333333333",
        "upper": "0.33333333333333334",
    }
    assert data["witness"]["event"] == [[None, 1], ["few"]]
    assert data["witness"]["probabilities"]["to"] == {"lower": "inf", "upper": "inf"}
    assert data["decision"] == "holds" and data["bound"]["side"] == "floor"
    assert (data["replay"], data["confidence"]) == ({}, None)
