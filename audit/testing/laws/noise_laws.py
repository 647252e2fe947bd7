"""What every noise must keep: its exact law, its sampler, its cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction

import numpy as np

from audit.testing.laws.agreement import DRAWS, middle, require_agreement
from audit.testing.laws.law import SEED, broken, require, require_json, require_pickles
from synthesizers.exact import Exact, add, compare, divide, enclose, is_zero, log_enclosure
from synthesizers.exponential import ExpRational
from synthesizers.intervals import Interval
from synthesizers.noise import Noise
from synthesizers.queries import Sensitivity
from synthesizers.randomness import InsecureSeededEntropy

FAR = 12
VALUES = (*range(-FAR, FAR + 1), *(sign * 2**k for k in range(4, 9) for sign in (-1, 1)))
"""Where laws are looked at: around 0, and far out (choices of this project)."""

SHIFTS = (1, 2, 3, 7)
"""How far the true answers of two neighbours lie apart (choices of this project)."""

ORDERS = (1.5, 2.0, 4.0, 16.0)
"""Of the Rényi divergences that a cost in zCDP must bound (choices of this project)."""

NARROW = Fraction(1, 2**40)
"""The widest enclosure that says something of a law."""

ROUNDING = 1e-9
"""The relative error of divergences that are summed in doubles: far above that of some hundred
operations of 2^-53 each, far below what a wrong cost is wrong by."""


def chances_are_exact(noise: Noise) -> None:
    """Chances are Fractions, exponential sums or narrow intervals, from 0 to 1; floats are not."""
    for value in VALUES:
        for found in (noise.mass(value), noise.tail(value)):
            require(
                isinstance(found, Fraction | ExpRational | Interval),
                f"chances must be exact (Fraction, ExpRational, Interval), found "
                f"{type(found).__name__} at {value}",
            )
            ends = enclose(found)
            require(
                ends.lower >= 0 and ends.upper <= 1 + NARROW,
                f"a chance must lie from 0 to 1, and at {value} it does not",
            )
            require(
                ends.upper - ends.lower <= NARROW,
                f"the enclosure of a chance must be narrower than 2^-40, and at {value} it is not",
            )


def masses_sum_to_one(noise: Noise) -> None:
    """The masses around 0 and both tails beyond them sum to 1."""
    for end in (0, 1, FAR):
        total = add(noise.tail(end + 1), noise.tail(end + 1))
        for value in range(-end, end + 1):
            total = add(total, noise.mass(value))
        _require_equal(total, Fraction(1), f"masses from {-end} to {end} with both tails")


def tails_sum_masses(noise: Noise) -> None:
    """tail(v) is tail(v + 1) and mass(v), at every value looked at."""
    for value in VALUES:
        both = add(noise.mass(value), noise.tail(value + 1))
        _require_equal(both, noise.tail(value), f"mass({value}) + tail({value + 1})")


def law_is_symmetric(noise: Noise) -> None:
    """mass(v) is mass(-v)."""
    for value in VALUES:
        _require_equal(noise.mass(value), noise.mass(-value), f"mass({value}) and mass({-value})")


def sampler_follows_masses(noise: Noise) -> None:
    """Draws are integers of the stated law, by exact binomial tests at an error of 1e-9."""
    drawn = noise.sample(DRAWS, InsecureSeededEntropy(SEED))
    require(
        isinstance(drawn, np.ndarray) and drawn.shape == (DRAWS,) and drawn.dtype.kind in "iu",
        f"sample(n, entropy) must return an array of n integers, found {type(drawn).__name__}",
    )
    end = int(np.abs(drawn).max(initial=1))
    inner = range(-min(end, 200), min(end, 200) + 1)
    law: dict[Hashable, float] = {"below": middle(noise.tail(inner[-1] + 1))}
    law |= {value: middle(noise.mass(value)) for value in inner}
    law["above"] = law["below"]
    named = ["below" if v < inner[0] else "above" if v > inner[-1] else v for v in drawn.tolist()]
    require_agreement(law, Counter(named), "sample")


def sampler_uses_its_entropy_alone(noise: Noise) -> None:
    """The same entropy gives the same draws, another one gives others."""
    first, again = (noise.sample(200, InsecureSeededEntropy(SEED)) for _ in range(2))
    require(
        np.array_equal(first, again),
        "the same entropy must give the same draws; whatever else a sampler draws from is unseen",
    )
    other = noise.sample(200, InsecureSeededEntropy(SEED + 1))
    # Two hundred draws that agree by chance: the collision chance to the power of 200.
    likely = max(middle(noise.mass(value)) for value in range(-2, 3))
    require(
        likely**200 > 1e-9 or not np.array_equal(first, other),
        "other entropy must give other draws; found the same",
    )


def sampler_draws_independently(noise: Noise) -> None:
    """A draw says nothing of the next one: signs agree as often as those of independent draws."""
    drawn = noise.sample(2 * DRAWS, InsecureSeededEntropy(SEED + 2)).reshape(DRAWS, 2)
    zero = middle(noise.mass(0))
    side = (1 - zero) / 2
    law: dict[Hashable, float] = {
        (a, b): (zero if a == 0 else side) * (zero if b == 0 else side)
        for a in (-1, 0, 1)
        for b in (-1, 0, 1)
    }
    law = {pair: chance for pair, chance in law.items() if chance > 0}
    seen: Counter[Hashable] = Counter(map(tuple, np.sign(drawn).tolist()))
    require_agreement(law, seen, "signs of two draws in a row")


def shift_loss_bounds_every_ratio(noise: Noise) -> None:
    """No ratio of chances a shift apart exceeds e^shift_loss; 0 for no shift; the same for -s."""
    require(noise.shift_loss(0) == 0, "the loss of no shift must be 0")
    for shift in SHIFTS:
        stated = noise.shift_loss(shift)
        require(stated == noise.shift_loss(-shift), f"the losses of ±{shift} must be equal")
        if stated is not None:
            _require_bounded(noise, shift, Fraction(stated), f"shift_loss({shift})")


def cost_bounds_every_ratio(noise: Noise) -> None:
    """A finite ε of the cost bounds every ratio: all of the change in one answer, or spread."""
    for shift in SHIFTS:
        whole = noise.cost(Sensitivity(shift, shift * shift, shift, True)).epsilon
        if whole is not None:
            _require_bounded(noise, shift, Fraction(whole), f"the ε of the cost at L1 = {shift}")
        # As many answers that move by 1: their losses add up.
        spread = noise.cost(Sensitivity(shift, shift, 1, True)).epsilon
        if spread is not None:
            share = Fraction(spread) / shift
            _require_bounded(noise, 1, share, f"the ε of the cost at L1 = {shift}, spread out")


def cost_bounds_every_divergence(noise: Noise) -> None:
    """A finite ρ of the cost bounds the Rényi divergences of every order: at most αρ."""
    for shift in SHIFTS:
        for answers, sensitivity in (
            (1, Sensitivity(shift, shift * shift, shift, True)),
            (shift, Sensitivity(shift, shift, 1, True)),
        ):
            rho = noise.cost(sensitivity).rho
            if rho is None:
                continue
            moved = shift if answers == 1 else 1
            for order in ORDERS:
                least = answers * _divergence(noise, moved, order)
                require(
                    least <= order * float(rho) * (1 + ROUNDING) + ROUNDING,
                    f"the cost's ρ = {float(rho):.6g} at L2² = {sensitivity.l2_squared} allows a "
                    f"divergence of {order * float(rho):.6g} at order {order}, and the law has "
                    f"{least:.6g} or more",
                )


def no_change_costs_nothing(noise: Noise) -> None:
    """An answer that never moves costs nothing."""
    cost = noise.cost(Sensitivity(0, 0, 0, True))
    require(
        cost.epsilon == 0 and cost.rho == 0, "the cost of no change must be epsilon 0 and rho 0"
    )


def is_plain_data(noise: Noise) -> None:
    """to_json is JSON, and the noise pickles to an equal one."""
    require_json(noise)
    require_pickles(noise)


LAWS: tuple[Callable[[Noise], None], ...] = (
    chances_are_exact,
    masses_sum_to_one,
    tails_sum_masses,
    law_is_symmetric,
    sampler_follows_masses,
    sampler_uses_its_entropy_alone,
    sampler_draws_independently,
    shift_loss_bounds_every_ratio,
    cost_bounds_every_ratio,
    cost_bounds_every_divergence,
    no_change_costs_nothing,
    is_plain_data,
)


def _require_equal(left: Exact, right: Exact, what: str) -> None:
    """Equal, or enclosures that meet."""
    if compare(left, right) in (0, None):
        return
    ends, other = enclose(left), enclose(right)
    broken(
        f"{what}: expected {float(other.lower):.12g}, found {float(ends.lower):.12g} "
        f"({float(ends.lower - other.upper):.3g} apart)"
    )


def _require_bounded(noise: Noise, shift: int, loss: Fraction, what: str) -> None:
    allowed = ExpRational.exp(loss)
    for value in VALUES:
        here, there = noise.mass(value), noise.mass(value + shift)
        if is_zero(there):
            require(is_zero(here), f"{what} is finite, and P[{value}] > 0 = P[{value + shift}]")
            continue
        for above, below in ((here, there), (there, here)):
            if is_zero(below):
                require(is_zero(above), f"{what} is finite, and a zero stands beside a non-zero")
            elif compare(divide(above, below), allowed) == 1:
                found = float(log_enclosure(divide(above, below)).lower)
                broken(
                    f"{what} is {float(loss):.6g}, and the log ratio of the chances of {value} and "
                    f"{value + shift} is {found:.6g}"
                )


def _divergence(noise: Noise, shift: int, order: float) -> float:
    """A floor of the Rényi divergence of the law from its shift: a part of a sum of positives."""
    logs = []
    for value in range(-FAR, FAR + 1):
        here, there = (noise.mass(v) for v in (value, value + shift))
        if is_zero(here):
            continue
        if is_zero(there):
            return math.inf
        p, q = (float(log_enclosure(chance).lower) for chance in (here, there))
        logs.append(order * p - (order - 1) * q)
    top = max(logs)
    return (top + math.log(math.fsum(math.exp(one - top) for one in logs))) / (order - 1)
