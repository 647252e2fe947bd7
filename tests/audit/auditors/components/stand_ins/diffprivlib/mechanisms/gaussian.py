import math

import numpy as np

from diffprivlib import DPMechanism


class GaussianDiscrete(DPMechanism):
    def __init__(self, *, epsilon, delta, sensitivity=1, random_state=None):
        super().__init__(epsilon=epsilon, delta=delta, random_state=random_state)
        self.sensitivity = sensitivity
        self._scale = sensitivity * math.sqrt(2 * math.log(1.25 / self.delta)) / self.epsilon

    def randomise(self, value):
        places = range(-int(20 * self._scale), int(20 * self._scale) + 1)
        weights = [math.exp(-((place / self._scale) ** 2) / 2) for place in places]
        left = self._rng.random() * sum(weights)
        return value + places[int(np.searchsorted(np.cumsum(weights), left))]
