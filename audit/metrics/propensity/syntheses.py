"""Several synthetic tables of one real table: the mean of a score and its spread."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace

from audit.metrics.metric import Metric
from audit.metrics.pair import Pair
from audit.metrics.score import Score
from synthesizers.errors import InputError


def over_syntheses(metric: Metric, pairs: Sequence[Pair]) -> Score:
    """The mean of a metric over synthetic tables of one method, as in Bowen & Snoke, section 5.2.

    ``replicates`` are the tables' values in their order, ``standard_error`` is that of
    their mean. Tables for which the metric is undefined are left out and counted in
    ``stated``; with none left the mean is undefined. Raises ``InputError`` for fewer
    than two tables.
    """
    if len(pairs) < 2:
        raise InputError("a mean over synthetic tables needs at least two of them")
    scores = [metric.score(pair) for pair in pairs]
    values = tuple(score.value for score in scores if score.value is not None)
    absent = [score.undefined for score in scores if score.undefined is not None]
    told = [f"mean over {len(values)} of {len(pairs)} synthetic tables"]
    told.extend(f"left out: {reason}" for reason in absent)
    form = replace(scores[0], drawn=(), parts=(), details=(), exact=None, bracket=None)
    if not values:
        reason = f"undefined for every synthetic table: {absent[0]}"
        return replace(form, value=None, undefined=reason, stated=tuple(told))
    error = None
    if len(values) > 1:
        deviation = statistics.stdev(values)
        error = deviation / math.sqrt(len(values))
        told.append(f"standard deviation over them {deviation:.6g}")
    return replace(
        form,
        value=statistics.fmean(values),
        undefined=None,
        standard_error=error,
        replicates=values,
        stated=(*told, *next(score.stated for score in scores if score.value is not None)),
    )
