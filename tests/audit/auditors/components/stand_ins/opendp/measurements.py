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


def make_randomized_response_bool(prob):
    def answer(arg):
        return arg if _random.random() < prob else not arg

    epsilon = math.log(prob / (1 - prob))
    return Measurement(
        "AtomDomain(T=bool)",
        "DiscreteDistance()",
        "MaxDivergence",
        answer,
        lambda apart: min(apart, 1) * epsilon,
    )
