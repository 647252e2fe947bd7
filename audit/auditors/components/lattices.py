"""Noise of whole numbers whose loss is a list of ratios: binomial, Poisson, negative binomial."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import stats

from audit.auditors.components.pairs_of_chances import ChanceLoss, state_chances

MOST_POINTS = 20_000
"""The most whole numbers of a law, and of a shift: wider laws are left open."""

FAR = 12
"""How far from its mean, in deviations, a law is listed, and a few whole numbers more."""

MORE = 60
"""So many more: of narrow laws, and of ones whose tails fall as those of a geometric law."""

_LAWS: Mapping[str, Callable[..., Any]] = {
    "binomial": stats.binom,
    "poisson": stats.poisson,
    "negative binomial": stats.nbinom,
}
"""By a law's name, its distribution; its parameters are those of NumPy, in order."""

LATTICES = frozenset(_LAWS)


def deviation_of(law: str, parameters: tuple[float, ...]) -> float:
    """The standard deviation."""
    return float(_LAWS[law](*parameters).std())


def loss_on_lattice(law: str, parameters: tuple[float, ...], shift: int) -> ChanceLoss | None:
    """The loss of a draw that is moved by whole numbers; None of a law that is too wide.

    What lies in both tails beyond the list is left out of the first law and of the second, so that
    it is told apart for certain: the list bounds the loss from above.

    Guarantee
    ---------
    The pair's profile is at least that of the two laws, and more by the tails at most (below 1e-13
    of the laws here), but for the rounding of their chances. Backed by
    ``tests/audit/auditors/components/test_lattices.py``.
    """
    known = _LAWS[law](*parameters)
    least, most = known.support()
    reach = FAR * float(known.std()) + MORE
    low, high = max(least, known.mean() - reach), min(most, known.mean() + reach)
    if not high - low + abs(shift) <= MOST_POINTS:
        return None
    whole = np.arange(int(low) - abs(shift), int(high) + abs(shift) + 1)
    first, second = np.exp(known.logpmf(whole)), np.exp(known.logpmf(whole - shift))
    lists = [[*map(float, one), 0.0, 0.0] for one in (first, second)]
    left = [max(0.0, float(known.cdf(whole[0] - 1)) + float(known.sf(whole[-1])))] * 2
    lists[0][-1], lists[1][-2] = left
    return state_chances(lists[0], lists[1])
