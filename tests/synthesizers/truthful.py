"""A curator's answers without noise: what a program makes of the truth itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from synthesizers.domain import Dataset, Domain
from synthesizers.events import Draw, Event, Measure, Outcome
from synthesizers.queries import answer


def truthful(dataset: Dataset, seed: int = 1) -> Callable[[Event], Outcome]:
    """Answers a measurement with the truth, and a drawn seed with ``seed``."""

    def reply(event: Event) -> Outcome:
        if isinstance(event, Draw):
            return (seed,)
        assert isinstance(event, Measure)
        return tuple(answer(event.query, dataset).clip(event.low, event.high).tolist())

    return reply


def dependent_records(records: int, domain: Domain, seed: int) -> Dataset:
    """Records of which each column but the first mostly follows the one before it."""
    random = np.random.default_rng(seed)
    codes = np.empty((records, len(domain.shape)), np.int64)
    for column, size in enumerate(domain.shape):
        own = random.integers(0, size, records)
        before = codes[:, column - 1] % size if column else own
        codes[:, column] = np.where(random.random(records) < 0.8, before, own)
    return Dataset(domain, codes)


def largest_distance(real: Dataset, synthetic: Dataset, pairs: list[tuple[int, int]]) -> float:
    """The largest L1 distance between the shares of two-way tables."""
    shape = real.domain.shape
    distances = []
    for a, b in pairs:
        tables = [
            np.bincount(
                part.codes[:, a] * shape[b] + part.codes[:, b], minlength=shape[a] * shape[b]
            )
            / part.records
            for part in (real, synthetic)
        ]
        distances.append(float(np.abs(tables[0] - tables[1]).sum()))
    return max(distances)
