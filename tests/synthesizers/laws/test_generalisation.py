"""Generalisation against slow versions over labelled records, and examples by hand."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.attributes import Attribute, Hierarchy
from synthesizers.domain import Domain
from synthesizers.errors import InputError, TooLargeError
from synthesizers.laws import generalisation
from synthesizers.laws.generalisation import (
    NOTHING,
    GlobalRecoding,
    Grouping,
    KAnonymity,
    coarse_counts,
    fitting,
    ladder,
    ladder_of,
    number_groups,
    require_groupings,
)
from synthesizers.neighbours import AddRemove, databases

Ladders = tuple[tuple[Grouping, ...], ...]


def grouped(counts: Sequence[int], groupings: Sequence[Grouping]) -> list[int]:
    """The counts of the coarse cells, record by record."""
    codes = itertools.product(*(range(len(groups)) for groups in groupings))
    records = [code for code, count in zip(codes, counts, strict=True) for _ in range(count)]
    found = Counter(
        tuple(groups[code] for groups, code in zip(groupings, record, strict=True))
        for record in records
    )
    coarse = itertools.product(*(range(max(groups) + 1) for groups in groupings))
    return [found[cell] for cell in coarse]


def k_anonymous(counts: Sequence[int], ladders: Ladders, k: int, suppressed: int) -> list[int]:
    """The definition read aloud: every generalisation is tried, and the best one kept."""
    found = []
    for levels in itertools.product(*(range(len(steps)) for steps in ladders)):
        groups = grouped(counts, [steps[at] for steps, at in zip(ladders, levels, strict=True)])
        kept = [count if count >= k else 0 for count in groups]
        if sum(counts) - sum(kept) <= suppressed:
            shown = sum(count > 0 for count in kept)
            found.append((sum(levels), -shown, levels, kept))
    if not found:
        return [NOTHING] * len(ladders)
    _, _, levels, kept = min(found)
    return [*levels, *kept]


GROUPINGS = [
    ((0, 1, 2, 3),), ((0, 0, 1, 1),), ((0, 1, 1, 0),), ((0, 0, 0, 0),), ((0, 1), (0, 1)),
    ((0, 0), (0, 1)), ((0, 1), (0, 0)), ((0, 0), (0, 0)), ((0,), (0, 0, 1, 0)),
]  # fmt: skip


@pytest.mark.parametrize("groupings", GROUPINGS)
def test_coarse_counts_of_every_small_table(groupings: tuple[Grouping, ...]) -> None:
    law = GlobalRecoding(groupings)
    for row in databases(AddRemove(), 4, 4):
        assert law.image(row).tolist() == grouped(row.tolist(), groupings)


def test_coarse_cells_have_the_last_attribute_fastest() -> None:
    counts = np.arange(12)
    by_hand = [0 + 1 + 6 + 7, 2 + 8, 3 + 4 + 9 + 10, 5 + 11]
    assert coarse_counts(counts, [(0, 0), (0, 1), (0, 0, 1)]).tolist() == by_hand


@given(st.data())
def test_coarse_counts_of_larger_tables(data: Any) -> None:
    shape = data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    groupings = [
        number_groups(data.draw(st.lists(st.integers(0, size - 1), min_size=size, max_size=size)))
        for size in shape
    ]
    size = math.prod(shape)
    counts = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size))
    coarse = coarse_counts(np.array(counts, np.int64), groupings)
    assert coarse.tolist() == grouped(counts, groupings)
    assert coarse.sum() == sum(counts)


TWO = ladder(2, ())
THREE = ladder(3, [(0, 0, 1)])
FOUR = ladder(4, [(0, 0, 1, 1)])


@pytest.mark.parametrize(
    ("ladders", "records"),
    [((TWO,), 5), ((FOUR,), 6), ((ladder(1, ()),), 4), ((TWO, TWO), 6), ((TWO, THREE), 4),
     ((TWO, TWO, TWO), 3)],
)  # fmt: skip
@pytest.mark.parametrize(("k", "suppressed"), [(1, 0), (2, 0), (3, 0), (2, 1), (3, 2), (4, 9)])
def test_k_anonymity_of_every_small_table(
    ladders: Ladders, records: int, k: int, suppressed: int
) -> None:
    law = KAnonymity(ladders, k, suppressed)
    cells = math.prod(len(steps[0]) for steps in ladders)
    for row in databases(AddRemove(), cells, records):
        wanted = k_anonymous(row.tolist(), ladders, k, suppressed)
        assert law.image(row).tolist() == wanted


@given(st.data())
def test_k_anonymity_of_larger_tables(data: Any) -> None:
    ladders = (data.draw(st.sampled_from([FOUR, THREE])), THREE, TWO)
    cells = math.prod(len(steps[0]) for steps in ladders)
    counts = data.draw(st.lists(st.integers(0, 6), min_size=cells, max_size=cells))
    k, suppressed = data.draw(st.integers(1, 7)), data.draw(st.integers(0, 12))
    shown = KAnonymity(ladders, k, suppressed).image(np.array(counts)).tolist()
    assert shown == k_anonymous(counts, ladders, k, suppressed)
    if NOTHING not in shown:
        groups = shown[3:]
        assert all(count == 0 or count >= k for count in groups)
        assert 0 <= sum(counts) - sum(groups) <= suppressed


@pytest.mark.parametrize(
    ("ladders", "k", "suppressed", "counts", "shown"),
    [
        # Good enough as it is.
        ((FOUR,), 2, 0, (2, 0, 3, 2), (0, 2, 0, 3, 2)),
        # One step up: 1 + 2 and 3 + 0.
        ((FOUR,), 2, 0, (1, 2, 3, 0), (1, 3, 3)),
        # Two steps up: 1 + 0 would be too few.
        ((FOUR,), 2, 0, (1, 0, 3, 0), (2, 4)),
        # Not even all together.
        ((FOUR,), 2, 0, (0, 0, 1, 0), (NOTHING,)),
        # One record may go.
        ((FOUR,), 2, 1, (1, 0, 3, 0), (0, 0, 0, 3, 0)),
        ((FOUR,), 2, 1, (0, 0, 1, 0), (0, 0, 0, 0, 0)),
        # No record: nothing to protect.
        ((FOUR,), 2, 0, (0, 0, 0, 0), (0, 0, 0, 0, 0)),
        # One attribute has to give way: the first, the second.
        ((TWO, TWO), 2, 0, (1, 0, 1, 0), (1, 0, 2, 0)),
        ((TWO, TWO), 2, 0, (1, 1, 0, 0), (0, 1, 2, 0)),
        # Either would do with one record left out: one shows one group, the other two.
        ((TWO, TWO), 3, 1, (2, 1, 3, 0), (0, 1, 3, 3)),
        ((TWO, TWO), 3, 1, (2, 3, 1, 0), (1, 0, 3, 3)),
        # Either would do, and shows two groups: the first attribute stays as it is.
        ((TWO, TWO), 2, 0, (1, 1, 1, 1), (0, 1, 2, 2)),
    ],
)  # fmt: skip
def test_k_anonymity_by_hand(
    ladders: Ladders, k: int, suppressed: int, counts: tuple[int, ...], shown: tuple[int, ...]
) -> None:
    assert tuple(KAnonymity(ladders, k, suppressed).image(np.array(counts)).tolist()) == shown


def test_groups_are_numbered_by_their_first_code() -> None:
    assert number_groups(("b", "a", "b", "c")) == (0, 1, 0, 2)
    assert number_groups(()) == ()


@pytest.mark.parametrize(
    ("levels", "wanted"),
    [
        ((), ((0, 1, 2), (0, 0, 0))),
        ((("a", "a", "b"),), ((0, 1, 2), (0, 0, 1), (0, 0, 0))),
        # A hierarchy that begins with the values themselves and ends in one group.
        ((("x", "y", "z"), ("a", "a", "b"), ("*", "*", "*")), ((0, 1, 2), (0, 0, 1), (0, 0, 0))),
        ((("*", "*", "*"),), ((0, 1, 2), (0, 0, 0))),
        ((("x", "y", "z"),), ((0, 1, 2), (0, 0, 0))),
    ],
)
def test_a_ladder_has_both_ends(levels: Any, wanted: tuple[Grouping, ...]) -> None:
    assert ladder(3, levels) == wanted


def test_the_ladder_of_an_attribute_is_its_hierarchy() -> None:
    city = Attribute("city", ("Paris", "Lyon", "Rome"), missing=True)
    sex = Attribute("sex", ("f", "m"))
    one = Attribute("one", ("only",))
    levels = (("Paris", "Lyon", "Rome", "?"), ("FR", "FR", "IT", "?"))
    domain = Domain("d", (sex, city, one), (Hierarchy("city", levels),))
    assert ladder_of(domain, "city") == ((0, 1, 2, 3), (0, 0, 1, 2), (0, 0, 0, 0))
    assert ladder_of(domain, "sex") == ((0, 1), (0, 0))
    assert ladder_of(domain, "one") == ((0,),)
    with pytest.raises(InputError, match="no attribute"):
        ladder_of(domain, "town")


@pytest.mark.parametrize(
    ("groupings", "words"),
    [
        ([], "at least one attribute"),
        ([()], "one whole number a value"),
        ([(0, 1), (1, 0)], "write 0,1, not 1,0"),
        ([(0, 2, 1)], "write 0,1,2, not 0,2,1"),
        ([(0, "a")], "one whole number a value"),
        ([(False, 1)], "one whole number a value"),
    ],
)
def test_groups_that_would_reorder_a_table_are_refused(groupings: Any, words: str) -> None:
    for make in (require_groupings, lambda found: GlobalRecoding(tuple(found))):
        with pytest.raises(InputError, match=words):
            make(groupings)
    with pytest.raises(InputError, match=words):
        KAnonymity((groupings,), 2)


def test_groups_fit_their_attribute() -> None:
    attribute = Attribute("age", ("young", "old"), missing=True)
    assert fitting((0, 0, 1), attribute) == (0, 0, 1)
    with pytest.raises(InputError, match="2 numbers and attribute 'age' has 3"):
        fitting((0, 1), attribute)


@pytest.mark.parametrize(
    ("ladders", "k", "suppressed", "words"),
    [
        ((TWO,), 0, 0, "k >= 1"),
        ((TWO,), -1, 0, "nonnegative"),
        ((TWO,), 2, -1, "nonnegative"),
        ((TWO,), 2.0, 0, "nonnegative integer"),
        ((), 2, 0, "at least one attribute"),
        ((TWO,) * 14, 2, 0, "16384 generalisations"),
    ],
)
def test_parameters_are_checked(ladders: Any, k: Any, suppressed: Any, words: str) -> None:
    with pytest.raises(InputError, match=words) as raised:
        KAnonymity(ladders, k, suppressed)
    assert isinstance(raised.value, TooLargeError) == ("16384" in words)


def test_too_many_trials_of_an_enumeration(monkeypatch: pytest.MonkeyPatch) -> None:
    law = KAnonymity((TWO, THREE), 2)
    rows = databases(AddRemove(), 6, 1)
    monkeypatch.setattr(generalisation, "MAX_TRIALS", 42)
    assert len(rows) == 7 and law.outcomes(rows) == [(-1, -1), (0, 0, 0, 0, 0, 0, 0, 0)]
    monkeypatch.setattr(generalisation, "MAX_TRIALS", 41)
    with pytest.raises(TooLargeError, match="7 databases of 6 generalisations"):
        law.outcomes(rows)


def test_a_table_of_another_shape_is_refused() -> None:
    with pytest.raises(InputError, match="4 cells"):
        KAnonymity((TWO, TWO), 2).image(np.zeros(3, np.int64))
