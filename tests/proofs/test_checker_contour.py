"""The checker's own contour: its functions against mpmath, and what it confirms and leaves open."""

import json
import math
import random
from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from proofs import checker
from proofs.derivation import derivation
from proofs.ledger.expressions import parse
from proofs.ledger.terms import of_terms
from proofs.losses import (
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    ResponseLoss,
)
from proofs.parts import entries_of
from proofs.profiles.entry_moments import pairs
from proofs.search.ends import enclose_epsilon
from proofs.search.ways import compose, read_off
from synthesizers.neighbours import AddRemove

SEVERAL = " + ".join(
    f"discrete_gaussian(sigma_squared={v})" for v in (200, 541, 1311, 2905, 4420, 6007, 8000)
)
MIXED = (
    "discrete_gaussian(sigma_squared=61) + discrete_gaussian(sigma_squared=97) + "
    "2 * laplace(epsilon=0.3) + randomized_response(epsilon=0.2) + gaussian(sigma=6) + "
    "3 * discrete_laplace(epsilon=0.2, sensitivity=2) + pure(epsilon=0.1, delta=1e-9)"
)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    with mpmath.workdps(60):
        yield


def number(value: Fraction) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


def holds(found: checker.Interval, value: Any, width: float = 1e-30) -> bool:
    low, high = number(found.low), number(found.high)
    return bool(low <= value <= high and high - low <= width * (1 + abs(value)))


def plain(loss: Loss, count: int = 1) -> dict[str, Any]:
    own = {field.name: getattr(loss, field.name) for field in fields(loss)}
    return {"loss": loss.name, "count": count, **own}


def pair(loss: Loss) -> dict[str, Any]:
    """The dominating pair of a loss, as the checker names it."""
    (found,) = checker.pairs_of([entry(loss, 1)])
    return found


def entry(loss: Loss, count: int) -> dict[str, Any]:
    """The same as a loss of noise on one answer, where it is noise."""
    match loss:
        case LaplaceLoss(epsilon):
            law, amount, move = "laplace", Fraction(1), epsilon
        case DiscreteLaplaceLoss(rate, shift):
            law, amount, move = loss.name, 1 / rate, Fraction(shift)
        case DiscreteGaussianLoss(variance, shift):
            law, amount, move = loss.name, variance, Fraction(shift)
        case _:
            return plain(loss, count)
    return checker.lost("noise", count, law, amount, 1, move, move**2, move)


@pytest.mark.parametrize("y", ["0", "1/3", "-1/3", "22/7", "-1000", "1234567/89"])
def test_a_turn_is_a_complex_exponential(y: str) -> None:
    real, imag = checker.turn(Fraction(-3, 2), Fraction(y), 128)
    value = mpmath.exp(mpmath.mpc(-1.5, number(Fraction(y))))
    assert holds(real, value.real)
    assert holds(imag, value.imag)


LOSSES: tuple[LaplaceLoss | ResponseLoss | DiscreteLaplaceLoss, ...] = (
    LaplaceLoss(Fraction(3, 10)),
    ResponseLoss(Fraction(2, 3)),
    DiscreteLaplaceLoss(Fraction(1, 4), 1),
    DiscreteLaplaceLoss(Fraction(1, 4), 5),
)


