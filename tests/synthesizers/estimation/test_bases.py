"""Bases of itemsets: cliques, what is covered, variances, counts from bins."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthesizers.domain import Domain
from synthesizers.estimation.bases import (
    Bins,
    bases_of,
    bins_summed,
    estimate_counts,
    grouping,
    groups_of,
    maximal_cliques,
)

BINARY = [(f"a{k}", 1) for k in range(1, 9)]
PAIRS = st.sets(st.sampled_from(list(combinations(BINARY, 2))))


def test_the_largest_cliques_of_the_outline() -> None:
    # The frequent itemsets of Li, Zhang & Wang 2021, section 3.1: abc, bd, ce, abg, gh.
    def pair(text: str) -> tuple[tuple[str, int], tuple[str, int]]:
        return (text[0], 1), (text[1], 1)

    pairs = [pair(text) for text in ("ab", "ac", "bc", "bd", "ce", "ag", "bg", "gh")]
    found = {"".join(sorted(name for name, _ in clique)) for clique in maximal_cliques(pairs)}
    assert found == {"abc", "bd", "ce", "abg", "gh"}


@given(PAIRS)
def test_cliques_are_those_of_all_subsets(pairs: set[tuple[tuple[str, int], ...]]) -> None:
    joined = {frozenset(pair) for pair in pairs}
    cliques = [
        frozenset(chosen)
        for size in range(2, 9)
        for chosen in combinations(BINARY, size)
        if all(frozenset(two) in joined for two in combinations(chosen, 2))
    ]
    largest = {clique for clique in cliques if not any(clique < other for other in cliques)}
    found = maximal_cliques(sorted(pairs))
    assert set(found) == largest and len(found) == len(largest)


@settings(deadline=None, max_examples=40)
@given(PAIRS, st.integers(2, 5))
def test_every_item_and_pair_is_in_a_basis(
    pairs: set[tuple[tuple[str, int], ...]], longest: int
) -> None:
    bases = bases_of(BINARY, sorted(pairs), longest)
    for target in [{item} for item in BINARY] + [set(pair) for pair in pairs]:
        assert any(target <= basis for basis in bases)
    assert all(0 < len(basis) <= longest for basis in bases)
    assert bases == bases_of(BINARY, sorted(pairs), longest)


def test_bases_are_merged_where_that_lowers_the_variance() -> None:
    # Two single items: apart 4·1 each, together 1·2 each.
    assert bases_of(BINARY[:2], [], 2) == [frozenset(BINARY[:2])]
    # Six items by threes: apart 4·4, together 1·32.
    six = bases_of(BINARY[:6], [], 12)
    assert sorted(map(len, six)) == [3, 3]
    # Three items of which two fit: {1, 2} has 4·2, {3} has 4·1.
    assert sorted(map(len, bases_of(BINARY[:3], [], 2))) == [1, 2]


def test_loose_items_go_to_other_bases_where_that_is_better() -> None:
    # Cliques 123 and 456, and 78: means (6·36 + 6·18 + 2·18)/14 = 25.7 apart, and dissolved
    # (8·32 + 6·16)/14 = 25.1; five items would be too many.
    pairs = [*combinations(BINARY[:3], 2), *combinations(BINARY[3:6], 2)]
    found = bases_of(BINARY, pairs, 4)
    assert sorted(map(len, found)) == [4, 4]
    # Where there is room for three only, they stay.
    assert sorted(map(len, bases_of(BINARY, pairs, 3))) == [2, 3, 3]


def test_a_clique_too_long_for_one_basis_is_covered_pair_by_pair() -> None:
    # Two pairs of items: (4·8 + 2·4)/6 apart and together, so that they stay apart.
    two = bases_of(BINARY[:4], [(BINARY[0], BINARY[1]), (BINARY[2], BINARY[3])], 12)
    assert sorted(map(len, two)) == [2, 2]
    clique = list(combinations(BINARY, 2))
    bases = bases_of(BINARY, clique, 4)
    assert all(any(set(pair) <= basis for basis in bases) for pair in clique)


def test_bins_of_one_attribute_exclude_each_other() -> None:
    basis = frozenset([("a", 0), ("a", 2), ("b", 1)])
    assert bins_summed(basis, frozenset([("b", 1)])) == 3
    assert bins_summed(basis, frozenset([("a", 0)])) == 2
    assert bins_summed(basis, frozenset([("a", 0), ("b", 1)])) == 1


def test_itemsets_are_sums_of_bins() -> None:
    # Axis a: codes 0, 2, others; axis b: code 1, others.
    counts = np.array([[5.0, 1], [2, 7], [3, 4]])
    bins = Bins(("a", "b"), ((0, 2), (1,)), counts)
    found = {tuple(sorted(itemset)): (count, summed) for itemset, count, summed in bins.itemsets()}
    assert found == {
        (("a", 0),): (6, 2),
        (("a", 2),): (9, 2),
        (("b", 1),): (10, 3),
        (("a", 0), ("b", 1)): (5, 1),
        (("a", 2), ("b", 1)): (2, 1),
    }


def test_counts_of_several_bases_are_weighed_by_their_bins() -> None:
    alone = Bins(("b",), ((1,),), np.array([14.0, 0]))
    both = Bins(("a", "b"), ((0, 2), (1,)), np.array([[5.0, 1], [2, 7], [3, 4]]))
    found = estimate_counts([both, alone])
    # 10 of three bins, 14 of one.
    assert found[frozenset([("b", 1)])] == pytest.approx((10 / 3 + 14) / (1 / 3 + 1))
    assert found[frozenset([("a", 0)])] == 6


def test_groups_follow_the_domain() -> None:
    domain = Domain.from_cells("2x3")
    basis = frozenset([("a2", 2), ("a2", 0), ("a1", 1)])
    assert grouping(domain, basis) == {"a1": (1,), "a2": (0, 2)}
    assert groups_of(3, (0, 2)) == (0, 2, 1)
    assert groups_of(2, (0, 1)) == (0, 1)
