"""Which records are attacked where all would take too long."""

from __future__ import annotations

import numpy as np

from audit.disclosure.nearest import Places

TARGETS = 2_000
"""The most records of a table that are attacked one by one (an interval of their rate is then at
most 0.06 wide)."""


def draw_targets(table: Places, random: np.random.Generator) -> Places:
    """All records of [columns, records], or so many that are drawn at random."""
    return table[:, random.permutation(table.shape[1])[:TARGETS]]
