"""Rules of sensitivity of scores: how far distances between the data and something public move.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

from typing import Any

from proofs.parameters import optional, value, whole, wholes
from proofs.rules.moves import (
    Moves,
    Shape,
    cells_of,
    count_groups,
    of_counts,
    of_scores,
    query_rule,
)
from proofs.rules.rule import require
from synthesizers.neighbours import AddRemove, Neighbours


@query_rule(
    "model-error",
    candidates=value,
    models=value,
    weights=optional(wholes()),
    offsets=optional(wholes(None)),
)
def model_error(
    neighbours: Neighbours,
    shape: Shape,
    candidates: Any,
    models: Any,
    weights: tuple[int, ...] | None,
    offsets: tuple[int, ...] | None,
) -> Moves:
    """For each candidate marginal its L1 distance to a public model's counts, public maps aside.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    lists = isinstance(candidates, list) and isinstance(models, list)
    paired = lists and 0 < len(candidates) == len(models)
    require(paired, "each of one or more candidates needs one model")
    weights = (1,) * len(candidates) if weights is None else weights
    offsets = (0,) * len(candidates) if offsets is None else offsets
    numbers = len(weights) == len(offsets) == len(candidates)
    require(numbers, "weights and offsets are one integer a candidate")
    spans = []
    for candidate, model, weight in zip(candidates, models, weights, strict=True):
        answers, all_counted = _count_cells(candidate, shape)
        fits = isinstance(model, list) and len(model) == answers
        whole = fits and all(type(count) is int for count in model)
        require(whole, "a model needs one integer for each cell of its marginal")
        spans.append(weight * of_counts(neighbours, answers, all_counted).l1)
    return of_scores(spans)


def _count_cells(candidate: Any, shape: Shape) -> tuple[int, bool]:
    """How many cells a candidate counts, and whether every record is in one of them."""
    if not isinstance(candidate, dict):
        return cells_of(candidate, shape), True
    require(set(candidate) == {"attributes", "groups"}, "attributes with their groups")
    return count_groups(candidate["attributes"], candidate["groups"], shape)


@query_rule("cell-errors", marginals=value, cells=value, models=value, scale=whole(1))
def cell_errors(
    neighbours: Neighbours, shape: Shape, marginals: Any, cells: Any, models: Any, scale: int
) -> Moves:
    """For each of some cells of marginals how far a multiple of its count is from a public number.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    lists = (marginals, cells, models)
    paired = all(isinstance(each, list) and 0 < len(each) == len(lists[0]) for each in lists)
    require(paired, "each of one or more marginals needs its cells and models")
    l0 = l1 = squared = linf = 0
    for names, chosen, model in zip(*lists, strict=True):
        size = cells_of(names, shape)
        for numbers in (chosen, model):
            whole = isinstance(numbers, list) and all(type(each) is int for each in numbers)
            require(whole, "cells and their models are lists of integers")
        inside = 0 < len(set(chosen)) == len(chosen) and 0 <= min(chosen) <= max(chosen) < size
        require(inside, "cells must be different and inside the marginal")
        require(len(model) == len(chosen), "each cell needs one number")
        moves = of_counts(neighbours, len(chosen), len(chosen) == size)
        l0, l1 = l0 + moves.l0, l1 + scale * moves.l1
        squared, linf = squared + scale**2 * moves.l2_squared, max(linf, scale * moves.linf)
    return Moves(l0, l1, squared, linf, linf == 0)


@query_rule("independence-distance", candidates=value, scale=whole(1))
def independence_distance(
    neighbours: Neighbours, shape: Shape, candidates: Any, scale: int
) -> Moves:
    """For each pair of attribute sets, ⌊scale·Σ|joint count - product of marginal counts/n|⌋.

    Guarantee
    ---------
    ``tests/proofs/rules/test_independence_rule.py``: all neighbours of small databases, and
    families of large ones.
    """
    listed = isinstance(candidates, list) and bool(candidates)
    require(listed, "one or more candidates are needed")
    spans = []
    for pair in candidates:
        sides = isinstance(pair, list) and len(pair) == 2
        require(sides, "a candidate is a pair of lists of attributes")
        left, right = (cells_of(names, shape) for names in pair)
        cells_of(pair[0] + pair[1], shape)
        spans.append(scale * _farther_from_independence(neighbours, left, right))
    return of_scores(spans)


def _farther_from_independence(neighbours: Neighbours, left: int, right: int) -> int:
    """How far the distance moves, of a table with so many rows and columns."""
    m = neighbours.unit.max_records
    if min(left, right) == 1:
        return 0
    if isinstance(neighbours, AddRemove):
        return 4 * m
    if not neighbours.unit.is_record:
        return 8 * m
    return 4 if min(left, right) == 2 else 6


RULES = (model_error, cell_errors, independence_distance)
