"""Laws that were stated of named functions: what they add in fresh runs, by exact tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from audit.auditors.components.asking import Ask, Wanted
from audit.auditors.components.recording.named import Named
from audit.auditors.components.recording.steps import Call
from audit.auditors.noise_law.findings import scale_finding, shape_finding, support_finding
from audit.auditors.noise_law.fit import Blur
from audit.auditors.noise_law.laws import declared_law
from audit.statements.finding import Finding
from audit.subjects.pair import Pair

RUNS = 1_000
"""Runs from which a function's noise is taken (a scale that is half of what is stated shows in a
hundred draws)."""

LEAST = 50
"""The fewest draws that are tested."""

_SEEDS = 9_000_000
"""Where the seeds of these runs begin."""

_SPELLED = {
    "laplace": "laplace(scale={})",
    "normal": "gaussian(sigma={})",
    "discrete laplace": "discrete_laplace(scale={})",
    "discrete gaussian": "discrete_gaussian(sigma={})",
}


def examine_laws(
    ask: Ask, named: Sequence[Named], pair: Pair, seed: int, alarm: float
) -> Iterator[Finding]:
    """Whether each function with a stated law adds noise of that law: its scale, and its shape.

    Guarantee
    ---------
    A function whose noise has its stated law, independent from run to run, is accused with a
    chance of at most ``alarm`` in all. Backed by
    ``tests/audit/auditors/components/test_stated_laws.py``.
    """
    stated = [one for one in named if one.law is not None]
    if not stated:
        return
    runs = [Wanted(0, _SEEDS + RUNS * seed + run) for run in range(RUNS)]
    made = ask([pair.second], runs)
    error = alarm / (2 * len(stated))
    for one in stated:
        calls = [
            step
            for run in made
            for step in run.steps
            if isinstance(step, Call) and step.primitive == one.primitive.name
        ]
        yield from _examine(one, calls, error)


def _examine(one: Named, calls: Sequence[Call], error: float) -> Iterator[Finding]:
    scales = Counter(call.parameters.get("scale") for call in calls)
    if not scales or one.law is None:
        return
    ((scale, _),) = scales.most_common(1)
    noise: list[float] = []
    largest = 0.0
    for call in calls:
        value = call.value
        if call.parameters.get("scale") != scale or not value or len(call.answer) % len(value):
            continue
        values = list(value) * (len(call.answer) // len(value))
        noise += [float(a) - float(v) for a, v in zip(call.answer, values, strict=True)]
        largest = max(largest, *(abs(float(a)) for a in call.answer))
    if len(noise) < LEAST or not isinstance(scale, int | float):
        return
    law = declared_law(_SPELLED[one.law].format(repr(scale)))
    draws = np.array(noise, np.float64)
    if law.discrete:
        off = int(np.count_nonzero(draws != np.round(draws)))
        if off:
            yield _own(one, calls, support_finding(draws, off, law, "", ""))
            return
        blur = Blur()
    else:
        blur = Blur(4 * float(np.spacing(max(largest, scale))), 2.0**-50)
    yield _own(one, calls, scale_finding(draws, law, blur, error, "", ""))
    yield _own(one, calls, shape_finding(draws, law, blur, error, "", ""))


def _own(one: Named, calls: Sequence[Call], found: Finding) -> Finding:
    """A finding of the noise's law as one of this auditor's, with the function's line."""
    return replace(
        found,
        auditor="components",
        about=f"{found.about} of {one.where}",
        responsible=calls[0].place,
        finding="",
    )
