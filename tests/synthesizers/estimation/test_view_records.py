"""From views to records: when updates end."""

from __future__ import annotations

import numpy as np

from synthesizers.estimation.consistency import View
from synthesizers.estimation.gum import Rates
from synthesizers.estimation.view_records import records_of_views


def test_rounds_end_where_noisy_views_cannot_be_met() -> None:
    # Two views that contradict each other by a fifth of the records: no records meet both.
    views = [
        View(("a", "b"), np.array([[40.0, 10], [10, 40]])),
        View(("b", "a"), np.array([[20.0, 30], [30, 20]])),
    ]
    rounds: list[int] = []
    codes = records_of_views(
        ["a", "b"], views, 100, Rates(), 50, np.random.default_rng(5),
        lambda done, _distance: rounds.append(done),
    )  # fmt: skip
    assert codes.shape == (100, 2) and 1 <= len(rounds) < 10
