"""Low bits: no honest sum is called a witness, and doubles are counted only where that is asked."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import dp_audit as dpa
from audit.auditors.components.low_bits import ABOUT, is_out_of_reach
from audit.statements.evidence import Decision


def plain(records, rng):
    return len(records) + rng.laplace(scale=1.0)


def subtracted(records, rng):
    return rng.normal(0, 2.0) - len(records)


def on_a_grid(records, rng):
    return len(records) + np.rint(rng.laplace(scale=1.0) * 1024) / 1024


def rounded(records, rng):
    return round(len(records) + rng.laplace(scale=1.0), 3)


def located(records, rng):
    return rng.laplace(len(records), 1.0)


def of_another_value(records, rng):
    """Which value is hidden is drawn: no sum is out of reach of all of them."""
    value = len(records) if rng.random() < 0.5 else 7 + len(records)
    return value + rng.laplace(scale=1.0)


def look(function, claim: str = "epsilon=1", doubles: bool = True):
    about = {"neighbours": "add-remove", "cells": 2, "records": 2}
    found = dpa.components(function, claim, doubles=doubles, **about)
    return [one for one in found.findings if one.about == ABOUT], found


def test_no_sum_of_a_double_is_out_of_its_own_values_reach():
    rng = np.random.default_rng(1)
    for _ in range(5_000):
        exponents = rng.integers(-60, 60, size=2)
        value, noise = (float(x) for x in rng.normal(size=2) * 2.0**exponents)
        for whole in (value, float(round(value)), 0.0):
            assert not is_out_of_reach(whole + noise, Fraction(whole))


@pytest.mark.parametrize("tiny", [5e-324, -5e-324, 2.0**-1060])
def test_the_smallest_doubles_reach_themselves(tiny):
    assert not is_out_of_reach(tiny + tiny, Fraction(tiny))
    assert not is_out_of_reach(tiny, Fraction(0))


def test_a_sum_with_smaller_bits_than_any_is_out_of_reach():
    total = 0.3
    assert is_out_of_reach(total, Fraction(1))
    nearest = min(
        (s for s in (total - 1, math.nextafter(total - 1, 0), math.nextafter(total - 1, -1))),
        key=lambda s: abs(1 + s - total),
    )
    assert 1 + nearest != total


@pytest.mark.parametrize("claim", ["epsilon=1", "mu=2", "rho=2", "epsilon=1, delta=1e-6"])
@pytest.mark.parametrize("function", [plain, subtracted])
def test_a_witness_refutes_a_claim_about_doubles(function, claim):
    (found,), result = look(function, claim)
    assert found.decision is Decision.VIOLATED and result.exit_code == 1
    assert found.pair is not None and found.pair.first == []
    assert (found.error is not None) is ("delta" in claim)


def test_a_claim_with_as_much_delta_is_not_refuted():
    (found,), _ = look(plain, "epsilon=1, delta=9/10")
    assert found.decision is Decision.UNDECIDED


@pytest.mark.parametrize("function", [on_a_grid, of_another_value, located])
def test_without_a_witness_nobody_is_accused(function):
    found, result = look(function)
    assert not result.violated
    assert all(one.decision is Decision.UNDECIDED for one in found)


def test_what_is_rounded_is_not_named():
    assert look(rounded)[0] == []


@pytest.mark.parametrize("function", [plain, located])
def test_by_default_low_bits_are_noted(function):
    (found,), result = look(function, doubles=False)
    assert found.decision is Decision.KEPT and "--doubles" in found.found
    assert result.exit_code == 0
