"""The contour method against closed forms and integrals that share no code with it."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import mpmath
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from proofs.errors import ProofError
from proofs.losses import (
    SIDES,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Losses,
    ResponseLoss,
    SampledGaussianLoss,
    Side,
)
from proofs.profiles import contour
from proofs.profiles.sampled_moments import Grid, sampled_transform
from proofs.profiles.transforms import Line, Points
from proofs.search.contour import contour_hint, epsilon_bracket
from synthesizers.intervals import Interval

DIGITS = 40


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workdps(DIGITS):
        yield


STEPS = ((10_000, SampledGaussianLoss(Fraction(1, 100), Fraction(1))),)
"""Ten thousand steps of stochastic gradient descent: rate 0.01, noise of one deviation."""

STEPS_EPSILON = Fraction("6.9073844950")
SMALL = ((1, GaussianLoss(Fraction(1))), (20, SampledGaussianLoss(Fraction(1, 10), Fraction(1, 2))))


def number(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def gaussian_delta(mu_squared: Fraction, epsilon: Any) -> Any:
    """Balle & Wang 2018, Theorem 8; any real epsilon."""
    mu = mpmath.sqrt(number(mu_squared))
    high, low = mpmath.ncdf(mu / 2 - epsilon / mu), mpmath.ncdf(-mu / 2 - epsilon / mu)
    return high - mpmath.exp(epsilon) * low


def sampled_delta(q: Any, mu: Any, epsilon: Any, side: Side) -> Any:
    """One sampled Gaussian: P(S) - e^ε·Q(S) for the S where the loss is above ε; any real ε."""
    ratio = mpmath.exp(epsilon if side == "remove" else -epsilon)
    if ratio <= 1 - q:
        return 1 - mpmath.exp(epsilon) if side == "remove" else mpmath.mpf(0)
    at = mpmath.log((ratio - 1 + q) / q) / mu + mu / 2
    if side == "remove":
        plain = mpmath.ncdf(-at)
        return (1 - q) * plain + q * mpmath.ncdf(mu - at) - mpmath.exp(epsilon) * plain
    plain = mpmath.ncdf(at)
    return plain - mpmath.exp(epsilon) * ((1 - q) * plain + q * mpmath.ncdf(at - mu))


def twice_sampled_delta(q: Any, mu: Any, epsilon: Any, side: Side) -> Any:
    """Two of them: the mean of the profile of one over the loss of the other."""

    def inside(x: Any) -> Any:
        ratio = 1 - q + q * mpmath.exp(mu * x - mu * mu / 2)
        loss, weight = (mpmath.log(ratio), ratio) if side == "remove" else (-mpmath.log(ratio), 1)
        return mpmath.npdf(x) * weight * sampled_delta(q, mu, epsilon - loss, side)

    # From where on the other loss is always large, or never, enough: there it is least smooth.
    ratio = mpmath.exp(epsilon if side == "remove" else -epsilon) / (1 - q)
    change = mpmath.log((ratio - 1 + q) / q) / mu + mu / 2 if ratio > 1 - q else 0
    with mpmath.workdps(20):
        return mpmath.quad(inside, [-10, change - 2, change, change + 2, 12])


def thrice_sampled_delta(q: float, mu: float, epsilon: float, side: Side) -> float:
    """Three of them, in doubles: the trapezoid rule over two, to about nine digits."""
    x = np.linspace(-8, 11, 2001)
    ratio = 1 - q + q * np.exp(mu * x - mu * mu / 2)
    loss = np.log(ratio) if side == "remove" else -np.log(ratio)
    mass = np.exp(-x * x / 2) / math.sqrt(math.tau) * (x[1] - x[0])
    mass = mass * ratio if side == "remove" else mass
    total = 0.0
    for first, weight in zip(loss, mass, strict=True):
        left = epsilon - first - loss
        level = np.exp(left if side == "remove" else -left)
        inside = level > 1 - q
        at = np.log(np.where(inside, level - 1 + q, q) / q) / mu + mu / 2
        if side == "remove":
            plain = special.ndtr(-at)
            value = (1 - q) * plain + q * special.ndtr(mu - at) - np.exp(left) * plain
            value = np.where(inside, value, 1 - np.exp(left))
        else:
            plain = special.ndtr(at)
            value = plain - np.exp(left) * ((1 - q) * plain + q * special.ndtr(at - mu))
            value = np.where(inside, value, 0)
        total += weight * float(value @ mass)
    return total


def enclosed(losses: Losses, side: Side, epsilon: Fraction, digits: int = 13) -> Interval:
    hint = contour_hint(losses, side, epsilon, digits=digits)
    return contour.delta(losses, side, epsilon, hint)


def holds(interval: Interval, value: Any, slack: float = 0.0) -> bool:
    lower, upper = number(interval.lower), number(interval.upper)
    return bool(lower * (1 - slack) <= value <= upper * (1 + slack))


def width(interval: Interval) -> float:
    return float((interval.upper - interval.lower) / interval.upper)


@pytest.mark.parametrize("mu_squared", ["1", "1/4", "4", "1/25", "400"])
@pytest.mark.parametrize("epsilon", ["0", "1/2", "5", "14"])
def test_gaussians_have_their_closed_form(mu_squared: str, epsilon: str) -> None:
    whole, at = Fraction(mu_squared), Fraction(epsilon)
    truth = gaussian_delta(whole, number(at))
    found = enclosed(((3, GaussianLoss(whole / 4)), (1, GaussianLoss(whole / 4))), "remove", at)
    assert holds(found, truth)
    assert found.upper - found.lower < 1e-10 * float(truth) + 1e-32


def test_a_profile_of_1e_minus_30_is_enclosed_narrowly() -> None:
    found = enclosed(((1, GaussianLoss(Fraction(1))),), "add", Fraction(12))
    truth = gaussian_delta(Fraction(1), mpmath.mpf(12))
    assert truth < 1e-30
    assert holds(found, truth)
    assert width(found) < 1e-10


@pytest.mark.parametrize(
    ("q", "mu", "epsilon", "remove", "add"),
    [
        ("1/100", "1", "1/100", "0.0019002737053015712", None),
        ("1/10", "1/2", "1/20", "0.0069070640722337869", "0.0015459859939190761"),
        ("1/2", "2", "3/2", None, None),
    ],
)
def test_one_sampled_gaussian_has_its_closed_form(
    q: str, mu: str, epsilon: str, remove: str | None, add: str | None
) -> None:
    loss = SampledGaussianLoss(Fraction(q), Fraction(mu) ** 2)
    at = Fraction(epsilon)
    for side, printed in zip(SIDES, (remove, add), strict=True):
        truth = sampled_delta(number(Fraction(q)), number(Fraction(mu)), number(at), side)
        if printed is not None:
            assert abs(truth - mpmath.mpf(printed)) < 1e-17
        hint = contour_hint(((1, loss),), side, at, Fraction(1, 10**4), digits=4)
        found = contour.delta(((1, loss),), side, at, hint)
        assert holds(found, truth)
        assert found.upper - found.lower < found.upper / 20 + Fraction(1, 10**8)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("q", "mu_squared", "epsilon"), [("1/10", "1/4", "1/20"), ("1/3", "2", "1/4")]
)
def test_two_and_three_sampled_gaussians_agree_with_integrals(
    side: Side, q: str, mu_squared: str, epsilon: str
) -> None:
    loss, at = SampledGaussianLoss(Fraction(q), Fraction(mu_squared)), Fraction(epsilon)
    mu, share = mpmath.sqrt(number(loss.mu_squared)), number(loss.fraction)
    two = twice_sampled_delta(share, mu, number(at), side)
    found = enclosed(((2, loss),), side, at, digits=9)
    assert holds(found, two, 1e-13)
    assert two < 1e-40 or width(found) < 1e-7
    three = thrice_sampled_delta(float(share), float(mu), float(at), side)
    found = enclosed(((3, loss),), side, at, digits=9)
    assert holds(found, three, 1e-8)
    assert width(found) < 1e-7


def laplace_mean(epsilon: float, value: Callable[[Any], Any]) -> Any:
    """E[value(L)] for the loss of a Laplace pair: two atoms, and a density between."""
    e = mpmath.mpf(epsilon)
    between = mpmath.quad(lambda x: value(2 * x - e) * mpmath.exp(x - e) / 2, [0, e])
    return value(e) / 2 + value(-e) * mpmath.exp(-e) / 2 + between


def atoms(loss: Any) -> list[tuple[Any, Any]]:
    """(chance, loss) of a discrete pair, from its definition."""
    if isinstance(loss, ResponseLoss):
        e, mass = number(loss.epsilon), 1 - number(loss.delta)
        high = mass * mpmath.exp(e) / (1 + mpmath.exp(e))
        return [(high, e), (mass - high, -e)]

    def energy(z: int) -> Any:
        if isinstance(loss, DiscreteLaplaceLoss):
            return number(loss.rate) * abs(z)
        return mpmath.mpf(z * z) / (2 * number(loss.variance))

    reach = range(-120, 121)
    total = mpmath.fsum(mpmath.exp(-energy(z)) for z in reach)
    return [
        (mpmath.exp(-energy(z - loss.shift)) / total, energy(z) - energy(z - loss.shift))
        for z in (z + loss.shift for z in reach)
    ]


MIXED: tuple[Losses, ...] = (
    ((1, LaplaceLoss(Fraction(3, 4))),),
    ((2, ResponseLoss(Fraction(1, 2), Fraction(1, 8))),),
    ((1, DiscreteLaplaceLoss(Fraction(1, 2), 1)),),
    ((1, DiscreteLaplaceLoss(Fraction(3, 4), 3)),),
    ((1, DiscreteLaplaceLoss(Fraction(2), 0)),),
    ((1, DiscreteGaussianLoss(Fraction(3, 2), 2)),),
    ((1, DiscreteGaussianLoss(Fraction(25, 2), 1)),),
    ((1, DiscreteLaplaceLoss(Fraction(1, 2), 1)), (1, ResponseLoss(Fraction(1, 4), Fraction(0)))),
)


@pytest.mark.parametrize("others", MIXED, ids=lambda others: others[0][1].name)
@pytest.mark.parametrize("base", ["gaussian", "remove", "add"])
def test_products_with_other_losses_agree_with_sums(others: Losses, base: str) -> None:
    epsilon = Fraction(1, 2)
    side: Side = "add" if base == "add" else "remove"
    own: Any = GaussianLoss(Fraction(1))
    if base != "gaussian":
        own = SampledGaussianLoss(Fraction(1, 2), Fraction(1))

    def profile(e: Any) -> Any:
        if base == "gaussian":
            return gaussian_delta(Fraction(1), e)
        return sampled_delta(mpmath.mpf(1) / 2, mpmath.mpf(1), e, side)

    at = mpmath.mpf(1) / 2
    if isinstance(others[0][1], LaplaceLoss):
        truth = laplace_mean(0.75, lambda loss: profile(at - loss))
    else:
        lists = [atoms(loss) for count, loss in others for _ in range(count)]
        finite = mpmath.fprod(mpmath.fsum(p for p, _ in each) for each in lists)
        chosen = [[(p, loss) for p, loss in each if p > 1e-20] for each in lists]
        truth = 1 - finite
        for picked in product(*chosen):
            chance = mpmath.fprod(p for p, _ in picked)
            truth += chance * profile(at - mpmath.fsum(loss for _, loss in picked))
    found = enclosed(((1, own), *others), side, epsilon, digits=11 if base == "gaussian" else 4)
    assert holds(found, truth, 1e-16)
    assert found.upper - found.lower < (1e-9 if base == "gaussian" else 1e-3)


def test_other_losses_have_a_wide_profile_alone() -> None:
    """Two responses: the profile from the binomial sum."""
    losses = ((2, ResponseLoss(Fraction(1), Fraction(0))),)
    truth = (math.e / (1 + math.e)) ** 2 * (1 - math.exp(-1.5))
    hint = {"order": "0.7", "above": "1.4", "step": "0.3", "nodes": 2000, "bits": 64, "grids": []}
    found = contour.delta(losses, "remove", Fraction(1, 2), hint | {"reach": 2000})
    assert holds(found, truth, 1e-12)
    assert width(found) < 0.01


def doubles_delta(losses: Losses, epsilon: float, side: Side, order: float, step: float) -> float:
    """The same integral in doubles, of sampled Gaussians alone, with x on the real line."""
    t = np.arange(0, 400) * step
    z = order + 1j * t
    power = -z * epsilon
    for count, loss in losses:
        assert isinstance(loss, SampledGaussianLoss)
        mu, q = math.sqrt(loss.mu_squared), float(loss.fraction)
        x = np.linspace(-14, 22, 3001)
        ratio = np.log(1 - q + q * np.exp(mu * x - mu * mu / 2))
        value, weight = (ratio, ratio) if side == "remove" else (-ratio, 0)
        mass = np.exp(weight - x * x / 2) / math.sqrt(math.tau) * (x[1] - x[0])
        power = power + count * np.log(np.exp(np.outer(z, value)) @ mass)
    terms = (np.exp(power) / (z * (z + 1))).real
    return float(step / math.tau * (2 * terms.sum() - terms[0]))


@pytest.mark.parametrize("side", SIDES)
def test_ten_thousand_steps_agree_with_doubles(side: Side) -> None:
    found = enclosed(STEPS, side, STEPS_EPSILON)
    assert holds(found, doubles_delta(STEPS, float(STEPS_EPSILON), side, 3.6, 0.25), 1e-9)
    assert width(found) < 1e-12


def test_two_kinds_of_steps_agree_with_doubles() -> None:
    losses = (
        (400, SampledGaussianLoss(Fraction(1, 50), Fraction(1))),
        (900, SampledGaussianLoss(Fraction(1, 20), Fraction(1, 4))),
    )
    found = enclosed(losses, "remove", Fraction(3))
    assert holds(found, doubles_delta(losses, 3.0, "remove", 4.0, 0.2), 1e-9)
    assert width(found) < 1e-12


def test_different_grids_and_orders_agree() -> None:
    first = enclosed(STEPS, "remove", STEPS_EPSILON)
    hint = contour_hint(STEPS, "remove", STEPS_EPSILON)
    grid = hint["grids"][0]
    other = hint | {
        "order": "2.2",
        "above": "4.5",
        "step": "0.13",
        "nodes": 150,
        "bits": 160,
        "grids": [grid | {"step": "0.0737", "left": 190, "right": 260, "height": "0.6"}],
    }
    second = contour.delta(STEPS, "remove", STEPS_EPSILON, other)
    assert max(first.lower, second.lower) <= min(first.upper, second.upper)
    assert width(second) < 1e-12


def sampled_moments(
    loss: SampledGaussianLoss, side: Side, order: float, heights: Any
) -> npt.NDArray[np.complex128]:
    """M(c + it) in doubles, by the trapezoid rule on the real line."""
    mu, q = math.sqrt(loss.mu_squared), float(loss.fraction)
    x = np.linspace(-14 - order * mu, 14 + (1 + order) * mu, 3001)
    ratio = np.log(1 - q + q * np.exp(mu * x - mu * mu / 2))
    value, weight = (ratio, ratio) if side == "remove" else (-ratio, 0)
    mass = np.exp(weight + order * value - x * x / 2) / math.sqrt(math.tau) * (x[1] - x[0])
    moments: npt.NDArray[np.complex128] = np.exp(1j * np.outer(heights, value)) @ mass
    return moments


GRID = (
    ("0.39", "0.1"),
    ("1", "1/50"),
    ("0.1", "0.45", "0.6", "0.8"),
    ((20, 20), (4, 20), (1, 20), (0, 20), (20, 4), (20, 9)),
)


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("order", "last"), [(1, 4), (1, 60), (4, 20)])
def test_sampled_moments_are_known_to_their_errors(side: Side, order: int, last: int) -> None:
    loss = SampledGaussianLoss(Fraction(1, 5), Fraction(4))
    line = Line(Fraction(order), Fraction(1, 4), last, 64, 1)
    truth = sampled_moments(loss, side, order, np.arange(4 * last + 1) / 4)
    accepted = 0
    for height, share, step, ends in product(*GRID):
        left, right = (math.ceil(end / 2 / Fraction(step)) for end in ends)
        high = Fraction(height)
        try:
            grid = Grid(Fraction(step), left, right, high, high * Fraction(share))
            found = sampled_transform(loss, side, line, grid)
        except ProofError:
            continue
        accepted += 1
        assert float(found.moment) >= truth[0].real * (1 - 1e-12)
        points = np.array(found.points.real) + 1j * np.array(found.points.imag)
        off = np.abs(points / 2.0**64 - truth[: last + 1] / float(found.moment))
        assert off.max() <= found.points.error / 2**64 + 1e-12
        beyond = np.abs(truth[last:]).max() / float(found.moment)
        assert beyond <= float(found.tail) + 1e-12
    assert accepted > 20


def test_a_grid_must_reach_the_mode_of_its_order() -> None:
    loss = SampledGaussianLoss(Fraction(1, 5), Fraction(4))
    line = Line(Fraction(8), Fraction(1), 1, 64, 1)
    for right, fits in ((179, False), (180, True)):
        grid = Grid(Fraction(1, 10), 100, right, Fraction(1, 3), Fraction(1, 3))
        if fits:
            assert sampled_transform(loss, "remove", line, grid).moment > 1
        else:
            with pytest.raises(ProofError):
                sampled_transform(loss, "remove", line, grid)


THREE = ((3, SampledGaussianLoss(Fraction(1, 5), Fraction(1))),)


@cache
def small() -> tuple[dict[str, Any], Interval]:
    """A good hint for `SMALL`, and what it gives."""
    hint = contour_hint(SMALL, "remove", Fraction(4))
    return hint, contour.delta(SMALL, "remove", Fraction(4), hint)


@cache
def three(side: Side) -> tuple[dict[str, Any], Interval]:
    """A passable hint for `THREE`, and what a better one gives."""
    hint = contour_hint(THREE, side, Fraction(1, 4), digits=5)
    return hint, enclosed(THREE, side, Fraction(1, 4), digits=8)


@pytest.mark.parametrize(
    "changes",
    [
        {"nodes": 3},
        {"nodes": 7},
        {"step": "2"},
        {"step": "3"},
        {"step": "1.5", "above": "3.4"},
        {"order": "6.5", "above": "9"},
        {"order": "1.2"},
        {"bits": 33},
    ],
)
def test_bad_lines_only_widen(changes: dict[str, Any]) -> None:
    hint, truth = small()
    try:
        found = contour.delta(SMALL, "remove", Fraction(4), hint | changes)
    except ProofError:
        return
    assert found.lower <= truth.lower
    assert truth.upper <= found.upper


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    "changes",
    [
        {"step": "0.8"},
        {"step": "1.1"},
        {"step": "0.6", "left": 10, "right": 12},
        {"left": 0},
        {"left": 8},
        {"left": 20},
        {"right": 30},
        {"right": 24},
        {"height": "0.3", "tail_height": "0.02"},
        {"tail_height": "0.000001"},
        {"tail_height": "0.7"},
    ],
)
def test_bad_grids_only_widen(side: Side, changes: dict[str, Any]) -> None:
    hint, truth = three(side)
    bad = hint | {"grids": [hint["grids"][0] | changes]}
    try:
        found = contour.delta(THREE, side, Fraction(1, 4), bad)
    except ProofError:
        return
    assert found.lower <= truth.lower
    assert truth.upper <= found.upper


scales = st.fractions(min_value=Fraction(1, 50), max_value=50, max_denominator=50)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(scales, min_size=3, max_size=3),
    st.lists(scales, min_size=3, max_size=3),
    st.tuples(*[st.integers(0, 90)] * 2),
    st.integers(1, 60),
    st.integers(32, 120),
    st.sampled_from(SIDES),
)
def test_hostile_hints_never_lie(
    line: list[Fraction],
    grid: list[Fraction],
    ends: tuple[int, int],
    nodes: int,
    bits: int,
    side: Side,
) -> None:
    hint = {
        "order": str(line[0]),
        "above": str(line[0] + line[1]),
        "step": str(line[2]),
        "nodes": nodes,
        "bits": bits,
        "reach": nodes,
        "grids": [
            {
                "step": str(grid[0]),
                "left": ends[0],
                "right": ends[1],
                "height": str(grid[1]),
                "tail_height": str(grid[2]),
            }
        ],
    }
    loss = SampledGaussianLoss(Fraction(1, 4), Fraction(1))
    truth = sampled_delta(mpmath.mpf(1) / 4, mpmath.mpf(1), mpmath.mpf(1) / 8, side)
    try:
        found = contour.delta(((1, loss),), side, Fraction(1, 8), hint)
    except ProofError:
        return
    assert holds(found, truth, 1e-14)


@pytest.mark.parametrize(
    "changes",
    [
        {"order": "0"},
        {"order": "-1"},
        {"order": "10000000", "above": "10000001"},
        {"above": "1/100"},
        {"above": "100000"},
        {"step": "0"},
        {"step": "1e-200"},
        {"step": "100000000000"},
        {"nodes": 0},
        {"nodes": 1 << 20},
        {"nodes": 10**30},
        {"bits": 8},
        {"bits": 10**9},
        {"grids": []},
        {"grids": [1]},
        {"grids": "none"},
        {"reach": 0},
        {"reach": 1 << 60},
        {"unknown": 1},
        {"order": 0.5},
    ],
)
def test_malformed_and_immense_lines_are_refused(changes: dict[str, Any]) -> None:
    hint = small()[0] | changes
    with pytest.raises(ProofError):
        contour.delta(SMALL, "remove", Fraction(4), hint)


@pytest.mark.parametrize(
    "changes",
    [
        {"step": "0"},
        {"step": "1e-60"},
        {"step": "10000000"},
        {"left": -1},
        {"right": 10**30},
        {"right": 2},
        {"left": 20_000},
        {"height": "2"},
        {"height": "1e-70", "tail_height": "1e-70"},
        {"tail_height": "2"},
        {"tail_height": "0"},
        {"more": 1},
    ],
)
def test_malformed_and_immense_grids_are_refused(changes: dict[str, Any]) -> None:
    hint, _ = small()
    bad = hint | {"grids": [hint["grids"][0] | changes]}
    with pytest.raises(ProofError):
        contour.delta(SMALL, "remove", Fraction(4), bad)


@pytest.mark.parametrize(
    "loss",
    [
        LaplaceLoss(Fraction(10**9)),
        ResponseLoss(Fraction(10**9)),
        DiscreteLaplaceLoss(Fraction(1), 10**9),
        DiscreteGaussianLoss(Fraction(10**9), 10**9),
        DiscreteGaussianLoss(Fraction(1, 10**9), 1),
        SampledGaussianLoss(Fraction(1, 2), Fraction(10**40)),
        GaussianLoss(Fraction(10**40)),
    ],
    ids=lambda loss: loss.name,
)
def test_immense_losses_are_refused(loss: Any) -> None:
    hint = contour_hint(((1, GaussianLoss(Fraction(1))),), "add", Fraction(1))
    if isinstance(loss, SampledGaussianLoss):
        grid = {"step": "0.1", "left": 90, "right": 90, "height": "1e-20", "tail_height": "1e-20"}
        hint |= {"grids": [grid]}
    with pytest.raises(ProofError):
        contour.delta(((1, loss), (1, GaussianLoss(Fraction(1)))), "add", Fraction(1), hint)


@pytest.mark.parametrize("loss", [ResponseLoss(Fraction(10**6)), LaplaceLoss(Fraction(10**6))])
def test_orders_of_immense_moments_are_refused(loss: Any) -> None:
    """Moments of e^(10^11), which would make immense fractions."""
    hint = {"order": "100000", "above": "100001", "step": "1", "nodes": 2, "bits": 64, "grids": []}
    hint["reach"] = 2
    with pytest.raises(ProofError):
        contour.delta(((1, loss), (1, GaussianLoss(Fraction(1)))), "add", Fraction(1), hint)


parts = st.integers(-(2**39), 2**39)


@given(
    st.lists(st.tuples(parts, parts, parts, parts), min_size=1, max_size=3),
    st.integers(1, 40),
    st.integers(0, 50),
)
def test_products_and_powers_of_points_keep_within_their_errors(
    rows: list[tuple[int, int, int, int]], count: int, error: int
) -> None:
    """Numbers that are off by as much as they may be, against exact products; 2^39·√2 < 2^40."""
    bits = 40
    a, b, c, d = (list(column) for column in zip(*rows, strict=True))
    product_ = Points([x + error for x in a], b, error, bits).times(Points(c, d, 0, bits))
    power = Points([x + error for x in a], b, error, bits).power(count)
    for j, (p, q, r, s) in enumerate(rows):
        real, imag = Fraction(p * r - q * s, 2**bits), Fraction(p * s + q * r, 2**bits)
        off = (product_.real[j] - real) ** 2 + (product_.imag[j] - imag) ** 2
        assert off <= product_.error**2
        real, imag = Fraction(2**bits), Fraction(0)
        for _ in range(count):
            real, imag = (real * p - imag * q) / 2**bits, (real * q + imag * p) / 2**bits
        off = (power.real[j] - real) ** 2 + (power.imag[j] - imag) ** 2
        assert off <= power.error**2


def test_a_line_so_high_that_nothing_is_left_is_refused() -> None:
    """The moduli there are below e^(-10^9), which would make immense fractions."""
    losses = ((2, SampledGaussianLoss(Fraction(1, 2), Fraction(1))),)
    grid = {"step": "1/10", "left": 0, "right": 60, "height": "3/4", "tail_height": "3/4"}
    hint = {"order": "1", "above": "2", "step": "10000000000", "nodes": 100, "bits": 64}
    with pytest.raises(ProofError):
        contour.delta(losses, "remove", Fraction(1), hint | {"grids": [grid], "reach": 100})


def test_brackets_have_the_gaussians_known_epsilon() -> None:
    lower, upper, _ = epsilon_bracket(((1, GaussianLoss(Fraction(1))),), Fraction(1, 10**6))
    assert lower <= Fraction("4.886554117462212") <= upper + Fraction(1, 10**15)
    assert upper - lower < Fraction(1, 10**11)


def test_brackets_leave_out_the_mass_of_infinite_losses() -> None:
    """With one response of ε = 0, that fails with chance m, δ(ε) is m + (1-m)·δ of the Gaussian."""
    mass, goal = Fraction(1, 10**5), Fraction(11, 10**6)
    losses = ((1, GaussianLoss(Fraction(1))), (1, ResponseLoss(Fraction(0), mass)))
    lower, upper, _ = epsilon_bracket(losses, goal)
    left = number((goal - mass) / (1 - mass))
    assert gaussian_delta(Fraction(1), number(upper)) <= left
    assert gaussian_delta(Fraction(1), number(lower)) > left
    assert upper - lower < Fraction(1, 10**9)


@pytest.mark.parametrize("delta", ["2/5", "1/2"])
def test_a_large_delta_needs_no_epsilon(delta: str) -> None:
    losses = ((1, GaussianLoss(Fraction(1))),)
    assert epsilon_bracket(losses, Fraction(delta))[:2] == (0, 0)
    lower, upper, _ = epsilon_bracket(losses, Fraction("0.38"))
    assert 0 < lower < upper < Fraction(1, 100)


def test_brackets_of_ten_thousand_steps_are_narrow_and_certified() -> None:
    goal = Fraction(1, 10**6)
    lower, upper, _ = epsilon_bracket(STEPS, goal)
    assert lower < STEPS_EPSILON + Fraction(1, 10**9)
    assert STEPS_EPSILON - Fraction(1, 10**9) < upper
    assert upper - lower <= Fraction(1, 10**9)
    for side in SIDES:
        hint = contour_hint(STEPS, side, upper, goal)
        assert contour.delta(STEPS, side, upper, hint).upper <= goal
    assert enclosed(STEPS, "remove", lower).lower > goal


@pytest.mark.slow
@pytest.mark.parametrize(
    ("count", "q", "mu_squared", "delta"),
    [
        (10_000, "1/100", "25/9", "1e-6"),
        (1000, "1/10", "1/4", "1e-6"),
        (1_000_000, "1/10000", "25/16", "1e-6"),
        (10_000, "1/100", "1", "1e-30"),
    ],
)
def test_brackets_of_other_descents_are_narrow(
    count: int, q: str, mu_squared: str, delta: str
) -> None:
    losses = ((count, SampledGaussianLoss(Fraction(q), Fraction(mu_squared))),)
    lower, upper, _ = epsilon_bracket(losses, Fraction(delta))
    assert upper - lower <= Fraction(1, 10**9)


def test_no_bracket_lies_below_the_mass_of_infinite_losses() -> None:
    losses = ((1, ResponseLoss(Fraction(1), Fraction(1, 100))), (1, GaussianLoss(Fraction(1))))
    with pytest.raises(ProofError):
        epsilon_bracket(losses, Fraction(1, 1000))
