"""Poisoned data: a database that tells of every touch outside a measurement, or refuses it.

A developer marks where measuring happens, by a block or by naming the functions that measure:

    poisoned = Poisoned(records, measures=[Curator.count])
    mechanism(poisoned.database, rng)
    poisoned.touches                      # what was read elsewhere, and by which line

A curator may open the block itself, whatever database it was given: `measured(database)` does
nothing to a plain one.
"""

from __future__ import annotations

import inspect
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pandas as pd

from synthesizers.domain import Dataset
from synthesizers.errors import InputError

_HERE = __file__
_PANDAS = os.path.dirname(pd.__file__) + os.sep
_ON_BEHALF = (
    _HERE,
    _PANDAS,
    os.path.dirname(np.__file__) + os.sep,
    inspect.getfile(Dataset),
    "<frozen _collections_abc>",
)


class Touched(Exception):
    """Data were touched outside a measurement, and the database refuses that."""


@dataclass(frozen=True)
class Touch:
    """One way in which a line read the data outside a measurement.

    ``what``: "len", "iteration", "item" or the name of an attribute. ``code``: the line's text.
    """

    what: str
    file: str
    line: int
    code: str

    def __str__(self) -> str:
        where = f"{os.path.basename(self.file)}:{self.line}"
        return f"{self.what} read in {where}" + (f": {self.code}" if self.code else "")


class Guard:
    """Knows whether a measurement is under way, and who touched the data when none was."""

    def __init__(self, measures: Iterable[Callable[..., Any]], refuses: bool) -> None:
        self._codes = frozenset(map(_code_of, measures))
        self._refuses = refuses
        self._open = 0
        self.used = False
        self.found: dict[Touch, None] = {}

    @contextmanager
    def measured(self) -> Iterator[None]:
        """A block in which the data may be read."""
        self._open += 1
        self.used = True
        try:
            yield
        finally:
            self._open -= 1

    def touch(self, what: str) -> None:
        """Somebody reads the data; raises Touched where that is refused."""
        if self._open:
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and _of_the_guard(frame):
            frame = frame.f_back
        asking = frame
        while frame is not None:
            if frame.f_code in self._codes:
                self.used = True
                return
            frame = frame.f_back
        if asking is None:
            return
        file, line = asking.f_code.co_filename, asking.f_lineno
        found = Touch(what, file, line, linecache.getline(file, line).strip())
        self.found[found] = None
        if self._refuses:
            raise Touched(str(found))


def _of_the_guard(frame: FrameType) -> bool:
    """Whether a line reads on behalf of whoever called it: ours, and those of libraries."""
    return frame.f_code.co_filename.startswith(_ON_BEHALF)


def _code_of(function: Callable[..., Any]) -> CodeType:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if not isinstance(code, CodeType):
        raise InputError("name what measures by functions or methods written in Python")
    return code


class Poisoned:
    """A database of records, watched.

    ``database``: a list of records, each a mapping, or a data frame. ``measures``: functions
    within which all reading is fine. ``refuses``: raise `Touched` at the first touch elsewhere.
    Raises InputError for a database of another kind.
    """

    def __init__(
        self,
        database: Sequence[Mapping[str, Any]] | pd.DataFrame,
        measures: Iterable[Callable[..., Any]] = (),
        refuses: bool = False,
    ) -> None:
        self._guard = Guard(measures, refuses)
        self.database: Any
        if isinstance(database, pd.DataFrame):
            self.database = _Frame(database)
        elif isinstance(database, Sequence) and all(isinstance(r, Mapping) for r in database):
            self.database = _Records([_Record(record, self._guard) for record in database])
        else:
            raise InputError("only a list of records or a data frame can be poisoned")
        object.__setattr__(self.database, "_guard", self._guard)

    @contextmanager
    def measured(self) -> Iterator[None]:
        """A block in which the data may be read."""
        with self._guard.measured():
            yield

    @property
    def touches(self) -> tuple[Touch, ...]:
        """What was read outside measurements, each kind and line once, in order."""
        return tuple(self._guard.found)

    @property
    def has_boundary(self) -> bool:
        """Whether a measurement was ever under way: whether there is an inside at all."""
        return self._guard.used


