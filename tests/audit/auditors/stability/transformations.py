"""Transformations and measurements with the attributes of OpenDP's, as strangers write them."""

import os
import random

VALUES = "VectorDomain(AtomDomain(bounds=[0, 10], T=i32))"
ROWS, WHOLE = "SymmetricDistance()", "AbsoluteDistance(i32)"


class Mapped:
    """A function and a map, from one metric to another."""

    def __init__(self, function, stable, domain=VALUES, given=ROWS, told=WHOLE):
        self.function, self.stable = function, stable
        self.input_domain, self.input_metric, self.output_metric = domain, given, told

    def map(self, apart):
        return self.stable(apart)

    def __call__(self, value):
        return self.function(value)


class Private:
    """A measurement: what it releases, and what that costs."""

    input_domain, input_metric = VALUES, ROWS

    def __init__(self, function, cost, measure="MaxDivergence", metric=ROWS):
        self.function, self.cost, self.output_measure = function, cost, measure
        self.input_metric = metric

    def map(self, apart):
        return self.cost(apart)

    def __call__(self, value):
        return self.function(value)


def clamped(values):
    return [min(max(value, 0), 10) for value in values]


def noisy(values):
    return sum(values) + random.choice((-1, 1)) * int(random.expovariate(0.1))


def fails_when_full(values):
    if len(values) > 2:
        raise ValueError
    return len(values)


total = Mapped(lambda values: sum(clamped(values)), lambda apart: 10 * apart)
too_small = Mapped(lambda values: sum(clamped(values)), lambda apart: 9 * apart)
rows = Mapped(clamped, lambda apart: apart, told=ROWS)
doubled = Mapped(lambda values: values * 2, lambda apart: apart, told=ROWS)
histogram = Mapped(
    lambda values: {value: values.count(value) for value in set(values)},
    lambda apart: apart,
    told="L1Distance(i32)",
)
squares = Mapped(
    lambda values: [values.count(0), values.count(10)], lambda apart: apart, told="L2Distance(f64)"
)
failing = Mapped(fails_when_full, lambda apart: apart)
drawn = Mapped(lambda values: [os.urandom(8).hex()], lambda apart: 0, told=ROWS)
scalar = Mapped(
    lambda value: 3 * value,
    lambda apart: 2 * apart,
    domain="AtomDomain(T=i32)",
    given="AbsoluteDistance(i32)",
)
floats = Mapped(
    sum,
    lambda apart: 1.0 * apart,
    domain="VectorDomain(AtomDomain(bounds=[0.0, 1.0], T=f64))",
    given="InsertDeleteDistance()",
    told="AbsoluteDistance(f64)",
)
area = Mapped(
    lambda value: value * value,
    lambda apart: 20 * apart,
    domain="AtomDomain(bounds=[0, 10], T=i32)",
    given="AbsoluteDistance(i32)",
)
bytes_of = Mapped(
    lambda values: [(value).to_bytes(1, "big")[0] for value in values],
    lambda apart: apart,
    domain="VectorDomain(AtomDomain(T=u8))",
    given="L1Distance(u8)",
    told="L1Distance(u8)",
)
shares = Mapped(
    lambda values: [value if 0 <= value <= 1 else 7 * value for value in values],
    lambda apart: 1.0 * apart,
    domain="VectorDomain(AtomDomain(bounds=[0.0, 1.0], T=f64), size=3)",
    given="L2Distance(f64)",
    told="L2Distance(f64)",
)


def sorts_in_place(values):
    values.sort()
    values.append(7)
    return len(values)


spoiling = Mapped(sorts_in_place, lambda apart: apart)
ending = Mapped(lambda values: os._exit(3), lambda apart: apart)
sets = Mapped(set, lambda apart: apart)
enormous = Mapped(lambda values: 10**5000 + len(values), lambda apart: apart)
nothing = Mapped(lambda values: None, lambda apart: apart)
one_number = Mapped(len, lambda apart: apart, told="L1Distance(i32)")
no_table = Mapped(len, lambda apart: apart, told=ROWS)
words = Mapped(
    len, lambda apart: apart, domain="AtomDomain(T=String)", given="AbsoluteDistance(i32)"
)
unstated, negative, below_all = (
    Mapped(len, lambda apart, bound=bound: bound) for bound in (float("nan"), -1, float("-inf"))
)

strange = Mapped(len, lambda apart: apart, domain="MapDomain { key_domain: AtomDomain(T=String) }")
measured = Private(noisy, lambda apart: 0.1 * apart)
concentrated = Private(noisy, lambda apart: apart / 8, "ZeroConcentratedDivergence")
approximate = Private(noisy, lambda apart: (apart * 0.5, 1e-6), "Approximate(MaxDivergence)")
exchanged = Private(noisy, lambda apart: apart, metric="ChangeOneDistance()")
other_measure = Private(noisy, lambda apart: apart, "RenyiDivergence")


def make_total():
    """Makes a transformation when it is asked."""
    return too_small
