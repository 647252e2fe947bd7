"""Families of synthesizers: one for each ε, and what one run of it costs in error."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from audit.subjects.databases import dataset_of_records
from audit.subjects.subject import ProgramSubject
from audit.utility.metric import Metric
from audit.utility.pair import Pair
from audit.utility.records import Records
from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import DPAuditError, InputError, ProtocolError
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.programs import PROGRAMS, build
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run

Run = Callable[[Dataset, np.random.Generator], object]
"""One run on a database: synthetic records, or counts of the domain's cells."""


@dataclass(frozen=True, eq=False)
class Family:
    """A synthesizer for every ε.

    ``subject``: the name of a built-in program that takes epsilon; a factory of one argument,
    epsilon as a Fraction, that makes a program of a curator; or a function of ``database`` (a
    `Dataset`), ``rng`` and ``epsilon`` (a float) that returns synthetic records (`Dataset`, data
    frame, list of mappings) or counts. ``parameters``: of a built-in program, as text.
    ``neighbours``: what epsilon refers to. ``delta``: of its guarantee.

    Raises InputError for a subject of another form.
    """

    name: str
    subject: str | Callable[..., Any]
    parameters: Mapping[str, str] = field(default_factory=dict)
    neighbours: Neighbours = field(default_factory=AddRemove)
    delta: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        if not 0 <= self.delta < 1:
            raise InputError(f"a delta lies from 0 to below 1, found {self.delta}")
        if isinstance(self.subject, str):
            if self.subject not in PROGRAMS:
                known = ", ".join(PROGRAMS)
                raise InputError(f"no built-in program {self.subject!r}; there are: {known}")
        elif self.parameters:
            raise InputError("parameters go with a built-in program's name; bind them otherwise")
        else:
            _arity(self.subject)

    def at(self, epsilon: Fraction) -> Run:
        """The synthesizer of one ε; raises InputError where a built-in program takes none."""
        subject = self.subject
        if isinstance(subject, str):
            return self._program(build(subject, {**self.parameters, "epsilon": str(epsilon)}))
        if _arity(subject) == 1:
            return self._program(_make(self.name, lambda: subject(epsilon)))
        value = float(epsilon)
        return lambda dataset, rng: _make(self.name, lambda: subject(dataset, rng, value))

    def _program(self, program: Any) -> Run:
        subject = ProgramSubject(self.name, program, False)

        def once(dataset: Dataset, rng: np.random.Generator) -> object:
            setting = Setting.of(dataset.domain, self.neighbours, dataset.records)
            entropy = InsecureSeededEntropy(int(rng.integers(2**63)))
            return run(program, dataset, setting, subject.budget(setting), entropy).output

        return once


def _arity(subject: Any) -> int:
    """1 for a factory of programs, 3 for a function."""
    form = "a family is a built-in name, factory(epsilon), or function(database, rng, epsilon)"
    try:
        parameters = inspect.signature(subject).parameters.values()
    except (TypeError, ValueError):
        raise InputError(f"{form}; found {type(subject).__name__}") from None
    asked = [
        p.name
        for p in parameters
        if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    if len(asked) not in (1, 3):
        raise InputError(f"{form}; this takes {', '.join(asked) or 'nothing'}")
    return len(asked)


def _make(name: str, make: Callable[[], object]) -> Any:
    try:
        return make()
    except DPAuditError:
        raise
    except (Exception, SystemExit) as error:
        raise ProtocolError(f"{name} raised {type(error).__name__}; make it run first") from None


@dataclass(frozen=True)
class Loss:
    """The error of one output against the real table: larger is worse, inf where undefined."""

    metric: Metric
    domain: Domain

    def __call__(self, real: Records | Dataset, output: object) -> float:
        """The score, negated where higher is better."""
        table = as_table(output, self.domain)
        if not (len(table) if isinstance(table, pd.DataFrame) else table.records):
            return math.inf
        score = self.metric.take(Pair.of(real, table, self.domain))
        if score.value is None:
            return math.inf
        return score.value if score.direction == "lower" else -score.value


def as_table(output: object, domain: Domain) -> Dataset | pd.DataFrame | Records:
    """Synthetic records, or counts of cells spelt out; raises ProtocolError for anything else."""
    try:
        if isinstance(output, Dataset | pd.DataFrame | Records):
            return output
        if isinstance(output, list) and output and isinstance(output[0], Mapping):
            return dataset_of_records(output, domain)
        counts = np.asarray(output)
        if counts.dtype.kind in "iu" and counts.shape == (domain.size,) and counts.min() >= 0:
            return Dataset.from_histogram(domain, counts.astype(np.int64))
    except (DPAuditError, ValueError):
        pass
    raise ProtocolError(
        "a synthesizer must return synthetic records of the domain, or a count of at least 0 for "
        f"each of its cells; found {type(output).__name__}"
    )
