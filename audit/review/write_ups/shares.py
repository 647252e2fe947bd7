"""The share of the budget that a question takes."""

from __future__ import annotations

from fractions import Fraction

from synthesizers.budget import (
    FREE,
    Budget,
    Cost,
    PureBudget,
    SampledGaussianBudget,
    ZCDPBudget,
)
from synthesizers.numerals import number_text


def find_share(cost: Cost, budget: Budget, total: Cost) -> Fraction | None:
    """The exact part of a budget that a cost is; without a budget, of ``total``.

    None where neither has a finite size above 0. Shares of ε and of ρ are not the same.

    >>> from fractions import Fraction
    >>> third = Cost(None, Fraction(1, 3))
    >>> find_share(third, ZCDPBudget(Fraction(2)), third)
    Fraction(1, 6)
    """
    if cost == FREE:
        return Fraction(0)
    match budget:
        case PureBudget(epsilon):
            return _divide(cost.epsilon, epsilon)
        case ZCDPBudget(rho):
            return _divide(cost.rho, rho)
        case SampledGaussianBudget(steps=steps):
            own = cost.sampled
            return None if own is None else Fraction(sum(one.steps for one in own), steps)
        case _:
            found = _divide(cost.epsilon, total.epsilon)
            return _divide(cost.rho, total.rho) if found is None else found


def describe_budget(budget: Budget, total: Cost) -> str:
    """What shares are shares of, in words; empty where nothing has a finite size."""
    match budget:
        case PureBudget(epsilon):
            return f"the program's budget, ε = {number_text(epsilon)}"
        case ZCDPBudget(rho):
            return f"the program's budget, ρ = {number_text(rho)}"
        case SampledGaussianBudget(rate, squared, steps):
            return (
                f"the program's budget, {steps} Gaussian steps on Poisson samples of rate {rate}, "
                f"of mu squared at most {squared}"
            )
        case _:
            parts = {"ε": total.epsilon, "ρ": total.rho}
            spent = (f"{name} = {number_text(part)}" for name, part in parts.items() if part)
            found = next(spent, "")
            return found and f"all that was spent, {found}, as no budget is declared"


def _divide(part: Fraction | None, whole: Fraction | None) -> Fraction | None:
    return None if part is None or not whole else part / whole
