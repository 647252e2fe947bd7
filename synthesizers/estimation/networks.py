"""Generators with a softmax for each attribute, their gradients, and the steps that train them.

A network of one hidden layer turns public noise z into a law of each attribute, rows of chances
beside one another: *heads*. Everything is a function of its arguments, in NumPy alone: the
gradients are written out, and no secret number is drawn here. What decides the next question must
come out the same whenever it is computed again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Domain

FloatArray = NDArray[np.float32]
Parameters = tuple[FloatArray, ...]

INITIAL_SEED = 20_261_123
"""Of the noise and of the weights before training: a public constant.
They know nothing of the data, so that nothing is gained by drawing them anew."""


@dataclass(frozen=True, eq=False)
class Heads:
    """Where each attribute's chances lie in a row: from ``starts[j]``, one for each value."""

    starts: NDArray[np.intp]
    sizes: tuple[int, ...]

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Heads:
        """Those of attributes of these sizes, in order."""
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.intp)
        return cls(starts, tuple(sizes))

    @property
    def cells(self) -> int:
        """The length of a row."""
        return sum(self.sizes)

    def softmax(self, scores: FloatArray) -> FloatArray:
        """Chances of each head, [rows, cells]."""
        raised = np.exp(
            scores - self._spread_gradient(np.maximum.reduceat(scores, self.starts, axis=1))
        )
        return np.asarray(raised / self._spread_gradient(self._sums(raised)), np.float32)

    def softmax_gradient(self, chances: FloatArray, at_chances: FloatArray) -> FloatArray:
        """The gradient by the scores, of that by the chances."""
        weighted = chances * at_chances
        return np.asarray(
            weighted - chances * self._spread_gradient(self._sums(weighted)), np.float32
        )

    def _sums(self, rows: FloatArray) -> FloatArray:
        return np.asarray(np.add.reduceat(rows, self.starts, axis=1))

    def _spread_gradient(self, heads: FloatArray) -> FloatArray:
        return np.asarray(np.repeat(heads, self.sizes, axis=1), np.float32)


@dataclass(frozen=True, eq=False)
class Generator:
    """z -> softmax(relu(z·w1 + b1)·w2 + b2), head by head."""

    heads: Heads
    parameters: Parameters

    @classmethod
    def initial(cls, heads: Heads, noise: int, hidden: int, spread: float = 1) -> Generator:
        """Weights of variance 2/inputs (He et al. 2015), biases 0; the same each time.

        ``spread`` multiplies the weights of the second layer: near 0 the laws hardly depend on z.
        """
        shapes = ((noise, hidden), (hidden, heads.cells))
        first, second = (
            public_noise(*shape, -1 - number) * np.float32(np.sqrt(2 / shape[0]) * factor)
            for number, (shape, factor) in enumerate(zip(shapes, (1, spread), strict=True))
        )
        biases = np.zeros(hidden, np.float32), np.zeros(heads.cells, np.float32)
        return cls(heads, (first, biases[0], second, biases[1]))

    def with_laws(self, laws: Mapping[int, FloatArray]) -> Generator:
        """The same network, where the biases of some attributes, by place, give these laws."""
        first, inner, second, outer = self.parameters
        biases = outer.copy()
        for place, law in laws.items():
            start = self.heads.starts[place]
            biases[start : start + self.heads.sizes[place]] = np.log(law)
        return self.with_parameters((first, inner, second, biases))

    def chances(self, noise: FloatArray) -> FloatArray:
        """A law of each attribute for each row of noise, [rows, cells]."""
        return self.heads.softmax(self._scores(self._hidden_layer(noise)))

    def gradient(
        self, noise: FloatArray, chances: FloatArray, at_chances: FloatArray
    ) -> Parameters:
        """The gradient by the parameters, of that by the chances that this noise gave."""
        hidden = self._hidden_layer(noise)
        at_scores = self.heads.softmax_gradient(chances, at_chances)
        at_hidden = np.where(hidden > 0, at_scores @ self.parameters[2].T, np.float32(0))
        return (
            noise.T @ at_hidden,
            at_hidden.sum(axis=0),
            hidden.T @ at_scores,
            at_scores.sum(axis=0),
        )

    def with_parameters(self, parameters: Parameters) -> Generator:
        """The same network with other parameters."""
        return replace(self, parameters=parameters)

    def _hidden_layer(self, noise: FloatArray) -> FloatArray:
        before = noise @ self.parameters[0] + self.parameters[1]
        return np.asarray(np.maximum(before, np.float32(0)), np.float32)

    def _scores(self, hidden: FloatArray) -> FloatArray:
        return np.asarray(hidden @ self.parameters[2] + self.parameters[3], np.float32)


