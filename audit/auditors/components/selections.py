"""The largest of scores with noise, whose chances have a closed form: a choice by these.

With Gumbel noise it is the exponential mechanism, with exponential noise permute-and-flip (McKenna
& Sheldon 2020, "Permute-and-Flip"; Ding et al. 2021, "The permute-and-flip mechanism is identical
to report-noisy-max with exponential noise").
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from audit.auditors.components.recording.libraries.diffprivlib import permuted_and_flipped
from audit.auditors.components.recording.steps import Call

MOST_CANDIDATES = 20
"""The most candidates of permute-and-flip: their chances are integrals of so high a power."""


def scale_of(call: Call) -> float | None:
    """The scale of a call's Gumbel or exponential noise; None of others, or of several scales."""
    scale = call.parameters.get("scale")
    known = call.law in ("gumbel", "exponential") and isinstance(scale, int | float) and scale > 0
    return float(scale) if known and isinstance(scale, int | float) else None


def chances_of_largest(law: str, scores: Sequence[float]) -> list[float] | None:
    """The chance of each to be the largest with noise of scale 1; None of too many."""
    top = max(scores)
    if law == "gumbel":
        return soften(scores)
    if len(scores) > MOST_CANDIDATES:
        return None
    return permuted_and_flipped([score - top for score in scores])


def soften(scores: Sequence[float]) -> list[float]:
    """The chances of the exponential mechanism: e^score, of all of them a share."""
    top = max(scores)
    weights = [math.exp(score - top) for score in scores]
    total = math.fsum(weights)
    return [weight / total for weight in weights]
