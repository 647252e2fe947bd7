"""Laws of the Multinomial-Dirichlet synthesizer (Abowd & Vilhuber 2008)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthesizers import samplers
from synthesizers.budget import Cost
from synthesizers.errors import InputError
from synthesizers.intervals import log_interval
from synthesizers.laws.product_laws import ProductLaw
from synthesizers.neighbours import Neighbours, histograms
from synthesizers.noise import require_positive
from synthesizers.plain import PlainLaw, require_count, require_tuple
from synthesizers.randomness import Entropy

Outcome = tuple[int, ...]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Posterior(PlainLaw, ProductLaw):
    """A prior count for every cell, and the public number of synthetic records.

    ``alpha``: one prior count for all cells, or one a cell. ``records``: the
    synthetic size m.
    """

    alpha: tuple[Fraction, ...]
    records: int

    def __post_init__(self) -> None:
        alpha = require_tuple(self.alpha, "alpha of a prior")
        records = require_count(self.records, "number of synthetic records")
        object.__setattr__(self, "alpha", tuple(require_positive(a, "alpha") for a in alpha))
        object.__setattr__(self, "records", records)
        if not self.alpha:
            raise InputError("alpha needs at least one number")

    def prior(self, cells: int) -> tuple[Fraction, ...]:
        """One prior count a cell; InputError where they do not fit the domain."""
        if len(self.alpha) == 1:
            return self.alpha * cells
        if len(self.alpha) != cells:
            raise InputError(
                f"alpha needs 1 or {cells} numbers, one a cell, found {len(self.alpha)}"
            )
        return self.alpha

    def total(self, cells: int, records: int) -> Fraction:
        """A = Σ αᵢ + n."""
        return sum(self.prior(cells), Fraction(0)) + records

    def outcomes(self, rows: IntArray) -> list[Outcome]:
        """Every histogram of m records."""
        return [tuple(row) for row in histograms(rows.shape[1], self.records).tolist()]

    def weights(self, counts: IntArray) -> tuple[list[int], int]:
        """The posterior counts αᵢ + nᵢ as integers, and the integer that stands for 1."""
        prior = self.prior(len(counts))
        scale = math.lcm(*(value.denominator for value in prior))
        pairs = zip(prior, counts.tolist(), strict=True)
        return [int(value * scale) + scale * count for value, count in pairs], scale


def _unit_cost(log_ratio: Fraction, factor: int, neighbours: Neighbours) -> Cost:
    """ε = factor · ln(ratio) a step, rounded up, times the steps between neighbours."""
    # A person's exchange is some replacements and then additions or removals, at most m in all.
    steps = neighbours.unit.max_records
    return Cost.pure(factor * steps * log_interval(log_ratio, 64).upper)


@lru_cache(maxsize=65536)
def _rising(base: Fraction, steps: int) -> Fraction:
    """base · (base + 1) · … · (base + steps - 1)."""
    return math.prod((base + step for step in range(steps)), start=Fraction(1))


@dataclass(frozen=True, slots=True)
class DirichletMultinomial(_Posterior):
    """Posterior predictive counts: p ~ Dirichlet(alpha + n), then Multinomial(m, p).

    Abowd & Vilhuber 2008, equation (1). ``alpha``: one prior count for all
    cells, or one a cell. ``records``: the synthetic size m, public.

    Guarantee
    ---------
    ``chance`` is m!/∏mᵢ! · ∏ aᵢ^(mᵢ rising) / A^(m rising) with aᵢ = αᵢ + nᵢ
    and A = Σ aᵢ, exactly. ε = ln(1 + m/min α) bounds the loss of one record
    added, removed or replaced; the replacement attains it. Backed by
    ``tests/synthesizers/laws/test_table_laws.py``.
    """

    name = "dirichlet-multinomial"

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """m!/A^(m rising); 0 for another number of rows."""
        if drawn != self.records:
            return Fraction(0)
        total = self.total(cells, records)
        return math.factorial(drawn) / _rising(total, drawn)

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """aᵢ^(mᵢ rising)/mᵢ!."""
        weight = self.prior(cells)[cell] + count
        return _rising(weight, drawn) / math.factorial(drawn)

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw, as a Pólya urn."""
        weights, scale = self.weights(counts)
        return samplers.polya_urn(weights, scale, self.records, entropy)

    def cost(self, neighbours: Neighbours) -> Cost:
        """See the class."""
        return _unit_cost(1 + self.records / min(self.alpha), 1, neighbours)


@dataclass(frozen=True, slots=True)
class PlugInMultinomial(_Posterior):
    """Multinomial(m, (alpha + n)/(Σ alpha + n)): the posterior mean plugged in.

    The law of Abowd & Vilhuber's Figures 1 and 2. Less private than the
    posterior predictive: ε = m·ln((min α + 1)/min α).

    Guarantee
    ---------
    ``chance`` is exact; ε bounds the loss of one record added, removed or
    replaced. Backed by ``tests/synthesizers/laws/test_table_laws.py``.
    """

    name = "plug-in-multinomial"

    def whole_factor(self, cells: int, records: int, drawn: int) -> Fraction:
        """m!/A^m; 0 for another number of rows."""
        if drawn != self.records:
            return Fraction(0)
        total = self.total(cells, records)
        return math.factorial(drawn) / total**drawn

    def cell_factor(self, cell: int, cells: int, count: int, drawn: int) -> Fraction:
        """aᵢ^mᵢ/mᵢ!."""
        weight = self.prior(cells)[cell] + count
        return weight**drawn / math.factorial(drawn)

    def sample(self, counts: IntArray, entropy: Entropy) -> IntArray:
        """One draw."""
        return samplers.multinomial(self.records, self.weights(counts)[0], entropy)

    def cost(self, neighbours: Neighbours) -> Cost:
        """See the class."""
        return _unit_cost(1 + 1 / min(self.alpha), self.records, neighbours)
