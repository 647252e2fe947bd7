"""What the cells of an AEMC problem have to move and may move for free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.mgd.problem import Problem


@dataclass(frozen=True, eq=False)
class Slack:
    """Amounts of each cell [cells], cells in the order of memory.

    ``surplus`` has to leave (or be removed), ``missing`` has to come (or be added); ``room``
    may come and ``spare`` may leave for free.
    """

    surplus: NDArray[np.int64]
    missing: NDArray[np.int64]
    room: NDArray[np.int64]
    spare: NDArray[np.int64]

    def at(self, cells: NDArray[np.bool_]) -> Slack:
        """The slack of the cells in a mask [cells]."""
        return Slack(self.surplus[cells], self.missing[cells], self.room[cells], self.spare[cells])


def slack(problem: Problem) -> Slack:
    """The slack of every cell, min(P, max(Q - Δ, 0)) records having stayed where they are.

    Letting min(P, Q) stay would be wrong with Δ > 0: the tolerance lets some of it leave.
    """
    synthetic, real = problem.synthetic.ravel(), problem.real.ravel()
    lowest, highest = np.maximum(real - problem.tolerance, 0), real + problem.tolerance
    start = np.clip(synthetic, lowest, highest)
    return Slack(
        surplus=np.maximum(synthetic - highest, 0),
        missing=np.maximum(lowest - synthetic, 0),
        room=highest - start,
        spare=start - lowest,
    )
