"""Tolerances: what is forgiven beyond a declared bound, and on what grounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from audit.auditors.sensitivity.answers import Answering, Seen
from audit.auditors.sensitivity.declaration import Norm, Size
from audit.auditors.sensitivity.exactly import keeps_exactly
from audit.auditors.sensitivity.rounding import DEAREST, explains
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.numerals import number_text


@dataclass(frozen=True)
class Tolerance:
    """What is forgiven beyond a declared bound: a ``share`` of it, by default what rounding does.

    Rounding is what sums of floats can bring about (`audit.auditors.sensitivity.rounding`), or what
    the same code does not show on exact numbers (``exactly``: what answers on these, where
    something does); and never more than `DEAREST` of the bound. Raises InputError for a negative
    share.
    """

    share: Fraction | None = None
    exactly: Answering | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.share is not None and self.share < 0:
            raise InputError(f"a tolerance is not negative, found {number_text(self.share)}")

    def exceeds(self, norm: Norm, bound: Fraction, size: Size, pair: Seen) -> bool:
        """Whether a pair's change lies beyond its bound by more than is forgiven.

        Guarantee
        ---------
        False only within the bound, within the share that was given, or within a billionth of the
        bound where sums of so many doubles may be off by so much, or where the same code, on the
        rationals that the pair's floats are, keeps to the bound but for the rounding of its own
        constants. Backed by ``tests/audit/auditors/sensitivity/test_rounding.py``.
        """
        if size <= bound:
            return False
        if isinstance(size, float) or bound == 0:
            return True
        share = DEAREST if self.share is None else self.share
        if size > bound * norm.measure(1 + share):
            return True
        if self.share is not None or explains(norm, bound, size, pair):
            return False
        return self.exactly is None or keeps_exactly(self.exactly, norm, bound, pair) is not True


def parse_tolerance(text: object) -> Tolerance:
    """The tolerance of a number or its text; of None, that of rounding. Raises InputError."""
    return Tolerance(None if text is None else parse_rational(text, "a tolerance"))
