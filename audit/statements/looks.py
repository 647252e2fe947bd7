"""Looks: how often a subject was attacked before, and what error that leaves for the next time."""

from __future__ import annotations

from fractions import Fraction


def look_share(look: int | None) -> Fraction:
    """The part of an error that the k-th look at a subject may have: 1/(k(k+1)).

    All of it where looks are not counted (None).

    Guarantee
    ---------
    The parts of all looks, however many there will be, sum to 1: at most the whole error is spent,
    whatever makes somebody look again. Backed by ``tests/audit/statements/test_looks.py``.
    """
    return Fraction(1) if look is None else Fraction(1, look * (look + 1))


def describe_look(look: int | None, alarm: Fraction) -> str:
    """Which look it is, and at what error, for a finding; nothing where looks are not counted."""
    if look is None:
        return ""
    return f"; look {look} at this code, which may refute at an error of {float(alarm):.2g}"
