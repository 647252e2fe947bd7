"""Gradients of a critic at each record, clipped and summed: the question of DP-SGD.

A critic gives every record a number. Its weights are public: a function of earlier answers. Which
way a record would change them is private, and what one record adds to the sum is bounded, whatever
the weights and the record are.
"""

from __future__ import annotations

import base64
import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.plain import require_integer, require_rational, require_text
from synthesizers.queries.counts import Marginal
from synthesizers.queries.query import IntArray, Sensitivity

FloatArray = NDArray[np.float64]

LEAK = 0.2
"""The slope of the leaky ReLU below 0 (Maas, Hannun & Ng 2013 name the unit; 0.2 is the choice of
Radford, Metz & Chintala 2016 for critics)."""

MAX_GRID = 2**24
"""The most steps of the grid to a clipped gradient's length: squares summed stay below 2^53."""

MAX_WEIGHTS = 1 << 22
"""The most weights of a critic (a question holds them all)."""


@dataclass(frozen=True, eq=False)
class Critic:
    """A critic's weights. [cells, hidden], [hidden], [hidden]; or [cells], [0], [0] if linear.

    D(x) = Σ output·leaky(x·inputs + bias) for one-hot records x, or x·inputs where there is no
    hidden layer. A bias of the output would add the same to every record: there is none.
    """

    inputs: FloatArray
    bias: FloatArray
    output: FloatArray

    @classmethod
    def of(cls, flat: FloatArray, cells: int, hidden: int) -> Critic:
        """The critic of weights in one vector: inputs, row after row, bias, output."""
        if hidden == 0:
            return cls(flat[:cells, None], flat[cells:], flat[cells:])
        inputs, bias, output = np.split(flat, [cells * hidden, (cells + 1) * hidden])
        return cls(inputs.reshape(cells, hidden), bias, output)

    def slopes(self, ones: IntArray) -> tuple[FloatArray, FloatArray]:
        """What a record's gradient is made of: by its hidden units, [records, hidden] each.

        ``ones``: [records, attributes], the rows of ``inputs`` that its one-hot form picks. The
        first: the gradient by the bias, and by each picked row; the second: by the output. Every
        record is worked out by itself, in one order: its numbers do not depend on other records.
        """
        if not len(self.bias):
            return np.ones((len(ones), 1)), np.zeros((len(ones), 0))
        before = np.broadcast_to(self.bias, (len(ones), len(self.bias))).copy()
        for column in ones.T:
            before += self.inputs[column]
        below = before < 0
        return np.where(below, LEAK, 1.0) * self.output, np.where(below, LEAK, 1.0) * before


def weights_of(hidden: int, cells: int) -> int:
    """How many weights a critic has over one-hot records of so many cells in all."""
    return cells if hidden == 0 else (cells + 2) * hidden


def pack(weights: NDArray[Any]) -> str:
    """Weights as the text that a question holds: 32-bit floats, in base 64."""
    return base64.b64encode(np.asarray(weights, "<f4").tobytes()).decode("ascii")


@lru_cache(maxsize=4)
def _unpack(text: str) -> FloatArray:
    try:
        flat = np.frombuffer(base64.b64decode(text, validate=True), "<f4").astype(np.float64)
    except ValueError:
        raise InputError("a critic's weights are 32-bit floats in base 64") from None
    if not np.isfinite(flat).all():
        raise InputError("a critic's weights must be finite")
    flat.flags.writeable = False
    return flat


