"""What every selection must keep: exact chances that sum to 1, its sampler, its cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction

from audit.testing.laws.agreement import DRAWS, middle, require_agreement
from audit.testing.laws.law import SEED, broken, require, require_json, require_pickles
from synthesizers.exact import Exact, add, compare, divide, log_enclosure
from synthesizers.exponential import ExpRational
from synthesizers.queries import Sensitivity
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.selection import Exponential

SCORES = ((0,), (0, 0), (0, 1), (3, 0, -2), (5, 5, 4, 0), (-1, 0, 2, 2, -7))
"""Scores that selections are tried on (choices of this project: ties, gaps, one alone)."""

MOVES = ((1, 1, 1, 1, 1), (1, 0, 1, 0, 1), (1, -1, 1, -1, 1), (-1, 1, 1, 1, -1), (2, 0, 2, 1, 0))
"""How scores move from one neighbour to another (choices of this project: together, some of them,
against each other)."""


def chances_sum_to_one(selection: Exponential) -> None:
    """One exact chance a candidate, and they sum to 1."""
    for scores in SCORES:
        chances = selection.chances(scores)
        require(len(chances) == len(scores), f"expected a chance for each score of {scores}")
        total: Exact = Fraction(0)
        for chance in chances:
            total = add(total, chance)
        require(compare(total, Fraction(1)) in (0, None), f"the chances of {scores} must sum to 1")


def sampler_follows_chances(selection: Exponential) -> None:
    """Draws are of the stated chances, by exact binomial tests at an error of 1e-9."""
    for number, scores in enumerate(SCORES):
        entropy = InsecureSeededEntropy(SEED, number)
        drawn: Counter[Hashable] = Counter(
            selection.sample(scores, entropy) for _ in range(DRAWS // 4)
        )
        law: dict[Hashable, float] = dict(enumerate(map(middle, selection.chances(scores))))
        require_agreement(law, drawn, f"sample of the scores {scores}")


def cost_bounds_every_ratio(selection: Exponential) -> None:
    """A finite ε of the cost bounds the log ratios between scores that moved."""
    for scores in SCORES:
        for moves in MOVES:
            moved = moves[: len(scores)]
            sizes = [abs(move) for move in moved]
            monotone = min(moved) >= 0 or max(moved) <= 0
            sensitivity = Sensitivity(
                sum(sizes), sum(size * size for size in sizes), max(sizes), monotone
            )
            epsilon = selection.cost(sensitivity).epsilon
            if epsilon is None:
                continue
            allowed = ExpRational.exp(Fraction(epsilon))
            after = tuple(score + move for score, move in zip(scores, moved, strict=True))
            pairs = zip(selection.chances(scores), selection.chances(after), strict=True)
            for here, there in pairs:
                for above, below in ((here, there), (there, here)):
                    if compare(divide(above, below), allowed) == 1:
                        found = float(log_enclosure(divide(above, below)).lower)
                        broken(
                            f"the cost's ε is {float(epsilon):.6g} where scores move by {moved}, "
                            f"and from {scores} to {after} a log ratio is {found:.6g}"
                        )


def is_plain_data(selection: Exponential) -> None:
    """to_json is JSON, and the selection pickles to an equal one."""
    require_json(selection)
    require_pickles(selection)


LAWS: tuple[Callable[[Exponential], None], ...] = (
    chances_sum_to_one,
    sampler_follows_chances,
    cost_bounds_every_ratio,
    is_plain_data,
)
