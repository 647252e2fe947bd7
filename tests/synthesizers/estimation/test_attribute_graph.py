"""PrivMRF's structure: the search of a graph, the networks in its cliques, the candidates."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from synthesizers.estimation.attribute_graph import (
    MOST_ATTRIBUTES,
    candidates,
    cells,
    initial_marginals,
    search_cliques,
)
from synthesizers.estimation.junction_trees import maximal_cliques

FOUR = {"a": 2, "b": 3, "c": 4, "d": 5}


def _between(**pairs: float) -> dict[frozenset[str], float]:
    """Dependence of all pairs of a, b, c, d; 0 where not given, as in ab=0.5."""
    found = {frozenset(pair): 0.0 for pair in combinations(FOUR, 2)}
    return found | {frozenset(name): value for name, value in pairs.items()}


def test_edges_that_gain_nothing_are_left_out() -> None:
    dependence = _between(ab=0.5, cd=0.3, bc=-0.1)
    assert search_cliques(FOUR, dependence, 1000, 1000) == [("a", "b"), ("c", "d")]


def test_a_penalty_a_cell_is_paid() -> None:
    # {a, b} has 6 cells in place of 2 + 3: one cell more costs 1e-7.
    assert search_cliques(FOUR, _between(ab=0.9e-7), 1000, 1000) == [("a",), ("b",), ("c",), ("d",)]
    found = search_cliques(FOUR, _between(ab=1.1e-7), 1000, 1000)
    assert found == [("a", "b"), ("c",), ("d",)]


def test_cliques_and_models_stay_within_their_limits() -> None:
    dependence = _between(ab=0.5, bc=0.4, ac=0.3)
    assert search_cliques(FOUR, dependence, 24, 1000) == [("a", "b", "c"), ("d",)]
    # 24 cells are one too many, so that the weakest edge is given up.
    assert search_cliques(FOUR, dependence, 23, 1000) == [("a", "b"), ("b", "c"), ("d",)]
    # {a, b}, {b, c}, {d} are 6 + 12 + 5 cells; with 22 in all, {a, b}, {a, c} are left, of 6 + 8.
    assert search_cliques(FOUR, dependence, 23, 23) == [("a", "b"), ("b", "c"), ("d",)]
    assert search_cliques(FOUR, dependence, 23, 22) == [("a", "b"), ("a", "c"), ("d",)]


def test_triangulation_counts_what_it_joins() -> None:
    # A ring of four is triangulated by one chord, whose dependence counts too: -1 forbids both.
    ring = _between(ab=0.4, bc=0.4, cd=0.4, ad=0.4, ac=-1, bd=-1)
    found = search_cliques(FOUR, ring, 1000, 1000)
    assert len(found) == 3 and all(len(clique) == 2 for clique in found)


@given(st.data())
def test_the_graph_is_triangulated_and_small(data: st.DataObject) -> None:
    names = "abcdef"[: data.draw(st.integers(2, 6))]
    shape = {name: data.draw(st.integers(2, 6)) for name in names}
    pairs = [frozenset(pair) for pair in combinations(names, 2)]
    dependence = {pair: data.draw(st.floats(-0.2, 1)) for pair in pairs}
    most, all_of_them = data.draw(st.integers(6, 400)), data.draw(st.integers(40, 2000))
    found = search_cliques(shape, dependence, most, all_of_them)
    assert {name for clique in found for name in clique} == set(shape)
    assert max(cells(shape, clique) for clique in found) <= most
    assert sum(cells(shape, clique) for clique in found) <= all_of_them
    again = maximal_cliques(shape, found)
    assert sorted(map(sorted, again)) == sorted(map(sorted, found))


def test_first_marginals_by_hand() -> None:
    # a hangs most on the others: 0.5 + 0.4 + 0.1. Families: b|a 0.5, c|a 0.4 (with b too
    # 0.6/√(2 + 0.5) = 0.379), d|a 0.1, d|c 0.3; with a and c 0.4/√2.4 = 0.258, below 0.3.
    dependence = _between(ab=0.5, ac=0.4, bc=0.2, ad=0.1, cd=0.3)
    assert initial_marginals(FOUR, [("a", "b", "c", "d")], dependence, 1000) == [
        ("a", "b"), ("a", "c"), ("c", "d")
    ]  # fmt: skip


def test_what_hangs_most_on_the_others_is_placed_first() -> None:
    # c first: a|c 0.5, then b|c 0.4, which a as a second parent would lower to 0.4/√2.5.
    dependence = _between(ac=0.5, bc=0.4)
    found = initial_marginals(FOUR, [("a", "b", "c"), ("d",)], dependence, 24)
    assert found == [("a", "c"), ("b", "c"), ("d",)]


def test_children_of_two_parents() -> None:
    # c is first; d|c 0.6; b|c,d: 1.0/√(2 + 0.6) = 0.62 against 0.5 of either.
    dependence = _between(cd=0.6, bc=0.5, bd=0.5)
    found = initial_marginals(FOUR, [("b", "c", "d"), ("a",)], dependence, 60)
    assert found == [("a",), ("b", "c", "d")]
    found = initial_marginals(FOUR, [("b", "c", "d"), ("a",)], dependence, 59)
    assert found == [("a",), ("b", "c"), ("c", "d")]


def test_pairs_too_large_to_be_useful_leave_single_attributes() -> None:
    dependence = _between(ab=0.5, cd=0.3)
    cliques = [("a", "b"), ("c", "d")]
    assert initial_marginals(FOUR, cliques, dependence, 6) == [("a", "b"), ("c",), ("d",)]
    assert initial_marginals(FOUR, cliques, dependence, 5) == [("a",), ("b",), ("c",), ("d",)]


def test_candidates_are_the_useful_sets_of_each_clique() -> None:
    found = candidates(FOUR, [("a", "b", "c"), ("d",)], [("a", "b")], 12)
    # Of the first clique: a, b, c, ab, ac, bc (12 cells), and not abc; 9/6 each. d alone: 1.
    assert found == {("a",): 1.5, ("b",): 1.5, ("c",): 1.5, ("a", "c"): 1.5, ("b", "c"): 1.5,
                     ("d",): 1.0}  # fmt: skip
    both = candidates(FOUR, [("a", "b"), ("b", "c")], [], 100)
    assert both[("b",)] == 2 * 4 / 3 and both[("a", "b")] == 4 / 3


def test_candidates_have_few_attributes() -> None:
    shape = {f"x{k}": 2 for k in range(8)}
    found = candidates(shape, [tuple(shape)], [], 10**6)
    assert max(map(len, found)) == MOST_ATTRIBUTES
    assert len(found) == sum(len(list(combinations(shape, k))) for k in range(1, 7))
