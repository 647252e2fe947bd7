"""Rules for a program whose curator counts: what it charges, or how many steps it has answered.

The curator adds up what it charges: a *filter* refuses what would exceed a budget; an *odometer*
refuses nothing and bounds the loss by the spend. A filter of sampled steps counts steps of one
law, whatever they ask.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from proofs.entries import ConcentratedLoss, CurveLoss, Entry, Point
from proofs.hypotheses import BASE
from proofs.judgments import LossList, Mechanism, Odometer, Private
from proofs.losses import ResponseLoss, SampledGaussianLoss
from proofs.parameters import neighbours, optional, points, rationals, record, setting
from proofs.rules.guarantee_json import entry_from_json
from proofs.rules.rule import (
    Conclusion,
    at_most_growing,
    nothing,
    require,
    require_relation,
    rule,
)
from synthesizers.intervals import Interval, log_interval
from synthesizers.neighbours import AddRemove, Neighbours

MAX_LEVELS = 10_000
"""The most levels of an odometer."""


@rule(
    "filter",
    nothing,
    neighbours=neighbours,
    budget=record,
    program=record,
    setting=optional(setting),
)
def budget_filter(
    neighbours: Neighbours,
    budget: dict[str, Any],
    program: dict[str, Any],
    setting: dict[str, Any] | None,
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
    count, entry = entry_from_json(budget)
    rests = BASE | {"curator"}
    match entry:
        case SampledGaussianLoss():
            rests |= {"secret-sample", "real-numbers"}
            record = "add-remove of a record"
            require_relation(neighbours == AddRemove(), neighbours, record)
        case _:
            require(count == 1 and _is_budget(entry), "a budget is one epsilon, rho or Rényi point")
    mechanism = Mechanism.of("filter", {"budget": budget, **_about(program, setting)})
    return Conclusion(Private(mechanism, neighbours, LossList(((count, entry),))), rests)


def _is_budget(entry: Entry) -> bool:
    match entry:
        case ResponseLoss(_, 0) | ConcentratedLoss(0, _, 0):
            return True
        case CurveLoss((_,)):
            return True
    return False


@rule(
    "odometer",
    nothing,
    neighbours=neighbours,
    levels=points,
    deltas=rationals,
    program=record,
    setting=optional(setting),
)
def odometer(
    neighbours: Neighbours,
    levels: tuple[Point, ...],
    deltas: tuple[Fraction, ...],
    program: dict[str, Any],
    setting: dict[str, Any] | None,
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
    require(0 < len(levels) <= MAX_LEVELS, f"it has 1 to {MAX_LEVELS} levels")
    require(len(deltas) == len(levels), "deltas has a number for each level")
    require(min(deltas) > 0 and sum(deltas) < 1, "deltas are above 0, their sum below 1")
    spends = [spend for spend, _ in levels]
    ascending = all(low < high for low, high in itertools.pairwise(spends))
    require(spends[0] >= 0 and ascending, "the levels' spends ascend from at least 0")
    for (spend, epsilon), delta in zip(levels, deltas, strict=True):
        _check_level(spend, epsilon, delta)
    mechanism = Mechanism.of("odometer", _about(program, setting))
    guarantee = Odometer(levels, sum(deltas, Fraction(0)))
    return Conclusion(Private(mechanism, neighbours, guarantee), BASE | {"curator"})


def _about(program: dict[str, Any], setting: dict[str, Any] | None) -> dict[str, Any]:
    """The program, and what it runs on where that is stated."""
    return {"program": program, **({} if setting is None else {"setting": setting})}


def _check_level(spend: Fraction, epsilon: Fraction, delta: Fraction) -> None:
    """Raise ProofError unless ε >= s + 2√(s·ln(1/δ)): t = ε - s >= 0 and 4s·ln(1/δ) <= t²."""

    def tail(bits: int) -> Interval:
        log = log_interval(1 / delta, bits)
        return Interval(4 * spend * log.lower, 4 * spend * log.upper)

    require(epsilon >= spend, "a level's epsilon is at least its spend")
    at_most_growing(tail, (epsilon - spend) ** 2, "a level's epsilon reaches its tail bound")


RULES = (budget_filter, odometer)
