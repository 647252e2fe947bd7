"""Rare values of an attribute put together by noisy counts, and drawn apart again.

Source: Li, Zhang & Wang 2021 (DPSyn), section 5; Zhang et al. 2021 (PrivSyn), section 5.
Thresholds are compared with noisy counts, never with true ones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

DROPPED = -1
"""The group of values that are not counted any more."""


@dataclass(frozen=True, slots=True)
class Recoding:
    """The group of each code of an attribute, from 0; `DROPPED` for codes that no record keeps."""

    groups: tuple[int, ...]

    @classmethod
    def of(cls, counts: FloatArray, threshold: float, *, drop: bool) -> Recoding:
        """Codes of at least ``threshold`` counts keep a group of their own, in order.

        All others form one more group, the last. With ``drop``, they are left out where their
        counts sum to less than the threshold, unless no code were left.
        """
        kept = counts >= threshold
        groups = np.where(kept, np.cumsum(kept) - 1, int(kept.sum()))
        if drop and kept.any() and counts[~kept].sum() < threshold:
            groups = np.where(kept, groups, DROPPED)
        return cls(tuple(groups.tolist()))

    @classmethod
    def identity(cls, size: int) -> Recoding:
        """Each code in a group of its own."""
        return cls(tuple(range(size)))

    @property
    def size(self) -> int:
        """The number of groups."""
        return max(self.groups) + 1

    def grouped(self, counts: FloatArray) -> FloatArray:
        """The counts [codes] summed by group."""
        groups = np.array(self.groups)
        kept = groups != DROPPED
        summed = np.bincount(groups[kept], counts[kept], minlength=self.size)
        return summed.astype(np.float64)

    def undone(
        self, values: IntArray, counts: FloatArray, generator: np.random.Generator
    ) -> IntArray:
        """Codes for groups: each drawn among those of its group ∝ the counts [codes] above 0.

        A group whose counts are all 0 or less takes its codes as equal.
        """
        codes = np.empty(len(values), np.int64)
        for group in range(self.size):
            members = np.flatnonzero(np.array(self.groups) == group)
            weights = np.maximum(counts[members], 0.0)
            weights = weights if weights.any() else np.ones(len(members))
            rows = np.flatnonzero(values == group)
            codes[rows] = generator.choice(members, len(rows), p=weights / weights.sum())
        return codes
