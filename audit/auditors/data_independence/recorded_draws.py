"""Random draws as they are made: law, parameters, size and line, of whatever generator.

A subject is handed a `RecordingGenerator`. Generators that it makes itself, the global ones of
numpy and of Python and the system's entropy are seen as well, wherever a loaded module names them.
"""

from __future__ import annotations

import functools
import inspect
import os
import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

import numpy as np

ADDITIVE = frozenset({"laplace", "normal", "logistic", "gumbel", "multivariate_normal"})
"""Laws that add noise of a stated size. The parameters of others, such as the weights of a choice
or the counts of a Dirichlet draw, are how honest mechanisms look at the data."""

_SIZES = {"multivariate_normal": "cov"}
"""The parameter that says how large the noise is, where it isn't ``scale``."""

_OWN = os.path.dirname(__file__) + os.sep
_SUBJECTS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "subjects") + os.sep


@dataclass(frozen=True, eq=False)
class Draw:
    """One call of a generator.

    ``law``: the method's name. ``parameters``: by name, defaults included. ``value``: what came.
    ``place``: the file and line that asked. ``shared``: of a global generator or the system's.
    """

    law: str
    parameters: dict[str, Any]
    value: Any
    place: str
    shared: bool = False

    @property
    def scale(self) -> Any:
        """The size of additive noise; None for other laws."""
        if self.law not in ADDITIVE:
            return None
        return self.parameters.get(_SIZES.get(self.law, "scale"))


@dataclass(frozen=True, eq=False)
class Seeding:
    """A generator that was made: ``seed`` as it was given, None for the system's entropy."""

    maker: str
    seed: Any
    place: str


HANDED = "the seed that an estimator is handed"
"""The place of a draw that is none of the subject's own."""

Noted = Callable[[Draw | Seeding], None]


def place_of(frame: FrameType | None) -> str:
    """The file and line of the first frame that is not of this package."""
    while frame is not None and frame.f_code.co_filename.startswith(_OWN):
        frame = frame.f_back
    if frame is None:
        return "an unknown line"
    if frame.f_code.co_filename.startswith(_SUBJECTS):
        return HANDED
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"


