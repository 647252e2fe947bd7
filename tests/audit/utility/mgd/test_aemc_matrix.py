from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audit.utility.mgd import matrix as module
from audit.utility.mgd.marginal_difference import MarginalDifference
from audit.utility.mgd.target import Target
from audit.utility.records import Records
from audit.utility.score import Score
from synthesizers.domain import Attribute, Dataset, Domain
from synthesizers.errors import InputError, TooLargeError
from tests.audit.utility.mgd.exact_plans import least_cost

DOMAIN = Domain("d", (Attribute("a", tuple("xy")), Attribute("b", tuple("uvw"), ordinal=True)))
LINE = Domain("l", (Attribute("c", tuple("xyz")),))


def _table(domain: Domain, counts: list[int]) -> Dataset:
    """So many records of each cell, the cells in the domain's order."""
    cells = np.indices(domain.shape).reshape(len(domain.shape), -1).T
    return Dataset(domain, np.repeat(cells, counts, axis=0))


def _score(rows: Any, real: list[int], synthetic: list[int], tolerance: Fraction) -> Score:
    target = Target(("c",), tolerance=tolerance, distances=rows)
    return MarginalDifference(targets=(target,))(_table(LINE, real), _table(LINE, synthetic), LINE)


@st.composite
def _matrices(draw: st.DrawFn, cells: int) -> list[list[Any]]:
    entry = st.one_of(st.just("infinite"), st.fractions(0, 3, max_denominator=6), st.integers(0, 1))
    return [[0 if i == j else draw(entry) for j in range(cells)] for i in range(cells)]


def _expected(
    rows: list[list[Any]], real: list[int], synthetic: list[int], tolerance: Fraction
) -> Fraction:
    unit, scale = 60, tolerance.denominator
    distances = {
        (i, j): int(entry * unit)
        for i, row in enumerate(rows)
        for j, entry in enumerate(row)
        if entry != "infinite"
    }
    tables = [[count * scale for count in table] for table in (synthetic, real)]
    cost = least_cost(distances, tables[0], tables[1], int(tolerance * scale), unit)
    return Fraction(cost, unit * scale * sum(real))


_COUNTS = st.lists(st.integers(0, 9), min_size=6, max_size=6).filter(any)


@given(_matrices(6), _COUNTS, _COUNTS, st.fractions(0, 4, max_denominator=3), st.booleans())
@settings(max_examples=60, deadline=None)
def test_any_matrix_is_solved_exactly_and_shared_out(
    rows: list[list[Any]],
    real: list[int],
    synthetic: list[int],
    tolerance: Fraction,
    turned: bool,
) -> None:
    order = np.arange(6).reshape(2, 3)
    # The cells of b × a, in the order of a × b.
    places = (order.T if turned else order).ravel().tolist()
    target = Target(
        ("b", "a") if turned else ("a", "b"),
        tolerance=tolerance,
        distances=[[rows[i][j] for j in places] for i in places],
    )
    found = MarginalDifference(targets=(target,))(
        _table(DOMAIN, real), _table(DOMAIN, synthetic), DOMAIN
    )
    assert found.exact == _expected(rows, real, synthetic, tolerance)
    marginals, moving = found.breakdown("marginals"), found.breakdown("moving")
    assert marginals is not None and moving is not None
    ((_, value, _, _, _, moved, added, _),) = marginals.rows
    assert float(moved or 0) + float(added or 0) == pytest.approx(value)
    assert moving.rows == ((target.label, "a × b", moved),)


def test_a_way_round_may_be_cheaper_than_the_direct_one_and_is_not_taken() -> None:
    # From the first cell to the last: 1 directly, 1/10 + 1/10 over the middle one, which no
    # single record is moved along. One way only: the matrix is not symmetric.
    tenth = Fraction(1, 10)
    rows = [[0, tenth, 1], ["infinite", 0, tenth], ["infinite", "infinite", 0]]
    assert _score(rows, [0, 0, 1], [1, 0, 0], Fraction(0)).exact == 1
    assert _score(rows, [1, 0, 0], [0, 0, 1], Fraction(0)).exact == 2


def test_the_distances_of_a_line_give_what_its_weight_does() -> None:
    domain = Domain("o", (Attribute("c", tuple("xyz"), ordinal=True),))
    rows = tuple(tuple(Fraction(abs(i - j), 2) for j in range(3)) for i in range(3))
    tables = _table(domain, [5, 0, 7]), _table(domain, [1, 9, 0])
    scores = [
        MarginalDifference(targets=(target,))(*tables, domain).exact
        for target in (Target(("c",)), Target(("c",), distances=rows))
    ]
    assert scores[0] == scores[1]


def test_nothing_moves_to_or_from_a_value_outside_the_domain() -> None:
    real, synthetic = (Records(DOMAIN, np.array([[0, b]])) for b in (0, 3))
    free = tuple((Fraction(0),) * 6 for _ in range(6))
    target = Target(("a", "b"), tolerance=Fraction(0), distances=free)
    assert MarginalDifference(targets=(target,))(real, synthetic, DOMAIN).exact == 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1]], "square"),
        ([[0, 1], [1]], "square"),
        ([], "matrix"),
        ("much", "matrix"),
        (["01", "10"], "square"),
        ([[0, 0.5], [1, 0]], "exact"),
        ([[0, True], [1, 0]], "exact"),
        ([[0, -1], [1, 0]], "0 or more"),
        ([[1, 1], [1, 0]], "diagonal"),
        ([["infinite", 1], [1, 0]], "diagonal"),
    ],
)
def test_what_is_no_distance_matrix_is_refused(rows: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"the marginal a: the distance matrix.*{message}"):
        Target(("a",), distances=rows)


def test_weights_and_distances_together_are_refused() -> None:
    with pytest.raises(InputError, match="the marginal a has weights and distances"):
        Target(("a",), {"a": Fraction(1)}, distances=((Fraction(0),),))


def test_a_matrix_of_another_size_is_refused() -> None:
    target = Target(("a", "b"), distances=((Fraction(0),),))
    with pytest.raises(InputError, match="a × b has 6 cells and its distance matrix 1 rows"):
        MarginalDifference(targets=(target,)).check(DOMAIN)


def test_what_is_too_large_is_refused_by_the_name_of_the_marginal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(module, "MOST_PAIRS", 3)
        with pytest.raises(TooLargeError, match=r"the marginal c.*2 cells"):
            Target(("c",), distances=((Fraction(0),) * 2,) * 2)
    huge = Fraction(1, 2**61 - 1)
    rows = [[0, huge, 1], [huge, 0, Fraction(1, 3)], [1, 1, 0]]
    with pytest.raises(TooLargeError, match="the marginal c: the distance matrix"):
        _score(rows, [1, 2, 3], [3, 2, 1], Fraction(0))
