"""What a regression on one quantity makes of two tables: their means along it, and both fits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from audit.utility.models.design import Both
from audit.utility.models.regressions import Coefficients
from audit.utility.score import Breakdown, Entry

GROUPS = 12
"""The groups along the predictor, of about equally many records of both tables together."""


def fitted_line(
    names: tuple[str, str],
    predictor: Both,
    outcome: Both,
    fits: tuple[Coefficients, Coefficients],
    *,
    logistic: bool,
) -> Breakdown:
    """The breakdown "line": a row a group, ascending; ``names``: of predictor and outcome.

    The mean outcome of the records of each table, None without any, and what both fits say at the
    group's mean predictor.
    """
    pooled = np.concatenate(predictor)
    cuts = np.unique(np.quantile(pooled, np.arange(1, GROUPS) / GROUPS))
    groups = [np.searchsorted(cuts, numbers, side="right") for numbers in (*predictor, pooled)]
    rows: list[tuple[Entry, ...]] = []
    for group in np.unique(groups[2]).tolist():
        at = float(pooled[groups[2] == group].mean())
        means = (_mean(own[g == group]) for own, g in zip(outcome, groups, strict=False))
        lines = (float(fit.estimates @ (1.0, at)) for fit in fits)
        rows.append((at, *means, *(float(expit(y)) if logistic else y for y in lines)))
    mean = f"mean {names[1]}"
    columns = (names[0], f"{mean}, real", f"{mean}, synthetic", "real fit", "synthetic fit")
    return Breakdown("line", columns, tuple(rows))


def _mean(numbers: NDArray[np.float64]) -> float | None:
    return math.fsum(numbers.tolist()) / len(numbers) if len(numbers) else None