class RecordingGenerator(np.random.Generator):
    """A generator of numpy that tells of each draw.

    The values are those of a plain generator over the same bits.
    """

    note: Noted | None = None
    _within = False

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Independent generators, which tell of their draws too."""
        return [recording(child.bit_generator, self.note) for child in super().spawn(n_children)]


def _record(name: str) -> Callable[..., Any]:
    plain = getattr(np.random.Generator, name)
    signature = inspect.signature(plain)

    @functools.wraps(plain)
    def draw(self: RecordingGenerator, *args: Any, **kwargs: Any) -> Any:
        # Some laws are drawn by way of others: what was asked for counts.
        if self._within or self.note is None:
            return plain(self, *args, **kwargs)
        self._within = True
        try:
            value = plain(self, *args, **kwargs)
        finally:
            self._within = False
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = {key: value for key, value in bound.arguments.items() if key != "self"}
        self.note(Draw(name, given, value, place_of(sys._getframe(1))))
        return value

    return draw


_NO_DRAWS = {"spawn", "bit_generator"}
for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in _NO_DRAWS:
        setattr(RecordingGenerator, _name, _record(_name))


def recording(bits: np.random.BitGenerator, note: Noted | None) -> RecordingGenerator:
    """A generator over some bits that tells ``note`` of each draw."""
    made = RecordingGenerator(bits)
    made.note = note
    return made


class Listener:
    """Who is told of draws and of generators made; nobody where ``note`` is None."""

    def __init__(self) -> None:
        self.note: Noted | None = None
        self._deaf = False

    def hears(self, found: Draw | Seeding) -> None:
        """Pass it on."""
        if self.note is not None and not self._deaf:
            self.note(found)

    def aside(self, call: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """A call whose own draws and generators are a part of it, and not told again."""
        before, self._deaf = self._deaf, True
        try:
            return call(*args, **kwargs)
        finally:
            self._deaf = before


@contextmanager
def overheard(listener: Listener) -> Iterator[None]:
    """Tell ``listener`` of all draws made within that are not of a generator handed over.

    Numpy's and Python's global generators, generators that are made, and the system's entropy.
    What a module or a class took out of these before in a variable of another kind is not seen.
    """
    replaced = {id(old): (old, new) for old, new in _replacements(listener)}
    undo: list[tuple[dict[str, Any], str, Any]] = []
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        if not isinstance(names, dict) or getattr(module, "__name__", "").startswith("audit."):
            continue
        for name, value in list(names.items()):
            if id(value) in replaced and replaced[id(value)][0] is value:
                undo.append((names, name, value))
                names[name] = replaced[id(value)][1]
    try:
        yield
    finally:
        for names, name, value in undo:
            names[name] = value


def _replacements(listener: Listener) -> Iterator[tuple[Any, Any]]:
    for name in dir(np.random):
        method = getattr(np.random, name)
        owner = getattr(method, "__self__", None)
        if isinstance(owner, np.random.RandomState) and name not in _STATES:
            yield method, _record_call(method, name, listener)
    for name in dir(random):
        method = getattr(random, name)
        owner = getattr(method, "__self__", None)
        if isinstance(owner, random.Random) and name not in _STATES:
            yield method, _record_call(method, f"random.{name}", listener)
    yield os.urandom, _record_call(os.urandom, "os.urandom", listener)
    yield np.random.default_rng, _default_rng(listener)
    yield np.random.seed, _record_seed(np.random.seed, "numpy.random.seed", listener)
    yield random.seed, _record_seed(random.seed, "random.seed", listener)
    for kind in (np.random.RandomState, np.random.PCG64, np.random.MT19937, np.random.Philox):
        yield kind, _watch_class(kind, listener)
    yield random.Random, _watch_class(random.Random, listener)


_STATES = {"seed", "get_state", "set_state", "getstate", "setstate", "get_bit_generator"}


def _record_call(plain: Callable[..., Any], name: str, listener: Listener) -> Callable[..., Any]:
    try:
        signature = inspect.signature(plain)
    except (TypeError, ValueError):
        signature = None

    @functools.wraps(plain)
    def draw(*args: Any, **kwargs: Any) -> Any:
        value = listener.aside(plain, *args, **kwargs)
        given: dict[str, Any] = {}
        if signature is not None:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            given = dict(bound.arguments)
        listener.hears(Draw(name, given, value, place_of(sys._getframe(1)), True))
        return value

    return draw


def _record_seed(plain: Callable[..., Any], name: str, listener: Listener) -> Callable[..., Any]:
    @functools.wraps(plain)
    def seed(*args: Any, **kwargs: Any) -> Any:
        listener.hears(Seeding(name, _first(args, kwargs), place_of(sys._getframe(1))))
        return listener.aside(plain, *args, **kwargs)

    return seed


def _default_rng(listener: Listener) -> Callable[..., Any]:
    plain = np.random.default_rng

    @functools.wraps(plain)
    def default_rng(seed: Any = None) -> np.random.Generator:
        if isinstance(seed, np.random.Generator):
            return seed
        listener.hears(Seeding("numpy.random.default_rng", seed, place_of(sys._getframe(1))))
        return recording(listener.aside(plain, seed).bit_generator, listener.hears)

    return default_rng


def _watch_class(kind: Any, listener: Listener) -> Any:
    """The class, told apart from it by nobody who asks `isinstance`, that tells of its seeds."""

    class Watched(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, kind)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, kind)

        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            name = f"{kind.__module__.split('.')[0]}.{kind.__name__}"
            listener.hears(Seeding(name, _first(args, kwargs), place_of(sys._getframe(1))))
            # A plain object, so that whoever keeps it keeps nothing of ours.
            if cls is not watched:
                return listener.aside(type.__call__, cls, *args, **kwargs)
            return listener.aside(kind, *args, **kwargs)

    watched = Watched(kind.__name__, (kind,), {"__module__": kind.__module__})
    return watched


def _first(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args[0] if args else next(iter(kwargs.values()), None)
