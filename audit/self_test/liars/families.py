"""Synthesizers whose error does not fall as epsilon grows, or needs no epsilon."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from audit.self_test import families
from audit.self_test.case import BugClass, Liar
from audit.self_test.function_cases import FamilyCase

HISTOGRAM = FamilyCase("histogram of every epsilon", families.histogram)


def _liar(name: str, kind: BugClass, bug: str, function: Callable[..., Any]) -> Liar:
    return Liar(name, kind, bug, HISTOGRAM, FamilyCase(name, function), quick=True)


LIARS = (
    _liar(
        "noise that grows",
        BugClass.NOISE,
        "the scale of the noise is epsilon, not its inverse",
        families.noise_that_grows,
    ),
    _liar(
        "one noise for all",
        BugClass.BUDGET,
        "the noise does not depend on the budget",
        families.one_noise_for_all,
    ),
    _liar(
        "nothing learned",
        BugClass.OPTIMISED,
        "the model is never fitted to what was measured",
        families.nothing_learned,
    ),
    _liar(
        "exact at small epsilon",
        BugClass.NOISE,
        "no noise where epsilon is small",
        families.exact_at_small_epsilon,
    ),
)
