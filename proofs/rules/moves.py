"""How far a query's answers move: what the rules of sensitivity read, and what they conclude."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Literal

from proofs.errors import require
from proofs.judgments import Stable
from proofs.parameters import Range, Record, Shape, read_fields, types_of
from proofs.rules.rule import Conclusion, Rule
from synthesizers.neighbours import Neighbours, ReplaceOne

MAX_BITS = 64_000
"""The bits of the most cells of a domain."""

Names = tuple[str, ...]
Place = Annotated[int, Range(lambda number: number >= -1, "an integer from 0 on, or -1")]
"""The number of an answer or a group, or -1 for none."""


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


def query_rule(name: str) -> Callable[[Callable[..., Moves]], Rule]:
    """Make a rule of a function from neighbours, a shape and a query's own fields to its moves.

    The rule takes the neighbours, the shape of the domain and the query, of the rule's own kind.
    """

    def of(moves: Callable[..., Moves]) -> Rule:
        _, _, *own, _ = types_of(moves).items()
        fields = {"kind": Literal[name], **dict(own)}

        def concludes(neighbours: Neighbours, shape: Shape, query: Record) -> Conclusion:
            read = read_fields(fields, query, "the query")
            del read["kind"]
            found = moves(neighbours, shape, **read)
            l1, squared, linf = map(Fraction, (found.l1, found.l2_squared, found.linf))
            stable = Stable(neighbours, found.l0, l1, squared, linf, found.monotone, True)
            return Conclusion(stable, frozenset({"public"}))

        concludes.__doc__ = moves.__doc__
        types = {"neighbours": Neighbours, "shape": Shape, "query": Record}
        return Rule(name, None, types, concludes)

    return of


def cells_of(names: Names, shape: Shape) -> int:
    """How many cells the marginal of some attributes has."""
    distinct = len(set(names)) == len(names) and shape.keys() >= set(names)
    require(distinct, "a marginal is over one or more different attributes of the domain")
    return product_of(shape[name] for name in names)


def product_of(sizes: Iterable[int]) -> int:
    """A product of `MAX_BITS` bits at most; ProofError beyond."""
    found = 1
    for size in sizes:
        found *= size
        require(found.bit_length() <= MAX_BITS, "a domain is too large")
    return found


@dataclass(frozen=True, slots=True)
class Recoded:
    """A marginal over ``attributes`` whose codes are in ``groups``, or in none."""

    attributes: Names
    groups: tuple[tuple[Place, ...], ...]


def count_groups(recoded: Recoded, shape: Shape) -> tuple[int, bool]:
    """How many groups a recoded marginal counts, and whether every record is in one of them."""
    names, groups = recoded.attributes, recoded.groups
    cells_of(names, shape)
    fits = [len(codes) for codes in groups] == [shape[name] for name in names]
    require(fits, "each code of each attribute needs a group")
    answers = product_of(max(codes) + 1 for codes in groups)
    require(answers > 0, "an attribute has one or more groups")
    return answers, all(min(codes) >= 0 for codes in groups)
