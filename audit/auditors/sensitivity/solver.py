"""Neighbours between which a piecewise linear query changes most, proposed by OR-Tools CP-SAT.

Cells that the query can't tell apart are one class; the variables are the counts of the classes in
both databases. Whatever is proposed is evaluated again in fractions by `piecewise.value`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ortools.sat.python import cp_model

from audit.auditors.sensitivity.declaration import Norm
from audit.auditors.sensitivity.piecewise import (
    Abs,
    Clamp,
    Expression,
    Form,
    Largest,
    Least,
    PiecewiseLinear,
    Sum,
)
from synthesizers.neighbours import AddRemove, Neighbours

WORK = 5.0
"""The solver's limit in its own deterministic unit, about a second each."""

LARGEST_INTEGER = 2**53
"""The largest integer that a model may hold (CP-SAT computes in 64 bits
and refuses sums that might overflow them)."""


@dataclass(frozen=True)
class Proposal:
    """Two neighbours as counts of cells; ``optimal``: the solver claims that none are better."""

    first: Mapping[int, int]
    second: Mapping[int, int]
    optimal: bool


def propose(
    query: PiecewiseLinear,
    cells: tuple[int, ...],
    neighbours: Neighbours,
    records: int | None,
    norm: Norm,
    most: int,
) -> Proposal | None:
    """The neighbours of the largest change that the solver finds; None where it finds none.

    ``cells``: one of each class. Databases have ``records`` records, or at most so many where n
    is private; where that is None, at most ``most``. None also for models whose numbers would not
    fit the solver.
    """
    model = _Model(query, cells, most if records is None else records)
    model.relate(neighbours, records)
    if not model.maximise(norm):
        return None
    solver = cp_model.CpSolver()
    solver.parameters.max_deterministic_time = WORK
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    status = solver.solve(model.model)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None

    def counts(variables: dict[int, Any]) -> dict[int, int]:
        found = {cell: int(solver.value(variable)) for cell, variable in variables.items()}
        return {cell: count for cell, count in found.items() if count}

    return Proposal(counts(model.first), counts(model.second), status == cp_model.OPTIMAL)


@dataclass(frozen=True)
class _Value:
    """``scale`` times an expression: an integer linear expression within ``low … high``."""

    linear: Any
    low: int
    high: int
    scale: int


