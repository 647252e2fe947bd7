"""Questions that a program asked and rows that a write-up states, for tests."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from audit.review.submissions.submission import StatedQuery
from audit.review.write_ups.asked import AskedQuery

AGES = '{"kind": "marginal", "attributes": ["age"]}'
SEXES = '{"kind": "marginal", "attributes": ["sex"]}'


def ask(question: str = AGES, **changes: Any) -> AskedQuery:
    """A question: by default the counts by age, of sensitivity 2, with half of the budget."""
    given: dict[str, Any] = {
        "name": "counts by age" if question == AGES else "counts by sex",
        "question": question,
        "neighbours": "replace-one",
        "norm": "L1",
        "sensitivity": "2",
        "noise": "discrete-laplace",
        "law": "discrete-laplace: scale = 2",
        "share": Fraction(1, 2),
        "file": "synth.py",
        "line": 14,
    }
    return AskedQuery(**given | changes)


def state(question: str | None = AGES, **changes: Any) -> StatedQuery:
    """The row of a write-up that states `ask`'s question rightly."""
    given: dict[str, Any] = {
        "name": "ages",
        "question": question,
        "sensitivity": "2",
        "share": "1/2",
        "noise": "discrete-laplace",
        "file": "synth.py",
        "line": 14,
    }
    return StatedQuery(**given | changes)
