"""Read-offs of lists of losses, and of guarantees that are lists of one: exact values, refusals."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.entries import BoundedRangeLoss, ConcentratedLoss, Entries, NoiseLoss, RenyiCurve
from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import Guarantee, LossList, Private, Profile
from proofs.losses import GaussianLoss, ResponseLoss, SampledGaussianLoss, sides
from proofs.profiles import moment
from proofs.profiles.methods import METHODS
from proofs.profiles.moments import log_moment
from proofs.rules import RULES
from synthesizers.errors import TooLargeError
from synthesizers.neighbours import AddRemove, ReplaceOne
from tests.proofs.profiles.slow_profiles import (
    Atoms,
    atoms_moment,
    discrete_gaussian_atoms,
    discrete_laplace_atoms,
    enumerated,
    gaussian_profile,
    laplace_profile,
    response_atoms,
    sampled_moment,
)
from tests.proofs.rules.divergences import ORDERS as ALL_ORDERS
from tests.proofs.rules.divergences import (
    TINY,
    Law,
    above,
    accepted,
    convert,
    gaussian_excess,
    least,
    mp,
    pairs,
    renyi,
    response,
    response_excess,
    wide,
)

F = Fraction
SMALL = mp(TINY)


def read(rule: str, entries: Entries, /, **given: Any) -> Guarantee:
    """What a rule concludes of losses."""
    return convert(rule, LossList(entries), **given)


def approx(entries: Entries, method: str, epsilon: object, delta: object, **hint: Any) -> Guarantee:
    hints = {side: hint for side in sides(entries)} if hint or method != "sum" else {}
    return read("to-approx", entries, method=method, epsilon=epsilon, delta=delta, hints=hints)


def pure(epsilon: Fraction) -> Entries:
    return ((1, ResponseLoss(epsilon)),)


def noise(law: str, amount: Fraction | int, move: int = 1) -> NoiseLoss:
    """Noise on one answer."""
    return NoiseLoss(law, F(amount), 1, F(move), F(move**2), F(move))


RESPONSES: Entries = ((3, ResponseLoss(F(1, 2))),)
GAUSSIAN: Entries = ((1, GaussianLoss(F(1))),)
LAPLACE: Entries = ((2, noise("laplace", 2)),)
SAMPLED: Entries = ((1, SampledGaussianLoss(F(1, 10), F(1, 4))),)
LEAKING: Entries = ((1, ResponseLoss(F(1), F(1, 10**9))),)


def _true(entries: Entries, epsilon: Fraction) -> Any:
    if entries is RESPONSES:
        return enumerated([response_atoms(F(1, 2))] * 3, epsilon)
    if entries is GAUSSIAN:
        return gaussian_profile(wide.mpf(1), mp(epsilon))
    return laplace_profile(2, mp(F(1, 2)), mp(epsilon))


@pytest.mark.parametrize("epsilon", ["0", "1/3", "9/10"])
@pytest.mark.parametrize(
    ("entries", "method"),
    [(RESPONSES, "responses"), (GAUSSIAN, "gaussian"), (LAPLACE, "laplace")],
)
def test_a_point_is_proved_at_its_delta_and_refused_below(
    entries: Entries, method: str, epsilon: str
) -> None:
    with wide.workdps(25):
        true = _true(entries, F(epsilon))
    enough = above(true, 15) + F(1, 10**15)
    below = enough - F(4, 10**15)
    bits = {} if method == "gaussian" else {"bits": 100}
    assert approx(entries, method, epsilon, enough, **bits) == ApproxDP(F(epsilon), enough)
    with pytest.raises(ProofError, match="delta"):
        approx(entries, method, epsilon, below, **bits)
    # A moment proves less, and never more.
    with pytest.raises(ProofError):
        approx(entries, "moment", epsilon, below, order="3/2")


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 200),
    st.integers(0, 12),
    st.integers(1, 400),
    st.fractions(0, 2, max_denominator=9),
    st.fractions("1/9", 100, max_denominator=9),
)
def test_no_hint_proves_what_is_false(
    bits: int, grid: int, more: int, epsilon: Fraction, order: Fraction
) -> None:
    true = enumerated([response_atoms(F(1, 2))] * 3, epsilon)
    below = F(int(true * 10**30) - more, 10**30)
    hints: list[tuple[str, dict[str, Any]]] = [("responses", {"bits": bits})]
    hints += [("responses", {"bits": bits, "grid": grid}), ("moment", {"order": order})]
    for method, hint in hints:
        if below >= 0 and true > 0:
            with pytest.raises(ProofError):
                approx(RESPONSES, method, epsilon, below, **hint)


def test_a_delta_inside_the_enclosure_stays_open() -> None:
    found = METHODS["responses"](((3, ResponseLoss(F(1, 2))),), "remove", F(1), {"bits": 8})
    middle = (found.lower + found.upper) / 2
    with pytest.raises(UndecidedError):
        approx(RESPONSES, "responses", 1, middle, bits=8)
    assert approx(RESPONSES, "responses", 1, found.upper, bits=8) == ApproxDP(F(1), found.upper)


def test_delta_zero_needs_the_whole_epsilon() -> None:
    for method, hint in (("laplace", {"bits": 64}), ("sum", {})):
        assert approx(LAPLACE, method, 1, 0, **hint) == ApproxDP(F(1))
        with pytest.raises(ProofError):
            approx(LAPLACE, method, "999/1000", 0, **hint)


def test_both_sides_count_where_they_differ() -> None:
    coarse = moment.delta(SAMPLED, "add", F(1), {"order": 1}).upper
    fine = moment.delta(SAMPLED, "remove", F(1), {"order": 9}).upper
    assert fine < coarse
    given = {"method": "moment", "epsilon": 1, "delta": fine}
    same = {"remove": {"order": 9}, "add": {"order": 9}}
    read("to-approx", SAMPLED, hints=same, **given)
    for side in ("add", "remove"):
        with pytest.raises(ProofError, match=side):
            read("to-approx", SAMPLED, hints={**same, side: {"order": 1}}, **given)
    with pytest.raises(ProofError, match="order"):
        read("to-approx", SAMPLED, hints={"remove": {"order": 9}}, **given)


def test_one_side_stands_for_both_where_they_are_alike() -> None:
    given = {"method": "moment", "epsilon": 5, "delta": "1/10", "hints": {"remove": {"order": 2}}}
    assert read("to-approx", GAUSSIAN, **given) == ApproxDP(F(5), F(1, 10))


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "magic"},
        {"epsilon": -1},
        {"delta": 1},
        {"delta": 0.5},
        {"hints": []},
        {"hints": {"remove": 3}},
        {"hints": {"remove": None}},
        {"hints": {"both": {}}},
        {"method": "sum", "hints": {"remove": {}}},
        {"order": 2},
    ],
)
def test_malformed_points_are_refused(wrong: dict[str, Any]) -> None:
    given = {"method": "gaussian", "epsilon": 1, "delta": "1/2", "hints": {}}
    read("to-approx", GAUSSIAN, **given)
    with pytest.raises(ValueError, match=r"to-approx|parameters|delta|negative|hints"):
        read("to-approx", GAUSSIAN, **{**given, **wrong})


STATED: dict[str, dict[str, Any]] = {
    "to-approx": {"method": "sum", "epsilon": 9, "delta": 0, "hints": {}},
    "to-profile": {"method": "sum", "points": [[9, 0]], "hints": [{}]},
    "to-renyi": {"orders": [2], "epsilons": [9]},
    "to-zcdp": {"rho": 9},
    "to-gdp": {"mu": 9, "shares": [9]},
}


@pytest.mark.parametrize("rule", ["to-approx", "to-profile", "to-renyi", "to-zcdp", "to-gdp"])
def test_one_list_of_losses_is_read_under_its_own_neighbours(rule: str) -> None:
    def apply(*premises: Private) -> Any:
        return RULES[rule].apply(premises, STATED[rule]).judgment

    for neighbours in (AddRemove(), ReplaceOne()):
        premise = Private(neighbours, LossList(pure(F(1))))
        assert apply(premise).neighbours == neighbours
        for judgments in ((), (premise, premise)):
            with pytest.raises(ProofError, match="one premise"):
                apply(*judgments)
        for other in (ApproxDP(F(1)), ZCDP(F(1)), GaussianDP(F(1)), Profile(((F(1), F(0)),))):
            with pytest.raises(ProofError, match="LossList"):
                apply(Private(neighbours, other))


def test_a_profile_needs_every_point() -> None:
    given: dict[str, Any] = {"method": "gaussian", "hints": [{}, {}]}
    points = [["0", "0.383"], ["1", "0.127"]]
    found = read("to-profile", GAUSSIAN, points=points, **given)
    assert found == Profile(((F(0), F("0.383")), (F(1), F("0.127"))))
    for false in ([["0", "0.382"], ["1", "0.127"]], [["0", "0.383"], ["1", "0.126"]]):
        with pytest.raises(ProofError, match="delta"):
            read("to-profile", GAUSSIAN, points=false, **given)
    wrong: list[Any] = [[{}], {}]
    for hints in wrong:
        with pytest.raises(ProofError, match="hints"):
            read("to-profile", GAUSSIAN, points=points, method="gaussian", hints=hints)
    with pytest.raises(ProofError, match="ascending"):
        read("to-profile", GAUSSIAN, points=points[::-1], **given)


BOUNDED: Entries = (
    (2, noise("discrete-laplace", 3, 2)),
    (3, noise("laplace", 5)),
    (4, ResponseLoss(F(1, 7))),
)


def test_pure_epsilon_is_where_the_profile_reaches_zero() -> None:
    assert approx(BOUNDED, "sum", F(4, 3) + F(3, 5) + F(4, 7), 0)
    assert approx((), "sum", 0, 0) == ApproxDP(F(0))
    parts: list[Atoms] = [discrete_laplace_atoms(F(1, 3), 2, 30), response_atoms(F(1, 7))]
    both, epsilon = ((1, BOUNDED[0][1]), (1, BOUNDED[2][1])), F(2, 3) + F(1, 7)
    for at, holds in ((epsilon, True), (epsilon - F(1, 10**6), False)):
        assert holds == accepted(partial(approx, both, "sum", at, 0))
        assert holds == (enumerated(parts, at) == 0)


UNBOUNDED = [
    GaussianLoss(F(1)),
    noise("discrete-gaussian", 1),
    SampledGaussianLoss(F(1, 2), F(1)),
    ConcentratedLoss(F(0), F(1), F(0)),
    RenyiCurve(((F(2), F(1)),)),
]


@pytest.mark.parametrize("loss", UNBOUNDED)
def test_unbounded_losses_have_no_sum_and_no_share(loss: Any) -> None:
    with pytest.raises(ProofError, match=loss.name):
        approx(((1, noise("laplace", 1)), (1, loss)), "sum", 99, "1/2")
    if loss.name != "gaussian":
        with pytest.raises(ProofError, match=loss.name):
            read("to-gdp", ((1, loss),), mu=9, shares=[9])


ORDERS = (F(1001, 1000), F(3, 2), F(2), F(7), F(40))


@pytest.mark.parametrize("order", ORDERS)
def test_renyi_epsilons_are_the_losses_own(order: Fraction) -> None:
    gaussian: Entries = ((1, GaussianLoss(F(1, 3))),)
    found = read("to-renyi", gaussian, orders=[order], epsilons=[order / 6])
    assert found == RenyiCurve(((order, order / 6),))
    discrete: Entries = ((2, noise("discrete-laplace", 3, 2)), (1, ResponseLoss(F(1, 7))))
    slow = 2 * atoms_moment(discrete_laplace_atoms(F(1, 3), 2, 320), order - 1)
    slow = (slow + atoms_moment(response_atoms(F(1, 7)), order - 1)) / mp(order - 1)
    enough = above(slow, 20) + F(1, 10**20)
    read("to-renyi", discrete, orders=[order], epsilons=[enough])
    for entries, short in (
        (discrete, enough - F(4, 10**20)),
        (gaussian, order / 6 - F(1, 10**60)),
    ):
        with pytest.raises(ProofError, match="epsilon"):
            read("to-renyi", entries, orders=[order], epsilons=[short])


def test_renyi_epsilons_of_a_sample_cover_both_sides() -> None:
    loss = SampledGaussianLoss(F(1, 10), F(1))
    for order in (F(2), F(5)):
        stated = F(int(log_moment(loss, order - 1, "remove").upper * 10**20) + 1, 10**20)
        stated /= order - 1
        read("to-renyi", ((1, loss),), orders=[order], epsilons=[stated])
        with wide.workdps(20):
            for power in (mp(order), 1 - mp(order)):
                value = sampled_moment(F(1, 10), wide.mpf(1), power) / mp(order - 1)
                assert value <= mp(stated) * (1 + wide.mpf("1e-12"))


@pytest.mark.parametrize(
    ("orders", "epsilons"),
    [(["1"], ["5"]), (["1/2"], ["5"]), (["2"], []), ([], []), (["3", "2"], ["5", "5"])],
)
def test_malformed_orders_are_refused(orders: list[str], epsilons: list[str]) -> None:
    with pytest.raises(ProofError, match=r"order|epsilons|ascending"):
        read("to-renyi", GAUSSIAN, orders=orders, epsilons=epsilons)


def test_a_loss_that_may_be_infinite_is_neither_concentrated_nor_gaussian() -> None:
    for entries in (LEAKING, ((1, ConcentratedLoss(F(1), F(0), F(1, 10**9))),)):
        for rule in ("to-renyi", "to-gdp"):
            with pytest.raises(ProofError, match="infinite"):
                read(rule, entries, **STATED[rule])
        with pytest.raises(ProofError, match=entries[0][1].name):
            read("to-zcdp", entries, rho=100)


def _rho(epsilon: Fraction) -> Any:
    return mp(epsilon) * wide.tanh(mp(epsilon) / 2)


def test_zcdp_bounds_the_divergences_at_every_order() -> None:
    entries: Entries = (
        (3, noise("discrete-gaussian", F(1, 2), 2)),
        (1, noise("discrete-laplace", 3, 2)),
        (1, GaussianLoss(F(1, 4))),
        (2, noise("laplace", F(1, 3))),
        (4, ResponseLoss(F(1, 7))),
        (5, BoundedRangeLoss(F(2))),
        (1, ConcentratedLoss(F(0), F(1, 9), F(0))),
    )
    exact = [12, _rho(F(2, 3)), mp(F(1, 8)), 2 * _rho(F(3)), 4 * _rho(F(1, 7)), mp(F(5, 2))]
    rho = above(wide.fsum([*exact, mp(F(1, 9))]), 30)
    assert read("to-zcdp", entries, rho=rho) == ZCDP(rho)
    with pytest.raises(ProofError, match="rho"):
        read("to-zcdp", entries, rho=rho - F(2, 10**30))
    laws = (
        discrete_gaussian_atoms(F(1, 2), 2, 120),
        discrete_laplace_atoms(F(1, 3), 2, 60),
        response_atoms(F(1, 7)),
    )
    for place, law in zip((0, 1, 4), laws, strict=True):
        own = above(exact[place], 30)
        read("to-zcdp", (entries[place],), rho=own)
        for order in ORDERS:
            found = entries[place][0] * atoms_moment(law, order - 1)
            assert found <= mp(own * order * (order - 1)) * (1 + wide.mpf("1e-30"))


@pytest.mark.parametrize(
    "loss", [UNBOUNDED[2], UNBOUNDED[4], ConcentratedLoss(F(1), F(1), F(0)), LEAKING[0][1]]
)
def test_zcdp_refuses_losses_without_one(loss: Any) -> None:
    with pytest.raises(ProofError, match=loss.name):
        read("to-zcdp", ((1, loss),), rho=100)


def test_gaussian_losses_are_one_gaussian() -> None:
    entries: Entries = ((3, GaussianLoss(F(1, 12))), (1, GaussianLoss(F(3, 4))))
    assert read("to-gdp", entries, mu=1, shares=[]) == GaussianDP(F(1))
    assert read("to-gdp", (), mu=0, shares=[]) == GaussianDP(F(0))
    for mu in ("-1", "0", "999999/1000000"):
        with pytest.raises(ProofError, match="mu"):
            read("to-gdp", entries, mu=mu, shares=[])
    read("to-zcdp", GAUSSIAN, rho="1/2")
    for rho in ("-1/2", "0.49999999999999999999"):
        with pytest.raises(ProofError, match="rho"):
            read("to-zcdp", GAUSSIAN, rho=rho)


def test_the_divergence_of_a_gaussian_is_that_of_its_zcdp() -> None:
    mu, order = wide.mpf("1.5"), 3
    with wide.workdps(20):
        found = wide.quad(
            lambda x: wide.npdf(x, mu) ** order * wide.npdf(x) ** (1 - order), [-10, 0, 4.5, 10, 20]
        )
    read("to-zcdp", ((1, GaussianLoss(F(9, 4))),), rho=F(9, 8))
    assert abs(wide.log(found) / (order - 1) - mp(order * F(9, 8))) < 1e-12


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(5)])
def test_gaussian_dp_has_the_larger_profile(epsilon: Fraction) -> None:
    def holds(mu: Fraction) -> bool:
        return accepted(lambda: read("to-gdp", pure(epsilon), mu=mu, shares=[mu]))

    mu = least(holds, 20, 15)
    for step in range(-24, 25):
        gamma = wide.exp(wide.mpf(step) / 4)
        assert response_excess(gamma, epsilon, F(0)) <= gaussian_excess(gamma, mp(mu)) + SMALL
    one, less = wide.mpf(1), mp(mu - F(1, 10**15))
    assert response_excess(one, epsilon, F(0)) > gaussian_excess(one, less)
    # Bounded losses of other kinds are no worse, and squares add up.
    alike: Entries = (
        (1, BoundedRangeLoss(epsilon)),
        (1, GaussianLoss(mu**2)),
        (2, noise("laplace", 1 / epsilon)),
    )
    read("to-gdp", alike, mu=2 * mu, shares=[mu, mu])
    for whole, shares in (
        (2 * mu - TINY, [mu, mu]),
        (9, [mu, mu - F(1, 10**15)]),
        (9, [mu]),
        (9, [mu] * 3),
        (9, [mu, -mu]),
    ):
        with pytest.raises(ProofError, match=r"mu|share"):
            read("to-gdp", alike, mu=whole, shares=shares)


# Of pure DP


@given(pairs())
@settings(max_examples=15, deadline=None)
def test_pure_dp_bounds_every_renyi_divergence(pair: tuple[Law, Law]) -> None:
    epsilon = above(max(abs(wide.log(mp(a / b))) for a, b in zip(*pair, strict=True)))
    rho = above(_rho(epsilon))
    assert read("to-zcdp", pure(epsilon), rho=rho) == ZCDP(rho)
    read("to-zcdp", pure(epsilon), rho=epsilon**2 / 2)

    def holds(order: Fraction, value: Fraction) -> bool:
        return accepted(lambda: read("to-renyi", pure(epsilon), orders=[order], epsilons=[value]))

    for order in ALL_ORDERS:
        found = least(partial(holds, order), epsilon, 12)
        for p, q in (pair, pair[::-1]):
            exact = renyi(order, p, q)
            assert exact <= mp(found) + SMALL
            assert exact <= mp(order * rho) + SMALL


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(3), F(20)])
def test_randomised_response_attains_the_divergence_of_pure_dp(epsilon: Fraction) -> None:
    for order in ALL_ORDERS:
        enough = above(renyi(order, *response(epsilon)), 30)
        curve = read("to-renyi", pure(epsilon), orders=[order], epsilons=[enough])
        assert curve == RenyiCurve(((order, enough),))
        with pytest.raises(ProofError):
            short = enough - F(2, 10**30)
            read("to-renyi", pure(epsilon), orders=[order], epsilons=[short])


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(3)])
def test_the_rho_of_pure_dp_is_that_of_randomised_response(epsilon: Fraction) -> None:
    found = least(
        lambda rho: accepted(lambda: read("to-zcdp", pure(epsilon), rho=rho)), epsilon, 15
    )
    order = 1 + F(1, 10**20)
    attained = renyi(order, *response(epsilon)) / mp(order)
    assert mp(found - F(1, 10**15)) < attained < mp(found)


@pytest.mark.parametrize("nothing", [(), pure(F(0))])
def test_without_a_loss_read_offs_are_exact(nothing: Entries) -> None:
    assert read("to-zcdp", nothing, rho=0) == ZCDP(F(0))
    assert read("to-gdp", nothing, mu=0, shares=[0] * len(nothing)) == GaussianDP(F(0))
    curve = read("to-renyi", nothing, orders=[2, "7/2"], epsilons=[0, 0])
    assert curve == RenyiCurve(((F(2), F(0)), (F(7, 2), F(0))))


@pytest.mark.parametrize(
    ("rule", "given"),
    [
        ("to-zcdp", {"rho": "0.4621"}),
        ("to-zcdp", {"rho": -1}),
        ("to-renyi", {"orders": [2, 3], "epsilons": [1]}),
        ("to-renyi", {"orders": [2, 3], "epsilons": [1, "0.5"]}),
        ("to-gdp", {"mu": 0, "shares": [0]}),
        ("to-gdp", {"mu": -3, "shares": [3]}),
        ("to-gdp", {"mu": "1.23", "shares": ["1.23"]}),
    ],
)
def test_a_violated_side_condition_is_refused(rule: str, given: dict[str, Any]) -> None:
    with pytest.raises(ProofError):
        read(rule, pure(F(1)), **given)


def test_powers_beyond_the_stated_size_are_refused_at_once() -> None:
    with pytest.raises(TooLargeError):
        read("to-renyi", pure(F(1)), orders=["1e900"], epsilons=[1])


def test_every_method_has_its_name() -> None:
    assert set(METHODS) == {"contour", "gaussian", "laplace", "lattice", "responses", "values"}
