"""What can be audited for data independence: functions, estimators, programs of a curator."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.auditors.data_independence.poisoned import Guard, Touch, guard_dataset
from audit.subjects.databases import dataset_of_records
from audit.subjects.estimator import as_function
from audit.subjects.forms import form_of
from audit.subjects.function import one_of
from audit.subjects.subject import ProgramSubject
from synthesizers.curator import Curator, Setting, ask_program
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.events import Event, Outcome
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import private_view, released_form, sample_answer
from synthesizers.tables import to_frame
from synthesizers.true_answers import TrueAnswers


@dataclass(frozen=True, eq=False)
class Left:
    """What a run leaves: its output, and the object that was fitted, if any."""

    output: Any
    fitted: Any = None


Run = Callable[[Any, np.random.Generator], Left]


@dataclass(frozen=True, eq=False)
class AuditedFunction:
    """A mechanism that can be run on databases of records.

    ``run``: (database, generator) -> what it leaves. ``home``: the file or folder whose lines are
    the mechanism's own, None where that can't be seen. ``opaque``: nothing that it does comes
    before its first random draw, as far as can be seen from outside.
    """

    name: str
    run: Run
    home: str | None = None
    opaque: bool = False


def wrap_function(subject: Any, name: str | None = None) -> AuditedFunction:
    """A function (database, rng), or its batch form (database, rng, runs), as it is called.

    Raises InputError for anything else.
    """
    form = form_of(subject)
    if form not in ("function", "batch"):
        raise InputError(
            f"expected a function (database, rng), found a {form}: wrap_estimator and "
            "wrap_program take these"
        )
    function = one_of(subject) if form == "batch" else subject
    told = getattr(subject, "__name__", type(subject).__name__) if name is None else name
    return AuditedFunction(told, lambda database, rng: Left(function(database, rng)), home(subject))


def wrap_estimator(
    estimator: Any,
    parameters: Mapping[str, Any],
    rows: int,
    columns: Sequence[str] | None = None,
    name: str | None = None,
) -> AuditedFunction:
    """An estimator with ``fit`` and ``sample``; arguments as in `audit.subjects.estimator`."""
    kind = estimator if isinstance(estimator, type) else type(estimator)
    fitted: list[Any] = []

    def sample(made: Any, *args: Any, **kwargs: Any) -> Any:
        # Of its own class again, as it would be looked at or pickled.
        made.__class__ = kind
        fitted.append(made)
        return made.sample(*args, **kwargs)

    watched: Any = type(kind.__name__, (kind,), {"sample": sample})
    if not isinstance(estimator, type):
        plain, watched = watched, copy.copy(estimator)
        watched.__class__ = plain
    function = as_function(watched, parameters, rows, columns)

    def run(database: Any, rng: np.random.Generator) -> Left:
        fitted.clear()
        output = function(database, rng)
        return Left(output, fitted[-1] if fitted else None)

    return AuditedFunction(kind.__name__ if name is None else name, run, home(kind))


def wrap_program(subject: ProgramSubject, setting: Setting) -> AuditedFunction:
    """A program of a curator, by the sampling reading."""
    budget = subject.budget(setting)

    def run(database: Any, rng: np.random.Generator) -> Left:
        dataset = private_view(dataset_of_records(database, setting.domain), setting)
        entropy = InsecureSeededEntropy(int(rng.integers(2**62)))
        truth = TrueAnswers(dataset)
        curator = Curator(setting, budget, lambda event: sample_answer(event, truth, entropy))
        output = released_form(ask_program(subject.program, curator), setting.domain)
        return Left(to_frame(output) if isinstance(output, Dataset) else output)

    return AuditedFunction(subject.name, run, home(subject.program), True)


def find_touches(
    subject: ProgramSubject, setting: Setting, dataset: Dataset, seed: int
) -> tuple[Touch, ...]:
    """Who read the codes of a dataset in a run of a program, outside the curator's answers.

    ``dataset`` is guarded while the program runs; what the program raises ends the run.
    """
    guard = Guard((), False)
    truth = TrueAnswers(guard_dataset(private_view(dataset, setting), guard))
    del dataset
    entropy = InsecureSeededEntropy(seed)

    def answer(event: Event) -> Outcome:
        with guard.measured():
            return sample_answer(event, truth, entropy)

    try:
        ask_program(subject.program, Curator(setting, subject.budget(setting), answer))
    except Exception:
        # What was read until then is what is asked for.
        return tuple(guard.found)
    return tuple(guard.found)


def home(subject: Any) -> str | None:
    """The file of a callable; of one in a package, the package's folder."""
    found = subject if inspect.isroutine(subject) or isinstance(subject, type) else type(subject)
    try:
        file = inspect.getsourcefile(found)
    except TypeError:
        return None
    if file is None:
        return None
    package = (getattr(found, "__module__", "") or "").partition(".")[0]
    parts = file.split(os.sep)
    if package in parts[:-1]:
        return os.sep.join(parts[: parts.index(package) + 1]) + os.sep
    return file
