"""Measurements of OpenDP: what their constructors said of their noise, and what they are given.

A measurement is opaque once it is made. So its constructor is watched from the moment the subject
imports OpenDP: `LAWS` keeps, for each measurement that adds noise, its law, and for one that is
chained to a transformation the transformation, which says what the noise is added to. Of all others
only their map is known: a bound on what they spend between two inputs.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

from audit.auditors.components.recording.primitives import (
    STATED,
    Arguments,
    Primitive,
    Said,
    read_stated,
)

LIBRARIES = ("opendp",)

_NOTE = "_dp_audit_law"
"""The attribute of a measurement that holds what its constructor said."""


class Noise:
    """``law`` with its ``scale``, added to what ``before`` makes of the input."""

    def __init__(self, law: str, scale: float, before: tuple[Any, ...] = ()) -> None:
        self.law, self.scale, self.before = law, scale, before

    def value(self, given: Any) -> Any:
        """What the noise is added to."""
        for transformation in self.before:
            given = transformation(given)
        return given


def _adds(law: str, whole: str) -> Callable[[Any, Arguments], Noise | None]:
    """A constructor of additive noise: on whole numbers of the law ``whole``."""

    def note(made: Any, given: Arguments) -> Noise | None:
        domain = str(given.get("input_domain", ""))
        kind = domain.rpartition("T=")[2][:1]
        if given.get("bounds") is not None or given.get("k") is not None:
            return None
        name = whole if kind in ("i", "u") else law if kind == "f" else None
        return None if name is None else Noise(name, float(given["scale"]))

    return note


def _find_chain(made: Any, given: Arguments) -> Noise | None:
    inner = getattr(given["measurement1"], _NOTE, None)
    if inner is None:
        return None
    return Noise(inner.law, inner.scale, (given["transformation0"], *inner.before))


_CONSTRUCTORS: dict[str, dict[str, Callable[[Any, Arguments], Noise | None]]] = {
    "opendp.measurements": {
        "make_laplace": _adds("laplace", "discrete laplace"),
        "make_geometric": _adds("laplace", "discrete laplace"),
        "make_gaussian": _adds("normal", "discrete gaussian"),
    },
    "opendp.combinators": {"make_chain_mt": _find_chain},
}
"""By module; what else makes measurements leaves them unknown."""


def watch(module: Any) -> None:
    """Put constructors in the place of those of a module that was just imported."""
    for name, note in _CONSTRUCTORS.get(module.__name__, {}).items():
        if hasattr(module, name):
            setattr(module, name, _noting(getattr(module, name), note))


def _noting(plain: Any, note: Callable[[Any, Arguments], Noise | None]) -> Any:
    signature = inspect.signature(plain)

    @functools.wraps(plain)
    def make(*args: Any, **options: Any) -> Any:
        made = plain(*args, **options)
        bound = signature.bind(*args, **options)
        bound.apply_defaults()
        try:
            setattr(made, _NOTE, note(made, bound.arguments))
        except (AttributeError, KeyError, TypeError, ValueError):
            # Of another version: the measurement stays one of unknown law.
            return made
        return made

    return make


class ImportWatch:
    """Watches for the modules of `_CONSTRUCTORS`; the import itself is Python's own."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """The module's own spec, whose loader calls `watch` when it is done."""
        if name not in _CONSTRUCTORS:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None and spec.loader is not None:
                setattr(spec.loader, "exec_module", _watch_loading(spec.loader))  # noqa: B010 - a loader of any kind
                return spec
        return None


def _watch_loading(loader: Any) -> Callable[[Any], None]:
    plain = loader.exec_module

    def execute(module: Any) -> None:
        plain(module)
        watch(module)

    return execute


def watch_imports() -> None:
    """Watch from now on; nothing of OpenDP is imported by this."""
    if not any(isinstance(finder, ImportWatch) for finder in sys.meta_path):
        sys.meta_path.insert(0, ImportWatch())


DISTANCES = range(1, 9)
"""Of inputs, at which a map is asked."""

_bounds: dict[int, tuple[Any, list[tuple[float, float, float]]]] = {}
"""By the identity of a measurement, it and what its map gives."""


def _list_bounds(measurement: Any) -> list[tuple[float, float, float]]:
    """Distances of inputs with their ε and δ by the measurement's own map, as far as it has any."""
    known = _bounds.get(id(measurement))
    if known is None:
        measure = str(getattr(measurement, "output_measure", "")).replace(" ", "")
        found = [_ask_map(measurement, measure, apart) for apart in DISTANCES]
        known = measurement, [one for one in found if one is not None]
        _bounds[id(measurement)] = known
    return known[1]


def _ask_map(measurement: Any, measure: str, apart: int) -> tuple[float, float, float] | None:
    for distance in (apart, float(apart)):
        try:
            spent = measurement.map(distance)
            if measure == "MaxDivergence":
                return apart, float(spent), 0.0
            if measure == "Approximate(MaxDivergence)":
                return apart, float(spent[0]), float(spent[1])
            return None
        except Exception:
            # Of another type, or farther than the metric goes.
            continue
    return None


def _list_rows(value: Any) -> list[Any]:
    """A value, or the rows of a list: numbers as they are, else one that tells it from others."""
    return [_number_of(one) for one in (value if isinstance(value, (list, tuple)) else [value])]


def _number_of(row: Any) -> Any:
    if isinstance(row, (bool, int, float)):
        return row
    return int.from_bytes(hashlib.sha256(repr(row).encode()).digest()[:6], "big")


def _read_call(given: Arguments) -> Said:
    measurement, value = given["this"], given["arg"]
    noise = getattr(measurement, _NOTE, None)
    if noise is None:
        bounds = _list_bounds(measurement)
        if not bounds:
            return Said("unknown", {}, value)
        return Said(STATED, read_stated(str(measurement.input_metric), bounds), _list_rows(value))
    return Said(noise.law, {"scale": noise.scale}, noise.value(value), True)


PRIMITIVES = (Primitive("opendp.core:measurement_invoke", _read_call, LIBRARIES),)
"""What every call of a measurement comes to."""
