"""How far a query's answers move: what the rules of sensitivity read, and what they conclude."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs.judgments import Stable, canonical
from proofs.parameters import Kind, Parameters, neighbours, record
from proofs.rules.rule import Conclusion, Rule, nothing, require
from synthesizers.neighbours import Neighbours, ReplaceOne

Shape = dict[str, int]
"""How many values each attribute of the domain has."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Bounds on the difference of integer answers; the fields are those of `Stable`."""

    l0: int
    l1: int
    l2_squared: int
    linf: int
    monotone: bool


def of_counts(neighbours: Neighbours, answers: int, all_counted: bool) -> Moves:
    """Of counts in which a record adds 1 to at most one answer, to one exactly if ``all_counted``.

    A unit adds some vector of counts with sum at most m. Under add-remove that vector is the
    difference; under replace-one the difference is one such vector minus another.
    """
    m = neighbours.unit.max_records
    exchange = isinstance(neighbours, ReplaceOne)
    if exchange and neighbours.unit.is_record and answers == 1 and all_counted:
        return Moves(0, 0, 0, 0, True)
    if exchange and answers > 1:
        return Moves(min(2 * m, answers), 2 * m, 2 * m * m, m, False)
    return Moves(min(m, answers), m, m * m, m, True)


def of_scores(spans: Sequence[int]) -> Moves:
    """Of scores that move by at most their spans, each in a direction of its own."""
    moving, longest = sum(span > 0 for span in spans), max(spans)
    squares = sum(span * span for span in spans)
    return Moves(moving, sum(spans), squares, longest, longest == 0)


def query_rule(name: str, **fields: Kind[Any]) -> Callable[[Callable[..., Moves]], Rule]:
    """Make a rule of a function from neighbours, a shape and a query's own fields to its moves.

    The rule takes the neighbours, the shape of the domain and the query, of the rule's own kind.
    """

    def of(moves: Callable[..., Moves]) -> Rule:
        def concludes(neighbours: Neighbours, shape: Shape, query: dict[str, Any]) -> Conclusion:
            sizes = bool(shape) and all(type(size) is int and size > 0 for size in shape.values())
            require(sizes, "a domain has attributes, each of one or more values")
            reader = Parameters("the query", query)
            reader.choice("kind", name)
            own = {field: kind(reader, field) for field, kind in fields.items()}
            reader.close()
            return _conclude(neighbours, shape, query, moves(neighbours, shape, **own))

        concludes.__doc__ = moves.__doc__
        given = {"neighbours": neighbours, "shape": record, "query": record}
        return Rule(name, nothing, given, concludes)

    return of


def cells_of(names: Any, shape: Shape) -> int:
    """How many cells the marginal of some attributes has."""
    known = isinstance(names, list) and all(type(name) is str and name in shape for name in names)
    distinct = known and 0 < len(set(names)) == len(names)
    require(distinct, "a marginal is over one or more different attributes of the domain")
    return math.prod(shape[name] for name in names)


def count_groups(names: Any, groups: Any, shape: Shape) -> tuple[int, bool]:
    """How many groups a recoded marginal counts, and whether every record is in one of them."""
    cells_of(names, shape)
    listed = isinstance(groups, list) and all(isinstance(codes, list) for codes in groups)
    fits = listed and [len(codes) for codes in groups] == [shape[name] for name in names]
    require(fits, "each code of each attribute needs a group")
    whole = all(type(code) is int and code >= -1 for codes in groups for code in codes)
    require(whole, "groups are integers from 0, or -1 for what is not counted")
    answers = math.prod(max(codes) + 1 for codes in groups)
    require(answers > 0, "an attribute has one or more groups")
    return answers, all(min(codes) >= 0 for codes in groups)


def _conclude(
    neighbours: Neighbours, shape: Shape, query: dict[str, Any], moves: Moves
) -> Conclusion:
    text = canonical({"query": query, "shape": shape})
    l1, squared, linf = (Fraction(norm) for norm in (moves.l1, moves.l2_squared, moves.linf))
    found = Stable(text, neighbours, moves.l0, l1, squared, linf, moves.monotone, True)
    return Conclusion(found, frozenset({"public"}))
