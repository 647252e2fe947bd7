"""The ε at which a certified profile passes a given δ, from both sides."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from proofs.errors import ProofError
from synthesizers.intervals import Interval, log_interval, round_down

MAX_EVALUATIONS = 250
"""Evaluations of a profile after which a search ends."""

BITS = 96
"""Significant bits of an ε that is tried."""


def bracket(
    profile: Callable[[Fraction], Interval], delta: Fraction, guess: Fraction, width: Fraction
) -> tuple[Fraction, Fraction]:
    """(lower, upper) with δ(lower) > delta or lower = 0, and δ(upper) <= delta, both certified.

    ``profile``: encloses a function that decreases in ε. Their distance is at most ``width``
    where the profile's own enclosures are narrow enough. Raises ProofError where no upper end is
    found.
    """
    search = _Search(profile, delta)
    if search.side(Fraction(0)) > 0:
        return Fraction(0), Fraction(0)
    aim = max(round_down(guess, BITS), width)
    while search.wants(width):
        known = search.low, search.high
        side = search.side(aim)
        # The answer is most often close, so that a point next to this one lands on its other side.
        step = width * 9 / 10 if side else width * 4 / 10
        nearby = [aim - step] if side > 0 else [aim + step] if side else [aim - step, aim + step]
        for near in nearby:
            if near > search.low and (search.high is None or near < search.high):
                search.side(near)
        if side == 0 and known == (search.low, search.high):
            break
        aim = search.aim(aim)
    if search.high is None:
        raise ProofError("no epsilon could be certified at this delta")
    return search.low, search.high


class _Search:
    """What is known of the profile so far."""

    def __init__(self, profile: Callable[[Fraction], Interval], delta: Fraction) -> None:
        self.profile = profile
        self.delta = delta
        self.low = Fraction(0)
        self.high: Fraction | None = None
        self.seen: list[tuple[Fraction, Fraction | None]] = []

    def wants(self, width: Fraction) -> bool:
        """Whether the ends are too far apart, and something is left to spend."""
        open_end = self.high is None or self.high - self.low > width
        return open_end and len(self.seen) < MAX_EVALUATIONS

    def side(self, epsilon: Fraction) -> int:
        """1 if δ(ε) is certainly at most the wanted one, -1 if certainly above, 0 if open."""
        found = self.profile(epsilon)
        self.seen.append((epsilon, _log((found.lower + found.upper) / 2)))
        if found.upper <= self.delta:
            self.high = epsilon if self.high is None else min(self.high, epsilon)
            return 1
        if found.lower > self.delta:
            self.low = max(self.low, epsilon)
            return -1
        return 0

    def aim(self, last: Fraction) -> Fraction:
        """Where the line through the last two logarithms passes δ; else a safe step."""
        (first, one), (second, two) = self.seen[-2:]
        found: Fraction | None = None
        goal = _log(self.delta)
        if one is not None and two is not None and goal is not None and one != two:
            found = second + round_down((goal - two) * (first - second) / (one - two), BITS)
            found = round_down(found, BITS) if found > 0 else None
        if self.high is None:
            return min(max(found or 2 * last, self.low * 9 / 8, last * 9 / 8), 4 * last)
        # Where the last points are not close to the line, halving is faster in the end.
        if found is None or not self.low < found < self.high or len(self.seen) % 8 > 5:
            return round_down((self.low + self.high) / 2, BITS)
        return found


def _log(value: Fraction) -> Fraction | None:
    """ln of a number, to `BITS` bits; None where there is none."""
    if value <= 0:
        return None
    found = log_interval(value, BITS)
    return round_down((found.lower + found.upper) / 2, BITS)
