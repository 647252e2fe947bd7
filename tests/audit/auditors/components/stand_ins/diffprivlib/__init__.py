"""Stands in for diffprivlib where that is not installed: its names, with other code."""

import random

import numpy as np


def check_random_state(seed):
    """A generator of Python's for no seed, one of numpy's for a number, as the library has it."""
    return random.SystemRandom() if seed is None else np.random.RandomState(seed)


class DPMechanism:
    def __init__(self, *, epsilon, delta=0.0, random_state=None):
        self.epsilon, self.delta = float(epsilon), float(delta)
        self._rng = check_random_state(random_state)
