"""What runs in the process of a measurement or a transformation: it answers questions in text.

With the standard library of Python 3.9 or later alone: it runs in other environments, too.
"""

from __future__ import annotations

import json
from typing import Any

from audit.subjects.importing import import_attribute
from audit.subjects.mapped import is_measurement, is_transformation, unwrap
from synthesizers.errors import InputError

MOST_BITS = 10_000
"""Of whole numbers that are told (Python reads no more than 4,300 digits)."""


class _NoPlainData(Exception):
    """The type of what can't be told between processes."""


class Answering:
    """Answers questions about a transformation or a measurement, as text."""

    def __init__(self, subject: Any, name: str) -> None:
        self._mapped = unwrap(subject)
        if not (is_measurement(self._mapped) or is_transformation(self._mapped)):
            raise InputError(
                f"{name} has no map: expected a measurement or a transformation of OpenDP, an "
                "object with their attributes, or a function without parameters that makes one"
            )

    def __call__(self, database: Any, rng: Any) -> str:
        """The answer to a question, exceptions included."""
        question, value = database
        try:
            if question == "about":
                found: Any = self._about()
            elif question == "map":
                found = self._mapped.map(value)
            else:
                found = list(map(self._output, value))
            return json.dumps(_write(found))
        except _NoPlainData as error:
            return json.dumps({"untold": str(error)})
        except Exception as error:
            return json.dumps({"raised": type(error).__name__})

    def _output(self, value: Any) -> tuple[str, Any]:
        """Why there is none, if so, and the output."""
        try:
            found = self._mapped(value)
        except Exception as error:
            return type(error).__name__, None
        return "", found

    def _about(self) -> dict[str, str]:
        names = ("input_domain", "input_metric", "output_metric", "output_measure")
        return {name: str(getattr(self._mapped, name)) for name in names if self._has(name)}

    def _has(self, name: str) -> bool:
        return hasattr(self._mapped, name)


class Inside:
    """A function of (name, question, value), which imports what is named when it is first asked."""

    def __init__(self) -> None:
        self._known: dict[str, Answering] = {}

    def __call__(self, database: Any, rng: Any) -> str:
        """The answer, or why what is named can't be asked."""
        name, *question = database
        try:
            if name not in self._known:
                self._known[name] = Answering(import_attribute(name), name)
        except InputError as error:
            return json.dumps({"refused": str(error)})
        return self._known[name](question, rng)


def _write(value: Any) -> Any:
    """JSON, in which a float is hexadecimal, and a mapping a list of its items."""
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, dict):
        return {"items": [[_write(key), _write(one)] for key, one in value.items()]}
    if isinstance(value, (list, tuple)):
        return list(map(_write, value))
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise _NoPlainData(f"a whole number of more than {MOST_BITS} bits")
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if hasattr(value, "tolist"):
        return _write(value.tolist())
    raise _NoPlainData(type(value).__name__)
