"""`criteria`: what a board asks of reports, and whether it is so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from audit.review.criteria.criterion import parse_criteria, read_criteria
from audit.review.criteria.deciding import decide
from audit.review.criteria.reports import Report, make_report, read_report
from dp_audit.arguments import short_names
from dp_audit.results import CriteriaResult, Result


def criteria(
    asked: str | Path | Sequence[Mapping[str, Any]],
    *reports: str | Path | Mapping[str, Any] | Result,
) -> CriteriaResult:
    """Decide what a board asks by reports: met, not met or undecided, each figure beside its limit.

    >>> import dp_audit as dpa
    >>> certificate = dpa.certify(
    ...     "geometric-sanitizer",
    ...     "epsilon=1",
    ...     neighbours="replace-one",
    ...     cells=2,
    ...     records=3,
    ...     parameters={"epsilon": 1},
    ... )
    >>> asked = [
    ...     {"name": "privacy is proved", "figure": "verdict", "in": ["PROVED"]},
    ...     {"name": "of little loss", "figure": "epsilon", "at_most": "1/2"},
    ... ]
    >>> dpa.criteria(asked, certificate)
    <CriteriaResult: NOT MET: 2 criteria of the caller: 1 met, 1 not met>

    asked
        The path of a file of criteria, or its criteria as a list of mappings. A number is an
        integer, or a decimal or fraction in quotes.
    reports
        Paths of certificates and of what commands wrote with ``--json``, the same as plain data, or
        results. What is no file is called by its place, ``1``, ``2`` and so on.

    Raises ``ValueError`` for a figure that no report has, and for what is no criterion or report.
    """
    if isinstance(asked, str | Path):
        wanted = read_criteria(asked)
    else:
        document = {"name": "the caller", "criterion": [dict(one) for one in asked]}
        wanted = parse_criteria(document, "the caller")
    names = short_names([str(one) for one in reports if isinstance(one, str | Path)])
    read = [_read(one, place, names) for place, one in enumerate(reports, start=1)]
    return CriteriaResult(decide(wanted, read))


def _read(
    one: str | Path | Mapping[str, Any] | Result, place: int, names: Mapping[str, str]
) -> Report:
    if isinstance(one, str | Path):
        return read_report(one, names[str(one)])
    return make_report(str(place), one.to_json() if isinstance(one, Result) else one)
