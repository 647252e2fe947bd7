"""What is said of an attack, against the inequalities that it stands for."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from audit.auditors.attack.guessing.floors import floor, p_value
from audit.auditors.attack.guessing.guesses import Chances, Guesses
from audit.report.certificate.attack import MAX_EVENTS, attack_story
from audit.report.certificate.terminal import certificate_lines
from audit.report.certificate.view import certificate_view
from audit.report.page import CertificateSection
from audit.statements.databases import compact
from audit.statements.evidence import Decision, Replay, SampledWitness, ShownPair
from proofs.guarantees import parse_guarantee
from tests.audit.report import samples
from tests.audit.report.pages import checked, page_of
from tests.audit.report.samples import MADE, F, attack, sampled
from tests.audit.report.test_terminal import printed, words_of

ATTACKS = samples.attacks()
UNSEEN, VIOLATED, INVALID = Decision.UNSEEN, Decision.VIOLATED, Decision.INVALID


def told(
    witness: SampledWitness, claim: str = "epsilon=1", decision: Decision = UNSEEN
) -> dict[str, Any]:
    """The story by its fields."""
    return vars(attack_story(witness, parse_guarantee(claim), decision, "replay it"))


def pair(first: Any, second: Any, distance: int = 1, verified: bool = False) -> ShownPair:
    return ShownPair(first, second, distance, "given", verified)


def percentages(text: str) -> list[float]:
    return [float(part) / 100 for part in re.findall(r"([\d.]+) %", text)]


@pytest.mark.parametrize(("epsilon", "distance"), [("1", 1), ("1/10", 1), ("1/10", 22), ("5", 2)])
def test_the_accuracy_that_pure_privacy_allows_is_the_one_whose_floor_is_the_claim(
    epsilon: str, distance: int
) -> None:
    story = told(sampled(900, 20, pair=pair(0, 1, distance=distance)), f"epsilon={epsilon}")
    (most,) = percentages(story["allowed"])
    guarantee = parse_guarantee(f"epsilon={epsilon}")
    # Two digits of the distance from 100 % are shown.
    found = floor(Chances(most, 0.5), guarantee, distance)
    assert found == pytest.approx(float(Fraction(epsilon)), rel=0.05)
    assert f"e^{'ε' if distance == 1 else f'({distance}·ε)'}/(1 + e^" in story["allowed"]


@pytest.mark.parametrize("low", [-0.5, "-inf"])
def test_the_chance_that_gaussian_privacy_allows_is_the_one_whose_floor_is_the_claim(
    low: float | str,
) -> None:
    one_sided = low == "-inf"
    story = told(sampled(700, 50, rule={**samples.RULE, "low": low}), "mu=1")
    wrong, most = percentages(story["allowed"])
    # 50 of 1000 runs; of a one-sided rule, only those on one database could lead to them.
    assert wrong == pytest.approx(0.1 if one_sided else 0.05)
    found = floor(
        Chances(most / (most + wrong), most + wrong, one_sided), parse_guarantee("mu=1"), 1
    )
    assert found == pytest.approx(1, rel=0.01)


def test_with_delta_right_guesses_are_measured_by_wrong_ones() -> None:
    story = told(sampled(700, 50), "epsilon=1, delta=1e-6")
    assert "at most e^ε ≈ 2.718 times" in story["allowed"]
    assert story["allowed"].endswith("plus δ = 0.000001.")
    one_sided = told(
        sampled(700, 50, rule={**samples.RULE, "high": "inf"}), "epsilon=1, delta=1e-6"
    )
    assert one_sided["allowed"].endswith("plus half of δ = 0.000001.")


@pytest.mark.parametrize(
    ("claim", "limit"),
    [("rho=0.5", "every order α to be at most ρ·α"), ("alpha=8, rdp=2", "at most ε(α)")],
)
def test_divergences_are_allowed_in_their_own_language(claim: str, limit: str) -> None:
    story = told(sampled(700, 50), claim)
    assert limit in story["allowed"] and "ε-" not in story["allowed"]


def test_a_violation_is_called_one_and_nothing_else_is() -> None:
    ending = "the claim is violated."
    assert told(sampled(900, 20), decision=VIOLATED)["allowed"].endswith(ending)
    assert "violated" not in told(sampled(900, 20))["allowed"]


def test_the_counts_add_up_to_the_runs() -> None:
    story = told(sampled(5, 2, 1009))
    assert [(name, count) for name, (count, _) in story["counts"].rows] == [
        ("right", "5"),
        ("wrong", "2"),
        ("no guess", "1,002"),
    ]
    shares = " ".join(share for _, (_, share) in story["counts"].rows)
    assert sum(percentages(shares)) == pytest.approx(1, abs=2e-3)
    assert story["seen"] == "Of 7 guesses, 71.4 % were right."
    assert told(sampled(1, 0, 9))["seen"] == "Of 1 guess, 100 % was right."
    assert told(sampled(0, 0, 9))["seen"] == "In 9 runs the rule never guessed."
    assert told(sampled(0, 0, 0))["seen"] == "In 0 runs the rule never guessed."


def test_the_p_value_is_told_as_a_chance_under_the_claim() -> None:
    guesses = Guesses(1000, 900, 20)
    found = p_value(guesses, parse_guarantee("epsilon=1"))
    strength = told(sampled(900, 20, p_value=found))["strength"]
    assert found < 1e-12
    assert "at most 1 in a trillion (the p-value)" in strength
    assert "at most 0.031 (the p-value)" in told(sampled(900, 20, p_value=0.031))["strength"]
    # A p-value that underflowed is not told as a certainty.
    assert "at most 1 in a trillion" in told(sampled(900, 20, p_value=0.0))["strength"]
    assert told(sampled(9, 9))["strength"] == "Guesses like these do not speak against the claim."
    betting = told(sampled(90, 2, test="e-process", p_value=1e-7))
    assert "at any time" in betting["strength"] and "(the p-value)" not in betting["strength"]
    assert "bet on last" in betting["heading"]


def test_of_a_deterministic_subject_no_guesses_are_told() -> None:
    story = told(sampled(0, 0, 680, test="if deterministic", rule={}, digest="", p_value=0.0))
    assert (story["counts"], story["allowed"], story["digest"]) == (None, "", "")
    assert story["seen"] == "Each database gave one output in all of 680 runs together."
    assert "if the subject is deterministic" in story["strength"]


A, B, C = ({"age": 1, "name": "x"}, {"age": 2, "name": ""}, {"age": 3, "name": None})
A_TEXT, B_TEXT = "age = 1, name = x", "age = 2, name = (missing)"


@pytest.mark.parametrize(
    ("first", "second", "difference", "databases"),
    [
        ([A], [A, B], "with one record added", (("in B alone", B_TEXT), ("in both", A_TEXT))),
        ([A, B], [B], "without one record", (("in A alone", A_TEXT), ("in both", B_TEXT))),
        (
            [A, A, B],
            [A, B, C],
            "one record exchanged for another",
            (
                ("in A alone", A_TEXT),
                ("in B alone", "age = 3, name = (missing)"),
                ("in both", A_TEXT),
                ("in both", B_TEXT),
            ),
        ),
        (
            [A],
            [B, B, C],
            "Database A holds 1 record that B does not, and B 3 records that A does not.",
            (
                ("in A alone", "age = 1, name = x"),
                ("in B alone", "2 × age = 2, name = (missing)"),
                ("in B alone", "age = 3, name = (missing)"),
            ),
        ),
        (
            [A, B],
            [B, A],
            "the same records in another order",
            (("in both", A_TEXT), ("in both", B_TEXT)),
        ),
        (
            compact([A] * 900),
            compact([*[A] * 900, B]),
            "A holds 900 records, B 901.",
            (("in B alone", B_TEXT), ("in both", f"900 × {A_TEXT}")),
        ),
        ([], [{}], "with one record added", (("in B alone", "a record without attributes"),)),
        (0, 22, "two databases, A and B", (("database A", "0"), ("database B", "22"))),
        ([1, 2], [1, 3], "A and B", (("database A", "[1, 2]"), ("database B", "[1, 3]"))),
    ],
)
def test_how_the_databases_differ_is_said_in_records_where_there_are_any(
    first: Any, second: Any, difference: str, databases: tuple[tuple[str, str], ...]
) -> None:
    story = told(sampled(7, 2, pair=pair(first, second)))
    assert difference in story["difference"]
    assert story["databases"] == databases


def test_long_databases_are_cut_and_longer_ones_named_by_their_digest() -> None:
    story = told(sampled(7, 2, pair=pair(list(range(500)), {"sha256": "ab" * 32})))
    (_, first), (_, second) = story["databases"]
    assert len(first) < 300 and first.endswith("…")
    assert second.endswith("ab" * 32) and "not carried" in second
    many = [{"k": k} for k in range(50)]
    shown = told(sampled(7, 2, pair=pair([], many)))["databases"]
    assert shown[-1] == ("in B alone", "and 44 further records") and len(shown) == 7


@pytest.mark.parametrize(
    ("verified", "distance", "standing"),
    [
        (True, 1, "That they are neighbours under the claim was checked."),
        (False, 1, "That they are neighbours under the claim is taken on the user's word."),
        (True, 4, "That they are such ends under the claim was checked."),
    ],
)
def test_who_says_that_they_are_neighbours(verified: bool, distance: int, standing: str) -> None:
    story = told(sampled(7, 2, pair=pair(0, 1, verified=verified, distance=distance)))
    assert story["standing"] == standing
    chain = "so the floor is that of the ends, divided by 4"
    assert (chain in story["distance"]) == (distance == 4)


def test_many_conditions_of_an_event_are_counted() -> None:
    story = told(sampled(7, 2, event=tuple(f"line {k}" for k in range(MAX_EVENTS + 3))))
    assert len(story["events"]) == MAX_EVENTS
    assert story["events_left_out"] == "and 3 further conditions"
    assert told(sampled(7, 2))["events_left_out"] == ""


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("name", [name for name in ATTACKS if name != "attack hostile"])
def test_both_reports_say_all_of_an_attack(name: str, encoding: str) -> None:
    certificate = ATTACKS[name]
    view = certificate_view(certificate)
    terminal = words_of(printed(certificate_lines(certificate), encoding, width=200))
    page = words_of(checked(page_of(CertificateSection("Attack", certificate))))
    assert not re.search(r"\b(passed|safe|secure)\b", terminal, re.IGNORECASE)
    assert terminal.isascii() or encoding == "utf-8"
    said = [row.unseen for row in view.evidence] + [view.caution]
    for _, story in view.witnesses:
        fields = vars(story)
        said += [text for text in fields.values() if isinstance(text, str)]
        said += [*story.events, *(text for entry in story.databases for text in entry)]
        rows = () if story.counts is None else story.counts.rows
        said += [text for name, cells in rows for text in (name, *cells)]
    for words in filter(None, said):
        assert words in page
        if encoding == "utf-8":
            assert words in terminal


def test_what_was_interrupted_says_so_right_under_the_verdict() -> None:
    for report in (
        words_of(printed(certificate_lines(ATTACKS["attack interrupted"]), width=200)),
        words_of(checked(page_of(CertificateSection("A", ATTACKS["attack interrupted"])))),
    ):
        start = report.index("NOT REFUTED")
        assert 0 < report.index("Interrupted:") - start < report.index("Neighbours") - start
    view = certificate_view(ATTACKS["attack unseen"])
    assert view.caution == ""


def test_an_invalid_run_says_what_was_seen_and_bounds_nothing() -> None:
    certificate = ATTACKS["attack invalid"]
    view = certificate_view(certificate)
    assert (view.verdict, view.tone, view.bounds, view.witnesses) == (
        "INVALID RUN",
        "invalid-run",
        (),
        (),
    )
    assert view.evidence[0].bound == "–" and view.evidence[0].unseen == ""
    for report in (
        words_of(printed(certificate_lines(certificate), width=200)),
        words_of(checked(page_of(CertificateSection("Invalid", certificate)))),
    ):
        assert "Every run on a database gave the same output" in report
        assert "from runs that are no independent draws nothing follows for ε" in report
        # The claim's own ε is the only one.
        assert set(re.findall(r"ε\s*[=≥≤]\s*[\d.]+", report)) == {"ε = 1"}


def test_an_attack_that_saw_nothing_is_not_told_as_a_claim_that_holds() -> None:
    view = certificate_view(ATTACKS["attack unseen"])
    assert (view.evidence[0].decision, view.evidence[0].tone) == (
        "no violation seen",
        "no-violation-seen",
    )
    text = words_of(printed(certificate_lines(ATTACKS["attack unseen"]), width=200))
    assert "holds" not in text.replace("A holds", "")


def test_a_floor_without_an_upper_end_lies_at_its_own_end_of_the_ruler() -> None:
    for name, least in (("attack refuted", 3.62), ("attack far below", 0.01)):
        mark = certificate_view(ATTACKS[name]).bounds[0]
        assert mark.low == mark.high == pytest.approx(least)
        scale = certificate_view(ATTACKS[name]).scale
        # A power of nothing, however large, has a place of its own.
        assert scale.infinite == (name == "attack far below") and scale.high > least
    mark = certificate_view(ATTACKS["attack concentrated"]).bounds[0]
    assert mark.text == "ρ ≥ 0.4"


def test_the_command_is_the_stated_one_or_names_the_finding() -> None:
    evidence = replace(attack(VIOLATED, F(3), sampled(900, 20), None), replay=Replay())
    stated = replace(evidence, replay=replace(MADE, command="dp-audit replay CERT.json --runs 7"))
    certificate = samples.certificate(
        samples.claim(), samples.finding(Decision.UNDECIDED, None), stated, evidence
    )
    commands = [story.command for _, story in certificate_view(certificate).witnesses]
    assert commands == [
        "dp-audit replay CERT.json --runs 7",
        "dp-audit replay CERT.json --evidence 3",
    ]
