"""An examination of a black box from within: it runs where the subject runs, in its process.

What it finds comes back as text, the word of a process that held a stranger's code.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import FrameType
from typing import Any

import numpy as np

from audit.auditors.data_independence.case import Case
from audit.auditors.data_independence.facets import RELEASED, Facet
from audit.auditors.data_independence.looking import Looking, look_in_a_copy
from audit.auditors.data_independence.reporting import facet_finding, reading_findings
from audit.auditors.data_independence.searching import search
from audit.auditors.data_independence.subjects import (
    AuditedFunction,
    Left,
    Run,
    home,
    wrap_estimator,
)
from audit.auditors.effort import Effort
from audit.statements.finding import Finding
from audit.subjects.forms import Form
from audit.subjects.function import one_of
from audit.subjects.importing import import_attribute
from audit.subjects.loading import values_of, with_parameters
from audit.subjects.pair import Pair
from audit.subjects.specs import Spec
from proofs.guarantees import Guarantee
from synthesizers.errors import DPAuditError
from synthesizers.neighbours import Neighbours

VISIBLE = RELEASED - {Facet.SCALES}
"""What honest black boxes keep the data out of. Mechanisms of smooth sensitivity don't keep it out
of the scale of their noise, which nobody sees: that it differs is said, and held against nobody."""


@dataclass(frozen=True)
class Examination:
    """What is looked at of a subject, and how far.

    ``budget``: the most runs in all. ``alarm``: the error of the whole. ``shrinks``: pairs may be
    made smaller. ``look``: how a run is made.
    """

    guarantee: Guarantee
    neighbours: Neighbours
    pairs: tuple[Pair, ...]
    seed: int
    alarm: float
    budget: int
    shrinks: bool
    look: Looking

    def findings(self, subject: AuditedFunction) -> Iterator[Finding]:
        """Of each facet that told neighbours apart, and of data read outside measurements.

        Raises ProtocolError where every run raises, or one returns an iterator.
        """
        case = Case(
            subject,
            self.guarantee,
            self.neighbours,
            self.pairs,
            VISIBLE,
            Effort(seed=self.seed, alarm=self.alarm),
            self.shrinks,
            self.budget,
            self.look,
            copied=self.look is look_in_a_copy,
        )
        for facet, seen in search(case).items():
            yield facet_finding(case, facet, seen)
        if not subject.opaque:
            yield from reading_findings(case, ())


def wrap_form(
    given: Any,
    form: Form,
    parameters: Mapping[str, Any],
    rows: int | None,
    columns: tuple[str, ...] | None,
    name: str,
) -> AuditedFunction:
    """What is handed over as a function, its batch form or an estimator, as it is examined."""
    if form == "estimator":
        return wrap_estimator(given, parameters, rows or 0, columns, name)
    function = one_of(given) if form == "batch" else given
    return AuditedFunction(name, lambda database, rng: Left(function(database, rng)), home(given))


def answer(subject: AuditedFunction, examination: Examination, seconds: float) -> str:
    """The findings as text, or why there are none.

    ``seconds``: the most that a run may take; it must be the main thread that asks.
    """
    timed = replace(subject, run=_end_in_time(subject.run, seconds))
    try:
        told = [finding.to_report_json() for finding in examination.findings(timed)]
    except (DPAuditError, OutOfTime) as error:
        return json.dumps({"refused": str(error)})
    return json.dumps({"findings": told})


class OutOfTime(BaseException):
    """A run took too long; no handler of the subject's is meant to catch it."""


def _end_in_time(run: Run, seconds: float) -> Run:
    def over(number: int, frame: FrameType | None) -> None:
        raise OutOfTime(f"a run took more than {seconds:g} seconds; give more with --seconds")

    def timed(database: Any, rng: np.random.Generator) -> Left:
        before = signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return run(database, rng)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    return timed


@dataclass(frozen=True)
class Asked:
    """What the process of a named subject is asked: the subject, and what is looked at."""

    spec: Spec
    examination: Examination
    seconds: float


class Inside:
    """What runs in that process: a function of what it is asked, which answers in text."""

    def __call__(self, database: Asked, rng: np.random.Generator) -> str:
        """The findings of the examination, or why there are none."""
        spec = database.spec
        found, form = import_attribute(spec.subject), spec.form or "function"
        given = found if form == "estimator" else with_parameters(found, spec)
        values = values_of(spec.parameters)
        subject = wrap_form(given, form, values, spec.rows, spec.columns, spec.subject)
        return answer(subject, database.examination, database.seconds)
