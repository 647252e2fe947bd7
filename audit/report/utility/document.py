"""The scores of synthetic files as the contract's utility JSON."""

from __future__ import annotations

import math
from fractions import Fraction
from numbers import Integral, Real
from typing import Any

from audit.report.channel.document import finite
from audit.report.utility.axes_document import clouds_json
from audit.report.utility.data.document import data_json
from audit.report.utility.words import NOTICE
from audit.utility.comparison import CONFIDENCE
from audit.utility.copies import Copies
from audit.utility.ranking import MetricRanking, Ranking, rank
from audit.utility.results import Promise, Scored, UtilityResults
from audit.utility.score import Score
from audit.utility.subgroups.division import Subgroup
from audit.utility.subgroups.findings import Standing, Subgroups


def utility_json(results: UtilityResults) -> dict[str, Any]:
    """Scores and ranking. Infinity is ``"inf"``, an undefined number null.

    ``scores`` has one entry a metric and file. The draws themselves stay out, since some
    repeat the values of a confidential record; a draws file has them.
    """
    ranking, data = rank(results), results.data
    return {
        "notice": NOTICE,
        "real": _file(results, results.real),
        "synthetic": [
            {
                **_file(results, file),
                "copies": _copies(results.copies.get(file)),
                "promise": _promise(results.promises.get(file)),
            }
            for file in results.synthetics
        ],
        "programs": {name: list(files) for name, files in results.programs.items()},
        "domain": {"name": results.domain.name, "attributes": list(results.domain.names)},
        "scores": [_score_json(scored) for scored in results.scored],
        "refused": [{"metric": name, "reason": reason} for name, reason in results.refused],
        "ranking": None if ranking is None else _ranking(ranking),
        "subgroups": [_subgroups(found) for found in results.subgroups],
        "axes": None if results.clouds is None else clouds_json(results.clouds),
        "data": None if data is None else data_json(data, results.real, results.records),
    }


def _file(results: UtilityResults, file: str) -> dict[str, Any]:
    columns = list(results.undeclared.get(file, ()))
    return {"file": file, "records": results.records[file], "undeclared": columns}


def _copies(copies: Copies | None) -> dict[str, Any] | None:
    return None if copies is None else _pick(copies, "records", "of_unique", "whole", "persons")


def _promise(promise: Promise | None) -> dict[str, Any] | None:
    return None if promise is None else _pick(promise, "guarantee", "source")


def _score_json(scored: Scored) -> dict[str, Any]:
    score, null = scored.score, scored.baseline
    return {
        "metric": score.metric,
        "synthetic": scored.synthetic,
        **_score(score),
        **_pick(score, "parts", "stated"),
        "details": _details(score),
        "baseline": None if null is None else _score(null),
        "seconds": scored.seconds,
    }


def _subgroups(found: Subgroups) -> dict[str, Any]:
    standings = {one.subgroup: one for one in found.standings}
    return {
        **_pick(found, "attribute", "synthetic", "subsets", "expected_worse"),
        "groups": [_subgroup(one, standings.get(one)) for one in found.subgroups],
        "refused": [{"metric": name, "reason": reason} for name, reason in found.refused],
        "scores": [
            {
                "metric": one.score.metric,
                "group": one.value,
                **_score(one.score),
                **_pick(one.score, "parts", "stated"),
                "details": _details(one.score),
                **_pick(one, "subsets", "interval", "coverage", "deviation", "chance", "worse"),
            }
            for one in found.worst_first
        ],
    }


def _subgroup(one: Subgroup, standing: Standing | None) -> dict[str, Any]:
    names = ("deviation", "chance", "worse")
    return {
        **_pick(one, "value", "real", "synthetic", "expected", "lost"),
        **(dict.fromkeys(names) if standing is None else _pick(standing, *names)),
    }


def _details(score: Score) -> list[dict[str, Any]]:
    return [_pick(each, "name", "columns", "rows", "note") for each in score.details]


def _score(score: Score) -> dict[str, Any]:
    return {
        **_pick(score, "mode", "value"),
        "range": plain([score.lowest, score.highest]),
        **_pick(score, "direction", "standard_error", "draws", "seed", "undefined"),
        **_pick(score, "replicates", "exact", "bracket"),
    }


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "confidence": CONFIDENCE,
        "metrics": [_by_metric(metric) for metric in ranking.metrics],
        "files": [_pick(s, "synthetic", "mean_rank", "won", "shared") for s in ranking.standings],
        "mean_over": [metric for family in ranking.families.values() for metric in family],
        "families": plain(dict(ranking.families)),
        **_pick(ranking, "leaders", "dissenting"),
        "agreement": [
            {"metrics": list(pair), "kendall_tau_b": tau}
            for pair, tau in ranking.agreements.items()
        ],
    }


def _by_metric(metric: MetricRanking) -> dict[str, Any]:
    return {
        "metric": metric.metric,
        "ranks": [_pick(place, "synthetic", "rank", "best", "worst") for place in metric.places],
        "unranked": [{"synthetic": file, "reason": reason} for file, reason in metric.unranked],
        "comparisons": [
            {
                "files": list(pair),
                "better": {1: pair[0], -1: pair[1], 0: None}[comparison.outcome],
                **_pick(comparison, "difference", "margin", "basis"),
            }
            for pair, comparison in metric.comparisons.items()
        ],
    }


def _pick(value: object, *names: str) -> dict[str, Any]:
    """Attributes by their names."""
    return {name: plain(getattr(value, name)) for name in names}


def plain(value: Any) -> Any:
    """A value as JSON has it: NumPy's numbers as Python's, infinity as text, NaN as null."""
    if value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Real):
        number = float(value)
        return None if math.isnan(number) else finite(number)
    raise TypeError(f"{type(value).__name__} has no form in JSON")
