"""The best of a random number of runs, and runs until one is accepted: exact laws beside the rules.

The law of what is told is worked out from the generating function of the number of runs, f(x): that
the best run is no better than y has the chance f(chance that one run is no better than y). The
premises are the exact numbers of small mechanisms, so that nothing is left there to give away.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs import checker
from proofs.entries import RenyiCurve
from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Guarantee, Private, Profile, guarantee_to_json
from proofs.parameters import plain
from proofs.rules import RULES
from synthesizers.neighbours import AddRemove
from tests.proofs.rules.divergences import (
    ORDERS,
    Law,
    above,
    accepted,
    excess,
    least,
    mp,
    pairs,
    renyi,
    wide,
)

F = Fraction
Chances = list[mpmath.mpf]
Runs = dict[str, str]
TINY = mpmath.mpf(10) ** -40


def negative_binomial(eta: str, gamma: str) -> Runs:
    return {"law": "truncated-negative-binomial", "eta": eta, "gamma": gamma}


LAWS: list[Runs] = [
    *(
        negative_binomial(eta, gamma)
        for eta, gamma in (
            ("0", "1/10"),
            ("1", "1/10"),
            ("-1/2", "1/50"),
            ("5/2", "1/3"),
            ("0", "9/10"),
        )
    ),
    {"law": "poisson", "mean": "10"},
    {"law": "poisson", "mean": "1/2"},
    {"law": "until-accepted", "gamma": "1/20"},
    {"law": "until-accepted", "gamma": "3/4"},
]
BEST = [runs for runs in LAWS if runs["law"] != "until-accepted"]
CONCENTRATED = [runs for runs in LAWS if runs["law"] != "poisson"]
names = partial(str.join, " ")


def generating(runs: Runs, x: mpmath.mpf) -> mpmath.mpf:
    """E[x^K] of a law of the best run."""
    if runs["law"] == "poisson":
        return wide.exp(mp(F(runs["mean"])) * (x - 1))
    gamma, eta = mp(F(runs["gamma"])), mp(F(runs["eta"]))
    if eta == 0:
        return wide.log(1 - (1 - gamma) * x) / wide.log(gamma)
    return ((1 - (1 - gamma) * x) ** -eta - 1) / (gamma**-eta - 1)


def tell(runs: Runs, law: Law, accepted_: int = 1) -> Chances:
    """The chances of what is told: each outcome, the worst first, then that there is none.

    ``accepted_``: how many outcomes, the last ones, are acceptable.
    """
    chances = [mp(chance) for chance in law]
    if runs["law"] == "until-accepted":
        gamma, good = mp(F(runs["gamma"])), wide.fsum(chances[-accepted_:])
        again = (1 - gamma) * (1 - good)
        none = gamma * (1 - good) / (1 - again)
        return [*(chance / (1 - again) for chance in chances[-accepted_:]), none]
    ends = [generating(runs, wide.mpf(0))]
    for place in range(len(chances)):
        ends.append(generating(runs, wide.fsum(chances[: place + 1])))
    best = [high - low for low, high in pairwise(ends)]
    return best + [ends[0]] * (runs["law"] == "poisson")


def divergence(order: Fraction, p: Chances, q: Chances) -> mpmath.mpf:
    total = wide.fsum(a ** mp(order) * b ** mp(1 - order) for a, b in zip(p, q, strict=True))
    return wide.log(total) / mp(order - 1)


def beyond(gamma: mpmath.mpf, p: Chances, q: Chances) -> mpmath.mpf:
    return wide.fsum(max(a - gamma * b, wide.mpf(0)) for a, b in zip(p, q, strict=True))


def laws_of(runs: Runs, pair: tuple[Law, Law]) -> list[tuple[Chances, Chances]]:
    """What is told on both databases, in both directions, for each set of acceptable outcomes."""
    counts = range(1, len(pair[0])) if runs["law"] == "until-accepted" else (1,)
    both = [(tell(runs, pair[0], count), tell(runs, pair[1], count)) for count in counts]
    return [*both, *((second, first) for first, second in both)]


def loss_of(pair: tuple[Law, Law]) -> Fraction:
    ratios = [mp(max(a / b, b / a)) for a, b in zip(*pair, strict=True)]
    return above(wide.log(max(ratios)))


def profile_of(pair: tuple[Law, Law], at: list[Fraction]) -> Profile:
    both = (pair, pair[::-1])
    points = [(e, above(max(excess(wide.exp(mp(e)), *one) for one in both))) for e in at]
    return Profile(tuple(points))


def repeated(guarantee: Guarantee, rule: str, runs: Runs, **given_: Any) -> Any:
    """What a rule concludes of a mechanism, and of nothing else."""
    premise = Private(AddRemove(), guarantee)
    found = RULES[rule].apply([premise], plain({"runs": runs, **given_}))
    assert isinstance(found.judgment, Private)
    assert found.judgment.neighbours == premise.neighbours
    assert found.hypotheses == {"secret-runs"}
    return found.judgment.guarantee


def listed(value: Callable[[Fraction], Any], top: Fraction | int = 40) -> Fraction:
    """The least number of nine places that a rule accepts."""
    return least(lambda number: accepted(lambda: value(number)), top, 9)


def mean_of(runs: Runs) -> mpmath.mpf:
    """The mean number of runs; of runs until one is accepted, the largest that it can be."""
    if runs["law"] == "poisson":
        return mp(F(runs["mean"]))
    gamma, eta = mp(F(runs["gamma"])), mp(F(runs.get("eta", "1")))
    if eta == 0:
        return (1 / gamma - 1) / wide.log(1 / gamma)
    return eta * (1 - gamma) / gamma / (1 - gamma**eta)


@pytest.mark.parametrize("runs", BEST, ids=lambda runs: names(runs.values()))
def test_the_law_of_runs_is_that_of_its_generating_function(runs: Runs) -> None:
    # The chances of K, summed: Γ(k + η)/k!·(1-γ)^k, over their sum.
    if runs["law"] == "poisson":
        weights = [mp(F(runs["mean"])) ** k / wide.factorial(k) for k in range(200)]
    else:
        gamma, eta = mp(F(runs["gamma"])), mp(F(runs["eta"]))
        weights, one = [wide.mpf(0)], wide.mpf(1)
        for k in range(1, 6000):
            one *= (1 - gamma) * (1 if k == 1 else (k - 1 + eta) / k)
            weights.append(one)
    total, x = wide.fsum(weights), wide.mpf(3) / 7
    found = wide.fsum(weight * x**k for k, weight in enumerate(weights)) / total
    assert abs(found - generating(runs, x)) < wide.mpf(10) ** -25
    mean = wide.fsum(k * weight for k, weight in enumerate(weights)) / total
    assert abs(mean - mean_of(runs)) < wide.mpf(10) ** -25


@pytest.mark.parametrize("runs", LAWS, ids=lambda runs: names(runs.values()))
def test_delta_is_that_of_the_mean_number_of_runs(runs: Runs) -> None:
    for unit, fits in ((F(1, 10**30), True), (F(-1, 10**30), False)):
        delta = above(mean_of(runs) / 1000, 40) + unit
        given_ = {"epsilon": 0, "delta": delta}
        attempt = partial(repeated, ApproxDP(F(0), F(1, 1000)), "repeat", runs, **given_)
        assert accepted(attempt) == fits


@pytest.mark.parametrize("runs", LAWS, ids=lambda runs: names(runs.values()))
@given(pair=pairs())
@settings(max_examples=8, deadline=None)
def test_no_best_run_loses_more_than_the_pure_rule(runs: Runs, pair: tuple[Law, Law]) -> None:
    one = ApproxDP(loss_of(pair))
    top = 12 * one.epsilon + 12
    found = listed(lambda e: repeated(one, "repeat", runs, epsilon=e, delta=0), top)
    for first, second in laws_of(runs, pair):
        worst = max(wide.log(a / b) for a, b in zip(first, second, strict=True))
        assert worst <= mp(found) + TINY


@pytest.mark.parametrize("runs", LAWS, ids=lambda runs: names(runs.values()))
@given(
    pair=pairs(),
    at=st.fractions(0, 1, max_denominator=8),
    more=st.fractions(0, 1, max_denominator=8),
)
@settings(max_examples=8, deadline=None)
def test_no_best_run_leaks_more_than_a_point_or_a_profile_allows(
    runs: Runs, pair: tuple[Law, Law], at: Fraction, more: Fraction
) -> None:
    known = profile_of(pair, sorted({at, at + more}))
    for epsilon, own in known.points:
        delta = above(mean_of(runs) * mp(own))
        if delta >= 1:
            continue
        attempts = [partial(repeated, ApproxDP(epsilon, own), "repeat", runs, delta=delta)]
        for at, _ in known.points:
            given_ = {"delta": delta, "at": epsilon, "auxiliary": at}
            attempts.append(partial(repeated, known, "repeat", runs, **given_))
        for attempt in attempts:
            found = listed(partial(at_epsilon, attempt), 100)
            for left, right in laws_of(runs, pair):
                assert beyond(wide.exp(mp(found)), left, right) <= mp(delta) + TINY


def at_epsilon(attempt: Callable[..., Any], epsilon: Fraction) -> Any:
    return attempt(epsilon=epsilon)


def curve_of(pair: tuple[Law, Law], orders: set[Fraction]) -> RenyiCurve:
    both = (pair, pair[::-1])
    values = [(order, above(max(renyi(order, *one) for one in both))) for order in sorted(orders)]
    return RenyiCurve(tuple(values))


@pytest.mark.parametrize("runs", LAWS, ids=lambda runs: names(runs.values()))
@given(pair=pairs(), order=st.sampled_from(ORDERS[1:]), other=st.sampled_from(ORDERS[2:]))
@settings(max_examples=8, deadline=None)
def test_no_best_run_diverges_more_than_the_renyi_rule(
    runs: Runs, pair: tuple[Law, Law], order: Fraction, other: Fraction
) -> None:
    curve = curve_of(pair, {order, other})
    given_ = {"orders": [order], "auxiliary": [other]}
    attempt = partial(repeated, curve, "repeat-renyi", runs, **given_)
    if not accepted(lambda: attempt(epsilons=[10**6])):
        # Its auxiliary order says nothing.
        assert runs["law"] == "poisson"
        return
    found = listed(lambda e: attempt(epsilons=[e]), 10**6)
    for first, second in laws_of(runs, pair):
        assert divergence(order, first, second) <= mp(found) + TINY


@pytest.mark.parametrize("runs", CONCENTRATED, ids=lambda runs: names(runs.values()))
@given(pair=pairs(), order=st.sampled_from(ORDERS[1:]), other=st.sampled_from(ORDERS[2:]))
@settings(max_examples=10, deadline=None)
def test_no_best_run_is_less_concentrated_than_the_zcdp_rule(
    runs: Runs, pair: tuple[Law, Law], order: Fraction, other: Fraction
) -> None:
    # ε·tanh(ε/2) is a ρ of every ε-DP mechanism.
    own = mp(loss_of(pair))
    known, given_ = ZCDP(above(own * wide.tanh(own / 2))), {"order": order, "auxiliary": other}
    found = listed(lambda rho: repeated(known, "repeat-zcdp", runs, rho=rho, **given_), 10**4)
    for first, second in laws_of(runs, pair):
        for at in ORDERS:
            assert divergence(at, first, second) <= mp(found * at) + TINY


@pytest.mark.parametrize("runs", LAWS, ids=lambda runs: names(runs.values()))
@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(4)])
def test_the_pure_rule_is_tight(runs: Runs, epsilon: Fraction) -> None:
    """Randomised response with a rare outcome between its two loses all of the bound but 10^-8.

    The rare outcome is e^ε times as likely on one side as on the other, and a run is better than it
    with the chances 1/(1 + e^ε) and e^ε/(1 + e^ε). Of runs until one is accepted, it is accepted
    as well as what is better.
    """
    odds, rare = above(wide.exp(mp(epsilon)), 40), F(1, 10**12)
    left = [odds / (1 + odds) - rare, rare, 1 / (1 + odds)]
    right = [1 / (1 + odds) - rare / odds, rare / odds, odds / (1 + odds)]
    found = listed(lambda e: repeated(ApproxDP(epsilon), "repeat", runs, epsilon=e, delta=0), 100)
    first, second = (tell(runs, law, 2) for law in (left, right))
    worst = max(abs(wide.log(a / b)) for a, b in zip(first, second, strict=True))
    assert mp(found) - wide.mpf(10) ** -8 < worst <= mp(found) + wide.mpf(10) ** -8


@pytest.mark.parametrize(
    ("eta", "factor"), [("0", 2), ("1", 3), ("-1/2", F(3, 2)), ("5/2", F(9, 2))]
)
@pytest.mark.parametrize("epsilon", ["0", "1/3", "4.99", "1000000000"])
def test_the_factor_of_the_literature_holds_for_every_gamma(
    eta: str, factor: Fraction, epsilon: str
) -> None:
    # (2 + η)ε: Papernot & Steinke 2022, Corollary 3.
    for gamma in ("1/1000000", "1/2", "0.999"):
        runs, whole = negative_binomial(eta, gamma), factor * F(epsilon)
        given_ = {"epsilon": whole, "delta": 0}
        assert repeated(ApproxDP(F(epsilon)), "repeat", runs, **given_) == ApproxDP(whole)
    if F(epsilon):
        short = whole - F(1, 10**6)
        with pytest.raises(ProofError):
            runs = negative_binomial(eta, "1e-60")
            repeated(ApproxDP(F(epsilon)), "repeat", runs, epsilon=short, delta=0)


def test_the_release_of_a_registry_of_births() -> None:
    # A synthesizer of ε = 4 with a test of ε = 0.99, until a run passes: 2·(4 + 0.99) = 9.98.
    one = repeated(
        ApproxDP(F(4) + F("0.99")),
        "repeat",
        {"law": "until-accepted", "gamma": "1/100"},
        epsilon="9.98",
        delta=0,
    )
    assert one == ApproxDP(F("9.98"))


@pytest.mark.parametrize(("eta", "gamma", "mean"), [("0", "0.0269", "10"), ("1", "0.1", "10")])
def test_the_renyi_bound_of_a_gaussian_is_the_formula_of_the_literature(
    eta: str, gamma: str, mean: str
) -> None:
    # At ρ-zCDP's best auxiliary order: ρα + (1 + η)·(2·√(ρ·ln(1/γ)) - ρ) + ln(E K)/(α - 1).
    rho, order, runs = F(1, 10), F(9), negative_binomial(eta, gamma)
    tail = wide.log(1 / mp(F(gamma)))
    best = wide.sqrt(tail / mp(rho))
    other = above(best, 12)
    curve = RenyiCurve(tuple((at, at * rho) for at in sorted({order, other})))
    given_ = {"orders": [order], "auxiliary": [other]}
    found = listed(lambda e: repeated(curve, "repeat-renyi", runs, epsilons=[e], **given_))
    power = 1 + mp(F(eta))
    formula = mp(order * rho) + power * (2 * wide.sqrt(mp(rho) * tail) - mp(rho))
    formula += wide.log(mean_of(runs)) / 8
    assert abs(mp(found) - formula) < wide.mpf(10) ** -8
    assert abs(mean_of(runs) - int(mean)) < 0.1


def test_the_bound_of_few_poisson_runs_is_never_below_zero() -> None:
    # The chance that there is no run counts; without it a mean below 1 would give less than 0.
    runs = {"law": "poisson", "mean": "1/10"}
    curve = RenyiCurve(((F(2), F(0)), (F(50), F(0))))
    given_ = {"orders": [2], "auxiliary": [50]}
    found = listed(lambda e: repeated(curve, "repeat-renyi", runs, epsilons=[e], **given_))
    assert 0 < found < F(1, 100)


LEAST: list[tuple[str, Guarantee, dict[str, Any], str]] = [
    ("repeat", ApproxDP(F(1)), {"delta": "1/100"}, "epsilon"),
    ("repeat", ApproxDP(F(1), F(1, 10**5)), {"epsilon": 99}, "delta"),
    (
        "repeat",
        Profile(((F(1, 4), F(1, 100)), (F(1), F(1, 10**6)))),
        {"delta": "1/100", "at": 1, "auxiliary": "1/4"},
        "epsilon",
    ),
    (
        "repeat-renyi",
        RenyiCurve(((F(2), F(1, 10)), (F(20), F(1, 5)))),
        {"orders": [2], "auxiliary": [20]},
        "epsilons",
    ),
    ("repeat-zcdp", ZCDP(F(1, 20)), {"order": 5, "auxiliary": 9}, "rho"),
]


@pytest.mark.parametrize("runs", LAWS, ids=lambda runs: names(runs.values()))
@pytest.mark.parametrize(("rule", "guarantee", "more", "name"), LEAST)
def test_the_checker_draws_the_line_where_the_kernel_does(
    runs: Runs, rule: str, guarantee: Guarantee, more: dict[str, Any], name: str
) -> None:
    if rule == "repeat-zcdp" and runs["law"] == "poisson":
        return

    def state(value: Fraction) -> dict[str, Any]:
        written = plain({"runs": runs, **more, name: [value] if name == "epsilons" else value})
        return dict(written)

    def attempt(value: Fraction) -> Any:
        return repeated(guarantee, rule, **state(value))

    found = listed(attempt, 1 - F(1, 10**6) if name == "delta" else 100)
    judgment = Private(AddRemove(), guarantee).to_json()
    premise = judgment | {"guarantee": numbers(judgment["guarantee"])}
    meter = checker.Meter()
    concluded, hypotheses = checker.conclusion(meter, rule, [premise], state(found))
    assert meter.notes == [] and hypotheses == {"secret-runs"}
    assert checker.agrees(concluded["guarantee"], guarantee_to_json(attempt(found)))
    with pytest.raises(checker.Rejected):
        checker.conclusion(checker.Meter(), rule, [premise], state(found - F(1, 10**9)))


def numbers(guarantee: dict[str, Any]) -> dict[str, Any]:
    """A guarantee of plain data with its numbers as fractions, as the checker holds it."""
    return {
        key: value
        if key == "kind"
        else F(value)
        if isinstance(value, str)
        else [[F(first), F(second)] for first, second in value]
        for key, value in guarantee.items()
    }


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"law": "binomial"}, "one of"),
        ({"gamma": "0"}, "above 0"),
        ({"gamma": "1"}, "gamma to be above 0 and below 1"),
        ({"gamma": 0.5}, "integers"),
        ({"eta": "-1"}, "eta is above -1"),
        ({"eta": "101"}, "eta is above -1"),
        ({"mean": "3"}, "no parameter 'mean'"),
        ({"law": "until-accepted"}, "no parameter 'eta'"),
        ({"law": "poisson"}, "needs the parameter mean"),
    ],
)
def test_a_law_of_runs_that_is_none_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ProofError, match=words):
        runs = negative_binomial("0", "1/2") | change
        repeated(ApproxDP(F(1)), "repeat", runs, epsilon=9, delta=0)


def test_what_no_theorem_covers_is_refused() -> None:
    runs, poisson = negative_binomial("0", "1/2"), {"law": "poisson", "mean": "2"}
    curve = RenyiCurve(((F(2), F(1)), (F(3), F(2))))
    with pytest.raises(ProofError, match="guarantee of the kind"):
        repeated(ZCDP(F(1)), "repeat", runs, epsilon=9, delta=0)
    with pytest.raises(ProofError, match="guarantee of the kind"):
        repeated(ApproxDP(F(1)), "repeat-zcdp", runs, rho=9, order=2, auxiliary=2)
    with pytest.raises(ProofError, match="no Poisson"):
        repeated(ZCDP(F(1)), "repeat-zcdp", poisson, rho=99, order=2, auxiliary=2)
    for order, other in ((1, 2), (2, 1)):
        with pytest.raises(ProofError, match="above 1"):
            repeated(ZCDP(F(1)), "repeat-zcdp", runs, rho=99, order=order, auxiliary=other)
    for orders, others in (([2], [4]), ([4], [2])):
        with pytest.raises(ProofError, match="listed"):
            repeated(curve, "repeat-renyi", runs, orders=orders, auxiliary=others, epsilons=[99])
    with pytest.raises(ProofError, match="each order needs"):
        repeated(curve, "repeat-renyi", runs, orders=[2, 3], auxiliary=[3], epsilons=[9, 9])
    with pytest.raises(ProofError, match="listed"):
        known = Profile(((F(0), F(1, 10)),))
        repeated(known, "repeat", runs, epsilon=9, delta="1/2", at=0, auxiliary=1)
    with pytest.raises(ProofError, match="of a profile"):
        repeated(known, "repeat", runs, epsilon=9, delta="1/2", at=0)
    with pytest.raises(ProofError, match="points of a profile"):
        repeated(ApproxDP(F(1)), "repeat", runs, epsilon=9, delta=0, at=1, auxiliary=1)


@pytest.mark.parametrize(
    ("runs", "guarantee"),
    [
        (negative_binomial("0", "1/2"), ApproxDP(F(10**6), F(0))),
        (negative_binomial("1e-300", "1/2"), ApproxDP(F(0), F(1, 10**9))),
        ({"law": "poisson", "mean": "2"}, ApproxDP(F(10**9), F(0))),
    ],
)
def test_numbers_too_large_or_too_fine_stay_open(runs: Runs, guarantee: ApproxDP) -> None:
    with pytest.raises(UndecidedError):
        repeated(guarantee, "repeat", runs, epsilon=guarantee.epsilon + F(1, 2), delta="1/2")
    curve = RenyiCurve(((F(2), F(10**9)),))
    with pytest.raises(UndecidedError):
        given_ = {"orders": [2], "auxiliary": [2], "epsilons": [10**10]}
        repeated(curve, "repeat-renyi", {"law": "poisson", "mean": "2"}, **given_)
