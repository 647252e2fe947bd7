"""Rules of sensitivity of scores: how far distances between the data and something public move.

As in `stability.py`, the bounds are derived on the rules' pages from the query's own data.
"""

from __future__ import annotations

from typing import Any

from proofs.parameters import Parameters
from proofs.rules.moves import (
    Moves,
    Shape,
    cells_of,
    conclude,
    count_groups,
    of_counts,
    of_scores,
    read_query,
)
from proofs.rules.rule import Conclusion, Premises, Rule, require
from synthesizers.neighbours import AddRemove, Neighbours


def model_error(premises: Premises, parameters: Parameters) -> Conclusion:
    """For each candidate marginal its L1 distance to a public model's counts, public maps aside.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    candidates, models = query.value("candidates"), query.value("models")
    lists = isinstance(candidates, list) and isinstance(models, list)
    paired = lists and 0 < len(candidates) == len(models)
    require(paired, premises.rule, "each of one or more candidates needs one model")
    weights = query.wholes("weights") if query.has("weights") else (1,) * len(candidates)
    offsets = query.wholes("offsets", None) if query.has("offsets") else (0,) * len(candidates)
    numbers = len(weights) == len(offsets) == len(candidates)
    require(numbers, premises.rule, "weights and offsets are one integer a candidate")
    spans = []
    for candidate, model, weight in zip(candidates, models, weights, strict=True):
        answers, all_counted = _count_cells(candidate, shape, premises.rule)
        fits = isinstance(model, list) and len(model) == answers
        whole = fits and all(type(count) is int for count in model)
        require(whole, premises.rule, "a model needs one integer for each cell of its marginal")
        spans.append(weight * of_counts(neighbours, answers, all_counted).l1)
    return conclude(neighbours, shape, query, parameters, of_scores(spans))


def _count_cells(candidate: Any, shape: Shape, rule: str) -> tuple[int, bool]:
    """How many cells a candidate counts, and whether every record is in one of them."""
    if not isinstance(candidate, dict):
        return cells_of(candidate, shape, rule), True
    require(set(candidate) == {"attributes", "groups"}, rule, "attributes with their groups")
    return count_groups(candidate["attributes"], candidate["groups"], shape, rule)


def cell_errors(premises: Premises, parameters: Parameters) -> Conclusion:
    """For each of some cells of marginals how far a multiple of its count is from a public number.

    Guarantee
    ---------
    ``tests/proofs/rules/test_stability_rules.py::test_bounds_hold_for_all_neighbours``.
    """
    neighbours, shape, query = read_query(premises, parameters)
    lists = [query.value(name) for name in ("marginals", "cells", "models")]
    paired = all(isinstance(each, list) and 0 < len(each) == len(lists[0]) for each in lists)
    require(paired, premises.rule, "each of one or more marginals needs its cells and models")
    scale = query.whole("scale", 1)
    l0 = l1 = squared = linf = 0
    for names, chosen, model in zip(*lists, strict=True):
        size = cells_of(names, shape, premises.rule)
        for numbers in (chosen, model):
            whole = isinstance(numbers, list) and all(type(each) is int for each in numbers)
            require(whole, premises.rule, "cells and their models are lists of integers")
        inside = 0 < len(set(chosen)) == len(chosen) and 0 <= min(chosen) <= max(chosen) < size
        require(inside, premises.rule, "cells must be different and inside the marginal")
        require(len(model) == len(chosen), premises.rule, "each cell needs one number")
        moves = of_counts(neighbours, len(chosen), len(chosen) == size)
        l0, l1 = l0 + moves.l0, l1 + scale * moves.l1
        squared, linf = squared + scale**2 * moves.l2_squared, max(linf, scale * moves.linf)
    moves = Moves(l0, l1, squared, linf, linf == 0)
    return conclude(neighbours, shape, query, parameters, moves)


def independence_distance(premises: Premises, parameters: Parameters) -> Conclusion:
    """For each pair of attribute sets, ⌊scale·Σ|joint count - product of marginal counts/n|⌋.

    Guarantee
    ---------
    ``tests/proofs/rules/test_independence_rule.py``: all neighbours of small databases, and
    families of large ones.
    """
    neighbours, shape, query = read_query(premises, parameters)
    candidates, scale = query.value("candidates"), query.whole("scale", 1)
    listed = isinstance(candidates, list) and bool(candidates)
    require(listed, premises.rule, "one or more candidates are needed")
    spans = []
    for pair in candidates:
        sides = isinstance(pair, list) and len(pair) == 2
        require(sides, premises.rule, "a candidate is a pair of lists of attributes")
        left, right = (cells_of(names, shape, premises.rule) for names in pair)
        cells_of(pair[0] + pair[1], shape, premises.rule)
        spans.append(scale * _farther_from_independence(neighbours, left, right))
    return conclude(neighbours, shape, query, parameters, of_scores(spans))


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


RULES: dict[str, Rule] = {
    "model-error": model_error,
    "cell-errors": cell_errors,
    "independence-distance": independence_distance,
}
"""The rules of scores by their names."""
