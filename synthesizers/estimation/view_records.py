"""From views to records: a first draw, then updates towards all views.

Attributes that no chain of views connects are made apart and joined (Li, Zhang & Wang 2021,
appendix A.3, "separate and join"), so that updates of the ones do not copy values of the others.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from synthesizers.estimation.consistency import View
from synthesizers.estimation.exchanges import exchange_records
from synthesizers.estimation.gum import Rates, RoundProgress, Stop, Update, approach
from synthesizers.estimation.record_targets import Codes, RecordTarget, independent_columns
from synthesizers.estimation.record_trees import (
    pair_counts,
    pair_noise,
    records_of_tree,
    strongest_tree,
)

NEAR_ENOUGH = 0.001
"""The L1 distance of shares at which no view is updated any more (below
any noise)."""

LEAST_GAIN = 0.1
"""The share of the mean distance that a round must take for GUM to go on (views are noisy)."""


def connected_groups(views: Sequence[View]) -> list[list[View]]:
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
    update: Rates | Update,
    rounds: int,
    generator: np.random.Generator,
    progress: RoundProgress | None = None,
) -> Codes:
    """``rows`` records whose marginals are near the views', one column a name.

    Each name stands in a view or more. By GUM of some ``Rates`` records begin along the strongest
    tree of the views, and a round that gains little is the last; by any other update they begin as
    independent columns, each as its first view says.
    """
    codes = np.empty((rows, len(names)), np.int32, order="F")
    for group in connected_groups(views):
        first = {name: view for view in reversed(group) for name in view.attributes}
        columns = {name: place for place, name in enumerate(first)}
        targets = [
            RecordTarget.of([columns[name] for name in view.attributes], view.counts, rows)
            for view in group
        ]
        if isinstance(update, Rates):
            variances = [view.variance for view in group]
            stop = Stop(rounds, NEAR_ENOUGH, LEAST_GAIN)
            part = gradually(
                targets, variances, len(columns), rows, update, stop, generator, progress
            )
        else:
            tables = [view.onto({name}) for name, view in first.items()]
            part = independent_columns(tables, rows, generator)
            approach(
                part, targets, update, rounds, generator, tolerance=NEAR_ENOUGH, progress=progress
            )
        for name, place in columns.items():
            codes[:, names.index(name)] = part[:, place]
    return codes


def gradually(
    targets: Sequence[RecordTarget],
    variances: Sequence[float],
    columns: int,
    rows: int,
    rates: Rates,
    stop: Stop,
    generator: np.random.Generator,
    progress: RoundProgress | None = None,
) -> Codes:
    """``rows`` records that GUM brings near to targets, which hold each of the columns.

    ``variances``: of the targets' cells.
    """
    pairs = pair_counts(targets)
    tree = strongest_tree(pairs, columns, pair_noise(targets, variances))
    codes = records_of_tree(tree, targets, pairs, rows, generator)
    exchange_records(codes, targets, rates, tree.holds, stop, generator, progress)
    return codes
