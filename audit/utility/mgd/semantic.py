"""Semantic distances between the values of one attribute (Li et al., section 2.3.1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from audit.utility.mgd.problem import Axis
from synthesizers.attributes import Attribute, Hierarchy
from synthesizers.domain import Domain
from synthesizers.errors import InputError


@dataclass(frozen=True)
class Semantic:
    """The distances between ``size`` values: a tree over them, every edge ``edge`` long.

    ``parents`` as those of ``Axis``; values in different trees are infinitely far apart.
    """

    size: int
    parents: tuple[int, ...]
    edge: Fraction

    def between(self, first: int, second: int) -> Fraction | None:
        """The distance of two values, from 0 to 1; None if it is infinite."""
        ways = self._way(first), self._way(second)
        common = set(ways[0]) & set(ways[1])
        if not common:
            return None
        return self.edge * sum(
            next(n for n, node in enumerate(way) if node in common) for way in ways
        )

    def axis(self, weight: Fraction, unit: int) -> Axis:
        """What moving costs at this weight, in units of 1/``unit``, which has to divide it."""
        step = weight * self.edge * unit
        assert step.denominator == 1
        return Axis(self.size, self.parents, int(step))

    def _way(self, value: int) -> list[int]:
        way = [value]
        while self.parents[way[-1]] >= 0:
            way.append(self.parents[way[-1]])
        return way


def semantic(domain: Domain, name: str, codes: int) -> Semantic:
    """The distances between the ``codes`` codes of an attribute, one outside its values included.

    An ordinal attribute is a line, another one the tree of its hierarchy, or all its values
    are at distance 1. A missing value, or one outside the declared ones, has no place in
    an order: nothing moves to or from it. Elsewhere it is a value like any other, and one
    outside the declared ones shares no group of a hierarchy.

    Raises ``InputError`` for a hierarchy in which a value has no group at some level.
    """
    attribute = domain.attribute(name)
    hierarchy = next((each for each in domain.hierarchies if each.attribute == name), None)
    if attribute.ordinal:
        return ordinal(len(attribute.values), codes - len(attribute.values))
    return nominal(codes) if hierarchy is None else hierarchical(hierarchy, attribute, codes)


def ordinal(size: int, apart: int = 0) -> Semantic:
    """|i - j|/(k - 1) between k = ``size`` ordered values; ``apart`` further ones are on no line.

    A single value is at distance 0 from itself, where the formula has 0/0.
    """
    parents = (*range(-1, size - 1), *(-1,) * apart)
    return Semantic(size + apart, parents, Fraction(1, max(size - 1, 1)))


def nominal(size: int) -> Semantic:
    """Distance 1 between each two values: leaves of one root, half an edge each way."""
    return Semantic(size, (size,) * size + (-1,), Fraction(1, 2))


def hierarchical(hierarchy: Hierarchy, attribute: Attribute, codes: int) -> Semantic:
    """(t - s)/t between leaves of level t whose lowest common ancestor is of level s.

    The root has level 0; it is added if the last level has several groups. A first level
    that keeps all values apart is that of the leaves themselves.
    """
    levels: list[tuple[str | None, ...]] = []
    for place, level in enumerate(hierarchy.levels):
        if "" in level[: len(attribute.values)]:
            raise InputError(
                f"hierarchy of {attribute.name!r}: every value needs a group at level {place}, or "
                "the leaves lie at different depths; repeat the value's own name as its group"
            )
        if place or len(set(level)) < len(level):
            levels.append((*level, *(None,) * (codes - len(level))))
    if levels and len(set(levels[-1]) - {None}) == 1:
        levels.pop()
    ways, first = [list(range(codes))], codes
    for groups in levels:
        nodes = {group: first + place for place, group in enumerate(dict.fromkeys(groups))}
        ways.append([nodes[group] for group in groups])
        first += len(nodes)
    ways.append([first] * codes)
    parents = [-1] * (first + 1)
    for lower, upper in pairwise(ways):
        for node, above in zip(lower, upper, strict=True):
            parents[node] = above
    return Semantic(codes, tuple(parents), Fraction(1, 2 * (len(levels) + 1)))
