"""Primitives put in place of the plain ones, wherever a module names them, while it is recorded."""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from audit.auditors.components.recording.calls import read_said, record, record_call
from audit.auditors.components.recording.entropy import urandom
from audit.auditors.components.recording.generators import (
    STATES,
    RecordedRandom,
    RecordedState,
    RecordedSystem,
    record_default_rng,
    record_maker,
)
from audit.auditors.components.recording.operations import (
    FORMULAS,
    attach,
    follow,
    search_sorted,
)
from audit.auditors.components.recording.picking import record_draw
from audit.auditors.components.recording.primitives import (
    SCIPY,
    Primitive,
    Said,
    law_of_numpy,
    law_of_python,
    of_scipy,
)
from audit.auditors.components.recording.tracers import strip

attach()


def _replacements(primitives: Sequence[Primitive]) -> Iterator[tuple[Any, Any]]:
    """Plain callables of modules, each with what is put in its place."""
    for name in dir(np.random):
        method = getattr(np.random, name)
        owner = getattr(method, "__self__", None)
        if isinstance(owner, np.random.RandomState) and name not in STATES:
            yield method, record_draw(method, Primitive(f"numpy.random:{name}", law_of_numpy(name)))
    for name in dir(random):
        method = getattr(random, name)
        owner = getattr(method, "__self__", None)
        if isinstance(owner, random.Random) and name not in STATES:
            yield method, record_draw(method, Primitive(f"random:{name}", law_of_python(name)))
    yield os.urandom, record(urandom, Primitive("os:urandom", lambda given: Said("unknown")))
    yield np.random.default_rng, record_default_rng(np.random.default_rng)
    for plain, kind in (
        (np.random.RandomState, RecordedState),
        (random.Random, RecordedRandom),
        (random.SystemRandom, RecordedSystem),
    ):
        yield plain, record_maker(plain, kind)
    yield np.searchsorted, search_sorted
    for name in FORMULAS:
        yield getattr(math, name), follow(name)
    for primitive in primitives:
        module, _, path = primitive.where.partition(":")
        if "." not in path and module in sys.modules and hasattr(sys.modules[module], path):
            plain = getattr(sys.modules[module], path)
            yield plain, record(plain, primitive)


def _class_methods(primitives: Sequence[Primitive]) -> Iterator[tuple[Any, str, Any]]:
    """Owners in loaded modules, a name, and what is put there: of methods and their classes."""
    for primitive in primitives:
        module, _, path = primitive.where.partition(":")
        owner_path, _, name = path.rpartition(".")
        if not owner_path or module not in sys.modules:
            continue
        owner: Any = sys.modules[module]
        for part in owner_path.split("."):
            owner = getattr(owner, part, None)
        if owner is not None and hasattr(owner, name):
            yield owner, name, record(inspect.getattr_static(owner, name), primitive)
    stats = sys.modules.get("scipy.stats")
    for distribution, law in SCIPY.items():
        found = getattr(stats, distribution, None)
        if found is not None:
            primitive = Primitive(f"scipy.stats:{distribution}.rvs", of_scipy(law), ("scipy",))
            yield found, "rvs", _rvs(found.rvs, primitive)


def _rvs(plain: Any, primitive: Primitive) -> Any:
    def rvs(*args: Any, **options: Any) -> Any:
        given = {**dict(zip(("loc", "scale", "size"), args)), **options}

        def call() -> Any:
            return plain(*strip(args), **{name: strip(one) for name, one in options.items()})

        def read() -> Said:
            return read_said(primitive.read, given)

        return record_call(primitive.name, call, read, ("scipy",))

    return rvs


@contextmanager
def listen_to(primitives: Sequence[Primitive]) -> Iterator[None]:
    """Within this, calls of noise find the tape of the run: numpy's, Python's, ``primitives``."""
    for primitive in primitives:
        _load(primitive.where.partition(":")[0])
    replaced = {id(plain): (plain, new) for plain, new in _replacements(primitives)}
    undo: list[Callable[[], None]] = []
    for module in list(sys.modules.values()):
        names = getattr(module, "__dict__", None)
        own = getattr(module, "__name__", "").startswith(("audit.", "numpy.random._"))
        if not isinstance(names, dict) or own:
            continue
        for name, value in list(names.items()):
            known = replaced.get(id(value))
            if known is not None and known[0] is value:
                names[name] = known[1]
                undo.append(functools.partial(names.__setitem__, name, value))
    for owner, name, new in _class_methods(primitives):
        before = vars(owner).get(name, undo) if hasattr(owner, "__dict__") else undo
        setattr(owner, name, new)
        back = functools.partial(setattr, owner, name, before)
        undo.append(functools.partial(delattr, owner, name) if before is undo else back)
    try:
        yield
    finally:
        for step in reversed(undo):
            step()


def _load(module: str) -> None:
    """Import what is recorded only where the subject did: others it can't call."""
    if module.partition(".")[0] in sys.modules and module not in sys.modules:
        try:
            importlib.import_module(module)
        except Exception:
            return
