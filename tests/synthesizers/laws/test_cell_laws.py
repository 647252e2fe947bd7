"""Laws by cells: what may come out, and draws, against slow versions."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.budget import UNBOUNDED
from synthesizers.errors import TooLargeError
from synthesizers.laws import table_laws
from synthesizers.laws.cell_laws import CellwiseLaw, possible_tables
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.randomness import InsecureSeededEntropy
from tests.synthesizers.brute_force import RELATIONS
from tests.synthesizers.slow_tables import by_cells, far, law_of, require_law


@dataclass(frozen=True, slots=True)
class Doubling(CellwiseLaw):
    """A count stays, doubles or triples: values that overlap between counts."""

    name = "doubling"

    def answers(self, count: int) -> Mapping[int, Fraction]:
        if count == 0:
            return {0: Fraction(1)}
        return {count * k: Fraction(w, 7) for k, w in ((1, 4), (2, 2), (3, 1))}

    def to_json(self) -> dict[str, Any]:
        return {"law": self.name}


@pytest.mark.parametrize(("cells", "size"), [(1, 0), (1, 3), (2, 1), (2, 4), (3, 3), (4, 2)])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
def test_a_law_by_cells_is_a_law(neighbours: Any, cells: int, size: int) -> None:
    require_law(Doubling(), neighbours, cells, size)


@pytest.mark.parametrize("counts", [(0,), (0, 0), (3, 0, 1), (2, 2, 4)])
def test_chances_are_products(counts: tuple[int, ...]) -> None:
    assert law_of(Doubling(), counts) == by_cells(counts, Doubling().answers)


def test_no_finite_bound_is_stated() -> None:
    assert {Doubling().cost(neighbours) for neighbours in RELATIONS} == {UNBOUNDED}


def test_draws_follow_the_law_of_their_count() -> None:
    # 60 000 cells a count; Hoeffding and a union bound, a right sampler fails with probability
    # at most 2 · 10^-10. A chance wrong by more than 0.015 is found.
    counts = np.repeat([0, 2, 5], 60_000)
    drawn = Doubling().sample(counts, InsecureSeededEntropy(11))
    assert drawn.dtype == np.int64 and not drawn[:60_000].any()
    for place, count in ((1, 2), (2, 5)):
        part = drawn[60_000 * place : 60_000 * (place + 1)]
        law = Doubling().answers(count)
        found = [int((part == value).sum()) for value in law]
        assert sum(found) == len(part) and not far(found, list(law.values()))


def test_equal_cells_are_drawn_independently() -> None:
    # 60 000 pairs of cells of one table; as above, with nine values and probability 10^-10.
    drawn = Doubling().sample(np.full(120_000, 1), InsecureSeededEntropy(12)).reshape(2, -1)
    law = Doubling().answers(1)
    pairs = list(itertools.product(law, law))
    found = [int(((drawn[0] == a) & (drawn[1] == b)).sum()) for a, b in pairs]
    assert not far(found, [law[a] * law[b] for a, b in pairs])


@given(
    rows=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=9),
    table=st.lists(st.sets(st.integers(0, 6), min_size=1), min_size=4, max_size=4),
)
def test_possible_tables_against_all_products(
    rows: list[tuple[int, ...]], table: list[set[int]]
) -> None:
    wanted: set[tuple[int, ...]] = set()
    for row in rows:
        wanted |= set(itertools.product(*(table[count] for count in row)))
    found = possible_tables(np.array(rows, np.int64), lambda count: table[count])
    assert found == sorted(wanted)


def test_each_count_is_asked_for_once() -> None:
    asked: list[int] = []
    rows = np.array([[1, 0, 2], [0, 1, 1]], np.int64)
    assert possible_tables(rows, lambda count: asked.append(count) or (count,)) == [
        (0, 1, 1),
        (1, 0, 2),
    ]
    assert sorted(asked) == [0, 1, 2]


def test_too_many_tables_are_refused_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.ones((3, 40), np.int64)
    with pytest.raises(TooLargeError, match="fewer cells or records"):
        possible_tables(rows, lambda count: range(2))
    with monkeypatch.context() as limits:
        limits.setattr(table_laws, "MAX_DATABASES", 7)
        with pytest.raises(TooLargeError, match="1 databases"):
            possible_tables(rows[:1, :3], lambda count: range(2))
    monkeypatch.setattr(table_laws, "MAX_PAIRS", 11)
    few = np.ones((3, 2), np.int64)
    assert len(possible_tables(few[:2], lambda count: range(2))) == 4
    with pytest.raises(TooLargeError, match="3 databases"):
        possible_tables(few, lambda count: range(2))
