from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.mgd import solve
from audit.utility.mgd.marginal_difference import MarginalDifference
from audit.utility.mgd.problem import Solution
from audit.utility.mgd.target import Target
from audit.utility.records import Records
from synthesizers.domain import Attribute, Dataset, Domain, Hierarchy
from synthesizers.errors import InputError
from tests.audit.utility.mgd.definitions import mgd

DOMAIN = Domain(
    "d",
    (
        Attribute("month", tuple("abc"), ordinal=True),
        Attribute("city", ("Paris", "Lyon", "Rome", "Bonn", "Kiel")),
        Attribute("age", tuple("ab"), ordinal=True, missing=True),
        Attribute("kind", tuple("ab")),
    ),
    (
        Hierarchy(
            "city", (("FR", "FR", "IT", "DE", "DE"), ("west", "west", "south", "north", "north"))
        ),
    ),
)
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
TARGETS: list[tuple[Target, dict[str, Fraction | str]]] = [
    (Target(("month",), tolerance=HALF), {"month": Fraction(1)}),
    (Target(("month", "kind"), tolerance=Fraction(1)), {"month": Fraction(1), "kind": "infinite"}),
    (
        Target(("city", "kind"), {"city": Fraction(1)}, Fraction(0), THIRD),
        {"city": Fraction(1), "kind": "infinite"},
    ),
    (
        Target(("month", "age"), tolerance=Fraction(3, 2), importance=Fraction(2)),
        {"month": HALF, "age": HALF},
    ),
    (
        Target(("month", "city"), {"month": THIRD, "city": 1 - THIRD}, Fraction(0)),
        {"month": THIRD, "city": 1 - THIRD},
    ),
    (
        Target(("month", "age", "kind"), {"kind": Fraction(1, 5), "age": Fraction(1, 5)}),
        {"month": Fraction(3, 5), "age": Fraction(1, 5), "kind": Fraction(1, 5)},
    ),
    (Target(("city",), tolerance=Fraction(100)), {"city": "infinite"}),
]


def _tables(seed: int, sizes: tuple[int, int]) -> tuple[Dataset, Dataset]:
    rng = np.random.default_rng(seed)
    made = []
    for records in sizes:
        columns = [rng.integers(0, size, records) for size in DOMAIN.shape]
        made.append(Dataset(DOMAIN, np.stack(columns, axis=1)))
    return made[0], made[1]


@given(st.integers(0, 10**6), st.tuples(st.integers(1, 60), st.integers(1, 60)))
@settings(max_examples=12)
def test_it_is_the_definition(seed: int, sizes: tuple[int, int]) -> None:
    real, synthetic = _tables(seed, sizes)
    metric = MarginalDifference(targets=tuple(target for target, _ in TARGETS))
    found = metric(real, synthetic, DOMAIN)
    expected = mgd(DOMAIN, TARGETS, real.codes, synthetic.codes)
    assert found.exact == expected
    assert found.value == float(expected) and found.bracket is None


@pytest.mark.parametrize("place", range(len(TARGETS)))
def test_each_target_by_itself_is_its_aemc(place: int) -> None:
    real, synthetic = _tables(place, (50, 35))
    found = MarginalDifference(targets=(TARGETS[place][0],))(real, synthetic, DOMAIN)
    assert found.exact == mgd(DOMAIN, [TARGETS[place]], real.codes, synthetic.codes)


def test_the_default_targets_are_all_small_marginals_of_one_and_two_attributes() -> None:
    metric = MarginalDifference(most_cells=9)
    assert metric.marginals_read(DOMAIN) == [
        ("month",),
        ("city",),
        ("age",),
        ("kind",),
        ("month", "age"),
        ("month", "kind"),
        ("age", "kind"),
    ]
    real, synthetic = _tables(1, (40, 40))
    found = metric(real, synthetic, DOMAIN)
    assert "7 target marginals, counts not normalised" in found.stated
    assert "3 marginals of more than 9 cells left out" in found.stated
    with pytest.raises(InputError, match="most_cells"):
        MarginalDifference(most_cells=1)(real, synthetic, DOMAIN)


def test_a_table_against_itself_scores_zero_and_order_does_not_matter() -> None:
    real, synthetic = _tables(2, (50, 45))
    metric = MarginalDifference(tolerance=Fraction(0))
    assert metric(real, real, DOMAIN).exact == 0
    shuffled = Dataset(DOMAIN, synthetic.codes[::-1].copy())
    assert metric(real, shuffled, DOMAIN).exact == metric(real, synthetic, DOMAIN).exact


def test_without_moves_and_tolerance_it_is_the_l1_distance_by_real_records() -> None:
    real, synthetic = _tables(3, (50, 45))
    target = Target(("month", "kind"), {"month": "infinite"}, Fraction(0))
    found = MarginalDifference(targets=(target,))(real, synthetic, DOMAIN)
    cells = [data.codes[:, 0] * 2 + data.codes[:, 3] for data in (real, synthetic)]
    counts = [np.bincount(each, minlength=6) for each in cells]
    assert found.exact == Fraction(int(np.abs(counts[0] - counts[1]).sum()), 50)


