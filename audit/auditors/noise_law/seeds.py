"""Is noise new on every run? Fixed seeds, seeds of the data, reseeded global generators."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.auditors.noise_law.laws import FloatArray, NoiseLaw
from audit.auditors.noise_law.subjects import load, outputs, sampler
from audit.subjects.isolated import IsolatedBox
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from synthesizers.errors import ProtocolError

LEAST_DRAWS = 32
MOST_DRAWS = 10_000
"""Draws of which two runs are compared (choices of this project: a fair coin repeats 32 flips once
in 4·10^9; a law that needs more than 10^4 has next to no noise)."""


def count_draws(law: NoiseLaw, error: float, step: float = 0.0) -> int | None:
    """How many draws two honest runs share with probability at most ``error``; None if too many.

    ``step``: of the lattice that the draws of a continuous law may have been rounded to.
    """
    # A point of the lattice comes from noise within a step on either side.
    rounded = law.above(law.centre - step) - law.above(law.centre + step)
    chance = law.peak if law.discrete else max(min(law.peak, 0.5), float(rounded))
    if chance >= 1:
        return None
    draws = max(LEAST_DRAWS, math.ceil(math.log(error) / math.log(chance)) + 1)
    return draws if draws <= MOST_DRAWS else None


def reseeds(call: Callable[[], object]) -> str | None:
    """The global generator that a call sets to a state of its own choice, in words; or None.

    Each of the two, numpy's and Python's, is set to two different states before two calls: if it
    then stands in one and the same state after both, the call has set it. The states before are
    restored.

    Guarantee
    ---------
    A call that leaves a global generator alone, or only draws from it, is never named: two states
    of the Mersenne twister that differ stay different under the same draws, but for a chance
    below 2^-600 (a choice of seeds). Backed by
    ``tests/audit/auditors/noise_law/test_noise_seeds.py``.
    """
    kept = np.random.get_state(), random.getstate()
    after: list[tuple[Any, Any]] = []
    try:
        for seed in (1, 2):
            np.random.seed(seed)
            random.seed(seed)
            call()
            state = np.random.get_state(legacy=False)["state"]
            after.append(((state["key"].tobytes(), state["pos"]), random.getstate()))
    finally:
        np.random.set_state(kept[0])
        random.setstate(kept[1])
    if after[0][0] == after[1][0]:
        return "numpy.random"
    return "random" if after[0][1] == after[1][1] else None


@dataclass(frozen=True)
class SamplerAfresh:
    """A sampler, found by name in the process that draws from it: a batch form."""

    sampler: str

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> FloatArray:
        """``runs`` draws."""
        return sampler(self.sampler, load(self.sampler))(rng, runs)


@dataclass(frozen=True)
class MechanismAfresh:
    """A mechanism, found by name in the process that runs it: a batch form of its value."""

    mechanism: str

    def __call__(self, database: Any, rng: np.random.Generator, runs: int) -> FloatArray:
        """``runs`` outputs for the value that stands for the database."""
        run = outputs(self.mechanism, load(self.mechanism), database)
        return np.array([run(rng) for _ in range(runs)])


def equal_afresh(box: IsolatedBox, value: Any, runs: int, seeds: Sequence[int]) -> bool:
    """Whether new interpreters, each handed another seed, give one and the same list of draws."""
    coins = np.zeros(runs, np.bool_)
    found = [numbers_of(box.draw_afresh(Pair(value, value), coins, seed)) for seed in seeds]
    return all(np.array_equal(found[0], other) for other in found[1:])


def numbers_of(outcomes: Outcomes) -> FloatArray:
    """[runs, d], the numbers of outcomes; raises ProtocolError where any is something else."""
    if len(outcomes.shapes) != 1 or outcomes.shapes[0].kind != "numbers":
        raise ProtocolError(
            "in a fresh interpreter the subject did not return its noise; make sure that it runs "
            "where nothing but its own module was imported"
        )
    return np.asarray(outcomes.blocks[0], np.float64)
