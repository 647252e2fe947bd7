"""Every record answers for itself: the law of all answers, and randomized response."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.errors import TooLargeError
from synthesizers.exact import Exact, ExpRational
from synthesizers.neighbours import Neighbours, histograms
from synthesizers.noise import require_positive
from synthesizers.plain import PlainLaw
from synthesizers.randomness import Entropy, bernoulli_exp, uniform_below

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]

MAX_RECORDS = 300
"""The most records whose exact law is built, one convolution a record."""


class RecordLaw(Hashable, Protocol):
    """A law by which every record answers for itself, whatever the others are."""

    @property
    def certainty(self) -> Any:
        """The number 1 of its arithmetic."""

    def answer(self, source: int, cells: int) -> Sequence[Any]:
        """Each cell's weight as the answer of a record of the cell ``source``, [cells]."""


@lru_cache(maxsize=65536)
def answers(law: RecordLaw, counts: Outcome) -> dict[Outcome, Any]:
    """The weights of the answers' histograms: the convolution of one law a record.

    Shared by all who ask: not to be changed. Raises TooLargeError above
    `MAX_RECORDS` records.

    Guarantee
    ---------
    Exact in the law's own arithmetic, and exactly the histograms of positive
    weight. Backed by the comparison with all vectors of answers in
    ``tests/synthesizers/laws/test_pram.py`` and ``tests/synthesizers/laws/test_table_laws.py``.
    """
    if sum(counts) > MAX_RECORDS:
        raise TooLargeError(
            f"laws by which every record answers are enumerated up to {MAX_RECORDS} records"
        )
    cells = len(counts)
    source = next((cell for cell, count in enumerate(counts) if count), None)
    if source is None:
        return {(0,) * cells: law.certainty}
    fewer = (*counts[:source], counts[source] - 1, *counts[source + 1 :])
    weights = [pair for pair in enumerate(law.answer(source, cells)) if pair[1]]
    found: dict[Outcome, Any] = {}
    for histogram, weight in answers(law, fewer).items():
        for cell, chance in weights:
            outcome = (*histogram[:cell], histogram[cell] + 1, *histogram[cell + 1 :])
            part = weight * chance
            found[outcome] = found[outcome] + part if outcome in found else part
    return found


@dataclass(frozen=True, slots=True)
class RandomizedResponse(PlainLaw):
    """Every record keeps its cell with odds e^ε to 1 against each other cell (Warner 1965).

    k-ary: P[keep] = e^ε/(e^ε + k - 1). The output counts the answers.

    Guarantee
    ---------
    ``chance`` is exact. ε bounds the loss of replacing one record; adding or
    removing one shows in the number of answers, so there no finite bound holds.
    Backed by ``tests/synthesizers/laws/test_table_laws.py``.
    """

    epsilon: Fraction
    name = "randomized-response"
    certainty = Fraction(1)

    def __post_init__(self) -> None:
        epsilon = require_positive(self.epsilon, "epsilon of randomized response")
        object.__setattr__(self, "epsilon", epsilon)

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every histogram with as many records as some listed database."""
        sizes = sorted({int(total) for total in rows.sum(axis=1)})
        tables = (histograms(rows.shape[1], size).tolist() for size in sizes)
        return [tuple(row) for row in itertools.chain.from_iterable(tables)]

    def answer(self, source: int, cells: int) -> list[Exact]:
        """e^ε for the record's own cell and 1 for each other, over their sum."""
        if cells == 1:
            return [self.certainty]
        power, rest = self.epsilon, Fraction(0)
        total = {power: Fraction(1), rest: Fraction(cells - 1)}
        keep, move = (ExpRational({kind: Fraction(1)}, total) for kind in (power, rest))
        return [keep if cell == source else move for cell in range(cells)]

    def chance(self, counts: Outcome, outcome: Outcome) -> Exact:
        """The exact chance of an outcome."""
        found: Exact = answers(self, counts).get(outcome, Fraction(0))
        return found

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw: propose a uniform cell, keep it always if true, else with chance e^-ε."""
        cells = len(counts)
        pending = np.repeat(np.arange(cells), counts)
        answers = np.zeros(cells, np.int64)
        while len(pending):
            proposed = np.asarray(uniform_below(cells, len(pending), entropy), np.int64)
            accepted = bernoulli_exp(self.epsilon, len(pending), entropy)
            accepted |= proposed == pending
            np.add.at(answers, proposed[accepted], 1)
            pending = pending[~accepted]
        return answers

    def cost(self, neighbours: Neighbours) -> Cost:
        """See the class."""
        if neighbours.records_public:
            return Cost.pure(self.epsilon)
        return UNBOUNDED
