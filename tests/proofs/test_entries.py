"""Every kind of entry against mechanisms of that kind, whose divergences are worked out apart."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from proofs import checker
from proofs.entries import (
    ENTRIES,
    LAWS,
    BoundedRangeLoss,
    ConcentratedLoss,
    Entry,
    NoiseLoss,
    RenyiCurve,
    entry_to_json,
)
from proofs.errors import ProofError
from proofs.judgments import LossList, guarantee_to_json
from proofs.losses import (
    SIDES,
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    ResponseLoss,
    SampledGaussianLoss,
    join,
    sides,
)
from proofs.profiles.entry_moments import concentration, divergence, largest, leak, pairs, total
from proofs.profiles.moments import log_moment
from synthesizers.intervals import Interval
from tests.proofs.profiles.slow_profiles import (
    Atoms,
    atoms_moment,
    discrete_gaussian_atoms,
    discrete_laplace_atoms,
    fixed_size_moment,
    laplace_moment,
    mp,
    response_atoms,
    sampled_moment,
    two_steps_moment,
    wide,
)
from tests.proofs.rules.divergences import Law, above, excess
from tests.proofs.rules.divergences import pairs as laws_of_pairs

F = Fraction
ORDERS = (F(1, 1000), F(1, 2), F(1), F(4), F(17))
SMALL = wide.mpf("1e-15")
"""More than the errors of integrals; sums are far closer."""

Secret = SampledGaussianLoss | AllocationLoss | FixedSizeLoss
"""The losses of secret samples."""

CURVE = tuple((order, F(n, 3)) for n, order in enumerate((F(3, 2), F(2), F(7), F(19)), 1))


def noise(law: str, amount: Fraction | int, *moves: int) -> NoiseLoss:
    """Noise on answers of which each moves so far."""
    squared = sum(move**2 for move in moves)
    return NoiseLoss(law, F(amount), len(moves), F(sum(moves)), F(squared), F(max(moves)))


MOVES: dict[Entry, tuple[int, ...]] = {
    noise(law, amount, *moves): moves
    for law, amount, moves in product(LAWS, (F(2, 3), F(2)), ((1,), (2, 1, 1)))
}
MOVES[NoiseLoss("discrete-laplace", F(2), None, F(9, 2), F(12), F(5, 2))] = (2, 2)
MOVES[NoiseLoss("discrete-gaussian", F(2), 3, F(9, 2), F(12), F(5, 2))] = (2, 2)
MOVES[NoiseLoss("discrete-laplace", F(2), 3, F(1, 2), F(1, 4), F(1, 2))] = ()
SAMPLES: tuple[Entry, ...] = (
    *MOVES,
    GaussianLoss(F(2, 3)),
    ResponseLoss(F(2)),
    ResponseLoss(F(1, 3), F(1, 9)),
    BoundedRangeLoss(F(1, 2)),
    BoundedRangeLoss(F(3)),
    SampledGaussianLoss(F(1, 5), F(1)),
    AllocationLoss(2, F(1, 4)),
    FixedSizeLoss(F(1, 5), F(1)),
    ConcentratedLoss(F(0), F(1, 4), F(0)),
    ConcentratedLoss(F(1), F(0), F(0)),
    ConcentratedLoss(F(1), F(1, 4), F(1, 9)),
    RenyiCurve(CURVE),
)


def test_every_kind_of_entry_has_a_sample() -> None:
    assert {entry.name for entry in SAMPLES} == set(ENTRIES)
    assert all(ENTRIES[entry.name] is type(entry) for entry in SAMPLES)


def atoms_of_noise(law: str, amount: Fraction, move: int) -> Atoms:
    if law == "discrete-laplace":
        return discrete_laplace_atoms(1 / amount, move, int(90 * amount))
    return discrete_gaussian_atoms(amount, move, 18 * move + int(15 * amount) + 15)


def atoms_of_range(epsilon: Fraction, place: Fraction) -> Atoms:
    """The two losses of a choice among two scores: ``place`` and ``place`` - ε."""
    high, low = mp(place), mp(place - epsilon)
    chance = -wide.expm1(-low) / (wide.exp(-high) - wide.exp(-low))
    return [(high, chance), (low, 1 - chance)]


@cache
def exact(entry: Entry, order: Fraction, side: str) -> mpmath.mpf:
    """ln E_P[e^(cL)] of the worst mechanism of the kind that is known, a leak apart."""
    gaussian = mp(order * (1 + order) / 2)
    match entry:
        case NoiseLoss("laplace", amount):
            with wide.workdps(25):
                return wide.fsum(laplace_moment(move / amount, order) for move in MOVES[entry])
        case NoiseLoss(law, amount):
            laws = [atoms_of_noise(law, amount, move) for move in MOVES[entry]]
            return wide.fsum(atoms_moment(atoms, order) for atoms in laws)
        case GaussianLoss(squared):
            return gaussian * mp(squared)
        case ResponseLoss(epsilon):
            return atoms_moment(response_atoms(epsilon), order)
        case BoundedRangeLoss(epsilon):
            places = [epsilon * F(n, 32) for n in range(1, 32)]
            return max(atoms_moment(atoms_of_range(epsilon, place), order) for place in places)
        case SampledGaussianLoss(fraction, squared):
            power = 1 + mp(order) if side == "remove" else -mp(order)
            with wide.workdps(25):
                return sampled_moment(fraction, wide.sqrt(mp(squared)), power)
        case AllocationLoss(2, squared):
            with wide.workdps(25):
                power = 1 + mp(order) if side == "remove" else -mp(order)
                return two_steps_moment(wide.sqrt(mp(squared)), power)
        case FixedSizeLoss(fraction, squared):
            with wide.workdps(25):
                return fixed_size_moment(fraction, wide.sqrt(mp(squared)), mp(order))
        case ConcentratedLoss(xi, rho):
            return atoms_moment(response_atoms(xi), order) + 2 * gaussian * mp(rho)
        case RenyiCurve(points):
            # The largest response that has the curve.
            return min(atoms_moment(response_atoms(epsilon), order) for _, epsilon in points)


@pytest.mark.parametrize("entry", SAMPLES, ids=str)
@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_no_divergence_is_below_the_exact_one(entry: Entry, order: Fraction) -> None:
    for side in SIDES:
        found, slow = divergence(entry, order, side), exact(entry, order, side)
        assert slow <= mp(found.upper) + SMALL
        one_move = len(MOVES.get(entry, (1,))) == 1 and order.denominator == 1
        if isinstance(entry, NoiseLoss | GaussianLoss | ResponseLoss) and one_move:
            assert mp(found.lower) - SMALL <= slow
        if isinstance(entry, SampledGaussianLoss) and side == "remove" and one_move:
            assert mp(found.lower) - SMALL <= slow


@pytest.mark.parametrize("entry", SAMPLES, ids=str)
def test_concentration_bounds_the_divergence_at_every_order(entry: Entry) -> None:
    approximate = isinstance(entry, ConcentratedLoss) and entry.xi > 0
    known = not isinstance(entry, Secret | RenyiCurve)
    if leak(entry) or approximate or not known:
        with pytest.raises(ProofError, match="not known to be concentrated"):
            concentration(entry, 128)
        return
    rho = concentration(entry, 128)
    assert 0 <= rho.upper - rho.lower < F(1, 2**100)
    for order in ORDERS:
        assert exact(entry, order, "remove") <= mp(order * (1 + order) * rho.upper) + SMALL


BOUNDED: list[Entry] = [
    entry
    for entry in SAMPLES
    if isinstance(entry, ResponseLoss | BoundedRangeLoss)
    or (isinstance(entry, NoiseLoss) and entry.law != "discrete-gaussian")
    or (isinstance(entry, ConcentratedLoss) and entry.rho == 0)
]


@pytest.mark.parametrize("entry", SAMPLES, ids=str)
def test_the_largest_loss_is_that_of_high_orders(entry: Entry) -> None:
    if entry not in BOUNDED:
        with pytest.raises(ProofError, match="unbounded"):
            largest(entry)
        return
    top, order = mp(largest(entry)), F(2000)
    if isinstance(entry, NoiseLoss) and entry.law == "laplace":
        # The closed form of each move, which a slow integral is compared with elsewhere.
        one = [
            (1, log_moment(LaplaceLoss(move / entry.amount), order, "remove"))
            for move in MOVES[entry]
        ]
        found = mp(total(one).lower / order)
    else:
        found = exact(entry, order, "remove") / mp(order)
    assert found <= top
    if MOVES.get(entry, (1,)) == (1,) or isinstance(entry, ResponseLoss):
        assert found > top - wide.mpf("0.11")


def test_leaks_are_the_deltas() -> None:
    assert {leak(entry) for entry in SAMPLES} == {F(0), F(1, 9)}
    assert all(leak(entry) == getattr(entry, "delta", 0) for entry in SAMPLES)


@given(laws_of_pairs(), st.fractions(0, 2, max_denominator=20))
@settings(max_examples=30, deadline=None)
def test_approximate_dp_is_randomised_response_but_for_its_leak(
    pair: tuple[Law, Law], epsilon: Fraction
) -> None:
    gamma = wide.exp(mp(epsilon))
    entry = ResponseLoss(epsilon, above(max(excess(gamma, *pair), excess(gamma, *pair[::-1]))))
    # Parts of P and of Q, each of mass 1 - δ, whose ratios keep within e^±ε: a linear program.
    p, q = (np.array([float(value) for value in law]) for law in pair)
    size, limit = len(p), float(gamma) * (1 + 1e-9)
    each = np.eye(size)
    outcome = linprog(
        np.zeros(2 * size),
        A_ub=np.block([[each, -limit * each], [-limit * each, each]]),
        b_ub=np.zeros(2 * size),
        A_eq=np.kron(np.eye(2), np.ones(size)),
        b_eq=np.full(2, 1 - float(leak(entry))),
        bounds=[(0.0, float(top)) for top in np.concatenate([p, q])],
    )
    assert outcome.status == 0 and outcome.x is not None
    first, second = (part / part.sum() for part in np.split(outcome.x, 2))
    kept = first > 1e-12
    for order in (F(1, 100), F(1), F(7)):
        power = float(order)
        found = np.log((first[kept] ** (1 + power) * second[kept] ** -power).sum())
        assert found <= float(divergence(entry, order, "remove").upper) + power * 1e-6


# The dominating pairs


def _profile(law: dict[Fraction, float], epsilon: float) -> float:
    return sum(p * -math.expm1(epsilon - float(x)) for x, p in law.items() if x > epsilon)


def _convolved(laws: list[dict[Fraction, float]]) -> dict[Fraction, float]:
    whole = {F(0): 1.0}
    for law in laws:
        more: dict[Fraction, float] = {}
        for (x, p), (y, q) in product(whole.items(), law.items()):
            if p * q > 1e-18:
                more[x + y] = more.get(x + y, 0.0) + p * q
        whole = more
    return whole


def _law(kind: str, amount: Fraction, move: int) -> dict[Fraction, float]:
    """The loss of one discrete noisy answer, by its exact values."""
    found: dict[Fraction, float] = {}
    reach = int(40 * amount) if kind == "discrete-laplace" else int(10 * amount) + 10
    values = range(-reach, reach + 1)
    if kind == "discrete-laplace":
        weights = [float(np.exp(-abs(z) / float(amount))) for z in values]
        losses = [(abs(z + move) - abs(z)) / amount for z in values]
    else:
        weights = [float(np.exp(-z * z / (2 * float(amount)))) for z in values]
        losses = [((z + move) ** 2 - z * z) / (2 * amount) for z in values]
    for weight, loss in zip(weights, losses, strict=True):
        found[loss] = found.get(loss, 0.0) + weight / sum(weights)
    return found


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["discrete-laplace", "discrete-gaussian"]),
    st.sampled_from([F(1), F(3, 2), F(2)]),
    st.lists(st.integers(-2, 2).filter(bool), min_size=1, max_size=3),
    st.sampled_from([F(0), F(1, 3), F(9, 10)]),
    st.booleans(),
)
def test_the_pairs_of_noise_dominate_every_move_of_its_answers(
    kind: str, amount: Fraction, moves: list[int], spare: Fraction, known: bool
) -> None:
    sizes = [abs(move) for move in moves]
    norms = sum(sizes) + spare, (F(sum(size**2 for size in sizes)) + spare), max(sizes) + spare
    if not norms[2] ** 2 <= norms[1] <= norms[0] ** 2:
        norms = (norms[0], max(norms[1], norms[2] ** 2), norms[2])
    entry = NoiseLoss(kind, amount, len(moves) if known else None, *norms)
    exactly = _convolved([_law(kind, amount, move) for move in moves])
    stated = _convolved(
        [
            _law(kind, amount, loss.shift)
            for count, loss in entry.pairs
            if isinstance(loss, DiscreteLaplaceLoss | DiscreteGaussianLoss)
            for _ in range(count)
        ]
    )
    for epsilon in (0.0, 0.3, 1.0, 2.5):
        assert _profile(exactly, epsilon) <= _profile(stated, epsilon) + 1e-9


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [
        (noise("laplace", 2, 3), ((1, LaplaceLoss(F(3, 2))),)),
        (noise("laplace", 2, 1, 1, 1), ((3, LaplaceLoss(F(1, 2))),)),
        (NoiseLoss("laplace", F(1), None, F(5), F(9), F(2)), ((4, LaplaceLoss(F(2))),)),
        (
            NoiseLoss("laplace", F(1), 4, F(3, 2), F(9, 4), F(3, 2)),
            ((1, LaplaceLoss(F(3, 2))),),
        ),
        (
            NoiseLoss("discrete-laplace", F(2), None, F(5), F(9), F(5, 2)),
            ((4, DiscreteLaplaceLoss(F(1, 2), 2)),),
        ),
        (
            NoiseLoss("discrete-gaussian", F(3), 2, F(5), F(9), F(5, 2)),
            ((2, DiscreteGaussianLoss(F(3), 2)),),
        ),
        (NoiseLoss("discrete-gaussian", F(3), 2, F(9, 10), F(9, 100), F(3, 10)), ()),
        (NoiseLoss("laplace", F(3), 0, F(0), F(0), F(0)), ()),
        (NoiseLoss("laplace", F(3), None, F(0), F(0), F(0)), ()),
    ],
)
def test_noise_is_one_largest_move_for_each_group_of_answers(entry: Any, wanted: Any) -> None:
    assert entry.pairs == wanted == pairs(((1, entry),))
    assert pairs(((5, entry),)) == tuple((5 * count, loss) for count, loss in wanted)


def test_pairs_and_sides_of_the_other_kinds() -> None:
    for entry in (GaussianLoss(F(1)), ResponseLoss(F(1), F(1, 9))):
        assert pairs(((1, entry),)) == ((1, entry),)
        assert sides(((1, entry),)) == ("remove",)
    sampled = SampledGaussianLoss(F(1, 2), F(1))
    assert pairs(((3, sampled),)) == ((3, sampled),)
    assert sides(((1, GaussianLoss(F(1))), (1, sampled))) == SIDES
    assert pairs(((2, BoundedRangeLoss(F(1))), (3, ResponseLoss(F(1))))) == (
        (5, ResponseLoss(F(1))),
    )
    for other in (ConcentratedLoss(F(0), F(1), F(0)), RenyiCurve(CURVE)):
        with pytest.raises(ProofError, match=other.name):
            pairs(((1, other),))


def test_a_curve_has_the_divergence_of_the_next_order_that_it_lists() -> None:
    entry = RenyiCurve(CURVE)
    for order, epsilon in ((F(11, 10), F(1, 3)), (F(3, 2), F(1, 3)), (F(8), F(4, 3))):
        assert entry.at(order) == epsilon
        assert divergence(entry, order - 1, "remove").upper == (order - 1) * epsilon
    with pytest.raises(ProofError, match="so large"):
        entry.at(F(20))


def test_totals_are_exact() -> None:
    parts = [(3, Interval(F(1, 3), F(1, 2))), (10**9, Interval(F(1, 7), F(1, 7)))]
    assert total(parts) == Interval(1 + F(10**9, 7), F(3, 2) + F(10**9, 7))
    assert total(()) == Interval(F(0), F(0))


# Joined lists


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(SAMPLES)), max_size=9), st.data())
def test_joined_losses_have_one_order_and_lose_nothing(
    listed: list[tuple[int, Entry]], data: st.DataObject
) -> None:
    parts = [(one,) for one in listed]
    times = data.draw(st.lists(st.integers(0, 3), min_size=len(parts), max_size=len(parts)))
    found = join(parts, times)
    for entry in SAMPLES:
        wanted = sum(n * t for (n, one), t in zip(listed, times, strict=True) if one == entry)
        if not isinstance(entry, GaussianLoss):
            assert [count for count, one in found if one == entry] == [wanted] * (wanted > 0)
        else:
            squares = [one for one in found if isinstance(one[1], GaussianLoss)]
            assert squares == [(1, GaussianLoss(wanted * entry.mu_squared))] * (wanted > 0)
    assert found == join([found], [1]) == join(parts[::-1], times[::-1])
    # The checker knows the same order, and no other.
    plain = guarantee_to_json(LossList(found))
    checker.guarantee(plain)
    shuffled = random.Random(1).sample(plain["losses"], len(found))
    if shuffled != plain["losses"]:
        with pytest.raises((checker.Malformed, checker.Rejected)):
            checker.guarantee({"kind": "losses", "losses": shuffled})


def test_an_unknown_number_of_moves_is_another_loss() -> None:
    norms = F(2), F(4), F(2)
    known, unknown = (NoiseLoss("laplace", F(1), l0, *norms) for l0 in (1, None))
    assert join([((1, known),), ((1, unknown),)], [1, 1]) == ((1, unknown), (1, known))


@pytest.mark.parametrize(
    "make",
    [
        lambda: NoiseLoss("cauchy", F(1), 1, F(1), F(1), F(1)),
        lambda: NoiseLoss("laplace", F(0), 1, F(1), F(1), F(1)),
        lambda: NoiseLoss("laplace", F(1), -1, F(1), F(1), F(1)),
        lambda: NoiseLoss("laplace", F(1), 1, F(-1), F(1), F(1)),
        lambda: NoiseLoss("laplace", F(1), 1, F(1), F(1), F(2)),
        lambda: NoiseLoss("laplace", F(1), 1, F(1), F(2), F(1)),
        lambda: BoundedRangeLoss(F(-1)),
        lambda: ConcentratedLoss(F(-1), F(1), F(0)),
        lambda: ConcentratedLoss(F(0), F(-1), F(0)),
        lambda: ConcentratedLoss(F(0), F(1), F(-1)),
        lambda: ConcentratedLoss(F(0), F(1), F(1)),
        lambda: RenyiCurve(()),
        lambda: RenyiCurve(((F(1), F(1)),)),
        lambda: RenyiCurve(((F(3), F(1)), (F(2), F(1)))),
        lambda: RenyiCurve(((F(2), F(-1)),)),
    ],
)
def test_numbers_out_of_range_are_refused(make: Callable[[], Entry]) -> None:
    with pytest.raises(ProofError):
        make()


@pytest.mark.parametrize("entry", SAMPLES, ids=str)
def test_an_entry_names_its_kind_count_and_numbers(entry: Entry) -> None:
    plain = entry_to_json(2, entry)
    assert plain["loss"] == entry.name and plain["count"] == 2
    assert checker.loss(plain)["count"] == 2
