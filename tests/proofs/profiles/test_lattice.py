"""The lattice method against sums in fractions, closed forms and integrals of mpmath."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
)
from proofs.profiles import lattice
from proofs.profiles.grid import ROUNDING, bounds, exp_bounds, place_on_grid
from proofs.profiles.lattice import FOURIER, MAX_SIZE, delta
from proofs.profiles.payoff import payoff
from proofs.search.lattice import epsilon_bracket, hint
from synthesizers.intervals import Interval, from_mpf, to_mpf

F = Fraction
Atoms = dict[Fraction, mpmath.mpf]


@pytest.fixture(autouse=True)
def _precision() -> Any:
    with mpmath.workdps(50):
        yield


def enclosed(losses: Losses, epsilon: Fraction, size: int = 1 << 14) -> Interval:
    return delta(losses, "remove", epsilon, hint(losses, "remove", epsilon, size))


def holds(found: Interval, truth: Any) -> bool:
    """Whether the enclosure holds a number that mpmath has to 40 digits."""
    value = from_mpf(mpmath.mpf(truth))
    slack = abs(value) / 10**40
    return found.lower <= value + slack and value - slack <= found.upper


def relative_width(found: Interval) -> float:
    return float((found.upper - found.lower) / found.upper)


def atoms(loss: Loss) -> Atoms:
    """The loss of each outcome by its definition, from P and Q on the integers."""
    found: Atoms = {}
    match loss:
        case ResponseLoss(epsilon):
            share = 1 / (1 + mpmath.exp(to_mpf(-epsilon)))
            found = {epsilon: share, -epsilon: 1 - share}
        case DiscreteLaplaceLoss(rate, shift):
            reach = int(140 / rate) + shift
            unit = mpmath.tanh(to_mpf(rate) / 2)
            for z in range(-reach, reach + 1):
                value = rate * (abs(z) - abs(z - shift))
                mass = unit * mpmath.exp(to_mpf(-rate * abs(z - shift)))
                found[value] = found.get(value, mpmath.mpf(0)) + mass
        case DiscreteGaussianLoss(variance, shift):
            reach = math.isqrt(int(300 * variance)) + shift + 2
            weights = {
                z: mpmath.exp(to_mpf(-F((z - shift) ** 2) / (2 * variance)))
                for z in range(-reach, reach + 1)
            }
            total = mpmath.fsum(weights.values())
            for z, weight in weights.items():
                found[F(z * z - (z - shift) ** 2) / (2 * variance)] = weight / total
    return found


def convolved(losses: Losses) -> Atoms:
    total: Atoms = {F(0): mpmath.mpf(1)}
    for count, loss in losses:
        own = atoms(loss)
        for _ in range(count):
            sums: Atoms = {}
            for x, p in total.items():
                for y, q in own.items():
                    sums[x + y] = sums.get(x + y, mpmath.mpf(0)) + p * q
            total = sums
    return total


def brute(losses: Losses, epsilon: Fraction) -> mpmath.mpf:
    return mpmath.fsum(
        p * -mpmath.expm1(to_mpf(epsilon - x)) for x, p in convolved(losses).items() if x > epsilon
    )


def gaussian_profile(mu_squared: Fraction, epsilon: Any) -> mpmath.mpf:
    """Balle & Wang 2018, Theorem 8; at any real epsilon."""
    mu, e = mpmath.sqrt(to_mpf(mu_squared)), mpmath.mpf(epsilon)

    def upper(x: mpmath.mpf) -> mpmath.mpf:
        return mpmath.erfc(x / mpmath.sqrt(2)) / 2

    return upper(e / mu - mu / 2) - mpmath.exp(e) * upper(e / mu + mu / 2)


def laplace_profile(epsilon0: Fraction, epsilon: Fraction) -> mpmath.mpf:
    if epsilon >= epsilon0:
        return mpmath.mpf(0)
    if epsilon <= -epsilon0:
        return -mpmath.expm1(to_mpf(epsilon))
    return -mpmath.expm1(to_mpf(epsilon - epsilon0) / 2)


SINGLE: list[Loss] = [
    LaplaceLoss(F(1, 2)),
    LaplaceLoss(F(7, 3)),
    LaplaceLoss(F(1, 100)),
    ResponseLoss(F(2, 3)),
    DiscreteLaplaceLoss(F(1, 5), 4),
    DiscreteLaplaceLoss(F(2), 1),
    DiscreteGaussianLoss(F(5, 2), 2),
    DiscreteGaussianLoss(F(9, 100), 1),
]


@pytest.mark.parametrize("loss", SINGLE, ids=str)
@pytest.mark.parametrize("step", [F(1, 8), F(1, 15), F(1, 7), F(2, 41)], ids=str)
def test_each_loss_lies_between_its_masses(loss: Loss, step: Fraction) -> None:
    """At every real ε, negative ones too: of a product only that is what a pair must do."""
    found = place_on_grid(loss, step)
    assert found is not None

    def of_masses(pieces: Any, end: int, epsilon: Fraction) -> mpmath.mpf:
        total = mpmath.mpf(0)
        for piece in pieces:
            masses = np.broadcast_to(bounds(piece, 0.0, 0.0)[end], piece.index.shape)
            for place, mass in zip(piece.index.tolist(), masses.tolist(), strict=True):
                value = found.anchor + place * step
                if value > epsilon:
                    total += mass * -mpmath.expm1(to_mpf(epsilon - value))
        return total

    own = None if isinstance(loss, LaplaceLoss) else atoms(loss)
    for epsilon in [F(n, 23) for n in range(-70, 70, 6)] + [F(0), F(1, 2), F(-1, 2)]:
        if own is None:
            truth = laplace_profile(loss.epsilon, epsilon)
        else:
            truth = mpmath.fsum(
                p * -mpmath.expm1(to_mpf(epsilon - x)) for x, p in own.items() if x > epsilon
            )
        low = of_masses(found.lower, 0, epsilon)
        high = of_masses(found.upper, 1, epsilon) + to_mpf(found.lost)
        assert low <= truth + mpmath.mpf(10) ** -45
        assert truth <= high + mpmath.mpf(10) ** -45
        # An atom may move down by a step; above, errors are of the second order where there is no
        # kink, and at a kink those of a chord.
        assert high - truth <= to_mpf(step) / 3
        assert truth - low <= to_mpf(step)


def test_what_is_cut_off_counts_above() -> None:
    """At an ε on the last point that is kept P has something left, and so has the bound."""
    loss = DiscreteGaussianLoss(F(5, 2), 1)
    found = place_on_grid(loss, F(2, 5))
    assert found is not None
    top = found.anchor + max(int(np.max(piece.index)) for piece in found.upper) * F(2, 5)
    assert 0 < brute(((1, loss),), top) <= to_mpf(found.lost)
    assert found.lost >= from_mpf(mpmath.exp(-140))


def test_masses_are_exact_where_the_step_divides_the_spacing() -> None:
    cases: list[tuple[Loss, Fraction]] = [
        (DiscreteLaplaceLoss(F(1, 10), 3), F(1, 20)),
        (DiscreteGaussianLoss(F(100), 3), F(3, 200)),
        (ResponseLoss(F(1, 3)), F(1, 3)),
    ]
    for loss, step in cases:
        found = place_on_grid(loss, step)
        assert found is not None
        assert found.lower == found.upper


def test_laplace_masses_differ_from_the_loss_by_the_square_of_the_step() -> None:
    epsilon = F(3, 10)
    gaps = []
    for step in (F(1, 50), F(1, 100), F(1, 200)):
        plan = {"step": str(step), "order": "2", "start": "-8", "below": "12", "above": "8"}
        found = delta(((4, LaplaceLoss(F(1))),), "remove", epsilon, {**plan, "size": 1 << 12})
        gaps.append(float(found.upper - found.lower))
    for wide, narrow in pairwise(gaps):
        assert 3 < wide / narrow < 6


@pytest.mark.parametrize("mu_squared", [F(0), F(1, 10**8), F(1, 100), F(1), F(30)], ids=str)
def test_the_payoff_lies_within_its_error(mu_squared: Fraction) -> None:
    for order, start, step in [(F(5), F(-3), F(1, 50)), (F(1, 3), F(-200, 7), F(1, 7))]:
        values, errors = payoff(start, step, 400, order, mu_squared)
        for j in range(0, 400, 13):
            d = start + j * step
            plain = max(0, -mpmath.expm1(to_mpf(-d)))
            truth = gaussian_profile(mu_squared, to_mpf(-d)) if mu_squared else plain
            truth *= mpmath.exp(to_mpf(-order * d))
            assert abs(mpmath.mpf(float(values[j])) - truth) <= errors[j]
        assert np.all(errors <= 1e-7 * math.exp(order * (order + 1) * mu_squared / 2) + 1e-7)


@pytest.mark.parametrize("points", [2**4, 2**11, 2**16])
def test_transforms_err_by_a_fraction_of_what_is_counted(points: int) -> None:
    """On a geometric sequence, the transform of which has a closed form; both norms."""
    ratio = 1 - 8 / points
    values = ratio ** np.arange(points) * np.random.default_rng(5).choice([1.0], points)
    found = np.fft.rfft(values)
    exact = [mpmath.mpf(v) for v in values.tolist()] if points <= 16 else None
    errors, truths = [], []
    for k in range(0, points // 2 + 1, max(1, points // 256)):
        turn = mpmath.expjpi(-mpmath.mpf(2 * k) / points)
        if exact:
            truth = mpmath.fsum(v * turn**j for j, v in enumerate(exact))
        else:
            truth = (1 - mpmath.mpf(ratio) ** points) / (1 - mpmath.mpf(ratio) * turn)
        errors.append(float(abs(mpmath.mpc(complex(found[k])) - truth)))
        truths.append(float(abs(truth)))
    counted = FOURIER * math.log2(points)
    # The powers of the ratio are themselves rounded, by numpy's power.
    assert max(errors) <= counted * float(np.sum(values)) / 4
    assert np.linalg.norm(errors) <= counted * np.linalg.norm(truths) / 2
    back = np.fft.irfft(found, points) - values
    assert np.linalg.norm(back) <= 2 * counted * np.linalg.norm(values) / 4


MIXES: list[Losses] = [
    ((3, DiscreteLaplaceLoss(F(1, 2), 3)),),
    ((2, DiscreteGaussianLoss(F(2), 1)), (2, ResponseLoss(F(1, 2)))),
    ((1, DiscreteGaussianLoss(F(3, 2), 2)), (2, DiscreteLaplaceLoss(F(1, 3), 2))),
    ((4, ResponseLoss(F(1))), (3, ResponseLoss(F(1, 4))), (2, DiscreteLaplaceLoss(F(1, 8), 5))),
]


@pytest.mark.parametrize("losses", MIXES, ids=str)
def test_products_of_discrete_losses_are_as_enumerated(losses: Losses) -> None:
    for epsilon in (F(0), F(1, 3), F(1), F(2)):
        truth = brute(losses, epsilon)
        found = enclosed(losses, epsilon)
        assert holds(found, truth)
        assert relative_width(found) < 1e-11


def test_losses_without_a_common_step_are_enclosed() -> None:
    losses: Losses = (
        (2, ResponseLoss(F(100003, 300007))),
        (2, DiscreteLaplaceLoss(F(70001, 500009), 3)),
        (1, DiscreteGaussianLoss(F(300007, 100003), 2)),
    )
    for epsilon in (F(1, 10), F(1), F(2)):
        found = enclosed(losses, epsilon)
        assert holds(found, brute(losses, epsilon))
        assert relative_width(found) < 1e-2


def test_a_step_is_found_that_nearly_divides_two_incommensurable_losses() -> None:
    losses: Losses = (
        (2, ResponseLoss(F(100003, 300007))),
        (2, DiscreteLaplaceLoss(F(70001, 500009), 3)),
    )
    found = enclosed(losses, F(1, 2), 1 << 16)
    assert holds(found, brute(losses, F(1, 2)))
    assert relative_width(found) < 2e-5


PRINTED = [
    (DiscreteGaussianLoss(F(1), 1), F(1), ".14135133940562191"),
    (DiscreteGaussianLoss(F(1, 4), 1), F(2), ".10476484410989827"),
    (DiscreteGaussianLoss(F(100), 1), F(1, 10), ".0087623539239480945"),
    (DiscreteGaussianLoss(F(9, 100), 1), F(1), ".9857357077999525"),
    (DiscreteLaplaceLoss(F(1), 1), F(1, 2), ".28764913664496792"),
    (DiscreteLaplaceLoss(F(1, 5), 4), F(3, 10), ".22410820605019391"),
    (GaussianLoss(F(1)), F(0), ".38292492254802621"),
    (GaussianLoss(F(1)), F(5), "5.7937216919194941e-7"),
    (GaussianLoss(F(4)), F(4), ".084953318671071063"),
]


@pytest.mark.parametrize(("loss", "epsilon", "value"), PRINTED, ids=str)
def test_single_losses_have_their_known_profiles(loss: Loss, epsilon: Fraction, value: str) -> None:
    found = enclosed(((1, loss),), epsilon)
    last = F(1, 10**16) * F(value)
    assert found.lower - last <= F(value) <= found.upper + last
    assert relative_width(found) < 1e-10


def test_thirty_laplace_losses_have_their_known_profile() -> None:
    for epsilon, value in [
        ("0.5", ".064840028363119494"),
        ("1.5", "7.3355977464197937e-4"),
        ("2.5", "9.4649350214804958e-8"),
    ]:
        found = enclosed(((30, LaplaceLoss(F(1, 10))),), F(epsilon))
        assert found.lower < F(value) < found.upper
        assert relative_width(found) < 1e-5


def test_compositions_have_their_known_epsilon() -> None:
    """Randomised response is Kairouz, Oh & Viswanath's optimum; Laplace of its closed form."""
    for step, count, response, laplace in [
        (F(1, 10), 10, ".99937090572175872", ".99897808944721984"),
        (F(1, 10), 30, "2.3458876930080366", "2.2978190230659152"),
        (F(1, 10), 100, "4.7745675881079862", "4.692667414680189"),
        (F(1, 2), 20, "9.9867978696401641", "9.670920161644649"),
    ]:
        for loss, value in ((ResponseLoss(step), response), (LaplaceLoss(step), laplace)):
            losses: Losses = ((count, loss),)
            near = F(1, 10**15) if isinstance(loss, ResponseLoss) else F(0)
            wide = F(1, 10**10) if isinstance(loss, ResponseLoss) else F(1, 10**5)
            truth = F(value)
            assert enclosed(losses, truth - wide).lower > F(1, 10**6)
            assert enclosed(losses, truth + wide).upper < F(1, 10**6)
            at = enclosed(losses, truth)
            assert at.lower - near <= F(1, 10**6) <= at.upper + near


