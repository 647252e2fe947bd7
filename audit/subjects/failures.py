"""Runs that gave no output, or none that can be read: what was seen of them, in words."""

from __future__ import annotations

import numpy as np

from audit.subjects.outcomes import Outcomes, Shape
from audit.subjects.runs import Runs

FAILED = ("raised", "ended")
"""The kinds of outcomes that are none."""

MOST_KINDS = 4
"""Kinds of failure that a message lists (a line or two)."""


def describe_failure(outcomes: Outcomes) -> str | None:
    """What was seen where every run raised an exception or was ended; None if one did not.

    A sentence without an end, such as "all of 40 runs failed: 38 ended (exit code 3), 2 ended
    (time)": types of exceptions and reasons, never a message or a value. None for no runs.
    """
    counts = np.bincount(outcomes.of, minlength=len(outcomes.shapes))
    seen = [(int(n), shape) for n, shape in zip(counts, outcomes.shapes, strict=True) if n]
    if not seen or any(shape.kind not in FAILED for _, shape in seen):
        return None
    seen.sort(key=lambda item: (-item[0], item[1].kind, item[1].detail))
    told = [f"{n} {describe_shape(shape)}" for n, shape in seen[:MOST_KINDS]]
    rest = sum(n for n, _ in seen[MOST_KINDS:])
    if rest:
        told.append(f"{rest} in other ways")
    runs = len(outcomes)
    return f"{'the only run' if runs == 1 else f'all of {runs} runs'} failed: {', '.join(told)}"


def unread_always(runs: Runs) -> str | None:
    """The type of outputs that came from both databases and could not be read; None if none did.

    Where one database alone gives them, they tell it from the other as they are.
    """
    for place, shape in enumerate(runs.outcomes.shapes):
        if shape.kind == "other" and len(np.unique(runs.coins[runs.outcomes.of == place])) > 1:
            return shape.detail
    return None


def describe_shape(shape: Shape) -> str:
    """How a run failed: the type of its exception, or how it was ended."""
    return f"raised {shape.detail}" if shape.kind == "raised" else f"ended ({shape.detail})"
