"""MGD straight from its definition: every distance by its formula, every marginal by a loop."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.target import Target
from synthesizers.domain import Domain
from tests.audit.utility.mgd.exact_plans import least_cost


def distance(domain: Domain, name: str, i: int, j: int) -> Fraction | None:
    """sd(i, j) of Li et al., section 2.3.1; None between a missing and an ordered value."""
    attribute = domain.attribute(name)
    if i == j:
        return Fraction(0)
    if attribute.ordinal:
        k = len(attribute.values)
        return Fraction(abs(i - j), k - 1) if max(i, j) < k else None
    for hierarchy in domain.hierarchies:
        if hierarchy.attribute == name:
            # Every level listed is one of groups here, below a root that is not listed.
            t = len(hierarchy.levels) + 1
            for up, level in enumerate(hierarchy.levels, 1):
                if level[i] == level[j]:
                    return Fraction(up, t)
    return Fraction(1)


def bin_distance(
    domain: Domain,
    names: tuple[str, ...],
    weights: dict[str, Fraction | str],
    a: tuple[int, ...],
    b: tuple[int, ...],
) -> Fraction | None:
    """M of equation 2; None if infinite."""
    total = Fraction(0)
    for name, i, j in zip(names, a, b, strict=True):
        weight = weights[name]
        if isinstance(weight, str):
            if i != j:
                return None
            continue
        apart = distance(domain, name, i, j)
        if apart is None:
            return None
        total += weight * apart
    return total


def mgd(
    domain: Domain,
    targets: list[tuple[Target, dict[str, Fraction | str]]],
    real: NDArray[np.int64],
    synthetic: NDArray[np.int64],
) -> Fraction:
    """Equation 3 over targets with all their weights spelt out; tables are rows of codes."""
    total = Fraction(0)
    for target, weights in targets:
        columns = [domain.position(name) for name in target.attributes]
        P, Q = (
            Counter(tuple(row[column] for column in columns) for row in table.tolist())
            for table in (synthetic, real)
        )
        cells = [
            tuple(int(code) for code in np.unravel_index(place, shape))
            for shape in [tuple(domain.shape[column] for column in columns)]
            for place in range(math.prod(shape))
        ]
        unit, scale = 5040, target.tolerance.denominator
        found = {}
        for i, a in enumerate(cells):
            for j, b in enumerate(cells):
                apart = bin_distance(domain, target.attributes, weights, a, b)
                if apart is not None:
                    assert (apart * unit).denominator == 1
                    found[i, j] = int(apart * unit)
        cost = least_cost(
            found,
            [P[cell] * scale for cell in cells],
            [Q[cell] * scale for cell in cells],
            int(target.tolerance * scale),
            unit,
        )
        total += target.importance * Fraction(cost, unit * scale * len(real))
    return total / sum(target.importance for target, _ in targets)
