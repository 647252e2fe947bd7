"""The bounds of moduli, and sums over nodes, against moduli by mpmath and sums over atoms."""

import itertools
import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from proofs.errors import ProofError
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    Losses,
    ResponseLoss,
    join,
)
from proofs.profiles import contour, sieve
from proofs.profiles.sieve import Fall, fall_of, nearly_gaussian, sum_beyond
from proofs.profiles.transforms import Line, laplace_transform
from proofs.search.contour import contour_hint, epsilon_bracket
from proofs.search.ends import enclose_epsilon

Atoms = list[tuple[Any, Any]]


@pytest.fixture(autouse=True)
def _digits() -> Iterator[None]:
    with mpmath.workdps(50):
        yield


def number(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def atoms(loss: Loss) -> Atoms:
    """(chance, loss) of a discrete pair, from its definition, but for chances below 1e-50."""
    match loss:
        case ResponseLoss(epsilon):
            e = number(epsilon)
            return [(1 / (1 + mpmath.exp(-e)), e), (1 / (1 + mpmath.exp(e)), -e)]
        case DiscreteLaplaceLoss(rate, shift):
            a, whole = mpmath.exp(-number(rate)), number(rate * shift)
            inner = [
                (a**n * (1 - a) / (1 + a), whole - 2 * n * number(rate)) for n in range(1, shift)
            ]
            return [(1 / (1 + a), whole), *inner, (a**shift / (1 + a), -whole)]
        case DiscreteGaussianLoss(variance, shift):
            span, twice = math.ceil(15.2 * math.sqrt(variance)) + 8 * shift, 2 * number(variance)
            weights = {n: mpmath.exp(-(n * n) / twice) for n in range(-span, span + 1)}
            total = mpmath.fsum(weights.values())
            return [(w / total, (2 * n + shift) * shift / twice) for n, w in weights.items()]
        case _:
            raise AssertionError


def moment(found: Atoms, z: Any) -> Any:
    return mpmath.fsum(p * mpmath.exp(z * value) for p, value in found)


def bound(fall: Fall, t: Any) -> Any:
    """The bound of |M|/moment that a fall states, for any period within 1e-15 of its own."""
    away = min(abs(t - fall.period * mpmath.nint(t / fall.period)) - t * 1e-15, fall.cap)
    return mpmath.exp(-fall.count * max(fall.curve * away**2 - fall.lead, 0))


LATTICED: tuple[Loss, ...] = (
    DiscreteGaussianLoss(Fraction(1, 4), 1),
    DiscreteGaussianLoss(Fraction(1), 1),
    DiscreteGaussianLoss(Fraction(7, 3), 2),
    DiscreteGaussianLoss(Fraction(40), 1),
    DiscreteGaussianLoss(Fraction(90), 7),
    ResponseLoss(Fraction(1, 10)),
    ResponseLoss(Fraction(3)),
    DiscreteLaplaceLoss(Fraction(1, 5), 1),
    DiscreteLaplaceLoss(Fraction(1, 5), 2),
    DiscreteLaplaceLoss(Fraction(1, 3), 5),
)


@pytest.mark.parametrize("loss", LATTICED, ids=str)
@pytest.mark.parametrize("order", ["1/3", "8"])
def test_no_transform_is_above_its_fall(loss: Loss, order: str) -> None:
    """At random t, and at all distances from a multiple of the period far out."""
    draw, c = random.Random(loss.name + order), Fraction(order)
    found, at = atoms(loss), number(c)
    size = moment(found, at)
    gaussian = size
    if isinstance(loss, DiscreteGaussianLoss):
        tilt = loss.shift**2 * c * (c + 1) / (2 * loss.variance)
        gaussian = mpmath.exp(number(tilt))
    plain = fall_of(1, loss, c, None)
    exact = fall_of(1, loss, c, Fraction(float(size)) * Fraction(1 + 1e-12))
    assert plain and exact
    period, idle = mpmath.mpf(plain.period), 0
    for _ in range(40):
        t = mpmath.mpf(draw.choice([0, 3, 1000]) + draw.uniform(-0.5, 0.5)) * period
        modulus = abs(moment(found, mpmath.mpc(at, t))) * (1 - mpmath.mpf("1e-11"))
        assert modulus <= gaussian * (bound(plain, t) + mpmath.mpf("1e-40"))
        assert modulus <= size * (bound(exact, t) + mpmath.mpf("1e-40"))
        idle += bound(plain, t) ** 2 > modulus / gaussian
    # A bound far above the modulus would do nothing.
    assert idle < 20 or not isinstance(loss, DiscreteGaussianLoss) or loss.variance < 1


def test_the_bound_of_a_discrete_gaussian_is_its_modulus_near_a_multiple() -> None:
    loss, c = DiscreteGaussianLoss(Fraction(40), 1), mpmath.mpf(2)
    fall = fall_of(1, loss, Fraction(2), None)
    assert fall
    found = atoms(loss)
    for y in (1, 5, 20):
        t = 80 * mpmath.pi * 7 + y
        ratio = abs(moment(found, mpmath.mpc(c, t))) / mpmath.exp(c * (c + 1) / 80)
        assert abs(bound(fall, t) / ratio - 1) < 1e-9


@pytest.mark.parametrize("variance", ["6", "20"])
def test_a_nearly_gaussian_transform_is_a_gaussians(variance: str) -> None:
    """Up to the largest height at which it is said to be, and not much farther."""
    loss, c = DiscreteGaussianLoss(Fraction(variance), 1), mpmath.mpf("1.5")
    found, bits = atoms(loss), 40
    last = max(
        n
        for n in range(1, 200)
        if nearly_gaussian(loss, Line(Fraction(3, 2), Fraction(1, 2), n, bits, 1))
    )
    worst = mpmath.mpf(0)
    for t in (0, mpmath.mpf(last) / 4, mpmath.mpf(last) / 2):
        z = mpmath.mpc(c, t)
        gaussian = mpmath.exp(z * (z + 1) / (2 * number(loss.variance)))
        worst = max(worst, abs(moment(found, z) / gaussian - 1))
    assert worst <= 8 * mpmath.mpf(2) ** -bits
    z = mpmath.mpc(c, mpmath.pi * number(loss.variance))
    gaussian = mpmath.exp(z * (z + 1) / (2 * number(loss.variance)))
    assert abs(moment(found, z) / gaussian - 1) > 1e-3
    # The logarithm of the error is 2π times the distance from πv: no room is given away.
    assert worst > mpmath.mpf(2) ** (-2 * bits)


@pytest.mark.parametrize("order", ["1/2", "20"])
def test_a_laplace_transform_stays_below_its_tail(order: str) -> None:
    loss, c = LaplaceLoss(Fraction(1, 3)), Fraction(order)
    line = Line(c, Fraction(1), 5, 64, 1)
    tail = laplace_transform(loss, line).tail
    e, x = number(loss.epsilon), number(c)

    def at(t: Any) -> Any:
        z = mpmath.mpc(x, t)
        return ((1 + z) * mpmath.exp(z * e) + z * mpmath.exp(-(1 + z) * e)) / (1 + 2 * z)

    ratios = [abs(at(t)) / at(0).real for t in np.linspace(5, 60, 300)]
    assert max(ratios) <= number(tail) < 1 + 1e-9
    assert number(tail) < max(ratios) * 1.2


NODES = 30_000


@pytest.mark.parametrize("step", ["3", "2/7"])
@pytest.mark.parametrize("last", [5, 60])
def test_the_sieve_is_above_the_sum_of_all_nodes(step: str, last: int) -> None:
    """The moduli themselves at every node; the bounds of the falls are close to them."""
    losses = [DiscreteGaussianLoss(Fraction(v), 1) for v in (9, 13, 31)]
    h, c = Fraction(step), Fraction(4)
    t = np.arange(last + 1, NODES) * float(h)
    product = np.ones(len(t))
    for loss in losses:
        found = atoms(loss)
        chances = np.array([float(p * mpmath.exp(4 * value)) for p, value in found])
        values = np.array([float(value) for _, value in found])
        ends = [np.exp(1j * np.outer(part, values)) @ chances for part in np.array_split(t, 20)]
        product *= np.abs(np.concatenate(ends)) / chances.sum()
    truth = float(np.sum(product / np.arange(last + 1, NODES) ** 2.0))
    falls = tuple(fall for loss in losses if (fall := fall_of(1, loss, c, None)))
    found_sum = float(sum_beyond(falls, Line(c, h, last, 64, 1), NODES))
    assert truth <= found_sum - 1 / NODES + 1e-12
    assert found_sum <= 1.1 * truth + 1.4 / NODES


def test_places_where_all_periods_meet_are_found() -> None:
    """Periods of 2π·6 and 2π·10 meet at 2π·30, and nowhere before."""
    c, h = Fraction(1), Fraction(314159265358979, 10**14)
    both = [fall_of(1000, DiscreteGaussianLoss(Fraction(v), 1), c, None) for v in (6, 10)]
    falls = tuple(fall for fall in both if fall)
    # Nodes are 2π/2 apart: the 60th and its multiples lie on both lattices.
    sums = [float(sum_beyond(falls, Line(c, h, last, 64, 1), 4000)) for last in (58, 59, 60)]
    meetings = sum(1 / j**2 for j in range(60, 4001, 60))
    assert sums[0] == pytest.approx(meetings, abs=1.5 / 4000)
    assert sums[1] - sums[2] == pytest.approx(1 / 60**2, abs=3e-5)


def test_without_a_reach_all_nodes_count() -> None:
    falls = [fall_of(1, DiscreteGaussianLoss(Fraction(9), 1), Fraction(1), None)]
    line = Line(Fraction(1), Fraction(1), 9, 64, 1)
    whole = sum_beyond(tuple(fall for fall in falls if fall), line, 9)
    assert whole == sum_beyond((), line, 10**6)
    assert float(whole) == pytest.approx(sum(1 / j**2 for j in range(10, 10**6)), rel=1e-2)
    with pytest.raises(ProofError):
        sum_beyond((), line, 1 << 49)


def test_immense_and_tiny_periods_are_no_falls_or_never_end() -> None:
    assert fall_of(1, ResponseLoss(Fraction(10**400)), Fraction(1), None) is None
    fall = fall_of(1, DiscreteGaussianLoss(Fraction(10**400), 1), Fraction(1), None)
    assert fall
    line = Line(Fraction(1), Fraction(1), 9, 64, 1)
    assert sum_beyond((fall,), line, 1000) >= sum_beyond((), line, 1000) * Fraction("0.999")
    long = fall_of(1, DiscreteGaussianLoss(Fraction(10**40), 10**15), Fraction(1), None)
    assert long
    assert float(sum_beyond((long,), line, 10**6)) == pytest.approx(float(sum_beyond((), line, 1)))


def test_a_sieve_ends_where_it_has_looked_often_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has not seen counts in full: more and more of the nodes, the sooner it ends."""
    fall = fall_of(1, ResponseLoss(Fraction(1, 1000)), Fraction(1), None)
    assert fall
    line, found = Line(Fraction(1), Fraction(1), 9, 64, 1), []
    for looks in (1 << 20, 30_000, 100):
        monkeypatch.setattr(sieve, "MAX_LOOKS", looks)
        found.append(sum_beyond.__wrapped__((fall,), line, 200_000))
    assert found == sorted(found)
    assert found[0] < found[2] <= sum_beyond((), line, 1) * Fraction("1.02")


def sum_delta(losses: list[Loss], epsilon: float) -> float:
    """δ(ε) of one of each loss, summed over all atoms; of a Laplace loss by its closed form."""
    laws = [atoms(loss) for loss in losses if not isinstance(loss, LaplaceLoss)]
    chance, value = np.ones(1), np.zeros(1)
    for law in laws:
        mass = np.array([float(p) for p, _ in law])
        steps = np.array([float(v) for _, v in law])
        kept = mass > 1e-22
        chance = np.outer(chance, mass[kept]).ravel()
        value = np.add.outer(value, steps[kept]).ravel()
    rest = epsilon - value
    gain = np.where(rest < 0, -np.expm1(np.minimum(rest, 0)), 0.0)
    for loss in losses:
        if isinstance(loss, LaplaceLoss):
            own = float(loss.epsilon)
            inside = -np.expm1((np.clip(rest, -own, own) - own) / 2)
            gain = np.where(rest < -own, gain, inside)
    return math.fsum((chance * gain).tolist())


PRODUCTS: tuple[tuple[list[Loss], str, float], ...] = (
    ([DiscreteGaussianLoss(Fraction(v), 1) for v in (3, 5, 7)], "2", 0.1),
    ([DiscreteGaussianLoss(Fraction(v), 1) for v in (17, 29, 43)], "1", 1e-4),
    ([DiscreteGaussianLoss(Fraction(v), 1) for v in (50, 61, 97)], "3/4", 1e-5),
    (
        [*(DiscreteGaussianLoss(Fraction(v), 1) for v in (17, 29)), LaplaceLoss(Fraction(1, 2))],
        "1",
        1e-3,
    ),
    (
        [
            *(DiscreteGaussianLoss(Fraction(v), 1) for v in (17, 29)),
            ResponseLoss(Fraction(1, 7)),
            DiscreteLaplaceLoss(Fraction(1, 5), 2),
        ],
        "1",
        1e-3,
    ),
)


@pytest.mark.parametrize(("losses", "epsilon", "wide"), PRODUCTS, ids=["3", "17", "50", "l", "r"])
def test_products_on_different_lattices_are_their_sums(
    losses: list[Loss], epsilon: str, wide: float
) -> None:
    product = join([tuple((1, loss) for loss in losses)], [1])
    truth = sum_delta(losses, float(Fraction(epsilon)))
    for digits in (3, 6):
        hint = contour_hint(product, "remove", Fraction(epsilon), digits=digits)
        found = contour.delta(product, "remove", Fraction(epsilon), hint)
        assert found.lower <= Fraction(truth) * Fraction(1 + 1e-12)
        assert found.upper >= Fraction(truth) * Fraction(1 - 1e-12)

    assert found.upper - found.lower <= wide * truth


def test_no_hint_moves_the_enclosure_off_its_value() -> None:
    """Few nodes, a far reach, coarse and fine steps; refused or right."""
    losses: list[Loss] = [DiscreteGaussianLoss(Fraction(v), 1) for v in (17, 29, 43)]
    product = tuple((1, loss) for loss in losses)
    truth = sum_delta(losses, 1.0)
    right = 0
    for order, step, nodes, reach in itertools.product(
        ("1/2", "4", "9"), ("1/3", "1", "3"), (1, 7, 40), (1, 1000, 10**6)
    ):
        hint = {"order": order, "above": "20", "step": step, "nodes": nodes, "bits": 64}
        try:
            found = contour.delta(
                product, "remove", Fraction(1), hint | {"grids": [], "reach": reach}
            )
        except ProofError:
            continue
        right += 1
        assert found.lower <= Fraction(truth) * Fraction(1 + 1e-12)
        assert found.upper >= Fraction(truth) * Fraction(1 - 1e-12)
    assert right > 40


def test_no_hint_is_found_where_nothing_falls() -> None:
    """Losses that are always 0 beside a Laplace loss; and two that return too often."""
    for losses in (
        ((1, LaplaceLoss(Fraction(1))), (1, DiscreteLaplaceLoss(Fraction(1), 0))),
        ((1, LaplaceLoss(Fraction(1))), (2, ResponseLoss(Fraction(1)))),
    ):
        with pytest.raises(ProofError):
            contour_hint(losses, "remove", Fraction(1, 2))


def census(size: int) -> Losses:
    """Discrete Gaussians of so many variances from 200 to 8000."""
    variances = (200 + round(7800 * i / (size - 1)) for i in range(size))
    return join([tuple((1, DiscreteGaussianLoss(Fraction(v), 1)) for v in variances)], [1])


@pytest.mark.parametrize(
    ("size", "delta"),
    [
        (88, "1e-10"),
        pytest.param(88, "1e-6", marks=pytest.mark.slow),
        pytest.param(88, "1e-30", marks=pytest.mark.slow),
        pytest.param(8, "1e-10", marks=pytest.mark.slow),
    ],
)
def test_a_census_has_narrow_ends(size: int, delta: str) -> None:
    """The sum is so nearly a Gaussian loss that this one's ε lies between them, or next to them."""
    losses, goal = census(size), Fraction(delta)
    found = enclose_epsilon(losses, goal)
    assert found.method == "contour"
    assert found.upper - found.lower <= Fraction(1, 10**9)
    discrete = [loss for _, loss in losses if isinstance(loss, DiscreteGaussianLoss)]
    squared = sum((1 / loss.variance for loss in discrete), Fraction(0))
    alone = enclose_epsilon(((1, GaussianLoss(squared)),), goal)
    assert found.lower < alone.upper + Fraction(1, 10**12)
    assert alone.lower - Fraction(1, 10**12) < found.upper


@pytest.mark.slow
def test_brackets_of_three_lattices_hold_the_sum() -> None:
    losses: list[Loss] = [DiscreteGaussianLoss(Fraction(v), 1) for v in (50, 61, 97)]
    low, high = epsilon_bracket(tuple((1, loss) for loss in losses), Fraction(1, 1000))
    assert high - low < Fraction(1, 10**5)
    assert sum_delta(losses, float(low)) >= 0.001 * (1 - 1e-9)
    assert sum_delta(losses, float(high)) <= 0.001 * (1 + 1e-9)
