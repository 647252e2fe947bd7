"""Scores: how far the data lie from something public, one number a candidate."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.plain import (
    PlainQuery,
    require_integer,
    require_integers,
    require_text,
    require_tuple,
)
from synthesizers.queries.counts import Marginal, RecodedMarginal, count_sensitivity
from synthesizers.queries.query import MAX_SUMMAND, IntArray, Sensitivity, spans_sensitivity

_MOST_RECORDS = 2**28


@dataclass(frozen=True, slots=True)
class ModelError(PlainQuery):
    """Scores: for each candidate marginal, its L1 distance to a public model's counts.

    The score of MST, AIM and MWEM+PGM; candidate i scores weights[i]·distance +
    offsets[i] where these public numbers are given. It moves both ways between
    neighbours.
    """

    candidates: tuple[Marginal | RecodedMarginal, ...]
    models: tuple[tuple[int, ...], ...]
    weights: tuple[int, ...] = ()
    offsets: tuple[int, ...] = ()
    kind = "model-error"

    def __post_init__(self) -> None:
        candidates = require_tuple(self.candidates, "candidates of a model error")
        models = require_tuple(self.models, "models of a model error")
        models = tuple(require_integers(model, "counts of a model") for model in models)
        object.__setattr__(self, "candidates", candidates)
        object.__setattr__(self, "models", models)
        for name in ("weights", "offsets"):
            given = require_integers(getattr(self, name), f"{name} of a model error")
            object.__setattr__(self, name, given)
            if given and len(given) != len(self.candidates):
                raise InputError(f"the {name} of a model error are one number a candidate, or none")
            if any(abs(number) > MAX_SUMMAND for number in given):
                raise InputError(f"the {name} of a model error must lie within ±2^31")
        if not self.candidates or len(self.candidates) != len(self.models):
            raise InputError("model error needs one model for each of one or more candidates")
        if min(self.weights, default=0) < 0:
            raise InputError("the weights of a model error must not be negative")
        if any(model and max(max(model), -min(model)) > MAX_SUMMAND for model in self.models):
            raise InputError("the counts of a model must lie within ±2^31")
        sums = [_MOST_RECORDS + sum(map(abs, model)) for model in self.models]
        if self.weights and max(map(operator.mul, self.weights, sums)) > 2**62:
            raise InputError("the weights of a model error are too large: a score may pass 2^62")

    def size(self, domain: Domain) -> int:
        """One score a candidate; InputError where a model does not fit its marginal."""
        for marginal, model in zip(self.candidates, self.models, strict=True):
            if marginal.size(domain) != len(model):
                raise InputError(
                    f"the model of {', '.join(marginal.attributes)} needs "
                    f"{marginal.size(domain)} counts, found {len(model)}"
                )
        return len(self.candidates)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Scores, [databases, candidates]."""
        self.size(domain)
        return self.compare([query.answers(domain, codes, weights) for query in self.tables])

    @property
    def tables(self) -> tuple[Marginal | RecodedMarginal, ...]:
        """The tables that models are compared with."""
        return self.candidates

    def compare(self, counts: Sequence[IntArray]) -> IntArray:
        """Scores, [databases, candidates], of the counts [databases, cells] of each table."""
        scores = [
            np.abs(held - np.array(model, np.int64)).sum(axis=1)
            for held, model in zip(counts, self.models, strict=True)
        ]
        size = len(scores)
        factors = np.array(self.weights or (1,) * size, np.int64)
        shifts = np.array(self.offsets or (0,) * size, np.int64)
        return np.asarray(np.stack(scores, axis=1) * factors + shifts, np.int64)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """Each score moves by at most its weight times the L1 sensitivity of its marginal."""
        weights = self.weights or (1,) * len(self.candidates)
        spans = [
            weight * marginal.sensitivity(domain, neighbours).l1
            for marginal, weight in zip(self.candidates, weights, strict=True)
        ]
        return spans_sensitivity(spans)