@pytest.mark.parametrize("epsilon", [F(0), F(1), F(5, 2), F(4)], ids=str)
def test_mixed_products_are_integrals(epsilon: Fraction) -> None:
    """Two responses, a Laplace and a Gaussian loss: sums and one integral of the Gaussian's."""
    losses: Losses = (
        (1, GaussianLoss(F(1, 4))),
        (1, LaplaceLoss(F(1))),
        (2, ResponseLoss(F(1, 2))),
    )

    def rest(value: mpmath.mpf) -> mpmath.mpf:
        parts = convolved(((2, ResponseLoss(F(1, 2))),)).items()
        return mpmath.fsum(p * gaussian_profile(F(1, 4), value - to_mpf(x)) for x, p in parts)

    e = to_mpf(epsilon)
    truth = rest(e - 1) / 2 + rest(e + 1) * mpmath.exp(-1) / 2
    inner = mpmath.quad(lambda x: mpmath.exp((x - 1) / 2) / 4 * rest(e - x), [-1, 0, 1])
    found = enclosed(losses, epsilon)
    assert holds(Interval(found.lower, found.upper), truth + inner)
    assert relative_width(found) < 1e-5


def test_profiles_are_enclosed_down_to_tiny_delta() -> None:
    """A hundred responses are a sum of binomials; at a δ below 1e-30, and one far below."""
    losses: Losses = ((100, ResponseLoss(F(1, 2))),)
    share = 1 / (1 + mpmath.exp(mpmath.mpf(-1) / 2))
    seen = []
    for epsilon in (F(10), F(36), F(45), F(49)):
        truth = mpmath.fsum(
            mpmath.binomial(100, n)
            * share**n
            * (1 - share) ** (100 - n)
            * -mpmath.expm1(to_mpf(epsilon - F(2 * n - 100, 2)))
            for n in range(101)
            if F(2 * n - 100, 2) > epsilon
        )
        found = enclosed(losses, epsilon)
        assert holds(found, truth)
        assert relative_width(found) < 1e-9
        seen.append(found.upper)
    assert seen[-1] < F(1, 10**18)
    gaussian = enclosed(((30, DiscreteGaussianLoss(F(9), 1)), (1, GaussianLoss(F(1, 2)))), F(25))
    assert 0 < gaussian.lower < gaussian.upper < F(1, 10**30)
    assert relative_width(gaussian) < 1e-9


