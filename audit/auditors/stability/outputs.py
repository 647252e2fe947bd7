"""What a transformation gives, told between processes as text that is exact."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from audit.auditors.stability.inside import Answering, Inside
from audit.subjects.interpreters import Interpreter
from audit.subjects.isolated import IsolatedBox
from audit.subjects.pair import Pair
from synthesizers.errors import InputError, ProtocolError


class NoOutput(Exception):
    """Why an input has no output."""


class Asked:
    """A measurement or a transformation, named as ``module:attribute``, in a process of its own."""

    def __init__(
        self,
        subject: str,
        seconds: float,
        megabytes: int | None,
        python: Interpreter | None = None,
    ) -> None:
        self.name = subject
        name = f"{Inside.__module__}:{Inside.__name__}"
        self._box = IsolatedBox(
            subject, name, "function", {}, ".", seconds, megabytes, python=python
        )
        self._box.check()

    def _answer(self, question: str, value: Any) -> str:
        job = [self.name, question, value]
        found = self._box.draw(Pair(job, None), np.zeros(1, np.bool_), 0)
        if found.shapes[0].kind != "text":
            raise NoOutput(f"ended ({found.shapes[0].detail})")
        return str(found.blocks[0][0])

    def ask(self, question: str, value: Any = None) -> Any:
        """``about``, the ``map`` of a distance, or the ``outputs`` of a list of inputs.

        Raises NoOutput, with the name of what was raised; InputError for what has no map, or is no
        plain data.
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
            if isinstance(plain, dict) and "refused" in plain:
                raise InputError("".join(c for c in str(plain["refused"])[:500] if c.isprintable()))
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
