"""Compression: values that a noisy histogram finds rare are merged, and spread again at the end.

Source: MST (McKenna, Miklau & Sheldon 2021), the domain compression of section 4. Pure functions
of noisy counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import diags_array

from synthesizers.estimation.models import FloatArray, IntArray, NoisyMarginal
from synthesizers.queries import RecodedMarginal


@dataclass(frozen=True, eq=False)
class Compression:
    """The group of each code of each attribute, in the order of the domain.

    Codes that are kept have groups of their own, in order; the merged ones share the last.
    """

    groups: Mapping[str, tuple[int, ...]]

    @cached_property
    def shape(self) -> dict[str, int]:
        """How many groups each attribute has."""
        return {name: max(groups) + 1 for name, groups in self.groups.items()}

    def marginal(self, attributes: Sequence[str]) -> RecodedMarginal:
        """The question for a marginal of groups."""
        return RecodedMarginal(tuple(attributes), tuple(self.groups[name] for name in attributes))

    def merge_codes(self, noisy: NoisyMarginal) -> NoisyMarginal:
        """A noisy marginal of one attribute, its codes merged.

        A group of k codes is held as its sum over √k, whose variance is a single code's.
        """
        (name,) = noisy.attributes
        members = np.array(self.groups[name])
        sizes = np.bincount(members)
        sums = np.bincount(members, weights=noisy.counts)
        scaled = None if sizes.max() == 1 else diags_array(1 / np.sqrt(sizes)).tocsr()
        return NoisyMarginal((name,), sums / np.sqrt(sizes), noisy.variance, scaled)

    def spread_table(self, counts: FloatArray) -> FloatArray:
        """A table of groups [cells] as one of codes [cells], a group's count shared equally."""
        table = counts.reshape(tuple(self.shape.values()))
        for axis, groups in enumerate(self.groups.values()):
            sizes = np.bincount(groups)
            shares = table.take(groups, axis=axis)
            table = shares / sizes[list(groups)].reshape(_along(axis, table.ndim))
        return table.reshape(-1)

    def spread_records(self, codes: IntArray, generator: np.random.Generator) -> IntArray:
        """Records of groups [rows, attributes] as records of codes, uniform within a group."""
        spread = np.empty_like(codes)
        for column, groups in enumerate(self.groups.values()):
            members = np.array(groups)
            order, sizes = np.argsort(members, kind="stable"), np.bincount(members)
            starts, own = np.cumsum(sizes) - sizes, codes[:, column]
            spread[:, column] = order[starts[own] + generator.integers(sizes[own])]
        return spread


def compression_of(
    histograms: Sequence[NoisyMarginal], multiple: float, exempt: Collection[str] = ()
) -> Compression:
    """Keep the codes whose noisy count is at least ``multiple`` standard deviations; merge others.

    ``histograms``: of one attribute each, in the order of the domain. Of ``exempt`` attributes all
    codes are kept.
    """
    groups = {}
    for noisy in histograms:
        kept = noisy.counts >= multiple * math.sqrt(noisy.variance)
        kept |= noisy.attributes[0] in exempt
        numbers = np.where(kept, np.cumsum(kept) - 1, int(kept.sum()))
        groups[noisy.attributes[0]] = tuple(numbers.tolist())
    return Compression(groups)


def _along(axis: int, axes: int) -> tuple[int, ...]:
    return tuple(-1 if k == axis else 1 for k in range(axes))
