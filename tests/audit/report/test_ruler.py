from __future__ import annotations

import math
from dataclasses import replace

import pytest

from audit.report.ruler import Scale, bound_marks, claim_mark, common_scale
from audit.statements.evidence import Decision, Side
from tests.audit.report import samples

INF = math.inf
CERTIFICATES = samples.certificates()


def test_places_on_the_axis() -> None:
    finite, infinite = Scale("ε", 4.0, False), Scale("ε", 4.0, True)
    assert [finite.share(v) for v in (0.0, 2.0, 4.0)] == [0.0, 0.5, 1.0]
    assert infinite.share(4.0) < infinite.share(INF) < 1
    assert [label for _, label in infinite.ticks] == ["0", "1", "2", "3", "4", "∞"]
    assert [label for _, label in Scale("ε", 0.05, False).ticks][:3] == ["0", "0.01", "0.02"]


@pytest.mark.parametrize(
    ("name", "claimed", "low", "high", "axis"),
    [
        ("exact", 2.0, 2.0, 2.0, "ε, nats"),
        ("gaussian", 1 / 3, 0.7, 0.8, "μ"),
        ("concentrated", 1.0, INF, INF, "ρ, nats"),
        ("rényi", 2.0, 1.75, 1.75, "ε(α), nats"),
    ],
)
def test_a_claim_and_its_bounds_lie_on_the_axis_of_what_it_bounds(
    name: str, claimed: float, low: float, high: float, axis: str
) -> None:
    certificate = CERTIFICATES[name]
    claim = claim_mark(certificate)
    (found,) = [mark for mark in bound_marks(certificate) if mark.kind == "exact"]
    assert (claim.low, claim.high) == pytest.approx((claimed, claimed))
    assert (found.low, found.high) == pytest.approx((low, high))
    scale = common_scale([certificate])
    assert scale.name == axis
    assert scale.high > max(end for end in (claimed, high) if math.isfinite(end))
    assert scale.infinite == math.isinf(high)


def test_a_floor_and_a_ceiling_lie_at_their_own_end() -> None:
    certificate = samples.certificate(
        samples.claim("mu=1"),
        samples.finding(Decision.UNDECIDED, samples.own("mu", samples.F(1), INF, Side.FLOOR)),
        samples.finding(
            Decision.UNDECIDED, samples.own("mu", samples.F(0), samples.F(3), Side.CEILING)
        ),
    )
    assert [(mark.text, mark.low, mark.high) for mark in bound_marks(certificate)] == [
        ("μ ≥ 1", 1.0, 1.0),
        ("μ ≤ 3", 3.0, 3.0),
    ]


def test_an_enclosure_reaches_no_further_up_than_a_theorem() -> None:
    ceiling = replace(samples.theorem(Decision.OPEN, samples.F(3, 2)), decision=Decision.OPEN)
    ceiling = replace(
        ceiling, bound=samples.own("rho", samples.F(0), samples.F(3, 2), Side.CEILING)
    )
    wide = samples.own("rho", samples.F(147, 100), samples.F(47, 10))
    for decision, text in (
        (Decision.VIOLATED, "ρ between 1.47 and 1.5"),
        (Decision.SILENT, "ρ between 1.47 and 4.7"),
    ):
        made = samples.certificate(samples.claim("rho=1"), samples.finding(decision, wide), ceiling)
        exact, _ = bound_marks(made)
        assert (exact.text, exact.name) == (text, "Enclosure")
    below = samples.own("rho", samples.F(8, 5), samples.F(9, 5))
    made = samples.certificate(
        samples.claim("rho=1"), samples.finding(Decision.HOLDS, below), ceiling
    )
    assert bound_marks(made)[0].text == "ρ between 1.6 and 1.8"


def test_a_bound_on_something_else_has_no_place_on_the_axis() -> None:
    assert bound_marks(CERTIFICATES["in ε alone"]) == ()


def test_an_exact_value_lies_at_or_below_the_ceiling_of_a_theorem() -> None:
    certificate = CERTIFICATES["proved"]
    exact, ceiling = bound_marks(certificate)
    assert (exact.kind, ceiling.kind) == ("exact", "ceiling")
    assert exact.text == "ε = 1.7" and ceiling.text == "ε ≤ 1.9"
    assert exact.high <= ceiling.low <= claim_mark(certificate).low
    assert ceiling.basis == "rigorous, by proof"


def test_a_ceiling_that_does_not_reach_the_claim_lies_beyond_it() -> None:
    certificate = CERTIFICATES["left open"]
    (ceiling,) = bound_marks(certificate)
    assert claim_mark(certificate).high < ceiling.low
    assert common_scale([certificate]).high > ceiling.high
