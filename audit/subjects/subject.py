"""Subjects: the thing under test.

Each says by its ``category`` what an auditor can do with it: a *program* asks a curator, a
*channel* is a matrix, a *black box* can only be run, and of *outputs* somebody drew nothing runs. A
*training* is run on canaries, and a *release* was made of records that coins chose.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from audit.channels.channel import Channel
from audit.statements.isolation import Isolation
from audit.subjects.forms import Form
from audit.subjects.program_process import ProgramProcess
from synthesizers.budget import Budget
from synthesizers.curator import Program, Setting, declared_budget, declared_ledger
from synthesizers.events import Event

if TYPE_CHECKING:
    from audit.subjects.black_box import BlackBox
    from audit.subjects.outputs import OutputsBox
    from audit.subjects.split_release import ReleaseSubject
    from audit.subjects.training import TrainingSubject


@dataclass(frozen=True, eq=False)
class ProgramSubject:
    """A program of a curator: a built-in one, or one of a user's module.

    ``built_in``: it is ours, so findings that contradict each other are our
    fault. ``identity``: what `verify` needs to find it again. ``kind``: of one that is not ours,
    module or command.
    """

    category: ClassVar[str] = "program"
    name: str
    program: Program
    built_in: bool
    identity: dict[str, Any] = field(default_factory=dict)
    kind: str = "module"

    def budget(self, setting: Setting) -> Budget:
        """The budget that the program declares, unlimited if it declares none."""
        return declared_budget(self.program, setting)

    @property
    def isolation(self) -> Isolation:
        """What keeps it from the process that judges it."""
        if isinstance(self.program, ProgramProcess):
            return self.program.isolation()
        return Isolation("in this process", "none", "none")

    def end(self) -> None:
        """End the process that this thread keeps for it, if there is one."""
        if isinstance(self.program, ProgramProcess):
            self.program.end()

    def ledger(self, setting: Setting) -> tuple[Event, ...] | None:
        """The questions that the program declares to ask in every run; None without any."""
        return declared_ledger(self.program, setting)

    def to_json(self) -> dict[str, Any]:
        """The subject as plain data."""
        kind = "program" if self.built_in else self.kind
        return {"kind": kind, "name": self.name, **self.identity}


@dataclass(frozen=True, eq=False)
class ChannelSubject:
    """A channel given as a file."""

    category: ClassVar[str] = "channel"
    name: str
    channel: Channel
    identity: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The subject as plain data."""
        return {"kind": "channel", "name": self.name, **self.identity}


@dataclass(frozen=True, eq=False)
class LiveObject:
    """A function, its batch form or an estimator that the caller holds, as it was handed over.

    ``parameters``, ``rows``, ``columns``: of an estimator, as in `audit.subjects.estimator`.
    """

    given: Any
    form: Form
    parameters: Mapping[str, Any]
    rows: int | None
    columns: tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class BlackBoxSubject:
    """Something that can only be run: a function, an estimator, a command, or drawn outputs.

    ``kind``: which of these. ``assumptions``: what a verdict rests on because of what it is.
    ``isolation``: what keeps its runs from the process that judges them; None where nothing runs.
    ``live``: the caller's own object, None of what is named.
    """

    name: str
    kind: str
    box: BlackBox | OutputsBox
    assumptions: tuple[str, ...]
    identity: dict[str, Any] = field(default_factory=dict)
    isolation: Isolation | None = None
    live: LiveObject | None = None

    @property
    def category(self) -> str:
        """What an auditor can do with it."""
        return "outputs" if self.kind == "outputs" else "black box"

    def to_json(self) -> dict[str, Any]:
        """The subject as plain data."""
        return {"kind": self.kind, "name": self.name, **self.identity}


Subject: TypeAlias = (
    "ProgramSubject | ChannelSubject | BlackBoxSubject | TrainingSubject | ReleaseSubject"
)
"""Anything that an audit can be run on."""
