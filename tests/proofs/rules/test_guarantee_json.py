"""Guarantees as plain data and back."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.entries import (
    LAWS,
    BoundedRangeLoss,
    ConcentratedLoss,
    Entry,
    NoiseLoss,
    RenyiCurve,
)
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import (
    Guarantee,
    LossList,
    Odometer,
    Profile,
    guarantee_from_json,
    guarantee_to_json,
)
from proofs.losses import (
    AllocationLoss,
    FixedSizeLoss,
    GaussianLoss,
    ResponseLoss,
    SampledGaussianLoss,
    join,
)

sizes = st.fractions(0, 50)
positives = st.fractions(Fraction(1, 100), 50)
deltas = st.fractions(0, Fraction(99, 100))


def curves(first: Any, second: Any) -> Any:
    ascending = st.dictionaries(first, second, min_size=1, max_size=4)
    return ascending.map(lambda points: tuple(sorted(points.items())))


@st.composite
def noises(draw: st.DrawFn) -> NoiseLoss:
    moves = sorted(draw(sizes) for _ in range(3))
    norms = moves[2], moves[1] ** 2, moves[0]
    l0 = draw(st.none() | st.integers(0, 9))
    return NoiseLoss(draw(st.sampled_from(LAWS)), draw(positives), l0, *norms)


rates = st.fractions(Fraction(1, 99), Fraction(98, 99))
renyi_points = curves(st.fractions(Fraction(101, 100), 99), sizes)
losses: st.SearchStrategy[Entry] = st.one_of(
    noises(),
    st.builds(GaussianLoss, sizes),
    st.builds(ResponseLoss, sizes, deltas),
    st.builds(BoundedRangeLoss, sizes),
    st.builds(SampledGaussianLoss, rates, positives),
    st.builds(AllocationLoss, st.integers(2, 99), positives),
    st.builds(FixedSizeLoss, rates, positives),
    st.builds(ConcentratedLoss, sizes, sizes, deltas),
    st.builds(RenyiCurve, renyi_points),
)
entries = st.lists(st.tuples(st.integers(1, 9), losses), max_size=6)
guarantees = st.one_of(
    st.builds(ApproxDP, sizes, deltas),
    st.builds(ZCDP, sizes),
    st.builds(GaussianDP, sizes),
    st.builds(RenyiCurve, renyi_points),
    st.builds(Profile, curves(sizes, deltas)),
    st.builds(Odometer, curves(sizes, sizes), deltas),
    entries.map(lambda listed: LossList(join([tuple(listed)], [1]))),
)


@given(guarantees)
def test_a_guarantee_comes_back_from_its_data(guarantee: Guarantee) -> None:
    data = guarantee_to_json(guarantee)
    assert guarantee_from_json(data) == guarantee
    assert guarantee_to_json(guarantee_from_json(data)) == data


def test_numbers_may_be_integers_and_decimals() -> None:
    found = guarantee_from_json({"kind": "approx", "epsilon": 1, "delta": "1e-6"})
    assert found == ApproxDP(Fraction(1), Fraction(1, 10**6))


NOISE = {"law": "discrete-laplace", "amount": "2", "l0": 1, "l1": 1, "l2_squared": 1, "linf": 1}


def loss(**change: Any) -> dict[str, Any]:
    return {"loss": "noise", "count": 2, **NOISE, **change}


def other(name: str, **own: Any) -> dict[str, Any]:
    return {"loss": name, "count": 1, **own}


@pytest.mark.parametrize("l0", [None, 1])
def test_losses_are_read(l0: int | None) -> None:
    found = guarantee_from_json({"kind": "losses", "losses": [loss(amount="2.0", l0=l0)]})
    one = Fraction(1)
    assert found == LossList(((2, NoiseLoss("discrete-laplace", 2 * one, l0, one, one, one)),))


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
        {"kind": "renyi", "points": []},
        {"kind": "renyi", "points": [["1", "1"]]},
        {"kind": "renyi", "points": [["3", "1"], ["2", "1"]]},
        {"kind": "renyi", "points": [["2", "1", "1"]]},
        {"kind": "profile", "points": [["1", "1"]]},
        {"kind": "profile", "points": {"1": "0"}},
        {"kind": "odometer", "levels": [["1", "1"]]},
        {"kind": "dominated", "losses": []},
        {"kind": "losses"},
        {"kind": "losses", "losses": {}},
        {"kind": "losses", "losses": ["laplace"]},
        *(
            {"kind": "losses", "losses": [one]}
            for one in (
                {},
                loss(loss="cauchy"),
                loss(loss=["noise"]),
                loss(count=-1),
                loss(count=0),
                loss(count="2"),
                loss(law="cauchy"),
                loss(law=1),
                loss(l0="1"),
                loss(l0=-1),
                loss(l0=True),
                loss(amount="0"),
                loss(amount="1e999999999"),
                loss(l1="1/2"),
                loss(linf=None),
                loss(scale="1"),
                other("gaussian", mu_squared="-1"),
                other("response", epsilon="1"),
                other("response", epsilon="1", delta="1"),
                other("bounded-range", epsilon="-1"),
                other("sampled-gaussian", fraction="1", mu_squared="1"),
                other("concentrated", xi="0", rho="1", delta="1"),
                other("concentrated", xi="-1", rho="1", delta="0"),
                other("curve", points=[]),
                other("curve", points=[["1", "1"]]),
                other("curve", points=[["3", "1"], ["2", "1"]]),
                other("curve", points="none"),
            )
        ),
    ],
)
def test_malformed_guarantees_are_refused(data: object) -> None:
    with pytest.raises(ProofError):
        guarantee_from_json(data)


@pytest.mark.parametrize(
    "listed",
    [
        [loss(), loss()],
        [loss(amount="3"), loss()],
        [loss(), loss(l0=None)],
        [loss(), other("bounded-range", epsilon="1")],
        [{**other("gaussian", mu_squared="1"), "count": 2}],
        [other("gaussian", mu_squared="0")],
    ],
)
def test_losses_have_one_form(listed: list[dict[str, Any]]) -> None:
    with pytest.raises(ProofError, match="equal ones as one entry"):
        guarantee_from_json({"kind": "losses", "losses": listed})
