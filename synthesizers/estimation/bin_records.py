"""Records that have the bins of some bases: whole tables of small domains, GUM on others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain
from synthesizers.estimation.bases import Bins, groups_of
from synthesizers.estimation.generation import SMALL_DOMAIN, public_generator, round_table
from synthesizers.estimation.gum import Gradual, approach
from synthesizers.estimation.maximum_entropy import fit_proportionally
from synthesizers.estimation.negatives import norm_sub
from synthesizers.estimation.record_targets import (
    Codes,
    FloatArray,
    IntArray,
    RecordTarget,
    independent_columns,
)

FITTINGS = 50
"""Rounds of proportional fitting."""


@dataclass(frozen=True, eq=False, slots=True)
class BinTarget(RecordTarget):
    """Counts that records are to have in bins. ``groups``: of each column, each code's bin."""

    groups: tuple[IntArray, ...]

    def cells(self, codes: Codes) -> Codes:
        """The bin of every record."""
        return bins_of(codes, self.columns, self.shape, self.groups).astype(np.int32)

    def write(self, codes: Codes, rows: IntArray, cells: IntArray) -> None:
        """Overwrite columns of some rows, so that they lie in the bins ``cells``.

        A code that is in the wanted group stays; otherwise the codes of the group take turns.
        """
        values = np.unravel_index(cells, self.shape)
        for column, value, groups in zip(self.columns, values, self.groups, strict=True):
            for group in range(int(groups.max()) + 1):
                moved = rows[(value == group) & (groups[codes[rows, column]] != group)]
                codes[moved, column] = np.resize(np.flatnonzero(groups == group), len(moved))


def bins_of(
    codes: Codes | IntArray,
    columns: Sequence[int],
    shape: Sequence[int],
    groups: Sequence[IntArray],
) -> IntArray:
    """The bin of every record, the last column fastest."""
    found = np.zeros(len(codes), np.int64)
    for column, size, own in zip(columns, shape, groups, strict=True):
        found = found * size + own[codes[:, column]]
    return found


def records_of_bins(curator: Curator, bins: Sequence[Bins], rows: int, rounds: int) -> Dataset:
    """So many records that have the bins as nearly as ``rounds`` of GUM bring them.

    A small domain's table is fitted whole, so that the output is a function of the transcript; for
    any other a seed is drawn.
    """
    domain = curator.domain
    targets = [_target(domain, own, rows) for own in bins]
    if domain.size <= SMALL_DOMAIN:
        codes = domain.codes()
        parts = [
            (bins_of(codes, each.columns, each.shape, each.groups), norm_sub(own.counts).ravel())
            for each, own in zip(targets, bins, strict=True)
        ]
        return round_table(domain, fit_proportionally(domain.size, parts, FITTINGS), rows)
    generator = public_generator(curator)
    records = independent_columns(_columns(domain, bins), rows, generator)
    approach(records, targets, Gradual(), rounds, generator)
    return Dataset(domain, records.astype(np.int64))


def _target(domain: Domain, own: Bins, rows: int) -> BinTarget:
    columns = tuple(domain.position(name) for name in own.attributes)
    whole = RecordTarget.of(columns, norm_sub(own.counts), rows)
    groups = tuple(
        np.array(groups_of(domain.shape[column], codes), np.int64)
        for column, codes in zip(columns, own.items, strict=True)
    )
    return BinTarget(columns, whole.shape, whole.counts, groups)


def _columns(domain: Domain, bins: Sequence[Bins]) -> list[FloatArray]:
    """Each attribute's shares in the first basis that has it, evenly among codes of one group."""
    found = [np.ones(size) for size in domain.shape]
    for own in reversed(bins):
        for axis, (name, codes) in enumerate(zip(own.attributes, own.items, strict=True)):
            gone = tuple(other for other in range(own.counts.ndim) if other != axis)
            counts = norm_sub(own.counts).sum(axis=gone)
            size = domain.attribute(name).size
            groups = np.array(groups_of(size, codes), np.int64)
            found[domain.position(name)] = counts[groups] / np.bincount(groups)[groups]
    return found
