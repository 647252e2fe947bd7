"""The dual of AEMC along one long line, by its breakpoints instead of its levels.

``trees.py`` has the dual and its recursion. On k values it needs about 2k levels, so k² steps;
V_k is concave and piecewise linear, and has few breakpoints. Here two heaps hold them, those
left and those right of the maximum: a window moves all of the one down and all of the other
up, and a gain carries those over whose slopes change sign (the slope trick). That is k·log k
steps, unless gains alternate so strongly that most breakpoints change sides every time.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LONG = 250
"""From so many levels to either side of 0 on, breakpoints are faster than a vector of levels.

Measured with ``benchmarks/aemc.py --lines`` on differences of about 20 records a value.
"""

FEW = 10
"""With fewer lines than this breakpoints are faster at any length: a vector has its overhead."""


@dataclass
class _Concave:
    """A concave function on [-penalty, penalty] with its largest value.

    ``left`` holds (-position, weight) and ``right`` (position, weight) of the breakpoints,
    each before it was moved by -``moved`` or +``moved``; a weight is by how much the slope
    falls there. At the ends of the domain any weight is to be had.
    """

    penalty: int
    largest: int = 0
    moved: int = 0
    left: list[tuple[int, int]] = field(default_factory=list)
    right: list[tuple[int, int]] = field(default_factory=list)

    @property
    def first(self) -> int:
        """The lowest position of the maximum."""
        return max(-self.left[0][0] - self.moved, -self.penalty) if self.left else -self.penalty

    @property
    def last(self) -> int:
        """The highest position of the maximum."""
        return min(self.right[0][0] + self.moved, self.penalty) if self.right else self.penalty

    def gain(self, below: int, above: int) -> None:
        """Add π·below for π < 0 and π·above for π ≥ 0; ``below`` ≥ ``above``."""
        # The bend at 0 must not move the maximum: it goes to the side of 0 that is higher.
        bend = below - above
        if self.last >= 0:
            if bend:
                heapq.heappush(self.left, (-self.moved, bend))
            self._tilt(above)
        else:
            if bend:
                heapq.heappush(self.right, (-self.moved, bend))
            self._tilt(below)

    def widen(self, step: int) -> None:
        """Replace V(π) by its largest value within ``step`` of π."""
        self.moved += step

    def _tilt(self, slope: int) -> None:
        """Add π·slope: breakpoints of that weight in all change sides."""
        ahead, behind = (self.right, self.left) if slope > 0 else (self.left, self.right)
        rest = abs(slope)
        while rest:
            position, weight = self.penalty, rest
            if ahead and ahead[0][0] + self.moved < self.penalty:
                stored, weight = heapq.heappop(ahead)
                position = stored + self.moved
                if weight > rest:
                    heapq.heappush(ahead, (stored, weight - rest))
                    weight = rest
            # A heap stores sign·position: what was ahead at x is behind at -x.
            heapq.heappush(behind, (-position - self.moved, weight))
            self.largest += weight * position
            rest -= weight


def long_line(
    below: list[int], above: list[int], step: int, penalty: int, potentials: bool
) -> tuple[int, NDArray[np.int64]]:
    """The optimum of one line, in units, and optimal π [values] (zeros if not wanted).

    ``below`` and ``above`` are P - max(Q - Δ, 0) and P - (Q + Δ) of each value.

    **Guarantee.** Exact in whole numbers of any size: backed by the comparison with the
    level programme in ``tests/audit/utility/mgd/solvers/test_lines.py``.
    """
    value = _Concave(penalty)
    firsts, lasts = [], []
    for down, up in zip(below, above, strict=True):
        value.widen(step)
        value.gain(down, up)
        if potentials:
            firsts.append(value.first)
            lasts.append(value.last)
    chosen = np.zeros(len(below), dtype=np.int64)
    low, high = -penalty, penalty
    for k in range(len(firsts) - 1, -1, -1):
        first = min(max(firsts[k], low), high)
        last = min(max(lasts[k], low), high)
        chosen[k] = level = min(max(0, first), last)
        low, high = max(level - step, -penalty), min(level + step, penalty)
    return value.largest, chosen
