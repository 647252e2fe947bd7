"""Randomized response: every record answers for itself."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.errors import TooLargeError
from synthesizers.exact import Exact, ExpRational, add, multiply
from synthesizers.neighbours import Neighbours, histograms
from synthesizers.noise import require_positive
from synthesizers.randomness import Entropy, bernoulli_exp, uniform_below

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]

MAX_RECORDS = 300
"""The most records whose exact law is built, one convolution a record."""


@dataclass(frozen=True, slots=True)
class RandomizedResponse:
    """Every record keeps its cell with odds e^ε to 1 against each other cell (Warner 1965).

    k-ary: P[keep] = e^ε/(e^ε + k - 1). The output counts the answers.

    Guarantee
    ---------
    ``chance`` is exact. ε bounds the loss of replacing one record; adding or
    removing one shows in the number of answers, so there no finite bound holds.
    Backed by ``tests/synthesizers/test_table_laws.py``.
    """

    epsilon: Fraction
    name = "randomized-response"

    def __post_init__(self) -> None:
        require_positive(self.epsilon, "the epsilon of randomized response")

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every histogram with as many records as some listed database."""
        sizes = sorted({int(total) for total in rows.sum(axis=1)})
        tables = (histograms(rows.shape[1], size).tolist() for size in sizes)
        return [tuple(row) for row in itertools.chain.from_iterable(tables)]

    def chance(self, counts: Outcome, outcome: Outcome) -> Exact:
        """The exact chance of an outcome."""
        return _responses(self.epsilon, counts).get(outcome, Fraction(0))

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw: propose a uniform cell, keep it always if true, else with chance e^-ε."""
        cells = len(counts)
        pending = np.repeat(np.arange(cells), counts)
        answers = np.zeros(cells, np.int64)
        while len(pending):
            proposed = np.asarray(uniform_below(cells, len(pending), entropy), np.int64)
            accepted = bernoulli_exp(Fraction(self.epsilon), len(pending), entropy)
            accepted |= proposed == pending
            np.add.at(answers, proposed[accepted], 1)
            pending = pending[~accepted]
        return answers

    def cost(self, neighbours: Neighbours) -> Cost:
        """See the class."""
        if neighbours.records_public:
            return Cost.pure(Fraction(self.epsilon))
        return UNBOUNDED

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""
        return {"law": self.name, "epsilon": str(self.epsilon)}


@lru_cache(maxsize=65536)
def _responses(epsilon: Fraction, counts: Outcome) -> dict[Outcome, Exact]:
    """The law of the answers' histogram: the convolution of one law a record."""
    cells = len(counts)
    if sum(counts) > MAX_RECORDS:
        raise TooLargeError(f"randomized response is enumerated up to {MAX_RECORDS} records")
    source = next((cell for cell, count in enumerate(counts) if count), None)
    if source is None:
        return {(0,) * cells: Fraction(1)}
    fewer = tuple(count - (cell == source) for cell, count in enumerate(counts))
    total = {Fraction(epsilon): Fraction(1), Fraction(0): Fraction(cells - 1)}
    if cells == 1:
        del total[Fraction(0)]
    keep = ExpRational({Fraction(epsilon): Fraction(1)}, total)
    move = ExpRational({Fraction(0): Fraction(1)}, total)
    law: dict[Outcome, Exact] = {}
    for answers, chance in _responses(epsilon, fewer).items():
        for cell in range(cells):
            outcome = tuple(count + (place == cell) for place, count in enumerate(answers))
            part = multiply(chance, keep if cell == source else move)
            law[outcome] = add(law[outcome], part) if outcome in law else part
    return law
