"""What is to be run, and what was found of it: told between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from audit.subjects.forms import Form


@dataclass(frozen=True)
class Spec:
    """What is run, and how; without a form, the question of what it is.

    ``canaries``, ``score``: of a training, functions by their names.
    """

    subject: str
    form: Form | None
    parameters: Mapping[str, str]
    megabytes: int | None = None
    rows: int | None = None
    columns: tuple[str, ...] | None = None
    canaries: str | None = None
    score: str | None = None


@dataclass(frozen=True)
class Described:
    """What a subject is: its form."""

    form: Form


@dataclass(frozen=True)
class Refused:
    """Why there is nothing to run, for the user."""

    message: str
