"""Parts that repeat a mechanism: the losses that stand for them where several are added up.

No single statement about a repeated mechanism is the best for every question; what serves one
better is found from its run when it is asked (`proofs.search.ways`).
"""

from __future__ import annotations

import contextlib
from dataclasses import replace
from fractions import Fraction

from proofs.errors import ProofError
from proofs.kernel import prove
from proofs.parts import Part, Repetition
from proofs.profiles.entry_moments import leak
from proofs.search.repetition import Divergences, at_delta
from proofs.search.runs import Law, concentrate_runs, surely_above
from proofs.search.ways import concentrate, pure_of, stated_value

ORDERS = tuple(Fraction(order) for order in ("9/8", "5/4", "3/2", *range(2, 9), 12, 16, 24, 32, 64))
"""The orders of what is known by its Rényi divergences."""


def repeat(name: str, count: int, repetition: Repetition) -> Part:
    """``count`` repetitions, by their largest loss, or by their Rényi divergences.

    By those where the largest loss is unknown, or is of a larger ρ than they are. Raises ProofError
    where no guarantee is known.
    """
    try:
        bounded = Part(name, count, prove("as-losses", [pure_of(repetition)]), repetition)
    except (ValueError, ArithmeticError):
        return _by_curve(name, count, repetition)
    with contextlib.suppress(ValueError, ArithmeticError):
        rho = stated_value(concentrate_runs(repetition.runs, concentrate([repetition.run])))
        if rho < stated_value(concentrate([replace(bounded, count=1)])):
            return _by_curve(name, count, repetition)
    return bounded


def _by_curve(name: str, count: int, repetition: Repetition) -> Part:
    try:
        found = Divergences(repetition).curve(ORDERS)
    except ProofError:
        # A run that leaks has no divergences, and a profile of which one point stands for it here.
        leaks = sum((n * leak(entry) for n, entry in repetition.run.entries), Fraction(0))
        if not leaks:
            raise
        found = at_delta(repetition, 2 * leaks * surely_above(Law(repetition.runs).mean))
    return Part(name, count, prove("as-losses", [found]), repetition)