def test_a_discrete_gaussian_of_a_large_variance_is_a_gaussian() -> None:
    """The composition of 40 that differ from Gaussians by less than e^(-2π²·25)."""
    found = enclosed(((40, DiscreteGaussianLoss(F(25), 5)),), F(30))
    gaussian = gaussian_profile(F(40), 30)
    assert abs(float(found.upper) / float(gaussian) - 1) < 2e-3


def test_infinite_losses_are_counted_once() -> None:
    losses: Losses = ((3, ResponseLoss(F(1, 2), F(1, 1000))), (1, LaplaceLoss(F(1))))
    finite: Losses = ((3, ResponseLoss(F(1, 2))), (1, LaplaceLoss(F(1))))
    without, found = enclosed(finite, F(1)), enclosed(losses, F(1))
    kept = F(999, 1000) ** 3
    assert found.lower <= 1 - kept + kept * without.upper
    assert found.upper >= 1 - kept + kept * without.lower
    assert abs(found.upper - (1 - kept + kept * without.upper)) < F(1, 10**6)


def test_losses_that_are_always_zero_change_nothing() -> None:
    losses: Losses = ((5, ResponseLoss(F(1, 2))),)
    more = (*losses, (3, LaplaceLoss(F(0))), (2, DiscreteLaplaceLoss(F(1), 0)))
    more = (*more, (1, GaussianLoss(F(0))), (9, DiscreteGaussianLoss(F(2), 0)))
    own = hint(losses, "remove", F(1))
    assert delta(more, "remove", F(1), own) == delta(losses, "remove", F(1), own)
    assert delta((), "remove", F(1), hint((), "remove", F(1))).lower == 0


