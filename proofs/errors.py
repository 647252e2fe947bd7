"""The error of a proof that does not go through."""

from __future__ import annotations

from synthesizers.errors import InputError


class ProofError(InputError):
    """A rule's side condition does not hold, or a derivation is malformed (exit code 2)."""


class UndecidedError(ProofError):
    """What a rule needs can't be decided at the allowed precision, or of numbers so large."""


def require(condition: bool, expected: str) -> None:
    """Raise ProofError where a condition does not hold."""
    if not condition:
        raise ProofError(expected)
