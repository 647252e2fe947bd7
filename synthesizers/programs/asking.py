"""What programs share in asking: bounds of noisy counts, and how many rows come out."""

from __future__ import annotations

from synthesizers.curator import Setting

WIDE = 2**40
"""The bound of a noisy count where none is given: beyond every table and its noise, so that
clamping changes nothing (tables have fewer than 2^28 records)."""


def bounds_of_counts(setting: Setting, slack: int | None) -> tuple[int, int]:
    """The declared ``low, high`` of noisy counts.

    ``slack``: how far beyond 0 and the public number of rows an answer may lie;
    None for no bound that matters. Enumeration needs a small one.
    """
    if slack is None:
        return -WIDE, WIDE
    return -slack, setting.require_rows() + slack


def rows_released(setting: Setting, noisy_total: float) -> int:
    """The public number of rows where there is one, otherwise what the noisy answers say of n."""
    return max(0, round(noisy_total)) if setting.rows is None else setting.rows
