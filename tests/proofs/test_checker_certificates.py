"""What the checker says of a whole certificate: its proof must be about its subject and claim."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from proofs import checker
from proofs.channels import channel_certificate
from proofs.derivation import derivation
from proofs.guarantees import ApproxDP
from proofs.kernel import Theorem, prove
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.proofs.honest_certificates import carried, certificate, domain, filtered, output, setting

F = Fraction
ONE_CELL = {"domain": domain({"cell": 1}, 1)}


def nothing_asked() -> Theorem:
    return prove("public-draw", [], {"neighbours": AddRemove(), "law": {"law": "uniform"}})


def channel(epsilon: str, chances: tuple[Fraction, Fraction]) -> dict[str, Any]:
    """Of 0 and 1 records over one cell: a coin whose odds the record turns round."""
    rows = [chances, chances[::-1]]
    return channel_certificate(AddRemove(), [[0], [1]], rows, ApproxDP(F(epsilon)))


def status(*of: Any, **more: Any) -> str:
    return str(checker.check(certificate(*of, **more)).status)


def test_a_theorem_about_the_subject_that_reaches_the_claim_is_checked() -> None:
    assert status(carried(output(filtered()))) == "checked"
    assert (
        status(carried(prove("weaken", [output(filtered())], WEAKER)), claim="epsilon=2")
        == "checked"
    )


WEAKER = {"guarantee": {"kind": "approx", "epsilon": "2", "delta": "0"}}


def test_a_theorem_about_no_program_or_another_is_rejected() -> None:
    assert status(carried(nothing_asked())) == "rejected"
    assert status(carried(output(filtered(program={"name": "another"})))) == "rejected"
    wrapped = prove("post-processing", [nothing_asked()], {"map": "nothing"})
    assert status(carried(wrapped)) == "rejected"


def test_a_step_that_the_theorem_does_not_rest_on_names_no_subject() -> None:
    named, other = derivation(output(filtered())), derivation(nothing_asked())
    both = {**other, "steps": [*named["steps"], *other["steps"]]}
    assert checker.check(both).status == "checked"
    assert status({"derivation": both}) == "rejected"


def test_a_smaller_claim_or_another_kind_is_not_shown() -> None:
    for claim in ("epsilon=0.999", "rho=5", "mu=9", "epsilon=0.5, delta=0.9"):
        assert status(carried(output(filtered())), claim=claim) == "rejected"


def test_a_verdict_of_proved_needs_a_derivation() -> None:
    whole = channel("2", (F(1, 3), F(2, 3)))
    assert status(None, channel_certificate=whole, claim="epsilon=2") == "rejected"


def test_beside_another_verdict_a_ceiling_need_not_reach_the_claim() -> None:
    for verdict in ("UNDECIDED", "NOT REFUTED", "EXACT"):
        found = checker.check(certificate(carried(output(filtered(3))), verdict))
        assert found.status == "not re-checked"
        assert any("does not reach the claim" in reason for reason in found.reasons)


def test_a_theorem_that_shows_the_claim_leaves_a_refutation_open() -> None:
    """Something that it rests on may fail: of a program that looks beside its answers, say."""
    found = checker.check(certificate(carried(output(filtered())), "REFUTED"))
    assert found.status == "not re-checked" and "unless" in found.reasons[0]


@pytest.mark.parametrize("verdict", ["SAFE", "proved", "", 1, True, [], {}])
def test_unknown_verdicts_are_rejected(verdict: Any) -> None:
    assert status(carried(output(filtered())), verdict) == "rejected"


def test_a_violation_bears_out_a_refutation_and_nothing_else() -> None:
    violated = channel("1/2", (F(1, 3), F(2, 3)))
    assert violated["finding"] == "violated"
    given = {"claim": "epsilon=0.5", "channel_certificate": violated, **ONE_CELL}
    assert status(None, "REFUTED", **given) == "checked"
    one_cell = output(filtered(setting=setting({"cell": 1})))
    assert status(carried(one_cell), "REFUTED", **given) == "checked"
    for verdict in ("EXACT", "NOT REFUTED", "UNDECIDED"):
        assert status(None, verdict, **given) == "rejected"


def test_a_channel_that_holds_does_not_refute() -> None:
    holds = channel("2", (F(1, 3), F(2, 3)))
    given = {"claim": "epsilon=2", "channel_certificate": holds, **ONE_CELL}
    assert status(None, "REFUTED", **given) == "rejected"
    assert status(None, "EXACT", **given) == "not re-checked"
    matrix = {"databases": ["0", "1"], "probabilities": [["1/3", "2/3"], ["2/3", "1/3"]]}
    value = {"lower": "0.693147180559945", "upper": "0.693147180559946"}
    exact = {"epsilon": value, "covers": "all", "rigour": "exact"}
    given |= by_exhaustion(exact)
    subject = {"kind": "channel", "name": "file.csv", "rounded": False, "matrix": matrix}
    assert status(None, "EXACT", **given, subject=subject) == "checked"
    for place, wrong in (("upper", "0.693147"), ("lower", "0.6931472")):
        other = {**exact, "epsilon": {**value, place: wrong}}
        wrong_value = {**given, **by_exhaustion(other)}
        assert status(None, "EXACT", **wrong_value, subject=subject) == "rejected"
        bounds = {**given["bounds"], "exact": other}
        assert status(None, "EXACT", **{**given, "bounds": bounds}, subject=subject) == "rejected"
    program = {**subject, "kind": "program"}
    assert status(None, "EXACT", **given, subject=program) == "not re-checked"
    swapped = {**matrix, "databases": ["1", "0"]}
    assert status(None, "EXACT", **given, subject={**subject, "matrix": swapped}) == "rejected"
    matrix["probabilities"][0] = ["0.3", "0.7"]
    assert status(None, "EXACT", **given, subject=subject) == "rejected"


def by_exhaustion(bound: dict[str, Any]) -> dict[str, Any]:
    """The bounds and the evidence of an exact value."""
    evidence = [{"auditor": "exhaustive", "bound": {**bound, "side": "exact"}}]
    return {"bounds": {"floor": None, "exact": bound, "ceiling": None}, "evidence": evidence}


def test_neighbours_and_unit_are_those_of_the_claim() -> None:
    theorem = carried(output(filtered()))
    person = {"name": "person", "max_records": 2}
    assert status(theorem, neighbours=ReplaceOne().name) == "rejected"
    assert status(theorem, unit=person) == "rejected"
