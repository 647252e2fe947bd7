"""From what was asked to records: the last step of a program, where nothing private is touched."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from synthesizers.curator import Curator
from synthesizers.domain import Dataset, Domain
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.laws.public_laws import Seed

SMALL_DOMAIN = 4096
"""The most cells of a domain whose tables programs hold whole, so that their output is a function
of the transcript and can be enumerated."""

_RESOLUTION = 2**40


def public_generator(curator: Curator) -> np.random.Generator:
    """Randomness for generating the output: the last thing that a program asks for.

    The stream follows from one drawn `Seed`, so that equal seeds give equal outputs.
    """
    return np.random.Generator(np.random.Philox(int(curator.draw(Seed())[0])))


def round_table(domain: Domain, weights: NDArray[np.float64], rows: int) -> Dataset:
    """The records of a whole table: ``rows`` of them, ∝ weights [cells], by largest remainder.

    Weights count to 40 bits of their largest; all zero are taken as equal.
    """
    top = float(weights.max(initial=0.0))
    scaled = np.zeros(domain.size) if top <= 0 else np.maximum(weights, 0) / top * _RESOLUTION
    counts = largest_remainder(np.rint(scaled).astype(np.int64).tolist(), rows)
    return Dataset.from_histogram(domain, np.array(counts, np.int64))
