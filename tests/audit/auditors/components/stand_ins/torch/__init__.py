"""A stand-in with torch's names: tensors of single precision, and what draws them."""

from __future__ import annotations

import hashlib
import math
from statistics import NormalDist

import numpy as np

_STATE = [0, 0]


def manual_seed(seed):
    _STATE[:] = [seed, 0]


def get_rng_state():
    return list(_STATE)


def set_rng_state(state):
    _STATE[:] = state


def _uniform(shape):
    found = []
    for _ in range(math.prod(shape)):
        _STATE[1] += 1
        digest = hashlib.sha256(repr(_STATE).encode()).digest()
        found.append((int.from_bytes(digest[:6], "big") + 0.5) / 2**48)
    return np.array(found).reshape(shape)


def _normal(shape):
    return np.vectorize(NormalDist().inv_cdf, otypes=[float])(_uniform(shape))


class Tensor:
    def __init__(self, data):
        self.numbers = np.asarray(data, np.float32)

    @property
    def shape(self):
        return self.numbers.shape

    def detach(self):
        return self

    def tolist(self):
        return self.numbers.tolist()

    def new_tensor(self, data):
        return Tensor(data)

    def reshape(self, shape):
        return Tensor(self.numbers.reshape(shape))

    def copy_(self, other):
        self.numbers[...] = other.numbers
        return self

    def __add__(self, other):
        return Tensor(self.numbers + getattr(other, "numbers", other))

    __radd__ = __add__

    def __sub__(self, other):
        return Tensor(self.numbers - getattr(other, "numbers", other))

    def __mul__(self, other):
        return Tensor(self.numbers * getattr(other, "numbers", other))

    def normal_(self, mean=0.0, std=1.0):
        return self.copy_(Tensor(mean + std * _normal(self.shape)))

    def exponential_(self, lambd=1.0):
        return self.copy_(Tensor(-np.log(_uniform(self.shape)) / lambd))


def tensor(data):
    return Tensor(data)


def empty(*shape):
    return Tensor(np.zeros(shape))


def randn(*shape):
    return Tensor(_normal(shape))


def normal(mean, std, size):
    return Tensor(mean + std * _normal(size))


from torch import distributions  # noqa: E402, F401 - as torch itself, once all else is there
