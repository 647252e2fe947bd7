"""The profile of losses with two values."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.losses import DiscreteLaplaceLoss, GaussianLoss, Losses, ResponseLoss
from proofs.profiles.responses import delta, infinite_mass
from synthesizers.intervals import Interval
from tests.proofs.profiles.slow_profiles import (
    discrete_laplace_atoms,
    enumerated,
    holds,
    mp,
    passes,
    relative_width,
    response_atoms,
    wide,
)

F = Fraction


def profile(losses: Losses, epsilon: Fraction, bits: int = 128) -> Interval:
    return delta(losses, "remove", epsilon, {"bits": bits})


@pytest.mark.parametrize(
    ("rate", "count", "epsilon", "unit"),
    [
        (".1", 10, ".99937090572175872", "1e-17"),
        (".1", 30, "2.3458876930080366", "1e-16"),
        (".1", 100, "4.7745675881079862", "1e-16"),
        (".5", 20, "9.9867978696401641", "1e-16"),
    ],
)
@pytest.mark.parametrize("discrete", [False, True])
def test_epsilons_of_optimal_composition_are_the_printed_ones(
    rate: str, count: int, epsilon: str, unit: str, discrete: bool
) -> None:
    loss = DiscreteLaplaceLoss(F(rate), 1) if discrete else ResponseLoss(F(rate))
    assert passes(lambda at: profile(((count, loss),), at), epsilon, F(1, 10**6), unit)


epsilons = st.fractions("1/20", 3, max_denominator=20)
counts = st.integers(1, 3)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(counts, epsilons), min_size=1, max_size=3),
    st.fractions(0, 1),
    st.fractions(0, "9/10", max_denominator=50),
)
def test_delta_is_the_sum_over_all_outcomes(
    groups: list[tuple[int, Fraction]], share: Fraction, mass: Fraction
) -> None:
    total = sum((count * epsilon for count, epsilon in groups), F(0))
    at = share * total
    parts = [response_atoms(epsilon) for count, epsilon in groups for _ in range(count)]
    finite = enumerated(parts, at)
    losses: Losses = tuple((count, ResponseLoss(epsilon)) for count, epsilon in groups)
    assert holds(profile(losses, at), finite, "1e-38") or finite < wide.mpf("1e-38")
    # The first of the losses may be infinite.
    count, epsilon = groups[0]
    losses = ((count, ResponseLoss(epsilon, mass)), *losses[1:])
    infinite = 1 - (1 - mp(mass)) ** count
    assert holds(profile(losses, at), infinite + (1 - infinite) * finite, "1e-38") or at == total


def test_a_discrete_laplace_loss_of_shift_one_is_a_response() -> None:
    rate, at = F(2, 3), F(1, 2)
    found = profile(((2, DiscreteLaplaceLoss(rate, 1)), (7, DiscreteLaplaceLoss(rate, 0))), at)
    atoms = discrete_laplace_atoms(rate, 1, 80)
    assert holds(found, enumerated([atoms, atoms], at), "1e-20")
    assert found == profile(((2, ResponseLoss(rate)),), at)


def test_equal_losses_of_many_kinds_are_counted_together() -> None:
    mixed: Losses = (
        (3, DiscreteLaplaceLoss(F(1, 2), 1)),
        (4, ResponseLoss(F(1, 2))),
        (2, ResponseLoss(F(1, 2), F(1, 10**6))),
    )
    found = profile(mixed, F(1))
    finite = profile(((9, ResponseLoss(F(1, 2))),), F(1))
    mass = 1 - (1 - F(1, 10**6)) ** 2
    assert found.lower <= mass + (1 - mass) * finite.upper
    assert found.upper >= mass + (1 - mass) * finite.lower
    assert relative_width(found) < F(1, 10**30)


def test_infinite_losses_alone_are_their_mass() -> None:
    found = profile(((3, ResponseLoss(F(0), F(1, 4))),), F(7))
    assert found.lower <= 1 - F(27, 64) <= found.upper
    assert relative_width(found) < F(1, 10**40)


@pytest.mark.parametrize("tiny", [F(1, 10**300), F(1, 10**30), F(1, 3), 1 - F(1, 10**40)])
@pytest.mark.parametrize("count", [1, 5, 40])
def test_the_mass_keeps_its_digits(tiny: Fraction, count: int) -> None:
    found = infinite_mass(((count, ResponseLoss(F(1), tiny)),))
    assert found.lower <= 1 - (1 - tiny) ** count <= found.upper
    assert relative_width(found) < F(1, 10**25)


def test_the_mass_of_very_many_losses_is_one_and_costs_little() -> None:
    found = infinite_mass(((10**2000, ResponseLoss(F(1), F(1, 2))),))
    assert 1 - F(1, 10**400) < found.lower <= found.upper == 1


def test_delta_is_zero_from_the_sum_of_the_losses_on() -> None:
    losses: Losses = ((3, ResponseLoss(F(1, 3))), (2, ResponseLoss(F(1, 2))))
    assert profile(losses, F(2)).is_zero
    assert profile(losses, F(1999, 1000)).lower > 0
    assert profile((), F(0)).is_zero


def test_fewer_bits_widen_the_enclosure_around_the_value() -> None:
    losses: Losses = ((40, ResponseLoss(F(1, 4))),)
    fine = profile(losses, F(4), 400)
    for bits in (1, 5, 20, 60):
        coarse = profile(losses, F(4), bits)
        assert coarse.lower <= fine.lower and fine.upper <= coarse.upper
        assert coarse.lower >= 0 and coarse.upper <= 1


def test_a_delta_of_1e_290_keeps_its_digits() -> None:
    count, rate = 1000, F(1)
    at = F(999) - F(1, 2)
    found = profile(((count, ResponseLoss(rate)),), at)
    odds = wide.exp(1)
    expected = (odds / (1 + odds)) ** count * (1 - wide.exp(mp(at) - count))
    assert holds(found, expected)
    assert relative_width(found) < F(1, 10**30)


def test_large_counts_have_the_normal_approximation() -> None:
    found = profile(((10_000, ResponseLoss(F(1, 100))),), F(1))
    mean, spread = 10_000 * F(1, 100) * math.tanh(0.005), 1.0
    upper = 0.5 * math.erfc((1 - mean) / spread / math.sqrt(2))
    lower = math.e * 0.5 * math.erfc((1 + mean) / spread / math.sqrt(2))
    assert float(found.upper) == pytest.approx(upper - lower, rel=1e-2)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(counts, epsilons), min_size=1, max_size=3),
    st.integers(0, 8),
    st.fractions(0, 1),
    st.sampled_from([F(0), F(1, 10**9), F(1, 3)]),
)
def test_a_grid_holds_delta_below_that_of_losses_rounded_up(
    groups: list[tuple[int, Fraction]], grid: int, share: Fraction, mass: Fraction
) -> None:
    at = share * sum((count * epsilon for count, epsilon in groups), F(0))
    rounded = [(n, F(math.ceil(epsilon * 2**grid), 2**grid)) for n, epsilon in groups]
    exact, above = (
        profile(tuple((n, ResponseLoss(epsilon, mass)) for n, epsilon in each), at)
        for each in (groups, rounded)
    )
    losses: Losses = tuple((n, ResponseLoss(epsilon, mass)) for n, epsilon in groups)
    found = delta(losses, "remove", at, {"bits": 128, "grid": grid})
    assert found.lower <= exact.upper <= found.upper
    assert found.upper <= above.upper + F(1, 10**35)


def test_a_grid_composes_what_has_no_common_measure() -> None:
    losses: Losses = ((3, ResponseLoss(F(1))), (2, ResponseLoss(F(1) + F(1, 10**9))))
    with pytest.raises(ProofError, match="common measure"):
        profile(losses, F(2))
    found = delta(losses, "remove", F(2), {"bits": 128, "grid": 12})
    assert profile(((5, ResponseLoss(F(1))),), F(2)).lower < found.upper
    assert found.upper < profile(
        (
            (
                5,
                ResponseLoss(F(1) + F(1, 2**12)),
            ),
        ),
        F(2),
    ).upper * (1 + F(1, 10**30))


@pytest.mark.parametrize(
    "hint",
    [
        *({}, {"bits": 0}, {"bits": "64"}, {"bits": 10**9}),
        *({"bits": 64, "grid": grid} for grid in (-1, "4", 10**9, None)),
    ],
)
def test_malformed_hints_are_refused(hint: dict[str, object]) -> None:
    with pytest.raises(ProofError, match=r"bits|grid"):
        delta(((1, ResponseLoss(F(1))),), "remove", F(1, 2), hint)


@pytest.mark.parametrize(
    "losses",
    [
        ((1, GaussianLoss(F(1))),),
        ((1, DiscreteLaplaceLoss(F(1), 2)),),
        ((1, ResponseLoss(F(1))), (1, ResponseLoss(F(1) + F(1, 10**9)))),
        ((10**9, ResponseLoss(F(1))),),
        ((10**6, ResponseLoss(F(1))), (10**6, ResponseLoss(F(2)))),
    ],
)
def test_what_it_does_not_know_or_cannot_afford_is_refused(losses: Losses) -> None:
    with pytest.raises(ProofError, match="responses"):
        profile(losses, F(1, 2))
