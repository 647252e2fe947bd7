"""Guarantees as plain data and back."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    ApproxZCDP,
    Dominated,
    Guarantee,
    Odometer,
    Profile,
    RenyiCurve,
    guarantee_to_json,
)
from proofs.losses import (
    AllocationLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FixedSizeLoss,
    GaussianLoss,
    LaplaceLoss,
    ResponseLoss,
    SampledGaussianLoss,
    join,
)
from proofs.rules.guarantee_json import guarantee_from_json

sizes = st.fractions(0, 50)
positives = st.fractions(Fraction(1, 100), 50)
deltas = st.fractions(0, Fraction(99, 100))


def curves(first: Any, second: Any) -> Any:
    ascending = st.dictionaries(first, second, min_size=1, max_size=4)
    return ascending.map(lambda points: tuple(sorted(points.items())))


losses = st.one_of(
    st.builds(GaussianLoss, sizes),
    st.builds(LaplaceLoss, sizes),
    st.builds(DiscreteLaplaceLoss, positives, st.integers(0, 9)),
    st.builds(DiscreteGaussianLoss, positives, st.integers(0, 9)),
    st.builds(ResponseLoss, sizes, deltas),
    st.builds(SampledGaussianLoss, st.fractions(Fraction(1, 99), Fraction(98, 99)), positives),
    st.builds(FixedSizeLoss, st.fractions(Fraction(1, 99), Fraction(98, 99)), positives),
    st.builds(AllocationLoss, st.integers(2, 99), positives),
)
entries = st.lists(st.tuples(st.integers(1, 9), losses), max_size=6)
guarantees = st.one_of(
    st.builds(ApproxDP, sizes, deltas),
    st.builds(ZCDP, sizes),
    st.builds(GaussianDP, sizes),
    st.builds(ApproxZCDP, sizes, sizes, deltas),
    st.builds(RenyiCurve, curves(st.fractions(Fraction(101, 100), 99), sizes)),
    st.builds(Profile, curves(sizes, deltas)),
    st.builds(Odometer, curves(sizes, sizes), deltas),
    entries.map(lambda listed: Dominated(join([tuple(listed)], [1]))),
)


@given(guarantees)
def test_a_guarantee_comes_back_from_its_data(guarantee: Guarantee) -> None:
    data = guarantee_to_json(guarantee)
    assert guarantee_from_json(data) == guarantee
    assert guarantee_to_json(guarantee_from_json(data)) == data


def test_numbers_may_be_integers_and_decimals() -> None:
    found = guarantee_from_json({"kind": "approx", "epsilon": 1, "delta": "1e-6"})
    assert found == ApproxDP(Fraction(1), Fraction(1, 10**6))


def loss(**change: Any) -> dict[str, Any]:
    return {"loss": "discrete-laplace", "count": 2, "rate": "1/2", "shift": 1, **change}


def test_losses_are_read() -> None:
    found = guarantee_from_json({"kind": "dominated", "losses": [loss(rate="0.5")]})
    assert found == Dominated(((2, DiscreteLaplaceLoss(Fraction(1, 2), 1)),))


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        "approx",
        {},
        {"kind": "pure", "epsilon": "1"},
        {"kind": ["approx"]},
        {"kind": "approx", "epsilon": "1"},
        {"kind": "approx", "epsilon": "1", "delta": "1"},
        {"kind": "approx", "epsilon": "-1", "delta": "0"},
        {"kind": "approx", "epsilon": "1", "delta": "0", "mu": "1"},
        {"kind": "approx", "epsilon": 0.5, "delta": "0"},
        {"kind": "approx", "epsilon": True, "delta": "0"},
        {"kind": "approx", "epsilon": "nan", "delta": "0"},
        {"kind": "approx", "epsilon": "1e999999999", "delta": "0"},
        {"kind": "zcdp", "rho": "-1"},
        {"kind": "gdp", "mu": "1/0"},
        {"kind": "approx-zcdp", "xi": "0", "rho": "1", "delta": "1"},
        {"kind": "renyi", "points": []},
        {"kind": "renyi", "points": [["1", "1"]]},
        {"kind": "renyi", "points": [["3", "1"], ["2", "1"]]},
        {"kind": "renyi", "points": [["2", "1", "1"]]},
        {"kind": "profile", "points": [["1", "1"]]},
        {"kind": "profile", "points": {"1": "0"}},
        {"kind": "odometer", "levels": [["1", "1"]]},
        {"kind": "dominated"},
        {"kind": "dominated", "losses": {}},
        {"kind": "dominated", "losses": ["laplace"]},
        {"kind": "dominated", "losses": [{}]},
        {"kind": "dominated", "losses": [loss(loss="cauchy")]},
        {"kind": "dominated", "losses": [loss(loss=["laplace"])]},
        {"kind": "dominated", "losses": [loss(count=-1)]},
        {"kind": "dominated", "losses": [loss(count=0)]},
        {"kind": "dominated", "losses": [loss(count="2")]},
        {"kind": "dominated", "losses": [loss(shift="1")]},
        {"kind": "dominated", "losses": [loss(shift=-1)]},
        {"kind": "dominated", "losses": [loss(shift=True)]},
        {"kind": "dominated", "losses": [loss(rate="0")]},
        {"kind": "dominated", "losses": [loss(rate="1e999999999")]},
        {"kind": "dominated", "losses": [loss(scale="1")]},
        {"kind": "dominated", "losses": [loss(note=1)]},
    ],
)
def test_malformed_guarantees_are_refused(data: object) -> None:
    with pytest.raises(ProofError):
        guarantee_from_json(data)


@pytest.mark.parametrize(
    "listed",
    [
        [loss(), loss()],
        [loss(shift=2), loss()],
        [{"loss": "laplace", "count": 1, "epsilon": "1"}, loss()],
        [{"loss": "gaussian", "count": 2, "mu_squared": "1"}],
        [{"loss": "gaussian", "count": 1, "mu_squared": "0"}],
    ],
)
def test_losses_have_one_form(listed: list[dict[str, Any]]) -> None:
    with pytest.raises(ProofError, match="equal ones as one entry"):
        guarantee_from_json({"kind": "dominated", "losses": listed})
