"""Junction trees: they cover the sets, and an attribute's cliques are connected."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from synthesizers.estimation.junction_trees import junction_tree, model_cells

NAMES = ("a", "b", "c", "d", "e", "f")
SHAPE = dict(zip(NAMES, (2, 3, 5, 2, 4, 3), strict=True))
sets_of_names = st.lists(st.sets(st.sampled_from(NAMES), min_size=1, max_size=3), max_size=7)


@given(sets_of_names)
def test_it_is_a_junction_tree(sets: list[set[str]]) -> None:
    tree = junction_tree(SHAPE, sets)
    assert tree.parents[0] == -1
    assert set().union(*tree.cliques) == set(NAMES)
    for wanted in sets:
        assert tree.holding(wanted) is not None
    for number, (clique, shared) in enumerate(zip(tree.cliques, tree.separators, strict=True)):
        assert clique == tuple(name for name in NAMES if name in clique)
        if number:
            parent = tree.parents[number]
            assert 0 <= parent < number
            assert set(shared) == set(clique) & set(tree.cliques[parent])
            # Running intersection: whatever came before is shared with the parent.
            earlier = set().union(*tree.cliques[:number])
            assert set(clique) & earlier == set(shared)
    for one, other in combinations(tree.cliques, 2):
        assert not set(one) <= set(other) and not set(other) <= set(one)


def test_a_chain_is_kept_as_it_is() -> None:
    tree = junction_tree(SHAPE, [("a", "b"), ("b", "c"), ("c", "d")])
    assert {("a", "b"), ("b", "c"), ("c", "d"), ("e",), ("f",)} == set(tree.cliques)
    assert model_cells(SHAPE, [("a", "b"), ("b", "c"), ("c", "d")]) == 6 + 15 + 10 + 4 + 3


def test_a_cycle_is_cut_by_its_cheapest_attribute() -> None:
    # a-b-c-d-a: eliminating a joins b and d (2·3·2 cells) and leaves b-c-d (3·5·2).
    cells = model_cells(SHAPE, [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    assert cells == 12 + 30 + 4 + 3
