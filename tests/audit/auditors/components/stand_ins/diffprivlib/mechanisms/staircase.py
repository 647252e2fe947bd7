from diffprivlib import DPMechanism


class Staircase(DPMechanism):
    def __init__(self, *, epsilon, sensitivity, gamma=None, random_state=None):
        super().__init__(epsilon=epsilon, random_state=random_state)
        self.sensitivity = float(sensitivity)

    def randomise(self, value):
        near, far = self._rng.random(), self._rng.random()
        steps = 0
        while far > 0.5:
            steps, far = steps + 1, 2 * far - 1
        return value + self.sensitivity * (near + steps)