@contextmanager
def permit_reading(database: Any) -> Iterator[None]:
    """A block in which ``database`` is measured; nothing but that where it isn't poisoned."""
    guard = getattr(type(database), "_poison", None)
    if guard is None:
        yield
        return
    with guard(database).measured():
        yield


def _looks_like(kind: type) -> Any:
    """What `isinstance` takes an object for that has this as its ``__class__``."""
    return property(lambda _: kind)


class _Records(Sequence[Any]):
    """A list to whoever asks, but not to C code, which would read it unseen."""

    __slots__ = ("_guard", "_held")
    _guard: Guard

    def __init__(self, held: list[Any]) -> None:
        self._held = held

    __class__ = _looks_like(list)

    @staticmethod
    def _poison(database: Any) -> Guard:
        guard: Guard = object.__getattribute__(database, "_guard")
        return guard

    def __getitem__(self, place: Any) -> Any:
        self._guard.touch("item")
        return self._held[place]

    def __len__(self) -> int:
        self._guard.touch("len")
        return len(self._held)

    def __iter__(self) -> Iterator[Any]:
        self._guard.touch("iteration")
        return iter(self._held)

    def __add__(self, other: Any) -> list[Any]:
        self._guard.touch("iteration")
        return self._held + list(other)

    def __eq__(self, other: object) -> bool:
        self._guard.touch("comparison")
        return self._held == other

    def copy(self) -> list[Any]:
        """The records as a list of their own."""
        self._guard.touch("iteration")
        return list(self._held)

    def __repr__(self) -> str:
        self._guard.touch("repr")
        return repr(self._held)


class _Record(Mapping[str, Any]):
    """A dict to whoever asks."""

    __slots__ = ("_guard", "_held")

    def __init__(self, held: Mapping[str, Any], guard: Guard) -> None:
        self._held, self._guard = dict(held), guard

    __class__ = _looks_like(dict)

    def __getitem__(self, name: str) -> Any:
        self._guard.touch("item")
        return self._held[name]

    def __iter__(self) -> Iterator[str]:
        self._guard.touch("iteration")
        return iter(self._held)

    def __len__(self) -> int:
        self._guard.touch("len")
        return len(self._held)

    def __repr__(self) -> str:
        self._guard.touch("repr")
        return repr(self._held)


class _Frame(pd.DataFrame):
    """A data frame that tells of what is asked of it; what comes out is a plain one."""

    _guard: Guard

    @staticmethod
    def _poison(database: Any) -> Guard:
        guard: Guard = object.__getattribute__(database, "_guard")
        return guard

    def __getattribute__(self, name: str) -> Any:
        # What pandas does on the way to an answer was asked for by somebody, and seen then.
        if not name.startswith("_") or name in ("__array__", "__dataframe__"):
            caller = sys._getframe(1).f_code.co_filename
            if not caller.startswith(_PANDAS) and caller != _HERE:
                _report(self, name)
        return super().__getattribute__(name)

    def __getitem__(self, key: Any) -> Any:
        if not sys._getframe(1).f_code.co_filename.startswith(_PANDAS):
            _report(self, "item")
        return pd.DataFrame(self)[key]

    def __len__(self) -> int:
        if not sys._getframe(1).f_code.co_filename.startswith(_PANDAS):
            _report(self, "len")
        return super().__len__()

    def __iter__(self) -> Iterator[Any]:
        _report(self, "iteration")
        return super().__iter__()

    @property
    def _constructor(self) -> Callable[..., pd.DataFrame]:
        return pd.DataFrame


def _report(frame: _Frame, what: str) -> None:
    guard = frame.__dict__.get("_guard")
    if guard is not None:
        guard.touch(what)


class GuardedDataset(Dataset):
    """A dataset that tells of who reads its codes."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("codes", "persons"):
            guard = object.__getattribute__(self, "__dict__").get("_guard")
            if guard is not None:
                guard.touch(name)
        return super().__getattribute__(name)


def guard_dataset(dataset: Dataset, guard: Guard) -> GuardedDataset:
    """The same dataset under a guard."""
    made = GuardedDataset(dataset.domain, dataset.codes, dataset.persons)
    object.__setattr__(made, "_guard", guard)
    return made