@dataclass(frozen=True, slots=True)
class CriticGradient:
    """The gradient of a critic at each record, clipped to ``clip`` in L2 as a whole, summed.

    Records are one-hot over ``attributes``. A clipped gradient is brought to a grid of whole
    numbers, ``grid`` steps to the length ``clip``, towards 0, so that the integers that a record
    adds have an L2 norm of at most ``grid``. Answers: by inputs, row after row, bias, output.

    Sensitivities: L2 m·grid under AddRemove, 2m·grid under ReplaceOne.

    Guarantee
    ---------
    What a record adds is a function of the record and the question alone, of squared L2 norm at
    most grid²: that is decided in integers, and what rounding in doubles would leave beyond it adds
    nothing. Backed by ``tests/synthesizers/test_gradients.py``.
    """

    attributes: tuple[str, ...]
    hidden: int
    weights: str
    clip: Fraction
    grid: int
    kind = "critic-gradient"

    def __post_init__(self) -> None:
        object.__setattr__(self, "attributes", Marginal(self.attributes).attributes)
        object.__setattr__(self, "hidden", require_integer(self.hidden, "size of a hidden layer"))
        object.__setattr__(self, "weights", require_text(self.weights, "weights of a critic"))
        object.__setattr__(self, "clip", require_rational(self.clip, "clip of a gradient"))
        object.__setattr__(self, "grid", require_integer(self.grid, "grid of a gradient"))
        if self.hidden < 0:
            raise InputError("a critic's hidden layer has 0 or more units")
        if not Fraction(1, 2**20) <= self.clip <= 2**20:
            raise InputError("gradients are clipped to a norm between 2^-20 and 2^20")
        if not 0 < self.grid <= MAX_GRID:
            raise InputError("the grid of a clipped gradient has 1 to 2^24 steps")
        _unpack(self.weights)

    def size(self, domain: Domain) -> int:
        """One answer a weight; InputError where the weights do not fit the attributes."""
        cells = sum(domain.attribute(name).size for name in self.attributes)
        needed = weights_of(self.hidden, cells)
        if needed > MAX_WEIGHTS or len(_unpack(self.weights)) != needed:
            raise InputError(
                f"a critic of {self.hidden} hidden units over {cells} one-hot cells has {needed} "
                f"weights, at most {MAX_WEIGHTS}; found {len(_unpack(self.weights))}"
            )
        return needed

    def answers(self, domain: Domain, codes: IntArray, weights: IntArray) -> IntArray:
        """Sums of clipped gradients, [databases, weights]."""
        self.size(domain)
        ones, cells = one_hot(domain, self.attributes, codes)
        at_hidden, at_output = self.contributions(ones, cells)
        return np.stack([_sum_gradients(row, ones, cells, at_hidden, at_output) for row in weights])

    def contributions(self, ones: IntArray, cells: int) -> tuple[IntArray, IntArray]:
        """Each record's clipped gradient in steps of the grid, as `Critic.slopes` has it."""
        critic = Critic.of(_unpack(self.weights), cells, self.hidden)
        at_hidden, at_output = critic.slopes(ones)
        # The gradient by the hidden units occurs once for each picked row, and once for the bias.
        often = ones.shape[1] + (self.hidden > 0)
        norms = np.sqrt(often * np.square(at_hidden).sum(1) + np.square(at_output).sum(1))
        steps = self.grid / np.maximum(norms, float(self.clip))[:, None]
        first, second = (np.trunc(part * steps).astype(np.int64) for part in (at_hidden, at_output))
        squares = often * np.square(first).sum(1) + np.square(second).sum(1)
        beyond = squares > self.grid**2
        first[beyond], second[beyond] = 0, 0
        return first, second

    def sensitivity(self, domain: Domain, neighbours: Neighbours) -> Sensitivity:
        """See the class; L1 by the norm of a vector of so many entries."""
        reach = neighbours.unit.max_records * (1 if isinstance(neighbours, AddRemove) else 2)
        l1 = math.isqrt(self.size(domain) * self.grid**2)
        squared = (reach * self.grid) ** 2
        return Sensitivity(reach * l1, squared, reach * self.grid, False)

    def to_json(self) -> dict[str, Any]:
        """The query as plain data; the weights by their digest, as answers before it fix them."""
        return {
            "kind": self.kind,
            "attributes": list(self.attributes),
            "hidden": self.hidden,
            "weights_sha256": hashlib.sha256(self.weights.encode()).hexdigest(),
            "clip": str(self.clip),
            "grid": self.grid,
        }


def one_hot(domain: Domain, attributes: tuple[str, ...], codes: IntArray) -> tuple[IntArray, int]:
    """Which cells of their one-hot form records pick, [records, attributes]; how many there are."""
    sizes = [domain.attribute(name).size for name in attributes]
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    picked = codes[:, [domain.position(name) for name in attributes]].astype(np.int64)
    return picked + starts[:-1], int(starts[-1])


def _sum_gradients(
    often: IntArray, ones: IntArray, cells: int, at_hidden: IntArray, at_output: IntArray
) -> IntArray:
    """Σ over records of how often each occurs times its gradient, as one vector."""
    weighted = often[:, None] * at_hidden
    inputs = np.zeros((cells, at_hidden.shape[1]), np.int64)
    for column in ones.T:
        np.add.at(inputs, column, weighted)
    if not at_output.shape[1]:
        return inputs.ravel()
    return np.concatenate([inputs.ravel(), weighted.sum(axis=0), often @ at_output])
