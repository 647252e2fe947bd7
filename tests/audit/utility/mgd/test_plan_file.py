from __future__ import annotations

import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import pytest

from audit.utility.catalogue import metric_named
from audit.utility.mgd.marginal_difference import MarginalDifference
from audit.utility.mgd.target import Target
from audit.utility.parameters import plan_metric
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError, TooLargeError

DOMAIN = Domain("d", (Attribute("a", tuple("xyz"), ordinal=True), Attribute("b", tuple("xy"))))


def from_plan(values: Mapping[str, object]) -> MarginalDifference:
    metric = plan_metric(MarginalDifference, values, metric_named)
    assert isinstance(metric, MarginalDifference)
    return metric


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
    metric = from_plan(values)
    metric.check(DOMAIN)
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
    assert from_plan({}) == MarginalDifference()
    assert from_plan({"tolerance": 0, "most_cells": 10}) == MarginalDifference(
        tolerance=Fraction(0), most_cells=10
    )


def test_distances_are_read_from_a_csv_file(tmp_path: Path) -> None:
    file = tmp_path / "distances.csv"
    file.write_text("0,1/3, infinite\n0.1,0,1\n\n2,1e-1,0\n")
    values = {"targets": [{"attributes": ["a"], "distances": str(file)}], "cross_check": "true"}
    metric = from_plan(values)
    metric.check(DOMAIN)
    third, tenth = Fraction(1, 3), Fraction(1, 10)
    assert metric.cross_check and metric.targets is not None
    assert metric.targets[0].distances == ((0, third, "infinite"), (tenth, 0, 1), (2, tenth, 0))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "matrix"),
        ("0,1\n1,0\n", "a has 3 cells.*2 rows"),
        ("0,1,1\n1,0\n1,1,0", "square.*row 2"),
        ("a,b,c\n", 'row 1, if not "infinite", must be a finite number'),
        ("0,1,1\n1,0,nan\n1,1,0", "row 2"),
        ("0,1,1\n1,0,-1\n1,1,0", "row 2 must be 0 or more"),
        ("0,1,1\n1,1,1\n1,1,0", "diagonal"),
        ("0,1,\xff", "UTF-8"),
    ],
)
def test_a_file_without_a_distance_matrix_is_refused(
    text: str, message: str, tmp_path: Path
) -> None:
    file = tmp_path / "distances.csv"
    file.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError, match=message):
        from_plan({"targets": [{"attributes": ["a"], "distances": str(file)}]}).check(DOMAIN)


def test_a_file_of_too_many_cells_is_refused_at_its_first_row(tmp_path: Path) -> None:
    file = tmp_path / "distances.csv"
    file.write_text(",".join(["0"] * 5000) + "\n")
    with pytest.raises(TooLargeError, match=r"the marginal a.*5000 cells"):
        from_plan({"targets": [{"attributes": ["a"], "distances": str(file)}]})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"marginals": []}, "no parameter 'marginals'"),
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
        ({"cross_check": "perhaps"}, "cross_check"),
        ({"targets": [{"attributes": ["a"], "distances": [[0]]}]}, "path of a CSV"),
        ({"targets": [{"attributes": ["a"], "distances": "not/there.csv"}]}, "cannot be read"),
        ({"targets": [{"attributes": ["c"]}]}, "no attribute 'c'"),
        ({"targets": [{"attributes": ["a"], "weights": {"a": "1/2"}}]}, "sum to 1"),
    ],
)
def test_what_cannot_be_read_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_plan(values).check(DOMAIN)
