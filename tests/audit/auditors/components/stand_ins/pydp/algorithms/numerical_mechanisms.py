import math
import random

_random = random.SystemRandom()


class LaplaceMechanism:
    def __init__(self, epsilon, sensitivity=1.0):
        self.epsilon, self.sensitivity = epsilon, sensitivity

    def add_noise(self, result):
        scale = self.sensitivity / self.epsilon
        return result + scale * _random.choice((-1, 1)) * -math.log(1 - _random.random())
