"""Costs add up, and a budget refuses what would exceed it and nothing else."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.budget import (
    FREE,
    UNBOUNDED,
    Budget,
    Cost,
    PureBudget,
    UnlimitedBudget,
    ZCDPBudget,
)
from synthesizers.errors import BudgetExceeded, InputError

HALF = Fraction(1, 2)


def test_costs_add_and_infinity_stays() -> None:
    one, two = Cost.pure(Fraction(1)), Cost.pure(Fraction(2))
    assert one == Cost(Fraction(1), HALF) and two == Cost(Fraction(2), Fraction(2))
    assert one + two == Cost(Fraction(3), Fraction(5, 2))
    assert one + FREE == one and one + UNBOUNDED == UNBOUNDED == UNBOUNDED + FREE
    gaussian = Cost(None, HALF)
    assert one + gaussian == Cost(None, Fraction(1))


@pytest.mark.parametrize(
    ("budget", "fits", "exceeds"),
    [
        (PureBudget(Fraction(1)), Cost(Fraction(1), None), Cost(Fraction(1001, 1000), FREE.rho)),
        (PureBudget(Fraction(1)), FREE, Cost(None, Fraction(0))),
        (PureBudget(Fraction(0)), FREE, Cost.pure(Fraction(1, 10**30))),
        (ZCDPBudget(HALF), Cost(None, HALF), Cost(Fraction(0), HALF + Fraction(1, 10**30))),
        (ZCDPBudget(HALF), Cost.pure(Fraction(1)), UNBOUNDED),
    ],
)
def test_budgets_accept_up_to_equality(budget: Budget, fits: Cost, exceeds: Cost) -> None:
    budget.check(fits)
    with pytest.raises(BudgetExceeded, match="budget"):
        budget.check(exceeds)


def test_exhausted_means_nothing_is_left() -> None:
    assert PureBudget(HALF).is_exhausted(Cost.pure(HALF))
    assert not PureBudget(HALF).is_exhausted(FREE) and not PureBudget(HALF).is_exhausted(UNBOUNDED)
    assert ZCDPBudget(HALF).is_exhausted(Cost(None, HALF))
    assert not UnlimitedBudget().is_exhausted(UNBOUNDED)
    UnlimitedBudget().check(UNBOUNDED)


def test_negative_budgets_are_refused() -> None:
    with pytest.raises(InputError, match="epsilon >= 0"):
        PureBudget(Fraction(-1))
    with pytest.raises(InputError, match="rho >= 0"):
        ZCDPBudget(Fraction(-1))


def test_plain_data() -> None:
    assert Cost(HALF, None).to_json() == {"epsilon": "1/2", "rho": None}
    assert PureBudget(HALF).to_json() == {"epsilon": "1/2"}
    assert ZCDPBudget(HALF).to_json() == {"rho": "1/2"}
    assert UnlimitedBudget().to_json() == {"unlimited": True}
