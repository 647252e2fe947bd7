from __future__ import annotations

from fractions import Fraction

import pytest

from audit.report.words import (
    DECISIONS,
    MEANINGS,
    bound_text,
    claimed_text,
    claimed_value,
    clean,
    enclosure_text,
    guarantee_words,
    shorten_numbers,
    vector,
)
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Bound, Decision, Side, Verdict
from proofs.guarantees import parse_guarantee

pytestmark = pytest.mark.smoke

F = Fraction
INF = float("inf")


@pytest.mark.parametrize(
    ("low", "high", "text"),
    [
        (F(2), F(2), "2"),
        (F(1, 3), F(1, 3), "≈ 0.3333333"),
        (F("2.39789527"), F("2.39789528"), "≈ 2.397895"),
        (F("0.99999999"), F("1.00000001"), "≈ 1"),
        (F("1.9"), F("2.1"), "1.9 to 2.1"),
        (F(1, 3), F(2, 3), "0.3333333 to 0.6666667"),
        (F(3), INF, "3 to ∞"),
        (INF, INF, "∞"),
        (F(0), F("1e-15"), "0 to 1e-15"),
    ],
)
def test_enclosed_values(low: F | float, high: F | float, text: str) -> None:
    assert enclosure_text(Enclosure(low, high)) == text


@pytest.mark.parametrize(
    ("side", "low", "high", "text"),
    [
        # Never rounded across the value: a floor goes down and a ceiling up.
        (Side.FLOOR, F(2, 3), F(1), "ε ≥ 0.6666666"),
        (Side.CEILING, F(0), F(1, 3), "ε ≤ 0.3333334"),
        (Side.CEILING, F(0), INF, "ε ≤ ∞"),
        (Side.FLOOR, INF, INF, "ε = ∞"),
        (Side.EXACT, F(2), F(2), "ε = 2"),
        (Side.EXACT, F(1, 3), F(1, 3), "ε ≈ 0.3333333"),
    ],
)
def test_bounds(side: Side, low: F | float, high: F | float, text: str) -> None:
    assert bound_text(Bound(side, Enclosure(low, high), "all", "exact")) == text


@pytest.mark.parametrize(
    ("name", "side", "low", "high", "text"),
    [
        ("mu", Side.EXACT, F(3, 2), F(3, 2), "μ = 1.5"),
        ("rho", Side.FLOOR, F(2, 3), F(1), "ρ ≥ 0.6666666"),
        ("rho", Side.FLOOR, INF, INF, "ρ = ∞"),
        ("rdp", Side.CEILING, F(0), F(1, 3), "ε(α) ≤ 0.3333334"),
    ],
)
def test_a_bound_on_a_claims_own_parameter(
    name: str, side: Side, low: F | float, high: F | float, text: str
) -> None:
    one = Enclosure(F(1), F(1))
    assert bound_text(Bound(side, one, "all", "exact", (name, Enclosure(low, high)))) == text


@pytest.mark.parametrize(
    ("claim", "symbol", "most", "text"),
    [
        ("epsilon=1/3, delta=0.5", "ε", F(1, 3), "ε = 1/3"),
        ("rho=0.5", "ρ", F(1, 2), "ρ = 0.5"),
        ("mu=2", "μ", F(2), "μ = 2"),
        ("alpha=8, rdp=3", "ε(α)", F(3), "ε(α) = 3"),
    ],
)
def test_what_a_claim_bounds(claim: str, symbol: str, most: F, text: str) -> None:
    guarantee = parse_guarantee(claim)
    assert claimed_value(guarantee) == (symbol, most) and claimed_text(guarantee) == text


def test_every_verdict_has_one_sentence() -> None:
    assert set(MEANINGS) == set(Verdict)
    for sentence in MEANINGS.values():
        assert sentence.endswith(".") and sentence.count(".") == 1
        assert not {"passed", "safe", "secure"} & set(sentence.lower().split())


def test_every_decision_has_its_own_words() -> None:
    assert set(DECISIONS) == set(Decision)
    assert len(set(DECISIONS.values())) == len(Decision)
    assert DECISIONS[Decision.OPEN] == "does not reach the claim"


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("epsilon=1", "pure differential privacy with ε = 1"),
        ("epsilon=1, delta=0.5", "approximate differential privacy with ε = 1, δ = 0.5"),
        ("rho=0.5", "zero-concentrated differential privacy with ρ = 0.5"),
        ("mu=1", "Gaussian differential privacy with μ = 1"),
        ("alpha=8, rdp=2", "Rényi differential privacy with α = 8, ε(α) = 2"),
    ],
)
def test_guarantees(claim: str, words: str) -> None:
    assert guarantee_words(parse_guarantee(claim)) == words


def test_vectors() -> None:
    assert vector((3, None, "a")) == "(3, suppressed, “a”)"
    assert vector(("yes",)) == "“yes”"
    assert vector(((1, 2), (3,))) == "((1, 2), (3))"
    assert vector(("age=1", 3, None)) == "“age=1”: (3, suppressed)"
    assert vector(()) == "()"


def test_invisible_characters_are_spelled_out() -> None:
    assert clean("a\x1b[0m\n\u202e\ud800 é ε") == "a\\x1b[0m\\n\\u202e\\ud800 é ε"


@pytest.mark.parametrize(
    ("sentence", "short"),
    [
        ("epsilon is at most exactly 1 over it", "epsilon is at most 1 over it"),
        ("at most exactly 1946/1000, by it", "at most 1.946, by it"),
        ("at most in [1.9, 1.94591014905], so", "at most 1.945911, so"),
        ("is in [1.945910149, 1.94591015]: all", "is ≈ 1.94591: all"),
        ("is exactly 1/3, or infinite", "is ≈ 0.3333333, or infinite"),
        ("is in [0.5, inf] here", "is 0.5 to ∞ here"),
        ("is exactly 1/0 and in [b, a]", "is exactly 1/0 and in [b, a]"),
    ],
)
def test_numbers_of_a_finding_are_short_and_a_ceiling_is_rounded_up(
    sentence: str, short: str
) -> None:
    assert shorten_numbers(sentence) == short
