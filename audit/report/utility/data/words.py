"""Words of pictures of the data: shares, distances, the height at which pictures are cut."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audit.report.utility.words import value_text

DIGITS = 3
"""Significant digits of shares and distances: a fourth is chance in most tables."""

TALL = 4.0
"""What is so many times as high as all others is cut: the others could not be told apart."""

SHOWN = 1.6
"""How many times as high as the others a picture is that is cut."""


SMALL = 1e-4
"""Shares below it are not told apart: bars and steps of them are not to be seen either."""


def share_text(share: float) -> str:
    """A share, or a difference of shares, in percent."""
    return f"{_percent(share)} %"


def shares_text(shares: Sequence[float]) -> str:
    """Shares of several tables in percent."""
    return f"{' · '.join(map(_percent, shares))} %"


def _percent(share: float) -> str:
    if 0 < abs(share) < SMALL:
        return f"{'−' if share < 0 else ''}<{value_text(100 * SMALL)}"
    return value_text(100 * share, DIGITS)


def distance_text(distance: float, chance: float) -> str:
    """How far a table is from the real one, beside what chance would do."""
    return f"{value_text(distance, DIGITS)} (by chance {value_text(chance, 2)})"


def distances_text(
    files: Sequence[str], distances: Sequence[float], chances: Sequence[float]
) -> str:
    """The distances of all files, named if they are several."""
    texts = [distance_text(*both) for both in zip(distances, chances, strict=True)]
    if len(files) == 1:
        return texts[0]
    return "; ".join(f"{file} {text}" for file, text in zip(files, texts, strict=True))


def top_of(heights: NDArray[np.float64]) -> float:
    """Where a picture of heights [tables, groups] ends: at the highest, unless that is ``TALL``."""
    groups = np.sort(heights.max(axis=0))
    highest, second = float(groups[-1]), float(groups[-2]) if len(groups) > 1 else 0.0
    return SHOWN * second if second > 0 and highest > TALL * second else highest
