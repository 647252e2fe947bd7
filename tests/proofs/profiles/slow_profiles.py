"""Profiles and moments computed slowly: by mpmath's integrals, and by visiting every outcome.

Nothing of the methods' own arithmetic or formulas is used.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from fractions import Fraction

import mpmath

from synthesizers.intervals import Interval

wide = mpmath.MPContext()
wide.dps = 50
"""mpmath at 50 digits, whatever precision other tests set."""

Atoms = Sequence[tuple[mpmath.mpf, mpmath.mpf]]
"""Values of a loss, each with its chance under P."""


def mp(value: Fraction | int | str) -> mpmath.mpf:
    """A rational as mpmath's number."""
    exact = Fraction(value)
    return wide.mpf(exact.numerator) / exact.denominator


def holds(interval: Interval, value: mpmath.mpf, error: str = "1e-40") -> bool:
    """Whether the interval holds the value, which is known but for a relative error."""
    slack = abs(value) * wide.mpf(error)
    return bool(mp(interval.lower) <= value + slack and value - slack <= mp(interval.upper))


def relative_width(interval: Interval) -> Fraction:
    """The width as a part of the lower end."""
    return (interval.upper - interval.lower) / interval.lower


def passes(
    profile: Callable[[Fraction], Interval], epsilon: str, delta: Fraction, unit: str
) -> bool:
    """Whether δ is reached at ε, but for one unit of its last printed digit."""
    at, step = Fraction(epsilon), Fraction(unit)
    return profile(at + step).upper <= delta < profile(at - step).lower


def response_atoms(epsilon: Fraction) -> Atoms:
    """Randomised response."""
    odds = wide.exp(mp(epsilon))
    return [(mp(epsilon), odds / (1 + odds)), (-mp(epsilon), 1 / (1 + odds))]


def discrete_laplace_atoms(rate: Fraction, shift: int, reach: int) -> Atoms:
    """The law on -reach … shift + reach, which leaves out about e^(-rate·reach)."""
    fall = wide.exp(-mp(rate))
    scale = (1 - fall) / (1 + fall)
    points = range(-reach, shift + reach + 1)
    return [(mp(rate) * (abs(z) - abs(z - shift)), scale * fall ** abs(z - shift)) for z in points]


def discrete_gaussian_atoms(variance: Fraction, shift: int, reach: int) -> Atoms:
    """The law on shift - reach … shift + reach."""
    weights = [wide.exp(-mp(Fraction(z * z) / (2 * variance))) for z in range(-reach, reach + 1)]
    total = wide.fsum(weights)
    return [
        (mp(shift * (2 * (z + shift) - shift) / (2 * variance)), weight / total)
        for z, weight in zip(range(-reach, reach + 1), weights, strict=True)
    ]


def enumerated(parts: Sequence[Atoms], epsilon: Fraction) -> mpmath.mpf:
    """δ(ε) of independent losses, one outcome of all after the other."""
    total = wide.mpf(0)
    for outcome in itertools.product(*parts):
        loss = wide.fsum(value for value, _ in outcome)
        if loss > mp(epsilon):
            total += wide.fprod(chance for _, chance in outcome) * (
                1 - wide.exp(mp(epsilon) - loss)
            )
    return total


def atoms_moment(atoms: Atoms, order: Fraction) -> mpmath.mpf:
    """ln E_P[e^(cL)]."""
    return wide.log(wide.fsum(chance * wide.exp(mp(order) * value) for value, chance in atoms))


def normal(x: mpmath.mpf, mean: mpmath.mpf) -> mpmath.mpf:
    """The density of N(mean, 1)."""
    return wide.exp(-((x - mean) ** 2) / 2) / wide.sqrt(2 * wide.pi)


