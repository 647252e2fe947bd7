"""Decisions as JSON, in a published form."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from audit.review.criteria.deciding import Decision, Decisions, Ruling
from audit.review.criteria.figures import Range


def decisions_json(decisions: Decisions) -> dict[str, Any]:
    """The answer, and every figure beside its threshold; numbers are fractions as text."""
    return {
        "name": decisions.name,
        "answer": decisions.answer.value,
        "reports": [{"name": name, "kind": kind} for name, kind in decisions.reports],
        "criteria": [_decision(one) for one in decisions.decisions],
    }


def _decision(decision: Decision) -> dict[str, Any]:
    one = decision.criterion
    return {
        "name": one.name,
        "answer": decision.answer.value,
        "why": decision.why,
        "figure": one.figure,
        "in": None if one.among is None else list(one.among),
        "at_least": None if one.at_least is None else str(one.at_least),
        "at_most": None if one.at_most is None else str(one.at_most),
        "rulings": [_ruling(ruling) for ruling in decision.rulings],
    }


def _ruling(ruling: Ruling) -> dict[str, Any]:
    figure = ruling.figure
    value = figure.value
    return {
        "report": ruling.report,
        "of": figure.of,
        "answer": ruling.answer.value,
        "value": _ends(value) if isinstance(value, Range) else value,
        "note": figure.note,
    }


def _ends(value: Range) -> dict[str, str]:
    """Fractions, or infinite ends."""
    ends = {"lower": value.low, "upper": value.high}
    return {key: str(end if isinstance(end, Fraction) else float(end)) for key, end in ends.items()}
