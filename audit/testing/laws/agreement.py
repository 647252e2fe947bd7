"""Whether draws come from a law: exact binomial tests, all together at one stated error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping

import numpy as np
from scipy.stats import binom

from audit.testing.laws.law import ERROR, broken
from synthesizers.exact import Exact, enclose

DRAWS = 4000
"""Independent draws of a sampler (at an error of 1e-9 an outcome of
chance 1/2 shows when it is off by 0.05, one of chance 1/100 when it is off by 0.01)."""


def least_p_value(law: Mapping[Hashable, float], seen: Counter[Hashable]) -> float:
    """A p-value of the hypothesis that independent draws are of the law; 0 off its support.

    ``law``: outcomes with their chances, the outcomes in an order that means something where they
    have one: beside each outcome's own count, those of all outcomes up to it are tested.

    Guarantee
    ---------
    Draws of the law get a value of at most p with probability at most p: each of 2k tests is an
    exact two-sided binomial one, and the least p-value is multiplied by their number (union
    bound). Backed by ``tests/audit/testing/laws/test_agreement.py``.
    """
    draws = sum(seen.values())
    if any(law.get(outcome, 0.0) <= 0 for outcome in seen):
        return 0.0
    chances = np.array(list(law.values()))
    counts = np.array([seen[outcome] for outcome in law])
    tested = np.concatenate([chances, np.minimum(np.cumsum(chances), 1.0)])
    found = np.concatenate([counts, np.cumsum(counts)])
    below, above = binom.cdf(found, draws, tested), binom.sf(found - 1, draws, tested)
    return float(min(1.0, 2 * len(tested) * np.minimum(below, above).min(initial=1.0)))


def require_agreement(law: Mapping[Hashable, float], seen: Counter[Hashable], what: str) -> None:
    """Raise `LawBroken` where draws are certainly not of the law, at the error `ERROR`."""
    outside = [outcome for outcome in seen if law.get(outcome, 0.0) <= 0]
    if outside:
        broken(f"{what}: drew {outside[0]!r}, whose stated chance is 0")
    value = least_p_value(law, seen)
    if value > ERROR:
        return
    draws = sum(seen.values())
    worst = max(law, key=lambda outcome: abs(seen[outcome] / draws - law[outcome]))
    broken(
        f"{what}: {draws} draws are not of the stated law (p = {value:.1e}); most of all "
        f"{worst!r} was drawn {seen[worst]} times, expected {law[worst] * draws:.1f}"
    )


def middle(chance: Exact) -> float:
    """An exact chance as the double that a statistical test takes it for."""
    ends = enclose(chance)
    return float((ends.lower + ends.upper) / 2)
