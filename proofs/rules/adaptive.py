"""Rules for a program whose curator counts: what it charges, or how many steps it has answered.

The curator adds up what it charges: a *filter* refuses what would exceed a
budget; an *odometer* refuses nothing and bounds the loss by the spend. A filter
of sampled steps counts steps of one law, whatever they ask.
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from proofs.guarantees import ZCDP, ApproxDP
from proofs.hypotheses import BASE
from proofs.judgments import Dominated, Guarantee, Mechanism, Odometer, Private, RenyiCurve
from proofs.losses import SampledGaussianLoss
from proofs.parameters import Parameters
from proofs.rules.rule import Conclusion, Premises, Rule, require, require_relation
from proofs.rules.zcdp_conversions import at_most_growing
from synthesizers.intervals import Interval, log_interval
from synthesizers.neighbours import AddRemove

MAX_LEVELS = 10_000
"""The most levels of an odometer."""


def budget_filter(premises: Premises, parameters: Parameters) -> Conclusion:
    """A program under a budget of ε (nats), ρ, or Rényi ε at one order, has the budget's guarantee.

    Source: Rogers, Roth, Ullman & Vadhan 2016 (pure); Feldman & Zrnic 2021 (one Rényi order);
    Whitehouse, Ramdas, Rogers & Wu 2023 (zCDP).

    Guarantee
    ---------
    No less than the exact divergence of programs that choose each loss by earlier answers:
    ``tests/proofs/rules/test_adaptive_rules.py``.
    """
    premises.none()
    neighbours, program = parameters.neighbours(), _program(parameters)
    measure = parameters.choice("measure", "epsilon", "rho", "renyi")
    budget = parameters.rational("budget")
    require(budget >= 0, premises.rule, "budget is at least 0")
    stated: dict[str, Any] = {"measure": measure, "budget": str(budget), **program}
    guarantee: Guarantee
    if measure == "epsilon":
        guarantee = ApproxDP(budget)
    elif measure == "rho":
        guarantee = ZCDP(budget)
    else:
        order = parameters.rational("order")
        require(order > 1, premises.rule, "order is above 1")
        guarantee, stated["order"] = RenyiCurve(((order, budget),)), str(order)
    mechanism = Mechanism.of("filter", stated)
    return Conclusion(Private(mechanism, neighbours, guarantee), BASE | {"curator"})


def sampled_filter(premises: Premises, parameters: Parameters) -> Conclusion:
    """A program that is answered ``steps`` sampled Gaussian steps and nothing else: as many pairs.

    Source: Zhu, Dong & Wang 2022, Theorem 10 (adaptive composition of dominating pairs); the step's
    own pair is that of `subsampling.poisson_gaussian`.

    Guarantee
    ---------
    No less than the exact profile of programs that choose what to sum by earlier answers:
    ``tests/proofs/rules/test_sampled_filter_rule.py``.
    """
    premises.none()
    neighbours, program = parameters.neighbours(), _program(parameters)
    needed = "add-remove of a record"
    require_relation(neighbours == AddRemove(), premises.rule, neighbours, needed)
    loss = SampledGaussianLoss(parameters.rational("fraction"), parameters.positive("mu_squared"))
    steps = parameters.whole("steps", 1)
    stated = {"fraction": str(loss.fraction), "mu_squared": str(loss.mu_squared), "steps": steps}
    mechanism = Mechanism.of(premises.rule, {**stated, **program})
    found = Private(mechanism, neighbours, Dominated(((steps, loss),)))
    return Conclusion(found, BASE | {"curator", "secret-sample", "real-numbers"})


def odometer(premises: Premises, parameters: Parameters) -> Conclusion:
    """Of a program whose questions are charged ρ: the loss, in nats, by what it spent.

    At level j: spend s_j and ε_j >= s_j + 2√(s_j ln(1/δ_j)); all levels at once but for Σδ_j.
    Source: the tail behind Bun & Steinke 2016, Proposition 1.3, at each level's filter; odometers
    are those of Rogers et al. 2016 and Whitehouse et al. 2023.

    Guarantee
    ---------
    The chance that a level fails is at most Σδ_j: ``tests/proofs/rules/test_adaptive_rules.py``
    adds it up over all transcripts.
    """
    premises.none()
    rule, program = premises.rule, _program(parameters)
    neighbours = parameters.neighbours()
    levels, deltas = parameters.points("levels"), parameters.rationals("deltas")
    require(0 < len(levels) <= MAX_LEVELS, rule, f"it has 1 to {MAX_LEVELS} levels")
    require(len(deltas) == len(levels), rule, "deltas has a number for each level")
    require(min(deltas) > 0 and sum(deltas) < 1, rule, "deltas are above 0, their sum below 1")
    spends = [spend for spend, _ in levels]
    ascending = all(low < high for low, high in itertools.pairwise(spends))
    require(spends[0] >= 0 and ascending, rule, "the levels' spends ascend from at least 0")
    for (spend, epsilon), delta in zip(levels, deltas, strict=True):
        _check_level(spend, epsilon, delta, rule)
    mechanism = Mechanism.of("odometer", program)
    guarantee = Odometer(levels, sum(deltas, Fraction(0)))
    return Conclusion(Private(mechanism, neighbours, guarantee), BASE | {"curator"})


def _program(parameters: Parameters) -> dict[str, Any]:
    """The program, and what it runs on where that is stated."""
    setting = parameters.setting()
    own = {} if setting is None else {"setting": setting}
    return {"program": parameters.record("program"), **own}


def _check_level(spend: Fraction, epsilon: Fraction, delta: Fraction, rule: str) -> None:
    def tail(bits: int) -> Interval:
        log = log_interval(1 / delta, bits)
        return Interval(4 * spend * log.lower, 4 * spend * log.upper)

    require(epsilon >= spend, rule, "a level's epsilon is at least its spend")
    at_most_growing(tail, (epsilon - spend) ** 2, rule, "a level's epsilon reaches its tail bound")


RULES: dict[str, Rule] = {
    "filter": budget_filter,
    "sampled-filter": sampled_filter,
    "odometer": odometer,
}
"""The rules of this file by name."""
