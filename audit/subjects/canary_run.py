"""One training among canaries, as a function of a run: what is asked for, and what comes back.

It runs in the subject's process, also by another environment's Python: the standard library alone.
"""

from __future__ import annotations

import functools
import math
import pickle
from collections.abc import Callable, Sequence
from typing import Any

from synthesizers.errors import InputError

MOST_CANARIES = 100_000
"""The most canaries of one run (their scores are one output, all of whose numbers are read)."""

Score = Callable[[Any, Any], Any]


def as_canary_run(
    train: Callable[[Any, Any], Any],
    canaries: Callable[[], Any] | None,
    score: Score | None,
) -> Callable[[Any, Any], list[float]]:
    """A function (job, rng) of a training ``train(records, rng)``, its canaries and their score.

    A job is ``{"canaries": records or None, "chosen": places or None}``. Without places the answer
    is how many canaries there are; with them, the score of every canary by what one training gave
    on those of the places. ``score(output, canary)``: the larger, the more the output speaks for
    the canary; `score_alike` without one.
    """
    return functools.partial(_answer, train, canaries, score)


def _answer(
    train: Callable[[Any, Any], Any],
    canaries: Callable[[], Any] | None,
    score: Score | None,
    job: Any,
    rng: Any,
) -> list[float]:
    records = _list(job["canaries"] if canaries is None else canaries())
    if job["chosen"] is None:
        return [float(len(records))]
    # Untouched by the training, which may change what it is handed.
    handed = pickle.loads(pickle.dumps([records[place] for place in job["chosen"]]))
    output = train(handed, rng)
    if score is None:
        rate = functools.partial(score_alike, _plain(output), _spreads(records))
    else:
        rate = functools.partial(score, output)
    found = [rate(one) for one in records]
    return [_number(value, place) for place, value in enumerate(found)]


def _list(found: Any) -> list[Any]:
    try:
        records = list(found)
    except TypeError:
        raise InputError(f"canaries are a list of records; found {type(found).__name__}") from None
    if not 1 <= len(records) <= MOST_CANARIES:
        raise InputError(f"there must be 1 to {MOST_CANARIES} canaries; found {len(records)}")
    return records


def _number(value: Any, place: int) -> float:
    try:
        number = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise InputError(
            f"the score of a canary is a number; of number {place} it is a {type(value).__name__}"
        )
    return number


def score_alike(output: Any, spreads: Sequence[float], canary: Any) -> float:
    """The score where none is given: how near the canary is to what was put out.

    Of a list of numbers as long as the canary, their inner product. Of rows, minus the distance to
    the nearest: each field that differs counts 1, one of numbers its difference as a share of the
    canaries' spread. Raises InputError for any other output.
    """
    fields = _fields(canary)
    if isinstance(output, list) and len(output) == len(fields) and all(map(_is_number, output)):
        return float(sum(a * b for a, b in zip(output, fields, strict=True)))
    if not isinstance(output, list) or any(_is_number(row) for row in output):
        raise InputError(
            "without --score an output is a table, or a list of numbers as long as a canary; found "
            f"{type(output).__name__}: give --score module:function, score(output, canary)"
        )
    rows = [row for row in map(_fields, output) if len(row) == len(fields)]
    distances: list[float] = [
        sum(_differ(a, b, spread) for a, b, spread in zip(row, fields, spreads, strict=False))
        for row in rows
    ]
    return -min(distances, default=float(len(fields)))


def _differ(a: Any, b: Any, spread: float) -> float:
    if a == b:
        return 0.0
    if _is_number(a) and _is_number(b) and spread > 0:
        return min(abs(float(a) - float(b)) / spread, 1.0)
    return 1.0


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spreads(records: Sequence[Any]) -> list[float]:
    """Of each field, how far apart the canaries' numbers are; 0 of others."""
    columns = zip(*map(_fields, records), strict=False)
    return [
        max(column) - min(column) if all(map(_is_number, column)) else 0.0 for column in columns
    ]


def _fields(record: Any) -> list[Any]:
    plain = _plain(record)
    if isinstance(plain, dict):
        return [plain[key] for key in sorted(plain, key=str)]
    return plain if isinstance(plain, list) else [plain]


def _plain(value: Any) -> Any:
    """Arrays and tables as lists, tables by their rows."""
    if hasattr(value, "to_dict") and hasattr(value, "columns"):
        return value.to_dict("records")
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value