GOOD = {"step": "1/4", "order": "2", "size": 256, "start": "-9", "below": "1", "above": "2"}
HOSTED: Losses = ((3, ResponseLoss(F(1, 2))), (1, DiscreteLaplaceLoss(F(1, 3), 2)))
SMALL: Losses = ((3, ResponseLoss(F(1, 2))), (1, LaplaceLoss(F(1))))


@pytest.mark.parametrize(
    "change",
    [
        {"step": "2"},
        {"step": "0"},
        {"step": 0.25},
        {"order": "-1"},
        {"size": 100},
        {"size": 2 * MAX_SIZE},
        {"size": "256"},
        {"start": "1/" + "7" * 100},
        {"extra": 1},
        {"step": "1/10000000"},
        {"below": "100000"},
    ],
    ids=str,
)
def test_malformed_hints_are_refused(change: dict[str, Any]) -> None:
    delta(SMALL, "remove", F(1), GOOD)
    with pytest.raises(ProofError):
        delta(SMALL, "remove", F(1), {**GOOD, **change})


@pytest.mark.parametrize("key", sorted(GOOD))
def test_incomplete_hints_are_refused(key: str) -> None:
    with pytest.raises(ProofError):
        delta(SMALL, "remove", F(1), {name: v for name, v in GOOD.items() if name != key})


