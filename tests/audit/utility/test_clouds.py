"""Clouds: axes and window are public, distances are those of scipy and of brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import kolmogorov
from scipy.stats import ks_2samp

from audit.utility.clouds import (
    BINS,
    CRITICAL,
    TAIL,
    Clouds,
    distance_across,
    distance_along,
    project_tables,
    share_outside,
)
from audit.utility.principal_axes import find_axes
from audit.utility.records import Records
from synthesizers.domain import Attribute, Domain
from tests.audit.utility.mixed_tables import records

NEAR, FAR = records(2, 500), records(3, 300, shift=1.0)


def clouds(real: Records, public: dict[str, Records] | None = None) -> Clouds:
    return project_tables(real, {"near": NEAR, "far": FAR}, public)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 1000), count=st.integers(1, 80), shift=st.floats(-2, 2))
def test_axes_and_window_do_not_move_with_the_confidential_table(
    seed: int, count: int, shift: float
) -> None:
    first, second = clouds(records(0, 60)), clouds(records(seed, count, shift=shift))
    assert np.array_equal(first.axes.loadings, second.axes.loadings)
    assert np.array_equal(first.axes.shares, second.axes.shares)
    assert np.array_equal(first.edges, second.edges)
    for name, weights in first.axes.weights.items():
        assert np.array_equal(weights, second.axes.weights[name])


def test_a_public_table_gives_the_axes_where_there_is_one() -> None:
    public = records(9, 200)
    found = clouds(records(1, 400), public={"public": public})
    assert found.public == ("public",)
    assert np.array_equal(found.axes.loadings, find_axes([public]).loadings)
    assert clouds(records(1, 400)).public == ("near", "far")


def test_distances_on_axes_are_those_of_kolmogorov_and_smirnov() -> None:
    real = records(1, 400)
    found = clouds(real)
    for name, table in (("near", NEAR), ("far", FAR)):
        pairs = zip(found.axes.places(real), found.axes.places(table), strict=True)
        expected = [ks_2samp(*both, method="asymp").statistic for both in pairs]
        np.testing.assert_allclose(found.distances[name].along, expected, rtol=1e-12)
    assert found.distances["far"].along.max() > 3 * found.distances["near"].along.max()
    assert kolmogorov(CRITICAL) == pytest.approx(0.05, abs=1e-5)


def test_chance_is_stated_along_axes_of_a_further_table_alone() -> None:
    # 20 triples of tables of one law: 100 distances, of which 5 are to be beyond the level. 20
    # or more would be with a chance of 0.003, if the 5 of a triple were of one accord.
    domain = Domain("even", tuple(Attribute(f"a{k}", tuple("wxyz")) for k in range(24)))
    random = np.random.default_rng(0)
    beyond, own = [], []
    for _ in range(20):
        tables = [Records(domain, random.integers(4, size=(500, 24))) for _ in range(3)]
        apart = project_tables(tables[0], {"s": tables[1]}, {"p": tables[2]}).distances["s"]
        assert apart.chance == pytest.approx(CRITICAL * math.sqrt(2 / 500))
        beyond += list(apart.along >= apart.chance)
        itself = project_tables(tables[0], {"s": tables[1]}).distances["s"]
        assert itself.chance is None
        own += list(itself.along >= apart.chance)
    assert np.mean(beyond) < 0.2 < 0.6 < np.mean(own)
    for public in (tables[0], tables[1]):
        again = project_tables(tables[0], {"s": tables[1]}, {"p": public})
        assert again.distances["s"].chance is None


def test_a_table_is_at_no_distance_from_itself_and_two_points_are_apart_by_one() -> None:
    found = project_tables(NEAR, {"copy": NEAR})
    assert not found.distances["copy"].along.any() and not found.distances["copy"].across.any()
    assert distance_along(np.array([0.0]), np.array([1.0])) == 1
    one = np.array([[1, 0], [0, 0]])
    assert distance_across(one, one.T[::-1]) == 1
    # The shares along each axis are equal here: the quadrants alone tell them apart.
    diagonal = np.array([[5, 0], [0, 5]])
    assert distance_across(diagonal, diagonal[::-1]) == 0.5


def test_records_at_one_place_are_not_told_apart_by_rounding() -> None:
    # Of attributes that are exchangeable in the public table each adds the same to the first axis.
    domain = Domain("alike", tuple(Attribute(f"a{k}", ("0", "1"), ordinal=True) for k in range(5)))
    cells = list(itertools.product((0, 1), repeat=5)) + 10 * [(0,) * 5, (1,) * 5]
    public = {"p": Records(domain, np.array(cells))}
    first, *others = (Records(domain, np.eye(5, dtype=np.int64)[[k] * 9]) for k in range(5))
    for other in others:
        found = project_tables(first, {"s": other}, public).distances["s"]
        assert found.along[0] == 0 and found.along[1:].max() == 1


def test_the_distance_over_quadrants_by_brute_force() -> None:
    random = np.random.default_rng(0)
    ranges = [(0, k) for k in range(1, 5)] + [(k, 4) for k in range(4)]
    for first, second in random.integers(9, size=(20, 2, 4, 4)):
        apart = first / first.sum() - second / second.sum()
        expected = max(abs(apart[a:b, c:d].sum()) for a, b in ranges for c, d in ranges)
        assert distance_across(first, second) == pytest.approx(expected)


def test_every_record_is_in_a_bin_and_few_public_ones_beyond_the_window() -> None:
    real = records(1, 400, shift=-2.0)
    found = clouds(real)
    assert len(found.pairs) == 10
    for table, held in ((real, found.real), (NEAR, found.synthetic["near"])):
        places = found.axes.places(table)
        for pair, (a, b) in enumerate(found.pairs):
            counts, x, y = held[pair], places[a], places[b]
            assert counts.shape == (BINS + 2, BINS + 2) and counts.sum() == table.records
            inside = (
                (found.edges[a][0] <= x)
                & (x < found.edges[a][-1])
                & (found.edges[b][0] <= y)
                & (y < found.edges[b][-1])
            )
            assert share_outside(counts) == pytest.approx(1 - inside.mean())
            drawn, _, _ = np.histogram2d(x, y, [found.edges[a], found.edges[b]])
            assert np.array_equal(counts[1:-1, 1:-1], drawn)
    assert all(share_outside(counts) <= 4 * TAIL for counts in found.synthetic["near"])
    young = NEAR.take(np.flatnonzero(NEAR.numbers("age") < 30))
    narrow = clouds(real, public={"young": young})
    assert max(share_outside(counts) for counts in narrow.synthetic["far"]) > 4 * TAIL


def test_one_axis_has_distances_and_no_pair_and_none_has_nothing() -> None:
    domain = Domain("one", (Attribute("n", ("1", "2", "3"), ordinal=True),))
    several, constant = (Records(domain, np.array(codes)) for codes in ([[0], [1], [2]], [[1]]))
    found = project_tables(constant, {"s": several})
    assert found.pairs == () and len(found.distances["s"].along) == 1
    none = project_tables(several, {"s": constant})
    assert len(none.axes) == 0 and len(none.distances["s"].along) == 0


def test_other_names_for_files() -> None:
    found = clouds(records(1, 50)).rename({"near": "n", "far": "f"})
    assert list(found.synthetic) == ["n", "f"] and list(found.distances) == ["n", "f"]
    assert found.public == ("n", "f")
