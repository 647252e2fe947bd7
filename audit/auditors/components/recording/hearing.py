"""Primitives put in place of the plain ones while a run is recorded, wherever a module names them.

A call finds the tape of the run; where none is open, it is the plain call.
"""

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

from audit.auditors.components.recording.operations import FORMULAS, attach, follow
from audit.auditors.components.recording.places import SEEDED, place_of
from audit.auditors.components.recording.primitives import (
    SCIPY,
    Primitive,
    Said,
    law_of_numpy,
    law_of_python,
    of_scipy,
)
from audit.auditors.components.recording.tape import Tape
from audit.auditors.components.recording.tracers import PLAIN, codes_in, codes_of, strip, trace

attach()

_STATES = {
    *("seed", "get_state", "set_state", "getstate", "setstate", "get_bit_generator"),
    *("set_bit_generator", "VERSION"),
}


class Current:
    """The tape of the run that is being made; None outside of one."""

    tape: Tape | None = None


CURRENT = Current()


def record_call(
    primitive: str,
    plain: Callable[[], Any],
    read: Callable[[], Said],
    libraries: tuple[str, ...] = (),
) -> Any:
    """The answer of a call of noise, taken down on the tape of the run, if that is open.

    ``plain``: makes the call; ``read``: says what its arguments do.
    """
    tape = CURRENT.tape
    if tape is None or not tape.open:
        return plain()
    said = read()
    place = place_of(sys._getframe(2), ("scipy", "torch", *libraries))
    hidden = () if said.value is None else numbers_of(said.value)
    found: list[Any] = []

    def draw() -> Sequence[Any]:
        found.append(plain())
        return _stretch_noise(leaves(found[0]), said, tape.stretch)

    number, answer = tape.call(
        draw,
        primitive=primitive,
        law=said.law,
        parameters={name: plain_of(one) for name, one in said.parameters.items()},
        value=None if said.value is None else hidden,
        place=place,
        sensitivity=_number(said.sensitivity),
        norm=said.norm,
        epsilon=_number(said.epsilon),
        delta=_number(said.delta),
    )
    return rebuild(found[0], answer, number, tape)


def leaves(found: Any) -> tuple[Any, ...]:
    """What came of a call, flat: numbers as those of Python; anything else as its text."""
    if isinstance(found, (list, tuple)):
        return tuple(leaf for one in found for leaf in leaves(one))
    if isinstance(found, (np.ndarray, np.generic)):
        return tuple(np.asarray(strip(found)).ravel().tolist())
    if isinstance(found, (bool, int, float, str, bytes)) or found is None:
        return (strip(found),)
    if hasattr(found, "tolist"):
        return leaves(np.asarray(found.tolist()))
    return (f"{type(found).__name__}",)


def rebuild(found: Any, answer: Sequence[Any], number: int, tape: Tape) -> Any:
    """What a call gives back: of the same type, with the tape's numbers, traced."""
    rest = iter(answer)
    place = [0]

    def build(one: Any) -> Any:
        if type(one) in (list, tuple):
            return type(one)(build(inner) for inner in one)
        many = len(leaves(one))
        start, place[0] = place[0], place[0] + many
        taken = [next(rest) for _ in range(many)]
        if isinstance(one, np.ndarray):
            array = np.array(taken, dtype=one.dtype).reshape(one.shape)
            return trace(array, codes_of(number, (start + many,))[start:].reshape(one.shape), tape)
        if isinstance(one, (bool, np.bool_)):
            return type(one)(taken[0])
        if isinstance(one, (int, float, np.generic)):
            return trace(type(one)(taken[0]), codes_of(number, (start + 1,))[start], tape)
        if hasattr(one, "new_tensor"):
            return one.new_tensor(taken).reshape(one.shape)
        return taken[0] if isinstance(one, (str, bytes)) else one

    return build(found)


def _stretch_noise(drawn: tuple[Any, ...], said: Said, stretch: int) -> tuple[Any, ...]:
    if stretch == 1 or not said.symmetric:
        return drawn
    values = numbers_of(0 if said.value is None else said.value)
    spread = values if len(values) == len(drawn) else (values * len(drawn))[: len(drawn)]
    return tuple(value + (one - value) * stretch for one, value in zip(drawn, spread))


def numbers_of(value: Any) -> tuple[Any, ...]:
    """The numbers of a value, flat."""
    return tuple(np.asarray(strip(value)).ravel().tolist())


def plain_of(value: Any) -> Any:
    """A parameter as a number, a text or a tuple of numbers."""
    value = strip(value)
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        return str(type(value).__name__)
    return array.item() if array.ndim == 0 else tuple(array.ravel().tolist())


def _number(value: Any) -> Any:
    if value is None:
        return None
    found = plain_of(value)
    known = isinstance(found, (int, float)) and not isinstance(found, bool)
    return found if known and math.isfinite(found) else None


def arguments_of(signature: Any, args: Any, options: Any) -> dict[str, Any]:
    """All arguments of a call by name; those that can't be bound make the plain call raise."""
    try:
        bound = signature.bind(*args, **options)
    except (TypeError, AttributeError):
        return {}
    bound.apply_defaults()
    found = dict(bound.arguments)
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            found.update(found.pop(name, {}))
    return found


def _signature(plain: Any) -> Any:
    try:
        return inspect.signature(plain)
    except (TypeError, ValueError):
        return None