@pytest.mark.parametrize("loss", LOSSES, ids=str)
@pytest.mark.parametrize("height", ["0", "1/3", "50"])
def test_transforms_are_means_of_exponentials(
    loss: LaplaceLoss | ResponseLoss | DiscreteLaplaceLoss, height: str
) -> None:
    """By their definition: means under P over outputs, not over losses."""
    c, t = Fraction(7, 3), Fraction(height)
    z = mpmath.mpc(number(c), number(t))
    if isinstance(loss, LaplaceLoss):
        e = number(loss.epsilon)

        def inside(x: Any) -> Any:
            return mpmath.exp(-abs(x - e) + z * (abs(x) - abs(x - e))) / 2

        value = mpmath.quad(inside, [*mpmath.linspace(-8, 0, 2), *mpmath.linspace(0, e, 40)])
        value += mpmath.exp(z * e) / 2 - mpmath.quad(inside, [-8, 0])
        value += mpmath.exp(-(z + 1) * e) / 2
    else:
        if isinstance(loss, ResponseLoss):
            rate, shift = loss.epsilon, 1
        else:
            rate, shift = loss.rate, loss.shift
        r = number(rate)
        size = mpmath.tanh(r / 2)
        value = mpmath.fsum(
            size * mpmath.exp(-r * abs(n - shift) + z * r * (abs(n) - abs(n - shift)))
            for n in range(-1200, 1200)
        )
    real, imag = checker.transform(pair(loss), c, t, 128)
    assert holds(real, value.real)
    assert holds(imag, value.imag)


def test_a_product_on_the_line_is_below_its_falls() -> None:
    draw, c = random.Random(7), Fraction(3)
    for v, s in ((2, 1), (40, 1), (40, 3)):
        one = plain(DiscreteGaussianLoss(Fraction(v), s))
        ((count, period, cap, curve, lead),) = checker.falls_of([one], c)
        reach = math.ceil(14 * math.sqrt(v)) + 8 * s
        weights = {n: mpmath.exp(-mpmath.mpf(n * n) / (2 * v)) for n in range(-reach, reach + 1)}
        total = mpmath.fsum(weights.values())
        assert count == 1
        for _ in range(60):
            t = mpmath.mpf(draw.uniform(0, 40) * period / 2**32)
            z = mpmath.mpc(3, t)
            terms = (w * mpmath.exp(z * s * (2 * n + s) / (2 * v)) for n, w in weights.items())
            modulus = abs(mpmath.fsum(terms)) / total / mpmath.exp(mpmath.mpf(6 * s * s) / v)
            y = abs(t - period * mpmath.nint(t * 2**32 / period) / 2**32)
            y = min(y, mpmath.mpf(cap) / 2**32)
            power = mpmath.mpf(curve) / 2**64 * y**2 - mpmath.mpf(lead) / 2**32
            assert modulus <= mpmath.exp(-max(power, 0)) * (1 + 1e-6) + 1e-30


@pytest.mark.parametrize("step", ["3", "1/2"])
def test_the_sum_far_out_is_above_that_of_all_nodes(step: str) -> None:
    losses = [plain(DiscreteGaussianLoss(Fraction(v), 1)) for v in (9, 13, 31)]
    falls, last, reach = checker.falls_of(losses, Fraction(2)), 20, 20_000
    node = np.arange(last + 1, reach + 1, dtype=np.float64)
    fallen = np.zeros(len(node))
    for one in losses:
        v = float(one["variance"])
        t, period = node * float(Fraction(step)), math.tau * v
        y = np.abs(t - period * np.rint(t / period))
        fallen += np.minimum(y, 3 * period / 8) ** 2 / (2 * v)
    truth = float(np.sum(np.exp(-fallen) / node**2))
    found = float(checker.far_sum(checker.Meter(), falls, Fraction(step), last, reach))
    assert truth + 1 / (reach + 5000) <= found <= 2.1 * truth + 1.5 / reach
    assert checker.far_sum(checker.Meter(), [], Fraction(step), last, reach) > found


def test_places_where_all_periods_meet_are_seen() -> None:
    """Periods of 2π·6 and 2π·10 meet at 2π·30: with nodes half a circle apart, at every 60th."""
    losses = [plain(DiscreteGaussianLoss(Fraction(v), 1), 1000) for v in (6, 10)]
    falls = checker.falls_of(losses, Fraction(1))
    step = Fraction(314159265358979, 10**14)
    found = float(checker.far_sum(checker.Meter(), falls, step, 59, 4000))
    assert sum(1 / j**2 for j in range(60, 4001, 60)) + 1 / 4100 <= found <= 1e-3


