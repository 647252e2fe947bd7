"""Rules of sensitivity of scores: how far distances between the data and something public move.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

from typing import Annotated, Any

from proofs.errors import require
from proofs.parameters import Count, Shape, Whole, reader
from proofs.rules.moves import (
    Moves,
    Names,
    Recoded,
    cells_of,
    count_groups,
    of_counts,
    of_scores,
    query_rule,
)
from synthesizers.neighbours import AddRemove, Neighbours


def _read_marginal(given: Any, who: str) -> Names | Recoded:
    kind: Any = Names if isinstance(given, list) else Recoded
    found: Names | Recoded = reader(kind)(given, who)
    return found


Marginal = Annotated[Names | Recoded, _read_marginal]
"""A marginal, whose cells may be in groups."""


@query_rule("model-error")
def model_error(
    neighbours: Neighbours,
    shape: Shape,
    candidates: tuple[Marginal, ...],
    models: tuple[tuple[int, ...], ...],
    weights: tuple[Whole, ...] | None,
    offsets: tuple[int, ...] | None,
) -> Moves:
    """For each candidate marginal its L1 distance to a public model's counts, public maps aside.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    weights, offsets = weights or (1,) * len(candidates), offsets or (0,) * len(candidates)
    paired = len(candidates) == len(models) == len(weights) == len(offsets)
    require(paired, "models, weights and offsets are one a candidate")
    spans = []
    for candidate, model, weight in zip(candidates, models, weights, strict=True):
        answers, all_counted = _count_cells(candidate, shape)
        require(len(model) == answers, "a model needs one integer for each cell of its marginal")
        spans.append(weight * of_counts(neighbours, answers, all_counted).l1)
    return of_scores(spans)


def _count_cells(candidate: Marginal, shape: Shape) -> tuple[int, bool]:
    """How many cells a candidate counts, and whether every record is in one of them."""
    if isinstance(candidate, Recoded):
        return count_groups(candidate, shape)
    return cells_of(candidate, shape), True


@query_rule("cell-errors")
def cell_errors(
    neighbours: Neighbours,
    shape: Shape,
    marginals: tuple[Names, ...],
    cells: tuple[tuple[Whole, ...], ...],
    models: tuple[tuple[int, ...], ...],
    scale: Count,
) -> Moves:
    """For each of some cells of marginals how far a multiple of its count is from a public number.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    paired = len(marginals) == len(cells) == len(models)
    require(paired, "each marginal needs its cells and models")
    l0 = l1 = squared = linf = 0
    for names, chosen, model in zip(marginals, cells, models, strict=True):
        size = cells_of(names, shape)
        inside = len(set(chosen)) == len(chosen) and max(chosen) < size
        require(inside, "cells must be different and inside the marginal")
        require(len(model) == len(chosen), "each cell needs one number")
        moves = of_counts(neighbours, len(chosen), len(chosen) == size)
        l0, l1 = l0 + moves.l0, l1 + scale * moves.l1
        squared, linf = squared + scale**2 * moves.l2_squared, max(linf, scale * moves.linf)
    return Moves(l0, l1, squared, linf, linf == 0)


@query_rule("table-distances")
def table_distances(
    neighbours: Neighbours,
    shape: Shape,
    marginals: tuple[Names, ...],
    models: tuple[tuple[int, ...], ...],
    scale: Count,
) -> Moves:
    """For each public table minus the sum over marginals of Σ|scale·count - its number|.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    sizes = [cells_of(names, shape) for names in marginals]
    fits = all(len(model) == sum(sizes) for model in models)
    require(fits, "a table needs one integer for each cell of each marginal")
    span = scale * sum(of_counts(neighbours, size, True).l1 for size in sizes)
    return of_scores([span] * len(models))


@query_rule("independence-distance")
def independence_distance(
    neighbours: Neighbours, shape: Shape, candidates: tuple[tuple[Names, Names], ...], scale: Count
) -> Moves:
    """For each pair of attribute sets, ⌊scale·Σ|joint count - product of marginal counts/n|⌋.

    Guarantee
    ---------
    ``tests/proofs/rules/test_independence_rule.py``: all neighbours of small databases, and
    families of large ones.
    """
    spans = []
    for pair in candidates:
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
