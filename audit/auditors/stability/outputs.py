"""What a transformation gives, told between processes as text that is exact."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from audit.subjects.importing import import_attribute
from audit.subjects.isolated import IsolatedBox
from audit.subjects.mapped import is_measurement, is_transformation, unwrap
from audit.subjects.pair import Pair
from synthesizers.errors import InputError, ProtocolError


class NoOutput(Exception):
    """Why an input has no output."""


class _NoPlainData(Exception):
    """The type of what can't be told between processes."""


MOST_BITS = 10_000
"""Of whole numbers that are told (Python reads no more than 4,300 digits)."""


class Asked:
    """A measurement or a transformation, named as ``module:attribute``, in a process of its own."""

    def __init__(self, subject: str, seconds: float, megabytes: int | None) -> None:
        self.name = subject
        name = f"{InChild.__module__}:{InChild.__name__}"
        self._box = IsolatedBox(
            subject, name, "function", {"name": repr(subject)}, ".", seconds, megabytes
        )
        self._box.check()

    def _answer(self, question: str, value: Any) -> str:
        found = self._box.draw(Pair([question, value], None), np.zeros(1, np.bool_), 0)
        if found.shapes[0].kind != "text":
            raise NoOutput(f"ended ({found.shapes[0].detail})")
        return str(found.blocks[0][0])

    def ask(self, question: str, value: Any = None) -> Any:
        """``about``, the ``map`` of a distance, or the ``outputs`` of a list of inputs.

        Raises NoOutput, with the name of what was raised; InputError for what is no plain data.
        """
        text = self._answer(question, value)
        try:
            plain = json.loads(text)
            if isinstance(plain, dict) and "raised" in plain:
                raise NoOutput(f"raised {plain['raised']}")
            if isinstance(plain, dict) and "untold" in plain:
                raise InputError(
                    f"{self.name} gives what is not known here: expected numbers, texts, truth "
                    f"values, and lists and mappings of these; found {plain['untold']}"
                )
            return _read(plain)
        except (NoOutput, InputError):
            raise
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ProtocolError(f"{self.name} sent what is no output") from None

    def outputs(self, values: Sequence[Any]) -> list[Any]:
        """The outputs of so many inputs, in order; of one without any, why as a NoOutput.

        Raises ProtocolError where the process ends: a crash or a hang is no output that differs.
        """
        try:
            told = self.ask("outputs", list(values))
        except NoOutput as error:
            raise ProtocolError(
                f"{self.name} gave no outputs of {len(values)} inputs: its process {error}; where "
                "it is slow, give more --seconds"
            ) from None
        if not isinstance(told, list) or len(told) != len(values):
            raise ProtocolError(f"{self.name} sent another number of outputs")
        return [NoOutput(f"raised {why}") if why else output for why, output in told]


class AskedHere(Asked):
    """One of the caller's own objects, in this process."""

    def __init__(self, subject: Any) -> None:
        self.name = getattr(subject, "__name__", type(subject).__name__)
        self._answering = Answering(subject, self.name)

    def _answer(self, question: str, value: Any) -> str:
        # A transformation may change what it is handed.
        return self._answering([question, copy.deepcopy(value)], None)


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


class InChild(Answering):
    """What runs in the process of a named one."""

    def __init__(self, name: str) -> None:
        super().__init__(import_attribute(name), name)


def _write(value: Any) -> Any:
    """JSON, in which a float is hexadecimal, and a mapping a list of its items."""
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, dict):
        return {"items": [[_write(key), _write(one)] for key, one in value.items()]}
    if isinstance(value, list | tuple):
        return list(map(_write, value))
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        raise _NoPlainData(f"a whole number of more than {MOST_BITS} bits")
    if value is None or isinstance(value, str | bool | int):
        return value
    if hasattr(value, "tolist"):
        return _write(value.tolist())
    raise _NoPlainData(type(value).__name__)


def _read(plain: Any) -> Any:
    if isinstance(plain, dict):
        if "float" in plain:
            return float.fromhex(plain["float"])
        return {_key(_read(key)): _read(one) for key, one in plain["items"]}
    return list(map(_read, plain)) if isinstance(plain, list) else plain


def _key(key: Any) -> Any:
    """A key that equals itself: of lists a tuple, of NaN its text."""
    if isinstance(key, list):
        return tuple(key)
    return "nan" if isinstance(key, float) and math.isnan(key) else key
