"""Rules for a program whose curator counts: what it charges, or how many steps it has answered.

The curator adds up what it charges: a *filter* refuses what would exceed a budget; an *odometer*
refuses nothing and bounds the loss by the spend. A filter of sampled steps counts steps of one
law, whatever they ask.
"""

from __future__ import annotations

from fractions import Fraction

from proofs.entries import ConcentratedLoss, CountedLoss, Entry, Point, RenyiCurve
from proofs.errors import require
from proofs.hypotheses import BASE
from proofs.judgments import Odometer, Private
from proofs.losses import ResponseLoss, SampledGaussianLoss
from proofs.parameters import Positive, Record, Setting
from proofs.rules.rule import Conclusion, at_most_growing, lose, require_neighbours, rule
from synthesizers.intervals import Interval, log_interval
from synthesizers.neighbours import AddRemove, Neighbours

MAX_LEVELS = 10_000
"""The most levels of an odometer."""


@rule("filter")
def budget_filter(
    neighbours: Neighbours, budget: CountedLoss, program: Record, setting: Setting | None
) -> Conclusion:
    """A program under a budget has the budget's loss, however it chooses its questions.

    ``budget``: one loss. A response of ε (nats), ρ, or Rényi ε at one order is what all charges
    together may reach; a sampled Gaussian loss, with its count, is the steps that are answered, and
    nothing else is. Source: Rogers, Roth, Ullman & Vadhan 2016 (pure); Feldman & Zrnic 2021 (one
    Rényi order); Whitehouse, Ramdas, Rogers & Wu 2023 (zCDP); Zhu, Dong & Wang 2022, Theorem 10
    (steps; the step's own pair is that of `subsampling.sampled_gaussian`).

    Guarantee
    ---------
    No less than the exact divergence of programs that choose each loss by earlier answers:
    ``tests/proofs/rules/test_adaptive_rules.py`` and
    ``tests/proofs/rules/test_sampled_filter_rule.py``.
    """
    count, entry = budget
    if isinstance(entry, SampledGaussianLoss):
        require_neighbours(neighbours, AddRemove())
        return lose(neighbours, (budget,), "curator", "secret-sample", "real-numbers")
    require(count == 1 and _is_budget(entry), "a budget is one epsilon, rho or Rényi point")
    return lose(neighbours, (budget,), "curator")


def _is_budget(entry: Entry) -> bool:
    match entry:
        case ResponseLoss(_, 0) | ConcentratedLoss(0, _, 0) | RenyiCurve((_,)):
            return True
    return False


@rule("odometer")
def odometer(
    neighbours: Neighbours,
    levels: tuple[Point, ...],
    deltas: tuple[Positive, ...],
    program: Record,
    setting: Setting | None,
) -> Conclusion:
    """Of a program whose questions are charged ρ: the loss, in nats, by what it spent.

    At level j: spend s_j and ε_j >= s_j + 2√(s_j ln(1/δ_j)); all levels at once but for Σδ_j.
    Source: the tail behind Bun & Steinke 2016, Proposition 1.3, at each level's filter; odometers
    are those of Rogers et al. 2016 and Whitehouse et al. 2023.

    Guarantee
    ---------
    The chance that a level fails is at most Σδ_j: ``tests/proofs/rules/test_adaptive_rules.py``
    adds it up over all transcripts.
    """
    require(len(levels) <= MAX_LEVELS, f"it has 1 to {MAX_LEVELS} levels")
    require(len(deltas) == len(levels), "deltas has a number for each level")
    guarantee = Odometer(levels, sum(deltas, Fraction(0)))
    for (spend, epsilon), delta in zip(levels, deltas, strict=True):
        _check_level(spend, epsilon, delta)
    return Conclusion(Private(neighbours, guarantee), BASE | {"curator"})


def _check_level(spend: Fraction, epsilon: Fraction, delta: Fraction) -> None:
    """Raise ProofError unless ε >= s + 2√(s·ln(1/δ)): t = ε - s >= 0 and 4s·ln(1/δ) <= t²."""

    def tail(bits: int) -> Interval:
        log = log_interval(1 / delta, bits)
        return Interval(4 * spend * log.lower, 4 * spend * log.upper)

    require(epsilon >= spend, "a level's epsilon is at least its spend")
    at_most_growing(tail, (epsilon - spend) ** 2, "a level's epsilon reaches its tail bound")
