"""Power in words: in the verdict's box and on the ruler, of every way to fall short."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from audit.report.certificate.power import power_advice, power_text, unseen_text
from audit.report.certificate.terminal import certificate_lines
from audit.report.certificate.view import certificate_view
from audit.report.page import CertificateSection
from audit.report.ruler import power_marks
from audit.report.words import duration
from audit.statements.certificate import Certificate
from audit.statements.evidence import AttackReplay, Decision, Evidence
from proofs.guarantees import parse_guarantee
from tests.audit.report import samples
from tests.audit.report.pages import checked, page_of
from tests.audit.report.test_terminal import printed, words_of

ATTACKS = samples.attacks()

SEEN = (
    "On the pair and by the rule that were tested, a leak of ε ≥ 1.31 would have been refuted with "
    "a chance of 90 %"
)


def found(name: str) -> Evidence:
    return ATTACKS[name].evidence[0]


def tell_power(name: str, **changed: object) -> str:
    certificate = ATTACKS[name]
    asked = replace(certificate, **changed) if changed else certificate
    return " ".join((power_text(asked), *power_advice(asked)))


def test_what_was_not_refuted_says_what_would_have_been() -> None:
    assert tell_power("attack unseen") == (
        f"{SEEN} (this verdict needs one of ε = 2 to be). "
        "Of other pairs and of rarer events this says nothing. "
        "A leak of ε = 2, planted among its outputs, was refuted by the same learning and test."
    )


def test_too_few_runs_say_how_many_would_do_and_how_long_they_take() -> None:
    """A run takes a quarter of a second: 2 · 1500 of them, 12.5 minutes."""
    assert tell_power("attack few") == (
        "Too few runs to say NOT REFUTED. On the pair and by the rule that were tested, a leak of "
        "ε ≥ 3.2 would have been refuted with a chance of 90 %, and one of ε = 2 has to be. 1,500 "
        "runs a database would do, in about 12 minutes: repeat with --runs 1500."
    )
    assert "repeat with runs=1500" in tell_power("attack few", reproduce="")
    drawn = tell_power("attack few", subject={"kind": "outputs", "name": "outputs:a.csv,b.csv"})
    assert drawn.endswith("has to be. 1,500 outputs of each database would do.")
    power = replace(found("attack few").power, detectable=math.inf, needed=None)  # type: ignore[type-var]
    nothing = tell_power("attack few", evidence=(replace(found("attack few"), power=power),))
    assert "no leak, however large its ε, would have been refuted" in nothing
    assert "No number of runs that anybody waits for would do" in nothing


def test_what_was_interrupted_before_any_test_says_so_and_blames_no_pair() -> None:
    few = found("attack few")
    assert isinstance(few.replay, AttackReplay) and few.power is not None
    power = replace(few.power, detectable=math.inf, needed=None, runs=0)
    none = replace(few, power=power, witness=None, replay=replace(few.replay, partial=True))
    assert tell_power("attack few", evidence=(none,)) == (
        "The attack was interrupted before it had tested anything: make it again."
    )


def test_suspicion_says_how_many_more_runs_decide() -> None:
    assert tell_power("attack suspicious") == (
        "The guesses are right more often than the claim would explain (p = 0.0000013), and not "
        "often enough to refute it. Run 500 more on each database to decide, in about 12 minutes: "
        "repeat with --runs 1500."
    )


def test_a_control_that_was_missed_says_so() -> None:
    assert "A leak of ε = 2, planted among its outputs, was not refuted" in tell_power(
        "attack control missed"
    )
    assert "--runs 1500" in tell_power("attack control missed")


def test_a_claim_with_a_delta_and_one_of_another_parameter_are_told_in_their_own_words() -> None:
    assert "no leak, however large its ε at δ = 0.000001, would" in tell_power("attack far below")
    assert "a leak of ρ ≥ 0.7 would" in tell_power("attack concentrated")
    assert "needs one of μ = 2 to be" in tell_power("attack gaussian")


@pytest.mark.parametrize(
    "name", ["attack unseen", "attack few", "attack suspicious", "attack control missed"]
)
@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_it_stands_in_the_box_of_every_report(name: str, encoding: str) -> None:
    """Right under the verdict, before anything else that a report says."""
    certificate = ATTACKS[name]
    view = certificate_view(certificate)
    page = words_of(checked(page_of(CertificateSection("Attack", certificate))))
    for words in (power_text(certificate), *power_advice(certificate)):
        assert words in view.meaning and words in page
    terminal = words_of(printed(certificate_lines(certificate), encoding, width=400))
    assert terminal.index("NOT REFUTED" if "unseen" in name else "--runs 1500") > 0
    said = "would have been refuted" if name != "attack suspicious" else "more often than the claim"
    assert terminal.index(said) < terminal.index("Neighbours")
    assert "Power" in terminal and "Power" in page


def test_only_what_saw_enough_is_headed_not_refuted() -> None:
    heads = {name: certificate_view(own).verdict for name, own in ATTACKS.items()}
    assert heads["attack unseen"] == "NOT REFUTED"
    for name in ("attack few", "attack suspicious", "attack control missed"):
        assert heads[name] == "UNDECIDED"
        assert ATTACKS[name].verdict.exit_code == 3


def test_the_ruler_has_a_tick_with_its_words() -> None:
    (mark,) = power_marks(ATTACKS["attack unseen"])
    assert (mark.low, mark.high, mark.text) == (1.31, 1.31, "sees ε ≥ 1.31")
    assert "90 %" in mark.basis and not mark.whole
    (none,) = power_marks(ATTACKS["attack far below"])
    assert none.low == math.inf and none.text == "sees no ε"
    assert power_marks(ATTACKS["attack refuted"]) == ()
    view = certificate_view(ATTACKS["attack few"])
    assert view.scale.high >= 3.2 and view.bounds[-1].kind == "power"


def test_older_certificates_say_what_they_said_and_that_it_may_not_have_been_enough() -> None:
    of_before = ATTACKS["attack of before"]
    assert power_text(of_before) == ""
    told_of = unseen_text(of_before.evidence[0], of_before.claim.guarantee)
    assert "1,000 runs a leak of ε ≥ 1.31 would have been refuted with a chance of 80 %" in told_of
    assert "whether that was enough is not stated" in told_of
    silent = replace(of_before.evidence[0], resolution=None)
    assert "is not stated" in unseen_text(silent, of_before.claim.guarantee)


def test_what_is_violated_or_void_or_not_sampled_has_no_power() -> None:
    guarantee = parse_guarantee("epsilon=1")
    for name in ("attack refuted", "attack invalid", "attack deterministic"):
        assert tell_power(name) == "" == unseen_text(found(name), guarantee)
    two = samples.bound(samples.Side.EXACT, Fraction(2), Fraction(2))
    assert unseen_text(samples.finding(Decision.HOLDS, two), guarantee) == ""


def test_events_too_rare_to_be_seen_are_named_beside_the_finding() -> None:
    said = unseen_text(found("attack unseen"), parse_guarantee("epsilon=1"))
    assert said == (
        "Events of a chance below 0.00003 could not have been seen in these 1,000 runs."
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.01, "1 second"),
        (40, "40 seconds"),
        (89, "89 seconds"),
        (100, "2 minutes"),
        (5399, "90 minutes"),
        (7200, "2 hours"),
        (200_000, "2 days"),
    ],
)
def test_times_are_told_in_the_unit_that_a_reader_waits_in(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_an_audit_of_other_findings_is_told_as_before() -> None:
    proved: Certificate = samples.certificates()["proved"]
    assert power_text(proved) == ""