def test_losses_that_it_does_not_know_or_cannot_hold_are_refused() -> None:
    for loss in (
        SampledGaussianLoss(F(1, 100), F(1)),
        DiscreteLaplaceLoss(F(1, 10), 10**9),
        DiscreteGaussianLoss(F(10**12), 1),
        LaplaceLoss(F(10**6)),
        LaplaceLoss(F(10**30)),
        GaussianLoss(F(1, 10**40)),
    ):
        with pytest.raises(ProofError):
            delta(((1, loss),), "remove", F(1), GOOD)
    with pytest.raises(ProofError):
        delta(((2**40, ResponseLoss(F(1))),), "remove", F(1), GOOD)


@lru_cache(maxsize=1)
def _parts() -> Atoms:
    return convolved(HOSTED)


def _truth(epsilon: Fraction, mu_squared: Fraction) -> mpmath.mpf:
    if not mu_squared:
        return mpmath.fsum(
            p * -mpmath.expm1(to_mpf(epsilon - x)) for x, p in _parts().items() if x > epsilon
        )
    return mpmath.fsum(
        p * gaussian_profile(mu_squared, to_mpf(epsilon - x)) for x, p in _parts().items()
    )


positive = st.one_of(
    st.fractions(F(1, 100), F(20), max_denominator=100),
    st.fractions(F(1, 10**6), F(10**4), max_denominator=10**6),
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    epsilon=st.fractions(F(0), F(3), max_denominator=50),
    mu_squared=st.sampled_from([F(0), F(0), F(1, 9), F(4)]),
    step=st.one_of(st.just(F(1, 6)), st.fractions(F(1, 300), F(1), max_denominator=300)),
    order=positive,
    start=st.fractions(F(-40), F(40), max_denominator=50),
    below=positive,
    above=positive,
    log_size=st.integers(1, 11),
)
def test_no_hint_leads_outside(
    epsilon: Fraction,
    mu_squared: Fraction,
    step: Fraction,
    order: Fraction,
    start: Fraction,
    below: Fraction,
    above: Fraction,
    log_size: int,
) -> None:
    """Windows beside the losses, foldings, wild orders: wide, refused, never wrong."""
    chosen = {"step": step, "order": order, "start": start, "below": below, "above": above}
    told = {key: str(value) for key, value in chosen.items()}
    more: Losses = ((1, GaussianLoss(mu_squared)),) if mu_squared else ()
    try:
        found = delta(HOSTED + more, "remove", epsilon, {**told, "size": 1 << log_size})
    except ProofError:
        return
    with mpmath.workdps(50):
        assert holds(found, _truth(epsilon, mu_squared))


