"""Piecewise linear queries of a histogram, described so that their sensitivity can be bounded.

An expression is a linear `Form`, or made of expressions by `Abs`, `Largest`, `Least`, `Clamp` and
`Sum`. Weights and constants are rationals, cells are numbered as the domain numbers them:

    Abs(form({0: 1, 1: 1}, constant=-5))      # |x0 + x1 - 5|
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.plain import require_integer, require_tuple

CountsByCell = Mapping[int, int]
"""A histogram, or a difference of two: cell -> count, zeros left out."""

ZERO = Fraction(0)

MOST_NESTED = 100
"""The deepest that expressions are nested (Python's own limit is 1000
calls, of which one level takes two)."""


@dataclass(frozen=True)
class Form:
    """Σ weight · count + constant. Use `form`, which takes a mapping."""

    weights: tuple[tuple[int, Fraction], ...]
    constant: Fraction


@dataclass(frozen=True)
class Abs:
    """|part|."""

    part: Expression


@dataclass(frozen=True)
class Largest:
    """The maximum of the parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Least:
    """The minimum of the parts."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Clamp:
    """The part, brought into low … high."""

    part: Expression
    low: Fraction
    high: Fraction


@dataclass(frozen=True)
class Sum:
    """Σ weight · part."""

    terms: tuple[tuple[Fraction, Expression], ...]


Expression = Form | Abs | Largest | Least | Clamp | Sum


def form(weights: Mapping[int, Fraction | int | str], constant: Fraction | int | str = 0) -> Form:
    """The linear form of these weights; raises InputError for floats, and cells that are none."""
    found = {}
    for cell, weight in weights.items():
        if require_integer(cell, "cell of a linear form") < 0:
            raise InputError("the cells of a linear form must not be negative")
        found[int(cell)] = parse_rational(weight, "a weight of a linear form")
    kept = tuple((cell, weight) for cell, weight in sorted(found.items()) if weight)
    return Form(kept, parse_rational(constant, "the constant of a linear form"))


@dataclass(frozen=True)
class PiecewiseLinear:
    """A vector of expressions of the histogram over ``cells`` cells.

    Raises InputError for no output, for parts that are no expressions, are empty or nested too
    deeply, for floats, for cells that the histogram does not have, and for an upside-down clamp.
    """

    cells: int
    outputs: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if require_integer(self.cells, "number of cells") < 1:
            raise InputError("a histogram has at least one cell")
        object.__setattr__(self, "outputs", require_tuple(self.outputs, "outputs of a query"))
        if not self.outputs:
            raise InputError("a piecewise linear query needs at least one output")
        for output in self.outputs:
            _check(output, self.cells, MOST_NESTED)

    def answers(self, counts: CountsByCell) -> tuple[Fraction, ...]:
        """The exact answers on a histogram."""
        return tuple(value(output, counts) for output in self.outputs)

    def forms(self) -> tuple[Form, ...]:
        """All linear forms in it, each once."""
        return tuple(dict.fromkeys(f for output in self.outputs for f in _forms(output)))


def _check(found: object, cells: int, depth: int) -> None:
    if depth == 0:
        raise InputError(f"expressions may be nested {MOST_NESTED} deep at most")
    match found:
        case Form(weights=weights, constant=constant):
            if not all(0 <= cell < cells and isinstance(w, Fraction) for cell, w in weights):
                raise InputError(f"a linear form has rational weights of cells 0 to {cells - 1}")
            _require_rationals(constant)
        case Abs(part=part):
            _check(part, cells, depth - 1)
        case Clamp(part=part, low=low, high=high):
            _require_rationals(low, high)
            if low > high:
                raise InputError("a clamp needs low <= high")
            _check(part, cells, depth - 1)
        case Largest(parts=parts) | Least(parts=parts):
            if not parts:
                raise InputError("a maximum or minimum needs at least one part")
            for part in parts:
                _check(part, cells, depth - 1)
        case Sum(terms=terms):
            _require_rationals(*(weight for weight, _ in terms))
            for _, part in terms:
                _check(part, cells, depth - 1)
        case _:
            raise InputError(
                "an expression is a Form, Abs, Largest, Least, Clamp or Sum, found "
                f"{type(found).__name__}"
            )


def _require_rationals(*numbers: object) -> None:
    if not all(isinstance(n, int | Fraction) and not isinstance(n, bool) for n in numbers):
        raise InputError("weights and constants must be whole numbers or Fractions, not floats")


def _forms(expression: Expression) -> Iterator[Form]:
    match expression:
        case Form():
            yield expression
        case Abs(part=part) | Clamp(part=part):
            yield from _forms(part)
        case Largest(parts=parts) | Least(parts=parts):
            for part in parts:
                yield from _forms(part)
        case Sum(terms=terms):
            for _, part in terms:
                yield from _forms(part)


def value(expression: Expression, counts: CountsByCell) -> Fraction:
    """The exact value on a histogram."""
    match expression:
        case Form(weights=weights, constant=constant):
            return sum((w * counts[c] for c, w in weights if c in counts), Fraction(constant))
        case Abs(part=part):
            return abs(value(part, counts))
        case Largest(parts=parts):
            return max(value(part, counts) for part in parts)
        case Least(parts=parts):
            return min(value(part, counts) for part in parts)
        case Clamp(part=part, low=low, high=high):
            return Fraction(min(max(value(part, counts), low), high))
        case Sum(terms=terms):
            return sum((weight * value(part, counts) for weight, part in terms), ZERO)


def classes(query: PiecewiseLinear) -> tuple[int, ...]:
    """A cell of each class that the query can't tell apart: of equal weights in every form."""
    marks: dict[int, list[tuple[int, Fraction]]] = {}
    for place, one in enumerate(query.forms()):
        for cell, weight in one.weights:
            marks.setdefault(cell, []).append((place, weight))
    kinds: dict[tuple[tuple[int, Fraction], ...], int] = {}
    for cell, mark in sorted(marks.items()):
        kinds.setdefault(tuple(mark), cell)
    found = list(kinds.values())
    if len(marks) < query.cells:
        found.append(next(cell for cell in range(query.cells) if cell not in marks))
    return tuple(sorted(found))
