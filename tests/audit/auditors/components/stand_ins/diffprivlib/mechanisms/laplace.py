import math

from diffprivlib import DPMechanism


class Laplace(DPMechanism):
    def __init__(self, *, epsilon, delta=0.0, sensitivity, random_state=None):
        super().__init__(epsilon=epsilon, delta=delta, random_state=random_state)
        self.sensitivity = float(sensitivity)

    def randomise(self, value):
        scale = self.sensitivity / (self.epsilon - math.log(1 - self.delta))
        first, second = self._rng.random(), self._rng.random()
        return value + scale * (math.log(1 - first) - math.log(1 - second))


class LaplaceTruncated(Laplace):
    def __init__(self, *, epsilon, delta=0.0, sensitivity, lower, upper, random_state=None):
        super().__init__(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity, random_state=random_state
        )
        self.lower, self.upper = lower, upper

    def randomise(self, value):
        noisy = super().randomise(value)
        return self.upper if noisy > self.upper else self.lower if noisy < self.lower else noisy
