import numpy as np

from diffprivlib import DPMechanism


class Exponential(DPMechanism):
    def __init__(self, *, epsilon, sensitivity, utility, monotonic=False, random_state=None):
        super().__init__(epsilon=epsilon, random_state=random_state)
        self.sensitivity, self.utility = float(sensitivity), list(utility)
        scale = self.epsilon / self.sensitivity / (2 - monotonic)
        self._probabilities = self._find(scale * (np.array(utility) - max(utility)))

    def _find(self, logarithms):
        weights = np.exp(logarithms)
        return np.cumsum(weights / weights.sum())

    def randomise(self, value=None):
        return int(np.searchsorted(self._probabilities, self._rng.random()))


class PermuteAndFlip(Exponential):
    def _find(self, logarithms):
        return logarithms

    def randomise(self, value=None):
        left = list(range(len(self.utility)))
        while True:
            place = left.pop(int(self._rng.random() * len(left)))
            if self._rng.random() < np.exp(self._probabilities[place]):
                return place
