"""From views to records: independent columns first, then updates towards all views.

Attributes that no chain of views connects are made apart and joined (Li, Zhang & Wang 2021,
appendix A.3, "separate and join"), so that updates of the ones do not copy values of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from synthesizers.estimation.consistency import View
from synthesizers.estimation.gum import Progress, Update, approach
from synthesizers.estimation.record_targets import Codes, Target, independent_columns

NEAR_ENOUGH = 0.001
"""The L1 distance of shares at which no view is updated any more (a choice of this project: below
any noise)."""


def connected(views: Sequence[View]) -> list[list[View]]:
    """The views in groups that share no attribute, in the order of their first views."""
    groups: list[list[View]] = []
    for view in views:
        apart: list[list[View]] = []
        own = [view]
        for group in groups:
            if any(set(view.attributes) & set(other.attributes) for other in group):
                own = group + own
            else:
                apart.append(group)
        groups = [*apart, own]
    return groups


def records_of_views(
    names: Sequence[str],
    views: Sequence[View],
    rows: int,
    update: Update,
    rounds: int,
    generator: np.random.Generator,
    progress: Progress | None = None,
) -> Codes:
    """``rows`` records whose marginals are near the views', one column a name.

    Each name stands in a view or more, and the first of them says how its column begins.
    """
    codes = np.empty((rows, len(names)), np.int32, order="F")
    for group in connected(views):
        first = {name: view for view in reversed(group) for name in view.attributes}
        columns = {name: place for place, name in enumerate(first)}
        tables = [view.onto({name}) for name, view in first.items()]
        part = independent_columns(tables, rows, generator)
        targets = [
            Target.of([columns[name] for name in view.attributes], view.counts, rows)
            for view in group
        ]
        approach(part, targets, update, rounds, generator, tolerance=NEAR_ENOUGH, progress=progress)
        for name, place in columns.items():
            codes[:, names.index(name)] = part[:, place]
    return codes
