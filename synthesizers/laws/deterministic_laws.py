"""Table laws without chance: every table has one outcome, its image."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.neighbours import MAX_DATABASES, Neighbours
from synthesizers.plain import PlainLaw
from synthesizers.randomness import Entropy

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]

_CERTAIN, _IMPOSSIBLE = Fraction(1), Fraction(0)


@dataclass(frozen=True, slots=True)
class DeterministicLaw(PlainLaw, ABC):
    """A table law that gives every table one outcome for certain; a subclass says which.

    Guarantee
    ---------
    ``chance`` is 1 for a table's own image and 0 for anything else, and
    ``sample`` returns that image. Two neighbours with different images leave no
    finite ε. Backed by ``tests/synthesizers/laws/test_deterministic_laws.py``.
    """

    @abstractmethod
    def image(self, counts: IntArray) -> IntArray:
        """The one outcome of a table of counts [cells]; its length may depend on the table."""

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every image of a listed database ([databases, cells]), ascending."""
        return sorted({_image(self, tuple(row)) for row in rows.tolist()})

    def chance(self, counts: Outcome, outcome: Outcome) -> Fraction:
        """1 or 0."""
        return _CERTAIN if _image(self, counts) == outcome else _IMPOSSIBLE

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """The image; no entropy is used."""
        return self.image(counts)

    def cost(self, neighbours: Neighbours) -> Cost:
        """No finite bound: see the class."""
        return UNBOUNDED


@lru_cache(maxsize=MAX_DATABASES)
def _image(law: DeterministicLaw, counts: Outcome) -> Outcome:
    """The image of a table: an enumeration asks for it once an outcome."""
    return tuple(law.image(np.array(counts, np.int64)).tolist())
