"""Figures of certificates: none promises more than the certificate shows."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from audit.review.criteria.certificate_figures import certificate_figures
from audit.review.criteria.figures import Figure, Range
from audit.review.rereading import Reread, reread
from audit.statements.evidence import Decision, Evidence, Side
from audit.statements.isolation import PLAIN
from tests.audit.report.samples import attack, bound, certificate, claim, finding, sampled
from tests.audit.review.certificates import change, read


def figures(*evidence: Evidence, text: str = "epsilon=2") -> dict[str, Figure]:
    return certificate_figures(reread("a", certificate(claim(text), *evidence).to_json()))


def golden(name: str) -> dict[str, Figure]:
    return certificate_figures(read(name))


def test_a_proof_that_the_checker_confirms_is_proved() -> None:
    found = golden("budget-module")
    assert (found["verdict"].value, found["proof"].value) == ("PROVED", "confirmed")
    assert found["claim.epsilon"].value == Range.point(Fraction(1))
    assert found["claim.delta"].value == Range.point(Fraction(0))
    assert found["claim.rho"].value is None
    assert found["ceiling"].value == found["epsilon"].value == Range.point(Fraction(1))
    assert found["rho"].value is None and found["guarantee"].value == "pure"


def test_a_proof_that_the_checker_sees_in_part_is_not() -> None:
    found = golden("before-isolation-proved")
    assert found["verdict"].value is None and "in part only" in found["verdict"].note


def test_a_certificate_that_is_not_believed_has_no_figure() -> None:
    forged: Reread = reread(
        "forged", change("exact", lambda document: document.update(verdict="PROVED"))
    )
    found = certificate_figures(forged)
    assert all(one.value is None and "not believed" in one.note for one in found.values())


def test_a_ceiling_of_a_part_is_none_of_the_claim() -> None:
    part = finding(Decision.UNDECIDED, bound(Side.CEILING, Fraction(1), Fraction(1)), whole=False)
    found = figures(part)
    assert found["ceiling"].value is None and "a part of the claim only" in found["ceiling"].note
    assert found["epsilon"].value == Range(Fraction(0), math.inf)


def test_another_instance_bounds_nothing() -> None:
    other = finding(Decision.SILENT, bound(Side.EXACT, Fraction(1), Fraction(1)), whole=False)
    assert figures(other)["epsilon"].value == Range(Fraction(0), math.inf)
    assert figures(other)["exact"].value is None


def exact(decision: Decision = Decision.HOLDS) -> Evidence:
    return finding(decision, bound(Side.EXACT, Fraction("1.5"), Fraction("1.6")))


def test_what_is_known_lies_between_the_floors_and_the_ceilings() -> None:
    seen = attack(Decision.UNSEEN, Fraction("0.9"), sampled(700, 260))
    found = figures(seen, exact())
    assert found["epsilon"].value == Range(Fraction("1.5"), Fraction("1.6"))
    assert found["floor"].value == Range.point(Fraction("0.9"))
    assert found["detectable"].value == Range.point(Fraction("1.31"))
    assert figures(seen)["epsilon"].value == Range(Fraction("0.9"), math.inf)


def test_a_ceiling_that_the_checker_did_not_confirm_bounds_nothing() -> None:
    forged = finding(Decision.OPEN, bound(Side.CEILING, Fraction(1), Fraction(1)))
    found = figures(forged)
    assert found["ceiling"].value is None and "did not confirm" in found["ceiling"].note
    assert found["epsilon"].value == Range(Fraction(0), math.inf)


def test_nothing_is_bounded_by_what_the_subject_could_have_brought_about() -> None:
    unguarded = replace(certificate(claim(), exact(), kind="module"), isolation=PLAIN)
    found = certificate_figures(reread("a", unguarded.to_json()))
    assert found["exact"].value is None and "nothing kept the subject" in found["exact"].note
    assert found["epsilon"].value == Range(Fraction("1.5"), math.inf)


def test_nothing_is_bounded_where_a_declaration_is_exceeded() -> None:
    exceeded = finding(Decision.EXCEEDED, None, whole=False)
    found = figures(exact(), exceeded)
    assert found["exact"].value is None and "is exceeded" in found["exact"].note


def test_nothing_is_bounded_by_findings_that_contradict_each_other() -> None:
    found = certificate_figures(read("contradiction"))
    assert found["exact"].value is None and found["epsilon"].value is not None
    assert found["verdict"].value == "CONTRADICTION"


def test_a_bound_on_another_parameter_is_none() -> None:
    found = certificate_figures(read("in ε alone"))
    assert found["exact"].value is None and found["rho"].value == Range(Fraction(0), math.inf)


@pytest.mark.parametrize(
    ("name", "value"),
    [("max-records", Range.point(Fraction(3))), ("unit", "person"), ("neighbours", "add-remove")],
)
def test_the_unit_is_a_figure(name: str, value: object) -> None:
    assert certificate_figures(read("persons"))[name].value == value


def test_a_parameter_of_the_subject_is_a_figure() -> None:
    assert certificate_figures(read("exact"))["parameters.epsilon"].value == Range.point(
        Fraction(2)
    )