def test_nodes_that_are_not_summed_are_bounded() -> None:
    """Three nodes so close together that they are a small part of a Gaussian's δ(1) = 0.1269."""
    losses = [plain(GaussianLoss(Fraction(1)))]
    line = {"order": "1", "above": "2", "bits": 64, "grids": []}
    for step, nodes, confirmed in (("1/20", 1, False), ("1/20", 60, False), ("1/5", 60, True)):
        meter, hint = checker.Meter(), line | {"step": step, "nodes": nodes, "reach": nodes}
        hints = {"remove": hint}
        checker.curve_at_most(meter, losses, "contour", Fraction(1), Fraction("0.127"), hints)
        assert (not meter.notes) == confirmed


def proof(text: str, delta: str, more: str) -> dict[str, Any]:
    """The theorem of an ε by the contour, a little above the smallest that is found."""
    theorem = compose(of_terms(parse(text), AddRemove()))
    ends = enclose_epsilon(pairs(entries_of(theorem)), Fraction(delta))
    assert ends.method == "contour"
    proved = read_off(theorem, "contour", ends.upper + Fraction(more), Fraction(delta), ends.hints)
    found: dict[str, Any] = json.loads(json.dumps(derivation(proved)))
    return found


@pytest.mark.parametrize(("text", "delta"), [(SEVERAL, "1e-10"), (MIXED, "1e-5")])
def test_a_contour_is_confirmed_and_no_smaller_delta_is(text: str, delta: str) -> None:
    stated = proof(text, delta, "1e-6")
    assert checker.check(stated).status == "checked"
    forged = json.dumps(stated)
    smaller = str(Fraction(delta) * Fraction(999, 1000))
    old = json.dumps(str(Fraction(delta)))
    assert old in forged
    forged = forged.replace(old, json.dumps(smaller))
    assert checker.check(json.loads(forged)).status == "kernel only"


def test_what_the_contour_of_the_checker_cannot_follow_stays_with_the_kernel() -> None:
    stated = proof("poisson(q=0.1, gaussian(sigma=2)) + laplace(epsilon=0.1)", "1e-5", "1e-6")
    found = checker.check(stated)
    assert found.status == "kernel only"
    assert "left to the kernel" in found.reasons[0]
    narrow = "discrete_gaussian(sigma_squared=2) + gaussian(sigma=3)"
    found = checker.check(proof(narrow, "1e-5", "1e-6"))
    assert found.status == "kernel only"
    assert "too narrow" in found.reasons[0]


@pytest.mark.parametrize(
    "loss",
    [
        ResponseLoss(Fraction(10**12)),
        LaplaceLoss(Fraction(10**12)),
        DiscreteLaplaceLoss(Fraction(1, 10**400), 10**400),
        DiscreteGaussianLoss(Fraction(10**400), 1),
        DiscreteGaussianLoss(Fraction(1, 10**400), 10**200),
        GaussianLoss(Fraction(10**400)),
    ],
    ids=lambda loss: loss.name,
)
@pytest.mark.parametrize(("nodes", "reach"), [(1, 10**400), (10**400, 1), (50, 10**6)])
def test_immense_numbers_are_left_open_or_rejected(loss: Loss, nodes: int, reach: int) -> None:
    for step in ("1/10", f"1/{10**60}", f"{10**60}", f"1/{10**300}"):
        hint = {"order": "1", "above": "2", "step": step, "nodes": nodes, "reach": reach}
        losses = [entry(loss, 10**18), plain(ResponseLoss(Fraction(1, 10)))]
        meter, hints = checker.Meter(3_000_000), {"remove": hint | {"grids": [], "bits": 64}}
        try:
            small = Fraction(1, 10**9)
            checker.curve_at_most(meter, losses, "contour", Fraction(1), small, hints)
        except checker.Rejected:
            continue
        assert meter.notes
