"""Black boxes: whatever can be run on a database and gives an output."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair


class BlackBox(Protocol):
    """Something that can only be run.

    ``block``: how many runs one call of `draw` should be asked for, at most. A box is sent to
    other processes, so it pickles.
    """

    @property
    def name(self) -> str:
        """What a report calls it."""
        ...

    @property
    def block(self) -> int:
        """The most runs of one call."""
        ...

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, in order: on the second database where it is true.

        ``seed``: all randomness that the box is handed comes from it, so that a box without
        randomness of its own gives the same again. What goes wrong in a run is an outcome;
        ProtocolError only where the box can't be run at all.
        """
        ...


@runtime_checkable
class Starting(BlackBox, Protocol):
    """A black box whose runs share processes, and that can start others.

    ``serves``: its runs take entropy of their own, so that they can be the same again and still
    owe it to their process: what they show is always confirmed.
    """

    @property
    def serves(self) -> bool:
        """Whether a submission's own server makes the runs."""
        ...

    def draw_afresh(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """As `draw`, in a process that has run nothing before."""
        ...

    def draw_first(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """As `draw`, each run the only one of its process."""
        ...


@runtime_checkable
class Copied(BlackBox, Protocol):
    """A black box whose runs share a copy of the caller's process, and that can make others."""

    def draw_in_copies(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        """One run for each coin, each in a copy of its own.

        Some come after runs on other databases, so that a generator which the caller's process
        holds has moved on. Raises CannotFork where there can be no copy.
        """
        ...
