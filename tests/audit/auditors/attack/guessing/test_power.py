"""Power: leaks of the detectable size are refuted in 90 % of attacks, smaller ones are not."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom, norm

from audit.auditors.attack.guessing.betting import along
from audit.auditors.attack.guessing.floors import p_value
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.attack.guessing.power import (
    Bets,
    Binomial,
    bound_unseen,
    choose_detect,
    count_enough_runs,
    find_detectable,
    find_rate,
    require_detect,
)
from proofs.guarantees import (
    ZCDP,
    ApproxDP,
    GaussianDP,
    Guarantee,
    RenyiDP,
    parse_guarantee,
)
from synthesizers.errors import InputError

ONE = ApproxDP(Fraction(1))
GUESSES = Guesses(2000, 600, 200)

CLAIMS: list[Guarantee] = [
    ONE,
    ApproxDP(Fraction(0)),
    ApproxDP(Fraction(3)),
    ApproxDP(Fraction(1), Fraction(1, 20)),
    GaussianDP(Fraction(1)),
    ZCDP(Fraction(1, 2)),
    RenyiDP(Fraction(4), Fraction(1)),
]


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


@pytest.mark.parametrize("alarm", [0.05, 1e-6])
@pytest.mark.parametrize("epsilon", [0, 1, 3])
@pytest.mark.parametrize("distance", [1, 4])
def test_pure_epsilon_has_the_power_of_the_binomial_test(
    alarm: float, epsilon: int, distance: int
) -> None:
    made, claimed = 800, _logistic(epsilon * distance)
    if epsilon * distance > 10:
        claimed = _logistic(12)
    critical = next(c for c in range(made + 2) if binom.sf(c - 1, made, claimed) <= alarm)
    found = find_detectable(Binomial(ApproxDP(Fraction(epsilon)), alarm, distance), GUESSES)
    if critical > made:
        assert found == math.inf
    else:
        accuracy = _logistic(found * distance)
        assert binom.sf(critical - 1, made, accuracy) == pytest.approx(0.9, abs=1e-6)


def test_the_standard_errors_of_the_textbook_are_nearly_met() -> None:
    # From 1/2 with 800 guesses, by the normal approximation: (z_0.95 + z_0.9) / (2 √800).
    found = find_detectable(Binomial(ApproxDP(Fraction(0)), 0.05), GUESSES)
    accuracy = 0.5 + (norm.isf(0.05) + norm.isf(0.1)) / (2 * math.sqrt(800))
    assert found == pytest.approx(math.log(accuracy / (1 - accuracy)), rel=0.02)


@pytest.mark.parametrize(
    "claim",
    [pytest.param(c, marks=pytest.mark.slow) if isinstance(c, ZCDP) else c for c in CLAIMS],
    ids=str,
)
def test_the_smallest_right_chance_with_the_power_shows_the_detectable_value(
    claim: Guarantee,
) -> None:
    """By simulation of guesses with the very chance, found again from the claim's formula.

    1000 attacks, Hoeffding: a share of refuted attacks further than 0.08 from its mean has a
    probability < 2 exp(-2 · 1000 · 0.08²) < 6e-6. The mean is 0.9 as the number of guesses is held.
    """
    found = find_detectable(Binomial(claim, 0.05), GUESSES)
    accuracy = _accuracy(claim, found, GUESSES.number / GUESSES.runs)

    def refutes(correct: int) -> bool:
        return p_value(Guesses(2000, correct, 800 - correct), claim) <= 0.05

    drawn = Counter(np.random.default_rng(0).binomial(800, accuracy, 1000).tolist())
    share = sum(times for correct, times in drawn.items() if refutes(correct)) / 1000
    assert share == pytest.approx(0.9, abs=0.08)


def _accuracy(claim: Guarantee, value: float, rate: float) -> float:
    """How often guesses at a rate may be right under the guarantee, by bisection of its formula."""
    low, high = 0.5, 1 - 1e-12
    for _ in range(50):
        middle = (low + high) / 2
        c, w = middle * rate, (1 - middle) * rate
        match claim:
            case ApproxDP(delta=delta):
                allowed = c <= math.exp(value) * w + float(delta)
            case GaussianDP():
                allowed = norm.ppf(c) - norm.ppf(w) <= value
            case RenyiDP(alpha=order):
                allowed = _renyi(c, w, float(order)) <= value
            case ZCDP():
                orders = [1 + math.exp(k / 8) for k in range(-48, 33)]
                allowed = all(_renyi(c, w, a) <= value * a for a in orders)
        low, high = (middle, high) if allowed else (low, middle)
    return low


def _renyi(c: float, w: float, a: float) -> float:
    return math.log(c**a * w ** (1 - a) + w**a * c ** (1 - a) + 1 - c - w) / (a - 1)


def test_a_gaussian_of_the_detectable_mu_is_refuted_in_nine_of_ten_attacks() -> None:
    # 400 attacks of 2000 runs with their own coins; Hoeffding: 0.1 off has < 2 exp(-8) = 7e-4, and
    # the number of guesses, no longer held, moves the mean by some 0.01.
    claim, cut, random = GaussianDP(Fraction(1)), 0.8, np.random.default_rng(1)

    def attacked(mu: float) -> Guesses:
        coins = random.integers(0, 2, 2000).astype(bool)
        outputs = random.normal(size=2000) + np.where(coins, mu / 2, -mu / 2)
        made = abs(outputs) > cut
        right = int(np.count_nonzero(made & ((outputs > 0) == coins)))
        return Guesses(2000, right, int(np.count_nonzero(made)) - right)

    # The rate of guesses of this cut depends on μ: the one with its own rate is looked for.
    mu = 1.0
    for _ in range(20):
        rate = float(norm.sf(cut - mu / 2) + norm.cdf(-cut - mu / 2))
        made = round(2000 * rate)
        mu = find_detectable(Binomial(claim, 0.05), Guesses(2000, made, 0))
    refuted = [p_value(attacked(mu), claim) <= 0.05 for _ in range(400)]
    assert np.mean(refuted) == pytest.approx(0.9, abs=0.1)
    smaller = [p_value(attacked(1 + (mu - 1) / 2), claim) <= 0.05 for _ in range(200)]
    assert np.mean(smaller) < 0.5


@pytest.mark.parametrize("claim", [ONE, ApproxDP(Fraction(1), Fraction(1, 20))], ids=str)
def test_bets_of_one_rule_reach_the_wealth_in_nine_of_ten_attacks(claim: Guarantee) -> None:
    # 1000 streams of which only the last wealth counts; Hoeffding as above.
    found = find_detectable(Bets(claim, 0.05), GUESSES)
    accuracy = _accuracy(claim, found, 0.4)
    process = along(claim, 1, False, 0.05)

    def reached(correct: int) -> bool:
        tally = np.array([[[correct, 800 - correct, 1200]]], np.int64)
        return replace(process, tally=tally).log_wealth >= math.log(20)

    drawn = Counter(np.random.default_rng(2).binomial(800, accuracy, 1000).tolist())
    share = sum(times for correct, times in drawn.items() if reached(correct)) / 1000
    assert share == pytest.approx(0.9, abs=0.08)


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_bets_see_less_than_the_test_at_a_fixed_number_of_runs(claim: Guarantee) -> None:
    batch, bets = (find_detectable(test(claim, 1e-3), GUESSES) for test in (Binomial, Bets))
    assert batch < bets < math.inf


@pytest.mark.parametrize("claim", CLAIMS[:5], ids=str)
def test_more_runs_see_smaller_leaks_and_a_smaller_alarm_larger_ones(claim: Guarantee) -> None:
    more = Guesses(20_000, 6000, 2000)
    loose, strict = Binomial(claim, 1e-3), Binomial(claim, 1e-6)
    seen = find_detectable(loose, GUESSES)
    assert find_detectable(loose, more) < seen < find_detectable(strict, GUESSES)


def test_only_the_number_of_guesses_counts_not_how_they_came_out() -> None:
    for test in (Binomial(ONE, 0.05), Bets(ONE, 0.05)):
        assert find_detectable(test, Guesses(2000, 0, 800)) == find_detectable(test, GUESSES)


def test_without_guesses_or_with_too_few_nothing_is_detectable() -> None:
    for test in (Binomial(ONE, 0.05), Bets(ONE, 0.05)):
        for guesses in (Guesses(2000, 0, 0), Guesses(2000, 2, 0), Guesses(0, 0, 0)):
            assert find_detectable(test, guesses) == math.inf
    assert bound_unseen(0) == 1


@pytest.mark.parametrize("one_sided", [False, True])
def test_delta_is_taken_from_the_chances_of_the_event_under_either_database(
    one_sided: bool,
) -> None:
    # 400 guesses in 2000 runs. If all are of one coin, the event's chances under the two databases
    # sum to 0.4, and those of a right and a wrong guess of any coin to 0.2 otherwise.
    claim = ApproxDP(Fraction(1), Fraction(1, 20))

    def make_guesses(correct: int) -> Guesses:
        return Guesses(2000, correct, 400 - correct, one_sided)

    critical = next(c for c in range(401) if p_value(make_guesses(c), claim) <= 0.05)
    accuracies = np.linspace(0.5, 1, 50_001)[:-1]
    accuracy = accuracies[np.argmax(binom.sf(critical - 1, 400, accuracies) >= 0.9)]
    both = 0.4 if one_sided else 0.2
    expected = math.log((accuracy * both - 0.05) / ((1 - accuracy) * both))
    assert find_detectable(Binomial(claim, 0.05), make_guesses(300)) == pytest.approx(
        expected, abs=1e-3
    )


@pytest.mark.parametrize("runs", [100, 2000, 10**6])
def test_an_event_of_chance_delta_is_missed_with_less_than_one_in_twenty(runs: int) -> None:
    delta = bound_unseen(runs)
    assert delta == pytest.approx(3 / (runs / 2))
    assert 0.04 < (1 - delta / 2) ** runs < 0.05


def test_a_chance_of_four_in_five_is_that_of_older_certificates() -> None:
    critical = next(c for c in range(802) if binom.sf(c - 1, 800, _logistic(1)) <= 1e-6)
    found = find_detectable(Binomial(ONE, 1e-6), GUESSES, 0.8)
    assert binom.sf(critical - 1, 800, _logistic(found)) == pytest.approx(0.8, abs=1e-6)
    assert found < find_detectable(Binomial(ONE, 1e-6), GUESSES)


@pytest.mark.parametrize(
    ("claim", "detect"),
    [
        ("epsilon=1", "2"),
        ("epsilon=1/10", "1/5"),
        ("epsilon=3, delta=1e-6", "6"),
        ("mu=1/2", "1"),
        # A Gaussian of half the noise has twice the μ: μ²/2 and αμ²/2 are four times as much.
        ("rho=1/2", "2"),
        ("alpha=8, rdp=4", "16"),
        ("epsilon=0", "1/4"),
        ("epsilon=0, delta=1/10", "1/4"),
        ("mu=0", "1/4"),
        ("rho=0", "1/32"),
        ("alpha=8, rdp=0", "1/4"),
    ],
)
def test_what_must_be_seen_is_the_leak_of_half_the_noise(claim: str, detect: str) -> None:
    guarantee = parse_guarantee(claim)
    assert choose_detect(guarantee) == require_detect(guarantee, None) == Fraction(detect)
    assert require_detect(guarantee, Fraction(100)) == 100


@pytest.mark.parametrize("claim", ["epsilon=1", "mu=1", "rho=1", "alpha=2, rdp=1"])
@pytest.mark.parametrize("stated", [Fraction(0), Fraction(1, 2), Fraction(1)])
def test_a_leak_that_the_claim_allows_can_never_be_seen(claim: str, stated: Fraction) -> None:
    with pytest.raises(InputError, match=r"--detect is a leak beyond the claim.*=1; found"):
        require_detect(parse_guarantee(claim), stated)


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
@pytest.mark.parametrize("rate", [0.05, 0.4])
def test_guesses_right_as_often_as_said_show_the_value(claim: Guarantee, rate: float) -> None:
    value = float(choose_detect(claim))
    found = find_rate(value, rate, claim)
    # Of ρ, which is the largest over all orders, the grids of orders differ.
    near = 1e-3 if isinstance(claim, ZCDP) else 1e-6
    assert found == pytest.approx(_accuracy(claim, value, rate), abs=near)


def test_at_a_distance_randomised_response_is_that_of_all_steps() -> None:
    found = find_rate(0.25, 0.5, ApproxDP(Fraction(1, 10)), 4)
    assert found == pytest.approx(_logistic(1), abs=1e-7)


@pytest.mark.parametrize("claim", [ONE, CLAIMS[3], GaussianDP(Fraction(1))], ids=str)
def test_the_runs_that_would_do_see_the_leak_and_a_tenth_fewer_do_not(claim: Guarantee) -> None:
    test, value = Binomial(claim, 1e-6), float(choose_detect(claim))
    runs = count_enough_runs(test, GUESSES, find_rate(value, 0.4, claim))
    assert runs is not None
    assert find_detectable(test, Guesses(runs, round(0.4 * runs), 0)) <= value * 1.01
    fewer = runs * 9 // 10
    assert find_detectable(test, Guesses(fewer, round(0.4 * fewer), 0)) > value


def test_what_nobody_waits_for_is_not_named() -> None:
    claim = ApproxDP(Fraction(1))
    assert count_enough_runs(Binomial(claim, 1e-6), GUESSES, _logistic(1.0000001)) is None


@pytest.mark.parametrize(
    ("claim", "stated"),
    [
        ("epsilon=1e400", None),
        ("mu=1e7", None),
        ("epsilon=1", Fraction(10**400)),
        ("alpha=1e400, rdp=1", None),
    ],
)
def test_what_no_number_of_runs_sees_is_refused(claim: str, stated: Fraction | None) -> None:
    with pytest.raises(InputError, match="no number of runs tests a claim or an order, or sees"):
        require_detect(parse_guarantee(claim), stated)
