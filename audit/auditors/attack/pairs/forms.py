"""Forms: what an output looks like, whatever it says; and where it changes as databases grow.

A mechanism may round, suppress or choose another way by the number of records. Neighbours on both
sides of such a step show it; the step itself is found by halving the stretch between two sizes
whose outputs differ in form. That larger databases have larger counts is no change of form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from audit.auditors.attack.pairs.patterns import Sweep
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs

LOOKS = 32
"""Runs on a database of each size (a spread that is four times another's is seen with a chance of
nine tenths, one that is the same is taken for another's in a fiftieth)."""

CLOSER = 48
"""The same while a stretch is halved, where each wrong turn loses the step."""

CHANGED = 0.9
"""How far two forms lie apart that are taken for different: a share that grows by nine tenths, a
spread that grows by a factor of 2.5."""

MOST_COLUMNS = 12
"""Numbers of an output that are looked at, the first ones."""

MOST_STEPS = 2
"""Changes of form that are looked for in a sweep, the largest ones."""

Form = dict[str, float]
"""Features of outputs: shares from 0 to 1, and logarithms of spreads."""

Draw = Callable[[Pair, int], Runs | None]
"""So many runs on a pair; None where no more can be afforded."""


def form(outcomes: Outcomes) -> Form:
    """What outputs look like: how often of which shape, repeated, whole; how far apart."""
    found: Form = {}
    counts = np.bincount(outcomes.of, minlength=len(outcomes.shapes))
    for shape, block, count in zip(outcomes.shapes, outcomes.blocks, counts, strict=True):
        name = f"{shape.kind} {shape.detail}"
        found[name] = count / len(outcomes)
        if isinstance(block, np.ndarray):
            for place in range(min(block.shape[1], MOST_COLUMNS)):
                column = block[:, place]
                found |= {f"{name} {place} {what}": x for what, x in _describe(column)}
        elif shape.kind == "table":
            rows = np.array([len(table) for table in block], np.float64)
            own = [len(table.drop_duplicates()) / max(len(table), 1) for table in block]
            found[f"{name} distinct"] = float(np.mean(own))
            found |= {f"{name} rows {what}": x for what, x in _describe(rows)}
    codes = outcomes.codes()
    found["distinct"] = len(np.unique(codes)) / max(len(codes), 1)
    return found


def _describe(values: NDArray[np.float64]) -> Iterator[tuple[str, float]]:
    numbers = values[np.isfinite(values)]
    yield "finite", len(numbers) / len(values)
    if not len(numbers):
        return
    yield "distinct", len(np.unique(numbers)) / len(numbers)
    yield "whole", float(np.mean(numbers == np.round(numbers)))
    low, high = np.quantile(numbers, (0.25, 0.75))
    if high > low:
        yield "spread", math.log(high - low)


def tell_apart(one: Form, other: Form) -> float:
    """The largest difference of a feature; what one form lacks counts as 0, but for spreads.

    These are brought to the scale of shares, 1 at most, so that a share that changes as a whole
    comes before all of them: those of few runs may differ by a large factor by luck.
    """
    names = one.keys() | other.keys()
    both = [name for name in names if not name.endswith(" spread") or name in one.keys() & other]
    return max((_difference(name, one, other) for name in both), default=0.0)


def _difference(name: str, one: Form, other: Form) -> float:
    difference = abs(one.get(name, 0.0) - other.get(name, 0.0))
    if name.endswith(" spread"):
        return float(1 - (1 - CHANGED) ** (difference / CHANGED))
    return difference


@dataclass(frozen=True)
class Step:
    """Between ``low`` and ``high`` units the form of outputs changes, by ``change``."""

    change: float
    low: int
    high: int


def find_pairs_at_steps(sweep: Sweep, draw: Draw) -> list[Pair]:
    """Pairs of neighbours on both sides of the changes of form that a sweep shows."""
    forms: dict[int, Form] = {}
    for size in sweep.sizes:
        runs = draw(_draw_twice(sweep, size), LOOKS)
        if runs is None:
            return []
        forms[size] = form(runs.outcomes)
    seen = [Step(tell_apart(forms[a], forms[b]), a, b) for a, b in pairwise(sweep.sizes)]
    changes = sorted((s for s in seen if s.change > CHANGED), key=lambda s: -s.change)
    found = []
    for step in changes[:MOST_STEPS]:
        low = _bisect(sweep, step, (forms[step.low], forms[step.high]), draw)
        if low is None:
            break
        found.append(sweep.at(low))
    return found


def _bisect(sweep: Sweep, step: Step, ends: tuple[Form, Form], draw: Draw) -> int | None:
    """The size before which a form is nearer to that of the low end, of the high end after it."""
    low, high = step.low, step.high
    while high - low > 1:
        middle = (low + high) // 2
        runs = draw(_draw_twice(sweep, middle), CLOSER)
        if runs is None:
            return None
        between = form(runs.outcomes)
        if tell_apart(between, ends[0]) > tell_apart(between, ends[1]):
            high = middle
        else:
            low = middle
    return low


def _draw_twice(sweep: Sweep, size: int) -> Pair:
    """The database of a size as both databases of a pair: all runs are on it."""
    pair = sweep.at(size)
    return Pair(pair.first, [dict(record) for record in pair.first])
