"""Noise laws against high-precision arithmetic, and against their own sums."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from synthesizers.budget import Cost
from synthesizers.errors import InputError, TooLargeError
from synthesizers.exact import ExpRational, add, compare, divide, enclose, log_enclosure
from synthesizers.intervals import Interval
from synthesizers.noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    Noise,
    RoundedLaplace,
    clamped_mass,
)
from synthesizers.queries import Sensitivity
from tests.synthesizers.brute_force import DIGITS, close, fraction

SCALES = [Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(7, 3), Fraction(20)]
VARIANCES = [Fraction(1, 9), Fraction(1, 2), Fraction(1), Fraction(4), Fraction(31, 3)]
LAWS: list[Noise] = [
    *(DiscreteLaplace(scale) for scale in SCALES),
    *(RoundedLaplace(scale) for scale in SCALES),
    *(DiscreteGaussian(variance) for variance in VARIANCES),
]
VALUES = [0, 1, -1, 2, -3, 7, -12, 40]


@functools.cache
def normaliser(noise: Noise) -> mpmath.mpf:
    with mpmath.workdps(DIGITS):
        if isinstance(noise, DiscreteLaplace):
            return mpmath.nsum(lambda z: mpmath.exp(-z / fraction(noise.scale)), [0, mpmath.inf])
        assert isinstance(noise, DiscreteGaussian)
        double = 2 * fraction(noise.variance)
        # The terms beyond 60 standard deviations are below 10^-700.
        end = 10 + int(60 * mpmath.sqrt(double))
        return mpmath.fsum(mpmath.exp(-(mpmath.mpf(z) ** 2) / double) for z in range(-end, end + 1))


def true_mass(noise: Noise, value: int) -> mpmath.mpf:
    """P[Z = value], from the definition of the law and no closed form of a discrete one."""
    with mpmath.workdps(DIGITS):
        if isinstance(noise, DiscreteLaplace):
            both_sides = 2 * normaliser(noise) - 1
            return mpmath.exp(-abs(value) / fraction(noise.scale)) / both_sides
        if isinstance(noise, RoundedLaplace):
            half, b = mpmath.mpf(1) / 2, fraction(noise.scale)

            def below(x: mpmath.mpf) -> mpmath.mpf:
                return mpmath.exp(x / b) / 2 if x <= 0 else 1 - mpmath.exp(-x / b) / 2

            # The left half is used so that no difference of numbers near 1 is taken.
            place = -abs(value)
            return below(place + half) - below(place - half)
        assert isinstance(noise, DiscreteGaussian)
        weight = mpmath.exp(-(mpmath.mpf(value) ** 2) / (2 * fraction(noise.variance)))
        return weight / normaliser(noise)


def true_tail(noise: Noise, value: int) -> mpmath.mpf:
    """P[Z >= value] as a sum of masses, on the side where nothing cancels."""
    with mpmath.workdps(DIGITS):
        if value <= 0:
            return 1 - true_tail(noise, 1 - value)
        total, at = mpmath.mpf(0), value
        while True:
            part = true_mass(noise, at)
            total += part
            if part < total * mpmath.mpf(10) ** (-DIGITS + 4):
                return total
            at += 1


@pytest.mark.parametrize("noise", LAWS, ids=repr)
def test_masses_and_tails_to_45_digits(noise: Noise) -> None:
    for value in VALUES:
        assert close(noise.mass(value), true_mass(noise, value))
    for value in (1, 2, 5, 12, 0, -1, -4):
        assert close(noise.tail(value), true_tail(noise, value))


@pytest.mark.parametrize("noise", [law for law in LAWS if not isinstance(law, DiscreteGaussian)],
                         ids=repr)  # fmt: skip
@pytest.mark.parametrize("end", [0, 1, 6])
def test_masses_and_both_tails_sum_to_one_exactly(noise: Noise, end: int) -> None:
    total = add(noise.tail(end + 1), noise.tail(end + 1))
    for value in range(-end, end + 1):
        total = add(total, noise.mass(value))
    assert compare(total, Fraction(1)) == 0


@pytest.mark.parametrize("noise", LAWS, ids=repr)
def test_a_mass_is_a_difference_of_tails_and_the_law_is_symmetric(noise: Noise) -> None:
    for value in (-4, -1, 0, 1, 3):
        difference = add(noise.tail(value), multiply_by_minus_one(noise.tail(value + 1)))
        order = compare(noise.mass(value), difference)
        assert order == 0 or (isinstance(noise, DiscreteGaussian) and order is None)
        assert compare(noise.mass(value), noise.mass(-value)) in (0, None)


def multiply_by_minus_one(value: object) -> ExpRational | Interval:
    assert isinstance(value, ExpRational | Interval)
    return -value


@pytest.mark.parametrize("variance", [*VARIANCES, Fraction(1, 1000), Fraction(400), Fraction(5000)])
def test_gaussian_intervals_hold_the_truth_and_are_narrow(variance: Fraction) -> None:
    noise = DiscreteGaussian(variance)
    far = 5 * math.isqrt(max(1, int(variance)))
    for value in (0, 1, far, 3 * far):
        assert close(noise.mass(value), true_mass(noise, value))
        interval = noise.mass(value)
        assert (interval.upper - interval.lower) * 2**180 < interval.upper
    assert close(noise.tail(far), true_tail(noise, far))


def test_gaussian_normaliser_by_the_theta_function() -> None:
    # Σ q^(z²) is Jacobi's theta_3(0, q): a reference that sums another, dual series.
    for variance in VARIANCES:
        with mpmath.workdps(DIGITS):
            q = mpmath.exp(-1 / (2 * fraction(variance)))
            assert close(DiscreteGaussian(variance).mass(0), 1 / mpmath.jtheta(3, 0, q))


def test_a_gaussian_too_wide_for_its_sum_is_refused() -> None:
    with pytest.raises(TooLargeError, match="variance"):
        DiscreteGaussian(Fraction(10**12)).mass(0)


@pytest.mark.parametrize("noise", LAWS, ids=repr)
@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (0, 1), (-2, 3), (5, 9)], ids=lambda bound: str(bound)
)
def test_clamped_laws_sum_to_one_and_put_tails_on_the_ends(
    noise: Noise, low: int, high: int
) -> None:
    for truth in (-3, 0, 2, 7, 30):
        total = functools.reduce(
            add, (clamped_mass(noise, truth, y, low, high) for y in range(low, high + 1))
        )
        assert compare(total, Fraction(1)) == 0 or isinstance(noise, DiscreteGaussian)
        assert compare(total, Fraction(1)) in (0, None)
        assert clamped_mass(noise, truth, low - 1, low, high) == 0
        assert clamped_mass(noise, truth, high + 1, low, high) == 0
        if low == high:
            continue
        for answer in range(low, high + 1):
            with mpmath.workdps(DIGITS):
                if answer == low:
                    wanted = true_tail(noise, truth - low)
                elif answer == high:
                    wanted = true_tail(noise, high - truth)
                else:
                    wanted = true_mass(noise, answer - truth)
            assert close(clamped_mass(noise, truth, answer, low, high), wanted, 40)


@pytest.mark.parametrize("noise", [law for law in LAWS if not isinstance(law, DiscreteGaussian)],
                         ids=repr)  # fmt: skip
@pytest.mark.parametrize("shift", [0, 1, -1, 2, 5])
def test_shift_loss_is_the_largest_log_ratio(noise: Noise, shift: int) -> None:
    claimed = noise.shift_loss(shift)
    assert claimed is not None
    met = False
    for value in range(-9, 10):
        ratio = divide(noise.mass(value), noise.mass(value + shift))
        order = compare(ratio, ExpRational.exp(claimed))
        assert order is not None and order <= 0
        met = met or order == 0
    assert met


def test_gaussian_shift_loss_has_no_bound() -> None:
    noise = DiscreteGaussian(Fraction(4))
    assert noise.shift_loss(0) == 0 and noise.shift_loss(1) is None
    losses = [log_enclosure(divide(noise.mass(z), noise.mass(z + 1))).lower for z in (0, 10, 100)]
    assert losses[0] < 1 < losses[1] < 10 < losses[2]


@pytest.mark.parametrize("make", [DiscreteLaplace, RoundedLaplace])
@pytest.mark.parametrize("l1", [0, 1, 2, 6])
def test_laplace_costs_bound_the_loss_and_are_attained(
    make: Callable[[Fraction], Noise], l1: int
) -> None:
    """A vector of sensitivity l1, all of it in one answer: the loss is l1/scale exactly."""
    scale = Fraction(3, 2)
    cost = make(scale).cost(Sensitivity(l1, l1 * l1, l1, True))
    assert cost == Cost(l1 / scale, (l1 / scale) ** 2 / 2)
    assert make(scale).shift_loss(l1) == cost.epsilon


@pytest.mark.parametrize("shift", [1, 2, 3])
@pytest.mark.parametrize("variance", [Fraction(1, 2), Fraction(4)])
def test_gaussian_rho_is_the_renyi_divergence_of_a_shift(shift: int, variance: Fraction) -> None:
    """D_α(Z ‖ Z + shift) <= α ρ for all α, with equality where α·shift is whole."""
    noise = DiscreteGaussian(variance)
    cost = noise.cost(Sensitivity(shift, shift * shift, shift, True))
    assert cost.epsilon is None and cost.rho == Fraction(shift * shift) / (2 * variance)
    with mpmath.workdps(30):
        for alpha in (mpmath.mpf(3) / 2, mpmath.mpf(2), mpmath.mpf(5), mpmath.mpf(17) / 3):
            total = mpmath.fsum(
                true_mass(noise, z) ** alpha * true_mass(noise, z - shift) ** (1 - alpha)
                for z in range(-80, 81)
            )
            divergence = mpmath.log(total) / (alpha - 1)
            bound = alpha * fraction(cost.rho)
            assert divergence <= bound * (1 + mpmath.mpf(10) ** -20)
            if alpha in (2, 5):
                assert divergence >= bound * (1 - mpmath.mpf(10) ** -20)


def test_nothing_asked_costs_nothing() -> None:
    nothing = Sensitivity(0, 0, 0, True)
    for noise in LAWS:
        assert noise.cost(nothing) == Cost(Fraction(0), Fraction(0))


@pytest.mark.parametrize("make", [DiscreteLaplace, RoundedLaplace, DiscreteGaussian])
@pytest.mark.parametrize("bad", [0, -1, Fraction(-1, 2), 0.5, "1", True, None, np.float64(1)])
def test_parameters_are_positive_rationals(make: Callable[[object], Noise], bad: object) -> None:
    with pytest.raises(InputError):
        make(bad)


@pytest.mark.parametrize("make", [DiscreteLaplace, RoundedLaplace, DiscreteGaussian])
def test_fractions_of_numpy_integers_are_rebuilt(make: Callable[[object], Noise]) -> None:
    """Arithmetic on numpy's integers would overflow in silence."""
    rebuilt = make(Fraction(np.int64(3), np.int64(2)))
    assert rebuilt == make(Fraction(3, 2))
    (parameter,) = (getattr(rebuilt, field.name) for field in dataclasses.fields(rebuilt))
    assert type(parameter.numerator) is type(parameter.denominator) is int


@pytest.mark.parametrize("make", [DiscreteLaplace, RoundedLaplace, DiscreteGaussian])
def test_whole_parameters_are_as_good_as_fractions(make: Callable[[object], Noise]) -> None:
    whole, same = make(2), make(Fraction(2))
    assert whole == same and hash(whole) == hash(same) and whole.to_json() == same.to_json()
    for value in (-3, 0, 4):
        assert compare(whole.mass(value), same.mass(value)) in (0, None)
        assert enclose(whole.tail(value)) == enclose(same.tail(value))
    assert whole.cost(Sensitivity(1, 1, 1, True)) == same.cost(Sensitivity(1, 1, 1, True))


def test_plain_data() -> None:
    assert DiscreteLaplace(Fraction(1, 2)).to_json() == {"law": "discrete-laplace", "scale": "1/2"}
    assert RoundedLaplace(Fraction(2)).to_json() == {"law": "rounded-laplace", "scale": "2"}
    assert DiscreteGaussian(Fraction(2)).to_json() == {"law": "discrete-gaussian", "variance": "2"}
