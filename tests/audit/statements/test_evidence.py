"""The verdict that findings entail, against a table written from the design's rules."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest

from audit.statements.certificate_json import encode
from audit.statements.decimals import Enclosure
from audit.statements.evidence import (
    Bound,
    Decision,
    Evidence,
    SampledWitness,
    ShownPair,
    Side,
    Verdict,
    Witness,
    verdict,
)
from audit.statements.power import Power

pytestmark = pytest.mark.smoke

HOLDS, VIOLATED, UNDECIDED, SILENT, OPEN, INVALID, KEPT, EXCEEDED = (
    Decision.HOLDS,
    Decision.VIOLATED,
    Decision.UNDECIDED,
    Decision.SILENT,
    Decision.OPEN,
    Decision.INVALID,
    Decision.KEPT,
    Decision.EXCEEDED,
)
F = Fraction
ONE = F(1)
INF = float("inf")


def finding(
    decision: Decision, *, whole: bool = True, rigour: str | None = "exact", side: Side = Side.EXACT
) -> Evidence:
    one = Enclosure(Fraction(1), Fraction(1))
    bound = None if rigour is None else Bound(side, one, "here", rigour)
    return Evidence("exhaustive", "found", decision, "here", whole, bound)


def theorem(
    decision: Decision,
    ceiling: Fraction | float = ONE,
    *,
    whole: bool = True,
    parameter: tuple[str, Enclosure] | None = None,
) -> Evidence:
    """A ceiling with its derivation."""
    bound = Bound(Side.CEILING, Enclosure(ceiling, ceiling), "here", "rigorous", parameter)
    return Evidence("proof", "proved", decision, "here", whole, bound, proof={"derivation": {}})


def valued(
    decision: Decision,
    lower: Fraction | float,
    upper: Fraction | float | None = None,
    *,
    side: Side = Side.EXACT,
    rigour: str = "exact",
    parameter: tuple[str, Enclosure] | None = None,
) -> Evidence:
    """A finding with its value."""
    ends = Enclosure(lower, lower if upper is None else upper)
    bound = Bound(side, ends, "here", rigour, parameter)
    return Evidence("exhaustive", "found", decision, "here", True, bound)


def attack(
    decision: Decision,
    strict: Fraction | float | None = None,
    parameter: tuple[str, Enclosure] | None = None,
) -> Evidence:
    """A statistical floor, with the strict floor beside it where there is one."""
    loose = Bound(Side.FLOOR, Enclosure(F(0), INF), "a pair", "statistical")
    ends = None if strict is None else Enclosure(strict, INF)
    found = None if ends is None else Bound(Side.FLOOR, ends, "a pair", "statistical", parameter)
    return Evidence("attack", "tried", decision, "a pair", False, loose, "0.95", strict=found)


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
        # An open bound alone is UNDECIDED; beside it, side evidence is a search that found nothing.
        for other in (HOLDS, VIOLATED, UNDECIDED):
            alone = verdict([finding(other)], True)
            assert verdict([silent, finding(other), silent], True) is alone
        assert verdict([silent, silent], True) is Verdict.NOT_REFUTED


def test_what_is_declared_beside_the_claim_confirms_nothing_and_forbids_to_conclude() -> None:
    kept, exceeded = (finding(d, whole=False, rigour=None) for d in (KEPT, EXCEEDED))
    assert verdict([kept], True) is verdict([kept, kept], False) is Verdict.UNDECIDED
    for ours, decision in itertools.product((True, False), (HOLDS, VIOLATED, UNDECIDED)):
        assert verdict([finding(decision), kept], ours) is verdict([finding(decision)], ours)
    for ours in (True, False):
        assert verdict([theorem(HOLDS), finding(HOLDS), exceeded], ours) is Verdict.UNDECIDED
        assert verdict([finding(Decision.UNSEEN, rigour=None), exceeded], ours) is Verdict.UNDECIDED
        assert verdict([finding(VIOLATED), exceeded], ours) is Verdict.REFUTED
        assert verdict([finding(INVALID), exceeded], ours) is Verdict.INVALID_RUN


@pytest.mark.parametrize(
    ("decision", "others", "ours", "theirs"),
    [
        # A theorem that implies the claim, beside what else was found.
        (HOLDS, (), Verdict.PROVED, Verdict.PROVED),
        (HOLDS, (HOLDS,), Verdict.PROVED, Verdict.PROVED),
        (HOLDS, (UNDECIDED,), Verdict.PROVED, Verdict.PROVED),
        (HOLDS, (SILENT,), Verdict.PROVED, Verdict.PROVED),
        (HOLDS, (HOLDS, UNDECIDED, SILENT), Verdict.PROVED, Verdict.PROVED),
        (HOLDS, (VIOLATED,), Verdict.CONTRADICTION, Verdict.REFUTED),
        (HOLDS, (HOLDS, VIOLATED), Verdict.CONTRADICTION, Verdict.REFUTED),
        # A theorem that does not reach it.
        (OPEN, (), Verdict.UNDECIDED, Verdict.UNDECIDED),
        (OPEN, (HOLDS,), Verdict.EXACT, Verdict.EXACT),
        (OPEN, (UNDECIDED,), Verdict.UNDECIDED, Verdict.UNDECIDED),
        (OPEN, (SILENT,), Verdict.NOT_REFUTED, Verdict.NOT_REFUTED),
        (OPEN, (VIOLATED,), Verdict.REFUTED, Verdict.REFUTED),
        (OPEN, (HOLDS, VIOLATED), Verdict.CONTRADICTION, Verdict.REFUTED),
        (OPEN, (SILENT, UNDECIDED), Verdict.UNDECIDED, Verdict.UNDECIDED),
    ],
)
def test_a_theorem_beside_other_findings(
    decision: Decision, others: tuple[Decision, ...], ours: Verdict, theirs: Verdict
) -> None:
    """The findings have the value 1, and the theorem's ceiling is 1."""
    for order in itertools.permutations([theorem(decision), *map(finding, others)]):
        assert verdict(order, True) is ours
        assert verdict(order, False) is theirs


