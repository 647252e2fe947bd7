"""Markov random fields, fitted to noisy marginals by mirror descent with belief propagation.

Private-PGM (McKenna, Sheldon & Miklau 2019) in doubles and NumPy alone. The field is kept
*calibrated*: the law of each clique of a junction tree, and its law given what it shares with its
parent. A step of descent multiplies these by one factor for each measured marginal, and a pass of
messages up and down the tree (Lauritzen & Spiegelhalter 1988) calibrates them again. Nothing is
random, and the number of steps is fixed, so that the model is a function of what was measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from synthesizers.estimation.junction_trees import Clique, JunctionTree, junction_tree
from synthesizers.estimation.models import FloatArray, IntArray, NoisyMarginal, Shape
from synthesizers.estimation.systematic import systematic_choices
from synthesizers.estimation.targets import (
    FitTarget,
    first_step,
    independent_shares,
    targets_of,
)


@dataclass(frozen=True, eq=False)
class GraphicalModel:
    """A Markov random field: a junction tree, the law of each clique, and a total.

    ``laws[k]``: of clique k, one axis an attribute; sums to 1. The field is ∝ the product of the
    ``independent`` shares and of e^potential over all ``potentials``, by sets of attributes.
    """

    shape: Shape
    total: float
    tree: JunctionTree
    laws: tuple[FloatArray, ...]
    independent: Mapping[str, FloatArray]
    potentials: Mapping[Clique, FloatArray]

    def counts(self, attributes: Sequence[str]) -> FloatArray:
        """Its marginal of some attributes, [cells], the last one fastest."""
        holder = self.tree.holding(attributes)
        kept = tuple(name for name in self.shape if name in attributes)
        if holder is None:
            law = self._eliminate(kept)
        else:
            law = _sum_out(self.laws[holder], self.tree.cliques[holder], kept)
        order = [kept.index(name) for name in attributes]
        return np.asarray(self.total * law.transpose(order).reshape(-1))

    def records(self, rows: int, generator: np.random.Generator) -> IntArray:
        """Codes [rows, attributes], attribute by attribute, given those of its clique so far."""
        columns = {name: column for column, name in enumerate(self.shape)}
        codes = np.zeros((rows, len(columns)), np.int64)
        for clique, shared, law in zip(
            self.tree.cliques, self.tree.separators, self.laws, strict=True
        ):
            known = list(shared)
            for name in (name for name in clique if name not in shared):
                names = (*known, name)
                kept = tuple(other for other in clique if other in names)
                table = _sum_out(law, clique, kept).transpose([kept.index(n) for n in names])
                groups = np.zeros(rows, np.int64)
                for other in known:
                    groups = groups * self.shape[other] + codes[:, columns[other]]
                chances = table.reshape(-1, self.shape[name])
                codes[:, columns[name]] = systematic_choices(chances, groups, generator)
                known.append(name)
        return codes

    @cached_property
    def _conditionals(self) -> tuple[FloatArray, ...]:
        """Each clique's law given what it shares with its parent."""
        cliques, separators = self.tree.cliques, self.tree.separators
        return tuple(
            _divide(law, _align(_sum_out(law, clique, shared), shared, clique))
            for law, clique, shared in zip(self.laws, cliques, separators, strict=True)
        )

    def _eliminate(self, wanted: Clique) -> FloatArray:
        """The law of attributes that no clique holds.

        From the leaves towards the root, up to the first clique below which all of them are;
        subtrees that hold none of them sum to 1.
        """
        arrived: list[list[tuple[Clique, FloatArray]]] = [[] for _ in self.laws]
        for k in reversed(range(len(self.laws))):
            clique, shared = self.tree.cliques[k], self.tree.separators[k]
            seen = {*clique, *(name for names, _ in arrived[k] for name in names)}
            reached = {name for name in wanted if name in seen}
            last = len(reached) == len(wanted)
            if not last and reached <= set(shared):
                continue
            kept = wanted if last else tuple(n for n in self.shape if n in reached or n in shared)
            passed = {name for names, _ in arrived[k] for name in names}
            needed = tuple(name for name in clique if name in kept or name in passed)
            law = _sum_out(self.laws[k] if last else self._conditionals[k], clique, needed)
            message = _contract([(needed, law), *arrived[k]], kept)
            if last:
                return message
            arrived[self.tree.parents[k]].append((kept, message))
        raise AssertionError("every attribute is in a clique")


