"""Row-stochastic laws: the whole table in, a table of counts out.

These are the laws of `Sanitize` events. A table is a histogram over the
domain's cells; each law gives the exact chance of every histogram it may
return, and samples from exactly that law.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import UNBOUNDED, Cost
from synthesizers.errors import InputError
from synthesizers.exact import Exact, ExpRational, add, multiply
from synthesizers.intervals import log_interval
from synthesizers.neighbours import AddRemove, Neighbours, histograms
from synthesizers.noise import require_positive
from synthesizers.product_laws import product_chance
from synthesizers.public_laws import Multinomial
from synthesizers.randomness import Entropy, bernoulli_exp, uniform_below

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]


class TableLaw(Protocol):
    """A law that maps a table of counts to a random table of counts."""

    @property
    def name(self) -> str:
        """The law's name, as ledgers print it."""

    def outcomes(self, rows: IntArray) -> Sequence[Outcome]:
        """Every histogram that some listed database ([databases, cells]) may give."""

    def chance(self, counts: Outcome, outcome: Outcome) -> Exact:
        """The exact chance of an outcome, given the true counts; 0 outside the support."""

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw of exactly this law."""

    def cost(self, neighbours: Neighbours) -> Cost:
        """An upper bound on its privacy loss over databases of any size."""

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""


def _prior(alpha: tuple[Fraction, ...], cells: int) -> tuple[Fraction, ...]:
    if len(alpha) == 1:
        return alpha * cells
    if len(alpha) != cells:
        raise InputError(f"alpha needs 1 or {cells} numbers, one a cell, found {len(alpha)}")
    return alpha


def _require_prior(alpha: tuple[Fraction, ...], records: int) -> None:
    if not alpha:
        raise InputError("alpha needs at least one number")
    for value in alpha:
        require_positive(value, "alpha")
    if isinstance(records, bool) or not isinstance(records, int) or records < 0:
        raise InputError("the number of synthetic records must be a whole number >= 0")


def _unit_cost(log_ratio: Fraction, factor: int, neighbours: Neighbours) -> Cost:
    """ε = factor · ln(ratio) a step, rounded up, times the steps between neighbours."""
    unit = neighbours.unit
    # A person's exchange is at most m removals and m additions, each bounded like a replacement.
    double = not isinstance(neighbours, AddRemove) and not unit.is_record
    steps = unit.max_records * (2 if double else 1)
    return Cost.pure(factor * steps * log_interval(log_ratio, 64).upper)


@dataclass(frozen=True, slots=True)
class DirichletMultinomial:
    """Posterior predictive counts: p ~ Dirichlet(alpha + n), then Multinomial(m, p).

    Abowd & Vilhuber 2008, equation (1). ``alpha``: one prior count for all
    cells, or one a cell. ``records``: the synthetic size m, public.

    Guarantee
    ---------
    ``chance`` is m!/∏mᵢ! · ∏ aᵢ^(mᵢ rising) / A^(m rising) with aᵢ = αᵢ + nᵢ
    and A = Σ aᵢ, exactly. ε = ln(1 + m/min α) bounds the loss of one record
    added, removed or replaced; the replacement attains it. Backed by
    ``tests/synthesizers/test_table_laws.py``.
    """

    alpha: tuple[Fraction, ...]
    records: int
    name = "dirichlet-multinomial"

    def __post_init__(self) -> None:
        _require_prior(self.alpha, self.records)
        # Quotients of Python integers would be doubles.
        object.__setattr__(self, "alpha", tuple(Fraction(value) for value in self.alpha))

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every histogram of m records."""
        return [tuple(row) for row in histograms(rows.shape[1], self.records).tolist()]

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """m!/A^(m rising); 0 for another number of rows."""
        if drawn != self.records:
            return Fraction(0)
        total = sum(_prior(self.alpha, cells), Fraction(0)) + records
        return math.factorial(drawn) / _rising(total, drawn)

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """aᵢ^(mᵢ rising)/mᵢ!."""
        weight = _prior(self.alpha, cells)[cell] + count
        return _rising(weight, drawn) / math.factorial(drawn)

    def chance(self, counts: Outcome, outcome: Outcome) -> Fraction:
        """The exact chance of an outcome."""
        return product_chance(self, counts, outcome)

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw, as a Pólya urn."""
        prior = _prior(self.alpha, len(counts))
        scale = math.lcm(*(value.denominator for value in prior))
        weights = [
            int(value * scale) + scale * int(count)
            for value, count in zip(prior, counts, strict=True)
        ]
        return samplers.polya_urn(weights, scale, self.records, entropy)

    def cost(self, neighbours: Neighbours) -> Cost:
        """See the class."""
        return _unit_cost(1 + self.records / min(self.alpha), 1, neighbours)

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""
        return {"law": self.name, "alpha": [str(a) for a in self.alpha], "records": self.records}


@lru_cache(maxsize=65536)
def _rising(base: Fraction, steps: int) -> Fraction:
    """base · (base + 1) · … · (base + steps - 1)."""
    return math.prod((base + step for step in range(steps)), start=Fraction(1))


@dataclass(frozen=True, slots=True)
class PlugInMultinomial:
    """Multinomial(m, (alpha + n)/(Σ alpha + n)): the posterior mean plugged in.

    The law of Abowd & Vilhuber's Figures 1 and 2. Less private than the
    posterior predictive: ε = m·ln((min α + 1)/min α).

    Guarantee
    ---------
    ``chance`` is exact; ε bounds the loss of one record added, removed or
    replaced. Backed by ``tests/synthesizers/test_table_laws.py``.
    """

    alpha: tuple[Fraction, ...]
    records: int
    name = "plug-in-multinomial"

    def __post_init__(self) -> None:
        _require_prior(self.alpha, self.records)
        # Quotients of Python integers would be doubles.
        object.__setattr__(self, "alpha", tuple(Fraction(value) for value in self.alpha))

    def _draw(self, counts: Sequence[int]) -> Multinomial:
        prior = _prior(self.alpha, len(counts))
        scale = math.lcm(*(value.denominator for value in prior))
        weights = tuple(
            int(value * scale) + scale * int(count)
            for value, count in zip(prior, counts, strict=True)
        )
        return Multinomial(self.records, weights)

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every histogram of m records."""
        return [tuple(row) for row in histograms(rows.shape[1], self.records).tolist()]

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """m!/A^m; 0 for another number of rows."""
        if drawn != self.records:
            return Fraction(0)
        total = sum(_prior(self.alpha, cells), Fraction(0)) + records
        return math.factorial(drawn) / total**drawn

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """aᵢ^mᵢ/mᵢ!."""
        weight = _prior(self.alpha, cells)[cell] + count
        return weight**drawn / math.factorial(drawn)

    def chance(self, counts: Outcome, outcome: Outcome) -> Fraction:
        """The exact chance of an outcome."""
        return product_chance(self, counts, outcome)

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw."""
        return np.array(self._draw(counts.tolist()).sample(entropy), np.int64)

    def cost(self, neighbours: Neighbours) -> Cost:
        """See the class."""
        return _unit_cost(1 + 1 / min(self.alpha), self.records, neighbours)

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""
        return {"law": self.name, "alpha": [str(a) for a in self.alpha], "records": self.records}


@dataclass(frozen=True, slots=True)
class Subsample:
    """A uniform sample without replacement of ⌊fraction · n⌋ of the n records.

    Guarantee
    ---------
    ``chance`` is the multivariate hypergeometric ∏ C(nᵢ, mᵢ)/C(n, m), exactly.
    No finite ε holds. Backed by ``tests/synthesizers/test_table_laws.py``.
    """

    fraction: Fraction
    name = "subsample"

    def __post_init__(self) -> None:
        require_positive(self.fraction, "the fraction of a subsample")
        if self.fraction > 1:
            raise InputError(f"the fraction of a subsample is at most 1, found {self.fraction}")

    def drawn(self, records: int) -> int:
        """The sample's size for ``records`` records."""
        return math.floor(self.fraction * records)

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every histogram that fits into some listed database."""
        sizes = sorted({self.drawn(int(total)) for total in rows.sum(axis=1)})
        found: list[Outcome] = []
        for size in sizes:
            candidates = histograms(rows.shape[1], size)
            sources = rows[[self.drawn(int(total)) == size for total in rows.sum(axis=1)]]
            for candidate in candidates:
                if (sources >= candidate).all(axis=1).any():
                    found.append(tuple(candidate.tolist()))
        return found

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """1/C(n, m); 0 for another size of the sample."""
        return Fraction(int(drawn == self.drawn(records)), math.comb(records, drawn) or 1)

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """C(nᵢ, mᵢ)."""
        return Fraction(math.comb(count, drawn))

    def chance(self, counts: Outcome, outcome: Outcome) -> Fraction:
        """The exact chance of an outcome."""
        return product_chance(self, counts, outcome)

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw."""
        return samplers.hypergeometric_subset(counts, self.drawn(int(counts.sum())), entropy)

    def cost(self, neighbours: Neighbours) -> Cost:
        """No finite bound: a record of a cell of its own is shown or not."""
        return UNBOUNDED

    def to_json(self) -> dict[str, Any]:
        """The law as plain data."""
        return {"law": self.name, "fraction": str(self.fraction)}


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
