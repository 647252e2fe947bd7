"""Views of any sizes and variances: what agrees afterwards, and what does not change."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.errors import InputError
from synthesizers.estimation.consistency import (
    View,
    consistent,
    mean_total,
    settle_views,
    shared_sets,
)
from synthesizers.estimation.negatives import cut_norm, norm_sub

SIZES = {"a": 2, "b": 3, "c": 2, "d": 4}


@st.composite
def noisy_views(draw: st.DrawFn) -> list[View]:
    names = st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True)
    sets = draw(st.lists(names, min_size=1, max_size=5))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    return [
        View(
            tuple(names),
            random.normal(5, 4, [SIZES[name] for name in names]),
            float(random.uniform(0.5, 9)),
        )
        for names in sets
    ]


def projections_agree(views: tuple[View, ...]) -> bool:
    pairs = combinations(views, 2)
    shared = [(p, q, set(p.attributes) & set(q.attributes)) for p, q in pairs]
    return all(np.allclose(p.onto(common), q.onto(common)) for p, q, common in shared)


@given(noisy_views())
def test_all_pairwise_projections_agree(views: list[View]) -> None:
    assert projections_agree(consistent(views))


@given(noisy_views(), st.floats(0, 100))
def test_a_public_total_is_kept(views: list[View], total: float) -> None:
    changed = consistent(views, total)
    assert projections_agree(changed)
    assert all(view.total == pytest.approx(total, abs=1e-6) for view in changed)


@given(noisy_views())
def test_what_is_consistent_stays(views: list[View]) -> None:
    once = consistent(views)
    for before, after in zip(once, consistent(once), strict=True):
        assert np.allclose(before.counts, after.counts)


def test_two_views_by_hand() -> None:
    # Onto b: (4, 6) summing 2 cells of variance 1, and (7, 9) summing 1 cell of variance 4:
    # weights 1/2 and 1/4, so the totals 10 and 16 have weights 1/4 and 1/8: total 12; then
    # b: (5, 7) and (5, 7), as the totals' change is spread evenly.
    first = View(("a", "b"), np.array([[1.0, 2], [3, 4]]))
    second = View(("b",), np.array([7.0, 9]), 4.0)
    changed = consistent([first, second])
    assert changed[1].counts.tolist() == pytest.approx([5, 7])
    assert changed[0].counts.ravel().tolist() == pytest.approx([1.5, 2.5, 3.5, 4.5])
    assert mean_total([first, second]) == pytest.approx(12)


def test_shared_sets_are_closed_and_ascend() -> None:
    sets = (("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a"), ("e",))
    found = ["".join(sorted(names)) for names in shared_sets(sets)]
    assert found == ["", "c", "ac", "bc", "cd"]
    assert shared_sets((("a", "b"), ("b", "a"))) == (frozenset(), frozenset("ab"))


def test_settled_views_have_no_negatives_and_nearly_agree() -> None:
    random = np.random.default_rng(1)
    truth = random.multinomial(500, np.ones(24) / 24).reshape(2, 3, 4).astype(float)
    views = [
        View(("a", "b"), truth.sum(axis=2) + random.normal(0, 30, (2, 3))),
        View(("b", "d"), truth.sum(axis=0) + random.normal(0, 30, (3, 4))),
    ]
    for way in (cut_norm, norm_sub):
        found = settle_views(views, way, 100, 500.0)
        assert all(view.counts.min() >= 0 for view in found)
        assert np.allclose(found[0].onto({"b"}), found[1].onto({"b"}), atol=1)


def test_rounds_go_on_until_hardly_anything_is_negative() -> None:
    # Onto b: (50, -10) and (10, 30), so (30, 10); then norm-sub leaves (25, 15) and (30, 10).
    views = [
        View(("a", "b"), np.array([[50.0, -30], [0, 20]])),
        View(("b", "c"), np.array([[-20.0, 30], [30, 0]])),
    ]
    once = settle_views(views, norm_sub, 1, 40.0)
    assert [view.counts.tolist() for view in once] == [[[25, 0], [0, 15]], [[0, 30], [10, 0]]]
    # Each round leaves a third of the difference; the third finds less than half a record negative.
    for rounds, apart in ((2, 5 / 3), (3, 5 / 9), (100, 5 / 9)):
        left, right = settle_views(views, norm_sub, rounds, 40.0)
        assert left.onto({"b"}) - right.onto({"b"}) == pytest.approx([-apart, apart])


@pytest.mark.parametrize(
    ("names", "shape", "variance"),
    [(("a",), (2, 2), 1.0), (("a", "a"), (2, 2), 1.0), (("a",), (2,), 0.0)],
)
def test_views_that_are_none(
    names: tuple[str, ...], shape: tuple[int, ...], variance: float
) -> None:
    with pytest.raises(InputError):
        View(names, np.zeros(shape), variance)