def fit_cliques(
    shape: Shape,
    measured: Sequence[NoisyMarginal],
    total: float,
    steps: int,
    start: GraphicalModel | None = None,
    cliques: Iterable[Clique] = (),
) -> GraphicalModel:
    """The field of a total that fits what was measured.

    Entropic mirror descent: p ∝ p·exp(-step·gradient), with Nesterov's extrapolation in the
    exponent, begun anew wherever the loss would grow, and with half the step where there was
    nothing to begin anew. ``start``: where the descent begins, and what stays the independent
    field. ``cliques``: sets of attributes that cliques must hold besides those measured.
    """
    field = _Field.of(shape, targets_of(shape, measured, cliques), total)
    shares = independent_shares(shape, measured) if start is None else start.independent
    at = field.begun(shares, {} if start is None else start.potentials)
    step = first_step(field.targets, total)
    ahead, age = np.zeros_like(at.potentials), 0
    for _ in range(steps if step else 0):
        age += 1
        momentum = age / (age + 3)
        moved = ahead - step * at.gradient
        shift = np.minimum(np.maximum((1 + momentum) * moved - ahead, -FAR), FAR)
        tried = field.moved(at.given, at.potentials, shift)
        if tried.loss <= at.loss:
            at, ahead, step = tried, momentum * moved, step * GROWTH
        elif age > 1:
            ahead, age = np.zeros_like(ahead), 0
        else:
            step, age = step / 2, 0
    sets = [target.attributes for target in field.targets]
    potentials = dict(zip(sets, field.tables(at.potentials), strict=True))
    return GraphicalModel(shape, total, field.tree, tuple(at.laws), shares, potentials)


FAR = 30.0
"""A step multiplies a factor by at most e^30, against overflow."""

GROWTH = 1.1
"""By how much a step grows where the loss fell."""


@dataclass(frozen=True, eq=False, slots=True)
class _At:
    """A calibrated field of a descent.

    ``given``, ``laws``: of each clique. ``potentials``, ``gradient``: of all targets' cells.
    """

    given: list[FloatArray]
    laws: list[FloatArray]
    potentials: FloatArray
    loss: float
    gradient: FloatArray


@dataclass(frozen=True, eq=False)
class _Field:
    """What stays the same along a descent.

    ``places``: of each target, the number of the clique that holds it, and its slice of all cells.
    """

    tree: JunctionTree
    targets: Sequence[FitTarget]
    total: float
    places: Sequence[tuple[int, slice]]

    @classmethod
    def of(cls, shape: Shape, targets: Sequence[FitTarget], total: float) -> _Field:
        """On the junction tree of the targets."""
        tree = junction_tree(shape, [target.attributes for target in targets])
        places, start = [], 0
        for target in targets:
            stop = start + math.prod(target.sizes)
            place = tree.holding(target.attributes)
            assert place is not None
            places.append((place, slice(start, stop)))
            start = stop
        return cls(tree, targets, total, places)

    def tables(self, cells: FloatArray) -> list[FloatArray]:
        """Numbers of all targets' cells as a table a target."""
        return [
            cells[own].reshape(target.sizes)
            for target, (_, own) in zip(self.targets, self.places, strict=True)
        ]

    def begun(
        self, shares: Mapping[str, FloatArray], potentials: Mapping[Clique, FloatArray]
    ) -> _At:
        """The field of independent shares and of an earlier field's potentials."""
        begun = {target.attributes: np.zeros(target.sizes) for target in self.targets}
        for names, potential in potentials.items():
            wider = next(clique for clique in begun if set(names) <= set(clique))
            begun[wider] = begun[wider] + _align(potential, names, wider)
        # What all cells of a target have in common moves no law, and may have grown far.
        near = [table - max(table.max() - FAR, 0.0) for table in begun.values()]
        shift = np.concatenate([np.zeros(0), *(table.reshape(-1) for table in near)])
        return self.moved(_independent_factors(self.tree, shares), np.zeros_like(shift), shift)

    def moved(self, given: Sequence[FloatArray], potentials: FloatArray, shift: FloatArray) -> _At:
        """The field whose potentials are shifted."""
        cliques, factors, growth = self.tree.cliques, list(given), np.exp(shift)
        for target, (place, own) in zip(self.targets, self.places, strict=True):
            factor = growth[own].reshape(target.sizes)
            factors[place] = factors[place] * _align(factor, target.attributes, cliques[place])
        given, laws = _calibrate(self.tree, factors)
        loss, gradients = 0.0, []
        for target, (place, _) in zip(self.targets, self.places, strict=True):
            law = _sum_out(laws[place], cliques[place], target.attributes)
            part, gradient = target.compare(self.total * law.reshape(-1))
            loss += part
            # What moves all cells alike moves no law: left in, it would grow without end.
            gradients.append(gradient - gradient.mean())
        gradient = np.concatenate(gradients) if gradients else np.zeros(0)
        return _At(given, laws, potentials + shift, loss, gradient)


