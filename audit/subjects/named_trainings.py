"""Trainings by name: what the command line, or a certificate, says is run among canaries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.statements.limits import Limits
from audit.subjects.canary_run import MOST_CANARIES
from audit.subjects.digests import module_source
from audit.subjects.interpreters import find_interpreter
from audit.subjects.training import TrainingBox, TrainingSubject
from synthesizers.errors import InputError


@dataclass(frozen=True)
class NamedTraining:
    """A training, its canaries and their score by name.

    ``name``: ``module:attribute``, train(records, rng). ``canaries``: ``module:function``, or how
    many are made up. ``score``: ``module:function``; None for the usual one.
    """

    name: str
    canaries: str
    score: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    limits: Limits = field(default_factory=Limits)
    python: str | None = None

    def __post_init__(self) -> None:
        for flag, named in (("a training", self.name), ("--score", self.score)):
            if named is not None and ":" not in named:
                raise InputError(f"{flag} is named module:function; found {named!r}")
        if ":" not in self.canaries and self.made_up is None:
            raise InputError(
                "--canaries is module:function, which gives their records, or how many are made "
                f"up, 1 to {MOST_CANARIES}; found {self.canaries!r}"
            )

    @property
    def made_up(self) -> int | None:
        """How many canaries are made up; None where a function gives them."""
        digits = self.canaries.isascii() and self.canaries.isdigit()
        number = int(self.canaries) if digits and len(self.canaries) < 9 else 0
        return number if 1 <= number <= MOST_CANARIES else None


def named_training(wanted: NamedTraining, records: Sequence[Any] | None) -> TrainingSubject:
    """The subject; ``records``: of canaries that are made up.

    Raises InputError where it, its canaries or its score can't be found.
    """
    parameters = {key.replace("-", "_"): value for key, value in wanted.parameters.items()}
    python = None if wanted.python is None else find_interpreter(wanted.python)
    box = TrainingBox(
        wanted.name,
        wanted.name,
        "function",
        parameters,
        seconds=wanted.limits.seconds,
        megabytes=wanted.limits.megabytes,
        python=python,
        canaries=None if wanted.made_up is not None else wanted.canaries,
        score=wanted.score,
    )
    box.check()
    source = module_source(wanted.name, None if python is None else python.folders)
    identity = {
        "parameters": dict(wanted.parameters),
        "canaries": wanted.canaries,
        "score": wanted.score,
        "seconds": wanted.limits.seconds,
        "megabytes": wanted.limits.megabytes,
        **({} if python is None else {"python": python.version}),
        **({} if source is None else source.identity()),
    }
    return TrainingSubject(wanted.name, box, records, identity, box.isolation)
