import math
import random

from opendp.mod import Measurement

_random = random.SystemRandom()


def make_laplace(input_domain, input_metric, scale, k=None, MO="MaxDivergence"):
    def noisy(arg):
        first, second = (math.floor(-math.log(1 - _random.random()) * scale) for _ in range(2))
        return arg + first - second

    return Measurement(input_domain, input_metric, MO, noisy, lambda apart: apart / scale)


def make_gaussian(input_domain, input_metric, scale, k=None, MO="ZeroConcentratedDivergence"):
    def noisy(arg):
        return arg + round(_random.gauss(0, scale))

    return Measurement(
        input_domain, input_metric, MO, noisy, lambda apart: (apart / scale) ** 2 / 2
    )
