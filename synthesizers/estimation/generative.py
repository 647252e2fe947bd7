"""A network as the model of a table: a mixture of product laws, fitted to noisy marginals.

Each row of a fixed public noise gives a law of every attribute; the table is the mean of their
products (GEM: Liu, Vietri & Wu 2021, section 4.2). So a marginal is a mean of outer products, and
its gradient is written out here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from synthesizers.estimation.models import FloatArray, IntArray, NoisyMarginal, Shape
from synthesizers.estimation.negatives import norm_sub
from synthesizers.estimation.networks import (
    Adam,
    Generator,
    Heads,
    Parameters,
    moving_average,
    public_noise,
)
from synthesizers.estimation.systematic import systematic_choices

Chances = NDArray[np.float32]

KEPT = 0.9
"""The share that the moving average of weights keeps at each step (the
reference averages the weights of whole rounds)."""


SPREAD = 1 / 32
"""What multiplies the usual weights before the softmax, before training.
At 1 the rows' laws lie so far apart that the untrained table has strong dependences that no data
have, and no answer but of a pair undoes them; at 0 no gradient would tell the rows apart."""


@dataclass(frozen=True, eq=False)
class GenerativeModel:
    """A generator, and the moving average of its weights in training.

    ``noise``: [rows, width], public and fixed. Marginals are those of the latest weights.
    """

    shape: Shape
    total: float
    generator: Generator
    noise: Chances
    rate: float
    average: Parameters

    @classmethod
    def start(
        cls, shape: Shape, total: float, size: tuple[int, int, int], rate: float
    ) -> GenerativeModel:
        """Before any measurement, all but uniform; ``size``: rows of noise, width, hidden units."""
        rows, width, hidden = size
        generator = Generator.initial(Heads.of(tuple(shape.values())), width, hidden, SPREAD)
        noise = public_noise(rows, width, 0)
        return cls(shape, total, generator, noise, rate, generator.parameters)

    def independent(self, measured: Sequence[NoisyMarginal]) -> GenerativeModel:
        """Before training, but with the laws of attributes that were measured alone.

        The answers, rid of negatives; a value has at least one record, so that it can return.
        """
        names, laws = list(self.shape), {}
        for noisy in measured:
            counts = np.maximum(norm_sub(noisy.counts), 1.0)
            (name,) = noisy.attributes
            laws[names.index(name)] = (counts / counts.sum()).astype(np.float32)
        generator = self.generator.with_laws(laws)
        return replace(self, generator=generator, average=generator.parameters)

    def counts(self, attributes: Sequence[str]) -> FloatArray:
        """Its marginal of some attributes, [cells], the last one fastest."""
        places = [list(self.shape).index(name) for name in attributes]
        heads = self._heads(self.generator.chances(self.noise))
        found = _marginal([heads[place] for place in places])
        return np.asarray(found.ravel() * self.total, np.float64)

    def fitted(self, measured: Sequence[NoisyMarginal], steps: int) -> GenerativeModel:
        """After some steps of Adam on Σ (marginal - answers)²/(2·variance), of shares for counts.

        Nothing is random, and the number of steps is fixed; they shrink to nothing, so that the
        model does not jitter about its optimum.
        """
        generator, average = self.generator, self.average
        # Begun anew: means of squares from rounds in which a head had no gradient would send it
        # off several steps at once, from where softmax seldom returns.
        training = Adam.of(generator.parameters, self.rate)
        names = list(self.shape)
        least = min((noisy.variance for noisy in measured), default=1.0)
        wanted = [
            (
                [names.index(name) for name in noisy.attributes],
                (noisy.counts / self.total).astype(np.float32),
                np.float32(least / noisy.variance),
            )
            for noisy in measured
        ]
        for number in range(steps):
            training = replace(training, rate=self.rate * (1 - number / steps))
            chances = generator.chances(self.noise)
            heads = self._heads(chances)
            slopes = np.zeros_like(chances)
            by_head = self._heads(slopes)
            for places, shares, weight in wanted:
                parts = [heads[place] for place in places]
                surplus = _marginal(parts) - shares.reshape([part.shape[1] for part in parts])
                for place, slope in zip(places, _slopes(parts, weight * surplus), strict=True):
                    by_head[place] += slope
            gradient = generator.gradient(self.noise, chances, slopes)
            moved, training = training.step(generator.parameters, gradient)
            generator = generator.with_parameters(moved)
            average = moving_average(average, moved, KEPT)
        return replace(self, generator=generator, average=average)

    def averaged(self) -> GenerativeModel:
        """The model of the moving average of the weights."""
        return replace(self, generator=self.generator.with_parameters(self.average))

    def records(self, rows: int, generator: np.random.Generator) -> IntArray:
        """Codes [rows, attributes]: every row of noise makes equally many, but for one.

        Each row's attributes are independent of one another, and drawn systematically.
        """
        heads = self._heads(self.generator.chances(self.noise))
        makers = generator.permutation(len(self.noise))[np.arange(rows) % len(self.noise)]
        columns = [systematic_choices(head.astype(np.float64), makers, generator) for head in heads]
        return np.stack(columns, axis=1)[generator.permutation(rows)]

    def _heads(self, rows: Chances) -> list[Chances]:
        """The parts of rows that belong to each attribute: views, not copies."""
        heads = self.generator.heads
        return [
            rows[:, start : start + size]
            for start, size in zip(heads.starts, heads.sizes, strict=True)
        ]


def _outer_products(parts: Sequence[Chances], rows: int) -> Chances:
    """Outer products row by row, [rows, cells], the last part fastest; of no parts, ones."""
    found = np.ones((rows, 1), np.float32)
    for part in parts:
        found = (found[:, :, None] * part[:, None, :]).reshape(rows, -1)
    return found


def _marginal(parts: Sequence[Chances]) -> Chances:
    """The mean over rows of the outer products, [sizes of the parts]."""
    rows = len(parts[0])
    mean = _outer_products(parts[:-1], rows).T @ parts[-1] / np.float32(rows)
    return np.asarray(mean.reshape([part.shape[1] for part in parts]))


def _slopes(parts: Sequence[Chances], surplus: Chances) -> list[Chances]:
    """The gradient of half the summed squares of a surplus by each part."""
    rows = len(parts[0])
    found = []
    for place, part in enumerate(parts):
        others = _outer_products([*parts[:place], *parts[place + 1 :]], rows)
        facing = np.moveaxis(surplus, place, 0).reshape(part.shape[1], -1)
        found.append(others @ facing.T / np.float32(rows))
    return found