@settings(max_examples=40, deadline=None)
@given(
    epsilon=st.fractions(F(0), F(3), max_denominator=50),
    step=st.fractions(F(1, 100), F(1, 10), max_denominator=300),
    order=st.fractions(F(1, 10), F(8), max_denominator=50),
    mu_squared=st.sampled_from([F(0), F(1, 9), F(1)]),
    earlier=st.sampled_from([F(0), F(0), F(1, 7), F(2)]),
    log_size=st.integers(4, 10),
)
def test_a_folded_law_still_encloses(
    epsilon: Fraction,
    step: Fraction,
    order: Fraction,
    mu_squared: Fraction,
    earlier: Fraction,
    log_size: int,
) -> None:
    """Windows that begin at ε or earlier, where what lies below is folded in or missed."""
    told = {"step": str(step), "order": str(order), "start": str(epsilon - earlier)}
    told |= {"below": str(order * 9 / 10), "above": "5"}
    losses = (*HOSTED, (1, GaussianLoss(mu_squared)))
    found = delta(losses, "remove", epsilon, {**told, "size": 1 << log_size})
    with mpmath.workdps(50):
        assert holds(found, _truth(epsilon, mu_squared))


@pytest.mark.parametrize("size", [16, 32])
@pytest.mark.parametrize(("step", "order", "start"), [("1/2", "1", "-1/2"), ("1/6", "2", "1/2")])
def test_what_is_folded_into_a_window_that_begins_early_is_counted(
    step: str, order: str, start: str, size: int
) -> None:
    """Cases in which the enclosure misses if V is taken to be at most 1 there."""
    told = {"step": step, "order": order, "start": start, "below": order, "above": "5"}
    found = delta(HOSTED, "remove", F(3, 2), {**told, "size": size})
    assert holds(found, _truth(F(3, 2), F(0)))


