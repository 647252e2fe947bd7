"""The statistics of synthpop's ``utility.tab`` for one pair of tables of counts.

Source of the formulas: the R package synthpop 1.9-2, ``utility.tab.synds``; they are
explained in Raab, Nowok and Dibben (2021), "Assessing, visualizing and improving the
utility of synthetic data", arXiv:2109.12717.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from audit.utility.compat.programs import SYNTHPOP
from audit.utility.compat.synthpop import program_statistics
from audit.utility.metric import FIXED
from synthesizers.errors import InputError

STATISTICS: Mapping[str, float] = {
    "VW": math.inf,
    "FT": math.inf,
    "JSD": 1.0,
    "SPECKS": 1.0,
    "WMabsDD": math.inf,
    "U": math.inf,
    "G": math.inf,
    "pMSE": 0.25,
    "PO50": 50.0,
    "MabsDD": 2.0,
    "dBhatt": 1.0,
    "S_VW": math.inf,
    "S_FT": math.inf,
    "S_JSD": math.inf,
    "S_WMabsDD": math.inf,
    "S_G": math.inf,
    "S_pMSE": math.inf,
}
"""The statistics by the names that synthpop has for them, with their largest value."""


def table_utilities(
    real: ArrayLike, synthetic: ArrayLike, *, mode: str = FIXED
) -> Mapping[str, float | None]:
    """The statistics of one table of counts, of any shape, by their names; also "df" and "dfG".

    With d the real and s the synthetic counts of the non-empty cells, N = Σ(d + s) and
    c = Σs/N:

    * VW (Voas and Williamson) = Σ (s - d·c/(1-c))² / ((s + d)·c); pMSE = VW·c(1-c)²/N;
    * FT (Freeman and Tukey) = 4·Σ (√s - √(d·c/(1-c)))²;
    * JSD, the Jensen-Shannon divergence of the shares in bits; dBhatt = √(1 - Σ√(p·q)),
      computed as √(Σ(√p - √q)²/2);
    * MabsDD = Σ|s - d·c/(1-c)|/Σs, the L1 distance of the shares p of d and q of s;
    * WMabsDD = Σ |s - d·c/(1-c)|/√((s + d)·c), divided by √(2/π);
    * SPECKS, the Kolmogorov-Smirnov distance of the scores s/(s + d) of both tables'
      records: half of MabsDD, as the sets {score > t} are those where q/p is large;
    * U, Wilcoxon's statistic of the same scores: the pairs of a synthetic and a real
      record where the synthetic one's is larger, ties by half;
    * G, a likelihood ratio, and PO50, the per cent of records told apart rightly, less 50.

    S_ of a statistic divides it so that the mean is about 1 where the synthetic table is
    drawn from the fitted real one; df is the number of non-empty cells less 1.

    "synthpop" reproduces the program. "fixed" differs in three: G is the likelihood
    ratio of two samples over all non-empty cells, brought to the scale of VW by
    1/(1-c), where the program leaves out every cell that is empty on one side (two
    tables without a common cell then have G = 0, the best); PO50 counts both tables
    alike whatever their sizes, and a tie as half right, so that it is 50 times the
    total variation; S_JSD is JSD·8·n*·ln 2/df, n* = Σs, of mean about 1, where the program
    has JSD·2·N/(df·ln 2), which is 4 % more for tables of one size.

    None stands for an undefined value: a statistic divided by df = 0. Raises
    ``InputError`` for counts of different shapes, negative ones, or a table without records.
    """
    d, s = np.asarray(real, dtype=np.float64).ravel(), np.asarray(synthetic, np.float64).ravel()
    if np.shape(real) != np.shape(synthetic):
        raise InputError("the real and the synthetic counts must have the same shape")
    if not (np.isfinite(d).all() and np.isfinite(s).all()) or (d < 0).any() or (s < 0).any():
        raise InputError("counts must be finite and at least 0")
    filled = d + s > 0
    d, s = d[filled], s[filled]
    if not d.sum() or not s.sum():
        raise InputError("both tables need records")
    return _statistics(d, s, mode)


def _statistics(
    d: NDArray[np.float64], s: NDArray[np.float64], mode: str
) -> dict[str, float | None]:
    n, m = d.sum(), s.sum()
    N = n + m
    c = m / N
    scaled = d * c / (1 - c)
    expected = (s + d) * c
    gap = np.abs(s - scaled)
    p, q = d / n, s / m
    middle = (p + q) * 0.5
    df = len(d) - 1
    vw = (gap * gap / expected).sum()
    ft = 4 * ((np.sqrt(s) - np.sqrt(scaled)) ** 2).sum()
    jsd = (_times_log(p, p / middle) + _times_log(q, q / middle)) / 2 / math.log(2)
    weighted = (gap / np.sqrt(expected)).sum() / math.sqrt(2 / math.pi)
    total_variation = np.abs(q - p).sum() / 2
    if mode == SYNTHPOP:
        g, df_g, po50, s_jsd = program_statistics(d, s, jsd)
    else:
        g = 2 * (_times_log(s, s / expected) + _times_log(d, d / ((s + d) * (1 - c)))) / (1 - c)
        df_g = df
        po50 = 50 * total_variation
        s_jsd = jsd * 8 * m * math.log(2)
    plain = {
        "VW": vw,
        "FT": ft,
        "JSD": min(max(jsd, 0.0), 1.0),
        "SPECKS": min(total_variation, 1.0),
        "WMabsDD": weighted,
        "U": _wilcoxon(d, s),
        "G": max(g, 0.0),
        "pMSE": vw * c * (1 - c) ** 2 / N,
        "PO50": min(po50, 50.0),
        "MabsDD": min(gap.sum() / m, 2.0),
        "dBhatt": min(math.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum() / 2), 1.0),
    }
    standardised = {
        "S_VW": (vw, df),
        "S_FT": (ft, df),
        "S_JSD": (max(s_jsd, 0.0), df),
        "S_WMabsDD": (weighted, df),
        "S_G": (max(g, 0.0), df_g),
        "S_pMSE": (vw, df),
    }
    return {
        **{name: float(value) for name, value in plain.items()},
        **{
            name: float(value / freedom) if freedom > 0 else None
            for name, (value, freedom) in standardised.items()
        },
        "df": float(df),
        "dfG": float(df_g),
    }


def _times_log(weights: NDArray[np.float64], ratios: NDArray[np.float64]) -> float:
    """Σ weight · ln ratio, where 0 · ln 0 is 0."""
    some = weights > 0
    return float((weights[some] * np.log(ratios[some])).sum())


def _wilcoxon(d: NDArray[np.float64], s: NDArray[np.float64]) -> float:
    scores, place = np.unique(s / (s + d), return_inverse=True)
    below = np.bincount(place, d, minlength=len(scores))
    at = np.bincount(place, s, minlength=len(scores))
    return float((at * (np.cumsum(below) - below / 2)).sum())
