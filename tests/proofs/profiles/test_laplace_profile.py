"""The profile of equal Laplace losses."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.losses import LaplaceLoss, Losses, ResponseLoss
from proofs.profiles import responses
from proofs.profiles.laplace import _value, delta
from synthesizers.errors import TooLargeError
from synthesizers.intervals import Interval
from tests.proofs.profiles.slow_profiles import (
    holds,
    laplace_mixture,
    laplace_profile,
    mp,
    passes,
    wide,
)

F = Fraction


def profile(count: int, rate: Fraction, epsilon: Fraction, bits: int = 128) -> Interval:
    return delta(((count, LaplaceLoss(rate)),), "remove", epsilon, {"bits": bits})


@pytest.mark.parametrize(
    ("epsilon", "expected"),
    [
        ("0.5", ".064840028363119494"),
        ("1.5", "7.3355977464197937e-4"),
        ("2.5", "9.4649350214804958e-8"),
    ],
)
def test_deltas_of_thirty_are_the_printed_ones(epsilon: str, expected: str) -> None:
    found = profile(30, F(1, 10), F(epsilon))
    assert abs(found.lower - F(expected)) <= F(expected) * F(1, 10**16)
    assert found.upper - found.lower < F(1, 2**128)


@pytest.mark.parametrize(
    ("rate", "count", "epsilon", "unit"),
    [
        (".1", 10, ".99897808944721984", "1e-17"),
        (".1", 30, "2.2978190230659152", "1e-16"),
        (".1", 100, "4.692667414680189", "1e-15"),
        (".5", 20, "9.670920161644649", "1e-15"),
    ],
)
def test_epsilons_are_the_printed_ones(rate: str, count: int, epsilon: str, unit: str) -> None:
    assert passes(lambda at: profile(count, F(rate), at), epsilon, F(1, 10**6), unit)


@pytest.mark.parametrize("share", ["0", "1/3", "1/2", "9/10", "999/1000"])
@pytest.mark.parametrize("rate", ["1/10", "2", "15"])
def test_one_and_two_losses_are_their_integrals(rate: str, share: str) -> None:
    for count in (1, 2):
        at = F(share) * F(rate) * count
        with wide.workdps(30):
            slow = laplace_profile(count, mp(rate), mp(at))
        assert holds(profile(count, F(rate), at), slow, "1e-24")


@pytest.mark.slow
def test_three_losses_are_their_integral() -> None:
    with wide.workdps(12):
        slow = laplace_profile(3, wide.mpf(1), wide.mpf("0.75"))
    assert holds(profile(3, F(1), F(3, 4)), slow, "1e-9")


@pytest.mark.parametrize(
    ("count", "rate", "epsilon"),
    [(3, "1/2", "1/3"), (4, "3", "8"), (4, "1/10", "0"), (5, "1", "7/2")],
)
def test_more_losses_are_their_mixture_of_irwin_hall_laws(
    count: int, rate: str, epsilon: str
) -> None:
    with wide.workdps(20):
        slow = laplace_mixture(count, mp(rate), mp(epsilon))
    assert holds(profile(count, F(rate), F(epsilon)), slow, "1e-14")


@settings(max_examples=40, deadline=None)
@given(
    st.integers(1, 60),
    st.fractions("1/50", 5, max_denominator=50),
    st.fractions(0, 1, max_denominator=1000),
)
def test_delta_is_below_that_of_optimal_composition_and_falls(
    count: int, rate: Fraction, share: Fraction
) -> None:
    at = share * count * rate
    found = profile(count, rate, at)
    assert found.upper - found.lower < F(1, 2**128)
    bound = responses.delta(((count, ResponseLoss(rate)),), "remove", at, {"bits": 128})
    assert found.lower <= bound.upper
    assert profile(count, rate, at + F(1, 1000)).lower <= found.upper
    assert profile(count + 1, rate, at).upper >= found.lower


def test_delta_is_zero_from_the_sum_of_the_losses_on() -> None:
    assert profile(7, F(1, 7), F(1)).is_zero
    assert profile(7, F(1, 7), F(1) - F(1, 10**9)).lower > 0
    assert profile(7, F(0), F(0)).is_zero
    assert delta((), "add", F(0), {"bits": 1}).is_zero


def test_a_tiny_delta_keeps_its_digits_with_bits_enough() -> None:
    found = profile(100, F(1), F(99), 400)
    assert found.upper < F(1, 10**25)
    assert found.upper - found.lower < found.lower / 10**80
    assert profile(100, F(1), F(99), 40).upper >= found.upper


def test_fewer_bits_widen_the_enclosure_around_the_value() -> None:
    fine = profile(50, F(1, 5), F(3), 300)
    for bits in (1, 10, 40, 100):
        coarse = profile(50, F(1, 5), F(3), bits)
        assert coarse.lower <= fine.lower and fine.upper <= coarse.upper
        assert coarse.lower >= 0 and coarse.upper <= 1
        assert coarse.upper - coarse.lower < F(1, 2**bits)


def test_equal_losses_are_counted_together() -> None:
    loss = LaplaceLoss(F(1, 2))
    split: Losses = ((3, loss), (2, LaplaceLoss(F(0))), (4, loss))
    assert delta(split, "add", F(1), {"bits": 90}) == profile(7, F(1, 2), F(1), 90)


@pytest.mark.parametrize(
    "losses",
    [
        ((1, ResponseLoss(F(1))),),
        ((1, LaplaceLoss(F(1))), (1, LaplaceLoss(F(2)))),
        ((10**6, LaplaceLoss(F(1))),),
    ],
)
def test_what_it_does_not_know_or_cannot_afford_is_refused(losses: Losses) -> None:
    with pytest.raises(ProofError, match="laplace"):
        delta(losses, "remove", F(1), {"bits": 64})


def test_a_loss_too_large_for_its_exponential_is_refused_at_once() -> None:
    with pytest.raises(TooLargeError):
        profile(1000, F(10**900), F(1))


@pytest.mark.parametrize("hint", [{}, {"bits": 0}, {"bits": True}, {"bits": 10**9}])
def test_malformed_hints_are_refused(hint: dict[str, object]) -> None:
    with pytest.raises(ProofError, match="bits"):
        delta(((1, LaplaceLoss(F(1))),), "remove", F(1, 2), hint)


@given(
    st.lists(st.integers(-1000, 1000), max_size=8),
    st.fractions(0, 20, max_denominator=1000),
    st.integers(1, 30),
)
def test_polynomials_are_enclosed_whatever_their_signs(
    coefficients: list[int], place: Fraction, bits: int
) -> None:
    exact, term = F(0), F(1)
    for n, coefficient in enumerate(coefficients):
        term *= place / (n + 1)
        exact += coefficient * term
    lower, upper = _value(coefficients, place, bits)
    assert lower <= exact * 2**bits <= upper
