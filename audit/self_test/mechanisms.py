"""Mechanisms of a database and a generator: an honest histogram, and ways to spoil it.

Their noise is numpy's, in doubles; what tells them apart here is what they do beside adding it.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

Records = Sequence[Mapping[str, Any]]
Rng = np.random.Generator

CELLS = ("0", "1", "2")

logger = logging.getLogger(__name__)


def _counts(records: Records) -> list[int]:
    found = Counter(record["cell"] for record in records)
    return [found[cell] for cell in CELLS]


def _noisy(counts: Sequence[int], rng: Rng) -> list[int]:
    """Two-sided geometric noise of scale 1, the difference of two geometric draws."""
    stop = -np.expm1(-1.0)
    noise = rng.geometric(stop, len(counts)) - rng.geometric(stop, len(counts))
    return [int(max(count + z, 0)) for count, z in zip(counts, noise, strict=True)]


def histogram(records: Records, rng: Rng) -> pd.DataFrame:
    """Noisy counts of the declared cells."""
    return pd.DataFrame({"cell": CELLS, "count": _noisy(_counts(records), rng)})


def synthetic_rows(records: Records, rng: Rng) -> pd.DataFrame:
    """Records, as many of each cell as a noisy count says."""
    counts = _noisy(_counts(records), rng)
    return pd.DataFrame({"cell": np.repeat(CELLS, counts)})


def cells_of_the_data(records: Records, rng: Rng) -> pd.DataFrame:
    """Noisy counts of the cells that occur."""
    cells = sorted({record["cell"] for record in records})
    counts = [sum(record["cell"] == cell for record in records) for cell in cells]
    return pd.DataFrame({"cell": cells, "count": _noisy(counts, rng)})


def categories_of_the_data(records: Records, rng: Rng) -> pd.DataFrame:
    """Synthetic rows whose column lists the values of the data as its categories."""
    rows = synthetic_rows(records, rng)
    seen = sorted({record["cell"] for record in records})
    kept = rows[rows["cell"].isin(seen)]
    return pd.DataFrame({"cell": pd.Categorical(kept["cell"], categories=seen)})


def true_number_of_rows(records: Records, rng: Rng) -> pd.DataFrame:
    """As many synthetic rows as there are records."""
    counts = np.array(_noisy(_counts(records), rng)) + 1
    return pd.DataFrame({"cell": rng.choice(CELLS, len(records), p=counts / counts.sum())})


def columns_of_the_data(records: Records, rng: Rng) -> dict[str, int]:
    """A noisy count under the name of every value that occurs."""
    found = Counter(record["cell"] for record in records)
    cells = sorted(found)
    return dict(zip(cells, _noisy([found[cell] for cell in cells], rng), strict=True))


def logged(records: Records, rng: Rng) -> pd.DataFrame:
    """The true number of records goes to the log."""
    logger.warning("read %d records", len(records))
    return histogram(records, rng)


def printed(records: Records, rng: Rng) -> pd.DataFrame:
    """The true counts are printed."""
    print("counts", *_counts(records))
    return histogram(records, rng)


def side_file(records: Records, rng: Rng) -> pd.DataFrame:
    """The true counts are cached in a file."""
    Path(_folder().name, "cache.txt").write_text(" ".join(map(str, _counts(records))))
    return histogram(records, rng)


@cache
def _folder() -> TemporaryDirectory[str]:
    """A folder of this process, removed when it ends."""
    return TemporaryDirectory(prefix="dp-audit-")


def raising(records: Records, rng: Rng) -> pd.DataFrame:
    """A value that nobody foresaw raises."""
    if any(record["cell"] == "2" for record in records):
        raise KeyError("a value outside the table")
    return histogram(records, rng)


def until_converged(records: Records, rng: Rng) -> tuple[int, list[int]]:
    """Fits until the true error is small, and tells after how many steps."""
    truth, model, steps = _counts(records), [0] * len(CELLS), 0
    while model != truth:
        model = [m + (t > m) for m, t in zip(model, truth, strict=True)]
        steps += 1
    return steps, _noisy(model, rng)


def seeded_by_the_data(records: Records, rng: Rng) -> pd.DataFrame:
    """Noise of a generator whose seed is the number of records."""
    return histogram(records, np.random.default_rng(len(records)))


def scaled_by_the_data(records: Records, rng: Rng) -> pd.DataFrame:
    """Noise whose scale follows from the true number of records."""
    noise = rng.laplace(scale=1 + 1 / (1 + len(records)), size=len(CELLS))
    counts = np.rint(np.array(_counts(records)) + noise).clip(0)
    return pd.DataFrame({"cell": CELLS, "count": counts})
