"""The verdict's box: what it says of where a subject ran, and of what remains assumed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from audit.report.certificate.verdict import explain_verdict, head_verdict, state_rests
from audit.report.html import render
from audit.report.page import CertificateSection, Page
from audit.statements.certificate import Certificate
from audit.statements.claim import Claim
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Bound, Cause, Decision, Evidence, Side
from audit.statements.finding import Finding, Rigour
from audit.statements.isolation import PLAIN, Isolation
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.neighbours import ReplaceOne

ONE = Enclosure(Fraction(1), Fraction(1))
APART = Isolation("namespaces", "own root", "namespace")
OBSERVED = Evidence(
    "exhaustive", "all", Decision.HOLDS, "all", True, bound=Bound(Side.EXACT, ONE, "all", "exact")
)
CEILING = replace(
    OBSERVED,
    auditor="proof",
    decision=Decision.OPEN,
    bound=Bound(Side.CEILING, Enclosure(Fraction(2), Fraction(2)), "all", "rigorous"),
)
UNSEEN = replace(OBSERVED, auditor="attack", decision=Decision.UNSEEN, bound=None)


def certificate(
    kind: str, *evidence: Evidence, released: str = "output", **more: Any
) -> Certificate:
    claim = Claim(parse_guarantee("epsilon=1"), ReplaceOne(), released, Domain.from_cells("2"), 2)
    return Certificate({"kind": kind, "name": "it"}, claim, evidence, (), "x", **more)


def test_exact_about_other_peoples_code_is_so_as_observed_with_the_ceiling_of_every_run() -> None:
    made = certificate("module", OBSERVED, CEILING, isolation=APART)
    assert head_verdict(made) == "EXACT for the program as observed"
    assert (
        "The ceiling that stands for every run is that of its questions or its budget: ε ≤ 2."
        in (explain_verdict(made))
    )
    without = certificate("module", OBSERVED, isolation=APART)
    assert "No ceiling stands for every run" in explain_verdict(without)
    transcript = certificate("module", OBSERVED, isolation=APART, released="transcript")
    assert explain_verdict(transcript).endswith("stands for every run that keeps to them.")
    assert head_verdict(certificate("program", OBSERVED)) == "EXACT"


@pytest.mark.parametrize(
    ("evidence", "unproved", "why"),
    [
        ((OBSERVED, CEILING), None, "the best that is proved is ε ≤ 2, and the claim is ε = 1."),
        ((OBSERVED,), "no rule speaks of it", "no rule speaks of it."),
        ((OBSERVED,), None, "the certificate does not say why."),
    ],
)
def test_exact_says_that_no_theorem_covers_more_and_why(
    evidence: tuple[Evidence, ...], unproved: str | None, why: str
) -> None:
    for kind in ("program", "module"):
        made = certificate(kind, *evidence, isolation=APART, unproved=unproved)
        said = f"No theorem covers larger domains or more records: {why}"
        assert said in explain_verdict(made)
        page = Page("It", "It.", (CertificateSection("It", made),))
        assert "No theorem covers larger domains" in render(page)
    proved = certificate("program", OBSERVED, replace(CEILING, decision=Decision.HOLDS, proof={}))
    assert "No theorem" not in explain_verdict(proved)


def test_a_refutation_names_its_causes_with_the_mend_on_the_first_screen() -> None:
    def attack(name: str, seen: str) -> Evidence:
        return replace(UNSEEN, decision=Decision.VIOLATED, cause=Cause(name, seen))

    bits, scale = attack("low-bits", "the bits tell"), attack("small-scale", "it is shifted")
    unknown = attack("not recognised", "nobody knows")
    made = certificate("function", bits, scale, bits, unknown)
    meaning = explain_verdict(made)
    assert "It shows the leak of low bits: the bits tell. Round the value to a grid" in meaning
    assert "Behind that, the leak of too little noise: it is shifted. Scale the" in meaning
    assert meaning.count("low bits") == 1 and "nobody knows" not in meaning
    page = Page("It", "It.", (CertificateSection("It", made),))
    box = render(page).partition('<ol class="next">')[2].partition("</ol>")[0]
    assert "Round the value to a grid" in box
    assert explain_verdict(certificate("function", unknown)).endswith("violates it.")
    finding = Finding(
        auditor="data independence",
        decision=Decision.VIOLATED,
        covers="some",
        about="schema",
        declared="the same",
        found="it has column b or not",
        rigour=Rigour.STATISTICAL,
    )
    told = explain_verdict(certificate("function", finding, unknown))
    assert "By data independence, schema: it has column b or not. Fix the columns" in told
    assert "By data independence" not in explain_verdict(certificate("function", finding, bits))


@pytest.mark.parametrize(
    ("isolation", "trusted", "words"),
    [
        (APART, False, "The subject ran in a user and process namespace of its own, seeing only"),
        (APART, True, "The subject ran in a user and process namespace of its own, seeing only"),
        (PLAIN, True, "The subject is trusted (--trust-subject), as nothing kept it"),
        (Isolation("forked", "none", "none"), True, "The program is trusted, as the caller's own"),
    ],
)
def test_the_box_says_where_the_subject_ran_and_on_whose_word(
    isolation: Isolation, trusted: bool, words: str
) -> None:
    made = certificate("module", OBSERVED, isolation=isolation, trusted=trusted)
    assert state_rests(made).startswith(words)
    assert "the output is made of the noisy answers and a drawn seed alone" in state_rests(made)


def test_of_what_can_only_be_run_the_box_says_what_that_rests_on() -> None:
    made = certificate("command", UNSEEN, isolation=PLAIN)
    assert state_rests(made).startswith("The subject ran in a process of the same user")
    assert "independent draws of one law" in state_rests(made)
    assert "independent draws" in state_rests(certificate("function", UNSEEN))


def test_of_a_channel_the_file_is_taken_at_its_word() -> None:
    made = certificate("channel", OBSERVED)
    assert state_rests(made) == (
        "Taken for granted, and not shown: the file's matrix is the law of the mechanism."
    )


def test_what_the_maker_says_of_the_auditors_stands_in_the_box_as_their_word() -> None:
    told = {"caught": 3, "liars": 3, "accused": 0, "honest": 2, "form": "quick"}
    made = certificate("program", OBSERVED, self_test=told)
    assert state_rests(made).endswith(
        "By its maker's word, the auditors were tested beforehand: 3 of 3 lying subjects caught, "
        "0 of 2 honest ones accused (quick form, by this code)."
    )
    page = render(Page("t", "l", (CertificateSection("t", made),)))
    box = page[page.index('<div class="verdict">') :]
    assert "maker" in box[: box.index("</div>")]


def test_what_was_not_kept_apart_and_is_not_trusted_is_undecided_and_says_why() -> None:
    made = certificate("module", OBSERVED, isolation=PLAIN)
    assert head_verdict(made) == "UNDECIDED"
    assert explain_verdict(made).startswith("The findings entail EXACT, but nothing kept")
    assert "This rests" not in state_rests(made)
