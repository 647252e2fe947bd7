"""How far a piecewise linear expression can move when a histogram changes, whatever it was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.auditors.sensitivity.piecewise import (
    ZERO,
    Abs,
    Clamp,
    CountsByCell,
    Expression,
    Form,
    Largest,
    Least,
    Sum,
)

Ends = tuple[Fraction, Fraction]
"""The least and the largest change of a value."""


@dataclass(frozen=True)
class Span:
    """Between which two numbers an expression's value changes by a difference of histograms.

    ``of`` takes the difference. ``cells``: those on which the value depends; where the difference
    touches none of them, it stays.

    Guarantee
    ---------
    No histogram changes the value by more, either way: a Lipschitz bound by structure. The upper
    end is a convex function of the difference, positively homogeneous, the lower end minus such a
    one. Backed by the comparison with every small histogram in
    ``tests/audit/auditors/sensitivity/test_piecewise.py``.
    """

    cells: frozenset[int]
    of: Callable[[CountsByCell], Ends]


def span(expression: Expression) -> Span:
    """The span of an expression, prepared so that a difference looks at what it touches alone."""
    match expression:
        case Form(weights=weights):
            weight_of = dict(weights)

            def linear(difference: CountsByCell) -> Ends:
                moved = sum((weight_of.get(c, ZERO) * n for c, n in difference.items()), ZERO)
                return moved, moved

            return Span(frozenset(weight_of), linear)
        case Abs(part=Form() as part) if _sign(part):
            # A distance to what is never passed is linear.
            return _times(Fraction(_sign(part)), span(part))
        case Abs(part=part):
            inner = span(part)

            def either_way(difference: CountsByCell) -> Ends:
                low, high = inner.of(difference)
                most = max(-low, high)
                return -most, most

            return Span(inner.cells, either_way)
        case Clamp(part=part):
            within = span(part)

            def stopped(difference: CountsByCell) -> Ends:
                low, high = within.of(difference)
                return min(low, ZERO), max(high, ZERO)

            return Span(within.cells, stopped)
        case Largest(parts=parts) | Least(parts=parts):
            return _of_parts([span(part) for part in parts], _widest)
        case Sum(terms=terms):
            return _of_parts([_times(weight, span(part)) for weight, part in terms], _total)


def _sign(form: Form) -> int:
    """The sign that a form has on every histogram: 1, -1, or 0 where that is not known."""
    numbers = [form.constant, *(weight for _, weight in form.weights)]
    return 1 if min(numbers) >= 0 else -1 if max(numbers) <= 0 else 0


def _of_parts(parts: Sequence[Span], joined: Callable[[Sequence[Ends], bool], Ends]) -> Span:
    touched: dict[int, list[int]] = {}
    for place, part in enumerate(parts):
        for cell in part.cells:
            touched.setdefault(cell, []).append(place)

    def of(difference: CountsByCell) -> Ends:
        places = sorted({place for cell in difference for place in touched.get(cell, ())})
        return joined([parts[place].of(difference) for place in places], len(places) < len(parts))

    return Span(frozenset(touched), of)


def _widest(ends: Sequence[Ends], others: bool) -> Ends:
    """Of a maximum or a minimum; ``others``: there are parts besides, which do not move."""
    stay: Iterable[Ends] = ((ZERO, ZERO),) if others else ()
    every = (*ends, *stay)
    return min(low for low, _ in every), max(high for _, high in every)


def _total(ends: Sequence[Ends], others: bool) -> Ends:
    return sum((low for low, _ in ends), ZERO), sum((high for _, high in ends), ZERO)


def _times(weight: Fraction, part: Span) -> Span:
    def of(difference: CountsByCell) -> Ends:
        low, high = part.of(difference)
        return (weight * low, weight * high) if weight > 0 else (weight * high, weight * low)

    return Span(part.cells, of)
