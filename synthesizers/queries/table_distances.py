"""Scores of whole tables: how near public tables come to the data, on the marginals of a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours
from synthesizers.plain import PlainQuery, require_integer, require_integers, require_tuple
from synthesizers.queries.counts import Marginal
from synthesizers.queries.query import MAX_SUMMAND, IntArray, Sensitivity, spans_sensitivity

_MOST_RECORDS = 2**28
_MOST_SCORE = 2**62


@dataclass(frozen=True, slots=True)
class TableDistances(PlainQuery):
    """Scores: for each public table, minus the sum over marginals of Σ|scale·count - its number|.

    ``models``: for each table its numbers, marginal after marginal, each in the order of its cells.
    The largest score is that of the nearest table. Where n is public and each marginal's numbers
    sum to scale·n, a score is -2·scale·n times the sum of the total variations.

    Sensitivity of one score, exactly, with m the most records of a unit: the triangle inequality
    bounds the move of a marginal's distance by scale times the L1 move of its counts. That is m
    under AddRemove, in one direction for every cell. Under ReplaceOne m records leave and m come:
    2m, and for a marginal of a single cell m - of a record 0, as n is public. One unit moves all
    marginals at once, so the moves add up; a table far from the data, with records that differ in
    every attribute, attains the sum. Scores of two tables may move in opposite directions, so they
    are not monotone.
    """

    marginals: tuple[Marginal, ...]
    models: tuple[tuple[int, ...], ...]
    scale: int = 1
    kind = "table-distances"

    def __post_init__(self) -> None:
        marginals = require_tuple(self.marginals, "marginals of table distances")
        lists = require_tuple(self.models, "models of table distances")
        models = tuple(require_integers(model, "numbers of a table") for model in lists)
        object.__setattr__(self, "marginals", marginals)
        object.__setattr__(self, "models", models)
        object.__setattr__(self, "scale", require_integer(self.scale, "scale of table distances"))
        if not marginals or not models:
            raise InputError("table distances need one or more marginals and one or more tables")
        if not 0 < self.scale <= MAX_SUMMAND:
            raise InputError("the scale of table distances must lie in 1 … 2^31")
        most = len(marginals) * self.scale * _MOST_RECORDS
        if most + max(sum(map(abs, model)) for model in models) > _MOST_SCORE:
            raise InputError(
                "the numbers of the tables are too large: a table distance may pass 2^62"
            )

    def size(self, domain: Domain) -> int:
        """One score a table; InputError where a table's numbers do not fit the marginals."""
        cells = sum(marginal.size(domain) for marginal in self.marginals)
        for model in self.models:
            if len(model) != cells:
                raise InputError(f"each table needs {cells} numbers, found {len(model)}")
        return len(self.models)

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Scores, [databases, tables]."""
        self.size(domain)
        return self.compare([query.answers(domain, codes, weights) for query in self.marginals])

    @property
    def tables(self) -> tuple[Marginal, ...]:
        """The marginals that the public tables are compared on."""
        return self.marginals

    def compare(self, counts: Sequence[IntArray]) -> IntArray:
        """Scores, [databases, tables], of the counts [databases, cells] of each marginal."""
        held = self.scale * np.concatenate(list(counts), axis=1)
        columns = [-np.abs(held - np.array(model, np.int64)).sum(axis=1) for model in self.models]
        return np.asarray(np.stack(columns, axis=1), np.int64)

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class."""
        moves = (marginal.sensitivity(domain, neighbours).l1 for marginal in self.marginals)
        return spans_sensitivity([self.scale * sum(moves)] * len(self.models))