def test_weights_whose_squares_underflow_are_counted() -> None:
    """The window begins where e^(-c(x - ε)) is below 1e-162, and what a transform errs is not."""
    losses: Losses = ((1, DiscreteGaussianLoss(Fraction(1, 4), 100)),)
    plan: dict[str, Any] = {"step": 1, "below": "0.12", "above": "0.07", "size": 1 << 15}
    for order in ("0.03", "0.0301", "0.031"):
        for start in (12600, 13000, 13500):
            given = {**plan, "order": order, "start": start}
            found = delta(losses, "remove", Fraction(1), given)
            # All losses but 1e-80 of them are above 12,000.
            assert found.lower < 1 - Fraction(1, 10**90) and found.upper > 1 - Fraction(1, 10**60)


def test_too_much_work_is_refused_before_it_begins() -> None:
    many: Losses = tuple((1, ResponseLoss(F(1, n))) for n in range(2, 40))
    with pytest.raises(ProofError, match="power of two"):
        delta(many, "remove", F(1), {**GOOD, "size": MAX_SIZE})


@pytest.mark.parametrize(
    ("losses", "width"),
    [
        (((100, DiscreteLaplaceLoss(F(1, 10), 3)),), 1e-10),
        (((200, DiscreteGaussianLoss(F(100), 1)),), 1e-10),
        (((100, ResponseLoss(F(1, 10))),), 1e-10),
        (((1, GaussianLoss(F(1))),), 1e-10),
        (((30, DiscreteLaplaceLoss(F(1, 10), 1)), (4, GaussianLoss(F(1, 100)))), 1e-10),
    ],
    ids=str,
)
def test_brackets_of_epsilon_are_certified_and_narrow(losses: Losses, width: float) -> None:
    wanted = F(1, 10**6)
    low, high = epsilon_bracket(losses, wanted)
    assert 0 < low < high
    assert high - low < width
    assert enclosed(losses, low).lower > wanted
    assert enclosed(losses, high).upper <= wanted


def test_a_large_loss_in_a_narrow_window_gets_a_step_that_it_can_have() -> None:
    found = enclosed(((3, LaplaceLoss(F(5))),), F(299, 20), 1 << 19)
    assert 0 < found.lower < found.upper
    assert relative_width(found) < 1e-5


def test_beyond_the_largest_losses_the_profile_is_zero() -> None:
    losses: Losses = ((3, LaplaceLoss(F(1))), (2, ResponseLoss(F(1, 2), F(1, 10))))
    own = hint(losses, "remove", F(3))
    assert delta(losses, "remove", F(4), own).upper <= F(19, 100) + F(1, 10**40)
    assert delta(losses, "remove", F(399, 100), own).upper > F(19, 100) + F(1, 10**8)
    assert enclosed(((1, DiscreteGaussianLoss(F(1), 1)),), F(4)).lower > 0


@pytest.mark.slow
def test_an_epsilon_next_to_the_sum_of_all_is_bracketed() -> None:
    low, high = epsilon_bracket(((30, LaplaceLoss(F(1, 10))),), F(1, 10**30))
    assert F(29999, 10**4) < low < high <= 3


@pytest.mark.parametrize("below", ["1e-3", "1e-6", "1e-9", "1e-15"])
def test_next_to_the_sum_of_all_the_profile_is_that_of_the_largest_losses(below: str) -> None:
    """Two responses and a Laplace loss: what is just below adds to δ, and never takes from it."""
    losses = ((1, LaplaceLoss(Fraction(1, 2))), (2, ResponseLoss(Fraction(1, 4))))
    epsilon = 1 - Fraction(below)
    chance = 1 / (2 * (1 + mpmath.exp(mpmath.mpf(-1) / 4)) ** 2)
    # Of the Laplace pair alone δ is 1 - e^((ε - 1/2)/2), and it is met where both responses agree.
    truth = -2 * chance * mpmath.expm1(-to_mpf(F(below)) / 2)
    least = -chance * mpmath.expm1(-to_mpf(F(below)))
    found = delta(losses, "remove", epsilon, hint(losses, "remove", epsilon))
    assert float(found.lower) <= truth <= float(found.upper) * (1 + 1e-12)
    assert float(found.lower) >= least * (1 - 1e-9)