def test_a_budget_gives_a_bracket_that_holds_the_value() -> None:
    rng = np.random.default_rng(5)
    domain = Domain("g", tuple(Attribute(n, tuple("abcd"), ordinal=True) for n in "xyz"))
    real, synthetic = (Dataset(domain, rng.integers(0, 4, (300, 3))) for _ in range(2))
    targets = (Target(("x", "y", "z"), tolerance=Fraction(0)), Target(("x",)))
    exact = MarginalDifference(targets=targets)(real, synthetic, domain)
    found = MarginalDifference(targets=targets, budget_seconds=1e-9)(real, synthetic, domain)
    assert exact.exact is not None and found.exact is None
    assert found.bracket is not None and found.bracket[0] < found.bracket[1]
    assert found.bracket[0] <= exact.exact <= found.bracket[1]
    assert found.value == float(found.bracket[1])
    assert any(text.startswith("not exact") for text in found.stated)


def test_a_cross_check_asks_a_second_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    real, synthetic = _tables(4, (50, 35))
    targets = (TARGETS[3][0],)
    found = MarginalDifference(targets=targets, cross_check=True)(real, synthetic, DOMAIN)
    assert found.exact == MarginalDifference(targets=targets)(real, synthetic, DOMAIN).exact
    assert any("second solver" in text for text in found.stated)
    monkeypatch.setattr(solve, "primal_dual", lambda _: Solution(-1, -1, "other"))
    with pytest.raises(ArithmeticError):
        MarginalDifference(targets=targets, cross_check=True)(real, synthetic, DOMAIN)


def test_a_value_outside_the_domain_is_a_cell_of_its_own() -> None:
    domain = Domain("o", (Attribute("x", tuple("ab"), ordinal=True), Attribute("y", tuple("ab"))))
    real = Records(domain, np.array([[0, 0], [1, 1], [1, 1], [0, 1]]))
    synthetic = Records(domain, np.array([[2, 0], [1, 2], [1, 1], [0, 1]]))
    tolerance = Fraction(0)
    # x: nothing moves to or from what has no place in the order: one removed, one added.
    for target, cost in [
        (Target(("x",), tolerance=tolerance), 2),
        (Target(("y",), {"y": 1}, tolerance), 1),
        (Target(("y",), tolerance=tolerance), 2),
    ]:
        found = MarginalDifference(targets=(target,))(real, synthetic, domain)
        assert found.exact == Fraction(cost, 4)
        cells = found.breakdown("cells")
        assert cells is not None
        assert any("outside the domain" in str(row[1]) for row in cells.rows)


def test_the_breakdowns_add_up_and_the_worst_come_first() -> None:
    real, synthetic = _tables(6, (60, 44))
    targets = tuple(target for target, _ in TARGETS)
    found = MarginalDifference(targets=targets)(real, synthetic, DOMAIN)
    marginals, moving, cells = (found.breakdown(n) for n in ("marginals", "moving", "cells"))
    assert marginals is not None and moving is not None and cells is not None
    scores = [row[1] for row in marginals.rows]
    assert scores == sorted(scores, reverse=True)
    for row in marginals.rows:
        parts = [part[2] for part in moving.rows if part[0] == row[0]]
        assert row[5] == pytest.approx(math.fsum(map(float, parts)))
        assert float(row[5]) + float(row[6]) == pytest.approx(row[1])
    sizes = [abs(float(row[4])) for row in cells.rows]
    assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize(
    "fields",
    [
        {"targets": ()},
        {"targets": ("month",)},
        {"tolerance": 0.5},
        {"tolerance": -1},
        {"most_cells": 0},
        {"budget_seconds": 0},
        {"cross_check": 1},
        {"mode": "compat"},
    ],
)
def test_parameters_out_of_range_are_refused(fields: dict[str, object]) -> None:
    with pytest.raises(InputError):
        MarginalDifference(**fields)


def test_targets_are_checked_against_the_domain() -> None:
    for target in (Target(("year",)), Target(("kind",), {"kind": HALF})):
        with pytest.raises(InputError):
            MarginalDifference(targets=(target,)).check(DOMAIN)


def test_many_values_of_infinite_weight_need_no_room() -> None:
    # 10^12 combinations, of which ten have records.
    names = tuple(str(code) for code in range(1000))
    domain = Domain("w", tuple(Attribute(n, names, ordinal=n == "z") for n in "abcdz"))
    rng = np.random.default_rng(7)
    real, synthetic = (Dataset(domain, rng.integers(0, 1000, (5, 5))) for _ in range(2))
    target = Target(tuple("abcdz"), tolerance=Fraction(0))
    found = MarginalDifference(targets=(target,))(real, synthetic, domain)
    assert found.exact == 2
