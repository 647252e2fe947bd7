"""How recordings are asked for: of the process of a named subject, or of a copy of this one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from audit.auditors.components.reading import read_recordings
from audit.auditors.components.recording.inside import Inside, answer
from audit.auditors.components.recording.places import home_of
from audit.auditors.components.recording.running import Listened
from audit.auditors.components.recording.steps import Recording
from audit.auditors.data_independence.inside import OutOfTime, wrap_form
from audit.statements.limits import Limits
from audit.subjects.forked import call_forked
from audit.subjects.isolated import IsolatedBox, put_inside, read_text
from audit.subjects.pair import Pair
from audit.subjects.specs import Spec
from audit.subjects.subject import LiveObject
from synthesizers.errors import CannotFork, InputError, ProtocolError

RUNS_OF_TIME = 10
"""So many times what one run may take is what the runs of one job may take together."""


@dataclass(frozen=True)
class Wanted:
    """A run that is asked for: see `audit.auditors.components.recording.inside.Inside`."""

    database: int
    seed: int
    stretch: int = 1
    follows: int | None = None
    changes: Mapping[int, Sequence[Any]] = field(default_factory=dict)
    taken: str = "all"


Ask = Callable[[Sequence[Any], Sequence[Wanted]], tuple[Recording, ...]]
"""Databases and runs on them -> their recordings; raises ProtocolError, InputError."""


def ask_process(box: IsolatedBox, record: Sequence[str]) -> Ask:
    """Of a new process of a named subject, in the same confinement as its runs."""
    spec = Spec(box.subject, box.form, dict(box.parameters), None, box.rows, box.columns)
    process = put_inside(box, Inside, RUNS_OF_TIME * box.seconds)

    def ask(databases: Sequence[Any], runs: Sequence[Wanted]) -> tuple[Recording, ...]:
        job = {"spec": asdict(spec), **_job(databases, runs, record)}
        outcomes = process.draw(Pair(job, None), np.zeros(1, np.bool_), 0)
        return read_recordings(read_text(outcomes, process.seconds), len(runs))

    return ask


def ask_live(live: LiveObject, name: str, record: Sequence[str]) -> Ask:
    """Of a copy of this process, which holds the object; of this one where it can't be copied."""
    wrapped = wrap_form(live.given, live.form, live.parameters, live.rows, live.columns, name)
    subject = Listened(lambda database, rng: wrapped.run(database, rng).output, home_of(live.given))

    def ask(databases: Sequence[Any], runs: Sequence[Wanted]) -> tuple[Recording, ...]:
        job = _job(databases, runs, record)
        try:
            text = call_forked(lambda: answer(subject, job), RUNS_OF_TIME * Limits().seconds)
        except CannotFork:
            text = answer(subject, job)
        except OutOfTime as error:
            raise ProtocolError(str(error)) from None
        return read_recordings(str(text), len(runs))

    return ask


def _job(databases: Sequence[Any], runs: Sequence[Wanted], record: Sequence[str]) -> dict[str, Any]:
    job = {
        "record": list(record),
        "databases": list(databases),
        "runs": [
            {**asdict(one), "changes": {str(step): list(new) for step, new in one.changes.items()}}
            for one in runs
        ],
    }
    try:
        json.dumps(job)
    except (TypeError, ValueError):
        raise InputError("databases in component mode are plain data: what JSON can say") from None
    return job
