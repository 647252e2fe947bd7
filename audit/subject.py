"""Subjects: the thing under test."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from audit.attack.black_box import BlackBox
from audit.channel import Channel
from audit.subjects.outputs import OutputsBox
from synthesizers.budget import Budget, UnlimitedBudget, rebuilt
from synthesizers.curator import Program, Setting
from synthesizers.errors import DPAuditError, ProtocolError


@dataclass(frozen=True, eq=False)
class ProgramSubject:
    """A program of a curator: a built-in one, or one of a user's module.

    ``built_in``: it is ours, so findings that contradict each other are our
    fault. ``identity``: what `verify` needs to find it again.
    """

    name: str
    program: Program
    built_in: bool
    identity: dict[str, Any] = field(default_factory=dict)

    def budget(self, setting: Setting) -> Budget:
        """The budget that the program declares, unlimited if it declares none."""
        declared = getattr(self.program, "budget", None)
        if declared is None:
            return UnlimitedBudget()
        try:
            found = rebuilt(declared(setting))
        except DPAuditError:
            raise
        except Exception as error:
            raise ProtocolError(f"{self.name}: its budget raised {type(error).__name__}") from error
        # A budget of another class could refuse otherwise than it says.
        if found is None:
            raise ProtocolError(
                f"{self.name}: budget(setting) must return a PureBudget, a ZCDPBudget, a "
                "SampledGaussianBudget or an UnlimitedBudget"
            )
        return found

    def to_json(self) -> dict[str, Any]:
        """The subject as plain data."""
        kind = "program" if self.built_in else "module"
        return {"kind": kind, "name": self.name, **self.identity}


@dataclass(frozen=True, eq=False)
class ChannelSubject:
    """A channel given as a file."""

    name: str
    channel: Channel
    identity: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The subject as plain data."""
        return {"kind": "channel", "name": self.name, **self.identity}


@dataclass(frozen=True, eq=False)
class BlackBoxSubject:
    """Something that can only be run: a function, an estimator, a command, or drawn outputs.

    ``kind``: which of these. ``assumptions``: what a verdict rests on because of what it is.
    """

    name: str
    kind: str
    box: BlackBox | OutputsBox
    assumptions: tuple[str, ...]
    identity: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The subject as plain data."""
        return {"kind": self.kind, "name": self.name, **self.identity}


Subject = ProgramSubject | ChannelSubject | BlackBoxSubject
"""Anything that an audit can be run on."""
