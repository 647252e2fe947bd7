"""Floors: of exact finite mechanisms never above the truth, which is computed another way."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import expit, logsumexp
from scipy.stats import binom, norm

from audit.auditors.attack.guessing.floors import (
    claimed_value,
    floor,
    floor_bound,
    p_value,
    rate_matters,
    takes_distance,
)
from audit.auditors.attack.guessing.guesses import Chances, Guesses, chances
from audit.statements.evidence import Side
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke

PURE = ApproxDP(Fraction(1))
DELTA = ApproxDP(Fraction(1), Fraction(1, 20))
ORDERS = (Fraction(3, 2), Fraction(8))
CLAIMS: tuple[Guarantee, ...] = (
    PURE,
    DELTA,
    GaussianDP(Fraction(1)),
    ZCDP(Fraction(1, 2)),
    *(RenyiDP(order, Fraction(1)) for order in ORDERS),
)

Law = NDArray[np.float64]


def events(size: int) -> NDArray[np.bool_]:
    """Every set of outcomes."""
    return np.array(list(itertools.product((False, True), repeat=size)))


def hockey_stick(p: Law, q: Law, epsilon: float) -> float:
    return float(np.clip(p - math.exp(epsilon) * q, 0, None).sum())


def least_epsilon(p: Law, q: Law, delta: float) -> float:
    """The least ε at δ, one way round: δ(ε) is convex and falls."""
    if hockey_stick(p, q, 0.0) <= delta:
        return 0.0
    return float(brentq(lambda e: hockey_stick(p, q, e) - delta - 1e-15, 0.0, 50.0, xtol=1e-13))


def least_mu(p: Law, q: Law) -> float:
    """A trade-off function with corners at events is above a convex one where its corners are."""
    sets = events(len(p))[1:-1]
    return float(max(norm.ppf(p[s].sum()) - norm.ppf(q[s].sum()) for s in sets))


def renyi(p: Law, q: Law, order: Law) -> Law:
    """[orders] of [orders, 1]."""
    total = logsumexp(order * np.log(p) + (1 - order) * np.log(q), axis=-1)
    return np.asarray(total) / (order[..., 0] - 1)


def truth(guarantee: Guarantee, p: Law, q: Law) -> float:
    """The least value of the parameter with which two laws satisfy the guarantee, both ways."""

    def one_way(p: Law, q: Law) -> float:
        match guarantee:
            case ApproxDP(delta=delta):
                if delta == 0:
                    return float(np.log(p / q).max())
                return least_epsilon(p, q, float(delta))
            case GaussianDP():
                return least_mu(p, q)
            case RenyiDP(alpha=order):
                return float(renyi(p, q, np.array([float(order)])))
            case ZCDP():
                orders = 1 + np.geomspace(1e-4, 1e3, 2000)[:, None]
                found = renyi(p, q, orders) / orders[:, 0]
                # The grid misses less than a millionth; at α -> 1 it is the relative entropy.
                return max(float((p * np.log(p / q)).sum()), float(found.max()) * (1 + 1e-6))

    return max(one_way(p, q), one_way(q, p))


def exact(first: Law, second: Law, low: NDArray[np.bool_], high: NDArray[np.bool_]) -> Chances:
    """The chances of the rule that guesses the first in ``low`` and the second in ``high``."""
    correct = first[low].sum() + second[high].sum()
    wrong = second[low].sum() + first[high].sum()
    if low.any() and high.any():
        correct, wrong = correct / 2, wrong / 2
    rate = correct + wrong
    return Chances(correct / rate, rate, not (low.any() and high.any()))


def laws(seed: int, size: int) -> tuple[Law, Law]:
    """Two laws, close ones among them."""
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.full(size, 0.7), 2) + 1e-6
    mix = rng.uniform(0, 1)
    q = mix * q + (1 - mix) * p
    return p / p.sum(), q / q.sum()


@pytest.mark.parametrize("guarantee", CLAIMS, ids=str)
def test_no_rule_of_a_finite_mechanism_has_a_floor_above_its_truth(guarantee: Guarantee) -> None:
    for seed in range(25):
        p, q = laws(seed, 2 + seed % 3)
        limit = truth(guarantee, p, q)
        for low, high in itertools.product(events(len(p)), repeat=2):
            guessed = low | high
            if (low & high).any() or not guessed.any():
                continue
            if guessed.all() and not (low.any() and high.any()):
                continue  # One guess whatever comes out: of chance 1 both ways, but for rounding.
            assert floor(exact(p, q, low, high), guarantee) <= limit + 1e-12


def randomised_response(accuracy: float) -> tuple[Law, Law]:
    return np.array([accuracy, 1 - accuracy]), np.array([1 - accuracy, accuracy])


LOW, HIGH = np.array([True, False]), np.array([False, True])


@pytest.mark.parametrize("guarantee", [claim for claim in CLAIMS if claim is not DELTA], ids=str)
@pytest.mark.parametrize("accuracy", [0.51, 0.73, 0.99])
def test_of_randomised_response_the_floor_is_the_truth(
    guarantee: Guarantee, accuracy: float
) -> None:
    # zCDP takes orders on a grid, a quarter of an octave apart.
    loss = 0.005 if isinstance(guarantee, ZCDP) else 1e-6
    laws = randomised_response(accuracy)
    found = floor(exact(*laws, LOW, HIGH), guarantee)
    assert found == pytest.approx(truth(guarantee, *laws), rel=loss)


@pytest.mark.parametrize("guarantee", [ZCDP(Fraction(1)), RenyiDP(Fraction(3), Fraction(1))])
def test_abstaining_where_nothing_is_told_loses_nothing(guarantee: Guarantee) -> None:
    first = np.array([0.5, 0.3, 0.2])
    found = exact(first, first[::-1], np.array([1, 0, 0], bool), np.array([0, 0, 1], bool))
    expected = truth(guarantee, first, first[::-1])
    assert floor(found, guarantee) == pytest.approx(expected, rel=0.005)


def test_of_randomised_response_with_a_leak_the_floor_at_its_delta_is_the_truth() -> None:
    # With probability δ the database itself comes out, otherwise randomised response of ε = 1.
    delta, response = 0.05, expit(1.0)
    rest = (1 - delta) * response, (1 - delta) * (1 - response)
    first = np.array([delta, rest[0], rest[1], 0.0])
    second = first[::-1]
    low, high = np.array([1, 1, 0, 0], bool), np.array([0, 0, 1, 1], bool)
    assert floor(exact(first, second, low, high), DELTA) == pytest.approx(1.0, rel=1e-6)


def test_a_one_sided_rule_shows_what_its_event_shows() -> None:
    # Beyond the threshold Laplace's law has the ratio e: one tail of ½ beside one of ½/e.
    first, second = np.array([1 - 0.5 / math.e, 0.5 / math.e]), np.array([0.5, 0.5])
    found = exact(first, second, np.array([False, False]), HIGH)
    assert (found.correct, found.wrong) == (pytest.approx(0.5), pytest.approx(0.5 / math.e))
    assert floor(found, PURE) == pytest.approx(1.0, rel=1e-6)
    # ½ = e^ε · ½/e + δ.
    expected = math.log(2 * math.e * (0.5 - 0.05))
    assert floor(found, DELTA) == pytest.approx(expected, rel=1e-6)
    assert floor(found, GaussianDP(Fraction(1))) == pytest.approx(-norm.ppf(0.5 / math.e), rel=1e-6)


@pytest.mark.parametrize("guarantee", CLAIMS, ids=str)
@pytest.mark.parametrize("one_sided", [False, True])
def test_abstaining_and_erring_more_never_raise_a_floor(
    guarantee: Guarantee, one_sided: bool
) -> None:
    accuracies = np.linspace(0.02, 0.98, 25)
    rates = np.geomspace(1e-6, 1, 25)
    floors = np.array(
        [[floor(Chances(a, r, one_sided), guarantee) for r in rates] for a in accuracies]
    )
    assert (np.diff(floors, axis=0) >= -1e-12).all()
    assert (np.diff(floors, axis=1) >= -1e-12).all()
    assert (floors[accuracies <= 0.5] == 0).all()


@pytest.mark.parametrize("guarantee", CLAIMS, ids=str)
def test_distance_divides_what_grows_with_it_and_nothing_else(guarantee: Guarantee) -> None:
    found = Chances(0.9, 0.5)
    if takes_distance(guarantee):
        alone = floor(found, guarantee)
        assert floor(found, guarantee, 4) == pytest.approx(alone / 4)
    else:
        with pytest.raises(InputError, match="more than one step"):
            floor(found, guarantee, 4)


@pytest.mark.parametrize("guarantee", CLAIMS, ids=str)
def test_no_guesses_show_nothing(guarantee: Guarantee) -> None:
    for guesses in (Guesses(0, 0, 0, True), Guesses(50, 0, 0), Guesses(50, 5, 30)):
        assert floor(chances(guesses, 0.05, rate_matters(guarantee)), guarantee) == 0
        assert p_value(guesses, guarantee) == 1


@pytest.mark.parametrize(("runs", "expected"), [(1_000, 0.904), (10_000, 0.970), (100_000, 0.990)])
def test_the_midpoint_of_a_gaussian_certifies_its_median(runs: int, expected: float) -> None:
    # Guesses are right with chance Φ(½); the figures of a normal approximation.
    correct = round(2 * runs * float(norm.cdf(0.5)))
    guesses = Guesses(2 * runs, correct, 2 * runs - correct, abstains=False)
    found = floor(chances(guesses, 0.05, True), GaussianDP(Fraction(1)))
    assert found == pytest.approx(expected, abs=2.5e-3)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("runs", [10_000, 100_000])
def test_laplace_noise_certifies_what_information_allows(epsilon: float, runs: int) -> None:
    # A guess is made with chance (1 + e^-ε)/2; to first order, with N runs a side, the gap is
    # 1.645 √((1 + e^ε)/N), at the median.
    made = round(2 * runs * (1 + math.exp(-epsilon)) / 2)
    correct = round(made * expit(epsilon))
    found = floor(chances(Guesses(2 * runs, correct, made - correct), 0.05, False), PURE)
    gap = norm.ppf(0.95) * math.sqrt((1 + math.exp(epsilon)) / runs)
    assert epsilon - found == pytest.approx(gap, rel=0.06)


COUNTS = (
    Guesses(200, 150, 30),
    Guesses(200, 40, 2, one_sided=True),
    Guesses(200, 160, 40, abstains=False),
    Guesses(1000, 30, 0),
)


@pytest.mark.parametrize("guarantee", CLAIMS, ids=str)
@pytest.mark.parametrize("guesses", COUNTS, ids=str)
def test_a_p_value_is_the_error_at_which_the_floor_passes_the_claim(
    guarantee: Guarantee, guesses: Guesses
) -> None:
    def floor_at(error: float) -> float:
        return floor(chances(guesses, error, rate_matters(guarantee)), guarantee)

    found = p_value(guesses, guarantee)
    claimed = float(claimed_value(guarantee))
    if found < 0.999:
        assert floor_at(found * 1.001) > claimed - 1e-6
    assert floor_at(min(found, 1 - 1e-9) * 0.999) <= claimed


@pytest.mark.parametrize(
    "guarantee",
    [
        ZCDP(Fraction(0)),
        GaussianDP(Fraction(0)),
        RenyiDP(Fraction(4), Fraction(0)),
        ApproxDP(Fraction(0), Fraction(1, 10**9)),
    ],
    ids=str,
)
@pytest.mark.parametrize("correct", [196, 200, 284])
def test_the_p_value_of_a_claim_of_nothing_is_that_of_a_fair_coin(
    guarantee: Guarantee, correct: int
) -> None:
    # The floor is 0 at most errors, and a root found there would be no p-value.
    fair = float(binom.sf(correct - 1, 390, 0.5))
    found = p_value(Guesses(600, correct, 390 - correct), guarantee)
    assert fair * 0.99 < found < fair * 1.5


def test_a_p_value_takes_the_distance_into_account() -> None:
    guesses = Guesses(200, 150, 30)
    assert p_value(guesses, PURE, 2) > p_value(guesses, PURE) * 1.5
    assert p_value(guesses, PURE, 2) == pytest.approx(p_value(guesses, ApproxDP(Fraction(2))))


def missed(
    runs: int, rate: float, accuracy: float, one_sided: bool, seen: Callable[[Guesses], bool]
) -> float:
    """The chance that counts have a property, by an exact sum over all of them."""
    total = 0.0
    for made in range(runs + 1) if rate < 1 else [runs]:
        for correct in range(made + 1):
            if seen(Guesses(runs, correct, made - correct, one_sided, rate < 1)):
                total += binom.pmf(made, runs, rate) * binom.pmf(correct, made, accuracy)
    return total


BELOW, ABOVE = float(norm.cdf(-1)), 0.5  # of a tail that starts at the second of two means
BOUNDARY = (
    # A claim, and rules of mechanisms that just satisfy it: rate of guesses, accuracy, one-sided.
    (PURE, 0.4, expit(1.0), False),
    (PURE, 1.0, expit(1.0), False),
    (DELTA, 0.05, 1.0, False),  # the leak itself: certain, with chance δ
    (DELTA, 1.0, 0.05 + 0.95 * expit(1.0), False),
    (GaussianDP(Fraction(1)), 1.0, float(norm.cdf(0.5)), False),
    (GaussianDP(Fraction(1)), (ABOVE + BELOW) / 2, ABOVE / (ABOVE + BELOW), True),
)


@pytest.mark.parametrize(("guarantee", "rate", "accuracy", "one_sided"), BOUNDARY)
def test_at_the_boundary_floors_miss_with_no_more_than_the_error(
    guarantee: Guarantee, rate: float, accuracy: float, one_sided: bool
) -> None:
    claimed = float(claimed_value(guarantee))
    for error in (0.2, 0.05):

        def above(guesses: Guesses, error: float = error) -> bool:
            found = chances(guesses, error, rate_matters(guarantee))
            return floor(found, guarantee) > claimed

        assert missed(30, rate, accuracy, one_sided, above) <= error


def test_p_values_are_valid_at_the_boundary() -> None:
    values = {(c, m): p_value(Guesses(20, c, m - c), PURE) for m in range(21) for c in range(m + 1)}
    for level in (0.3, 0.05, 0.01):
        found = missed(
            20, 0.4, expit(1.0), False, lambda g, x=level: values[g.correct, g.number] <= x
        )
        assert found <= level


@pytest.mark.parametrize("guarantee", CLAIMS, ids=str)
def test_a_bound_of_the_claims_parameter_says_epsilon_as_well(guarantee: Guarantee) -> None:
    bound = floor_bound(Guesses(1000, 700, 100), guarantee, 0.05, 1, "a pair")
    assert bound.side is Side.FLOOR
    assert bound.rigour == "statistical"
    if isinstance(guarantee, ApproxDP):
        assert bound.parameter is None
    else:
        name, value = bound.parameter or ("", bound.epsilon)
        assert name in ("mu", "rho", "rdp")
        assert value.lower > 0
        # Of ε at δ = 0 with every error: no smaller than a logit of the accuracy's bound.
        assert 1.6 < bound.epsilon.lower < math.log(7)
