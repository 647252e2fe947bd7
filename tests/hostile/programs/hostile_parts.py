"""What the hostile programs share: honest and loud questions, and ways around the child's guards.

Everything here runs in the box, in the process of the program.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, BinaryIO

from synthesizers import watch
from synthesizers.budget import PureBudget
from synthesizers.curator import Curator
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import CellCounts

F = Fraction
QUIET = DiscreteLaplace(F(1))
LOUD = DiscreteLaplace(F(1, 10))
FIRST = CellCounts((0,))


def quiet(curator: Curator) -> Any:
    """One count of two under replace-one at epsilon = 1."""
    return curator.measure(FIRST, QUIET, low=0, high=2)


def loud(curator: Curator) -> Any:
    """The same at epsilon = 10."""
    return curator.measure(FIRST, LOUD, low=0, high=2)


def says_one(program: Any) -> Any:
    """The program declares that it keeps to epsilon = 1."""
    program.budget = lambda setting: PureBudget(F(1))
    return program


class Reached(BaseException):
    """Something that the box must refuse was not refused."""


def unseen() -> None:
    """Blind the child's own watch: a hostile program would."""
    watch._active.append(None)


def is_refused(attack: Callable[[], object]) -> None:
    """Raise Reached unless the system refuses the attack."""
    try:
        attack()
    except (OSError, ValueError):
        return
    raise Reached


_tried: set[str] = set()


def attacks_once(name: str, *attacks: Callable[[], object]) -> Callable[[Curator], Any]:
    """A program that tries attacks in each of its processes, and then asks the quiet question."""

    def program(curator: Curator) -> Any:
        if name not in _tried:
            _tried.add(name)
            unseen()
            for attack in attacks:
                is_refused(attack)
        return quiet(curator)

    return program


def file_beside(name: str) -> Path:
    """A file of the user's folder, wherever that is."""
    return next(Path(folder, name) for folder in sys.path if os.path.lexists(f"{folder}/{name}"))


def caller_of(name: str) -> dict[str, Any]:
    """The local variables of the innermost function of a name that led here."""
    frame = sys._getframe()
    while frame is not None:
        if frame.f_code.co_name == name:
            return frame.f_locals
        frame = frame.f_back
    raise LookupError(name)


def to_parent() -> BinaryIO:
    """The stream to the parent, of a program that runs."""
    stream: BinaryIO = caller_of("serve")["self"]._target
    return stream


def write_line(message: object) -> None:
    """Write a message past the child's server."""
    stream = to_parent()
    stream.write(json.dumps(message).encode() + b"\n")
    stream.flush()
