import math

from diffprivlib import DPMechanism


class Geometric(DPMechanism):
    def __init__(self, *, epsilon, sensitivity=1, random_state=None):
        super().__init__(epsilon=epsilon, random_state=random_state)
        self.sensitivity = sensitivity

    def randomise(self, value):
        if self.epsilon == math.inf:
            return int(value)
        rate = self.epsilon / self.sensitivity
        first, second = (math.floor(-math.log(1 - self._rng.random()) / rate) for _ in range(2))
        return int(value) + first - second


class GeometricTruncated(Geometric):
    def __init__(self, *, epsilon, sensitivity=1, lower, upper, random_state=None):
        super().__init__(epsilon=epsilon, sensitivity=sensitivity, random_state=random_state)
        self.lower, self.upper = lower, upper

    def randomise(self, value):
        noisy = super().randomise(value)
        return self.upper if noisy > self.upper else self.lower if noisy < self.lower else noisy


class GeometricFolded(GeometricTruncated):
    def randomise(self, value):
        noisy = Geometric.randomise(self, value)
        while not self.lower <= noisy <= self.upper:
            noisy = 2 * (self.lower if noisy < self.lower else self.upper) - noisy
        return noisy
