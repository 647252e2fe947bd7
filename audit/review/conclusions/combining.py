"""One verdict from the blocks of an attack, by a rule that is fixed before any of them runs.

Each block is an attack of its own: it searches, learns and tests on runs that no other block sees,
at its share of half the error. The p-values of all blocks together may use the other half, by
Fisher's method: of independent p-values p₁ … p_k, Pr[Π pᵢ ≤ x] ≤ x · Σ_{j<k} (-ln x)^j / j! (Fisher
1932; equality for uniform ones). A block without a p-value counts with 1: which blocks have one may
depend on what they saw, and so the number of blocks is the planned one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from audit.statements.evidence import Verdict

WORST_FIRST = (
    Verdict.CONTRADICTION,
    Verdict.REFUTED,
    Verdict.INVALID_RUN,
    Verdict.UNDECIDED,
    Verdict.NOT_REFUTED,
    Verdict.EXACT,
    Verdict.PROVED,
)
"""Verdicts, in the order in which one hides another."""


@dataclass(frozen=True)
class Block:
    """What one block found: its verdict, and the p-value of its test, None where it has none.

    ``shared``: whether its runs may have shared processes, so that its p-value alone accuses nobody
    (see `audit.auditors.attack.finding.confirming`).
    """

    verdict: Verdict
    p_value: float | None
    shared: bool = False


def combine_p_values(values: Sequence[float]) -> float:
    """Fisher's p-value of independent ones, rounded up; 1 of none.

    Raises ValueError outside [0, 1].

    Guarantee
    ---------
    If each of them is at most p with a chance of at most p, and they are independent, so is the
    result. Backed by ``tests/audit/review/conclusions/test_combining.py``.
    """
    if any(not 0 <= value <= 1 for value in values):
        raise ValueError("a p-value lies in [0, 1]")
    if not values:
        return 1.0
    if min(values) == 0:
        return 0.0
    surprise = -math.fsum(map(math.log, values))
    terms = [1.0]
    for j in range(1, len(values)):
        terms.append(terms[-1] * surprise / j)
    found = math.exp(-surprise) * math.fsum(terms)
    return min(1.0, found * (1 + 1e-9))


def combine(blocks: Sequence[Block], combined: Fraction) -> Verdict:
    """The verdict of all planned blocks; ``combined``: the error that they may have together.

    A block's own REFUTED stands. Otherwise the claim is refuted where the p-values of runs that had
    processes of their own are too small together. Where they are so only with those of shared
    processes, which nothing confirmed, the claim is left open. And it is not refuted where one
    block that could see the leak asked for has not seen it, and none says that runs are no
    independent draws.

    Guarantee
    ---------
    An honest subject is accused with a chance of at most the sum of the blocks' errors and
    ``combined``, whatever runs of one process have in common. Backed by
    ``tests/audit/review/conclusions/test_combining.py``.
    """
    worst = min((block.verdict for block in blocks), key=WORST_FIRST.index)
    if worst in WORST_FIRST[:3]:
        return worst
    if len(blocks) > 1 and combine_p_values(_list_p_values(blocks, shared=False)) <= combined:
        return Verdict.REFUTED
    if len(blocks) > 1 and combine_p_values(_list_p_values(blocks, shared=True)) <= combined:
        return Verdict.UNDECIDED
    verdicts = {block.verdict for block in blocks}
    return Verdict.NOT_REFUTED if Verdict.NOT_REFUTED in verdicts else worst


def _list_p_values(blocks: Sequence[Block], *, shared: bool) -> list[float]:
    """One of each block, 1 where it has none; ``shared``: those of shared processes, too."""
    return [
        1.0 if block.p_value is None or (block.shared and not shared) else block.p_value
        for block in blocks
    ]
