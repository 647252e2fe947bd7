"""PrivMRF's structure: a graph of dependent attributes, and which marginals to measure in it.

Source: Cai, Lei, Wei & Xiao 2021, Data Synthesis via Differentially Private Markov Random Fields.
Everything here is a function of noisy dependences, total variation from independence by pair.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from synthesizers.estimation.junction_trees import maximal_cliques
from synthesizers.estimation.models import Shape

Names = tuple[str, ...]
Pair = frozenset[str]

PENALTY = 1e-7
"""What a cell of the model costs, in units of dependence (the published code, for census data)."""

MOST_ATTRIBUTES = 6
"""The most attributes of a measured marginal (the published code)."""


def search_cliques(
    shape: Shape, dependence: Mapping[Pair, float], clique_cells: int, model_cells: int
) -> list[Names]:
    """The maximal cliques of a graph found by local search, its triangulation included.

    From no edges, the edge is added that makes the summed dependence of all joined pairs, less
    `PENALTY` a cell, grow most, until none does. An edge that would make a clique larger than
    ``clique_cells``, or all of them together than ``model_cells``, is given up.
    """
    edges: list[Pair] = []
    left = sorted(dependence, key=sorted)
    cliques = maximal_cliques(shape, edges)
    best = _score(shape, cliques, dependence)
    while True:
        found = None
        feasible = []
        for edge in left:
            tried = maximal_cliques(shape, [*edges, edge])
            sizes = [cells(shape, clique) for clique in tried]
            if max(sizes) > clique_cells or sum(sizes) > model_cells:
                continue
            feasible.append(edge)
            score = _score(shape, tried, dependence)
            if score > best:
                best, found, cliques = score, edge, tried
        if found is None:
            return sorted(_order(shape, clique) for clique in cliques)
        edges.append(found)
        left = [edge for edge in feasible if edge != found]


def _score(
    shape: Shape, cliques: Sequence[frozenset[str]], dependence: Mapping[Pair, float]
) -> float:
    joined = {frozenset(pair) for clique in cliques for pair in combinations(clique, 2)}
    gained = math.fsum(dependence[pair] for pair in joined)
    return gained - PENALTY * sum(cells(shape, clique) for clique in cliques)


def initial_marginals(
    shape: Shape, cliques: Sequence[Names], dependence: Mapping[Pair, float], most_cells: float
) -> list[Names]:
    """The marginals measured first: those of Bayesian networks within the cliques.

    For each attribute the family of the best score in which it is the child, none within another;
    an attribute that is in none gets its own marginal, of any size. Others follow while there are
    fewer than attributes.
    """
    families = [f for clique in cliques for f in _network(shape, clique, dependence, most_cells)]
    families.sort(key=lambda family: (-family[0], family[1:]))
    best: dict[str, Names] = {}
    for _, child, members in families:
        best.setdefault(child, members)
    kept = _maximal(best.values())
    kept += [(name,) for name in shape if not any(name in members for members in kept)]
    for _, _, members in families:
        if len(kept) < len(shape) and not any(set(members) <= set(other) for other in kept):
            kept.append(members)
    return sorted(kept)


def _network(
    shape: Shape, clique: Names, dependence: Mapping[Pair, float], most_cells: float
) -> list[tuple[float, str, Names]]:
    """A greedy network of a clique: for each child but the first, its score and its family."""

    def near(name: str) -> float:
        return math.fsum(dependence[frozenset((name, other))] for other in clique if other != name)

    placed = [max(clique, key=near)]
    found: list[tuple[float, str, Names]] = []
    while len(placed) < len(clique):
        offers = []
        for child in clique:
            if child not in placed:
                score, parents = _parents(shape, child, placed, dependence, most_cells)
                offers.append((score, child, parents))
        score, child, parents = max(offers, key=lambda offer: offer[0])
        if not parents:
            return found
        placed.append(child)
        found.append((score, child, _order(shape, {child, *parents})))
    return found


def _parents(
    shape: Shape,
    child: str,
    placed: Sequence[str],
    dependence: Mapping[Pair, float],
    most_cells: float,
) -> tuple[float, Names]:
    """Parents of a child, added one by one while the score of feature selection grows."""
    score = -math.inf
    parents: Names = ()
    while len(parents) + 1 < MOST_ATTRIBUTES:
        offers = [
            (_relevance(child, (*parents, name), dependence), (*parents, name))
            for name in placed
            if name not in parents and cells(shape, (child, name, *parents)) <= most_cells
        ]
        better = max(offers, key=lambda offer: offer[0], default=(score, parents))
        if better[0] <= score:
            break
        score, parents = better
    return score, parents


def _relevance(child: str, parents: Names, dependence: Mapping[Pair, float]) -> float:
    """Dependence of child and parents over that among the parents (Hall 1999)."""
    relevant = math.fsum(dependence[frozenset((child, parent))] for parent in parents)
    redundant = math.fsum(dependence[frozenset(pair)] for pair in combinations(parents, 2))
    return relevant / math.sqrt(max(1.0, len(parents) + redundant))


def candidates(
    shape: Shape, cliques: Sequence[Names], known: Sequence[Names], most_cells: float
) -> dict[Names, float]:
    """Marginals that may be measured later, with their weights; the known ones left out.

    All sets of at most `MOST_ATTRIBUTES` attributes of a clique, of ``most_cells`` cells or of one
    attribute. Each clique's weights sum to the square of how many attributes it has.
    """
    weights: dict[Names, float] = {}
    for clique in cliques:
        within = [
            members
            for size in range(1, min(MOST_ATTRIBUTES, len(clique)) + 1)
            for members in combinations(clique, size)
            if size == 1 or cells(shape, members) <= most_cells
        ]
        for members in within:
            weights[members] = weights.get(members, 0.0) + len(clique) ** 2 / len(within)
    return {members: weight for members, weight in weights.items() if members not in known}


def cells(shape: Shape, names: Iterable[str]) -> int:
    """The number of cells of a marginal."""
    return math.prod(shape[name] for name in names)


def _order(shape: Shape, names: Iterable[str]) -> Names:
    members = set(names)
    return tuple(name for name in shape if name in members)


def _maximal(sets: Iterable[Names]) -> list[Names]:
    """The sets that lie within no other, each once."""
    distinct = sorted(set(sets), key=lambda members: (-len(members), members))
    kept: list[Names] = []
    for members in distinct:
        if not any(set(members) <= set(other) for other in kept):
            kept.append(members)
    return kept
