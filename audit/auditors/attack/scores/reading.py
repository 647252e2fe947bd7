"""Scores read back from a certificate."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from audit.auditors.attack.rules import Score
from audit.auditors.attack.scores.bins import Bins
from audit.auditors.attack.scores.cells import Cells
from audit.auditors.attack.scores.linear import Linear
from audit.auditors.attack.scores.network import Network
from audit.auditors.attack.scores.silent import Silent
from audit.auditors.attack.scores.single import Single
from audit.auditors.attack.scores.trees import Trees
from audit.subjects.outcomes import Outcomes
from synthesizers.errors import InputError

_READERS: dict[str, Callable[[dict[str, Any]], Score]] = {
    "bins": Bins.from_json,
    "cells": Cells.from_json,
    "linear": Linear.from_json,
    "network": Network.from_json,
    "silent": Silent.from_json,
    "single": Single.from_json,
    "trees": Trees.from_json,
}


_MALFORMED = (
    *(LookupError, TypeError, ValueError, AttributeError, ArithmeticError),
    *(RecursionError, MemoryError),
)


def score_from_json(data: dict[str, Any]) -> Score:
    """The score that some score's `to_json` wrote; it evaluates to the same, bit by bit.

    Raises InputError where it is none.

    Guarantee
    ---------
    Every score that is read here gives a finite number to any outcome, the same whatever runs
    stand beside it. Backed by ``tests/audit/auditors/attack/test_scores.py``.
    """
    kind = data.get("score")
    if not isinstance(kind, str) or kind not in _READERS:
        raise InputError(f"a score is one of {', '.join(_READERS)}; found {kind!r:.40}")
    try:
        score = _READERS[kind](data)
        # What can't score this is no score: all columns, nodes and layers take part.
        found = score.evaluate(Outcomes.of_outputs([0.0]))
    except _MALFORMED as error:
        raise InputError(f"the data of this {kind} score are not of its form") from error
    if not np.isfinite(found).all():
        raise InputError(f"this {kind} score gives no finite number")
    return score
