"""The plan: what its runs can see at best, how many would do, and how long they take."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from audit.auditors.attack.plan import find_least_seen, make_plan
from audit.auditors.effort import Attack
from audit.statements.claim import Claim
from audit.statements.durations import spell_seconds
from audit.subjects.pair import Pair
from proofs.guarantees import parse_guarantee
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove

ATTACK = Attack(runs=500, seed=1, error=Fraction(1, 20), alarm=Fraction(1, 10**6))
GIVEN = replace(ATTACK, pair=Pair(0, 1))
CLAIMS = ("epsilon=1", "epsilon=1, delta=1e-3", "mu=1", "rho=1/2", "alpha=4, rdp=1")


def claim(text: str = "epsilon=1", records: int | None = 50) -> Claim:
    return Claim(parse_guarantee(text), AddRemove(), "output", Domain.from_cells("2"), records)


def test_so_few_runs_that_nothing_can_be_refuted_are_said_before_they_are_made() -> None:
    """All of n guesses right have the chance (e/(1 + e))^n <= 0.9e-6 from n = 45 on."""
    enough = math.ceil(math.log(0.9e-6) / math.log(math.e / (1 + math.e)))
    assert enough == 45
    plan = make_plan(claim(), replace(GIVEN, runs=12), None)
    assert math.isinf(plan.sees)
    words = plan.words()
    assert "at most 24 runs; no leak, however large, can refute epsilon=1 in so few" in words
    # By default, twice the claim.
    assert f"and epsilon = 2 was to be detected: that takes --runs {plan.needed} or more" in words
    # 85 % of the runs on both databases certify: 27 a database make 45, and 26 make 44.
    assert math.isinf(find_least_seen(claim(), GIVEN, 26))
    assert find_least_seen(claim(), GIVEN, 27) < math.inf


@pytest.mark.parametrize("text", CLAIMS)
@pytest.mark.parametrize("until_decided", [False, True])
def test_more_runs_see_less_and_never_what_is_claimed(text: str, until_decided: bool) -> None:
    attack = replace(ATTACK, until_decided=until_decided)
    seen = [find_least_seen(claim(text), attack, runs) for runs in (500, 5_000, 50_000)]
    assert seen[0] > seen[1] > seen[2] > {"rho=1/2": 0.5}.get(text, 1)


@pytest.mark.parametrize("text", CLAIMS)
def test_the_runs_that_would_do_do(text: str) -> None:
    wanted = Fraction(3, 5) if text == "rho=1/2" else Fraction(6, 5)
    attack = replace(ATTACK, detect=wanted)
    needed = make_plan(claim(text), attack, None).needed
    assert needed is not None
    assert find_least_seen(claim(text), attack, needed) <= wanted
    # To 5 %.
    assert find_least_seen(claim(text), attack, int(needed / 1.11)) > wanted


def test_what_was_to_be_detected_is_said_where_it_is_out_of_reach() -> None:
    plan = make_plan(claim(), replace(GIVEN, detect=Fraction(6, 5)), None)
    assert 1.2 < plan.sees < 3
    assert "and epsilon = 1.2 was to be detected: that takes --runs " in plan.words()
    assert make_plan(claim(), replace(GIVEN, detect=Fraction(4)), None).needed is None


def test_a_leak_that_nobody_can_tell_from_the_claim_takes_more_than_anybody_makes() -> None:
    assert make_plan(claim(), replace(GIVEN, detect=Fraction(10001, 10000)), None).needed is None


def test_chains_see_less_where_there_are_records_for_them() -> None:
    assert find_least_seen(claim(records=50), ATTACK, 500) < find_least_seen(
        claim(records=1), ATTACK, 500
    )


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(3, "some seconds"), (59.6, "about 60 s"), (150, "about 2 min"), (9000, "about 2 h")],
)
def test_time_is_said_as_whoever_waits_says_it(seconds: float, words: str) -> None:
    assert spell_seconds(seconds) == words
    told = make_plan(claim(), ATTACK, seconds / 1000).words()
    assert told.startswith(f"plan: at most 1,000 runs, {words}; at best they can see epsilon >= ")