@dataclass(frozen=True, slots=True)
class CellErrors(PlainQuery):
    """Scores: for each candidate cell of some marginals, |scale·count - model's number|.

    The score of MWEM, RAP and GEM, with counts as queries. ``cells``: for each
    marginal the candidates among its cells; ``models``: the public number of
    each. It moves both ways between neighbours.
    """

    marginals: tuple[Marginal, ...]
    cells: tuple[tuple[int, ...], ...]
    models: tuple[tuple[int, ...], ...]
    scale: int = 1
    kind = "cell-errors"

    def __post_init__(self) -> None:
        object.__setattr__(self, "marginals", require_tuple(self.marginals, "marginals of errors"))
        for name in ("cells", "models"):
            lists = require_tuple(getattr(self, name), f"{name} of cell errors")
            numbers = tuple(require_integers(members, f"{name} of a marginal") for members in lists)
            object.__setattr__(self, name, numbers)
            if len(numbers) != len(self.marginals) or not numbers:
                raise InputError(f"cell errors need the {name} of each of one or more marginals")
        object.__setattr__(self, "scale", require_integer(self.scale, "scale of cell errors"))
        if not 0 < self.scale <= MAX_SUMMAND:
            raise InputError("the scale of cell errors must lie in 1 … 2^31")
        for cells, model in zip(self.cells, self.models, strict=True):
            if not cells or len(cells) != len(model) or len(set(cells)) != len(cells):
                raise InputError("each marginal needs different candidate cells and their models")
            if max(map(abs, model)) > 2**62:
                raise InputError("the numbers of a model must lie within ±2^62")

    def size(self, domain: Domain) -> int:
        """One score a candidate cell; InputError for a cell outside its marginal."""
        for marginal, cells in zip(self.marginals, self.cells, strict=True):
            if min(cells) < 0 or max(cells) >= marginal.size(domain):
                raise InputError(
                    f"cells of {', '.join(marginal.attributes)} must lie in "
                    f"0 … {marginal.size(domain) - 1}"
                )
        return sum(map(len, self.cells))

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Scores, [databases, candidates]: marginal after marginal."""
        self.size(domain)
        return self.compare([query.answers(domain, codes, weights) for query in self.tables])

    @property
    def tables(self) -> tuple[Marginal, ...]:
        """The tables that models are compared with."""
        return self.marginals

    def compare(self, counts: Sequence[IntArray]) -> IntArray:
        """Scores, [databases, candidates], of the counts [databases, cells] of each table."""
        scores = [
            np.abs(self.scale * held[:, list(cells)] - np.array(model, np.int64))
            for held, cells, model in zip(counts, self.cells, self.models, strict=True)
        ]
        return np.concatenate(scores, axis=1)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """Each score moves by at most scale·m, as the counts do."""
        moves = [
            count_sensitivity(
                len(cells) > 1,
                len(cells) < marginal.size(domain) or not neighbours.records_public,
                neighbours,
            )
            for marginal, cells in zip(self.marginals, self.cells, strict=True)
        ]
        largest = self.scale * max(move.linf for move in moves)
        return Sensitivity(
            self.scale * sum(move.l1 for move in moves),
            self.scale**2 * sum(move.l2_squared for move in moves),
            largest,
            largest == 0,
        )


@dataclass(frozen=True, slots=True)
class IndependenceDistance(PlainQuery):
    """Scores: for each pair of attribute sets, ⌊scale·Σ|n_ab - n_a·n_b/n|⌋, its InDif in counts.

    How far two sets of attributes are from independence: PrivSyn's InDif; over
    2n it is the total variation that PrivBayes calls R. n is the number of
    records that the database has; without records the score is 0.

    Sensitivities of one score, over its scale: 4m under AddRemove. A record more,
    in cell (i, j), changes joint minus product by n/(n+1)·(e_i - a)(e_j - b)ᵀ for the
    two marginal laws a and b, of L1 norm at most 4n/(n+1). Under ReplaceOne of a record 6:
    half the distance is the largest surplus X(S) - E(S) of a set of cells S; X(S)
    moves by at most 1, and E(S) by at most n times the total variation of two
    products of marginal laws that each move by 1/n, so by 2. Tables of two rows
    are moved by 4 at most: their distance is 2·Σ|n_1k - p·n_k| with p = n_1/n, and
    the changes of n_1k - p·n_k have sizes of sum 2 at most. Of persons 8m: their
    records are removed and added.
    """

    candidates: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    scale: int = 1
    kind = "independence-distance"

    def __post_init__(self) -> None:
        pairs = require_tuple(self.candidates, "candidates of independence distances")
        found = []
        for pair in pairs:
            sides = require_tuple(pair, "a pair of attribute sets")
            if len(sides) != 2:
                raise InputError("an independence distance is between two sets of attributes")
            left, right = (
                tuple(require_text(name, "attribute") for name in require_tuple(side, "a side"))
                for side in sides
            )
            Marginal(left + right)
            if not left or not right:
                raise InputError("an independence distance needs attributes on both sides")
            found.append((left, right))
        if not found:
            raise InputError("independence distances need one or more candidates")
        object.__setattr__(self, "candidates", tuple(found))
        object.__setattr__(self, "scale", require_integer(self.scale, "scale of a distance"))
        if not 0 < self.scale <= MAX_SUMMAND:
            raise InputError("the scale of independence distances must lie in 1 … 2^31")

    def size(self, domain: Domain) -> int:
        """One score a candidate."""
        for left, right in self.candidates:
            Marginal(left + right).size(domain)
        return len(self.candidates)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Scores, [databases, candidates]."""
        columns = [self._scores(pair, domain, codes, weights) for pair in self.candidates]
        return np.stack(columns, axis=1)

    def _scores(
        self,
        pair: tuple[tuple[str, ...], tuple[str, ...]],
        domain: Domain,
        codes: IntArray,
        weights: IntArray,
    ) -> IntArray:
        left, right = pair
        joint = Marginal(left + right).answers(domain, codes, weights)
        joint = joint.reshape(len(weights), Marginal(left).size(domain), -1)
        records = joint.sum(axis=(1, 2))
        product = joint.sum(axis=2)[:, :, None] * joint.sum(axis=1)[:, None, :]
        moved = np.abs(records[:, None, None] * joint - product).sum(axis=(1, 2))
        # At most 2n² < 2^57, but its multiple by the scale may pass int64.
        return np.array(
            [
                self.scale * distance // n if n else 0
                for distance, n in zip(moved.tolist(), records.tolist(), strict=True)
            ],
            np.int64,
        )

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        m = neighbours.unit.max_records
        spans = []
        for left, right in self.candidates:
            sizes = Marginal(left).size(domain), Marginal(right).size(domain)
            if min(sizes) == 1:
                factor = 0
            elif isinstance(neighbours, AddRemove):
                factor = 4 * m
            elif not neighbours.unit.is_record:
                factor = 8 * m
            else:
                factor = 4 if min(sizes) == 2 else 6
            spans.append(self.scale * factor)
        return spans_sensitivity(spans)
