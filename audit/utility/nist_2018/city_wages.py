"""Wages by city: Gini index, pay gap, and how well a synthetic table keeps them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from audit.utility.nist_2018.challenge_score import PERFECT
from audit.utility.score import Undefined

MEN, WOMEN, UNKNOWN, ABSENT = 0, 1, -1, -2
"""Sides of a pay gap; another sex, and none at all, are on neither."""


@dataclass(frozen=True, eq=False)
class Wages:
    """The columns of one table [n]: city by code, side of the pay gap, wage or NaN.

    Cities from ``cities`` on are no cities: the missing value, and values outside the
    domain. ``earning`` says who has a wage that counts.
    """

    city: NDArray[np.int64]
    cities: int
    side: NDArray[np.int64]
    wage: NDArray[np.float64]
    earning: NDArray[np.bool_]

    def by_city(self) -> dict[int, tuple[NDArray[np.float64], NDArray[np.int64]]]:
        """The wages that count, ascending, and their sides, of each city in file order."""
        found, first = np.unique(self.city, return_index=True)
        rows = np.flatnonzero(self.earning)
        rows = rows[np.lexsort((self.wage[rows], self.city[rows]))]
        starts = np.searchsorted(self.city[rows], [found, found + 1]).T.tolist()
        order = np.argsort(first)
        return {
            int(found[k]): (
                self.wage[rows[starts[k][0] : starts[k][1]]],
                self.side[rows[starts[k][0] : starts[k][1]]],
            )
            for k in order.tolist()
            if found[k] < self.cities
        }

    @cached_property
    def records(self) -> NDArray[np.int64]:
        """The number of records [cities + 1] of each city, with a wage or without."""
        return np.bincount(self.city, minlength=self.cities + 1)

    @property
    def without_city(self) -> int:
        """The number of records that are of no city."""
        return int(np.count_nonzero(self.city >= self.cities))


@dataclass(frozen=True)
class City:
    """The Gini index of a city's wages, and the pay gap: mean wage of men less that of women."""

    gini: float | None = None
    gap: float | None = None


Cities = Mapping[int, City]
"""Cities by code, in the order of the file."""


@dataclass(frozen=True)
class Kept:
    """How much of a real city is kept, 1 being all; ``ranks`` by pay gap, real and synthetic."""

    gini: float
    rank: float
    ranks: tuple[float | None, float | None]


@dataclass(frozen=True)
class Comparison:
    """The score, and what was kept of each real city that counts."""

    value: float
    kept: Mapping[int, Kept]


def usual_cities(table: Wages) -> dict[int, City]:
    """Each city with the usual Gini index and the pay gap, None where there is none."""
    return {
        city: City(_gini(wages), _gap(wages[sides == MEN], wages[sides == WOMEN]))
        for city, (wages, sides) in table.by_city().items()
    }


def usual_comparison(real: Cities, synthetic: Cities) -> Comparison:
    """The score over the real cities that have both numbers, ranked among the common ones.

    Raises ``Undefined`` for fewer than two.
    """
    counted = [code for code, city in real.items() if None not in (city.gini, city.gap)]
    if len(counted) < 2:
        raise Undefined(f"{len(counted)} real cities have wages of both sexes, and ranks need two")
    ranks = _common_ranks({code: real[code] for code in counted}, synthetic)
    kept = {}
    for code in counted:
        mine, theirs = real[code].gini, synthetic.get(code, City()).gini
        assert mine is not None
        gini = 0.0 if theirs is None else 1 - min(abs(mine - theirs), 1.0)
        rank = 0.0
        if code in ranks:
            rank = max(0.0, 1 - abs(ranks[code][0] - ranks[code][1]) / (len(counted) - 1))
        kept[code] = Kept(gini, rank, ranks.get(code, (None, None)))
    s1, s2 = (
        math.sqrt(math.fsum(share * share for share in shares) / len(kept))
        for shares in ([k.gini for k in kept.values()], [k.rank for k in kept.values()])
    )
    return Comparison(PERFECT / 2 * (s1 + s2), kept)


def _common_ranks(real: Cities, synthetic: Cities) -> dict[int, tuple[float, float]]:
    """Average ranks of the cities with a pay gap in both tables, the largest gap first."""
    gaps = {
        code: (city.gap, synthetic[code].gap)
        for code, city in real.items()
        if code in synthetic and None not in (city.gap, synthetic[code].gap)
    }
    if not gaps:
        return {}
    ranks = rankdata(-np.array(list(gaps.values()), dtype=np.float64), axis=0)
    return {code: (float(a), float(b)) for code, (a, b) in zip(gaps, ranks, strict=True)}


def _gini(wages: NDArray[np.float64]) -> float | None:
    """Σ (2i - m - 1)·w_i / (m·Σ w_i) for ascending wages; None unless their sum is positive."""
    people, total = len(wages), float(wages.sum())
    if total <= 0:
        return None
    weights = 2.0 * np.arange(1, people + 1) - people - 1
    return float(weights @ wages) / (people * total)


def _gap(men: NDArray[np.float64], women: NDArray[np.float64]) -> float | None:
    return float(men.mean() - women.mean()) if len(men) and len(women) else None
