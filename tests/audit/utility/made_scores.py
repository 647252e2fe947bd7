"""Scores with hand-picked values, shared by the tests of comparisons and rankings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audit.utility.results import Scored, UtilityResults
from audit.utility.score import Score
from synthesizers.domain import Domain

DOMAIN = Domain.from_cells("2x3")


def made(value: float | None, metric: str = "made", **fields: Any) -> Score:
    """A score from 0 to 1000, lower better unless ``fields`` say otherwise."""
    usual: dict[str, Any] = {"lowest": 0.0, "highest": 1000.0, "direction": "lower"}
    if value is None:
        usual["undefined"] = "nothing to compare"
    return Score(metric, value, **{**usual, **fields})


def of_draws(parts: Sequence[float], error: float | None, **fields: Any) -> Score:
    """A score that is the mean of what its draws, numbered from 0, contributed."""
    fields = {"drawn": tuple(range(len(parts))), **fields}
    mean = sum(parts) / len(parts)
    return made(mean, parts=tuple(parts), standard_error=error, **fields)


def results_of(
    values: Mapping[str, Sequence[float | None]], files: Sequence[str]
) -> UtilityResults:
    """Files by metrics without draws: ``values`` are a metric's, a file each."""
    scored = tuple(
        Scored(file, made(value, metric), None, 0.0)
        for place, file in enumerate(files)
        for metric, value in ((metric, of[place]) for metric, of in values.items())
    )
    return UtilityResults("real", DOMAIN, dict.fromkeys(("real", *files), 10), scored)
