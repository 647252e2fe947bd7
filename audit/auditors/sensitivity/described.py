"""Queries whose form is known: our declared kinds, and piecewise linear ones.

They answer histograms of cells; a database of records is counted first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from audit.auditors.sensitivity.answers import Answer, Database, Record
from audit.auditors.sensitivity.piecewise import (
    Abs,
    CountsByCell,
    Expression,
    PiecewiseLinear,
    Sum,
    form,
)
from audit.subjects.databases import dataset_of_records
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.queries import (
    CellErrors,
    Marginal,
    ModelError,
    Query,
    RecodedMarginal,
    TableDistances,
)

MOST_CELLS = 2**14
"""The most cells over which scores are written out as distances (thousands, as described queries
may have)."""


@dataclass(frozen=True)
class Described:
    """A query of known form over a domain; raises InputError where it does not fit."""

    query: Query | PiecewiseLinear
    domain: Domain

    def __post_init__(self) -> None:
        if not isinstance(self.query, PiecewiseLinear):
            self.query.size(self.domain)
        elif self.query.cells != self.domain.size:
            raise InputError(
                f"the query is over {self.query.cells} cells and the domain has {self.domain.size}"
            )
        # Whose a record is says nothing to it.
        object.__setattr__(self, "domain", Domain(self.domain.name, self.domain.attributes))

    @property
    def forms(self) -> PiecewiseLinear | None:
        """The query written out as piecewise linear forms; None where it is not, or too large."""
        if isinstance(self.query, ModelError):
            return model_error_as_forms(self.query, self.domain)
        if isinstance(self.query, CellErrors):
            return cell_errors_as_forms(self.query, self.domain)
        if isinstance(self.query, TableDistances):
            return table_distances_as_forms(self.query, self.domain)
        return self.query if isinstance(self.query, PiecewiseLinear) else None

    def of_counts(self, counts: CountsByCell) -> Answer:
        """The exact answer on a histogram; a declared kind's is what it answers itself."""
        if isinstance(self.query, PiecewiseLinear):
            exact = self.query.answers(counts)
            return Answer(exact, (len(exact),))
        codes = np.array([codes_of(self.domain, cell) for cell in counts], np.int64)
        weights = np.array([list(counts.values())], np.int64)
        shape = (len(counts), len(self.domain.attributes))
        found = self.query.answers(self.domain, codes.reshape(shape), weights)[0].tolist()
        return Answer(tuple(found), (len(found),))

    def answer(self, database: Database) -> Answer:
        """The exact answer on records, as `audit.auditors.sensitivity.answers.Answering` has it."""
        codes = dataset_of_records(list(database), self.domain).codes
        return self.of_counts(Counter(cell_of(self.domain, row) for row in codes.tolist()))

    def record(self, cell: int) -> Record:
        """A cell as a record of labels, None where a value is missing."""
        found: Record = {}
        for attribute, code in zip(
            self.domain.attributes, codes_of(self.domain, cell), strict=True
        ):
            known = code < len(attribute.values)
            found[attribute.name] = attribute.values[code] if known else None
        return found


def codes_of(domain: Domain, cell: int) -> tuple[int, ...]:
    """A cell's codes, one an attribute; the domain may have more cells than 64 bits number."""
    found = []
    for radix in reversed(domain.shape):
        cell, code = divmod(cell, radix)
        found.append(code)
    return tuple(reversed(found))


def cell_of(domain: Domain, codes: Sequence[int]) -> int:
    """The inverse of `codes_of`."""
    cell = 0
    for code, radix in zip(codes, domain.shape, strict=True):
        cell = cell * radix + code
    return cell


def model_error_as_forms(query: ModelError, domain: Domain) -> PiecewiseLinear | None:
    """The scores as weighted sums of |count of a marginal's cell - the model's|, plus offsets.

    None for a domain of more than `MOST_CELLS` cells.
    """
    if domain.size > MOST_CELLS:
        return None
    size = len(query.candidates)
    factors, offsets = query.weights or (1,) * size, query.offsets or (0,) * size
    outputs = []
    for counted, model, factor, offset in zip(
        query.candidates, query.models, factors, offsets, strict=True
    ):
        held = _count_cells(counted, domain, 1)
        distances = [Abs(form(w, -count)) for w, count in zip(held, model, strict=True)]
        terms: list[tuple[Fraction, Expression]] = [(Fraction(factor), d) for d in distances]
        outputs.append(Sum((*terms, *([(Fraction(1), form({}, offset))] if offset else []))))
    return PiecewiseLinear(domain.size, tuple(outputs))


def cell_errors_as_forms(query: CellErrors, domain: Domain) -> PiecewiseLinear | None:
    """The scores as |scale·count - number|; None for a domain of more than `MOST_CELLS` cells."""
    if domain.size > MOST_CELLS:
        return None
    outputs: list[Expression] = []
    for marginal, cells, model in zip(query.marginals, query.cells, query.models, strict=True):
        held = _count_cells(marginal, domain, query.scale)
        outputs += [Abs(form(held[cell], -n)) for cell, n in zip(cells, model, strict=True)]
    return PiecewiseLinear(domain.size, tuple(outputs))


def table_distances_as_forms(query: TableDistances, domain: Domain) -> PiecewiseLinear | None:
    """The scores as -Σ|scale·count - number|; None for a domain of more than `MOST_CELLS` cells."""
    if domain.size > MOST_CELLS:
        return None
    held = [cell for one in query.marginals for cell in _count_cells(one, domain, query.scale)]
    outputs = []
    for model in query.models:
        distances = [Abs(form(own, -number)) for own, number in zip(held, model, strict=True)]
        outputs.append(Sum(tuple((Fraction(-1), distance) for distance in distances)))
    return PiecewiseLinear(domain.size, tuple(outputs))


def _count_cells(
    counted: Marginal | RecodedMarginal, domain: Domain, weight: int
) -> list[dict[int, int]]:
    """For each answer the cells of the domain that it counts, each with the weight."""
    found: list[dict[int, int]] = [{} for _ in range(counted.size(domain))]
    places = np.zeros(domain.size, np.int64)
    kept = np.ones(domain.size, np.bool_)
    codes = domain.codes()
    for place, name in enumerate(counted.attributes):
        own = codes[:, domain.position(name)]
        radix = domain.attribute(name).size
        if isinstance(counted, RecodedMarginal):
            own, radix = np.array(counted.groups[place], np.int64)[own], counted.shape[place]
        kept &= own >= 0
        places = places * radix + own
    for cell in np.flatnonzero(kept).tolist():
        found[places[cell]][cell] = weight
    return found
