"""A contour without the samples whose sum of losses is settled."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from proofs.errors import ProofError
from proofs.losses import (
    SIDES,
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    Losses,
    SampledGaussianLoss,
    Side,
)
from proofs.profiles import contour, values
from proofs.profiles.bulk import Bulk, _moment
from proofs.profiles.sampled_moments import Grid, sampled_transform
from proofs.profiles.transforms import Line
from proofs.search.contour import contour_hint
from synthesizers.intervals import Interval
from tests.proofs.profiles.slow_profiles import mp

F = Fraction
coarse = mpmath.MPContext()
coarse.dps = 22
ONE = SampledGaussianLoss(F(1, 100), F(1))
EPSILON = F(1, 5)


def hint_for(losses: Losses, side: Side, epsilon: F, digits: int = 8) -> dict[str, Any]:
    return contour_hint(losses, side, epsilon, F(1, 10**6), digits)


HINT = hint_for(((1, ONE),), "remove", EPSILON)
BULK = HINT["grids"][0]["bulk"]
LINE = Line(F(HINT["order"]), F(8), 40, 90, 1)


def bulk_of(changes: dict[str, Any]) -> Bulk:
    return contour._read_bulk({**BULK, **changes}, "a hint")


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("losses", "epsilon"),
    [
        (((1, ONE),), F(1, 5)),
        (((1, SampledGaussianLoss(F(1, 10), F(4))),), F(3)),
        (((1, DiscreteLaplaceLoss(F(1, 2), 1)), (1, ONE)), F(3, 5)),
        (((1, DiscreteLaplaceLoss(F(1, 2), 1)), (1, ONE)), F(3, 10)),
    ],
)
def test_the_profile_is_that_value_by_value(losses: Losses, epsilon: F, side: Side) -> None:
    truth = values.delta(losses, side, epsilon, {"bits": 150})
    found = contour.delta(losses, side, epsilon, hint_for(losses, side, epsilon))
    assert found.lower <= truth.lower and truth.upper <= found.upper
    assert found.upper - found.lower < F(1, 10**9)


def integrated(side: Side, weight: Any, power: Any) -> mpmath.mpf:
    """∫ φ·g^power·weight dx."""
    q, mu = coarse.mpf(1) / 100, coarse.mpf(1)

    def inside(x: mpmath.mpf) -> mpmath.mpf:
        ratio = 1 - q + q * coarse.exp(mu * x - mu**2 / 2)
        return coarse.npdf(x) * coarse.exp(power * coarse.log(ratio)) * weight(x)

    del side
    return coarse.quad(inside, coarse.linspace(-12, 24, 37))


def ramp(x: mpmath.mpf) -> mpmath.mpf:
    return coarse.ncdf(mp(F(BULK["slope"])) * (x - mp(F(BULK["cut"]))))


@pytest.mark.parametrize("power", [0, 1, 2, 7])
def test_moments_of_the_bulk_are_integrals(power: int) -> None:
    found = _moment(ONE, bulk_of({}), power)
    truth = integrated("remove", lambda x: 1 - ramp(x), power)
    assert abs(mp(found.lower) - truth) < coarse.mpf("1e-17")
    assert found.upper - found.lower < F(1, 10**40)


@pytest.mark.parametrize("side", SIDES)
def test_the_rest_is_known_to_its_error_and_tail(side: Side) -> None:
    grid = HINT["grids"][0]
    bulk = bulk_of({"range": [BULK["range"][0] - 5, BULK["range"][1] + 40]})
    whole = Grid(F(grid["step"]), 100, 200, F(grid["height"]), F(grid["tail_height"]), bulk)
    found = sampled_transform(ONE, side, LINE, whole)
    rest = found.rest
    assert rest is not None and rest.points.error < 2 ** (LINE.bits - 20)
    for node in (1, 40):
        z = coarse.mpc(mp(LINE.order), mp(LINE.step * node))
        truth = integrated(side, ramp, 1 + z if side == "remove" else -z) / mp(found.moment)
        seen = coarse.mpc(rest.points.real[node], rest.points.imag[node])
        assert abs(seen - truth * 2**LINE.bits) <= rest.points.error + 2
    assert abs(truth) <= mp(rest.tail)


CHANGES: list[dict[str, Any]] = [
    {"cut": "0.5"},
    {"cut": "4.5"},
    {"cut": "2", "slope": "1"},
    {"slope": "30"},
    {"step": "0.4"},
    {"power": 2},
    {"power": 400},
    {"height": "0.05"},
    {"height": "0.78"},
    {"tail_height": "0.01"},
    {"tail_height": "1"},
    {"range": [BULK["range"][0] + 12, BULK["range"][1]]},
    {"range": [BULK["range"][0], BULK["range"][1] // 2]},
    {"range": [-100, 500]},
]


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_bad_bulks_only_widen(changes: dict[str, Any]) -> None:
    truth = values.delta(((1, ONE),), "remove", EPSILON, {"bits": 150})
    hint = copy.deepcopy(HINT)
    hint["grids"][0]["bulk"].update(changes)
    try:
        found = contour.delta(((1, ONE),), "remove", EPSILON, hint)
    except ProofError:
        return
    assert found.lower <= truth.lower and truth.upper <= found.upper


@pytest.mark.parametrize("epsilon", [F(0), F(-1, 200) + F(1, 100), F(1, 20)])
@pytest.mark.parametrize("side", SIDES)
def test_a_bulk_that_is_not_settled_only_widens(epsilon: F, side: Side) -> None:
    truth = values.delta(((1, ONE),), side, epsilon, {"bits": 150})
    found = contour.delta(((1, ONE),), side, epsilon, HINT)
    assert found.lower <= truth.lower and truth.upper <= found.upper


def with_bulk(losses: Losses, epsilon: F) -> Interval:
    hint = contour_hint(losses, "remove", epsilon, F(1, 10**6), 4)
    hint["grids"] = [{**copy.deepcopy(HINT["grids"][0])}] * len(hint["grids"])
    return contour.delta(losses, "remove", epsilon, hint)


def test_a_bulk_needs_one_kind_of_sampled_losses_and_few_values_of_others() -> None:
    other = SampledGaussianLoss(F(1, 90), F(1))
    with pytest.raises(ProofError, match="one kind"):
        with_bulk(((1, ONE), (1, other)), F(1))
    with pytest.raises(ProofError, match="values"):
        with_bulk(((1, GaussianLoss(F(1))), (1, ONE)), F(1))
    with pytest.raises(ProofError, match="Laplace"):
        losses: Losses = ((1, LaplaceLoss(F(1))), (1, ONE))
        hint = contour_hint(losses, "remove", F(2), F(1, 10**6), 4)
        contour.delta(losses, "remove", F(1, 2), hint)


@pytest.mark.parametrize(
    "changes",
    [
        {"slope": "0"},
        {"slope": "-1"},
        {"step": "0"},
        {"power": 1},
        {"power": 4000},
        {"range": [3]},
        {"range": [5, 3]},
        {"range": [-(10**9), 3]},
        {"cut": "-90"},
        {"cut": "1/" + "9" * 90},
        {"height": "3"},
        {"tail_height": "9"},
        {"more": 1},
    ],
    ids=str,
)
def test_malformed_bulks_are_refused(changes: dict[str, Any]) -> None:
    hint = copy.deepcopy(HINT)
    hint["grids"][0]["bulk"].update(changes)
    with pytest.raises(ProofError):
        contour.delta(((1, ONE),), "remove", EPSILON, hint)


@pytest.mark.parametrize("epsilon", [F(3, 10), F(2, 5)])
def test_laplace_losses_beside_agree_with_a_contour_that_has_no_bulk(epsilon: F) -> None:
    own = SampledGaussianLoss(F(1, 10), F(1))
    losses: Losses = ((1, LaplaceLoss(F(1, 4))), (2, own))
    hint = hint_for(losses, "remove", epsilon + 1, 5)
    assert "bulk" in hint["grids"][0]
    plain = copy.deepcopy(hint)
    del plain["grids"][0]["bulk"]
    plain["nodes"] = 8 * plain["nodes"]
    found, other = (contour.delta(losses, "remove", epsilon + 1, each) for each in (hint, plain))
    assert found.upper - found.lower < F(1, 10**7)
    assert max(found.lower, other.lower) <= min(found.upper, other.upper)
    assert other.upper - other.lower < F(1, 10**5)
