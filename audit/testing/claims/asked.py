"""What a test asks of a subject: a request, and what the test requires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from audit.statements.evidence import Verdict
from dp_audit.request import REACHED, Request
from synthesizers.errors import InputError

SEED = 0
"""Of attacks and of generated databases: the same at every run, so that a test does not flicker."""

RECORDS = 3
"""Records of the largest enumerated database: the smallest at which thresholds, medians and pairs
of equal records all differ."""

REQUIRED: dict[str | None, tuple[Verdict, ...]] = {
    None: (Verdict.PROVED, Verdict.EXACT, Verdict.NOT_REFUTED),
    **REACHED,
}
"""The verdicts with which a test succeeds, by what it requires."""


@dataclass(frozen=True, kw_only=True)
class Asked(Request):
    """The arguments of a test, as they were written: those of a `Request`, and its own.

    ``pair``: two databases, as records or as counts over cells. ``require``: "exact" or "proof".
    ``parameters``: of an estimator's class. ``properties``: whether auditors of single properties
    look at the subject, too.
    """

    seed: int = SEED
    require: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    properties: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.require not in tuple(REQUIRED):
            raise InputError(f"require must be 'exact', 'proof' or None, found {self.require!r}")
        if self.records == 0:
            raise InputError("records must be a whole number of at least 1")
