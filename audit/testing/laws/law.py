"""A law: one statement that an object of a kind must keep, and the check of it."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

ERROR = 1e-9
"""The largest chance with which a law that draws at random accuses an object that keeps it (so that
thousands of objects can be checked at every change)."""

SEED = 20
"""Of what is drawn: the same draws every time, so that a law is kept always or never."""


class LawBroken(AssertionError):
    """An object does not keep a law; the message says which, what was expected and found."""


@dataclass(frozen=True)
class Law:
    """A law about one object; called, it raises `LawBroken` where the object does not keep it.

    ``kind``: of object, such as "noise". ``name``: the statement. ``subject``: the object, as text.
    """

    kind: str
    name: str
    subject: str
    check: Callable[[], None]

    def __call__(self) -> None:
        """Check the law."""
        self.check()

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}: {self.name}"


def broken(message: str) -> NoReturn:
    """Raise `LawBroken`."""
    raise LawBroken(message)


def require(kept: bool, message: str) -> None:
    """Raise `LawBroken` with the message unless the law is kept."""
    if not kept:
        broken(message)


def require_json(subject: Any, *arguments: Any) -> None:
    """``to_json`` is a mapping that JSON can say and read back unchanged."""
    data = subject.to_json(*arguments)
    require(isinstance(data, dict), f"to_json must return a mapping, found {type(data).__name__}")
    try:
        text = json.dumps(data, allow_nan=False)
    except (TypeError, ValueError) as error:
        broken(f"to_json must hold what JSON can say: texts, numbers, lists, mappings; {error}")
    require(json.loads(text) == data, "to_json must be read back from JSON as it is (no tuples)")
    again = json.dumps(subject.to_json(*arguments))
    require(again == json.dumps(data), "to_json must say the same each time")


def pass_through_pickle(subject: Any) -> Any:
    """The object after a journey to another process; raises `LawBroken` where it can't go."""
    try:
        return pickle.loads(pickle.dumps(subject))
    except Exception as error:
        broken(
            f"it must pickle, to be sent to other processes; found {type(error).__name__}: define "
            "its class at the top of a module, and hold no open files or functions made inside "
            "others"
        )


def require_pickles(subject: Any) -> None:
    """The object after such a journey is equal, and of equal hash."""
    copy = pass_through_pickle(subject)
    require(copy == subject, "its pickled copy must equal it: make it a frozen dataclass")
    require(hash(copy) == hash(subject), "its pickled copy must have its hash: freeze it")
