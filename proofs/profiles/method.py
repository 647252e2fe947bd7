"""What a method is, and the table of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from proofs.losses import Losses, Side
from synthesizers.intervals import Interval

Hint = Mapping[str, Any]
"""Plain data: integers, and rationals as text."""

Method = Callable[[Losses, Side, Fraction, Hint], Interval]
"""Encloses δ(ε) of the product of the pairs of some losses on one side, ε >= 0.

Raises ProofError where the method does not know one of the losses, or the hint is malformed.
"""