def _independent_factors(tree: JunctionTree, shares: Mapping[str, FloatArray]) -> list[FloatArray]:
    """The independent field: each attribute's shares in the first clique that has it."""
    placed: set[str] = set()
    factors = []
    for clique in tree.cliques:
        factor = np.ones([len(shares[name]) for name in clique])
        for name in clique:
            if name not in placed:
                factor = factor * _align(shares[name], (name,), clique)
        placed.update(clique)
        factors.append(factor)
    return factors


def _calibrate(
    tree: JunctionTree, factors: Sequence[FloatArray]
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Each clique's law given its parent, and its law, of the field ∝ the factors' product."""
    given = list(factors)
    for k in reversed(range(1, len(given))):
        clique, shared, parent = tree.cliques[k], tree.separators[k], tree.parents[k]
        message = _sum_out(given[k], clique, shared)
        given[k] = _divide(given[k], _align(message, shared, clique))
        arriving = _align(message / message.max(), shared, tree.cliques[parent])
        given[parent] = given[parent] * arriving
    given[0] = given[0] / given[0].sum()
    laws = [given[0]]
    for k in range(1, len(given)):
        clique, shared, parent = tree.cliques[k], tree.separators[k], tree.parents[k]
        above = _sum_out(laws[parent], tree.cliques[parent], shared)
        laws.append(given[k] * _align(above, shared, clique))
    return given, laws


# Tables have one axis an attribute: their axes lie in one common order of all attributes.


def _sum_out(table: FloatArray, names: Clique, kept: Clique) -> FloatArray:
    """The table of the kept names: the others are summed."""
    if len(kept) == len(names):
        return table
    away = tuple(axis for axis, name in enumerate(names) if name not in kept)
    return np.asarray(table.sum(axis=away))


def _align(table: FloatArray, names: Clique, wider: Clique) -> FloatArray:
    """The table with an axis of length 1 for each name that is only in ``wider``."""
    if len(wider) == len(names):
        return table
    sizes = dict(zip(names, table.shape, strict=True))
    return table.reshape([sizes.get(name, 1) for name in wider])


def _divide(table: FloatArray, by: FloatArray) -> FloatArray:
    """Their quotient; 0 where the divisor is."""
    return np.divide(table, by, out=np.zeros_like(table), where=by > 0)


def _contract(tables: Sequence[tuple[Clique, FloatArray]], kept: Clique) -> FloatArray:
    """The product of tables, summed over every name that is not kept."""
    numbers: dict[str, int] = {}
    operands: list[Any] = []
    for names, table in tables:
        operands += [table, [numbers.setdefault(name, len(numbers)) for name in names]]
    return np.asarray(np.einsum(*operands, [numbers[name] for name in kept], optimize="greedy"))