def test_any_number_of_open_theorems_is_undecided() -> None:
    assert verdict([theorem(OPEN), theorem(OPEN, F(9))], True) is Verdict.UNDECIDED


def test_a_theorem_about_a_part_of_the_claim_does_not_prove_it() -> None:
    part = theorem(HOLDS, whole=False)
    assert verdict([part], True) is Verdict.NOT_REFUTED
    assert verdict([part, finding(HOLDS)], True) is Verdict.EXACT
    assert verdict([part, finding(VIOLATED)], True) is Verdict.REFUTED


def test_a_rigorous_ceiling_without_a_derivation_proves_nothing() -> None:
    bare = replace(theorem(HOLDS), proof=None)
    assert verdict([bare], True) is Verdict.NOT_REFUTED


@pytest.mark.parametrize("claimed", [HOLDS, OPEN])
@pytest.mark.parametrize("side", [Side.EXACT, Side.FLOOR])
@pytest.mark.parametrize("found", [HOLDS, UNDECIDED])
def test_an_exact_value_certainly_above_a_theorems_ceiling_contradicts_it(
    claimed: Decision, found: Decision, side: Side
) -> None:
    hair = F(1, 10**30)
    for lower, upper in ((1 + hair, None), (F(2), None), (1 + hair, F(3)), (INF, None)):
        above = valued(found, lower, upper, side=side)
        for order in ((theorem(claimed), above), (above, theorem(claimed))):
            assert verdict(order, True) is Verdict.CONTRADICTION
            assert verdict(order, False) is Verdict.CONTRADICTION


@pytest.mark.parametrize("claimed", [HOLDS, OPEN])
def test_a_violation_above_a_theorems_ceiling_contradicts_it_for_our_programs(
    claimed: Decision,
) -> None:
    """Even where the theorem leaves the claim open: the two findings cannot both be true."""
    both = [theorem(claimed), valued(VIOLATED, F(2))]
    assert verdict(both, True) is Verdict.CONTRADICTION
    assert verdict(both, False) is Verdict.REFUTED


@pytest.mark.parametrize(
    "found",
    [
        valued(HOLDS, F(1)),
        valued(HOLDS, F(1, 2)),
        valued(HOLDS, F(1), F(2)),
        valued(HOLDS, F(0), INF),
        valued(HOLDS, F(2), side=Side.CEILING),
        finding(HOLDS, rigour=None),
    ],
    ids=["equal", "below", "ends at it", "unknown", "a ceiling", "no value"],
)
def test_what_is_not_certainly_above_a_ceiling_contradicts_nothing(found: Evidence) -> None:
    assert verdict([theorem(HOLDS), found], True) is Verdict.PROVED


@pytest.mark.parametrize(
    "found",
    [
        valued(SILENT, F(2)),
        valued(UNDECIDED, F(2), rigour="statistical"),
        valued(UNDECIDED, F(2), rigour="rigorous"),
    ],
    ids=["another instance", "by chance", "not exact"],
)
def test_only_exact_findings_on_the_same_databases_are_compared_with_a_ceiling(
    found: Evidence,
) -> None:
    assert verdict([theorem(HOLDS), found], True) is Verdict.PROVED


