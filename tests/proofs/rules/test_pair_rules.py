"""The rules that read guarantees off dominating pairs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError, UndecidedError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    Dominated,
    Guarantee,
    Mechanism,
    Private,
    Profile,
    RenyiCurve,
)
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
)
from proofs.parameters import Parameters, plain
from proofs.profiles.methods import METHODS
from proofs.profiles.moments import log_moment
from proofs.rules.pairs import RULES
from proofs.rules.rule import Conclusion, Premises
from synthesizers.neighbours import AddRemove, Unit
from tests.proofs.profiles.slow_profiles import (
    Atoms,
    atoms_moment,
    discrete_gaussian_atoms,
    discrete_laplace_atoms,
    enumerated,
    gaussian_profile,
    laplace_profile,
    mp,
    response_atoms,
    sampled_moment,
    wide,
)

F = Fraction
MECHANISM = Mechanism.of("M", {"x": 1})


def read(rule: str, losses: Losses, /, **given: Any) -> Guarantee:
    """What a rule concludes of a dominated mechanism, and of nothing else."""
    premise = Private(MECHANISM, AddRemove(Unit("person", 3)), Dominated(losses))
    parameters = Parameters(rule, plain(given))
    found = RULES[rule](Premises(rule, (premise,)), parameters)
    parameters.close()
    assert isinstance(found, Conclusion) and isinstance(found.judgment, Private)
    assert found.judgment.mechanism == MECHANISM
    assert found.judgment.neighbours == premise.neighbours
    assert found.hypotheses == frozenset()
    return found.judgment.guarantee


def approx(losses: Losses, method: str, epsilon: object, delta: object, **hint: Any) -> Guarantee:
    hints = {"remove": hint, "add": hint}
    return read("pair-to-approx", losses, method=method, epsilon=epsilon, delta=delta, hints=hints)


RESPONSES: Losses = ((3, ResponseLoss(F(1, 2))),)
GAUSSIAN: Losses = ((1, GaussianLoss(F(1))),)
LAPLACE: Losses = ((2, LaplaceLoss(F(1, 2))),)
SAMPLED: Losses = ((1, SampledGaussianLoss(F(1, 10), F(1, 4))),)


def _true(losses: Losses, epsilon: Fraction) -> Any:
    if losses is RESPONSES:
        return enumerated([response_atoms(F(1, 2))] * 3, epsilon)
    if losses is GAUSSIAN:
        return gaussian_profile(wide.mpf(1), mp(epsilon))
    return laplace_profile(2, mp(F(1, 2)), mp(epsilon))


@pytest.mark.parametrize("epsilon", ["0", "1/3", "9/10"])
@pytest.mark.parametrize(
    ("losses", "method"),
    [(RESPONSES, "responses"), (GAUSSIAN, "gaussian"), (LAPLACE, "laplace")],
)
def test_a_point_is_proved_at_its_delta_and_refused_below(
    losses: Losses, method: str, epsilon: str
) -> None:
    with wide.workdps(25):
        true = _true(losses, F(epsilon))
    above = F(int(true * 10**15) + 2, 10**15)
    below = above - F(4, 10**15)
    bits = {} if method == "gaussian" else {"bits": 100}
    assert approx(losses, method, epsilon, above, **bits) == ApproxDP(F(epsilon), above)
    with pytest.raises(ProofError, match="delta"):
        approx(losses, method, epsilon, below, **bits)
    # A moment proves less, and never more.
    with pytest.raises(ProofError):
        approx(losses, "moment", epsilon, below, order="3/2")


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 200),
    st.integers(1, 400),
    st.fractions(0, 2, max_denominator=9),
    st.fractions("1/9", 100, max_denominator=9),
)
def test_no_hint_proves_what_is_false(
    bits: int, more: int, epsilon: Fraction, order: Fraction
) -> None:
    true = enumerated([response_atoms(F(1, 2))] * 3, epsilon)
    below = F(int(true * 10**30) - more, 10**30)
    for method, hint in (("responses", {"bits": bits}), ("moment", {"order": order})):
        if below >= 0 and true > 0:
            with pytest.raises(ProofError):
                approx(RESPONSES, method, epsilon, below, **hint)


def test_a_delta_inside_the_enclosure_stays_open() -> None:
    found = METHODS["responses"](RESPONSES, "remove", F(1), {"bits": 8})
    middle = (found.lower + found.upper) / 2
    with pytest.raises(UndecidedError):
        approx(RESPONSES, "responses", 1, middle, bits=8)
    assert approx(RESPONSES, "responses", 1, found.upper, bits=8) == ApproxDP(F(1), found.upper)


def test_delta_zero_needs_the_whole_epsilon() -> None:
    assert approx(LAPLACE, "laplace", 1, 0, bits=64) == ApproxDP(F(1))
    with pytest.raises(ProofError):
        approx(LAPLACE, "laplace", "999/1000", 0, bits=64)


def test_both_sides_count_where_they_differ() -> None:
    method = METHODS["moment"]
    coarse = method(SAMPLED, "add", F(1), {"order": 1}).upper
    fine = method(SAMPLED, "remove", F(1), {"order": 9}).upper
    assert fine < coarse
    given = {"method": "moment", "epsilon": 1}
    same = {"remove": {"order": 9}, "add": {"order": 9}}
    read("pair-to-approx", SAMPLED, delta=fine, hints=same, **given)
    with pytest.raises(ProofError, match="add"):
        hints = {"remove": {"order": 9}, "add": {"order": 1}}
        read("pair-to-approx", SAMPLED, delta=fine, hints=hints, **given)
    with pytest.raises(ProofError, match="remove"):
        hints = {"remove": {"order": 1}, "add": {"order": 9}}
        read("pair-to-approx", SAMPLED, delta=fine, hints=hints, **given)
    with pytest.raises(ProofError, match="order"):
        read("pair-to-approx", SAMPLED, delta=fine, hints={"remove": {"order": 9}}, **given)


def test_one_side_stands_for_both_where_they_are_alike() -> None:
    given = {"method": "moment", "epsilon": 5, "delta": "1/10", "hints": {"remove": {"order": 2}}}
    assert read("pair-to-approx", GAUSSIAN, **given) == ApproxDP(F(5), F(1, 10))


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
        {"order": 2},
    ],
)
def test_malformed_points_are_refused(wrong: dict[str, Any]) -> None:
    given = {"method": "gaussian", "epsilon": 1, "delta": "1/2", "hints": {}}
    read("pair-to-approx", GAUSSIAN, **given)
    with pytest.raises(ValueError, match=r"pair-to-approx|parameters|delta"):
        read("pair-to-approx", GAUSSIAN, **{**given, **wrong})


@pytest.mark.parametrize("rule", sorted(RULES))
def test_other_guarantees_are_refused(rule: str) -> None:
    premise = Private(MECHANISM, AddRemove(Unit("record")), ApproxDP(F(1)))
    with pytest.raises(ProofError, match="Dominated"):
        RULES[rule](Premises(rule, (premise,)), Parameters(rule, {}))


def test_an_epsilon_below_zero_reaches_no_method() -> None:
    with pytest.raises(ProofError, match="pair-to-approx"):
        read("pair-to-approx", GAUSSIAN, method="gaussian", epsilon=-1, delta="9/10", hints={})


def test_a_profile_needs_every_point() -> None:
    given: dict[str, Any] = {"method": "gaussian", "hints": [{}, {}]}
    points = [["0", "0.383"], ["1", "0.127"]]
    found = read("pair-to-profile", GAUSSIAN, points=points, **given)
    assert found == Profile(((F(0), F("0.383")), (F(1), F("0.127"))))
    for false in ([["0", "0.382"], ["1", "0.127"]], [["0", "0.383"], ["1", "0.126"]]):
        with pytest.raises(ProofError, match="delta"):
            read("pair-to-profile", GAUSSIAN, points=false, **given)
    with pytest.raises(ProofError, match="hints"):
        read("pair-to-profile", GAUSSIAN, points=points, method="gaussian", hints=[{}])
    with pytest.raises(ProofError, match="hints"):
        read("pair-to-profile", GAUSSIAN, points=points, method="gaussian", hints={})
    with pytest.raises(ProofError, match="ascending"):
        read("pair-to-profile", GAUSSIAN, points=points[::-1], **given)


BOUNDED: Losses = (
    (2, DiscreteLaplaceLoss(F(1, 3), 2)),
    (3, LaplaceLoss(F(1, 5))),
    (4, ResponseLoss(F(1, 7))),
)


def test_pure_epsilon_is_where_the_profile_reaches_zero() -> None:
    assert read("pair-to-pure", BOUNDED) == ApproxDP(F(4, 3) + F(3, 5) + F(4, 7))
    assert read("pair-to-pure", ()) == ApproxDP(F(0))
    parts: list[Atoms] = [discrete_laplace_atoms(F(1, 3), 2, 30), response_atoms(F(1, 7))]
    proved = read("pair-to-pure", ((1, BOUNDED[0][1]), (1, BOUNDED[2][1])))
    assert isinstance(proved, ApproxDP)
    assert enumerated(parts, proved.epsilon) == 0
    assert enumerated(parts, proved.epsilon - F(1, 10**6)) > 0


UNBOUNDED = [
    GaussianLoss(F(1)),
    DiscreteGaussianLoss(F(1), 1),
    SampledGaussianLoss(F(1, 2), F(1)),
    ResponseLoss(F(1), F(1, 10**9)),
]


@pytest.mark.parametrize("loss", UNBOUNDED)
def test_unbounded_losses_are_not_pure(loss: Any) -> None:
    with pytest.raises(ProofError, match=loss.name):
        read("pair-to-pure", ((1, LaplaceLoss(F(1))), (1, loss)))


ORDERS = (F(1001, 1000), F(3, 2), F(2), F(7), F(40))


@pytest.mark.parametrize("order", ORDERS)
def test_renyi_epsilons_are_the_pairs_own(order: Fraction) -> None:
    gaussian: Losses = ((1, GaussianLoss(F(1, 3))),)
    found = read("pair-to-renyi", gaussian, orders=[order], epsilons=[order / 6])
    assert found == RenyiCurve(((order, order / 6),))
    discrete: Losses = ((2, DiscreteLaplaceLoss(F(1, 3), 2)), (1, ResponseLoss(F(1, 7))))
    slow = 2 * atoms_moment(discrete_laplace_atoms(F(1, 3), 2, 320), order - 1)
    slow = (slow + atoms_moment(response_atoms(F(1, 7)), order - 1)) / mp(order - 1)
    above = F(int(slow * 10**20) + 2, 10**20)
    read("pair-to-renyi", discrete, orders=[order], epsilons=[above])
    with pytest.raises(ProofError, match="epsilon"):
        read("pair-to-renyi", discrete, orders=[order], epsilons=[above - F(4, 10**20)])
    with pytest.raises(ProofError, match="epsilon"):
        read("pair-to-renyi", gaussian, orders=[order], epsilons=[order / 6 - F(1, 10**60)])


def test_renyi_epsilons_of_a_sample_cover_both_sides() -> None:
    loss = SampledGaussianLoss(F(1, 10), F(1))
    for order in (F(2), F(5)):
        stated = F(int(log_moment(loss, order - 1, "remove").upper * 10**20) + 1, 10**20)
        stated /= order - 1
        read("pair-to-renyi", ((1, loss),), orders=[order], epsilons=[stated])
        with wide.workdps(20):
            for power in (mp(order), 1 - mp(order)):
                value = sampled_moment(F(1, 10), wide.mpf(1), power) / mp(order - 1)
                assert value <= mp(stated) * (1 + wide.mpf("1e-12"))


@pytest.mark.parametrize(
    ("orders", "epsilons"),
    [(["1"], ["5"]), (["1/2"], ["5"]), (["2"], []), ([], []), (["3", "2"], ["5", "5"])],
)
def test_malformed_orders_are_refused(orders: list[str], epsilons: list[str]) -> None:
    with pytest.raises(ProofError, match="order"):
        read("pair-to-renyi", GAUSSIAN, orders=orders, epsilons=epsilons)


def test_a_loss_that_may_be_infinite_has_no_renyi_curve() -> None:
    with pytest.raises(ProofError, match="infinite"):
        read("pair-to-renyi", ((1, UNBOUNDED[3]),), orders=[2], epsilons=[100])


def test_zcdp_bounds_the_divergences_at_every_order() -> None:
    losses: Losses = (
        (3, DiscreteGaussianLoss(F(1, 2), 2)),
        (1, DiscreteLaplaceLoss(F(1, 3), 2)),
        (1, GaussianLoss(F(1, 4))),
        (2, LaplaceLoss(F(3))),
        (4, ResponseLoss(F(1, 7))),
    )
    parts = (3 * 4, F(2, 9), F(1, 8), F(9), F(4, 98))
    assert read("pair-to-zcdp", losses) == ZCDP(sum(parts, F(0)))
    atoms = {
        0: discrete_gaussian_atoms(F(1, 2), 2, 120),
        1: discrete_laplace_atoms(F(1, 3), 2, 60),
        4: response_atoms(F(1, 7)),
    }
    for place, law in atoms.items():
        found = read("pair-to-zcdp", (losses[place],))
        assert isinstance(found, ZCDP)
        for order in ORDERS:
            moment = losses[place][0] * atoms_moment(law, order - 1)
            assert moment <= mp(found.rho * order * (order - 1)) * (1 + wide.mpf("1e-30"))


@pytest.mark.parametrize("loss", UNBOUNDED[2:])
def test_zcdp_refuses_losses_without_one(loss: Any) -> None:
    with pytest.raises(ProofError, match=loss.name):
        read("pair-to-zcdp", ((1, loss),))


def test_gaussian_pairs_are_one_gaussian() -> None:
    losses: Losses = ((3, GaussianLoss(F(1, 12))), (1, GaussianLoss(F(3, 4))))
    assert read("pair-to-gdp", losses, mu=1) == GaussianDP(F(1))
    assert read("pair-to-gdp", (), mu=0) == GaussianDP(F(0))
    for mu in ("-1", "0", "999999/1000000"):
        with pytest.raises(ProofError, match="mu"):
            read("pair-to-gdp", losses, mu=mu)
    with pytest.raises(ProofError, match="Gaussian"):
        read("pair-to-gdp", ((1, LaplaceLoss(F(1))),), mu=5)


def test_every_method_has_its_name() -> None:
    names = {"contour", "gaussian", "laplace", "lattice", "moment", "responses", "values"}
    assert set(METHODS) == names
