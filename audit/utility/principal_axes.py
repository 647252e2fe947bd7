"""Principal axes of public tables: directions along which their records differ most.

The axes are a function of the tables that they are found in, and of nothing else: a confidential
table that is projected on them tells no more than its places.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

from audit.utility.axis_terms import Terms, terms_of
from audit.utility.counts import Attributes, Counted
from audit.utility.records import Records

MOST_AXES = 5
"""The most axes: ten pictures of two, as many as SDNist draws."""

MOST_TERMS = 4000
"""About the most terms of all attributes together: their covariances then fit 128 megabytes. An
attribute with more values than its part of it keeps the most frequent ones."""

SMALL = 400
"""Up to so many terms all axes are found, of which the first are taken; beyond, those alone."""

FLAT = 1e-9
"""An axis with no more than this share of the variance is left out: it is rounding."""

DECIMALS = 9
"""Of a place: records at one place must not be told apart by the rounding of their sums."""

Matrix = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """Up to ``MOST_AXES`` axes over a domain, by falling variance.

    ``terms`` [K]: what the axes are made of: an ordered attribute by its position among its
    values, and whether it has none; every value of another attribute. ``loadings`` [axes, K]: of
    unit length, their largest entry in size above 0. ``shares`` [axes]: of all variance of the
    public tables. ``weights``: what each code of an attribute adds to the place of a record,
    [size + 1, axes]; an attribute that does not vary there adds nothing.
    """

    terms: tuple[str, ...]
    loadings: Matrix
    shares: NDArray[np.float64]
    weights: Mapping[str, Matrix]

    def __len__(self) -> int:
        return len(self.shares)

    def places(self, table: Records) -> Matrix:
        """The place of every record on every axis [axes, records]; 0 is the public mean.

        Rounded to ``DECIMALS``.
        """
        places = np.zeros((len(self), table.records))
        for name, weights in self.weights.items():
            codes = table.column(name)
            for axis in range(len(self)):
                places[axis] += weights[codes, axis]
        return np.round(places, DECIMALS, out=places)


def find_axes(tables: Sequence[Counted]) -> PrincipalAxes:
    """The principal axes of tables over one domain, each with equal weight.

    Every attribute is centred and scaled to a variance of 1 over the tables, its terms together:
    the position of an ordered value is one number, and every value of another attribute is an
    indicator, so that one with many values weighs no more than one with two. The axes are the
    eigenvectors of the terms' covariance (Pearson, "On lines and planes of closest fit to systems
    of points in space", 1901), which is taken from the counts of every two attributes.
    """
    domain = tables[0].domain
    names = domain.names
    most = max(MOST_TERMS // len(names), 2)
    alone = _mean_marginals(tables, [(name,) for name in names])
    terms = [
        terms_of(each, np.bincount(cells, shares, each.size + 1).astype(np.float64), most)
        for each, (cells, shares) in zip(domain.attributes, alone, strict=True)
    ]
    ends = np.cumsum([0, *(len(own.names) for own in terms)])
    spans = [slice(*span) for span in itertools.pairwise(ends)]
    covariance = np.zeros((ends[-1], ends[-1]))
    for span, own in zip(spans, terms, strict=True):
        covariance[span, span] = own.values.T @ (own.shares[:, None] * own.values)
    pairs = list(itertools.combinations(range(len(names)), 2))
    sets = [(names[first], names[second]) for first, second in pairs]
    for (first, second), marginal in zip(pairs, _mean_marginals(tables, sets), strict=True):
        part = _covariance(terms[first], terms[second], *marginal)
        covariance[spans[first], spans[second]] = part
        covariance[spans[second], spans[first]] = part.T
    loadings, variances = _find_leading(covariance)
    return PrincipalAxes(
        tuple(name for own in terms for name in own.names),
        loadings,
        variances / np.trace(covariance),
        {
            name: (own.values @ loadings[:, span].T)[own.kinds]
            for name, own, span in zip(names, terms, spans, strict=True)
        },
    )


def _mean_marginals(
    tables: Sequence[Counted], sets: Sequence[Attributes]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.float64]]]:
    """Cells of each marginal, some of them several times, with shares of records that add up."""
    shape = tuple(size + 1 for size in tables[0].domain.shape)
    for each in zip(*(table.counts(tuple(sets), shape) for table in tables), strict=True):
        cells = [np.flatnonzero(c.counts) if c.cells is None else c.cells for c in each]
        shares = [
            counts.at(own) / (len(tables) * table.records)
            for table, counts, own in zip(tables, each, cells, strict=True)
        ]
        yield np.concatenate(cells), np.concatenate(shares)


def _covariance(
    first: Terms, second: Terms, cells: NDArray[np.int64], shares: NDArray[np.float64]
) -> Matrix:
    """The covariances of the terms of two attributes, from their marginal."""
    rows, columns = np.divmod(cells, len(second.kinds))
    kinds = first.kinds[rows], second.kinds[columns]
    joint = csr_array((shares, kinds), shape=(len(first.shares), len(second.shares)))
    return np.asarray(first.values.T @ (joint @ second.values))


def _find_leading(covariance: Matrix) -> tuple[Matrix, NDArray[np.float64]]:
    """The first eigenvectors [axes, K], signs fixed, and their variances, by falling variance."""
    width = len(covariance)
    if not width:
        return covariance, np.zeros(0)
    if width <= SMALL:
        variances, vectors = np.linalg.eigh(covariance)
    else:
        variances, vectors = eigsh(covariance, MOST_AXES, v0=np.ones(width))
    order = np.argsort(-variances, kind="stable")[:MOST_AXES]
    order = order[variances[order] > FLAT * np.trace(covariance)]
    loadings = vectors[:, order].T
    # Two entries of one size, such as those of two values, must not leave the sign to rounding.
    sizes = np.round(np.abs(loadings), 9)
    largest = loadings[np.arange(len(order)), np.argmax(sizes, axis=1)]
    return loadings * np.sign(largest)[:, None], variances[order]
