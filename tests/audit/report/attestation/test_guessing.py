"""A claim for laypersons: how often a guess is right, by formulas of the papers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy.stats import norm

from audit.report.attestation.guessing import describe_guess, most_right
from audit.statements.claim import Claim
from audit.statements.evidence import Verdict
from proofs.guarantees import parse_guarantee
from synthesizers.neighbours import neighbours_from

E = math.e


@pytest.mark.parametrize(
    ("claim", "most"),
    [
        ("epsilon=0", 0.5),
        ("epsilon=1", E / (1 + E)),
        ("epsilon=1, delta=1/10", (E + 0.1) / (1 + E)),
        ("epsilon=0, delta=9/10", 0.95),
        ("mu=2", float(norm.cdf(1))),
        ("rho=1/50", 0.5 + math.sqrt(0.02 / 2) / 2),
        ("alpha=8, rdp=1/50", 0.5 + math.sqrt(0.02 / 2) / 2),
        ("epsilon=1000000", 1.0),
    ],
)
def test_a_guess_is_right_as_often_as_the_formula_says_and_never_less(
    claim: str, most: float
) -> None:
    found = most_right(parse_guarantee(claim))
    assert float(found) == pytest.approx(most, rel=1e-9)
    assert found >= Fraction(most) * (1 - Fraction(1, 10**15)) and found <= 1


def tell(verdict: Verdict, *relation: str | int) -> tuple[str, str, str]:
    made = neighbours_from(*relation)
    return describe_guess(Claim(parse_guarantee("epsilon=1"), made, "output", None, None), verdict)


def test_the_sentence_names_who_is_guessed() -> None:
    asked = {
        ("add-remove",): "guesses whether one record is in the table",
        ("add-remove", "person", 3): "guesses whether one person is in the table",
        ("replace-one",): "guesses which of two records is in the table",
        ("replace-one", "person", 3): "guesses which of two persons is in the table",
    }
    for relation, words in asked.items():
        before, after, sentence = tell(Verdict.PROVED, *relation)
        assert (before, after) == ("50 %", "at most 73.2 %") and words in sentence


def test_a_limit_is_said_without_more_only_where_it_is_shown() -> None:
    for verdict in Verdict:
        _, after, sentence = tell(verdict, "add-remove")
        if verdict in (Verdict.PROVED, Verdict.EXACT):
            assert sentence.endswith("at most 73.2 %.")
        elif verdict in (Verdict.NOT_REFUTED, Verdict.UNDECIDED):
            assert after == "at most 73.2 %, if the claim is true"
            assert sentence.endswith("which is not shown.")
        else:
            assert after == "no limit is known" and "73" not in sentence
