"""Warm runs: of a Python script, copies of a process that has imported what the script imports.

The script need not know of it, and runs as a whole in each copy. What copies share is what was
drawn when packages were imported, so that runs are served ones: no verdict against the script rests
on them alone (`audit.subjects.served`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.subjects.apart import python_of
from audit.subjects.command import PROTOCOL
from audit.subjects.served import ServedBox
from audit.subjects.server import Server, Serving
from synthesizers.errors import InputError

LOADING_SECONDS = 120.0
"""How long packages may take to be imported (the largest take half a minute from a cold disk)."""

_CHILD = str(Path(__file__).with_name("warm_child.py"))


@dataclass(frozen=True)
class WarmBox(ServedBox):
    """A submission that is a Python script of version 1, run in copies of a warm process."""

    @property
    def protocol(self) -> int:
        """The version of the protocol that a run is told."""
        return PROTOCOL

    def request(self, options: dict[str, str], folder: str) -> dict[str, Any]:
        """What a server is asked for, of a run's options in its folder."""
        return {**options, "folder": folder}

    def start(self) -> Server | None:
        """A new warm process; None where it ends, or says nothing, before it serves."""
        path, limits = self.command.path, self.command.limits
        by = (*(python_of(path) or ()), _CHILD)
        server = Server(path, limits, by=by, its=(_CHILD,))
        return None if server.greet(LOADING_SECONDS) is Serving.NOT else server

    def check(self) -> None:
        """Raise InputError unless it is a Python script that can be kept warm."""
        self.command.check()
        if python_of(self.command.path) is None:
            raise InputError(
                "--warm goes with a Python script, whose first line names its interpreter, such as "
                "#!/usr/bin/env python3; leave it out"
            )
        server = self.start()
        if server is None:
            raise InputError(
                "--warm: what the script imports starts threads, or ends the process, so that it "
                "can't be copied for each run; leave out --warm"
            )
        server.end()
