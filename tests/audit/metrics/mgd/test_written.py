from __future__ import annotations

import tomllib
from fractions import Fraction

import pytest

from audit.metrics.mgd.metric import MarginalDifference
from audit.metrics.mgd.target import Target
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError

DOMAIN = Domain("d", (Attribute("a", tuple("xyz"), ordinal=True), Attribute("b", tuple("xy"))))


def test_a_plan_is_read_exactly() -> None:
    values = tomllib.loads(
        """
        tolerance = "5/2"
        budget_seconds = 30
        targets = [
          { attributes = ["a", "b"], weights = { a = "1/3", b = "2/3" }, importance = "0.1" },
          { attributes = ["b"], weights = { b = "infinite" }, tolerance = 1 },
        ]
        """
    )
    metric = MarginalDifference.from_plan(values, DOMAIN)
    assert metric.targets == (
        Target(
            ("a", "b"),
            {"a": Fraction(1, 3), "b": Fraction(2, 3)},
            Fraction(5, 2),
            Fraction(1, 10),
        ),
        Target(("b",), {"b": "infinite"}, Fraction(1)),
    )
    assert metric.tolerance == Fraction(5, 2) and metric.budget_seconds == 30


def test_an_empty_plan_is_the_default() -> None:
    assert MarginalDifference.from_plan({}) == MarginalDifference()
    assert MarginalDifference.from_plan({"tolerance": 0, "most_cells": 10}) == MarginalDifference(
        tolerance=Fraction(0), most_cells=10
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"marginals": []}, "no 'marginals'"),
        ({"targets": []}, "at least one"),
        ({"targets": {"a": 1}}, "list"),
        ({"targets": ["a"]}, "target 1 must be a table"),
        ({"targets": [{"attributes": "a"}]}, "target 1 needs attributes"),
        ({"targets": [{"weights": {}}]}, "target 1 needs attributes"),
        ({"targets": [{"attributes": ["a"], "delta": 2}]}, "target 1 has no 'delta'"),
        ({"targets": [{"attributes": ["a"], "weights": [1]}]}, "weights must be a table"),
        (
            {"targets": [{"attributes": ["a"], "weights": {"a": 0.5}}]},
            "weight of 'a'.*decimal in quotes",
        ),
        ({"targets": [{"attributes": ["a"], "weights": {"a": "much"}}]}, "weight of 'a'"),
        ({"targets": [{"attributes": ["a"], "tolerance": "1/0"}]}, "target 1: the tolerance"),
        ({"targets": [{"attributes": ["a"], "importance": "-1"}]}, "importance"),
        ({"tolerance": 0.1}, "tolerance.*decimal in quotes"),
        ({"tolerance": True}, "tolerance"),
        ({"budget_seconds": "long"}, "budget_seconds"),
        ({"most_cells": 1.5}, "most_cells"),
        ({"targets": [{"attributes": ["c"]}]}, "no attribute 'c'"),
        ({"targets": [{"attributes": ["a"], "weights": {"a": "1/2"}}]}, "sum to 1"),
    ],
)
def test_what_cannot_be_read_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        MarginalDifference.from_plan(values, DOMAIN)