def test_a_ceiling_without_a_derivation_is_not_compared() -> None:
    bare = replace(theorem(OPEN), proof=None)
    assert verdict([bare, valued(HOLDS, F(2))], True) is Verdict.EXACT


def test_a_claims_own_parameter_is_compared_with_its_ceiling() -> None:
    """The ε of both is infinite, or fits: only ρ tells them apart."""
    two, one = (("rho", Enclosure(F(k), F(k))) for k in (2, 1))
    for epsilon in (INF, F(1)):
        ceiling = theorem(HOLDS, epsilon, parameter=one)
        above = valued(HOLDS, epsilon, parameter=two)
        equal = valued(HOLDS, epsilon, parameter=one)
        unknown = valued(HOLDS, epsilon, parameter=("rho", Enclosure(F(1, 2), F(3))))
        assert verdict([ceiling, above], True) is Verdict.CONTRADICTION
        assert verdict([ceiling, equal], True) is Verdict.PROVED
        assert verdict([ceiling, unknown], True) is Verdict.PROVED
        assert verdict([ceiling, valued(HOLDS, epsilon)], True) is Verdict.PROVED
        # Though ρ fits, its pure ε may lie above the theorem's.
        assert (
            verdict([theorem(HOLDS, F(1), parameter=one), valued(HOLDS, F(2), parameter=one)], True)
            is Verdict.CONTRADICTION
        )


def test_runs_that_are_no_draws_make_an_invalid_run_whatever_else_holds() -> None:
    invalid = replace(attack(INVALID), bound=None)
    others = (finding(HOLDS), theorem(HOLDS), finding(UNDECIDED), finding(SILENT), theorem(OPEN))
    for other in others:
        for order in ([invalid, other], [other, invalid]):
            assert verdict(order, True) is Verdict.INVALID_RUN
            assert verdict(order, False) is Verdict.INVALID_RUN
    assert verdict([invalid], False) is Verdict.INVALID_RUN
    assert verdict([invalid, attack(HOLDS)], False) is Verdict.INVALID_RUN


def test_a_violation_stands_beside_an_invalid_run() -> None:
    """It has a witness of its own, on which the runs that are no draws have no bearing."""
    for order in itertools.permutations([finding(VIOLATED), attack(INVALID)]):
        assert verdict(order, False) is Verdict.REFUTED
    both = [theorem(HOLDS), finding(VIOLATED), attack(INVALID)]
    assert verdict(both, True) is Verdict.CONTRADICTION


def test_an_invalid_run_does_not_hide_a_contradiction() -> None:
    both = [theorem(HOLDS), valued(UNDECIDED, F(2)), attack(INVALID)]
    assert verdict(both, True) is Verdict.CONTRADICTION


def test_an_attack_alone_shows_nothing_but_a_violation() -> None:
    assert verdict([attack(HOLDS)], True) is Verdict.NOT_REFUTED
    assert verdict([attack(HOLDS), attack(HOLDS)], False) is Verdict.NOT_REFUTED
    assert verdict([attack(HOLDS), attack(VIOLATED)], False) is Verdict.REFUTED
    # For a program of ours too, where neither a theorem nor exhaustion says otherwise.
    assert verdict([attack(VIOLATED)], True) is Verdict.REFUTED
    assert verdict([attack(HOLDS), finding(HOLDS)], True) is Verdict.EXACT
    assert verdict([attack(HOLDS), theorem(HOLDS)], True) is Verdict.PROVED


@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("limit", [theorem(HOLDS), theorem(OPEN), finding(HOLDS)])
def test_a_strict_floor_above_a_ceiling_or_an_exact_value_contradicts_it(
    limit: Evidence, ours: bool
) -> None:
    for strict in (1 + F(1, 10**12), F(5), INF):
        for order in itertools.permutations([limit, attack(HOLDS, strict)]):
            assert verdict(order, ours) is Verdict.CONTRADICTION


@pytest.mark.parametrize("strict", [None, F(0), F(1, 2), F(1)])
def test_a_strict_floor_up_to_the_limit_contradicts_nothing(strict: Fraction | None) -> None:
    assert verdict([theorem(HOLDS), attack(HOLDS, strict)], True) is Verdict.PROVED
    assert verdict([finding(HOLDS), attack(HOLDS, strict)], True) is Verdict.EXACT


