"""Queries whose form is known: our declared kinds, and piecewise linear ones.

They answer histograms of cells; a database of records is counted first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from audit.attack.databases import dataset_of_records
from audit.sensitivity.answers import Answer, Database, Record
from audit.sensitivity.piecewise import Abs, Counts, PiecewiseLinear, Sum, form
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.queries import ModelError, Query

MOST_CELLS = 2**14
"""The most cells over which a model error is written out as distances (a choice of this project:
thousands, as described queries may have)."""


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
        return self.query if isinstance(self.query, PiecewiseLinear) else None

    def of_counts(self, counts: Counts) -> Answer:
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
        """The exact answer on records, as `audit.sensitivity.answers.Answering` has it."""
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
    """The scores as sums of |count of a marginal's cell - the model's|.

    None for a domain of more than `MOST_CELLS` cells.
    """
    if domain.size > MOST_CELLS:
        return None
    codes = domain.codes()
    outputs = []
    for marginal, model in zip(query.candidates, query.models, strict=True):
        columns = [domain.position(name) for name in marginal.attributes]
        places = domain.project(marginal.attributes).cells_of(codes[:, columns])
        within: list[dict[int, int]] = [{} for _ in model]
        for cell, place in enumerate(places.tolist()):
            within[place][cell] = 1
        distances = (Abs(form(w, -count)) for w, count in zip(within, model, strict=True))
        outputs.append(Sum(tuple((Fraction(1), distance) for distance in distances)))
    return PiecewiseLinear(domain.size, tuple(outputs))
