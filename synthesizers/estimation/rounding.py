"""Whole numbers from shares: pure functions of noisy answers."""

from __future__ import annotations

from collections.abc import Sequence

from synthesizers.errors import InputError


def largest_remainder(counts: Sequence[int], total: int) -> list[int]:
    """Whole numbers proportional to ``counts`` that sum to ``total``.

    Each count gets the floor of its quota, and what is left goes to the largest
    remainders, ties to the lower index (Hamilton's method). All zero counts are
    taken as equal. Raises InputError for no counts, a negative count or total.

    Guarantee
    ---------
    Integer arithmetic throughout, so the result is the same on every machine.
    Backed by ``tests/synthesizers/estimation/test_rounding.py``.
    """
    counts = [int(count) for count in counts]
    if total < 0 or min(counts, default=-1) < 0:
        raise InputError("largest remainder needs one or more counts >= 0, and a total >= 0")
    mass = sum(counts)
    if mass == 0:
        counts, mass = [1] * len(counts), len(counts)
    parts = [divmod(count * total, mass) for count in counts]
    rounded = [whole for whole, _ in parts]
    left = total - sum(rounded)
    if left:
        order = sorted(range(len(parts)), key=lambda cell: -parts[cell][1])
        for cell in order[:left]:
            rounded[cell] += 1
    return rounded