@lru_cache(maxsize=64)
def public_noise(rows: int, width: int, stream: int) -> FloatArray:
    """Standard normal numbers that everybody knows, [rows, width]; ``stream``: which of them.

    Streams below 0 are those of weights before training.
    """
    philox = np.random.Philox(key=np.array([INITIAL_SEED, stream % 2**64], np.uint64))
    found = np.random.Generator(philox).standard_normal((rows, width), np.float32)
    found.flags.writeable = False
    return found


@dataclass(frozen=True, eq=False)
class Adam:
    """Steps by running means of gradients over those of their squares (Kingma & Ba 2015)."""

    rate: float
    means: Parameters
    squares: Parameters
    steps: int = 0

    @classmethod
    def of(cls, parameters: Parameters, rate: float) -> Adam:
        """Before the first step."""
        zeros = tuple(np.zeros_like(part) for part in parameters)
        return cls(rate, zeros, zeros)

    def step(self, parameters: Parameters, gradient: Parameters) -> tuple[Parameters, Adam]:
        """One step downwards, with the decays 0.9 and 0.999 of the paper."""
        means = _mix(self.means, gradient, 0.9)
        squares = _mix(self.squares, tuple(part * part for part in gradient), 0.999)
        number = self.steps + 1
        rate = np.float32(self.rate * np.sqrt(1 - 0.999**number) / (1 - 0.9**number))
        moved = tuple(
            np.asarray(part - rate * mean / (np.sqrt(square) + np.float32(1e-8)), np.float32)
            for part, mean, square in zip(parameters, means, squares, strict=True)
        )
        return moved, Adam(self.rate, means, squares, number)


@dataclass(frozen=True, eq=False)
class RMSProp:
    """Steps by gradients over the running mean of their squares (Tieleman & Hinton 2012)."""

    rate: float
    squares: Parameters

    @classmethod
    def of(cls, parameters: Parameters, rate: float) -> RMSProp:
        """Before the first step."""
        return cls(rate, tuple(np.zeros_like(part) for part in parameters))

    def step(self, parameters: Parameters, gradient: Parameters) -> tuple[Parameters, RMSProp]:
        """One step downwards, with the decay 0.99 that PyTorch has by default."""
        squares = _mix(self.squares, tuple(part * part for part in gradient), 0.99)
        rate = np.float32(self.rate)
        moved = tuple(
            np.asarray(part - rate * slope / (np.sqrt(square) + np.float32(1e-8)), np.float32)
            for part, slope, square in zip(parameters, gradient, squares, strict=True)
        )
        return moved, RMSProp(self.rate, squares)


def _mix(kept: Parameters, new: Parameters, decay: float) -> Parameters:
    old, fresh = np.float32(decay), np.float32(1 - decay)
    return tuple(old * one + fresh * other for one, other in zip(kept, new, strict=True))


def moving_average(kept: Parameters, new: Parameters, decay: float) -> Parameters:
    """decay·kept + (1 - decay)·new."""
    return _mix(kept, new, decay)


def table_of(domain: Domain, chances: FloatArray) -> NDArray[np.float64]:
    """The mean over rows of the products of their heads' chances, [cells of the domain]."""
    heads = Heads.of(domain.shape)
    table = np.ones((len(chances), 1))
    for start, size in zip(heads.starts, heads.sizes, strict=True):
        table = (table[:, :, None] * chances[:, None, start : start + size]).reshape(
            len(chances), -1
        )
    return np.asarray(table.mean(axis=0), np.float64)


def draw_codes(chances: FloatArray, heads: Heads, rng: np.random.Generator) -> NDArray[np.int64]:
    """One record a row: each attribute drawn by its own head, [rows, attributes]."""
    codes = np.empty((len(chances), len(heads.sizes)), np.int64)
    for place, (start, size) in enumerate(zip(heads.starts, heads.sizes, strict=True)):
        below = np.cumsum(chances[:, start : start + size], axis=1, dtype=np.float64)
        marks = rng.random(len(chances)) * below[:, -1]
        codes[:, place] = np.minimum((below <= marks[:, None]).sum(axis=1), size - 1)
    return codes