def test_the_floor_at_the_confidence_contradicts_nothing_however_high() -> None:
    """It exceeds the truth in one audit of twenty."""
    high = Bound(Side.FLOOR, Enclosure(F(9), INF), "a pair", "statistical")
    found = replace(attack(HOLDS, F(1)), bound=high)
    assert verdict([theorem(HOLDS), found], True) is Verdict.PROVED
    assert verdict([finding(HOLDS), found], True) is Verdict.EXACT


def test_a_strict_floor_is_compared_with_limits_that_cover_the_claim_alone() -> None:
    above = attack(HOLDS, F(2))
    assert verdict([finding(HOLDS, whole=False), above], True) is Verdict.NOT_REFUTED
    assert verdict([finding(SILENT), above], True) is Verdict.NOT_REFUTED
    assert verdict([finding(HOLDS, rigour="rigorous"), above], True) is Verdict.NOT_REFUTED
    assert verdict([finding(HOLDS, side=Side.CEILING), above], True) is Verdict.CONTRADICTION
    # An exact floor is no limit from above.
    assert verdict([finding(HOLDS, side=Side.FLOOR), above], True) is Verdict.EXACT
    assert verdict([replace(theorem(OPEN), proof=None), above], True) is Verdict.NOT_REFUTED


def test_a_strict_floor_on_another_instance_is_left_out() -> None:
    assert verdict([theorem(HOLDS), attack(SILENT, F(2))], True) is Verdict.PROVED


def test_a_strict_floor_is_compared_in_the_claims_own_parameter() -> None:
    one = ("rho", Enclosure(F(1), F(1)))
    limit = theorem(HOLDS, INF, parameter=one)
    for rho, expected in ((F(2), Verdict.CONTRADICTION), (F(1), Verdict.PROVED)):
        found = attack(HOLDS, F(1), ("rho", Enclosure(rho, INF)))
        assert verdict([limit, found], True) is expected


def test_a_violation_by_an_attack_is_our_fault_only_against_what_we_show() -> None:
    for strict in (None, F(2)):
        both = [theorem(HOLDS), attack(VIOLATED, strict)]
        assert verdict(both, True) is Verdict.CONTRADICTION
        assert verdict(both, False) is Verdict.REFUTED
    # A theorem that leaves the claim open is contradicted by the strict floor alone.
    assert verdict([theorem(OPEN), attack(VIOLATED)], True) is Verdict.REFUTED
    assert verdict([theorem(OPEN), attack(VIOLATED, F(2))], True) is Verdict.CONTRADICTION
    assert verdict([theorem(OPEN), attack(VIOLATED, F(2))], False) is Verdict.REFUTED


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
    data = encode(found)
    assert data["bound"]["epsilon"] == {
        "lower": "0.33333333333333333",
        "upper": "0.33333333333333334",
    }
    assert data["witness"]["event"] == [[None, 1], ["few"]]
    assert data["witness"]["probabilities"]["to"] == {"lower": "inf", "upper": "inf"}
    assert data["decision"] == "holds" and data["bound"]["side"] == "floor"
    assert (data["replay"], data["confidence"]) == ({}, None)


def test_plain_data_of_an_attack() -> None:
    pair = ShownPair([1], [2], 1, "given", False)
    rule = {"low": "-inf", "high": 1.5, "score": "value"}
    witness = SampledWitness(
        pair, rule, "sha256:0", ("B where x > 1",), "exact binomial", 9, 5, 2, 0.25
    )
    found = replace(attack(VIOLATED, F(2)), witness=witness, power=Power(INF, 2.0, 0.5, 9, 40))
    data = encode(found)
    assert data["witness"] == {
        "pair": {
            "first": [1],
            "second": [2],
            "distance": 1,
            "pattern": "given",
            "verified": False,
        },
        "rule": {"low": "-inf", "high": 1.5, "score": "value"},
        "digest": "sha256:0",
        "event": ["B where x > 1"],
        "test": "exact binomial",
        "runs": 9,
        "correct": 5,
        "wrong": 2,
        "p_value": 0.25,
    }
    power = {"detectable": "inf", "detect": 2.0, "delta": 0.5, "runs": 9, "needed": 40}
    assert data["power"] == power
    assert data["strict"]["epsilon"] == {"lower": "2", "upper": "inf"}
    assert encode(Power(1.5, 2.0, 0.5, 9))["detectable"] == 1.5
    data["witness"]["pair"]["first"].append(3)
    data["witness"]["rule"]["high"] = 0
    assert (pair.first, rule["high"]) == ([1], 1.5)
    assert {"strict", "power", "control", "resolution"}.isdisjoint(encode(attack(HOLDS)))