def test_the_epsilon_of_a_tiny_delta_lies_just_below_the_sum_of_all() -> None:
    losses = ((30, LaplaceLoss(Fraction(1, 10))), (20, ResponseLoss(Fraction(1, 20))))
    low, high = epsilon_bracket(losses, Fraction(1, 10**30))
    assert high == 4
    assert 4 - Fraction(1, 10**14) < low < 4
    mixed = ((1, LaplaceLoss(Fraction(1, 2))), (2, ResponseLoss(Fraction(1, 4))))
    low, high = epsilon_bracket(mixed, Fraction(1, 10**20))
    assert 1 - Fraction(1, 10**18) < low < high == 1


def test_a_bracket_may_begin_at_zero() -> None:
    assert epsilon_bracket(((1, ResponseLoss(F(1, 10))),), F(1, 2)) == (F(0), F(0))


@pytest.mark.slow
def test_a_mix_of_three_kinds_is_bracketed_within_a_billionth() -> None:
    losses: Losses = (
        (30, LaplaceLoss(F(1, 10))),
        (20, ResponseLoss(F(1, 20))),
        (10, GaussianLoss(F(1, 100))),
    )
    low, high = epsilon_bracket(losses, F(1, 10**6))
    assert 0 < high - low < 1e-9


def test_bounds_of_powers_leave_the_room_that_is_counted() -> None:
    exponents = np.concatenate([np.linspace(-600, 300, 91), np.linspace(-2, 2, 41)])
    sizes = np.abs(exponents) + 3
    low, high = exp_bounds(exponents, sizes)
    for x, size, below, above in zip(exponents, sizes, low, high, strict=True):
        moved = 8 * mpmath.mpf(ROUNDING) * (size + 1)
        assert below < mpmath.exp(mpmath.mpf(x) - moved) * (1 - 8 * ROUNDING)
        assert mpmath.exp(mpmath.mpf(x) + moved) * (1 + 8 * ROUNDING) < above
        assert above <= below * (1 + 1000 * ROUNDING * size)
    with pytest.raises(ProofError):
        exp_bounds(np.zeros(1), np.array([2.0**31]))


def test_folded_sums_are_rounded_outwards() -> None:
    places = np.tile(np.arange(16), 5000) * 4
    masses = np.random.default_rng(3).random(len(places)) * 0.1
    low, high = (lattice._fold(places, masses, 8, direction) for direction in (-1, 1))
    for place in (0, 4):
        truth = sum(map(F, masses[places % 8 == place].tolist()), F(0))
        half = F(len(places), 4) / 2**53
        assert F(low[place]) < truth * (1 - half)
        assert truth * (1 + half) < F(high[place])
    assert low[1] == high[1] == 0


def test_the_ends_come_from_the_masses_on_their_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the errors of transforms the masses' own still part the ends."""
    losses: Losses = ((1000, ResponseLoss(F(1, 50))),)
    own = hint(losses, "remove", F(1))
    monkeypatch.setattr(lattice, "FOURIER", 0.0)
    assert relative_width(delta(losses, "remove", F(1), own)) > 1000 * 80 * ROUNDING


def test_gaussian_losses_are_counted() -> None:
    own = hint(((1, GaussianLoss(F(3, 4))),), "remove", F(1))
    one = delta(((1, GaussianLoss(F(3, 4))),), "remove", F(1), own)
    assert delta(((3, GaussianLoss(F(1, 4))),), "remove", F(1), own) == one
    assert delta(((1, GaussianLoss(F(1, 4))),) * 3, "remove", F(1), own) == one


def test_the_error_of_a_power_counts_every_factor() -> None:
    plan = lattice.Plan(F(1, 4), F(1), 64, F(0), F(1), F(1))
    places, masses = np.array([0, 3]), np.array([0.25, 0.75])
    once = lattice._nothing(plan).times(1, places, masses, 1)
    often = lattice._nothing(plan).times(10**6, places, masses, 1)
    assert np.all(once.relative >= FOURIER * 6 + 4 * ROUNDING)
    assert np.all(often.relative >= 0.999 * 10**6 * once.relative)


def test_counts_of_rounding_are_in_units_of_doubles() -> None:
    assert np.finfo(np.float64).eps / 2 == ROUNDING
