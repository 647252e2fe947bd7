import math

from diffprivlib import DPMechanism


class Binary(DPMechanism):
    def __init__(self, *, epsilon, value0, value1, random_state=None):
        super().__init__(epsilon=epsilon, random_state=random_state)
        self.value0, self.value1 = value0, value1

    def randomise(self, value):
        other = self.value1 if value == self.value0 else self.value0
        return value if self._rng.random() < 1 / (1 + math.exp(-self.epsilon)) else other