def record(plain: Any, primitive: Primitive) -> Any:
    """A callable in the place of a primitive."""
    signature = _signature(plain)

    @functools.wraps(plain)
    def answer(*args: Any, **options: Any) -> Any:
        def read() -> Said:
            given = arguments_of(signature, args, options)
            if signature is None:
                given = {**dict(zip(primitive.names, args)), **options}
            return _read(primitive.read, given)

        def call() -> Any:
            return plain(*strip(args), **{name: strip(one) for name, one in options.items()})

        return record_call(primitive.name, call, read, primitive.libraries)

    return answer


def _read(said: Callable[[dict[str, Any]], Said], given: dict[str, Any]) -> Said:
    try:
        return said(given)
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError):
        # Of another version, or called as its author never meant: what it draws is unknown.
        return Said("unknown")


class RecordedGenerator(np.random.Generator):
    """A generator of numpy whose draws go on the tape; over the same bits, the same values."""

    def spawn(self, n_children: int) -> list[np.random.Generator]:
        """Independent generators, recorded too."""
        return [RecordedGenerator(child.bit_generator) for child in super().spawn(n_children)]


def _method(owner: type, name: str, called: str, said: Callable[[dict[str, Any]], Said]) -> Any:
    plain = getattr(owner, name)
    return record(plain, Primitive(f"{called}:{name}", said))


for _name in dir(np.random.Generator):
    if not _name.startswith("_") and _name not in ("spawn", "bit_generator"):
        setattr(
            RecordedGenerator,
            _name,
            _method(np.random.Generator, _name, "numpy.random.Generator", law_of_numpy(_name)),
        )


class RecordedState(np.random.RandomState):
    """An old generator of numpy, recorded."""


for _name in dir(np.random.RandomState):
    if not _name.startswith("_") and _name not in _STATES:
        setattr(
            RecordedState,
            _name,
            _method(np.random.RandomState, _name, "numpy.random.RandomState", law_of_numpy(_name)),
        )


class RecordedRandom(random.Random):
    """A generator of Python, recorded."""


class RecordedSystem(random.SystemRandom):
    """The generator of the system's entropy, recorded."""


for _name in dir(random.Random):
    if not _name.startswith("_") and _name not in _STATES:
        for _kind, _plain in (
            (RecordedRandom, random.Random),
            (RecordedSystem, random.SystemRandom),
        ):
            setattr(_kind, _name, _method(_plain, _name, "random", law_of_python(_name)))


def _replacements(primitives: Sequence[Primitive]) -> Iterator[tuple[Any, Any]]:
    """Plain callables of modules, each with what is put in its place."""
    for name in dir(np.random):
        method = getattr(np.random, name)
        owner = getattr(method, "__self__", None)
        if isinstance(owner, np.random.RandomState) and name not in _STATES:
            yield method, record(method, Primitive(f"numpy.random:{name}", law_of_numpy(name)))
    for name in dir(random):
        method = getattr(random, name)
        owner = getattr(method, "__self__", None)
        if isinstance(owner, random.Random) and name not in _STATES:
            yield method, record(method, Primitive(f"random:{name}", law_of_python(name)))
    yield os.urandom, record(os.urandom, Primitive("os:urandom", lambda given: Said("unknown")))
    yield np.random.default_rng, _default_rng(np.random.default_rng)
    for plain, kind in (
        (np.random.RandomState, RecordedState),
        (random.Random, RecordedRandom),
        (random.SystemRandom, RecordedSystem),
    ):
        yield plain, _maker(plain, kind)
    for name in FORMULAS:
        yield getattr(math, name), follow(name)
    for primitive in primitives:
        module, _, path = primitive.where.partition(":")
        if "." not in path and module in sys.modules and hasattr(sys.modules[module], path):
            plain = getattr(sys.modules[module], path)
            yield plain, record(plain, primitive)


def _default_rng(plain: Any) -> Any:
    @functools.wraps(plain)
    def default_rng(seed: Any = None) -> Any:
        if isinstance(seed, np.random.Generator) or CURRENT.tape is None:
            return plain(seed)
        with CURRENT.tape if CURRENT.tape.open else Tape():
            made = RecordedGenerator(plain(seed).bit_generator)
        place = place_of(sys._getframe(1), SEEDED)
        CURRENT.tape.seed("numpy.random.default_rng", _spell_seed(seed), place)
        return made

    return default_rng


def _spell_seed(seed: Any) -> str | None:
    """A seed as text; of one that was drawn, as of none."""
    drawn = bool(np.any(codes_in(seed) != PLAIN)) if isinstance(seed, (int, np.ndarray)) else False
    return None if seed is None or drawn else repr(strip(seed))[:80]


def _maker(plain: Any, recorded: Any) -> Any:
    """A class as those who ask `isinstance` know it, which makes recorded generators."""

    class Maker(type):
        def __instancecheck__(cls, instance: object) -> bool:
            return isinstance(instance, plain)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, plain)

        def __call__(cls, *args: Any, **options: Any) -> Any:
            if cls is not maker or CURRENT.tape is None:
                return type.__call__(plain if cls is maker else cls, *args, **options)
            name = f"{plain.__module__.split('.')[0]}.{plain.__name__}"
            seed = args[0] if args else next(iter(options.values()), None)
            CURRENT.tape.seed(name, _spell_seed(seed), place_of(sys._getframe(1), SEEDED))
            return recorded(*args, **options)

    maker = Maker(plain.__name__, (plain,), {"__module__": plain.__module__})
    return maker


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

        return record_call(primitive.name, call, lambda: _read(primitive.read, given), ("scipy",))

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
