"""Models of large domains: Markov random fields, fitted by mirror descent with belief propagation.

Private-PGM (McKenna, Sheldon & Miklau 2019) in doubles and NumPy alone. The field is kept
*calibrated*: the law of each clique of a junction tree, and its law given what it shares with its
parent. A step of descent multiplies these by one factor for each measured marginal, and a pass of
messages up and down the tree (Lauritzen & Spiegelhalter 1988) calibrates them again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from synthesizers.estimation.clique_tables import Clique, aligned, contracted, divided, summed
from synthesizers.estimation.dense import FAR, GROWTH
from synthesizers.estimation.junction_trees import JunctionTree, junction_tree
from synthesizers.estimation.models import FloatArray, IntArray, NoisyMarginal, Shape
from synthesizers.estimation.systematic import systematic_choices
from synthesizers.estimation.targets import (
    Target,
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
            law = self._eliminated(kept)
        else:
            law = summed(self.laws[holder], self.tree.cliques[holder], kept)
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
                table = summed(law, clique, kept).transpose([kept.index(n) for n in names])
                groups = np.zeros(rows, np.int64)
                for other in known:
                    groups = groups * self.shape[other] + codes[:, columns[other]]
                chances = table.reshape(-1, self.shape[name])
                codes[:, columns[name]] = systematic_choices(chances, groups, generator)
                known.append(name)
        return codes

    @cached_property
    def _given(self) -> tuple[FloatArray, ...]:
        """Each clique's law given what it shares with its parent."""
        cliques, separators = self.tree.cliques, self.tree.separators
        return tuple(
            divided(law, aligned(summed(law, clique, shared), shared, clique))
            for law, clique, shared in zip(self.laws, cliques, separators, strict=True)
        )

    def _eliminated(self, wanted: Clique) -> FloatArray:
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
            law = summed(self.laws[k] if last else self._given[k], clique, needed)
            message = contracted([(needed, law), *arrived[k]], kept)
            if last:
                return message
            arrived[self.tree.parents[k]].append((kept, message))
        raise AssertionError("every attribute is in a clique")


def fitted(
    shape: Shape,
    measured: Sequence[NoisyMarginal],
    total: float,
    steps: int,
    start: GraphicalModel | None = None,
) -> GraphicalModel:
    """The field of a total that fits what was measured: the descent of `dense`, on the same loss.

    ``start``: where the descent begins, and what stays the independent field.
    """
    targets = targets_of(shape, measured)
    tree = junction_tree(shape, [target.attributes for target in targets])
    shares = independent_shares(shape, measured) if start is None else start.independent
    field = _Field(tree, targets, total)
    given, _ = _calibrated(tree, _independent_factors(tree, shares))
    potentials = _begun(targets, start)
    at = field.moved(given, [np.zeros_like(table) for table in potentials], potentials)
    step = first_step(targets, total)
    ahead, age = [np.zeros_like(table) for table in potentials], 0
    for _ in range(steps if targets else 0):
        age += 1
        momentum = age / (age + 3)
        moved = [past - step * slope for past, slope in zip(ahead, at.gradients, strict=True)]
        shifts = [
            np.clip((1 + momentum) * move - past, -FAR, FAR)
            for move, past in zip(moved, ahead, strict=True)
        ]
        tried = field.moved(at.given, at.potentials, shifts)
        if tried.loss <= at.loss:
            at, ahead, step = tried, [momentum * move for move in moved], step * GROWTH
        elif age > 1:
            ahead, age = [np.zeros_like(past) for past in ahead], 0
        else:
            step, age = step / 2, 0
    sets = [target.attributes for target in targets]
    kept = dict(zip(sets, at.potentials, strict=True))
    return GraphicalModel(shape, total, tree, tuple(at.laws), shares, kept)


@dataclass(frozen=True, eq=False)
class _At:
    """A calibrated field of a descent.

    ``given``, ``laws``: of each clique. ``potentials``, ``gradients``: of each target.
    """

    given: list[FloatArray]
    laws: list[FloatArray]
    potentials: list[FloatArray]
    loss: float
    gradients: list[FloatArray]


@dataclass(frozen=True, eq=False)
class _Field:
    """What stays the same along a descent."""

    tree: JunctionTree
    targets: Sequence[Target]
    total: float

    @cached_property
    def places(self) -> list[int]:
        """The number of the clique that holds each target."""
        held = [self.tree.holding(target.attributes) for target in self.targets]
        return [number for number in held if number is not None]

    def moved(
        self,
        given: Sequence[FloatArray],
        potentials: Sequence[FloatArray],
        shifts: Sequence[FloatArray],
    ) -> _At:
        """The field whose potentials are shifted."""
        factors = [table.copy() for table in given]
        for target, place, shift in zip(self.targets, self.places, shifts, strict=True):
            clique = self.tree.cliques[place]
            factors[place] *= aligned(np.exp(shift), target.attributes, clique)
        now = [table + shift for table, shift in zip(potentials, shifts, strict=True)]
        own, laws = _calibrated(self.tree, factors)
        loss, gradients = 0.0, []
        for target, place in zip(self.targets, self.places, strict=True):
            law = summed(laws[place], self.tree.cliques[place], target.attributes)
            part, gradient = target.compared(self.total * law)
            loss += part
            gradients.append(gradient)
        return _At(own, laws, now, loss, gradients)


def _begun(targets: Sequence[Target], start: GraphicalModel | None) -> list[FloatArray]:
    """The potentials of each target from which a descent begins: those of an earlier field."""
    begun = {target.attributes: np.zeros(target.sizes) for target in targets}
    for names, potential in ({} if start is None else start.potentials).items():
        wider = next(clique for clique in begun if set(names) <= set(clique))
        begun[wider] = begun[wider] + aligned(potential, names, wider)
    return list(begun.values())


def _independent_factors(tree: JunctionTree, shares: Mapping[str, FloatArray]) -> list[FloatArray]:
    """The independent field: each attribute's shares in the first clique that has it."""
    placed: set[str] = set()
    factors = []
    for clique in tree.cliques:
        factor = np.ones([len(shares[name]) for name in clique])
        for name in clique:
            if name not in placed:
                factor = factor * aligned(shares[name], (name,), clique)
        placed.update(clique)
        factors.append(factor)
    return factors


def _calibrated(
    tree: JunctionTree, factors: list[FloatArray]
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Each clique's law given its parent, and its law, of the field ∝ the factors' product.

    Changes ``factors``.
    """
    for k in reversed(range(1, len(factors))):
        clique, shared, parent = tree.cliques[k], tree.separators[k], tree.parents[k]
        message = summed(factors[k], clique, shared)
        factors[k] = divided(factors[k], aligned(message, shared, clique))
        factors[parent] *= aligned(message / message.max(), shared, tree.cliques[parent])
    factors[0] /= factors[0].sum()
    laws = [factors[0]]
    for k in range(1, len(factors)):
        clique, shared, parent = tree.cliques[k], tree.separators[k], tree.parents[k]
        above = summed(laws[parent], tree.cliques[parent], shared)
        laws.append(factors[k] * aligned(above, shared, clique))
    return factors, laws
