"""Conclusions from counts: when a claim is refuted, when nothing is said, and in which words."""

from __future__ import annotations

from fractions import Fraction

import pytest
from scipy.stats import binom

from audit.auditors.one_run.concluding import INCLUSION, PAIRS, Setup, conclude
from audit.statements.claim import Claim
from audit.statements.evidence import Decision, Evidence, Guesses
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove

PURE = ApproxDP(Fraction(1))


def setup(
    guarantee: Guarantee = PURE, canaries: int = 1000, runs: int = 1, **more: object
) -> Setup:
    claim = Claim(guarantee, AddRemove(), "output", None, None)
    given: dict[str, object] = {
        "design": INCLUSION,
        "seed": "1",
        "guesses": None,
        "error": Fraction(1, 20),
        "alarm": Fraction(1, 10**6),
        **more,
    }
    return Setup(claim, canaries=canaries, runs=runs, **given)  # type: ignore[arg-type]


def of_right(asked: Setup, *right: int) -> Evidence:
    return conclude(asked, asked.plan(), [Guesses(one, "0" * 64) for one in right])


# Of 750 guesses at ε = 1, 548.3 ± 12.1 are right on average.
@pytest.mark.parametrize(
    ("right", "decision", "said"),
    [
        (640, Decision.VIOLATED, "with a chance of at most"),
        (590, Decision.UNDECIDED, "suspicious"),
        (560, Decision.UNSEEN, "would have been right, which is refuted"),
        # A tossed coin is right as often in one of thirty runs, and no seed may be tried for it.
        (400, Decision.UNDECIDED, "no better than chance, or hardly"),
    ],
)
def test_decisions_follow_from_counts(right: int, decision: Decision, said: str) -> None:
    found = of_right(setup(), right)
    assert found.decision is decision and said in found.finding
    assert found.auditor == "one run" and not found.whole
    assert f"750 were guessed and {right} of these right" in found.finding


def test_the_fewest_that_refute_are_those_whose_chance_is_the_alarm() -> None:
    decisions = [of_right(setup(), right).decision for right in range(590, 640)]
    refuted = [k for k, decision in enumerate(decisions, 590) if decision is Decision.VIOLATED]
    assert refuted == list(range(refuted[0], 640))
    # By scipy.stats.binom.isf(1e-6, 750, e / (1 + e)): 603 or more have a chance below 1e-6.
    assert 602 <= refuted[0] <= 605


def test_few_coins_say_what_is_beyond_them() -> None:
    found = of_right(setup(GaussianDP(Fraction(1))), 230)
    assert found.decision is Decision.UNDECIDED
    assert "if all guesses were right, no claim above mu=0.7" in found.finding
    assert "mu >= 1.6" in found.finding


def test_runs_and_pairs_are_told() -> None:
    found = of_right(setup(runs=2, design=PAIRS), 560, 555)
    assert "1000 pairs of canaries, one of each in by fair coins" in found.finding
    assert "in each of 2 runs and 560, 555 of these right" in found.finding
    assert found.covers == "2 training runs on databases that differ in 1000 pairs of canaries"


@pytest.mark.parametrize("alarm", [Fraction(1, 20), Fraction(1, 10**6)])
def test_a_coin_that_is_tossed_is_hardly_ever_taken_for_a_guess(alarm: Fraction) -> None:
    asked = setup(alarm=alarm)
    fewest = next(k for k in range(375, 750) if of_right(asked, k).decision is Decision.UNSEEN)
    assert binom.sf(fewest - 1, 750, 0.5) <= 1e-3


@pytest.mark.parametrize(
    "guarantee",
    [
        ApproxDP(Fraction(10**400)),
        ApproxDP(Fraction(33)),
        GaussianDP(Fraction(500)),
        ZCDP(Fraction(10**6)),
        RenyiDP(Fraction(2), Fraction(1000)),
    ],
)
def test_claims_that_no_canaries_can_test_are_refused(guarantee: Guarantee) -> None:
    with pytest.raises(InputError, match="one run tests claims up to"):
        setup(guarantee)
    with pytest.raises(InputError, match="and sees leaks"):
        setup(detect=Fraction(129))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"guesses": 0}, "from 1 to"),
        ({"guesses": 1001}, "from 1 to"),
        ({"runs": 0}, "1 to 100 times"),
        ({"runs": 60, "guesses": 1000}, "at most 50000 coins"),
    ],
)
def test_what_cannot_be_is_refused(more: dict[str, int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        setup(**more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "guarantee",
    [
        ApproxDP(Fraction(32)),
        ApproxDP(Fraction(32), Fraction(1, 10**5)),
        GaussianDP(Fraction(32)),
        ZCDP(Fraction(32)),
        RenyiDP(Fraction(2), Fraction(32)),
    ],
)
def test_the_largest_claims_are_undecided(guarantee: Guarantee) -> None:
    assert of_right(setup(guarantee), 1).decision is Decision.UNDECIDED
