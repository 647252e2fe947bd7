"""Junction trees: into which cliques of attributes a graphical model falls, and how large it is.

Source: Lauritzen & Spiegelhalter 1988; Koller & Friedman 2009, chapters 9 and 10.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from synthesizers.estimation.models import Shape

Clique = tuple[str, ...]


@dataclass(frozen=True)
class JunctionTree:
    """Cliques that cover all attributes, a parent before its children.

    ``parents[k]``: the number of clique k's parent; the root, clique 0, has none (-1).
    ``separators[k]``: what clique k shares with its parent. All in the order of the shape.
    """

    cliques: tuple[Clique, ...]
    parents: tuple[int, ...]
    separators: tuple[Clique, ...]

    def holding(self, attributes: Iterable[str]) -> int | None:
        """The smallest-numbered clique that holds some attributes; None where none does."""
        wanted = set(attributes)
        for number, clique in enumerate(self.cliques):
            if wanted.issubset(clique):
                return number
        return None


def junction_tree(shape: Shape, sets: Iterable[Iterable[str]]) -> JunctionTree:
    """A junction tree with a clique for each of the sets of attributes.

    Cliques are joined by the largest separators (which makes a junction tree of the maximal
    cliques of a triangulated graph: Koller & Friedman 2009, theorem 10.1), empty ones where parts
    of the graph are not connected.
    """
    return _junction_tree(tuple(shape.items()), tuple(map(tuple, sets)))


@lru_cache(maxsize=256)
def _junction_tree(
    sizes: tuple[tuple[str, int], ...], sets: tuple[tuple[str, ...], ...]
) -> JunctionTree:
    shape = dict(sizes)
    left = maximal_cliques(shape, sets)
    cliques, parents = [left.pop(0)], [-1]
    separators: list[tuple[str, ...]] = [()]
    while left:
        shared = [[len(clique & placed) for placed in cliques] for clique in left]
        chosen = max(range(len(left)), key=lambda k: max(shared[k]))
        parent = shared[chosen].index(max(shared[chosen]))
        clique = left.pop(chosen)
        separators.append(tuple(name for name in shape if name in clique & cliques[parent]))
        cliques.append(clique)
        parents.append(parent)
    ordered = tuple(tuple(name for name in shape if name in clique) for clique in cliques)
    return JunctionTree(ordered, tuple(parents), tuple(separators))


def model_cells(shape: Shape, sets: Iterable[Iterable[str]]) -> int:
    """How many numbers the model of these sets of attributes holds: the cells of its cliques."""
    return sum(_cells(shape, clique) for clique in maximal_cliques(shape, sets))


def maximal_cliques(shape: Shape, sets: Iterable[Iterable[str]]) -> list[frozenset[str]]:
    """The maximal cliques of a triangulation of the graph that joins the attributes of each set.

    Attributes are eliminated greedily, the one of the smallest clique first, ties in the order of
    the shape (Koller & Friedman 2009, section 9.4.3, min-weight).
    """
    joined: dict[str, set[str]] = {name: set() for name in shape}
    for attributes in sets:
        members = set(attributes)
        for name in members:
            joined[name] |= members - {name}
    found: list[frozenset[str]] = []
    while joined:
        weights = {name: _cells(shape, near) * shape[name] for name, near in joined.items()}
        name = min(weights, key=weights.__getitem__)
        near = joined.pop(name)
        for other in near:
            joined[other] |= near
            joined[other] -= {name, other}
        clique = frozenset(near | {name})
        if not any(clique <= earlier for earlier in found):
            found.append(clique)
    return found


def _cells(shape: Shape, attributes: Iterable[str]) -> int:
    return math.prod(shape[name] for name in attributes)
