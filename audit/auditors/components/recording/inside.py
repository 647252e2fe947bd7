"""What runs in the subject's process: it makes the runs that it is asked for, and tells of each.

Jobs and answers are plain data: what JSON can say, floats as hexadecimal texts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from audit.auditors.components.recording.hearing import listen_to
from audit.auditors.components.recording.held import replace_held
from audit.auditors.components.recording.libraries import PRIMITIVES, watch_imports
from audit.auditors.components.recording.named import parse_named
from audit.auditors.components.recording.places import home_of
from audit.auditors.components.recording.running import Listened, run
from audit.auditors.components.recording.steps import Call, Operation, Recording, Seeding
from audit.auditors.components.recording.tape import Tape, TooLong
from audit.subjects.importing import import_attribute
from audit.subjects.loading import prepare
from audit.subjects.specs import Spec
from synthesizers.errors import InputError


class Inside:
    """A function of a job, which answers in text.

    A job: ``spec``, the subject, as the fields of `Spec`; ``record``, what `parse_named` reads;
    ``databases``; and ``runs``, each with its ``database`` (a place in the list), ``seed``,
    ``stretch``, ``follows`` (the place of an earlier run, or None), ``changes`` (an answer by the
    number of its step), and ``taken``: "all", or "output" of a run whose steps nobody asks for,
    or "plain" where nothing of ours is to look on. ``from`` says after which run the answer begins.
    """

    def __call__(self, database: Any, rng: Any) -> str:
        """The recordings of a job's runs, or why there are none."""
        job: Mapping[str, Any] = database
        try:
            return answer(find(job["spec"]), job)
        except InputError as error:
            return json.dumps({"refused": str(error)})


def find(spec: Mapping[str, Any]) -> Listened:
    """The subject of a spec; raises InputError."""
    columns = spec["columns"]
    asked = Spec(**{**spec, "columns": None if columns is None else tuple(columns)})
    watch_imports()
    function = prepare(asked)
    home = home_of(import_attribute(asked.subject))
    if asked.form == "batch":
        return Listened(lambda database, rng: function(database, rng, 1)[0], home)
    return Listened(function, home)


def answer(subject: Listened, job: Mapping[str, Any]) -> str:
    """The recordings of a job's runs as text."""
    primitives = [*PRIMITIVES, *(parse_named(text).primitive for text in job["record"])]
    databases = job["databases"]
    # What it imports as it runs has to be there before it is listened to.
    run(subject, databases[0], 0, None)
    with listen_to(primitives), replace_held():
        try:
            made = _make(subject, databases, job["runs"])
        except TooLong:
            return json.dumps({"refused": "a run calls and handles noise too often to be recorded"})
    return json.dumps({"runs": made})


def _make(
    subject: Listened, databases: Sequence[Any], asked: Sequence[Mapping[str, Any]]
) -> list[Any]:
    kept: dict[int, Recording] = {}
    made: list[Any] = []
    followed = {one["follows"] for one in asked}
    for place, one in enumerate(asked):
        tape = None
        if one["taken"] != "plain":
            follows = None if one["follows"] is None else kept[one["follows"]]
            changes = {int(step): tuple(new) for step, new in one["changes"].items()}
            tape = Tape(follows, changes, one["stretch"])
        found = run(subject, databases[one["database"]], one["seed"], tape)
        if place in followed:
            kept[place] = found
        made.append(encode(found, one["taken"] == "all"))
    return made


def encode(found: Recording, whole: bool) -> dict[str, Any]:
    """A recording as plain data; without its steps and lines unless it is told ``whole``."""
    return {
        "steps": [_step(step) for step in found.steps] if whole else [],
        "output": [_leaf(one) for one in found.output],
        "released": [None if one is None else list(one) for one in found.released],
        "error": found.error,
        "parted": None if found.parted is None else list(found.parted),
        "lines": list(found.lines) if whole else [],
        "returned": found.returned,
    }


def _leaf(value: Any) -> Any:
    """A number, or a text after a mark that no number has."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, bytes):
        return f":{len(value)} bytes"
    return f":{value}" if isinstance(value, str) else value


def _operand(values: Sequence[Any]) -> list[Any]:
    return [list(one) if isinstance(one, tuple) else _leaf(one) for one in values]


def _step(step: Call | Operation | Seeding) -> dict[str, Any]:
    if isinstance(step, Seeding):
        return {"maker": step.maker, "seed": step.seed, "place": step.place}
    told: dict[str, Any] = {"answer": [_leaf(one) for one in step.answer], "place": step.place}
    if isinstance(step, Operation):
        operands = [_operand(one) for one in step.operands]
        return {"name": step.name, "operands": operands, **told}
    return {
        "primitive": step.primitive,
        "law": step.law,
        "parameters": {name: _parameter(one) for name, one in step.parameters.items()},
        "value": None if step.value is None else _operand(step.value),
        "sensitivity": _leaf(step.sensitivity),
        "norm": step.norm,
        "epsilon": _leaf(step.epsilon),
        "delta": _leaf(step.delta),
        **told,
    }


def _parameter(value: Any) -> Any:
    return [_leaf(one) for one in value] if isinstance(value, tuple) else _leaf(value)
