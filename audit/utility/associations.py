"""Two-way associations: how far they differ between the tables, pair by pair of attributes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from audit.utility.counts import Attributes
from audit.utility.metric import Metric
from audit.utility.numeric_columns import midpoints_note, numeric_names
from audit.utility.pair import Marginal, Pair
from audit.utility.records import Records
from audit.utility.score import Breakdown, Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError

Association = float | None
"""The strength of an association; None if it is undefined, as for a column of one value."""

PEARSON = "Pearson"
CRAMER = "Cramér's V"


class Correlations:
    """Pearson's correlations of the numeric columns of one table, over records that have both."""

    def __init__(self, table: Records, names: Sequence[str]) -> None:
        """Columns without gaps are brought to unit length once for all their pairs."""
        self._numbers = {name: table.numbers(name) for name in names}
        self._units = {
            name: _unit(numbers)
            for name, numbers in self._numbers.items()
            if not np.isnan(numbers).any()
        }

    def __call__(self, first: str, second: str) -> Association:
        """The correlation in [-1, 1]; None where either column has one value or none."""
        if first in self._units and second in self._units:
            one, other = self._units[first], self._units[second]
        else:
            both = ~(np.isnan(self._numbers[first]) | np.isnan(self._numbers[second]))
            one, other = (_unit(self._numbers[name][both]) for name in (first, second))
        if one is None or other is None:
            return None
        return float(np.clip(one @ other, -1.0, 1.0))


def cramers_v(marginal: Marginal, *, corrected: bool) -> tuple[Association, Association]:
    """Cramér's V of a two-way marginal in [0, 1], of the real and of the synthetic table.

    None where an attribute has one value alone. ``corrected``: with the bias
    correction of Bergsma (2013), "A bias-correction for Cramér's V and Tschuprow's
    T", Journal of the Korean Statistical Society 42, section 3; else the value
    sqrt(χ²/(n · min(rows - 1, columns - 1))) over the values that occur.
    """
    first, second = marginal.attributes
    rows, columns = marginal.codes(first), marginal.codes(second)
    real = _cramers_v(rows, columns, marginal.real, marginal.shape, corrected)
    return real, _cramers_v(rows, columns, marginal.synthetic, marginal.shape, corrected)


@dataclass(frozen=True, kw_only=True)
class Associations(Metric):
    """The mean over all pairs of attributes of |real association - synthetic association|.

    Pairs of numeric attributes (``numeric``, or for None those of
    ``numeric_names``) have Pearson's correlation, so that the difference can reach
    2; all others Cramér's V over the declared values and bins, by default with
    Bergsma's bias ``correction``, without which V grows as records get fewer.
    A pair without a real association, as where a column has one value, is left out
    and counted. Where the synthetic association alone is undefined it is taken as 0:
    a column that does not vary shows none, and must not be excused for it.
    """

    name = "associations"
    family = "pairs"
    lowest, highest, direction = 0.0, 2.0, "lower"

    numeric: tuple[str, ...] | None = None
    correction: bool = True

    def check(self, domain: Domain) -> None:
        """Refuse a domain of one attribute, and numeric attributes that are none."""
        numeric_names(domain, self.numeric)
        if len(domain.attributes) < 2:
            raise InputError(f"{self.name}: needs two attributes, and the domain has one")

    def marginals_read(self, domain: Domain) -> Sequence[Attributes]:
        """The pairs with an attribute that is not numeric."""
        numeric = frozenset(numeric_names(domain, self.numeric))
        pairs = itertools.combinations(domain.names, 2)
        return [pair for pair in pairs if not numeric.issuperset(pair)]

    def score(self, pair: Pair) -> Score:
        """The mean over the pairs with a real association; undefined if there is none."""
        rows = sorted(self._rows(pair), key=lambda row: math.inf if row[4] is None else -row[4])
        differences = [row[4] for row in rows if row[4] is not None]
        left = len(rows) - len(differences)
        zero = sum(row[2] is not None and row[3] is None for row in rows)
        names = numeric_names(pair.domain, self.numeric)
        bias = "with" if self.correction else "without"
        fields = {
            "stated": (
                f"Pearson's correlation of {len(names) * (len(names) - 1) // 2} pairs of numeric "
                f"attributes, Cramér's V ({bias} Bergsma's bias correction) of the others",
                f"{left} of {len(rows)} pairs have no real association and are left out; {zero} "
                "have none in the synthetic table alone, taken as 0",
                *(midpoints_note(pair, names) if len(names) > 1 else ()),
            ),
            "details": (
                Breakdown(
                    "pairs",
                    (
                        "first attribute",
                        "second attribute",
                        "real association",
                        "synthetic association",
                        "difference",
                        "measure",
                    ),
                    tuple(rows),
                    plotted="difference",
                ),
            ),
        }
        if not differences:
            return self.undefined("no pair of attributes has a real association", **fields)
        return self.scored(math.fsum(differences) / len(differences), **fields)

    def _rows(
        self, pair: Pair
    ) -> Iterator[tuple[str, str, Association, Association, float | None, str]]:
        names = numeric_names(pair.domain, self.numeric)
        if len(names) > 1:
            real, synthetic = (Correlations(table, names) for table in pair.tables)
            for first, second in itertools.combinations(names, 2):
                here, there = real(first, second), synthetic(first, second)
                yield first, second, here, there, difference(here, there), PEARSON
        for marginal in pair.marginals(self.marginals_read(pair.domain)):
            here, there = cramers_v(marginal, corrected=self.correction)
            first, second = marginal.attributes
            yield first, second, here, there, difference(here, there), CRAMER


def difference(real: Association, synthetic: Association) -> float | None:
    """|real - synthetic|; None without a real one, and a missing synthetic one counts as 0."""
    return None if real is None else abs(real - (synthetic or 0.0))


def _unit(numbers: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """The numbers about their mean, at unit length; None if they do not vary."""
    if not len(numbers) or numbers.min() == numbers.max():
        return None
    # First into [0, 1]: squares of very large or very small numbers leave the doubles.
    centred = numbers - numbers.min()
    centred /= centred.max()
    centred -= centred.mean()
    unit: NDArray[np.float64] = centred / math.sqrt(float(centred @ centred))
    return unit


def _cramers_v(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    counts: NDArray[np.int64],
    shape: tuple[int, ...],
    corrected: bool,
) -> Association:
    down = np.bincount(rows, counts, minlength=shape[0])
    across = np.bincount(columns, counts, minlength=shape[1])
    r, c = np.count_nonzero(down), np.count_nonzero(across)
    if min(r, c) < 2:
        return None
    here = counts > 0
    n = float(down.sum())
    found = counts[here].astype(np.float64)
    # χ²/n = Σ n_ij²/(n_i· n_·j) - 1: empty cells add nothing.
    squared = max(float((found * found / down[rows[here]] / across[columns[here]]).sum()) - 1, 0.0)
    if not corrected:
        return min(math.sqrt(squared / (min(r, c) - 1)), 1.0)
    squared = max(squared - (r - 1) * (c - 1) / (n - 1), 0.0)
    room = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    return min(math.sqrt(squared / room), 1.0) if room > 0 else None
