"""The errors that users meet, one class a cause.

Every message says what was expected, what was found and what to do, in one or
two sentences, and never contains a value taken from private data.
"""

from __future__ import annotations

import math


class DPAuditError(Exception):
    """Base of every error that is meant for a user."""


class InputError(DPAuditError, ValueError):
    """A file, parameter or claim is not of the expected form (exit code 2)."""


class ProtocolError(DPAuditError, RuntimeError):
    """A program broke the protocol of the curator (exit code 4)."""


class ProgramGaveUp(ProtocolError):
    """A program in another process broke a run off; the message, partly its own, may quote data."""


class ProgramRefused(InputError):
    """A program in another process refuses its public constants, in its own words."""


class CannotFork(InputError):
    """A live object can't be handed to a process of its own from here."""


class BudgetExceeded(ProtocolError):
    """A program asked a question that its curator's budget does not cover."""


class TooLargeError(InputError):
    """An exact analysis would exceed its stated cap (exit code 2)."""


class BelowDoublesError(TooLargeError):
    """A chance, or a factor of one, is outside the normal doubles, so none may stand for it."""

    def __init__(
        self, message: str = "a chance is outside the normal doubles; use --exact"
    ) -> None:
        super().__init__(message)


def rounded_count(number: int) -> str:
    """A count for a message: in full, or its power of ten where that says more."""
    return str(number) if number < 10**12 else f"about 10^{int(math.log10(number))}"
