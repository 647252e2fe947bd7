"""Measurements and transformations of OpenDP, and whatever has their attributes, as functions.

Known by ``input_domain``, ``input_metric`` and ``map(distance)``: a *measurement* has an
``output_measure`` besides, a *transformation* an ``output_metric``. Nothing of OpenDP is imported
here, and domains and metrics are read as they print themselves: this runs in the subject's process,
with the standard library alone.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from audit.subjects.models import is_model, release_of
from synthesizers.errors import InputError


def is_measurement(found: Any) -> bool:
    """Whether it says what it releases costs."""
    return _is_mapped(found) and hasattr(found, "output_measure")


def is_transformation(found: Any) -> bool:
    """Whether it says how far its outputs lie apart."""
    return _is_mapped(found) and hasattr(found, "output_metric")


def _is_mapped(found: Any) -> bool:
    if isinstance(found, type) or not callable(found):
        return False
    named = all(hasattr(found, name) for name in ("input_domain", "input_metric"))
    return named and callable(getattr(found, "map", None))


def unwrap(found: Any) -> Any:
    """What a function without parameters makes, if that is mapped; all else as it is."""
    if _is_mapped(found) or isinstance(found, type) or not callable(found):
        return found
    try:
        empty = not inspect.signature(found).parameters
    except (TypeError, ValueError):
        return found
    if not empty:
        return found
    try:
        made = found()
    except Exception as error:
        raise InputError(
            f"a function without parameters makes a measurement; this one raised "
            f"{type(error).__name__}: {error}"
        ) from None
    return made if _is_mapped(made) else found


def as_run(found: Any) -> Any:
    """The function (database, rng) -> release of a measurement or a model; all else as it is."""
    if is_model(found):
        return release_of(found)
    made = unwrap(found)
    if is_transformation(made) and not is_measurement(made):
        raise InputError(
            "a transformation releases nothing; dp-audit stability compares its map with its "
            "outputs, and chained with a measurement it can be certified"
        )
    return _release_of(made) if is_measurement(made) else found


def _release_of(measurement: Any) -> Callable[[Any, Any], Any]:
    atom = atom_of(str(measurement.input_domain))

    def release(database: Any, rng: Any) -> Any:
        # A measurement draws from a generator of its own.
        return measurement(read_input(database, atom))

    return release


def atom_of(domain: str) -> str:
    """The type of the values in a domain as it prints itself: ``f64``, ``i32``, ``String``."""
    return domain.rpartition("T=")[2].partition(")")[0].partition(",")[0].strip()


def read_input(database: Any, atom: str) -> Any:
    """A database as a measurement takes it: the values of its only attribute, of the domain's type.

    A list of records is the list of their values; whatever else was given stays.
    """
    if isinstance(database, list):
        return [_value(record, atom) for record in database]
    return _value(database, atom)


def _value(record: Any, atom: str) -> Any:
    if isinstance(record, Mapping):
        if len(record) != 1:
            raise InputError("a measurement over values needs records of one attribute")
        (record,) = record.values()
    if record is None or isinstance(record, bool):
        return record
    if atom.startswith("f"):
        return float(record)
    if atom[:1] in ("i", "u"):
        return int(record)
    return record