def gaussian_profile(mu: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    """δ(ε) as the integral of P's density, less e^ε times Q's, over where that is positive."""
    start = epsilon / mu + mu / 2
    # Integrals are as good as their absolute error: they must not be tiny.
    scale = normal(max(start, mu), mu)

    def excess(x: mpmath.mpf) -> mpmath.mpf:
        return normal(x, mu) / scale * -wide.expm1(epsilon - mu * x + mu**2 / 2)

    # The density falls by e^-1 in such a unit or faster, from P's centre on.
    unit = 1 / max(wide.mpf(1), start - mu)
    steps = (0, 1, 3, 7, 12, 20, 35, 60, 100)
    return scale * wide.quad(excess, [max(start, mu - 20) + unit * step for step in steps])


def laplace_moment(epsilon: Fraction, order: Fraction) -> mpmath.mpf:
    """ln of the integral of P^(1+c)·Q^-c for P = Laplace(ε, 1), Q = Laplace(0, 1)."""
    shift, c = mp(epsilon), mp(order)

    def integrand(x: mpmath.mpf) -> mpmath.mpf:
        return wide.exp(-(1 + c) * abs(x - shift) + c * abs(x)) / 2

    return wide.log(wide.quad(integrand, [-wide.inf, 0, shift, wide.inf]))


def sampled_moment(fraction: Fraction, mu: mpmath.mpf, power: mpmath.mpf) -> mpmath.mpf:
    """ln E_Q[(mixture/Q)^power] of the Gaussian on a Poisson sample, Q = N(0, 1)."""
    q = mp(fraction)

    def integrand(x: mpmath.mpf) -> mpmath.mpf:
        return normal(x, wide.mpf(0)) * (1 - q + q * wide.exp(mu * x - mu**2 / 2)) ** power

    return wide.log(wide.quad(integrand, [-40, -20, -8, -3, 0, 3, 8, 14, 20, 40]))


def two_steps_moment(mu: mpmath.mpf, power: mpmath.mpf) -> mpmath.mpf:
    """ln E_Q[(mixture/Q)^power] of a Gaussian in one of two steps: the trapezoid rule of both."""
    step = wide.mpf(1) / 4
    places = [n * step for n in range(-60, 60 + int(4 * mu * max(power, 0)))]
    mass = [normal(x, wide.mpf(0)) * step for x in places]
    ratio = [wide.exp(mu * x - mu**2 / 2) / 2 for x in places]
    each = list(zip(mass, ratio, strict=True))
    # Both steps are alike: pairs in order count twice.
    terms = (
        (2 if i else 1) * one * other * (w + v) ** power
        for n, (one, w) in enumerate(each)
        for i, (other, v) in enumerate(each[n:])
    )
    return wide.log(wide.fsum(terms))


def fixed_size_moment(fraction: Fraction, mu: mpmath.mpf, order: mpmath.mpf) -> mpmath.mpf:
    """ln of the three parts of E_P[e^(cL)] of a Gaussian on a sample of a fixed size."""
    q = mp(fraction)
    ends = [mu / 2 + i for i in (0, 1, 2, 4, 8, 16, 32, 40 + mu * order)]

    def integral(power: mpmath.mpf) -> mpmath.mpf:
        return wide.quad(
            lambda x: normal(x, wide.mpf(0)) * (1 - q + q * wide.exp(mu * x - mu**2 / 2)) ** power,
            ends,
        )

    rest = 1 - integral(1) - integral(0)
    return wide.log(integral(1 + order) + integral(-order) + rest)


def fixed_size_profile(fraction: Fraction, mu: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    """δ(ε) of a Gaussian on a sample of a fixed size, at any real ε: the integrals of its parts."""
    q, power = mp(fraction), wide.exp(epsilon)

    def integral(value: Callable[[mpmath.mpf], mpmath.mpf]) -> mpmath.mpf:
        kink = wide.log1p(wide.expm1(abs(epsilon)) / q) / mu + mu / 2
        ends = sorted({mu / 2, kink, *(end + i for end in (mu / 2, kink) for i in (1, 3, 7, 20))})
        return wide.quad(
            lambda x: normal(x, wide.mpf(0)) * value(1 - q + q * wide.exp(mu * x - mu**2 / 2)),
            ends,
        )

    rest = 1 - integral(lambda ratio: 1 + ratio)
    above = integral(lambda ratio: max(ratio - power, wide.mpf(0)))
    below = integral(lambda ratio: max(1 - power * ratio, wide.mpf(0)))
    return above + below + max(1 - power, wide.mpf(0)) * rest


def laplace_profile(count: int, rate: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    """δ(ε) of Laplace losses, conditioned on the last one: E[δ of the others at ε - L].

    One alone has 1 - e^((ε-ε₀)/2): its best event is {x >= (ε+ε₀)/2}.
    """
    if epsilon < 0:
        return 1 - wide.exp(epsilon) * (1 - laplace_profile(count, rate, -epsilon))
    if count == 0 or epsilon >= count * rate:
        return wide.mpf(0)
    if count == 1:
        return -wide.expm1((epsilon - rate) / 2)
    atoms = laplace_profile(count - 1, rate, epsilon - rate) / 2
    atoms += wide.exp(-rate) / 2 * laplace_profile(count - 1, rate, epsilon + rate)
    # The rest's profile has its kinks where ε - L is 0 or a multiple of the rate.
    kinks = [epsilon + rate * j for j in range(-2 * count - 2, count + 1)]
    inside = [kink for kink in sorted({*kinks, wide.mpf(0)}) if -rate < kink < rate]

    def weighed(loss: mpmath.mpf) -> mpmath.mpf:
        density = wide.exp((loss - rate) / 2) / 4
        return density * laplace_profile(count - 1, rate, epsilon - loss)

    return atoms + wide.quad(weighed, [-rate, *inside, rate])


def irwin_hall(count: int, place: mpmath.mpf) -> mpmath.mpf:
    """The density of the sum of uniform numbers in [0, 1], by its recursion of positive terms."""
    if count == 1:
        return wide.mpf(0 <= place < 1)
    if not 0 < place < count:
        return wide.mpf(0)
    first = place * irwin_hall(count - 1, place)
    return (first + (count - place) * irwin_hall(count - 1, place - 1)) / (count - 1)


def laplace_mixture(count: int, rate: mpmath.mpf, epsilon: mpmath.mpf) -> mpmath.mpf:
    """δ(ε) of Laplace losses ε₀(1-2t), by how many t are 0, 1 and uniform between (but weighed)."""
    end = (count - epsilon / rate) / 2

    def gain(place: mpmath.mpf) -> mpmath.mpf:
        return wide.exp(-rate * place) - wide.exp(-rate * (2 * end - place))

    total = wide.mpf(0)
    for between in range(count + 1):
        for ones in range(count - between + 1):
            ways = wide.binomial(count, between) * wide.binomial(count - between, ones)
            weight = ways * rate**between / wide.mpf(2) ** count
            if between == 0:
                total += weight * max(gain(wide.mpf(ones)), 0)
            elif ones < end:
                cells = [wide.mpf(cell) for cell in range(between + 1) if ones + cell < end]
                cells += [end - ones] if end - ones <= between else []
                total += weight * wide.quad(
                    lambda u, n=between, at=ones: gain(at + u) * irwin_hall(n, u), cells
                )
    return total