class _Model:
    def __init__(self, query: PiecewiseLinear, cells: tuple[int, ...], most: int) -> None:
        self.model = cp_model.CpModel()
        self.query = query
        self.most = most
        self.first = {cell: self.model.new_int_var(0, most, f"a{cell}") for cell in cells}
        self.second = {cell: self.model.new_int_var(0, most, f"b{cell}") for cell in cells}

    def relate(self, neighbours: Neighbours, records: int | None) -> None:
        """The databases are neighbours of the wanted size."""
        model, m = self.model, neighbours.unit.max_records
        steps = min(m, self.most)
        sizes = (sum(self.first.values()), sum(self.second.values()))
        for size in sizes:
            if records is not None and neighbours.records_public:
                model.add(size == records)
            else:
                model.add(size <= self.most)
        if isinstance(neighbours, AddRemove):
            for cell, before in self.first.items():
                model.add(self.second[cell] >= before)
            model.add(sizes[1] - sizes[0] <= steps)
            model.add(sizes[1] - sizes[0] >= 1)
            return
        gains, losses = [], []
        for cell, before in self.first.items():
            gained = model.new_int_var(0, steps, "")
            lost = model.new_int_var(0, steps, "")
            model.add(self.second[cell] - before == gained - lost)
            gains.append(gained)
            losses.append(lost)
        if neighbours.unit.is_record:
            model.add(sum(gains) == 1)
            model.add(sum(losses) == 1)
        else:
            model.add(sum(gains) <= steps)
            model.add(sum(losses) <= steps)

    def maximise(self, norm: Norm) -> bool:
        """Ask for the largest change; whether its numbers fit."""
        try:
            sizes = _alike([self._add_move(output) for output in self.query.outputs])
            if norm is Norm.LINF:
                goal = self._new(0, max(size.high for size in sizes), 1)
                self.model.add_max_equality(goal.linear, [size.linear for size in sizes])
                self.model.maximize(goal.linear)
                return True
            if norm is Norm.L2:
                sizes = [self._square(size) for size in sizes]
            _require_fits(sum(size.high for size in sizes))
        except _TooLargeError:
            return False
        self.model.maximize(sum(size.linear for size in sizes))
        return True

    def _add_move(self, output: Expression) -> _Value:
        before, after = self._value(output, self.first), self._value(output, self.second)
        difference = after.linear - before.linear
        found = self._new(0, max(after.high - before.low, before.high - after.low), before.scale)
        self.model.add_abs_equality(found.linear, difference)
        return found

    def _square(self, size: _Value) -> _Value:
        square = self._new(0, size.high**2, 1)
        self.model.add_multiplication_equality(square.linear, [size.linear, size.linear])
        return square

    def _new(self, low: int, high: int, scale: int) -> _Value:
        _require_fits(max(-low, high))
        return _Value(self.model.new_int_var(low, high, ""), low, high, scale)

    def _value(self, expression: Expression, counts: dict[int, Any]) -> _Value:
        match expression:
            case Form():
                return self._form(expression, counts)
            case Abs(part=part):
                inner = self._value(part, counts)
                found = self._new(0, max(-inner.low, inner.high), inner.scale)
                self.model.add_abs_equality(found.linear, inner.linear)
                return found
            case Largest(parts=parts):
                return self._largest([self._value(part, counts) for part in parts])
            case Least(parts=parts):
                return self._least([self._value(part, counts) for part in parts])
            case Clamp(part=part, low=low, high=high):
                raised = self._largest([self._value(part, counts), _constant(low)])
                return self._least([raised, _constant(high)])
            case Sum(terms=terms):
                return _sum([_weigh(w, self._value(part, counts)) for w, part in terms])

    def _form(self, form: Form, counts: dict[int, Any]) -> _Value:
        scale = math.lcm(form.constant.denominator, *(w.denominator for _, w in form.weights))
        whole = [(counts[c], int(w * scale)) for c, w in form.weights if c in counts]
        base = int(form.constant * scale)
        # Of databases of so many records, all may lie in one cell.
        low = base + self.most * min([0, *(w for _, w in whole)])
        high = base + self.most * max([0, *(w for _, w in whole)])
        _require_fits(max(-low, high))
        return _Value(sum(w * count for count, w in whole) + base, low, high, scale)

    def _largest(self, parts: list[_Value]) -> _Value:
        alike = _alike(parts)
        low, high = max(p.low for p in alike), max(p.high for p in alike)
        found = self._new(low, high, alike[0].scale)
        self.model.add_max_equality(found.linear, [p.linear for p in alike])
        return found

    def _least(self, parts: list[_Value]) -> _Value:
        alike = _alike(parts)
        low, high = min(p.low for p in alike), min(p.high for p in alike)
        found = self._new(low, high, alike[0].scale)
        self.model.add_min_equality(found.linear, [p.linear for p in alike])
        return found


def _sum(terms: list[_Value]) -> _Value:
    alike = _alike([*terms, _constant(Fraction(0))])
    low, high = sum(term.low for term in alike), sum(term.high for term in alike)
    _require_fits(max(-low, high))
    return _Value(sum(term.linear for term in alike), low, high, alike[0].scale)


def _constant(number: Fraction) -> _Value:
    exact = Fraction(number)
    return _Value(exact.numerator, exact.numerator, exact.numerator, exact.denominator)


def _weigh(weight: Fraction, value: _Value) -> _Value:
    exact = Fraction(weight)
    low, high = sorted((value.low * exact.numerator, value.high * exact.numerator))
    _require_fits(max(-low, high))
    return _Value(value.linear * exact.numerator, low, high, value.scale * exact.denominator)


def _alike(values: list[_Value]) -> list[_Value]:
    """The same values over one denominator."""
    scale = math.lcm(*(value.scale for value in values))
    found = []
    for value in values:
        by = scale // value.scale
        _require_fits(by * max(-value.low, value.high))
        found.append(_Value(value.linear * by, value.low * by, value.high * by, scale))
    return found


def _require_fits(size: int) -> None:
    if size > LARGEST_INTEGER:
        raise _TooLargeError


class _TooLargeError(Exception):
    """A number of the model would not fit the solver."""
