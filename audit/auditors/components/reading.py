"""The answer of a subject's process, read strictly: it is a stranger's."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from audit.auditors.components.recording.steps import Call, Operation, Recording, Seeding
from audit.statements import strict_json
from synthesizers.errors import ProtocolError

LONGEST = 500
"""The most characters of a name, a place or a text of an output."""

_PLACE = re.compile(r"[^\x00-\x1f]{1,300}")


def read_recordings(text: str, runs: int) -> tuple[Recording, ...]:
    """The recordings of so many runs; raises ProtocolError for anything else.

    Guarantee
    ---------
    Whatever the text, what is read is recordings of plain numbers and short printable texts, each
    entry of which names an earlier step's answer. Backed by
    ``tests/audit/auditors/components/test_strange_answers.py``.
    """
    try:
        document = strict_json.loads(text)
        match document:
            case {"refused": str(why), **rest} if not rest:
                refused = "".join(c if c.isprintable() else "?" for c in why[:LONGEST])
                raise ProtocolError(refused)
            case {"runs": list(told), **rest} if not rest and len(told) == runs:
                return tuple(map(_recording, told))
        raise ValueError("no recordings")
    except (ValueError, TypeError, KeyError, RecursionError, OverflowError):
        raise ProtocolError("the recorded process sent something else than recordings") from None


def _recording(told: Any) -> Recording:
    if set(told) != {"steps", "output", "released", "error", "parted", "lines", "returned"}:
        raise ValueError("no recording")
    sizes: list[int] = []
    steps = []
    for step in _list(told["steps"]):
        steps.append(_step(step, sizes))
        sizes.append(len(steps[-1].answer))
    output = tuple(_leaf(one) for one in _list(told["output"]))
    whole = bool(sizes)
    released = tuple(
        None if one is None else _entry(one, sizes if whole else None)
        for one in _list(told["released"])
    )
    if len(released) != len(output):
        raise ValueError("another number of leaves")
    parted = told["parted"]
    if parted is not None:
        number, there, here = parted
        parted = (_whole(number), _text(there), _text(here))
    lines = tuple(_text(line) for line in _list(told["lines"]))
    error = None if told["error"] is None else _text(told["error"])
    return Recording(tuple(steps), output, released, error, parted, lines, _text(told["returned"]))


def _step(told: Mapping[str, Any], sizes: Sequence[int]) -> Call | Operation | Seeding:
    place = _text(told["place"])
    if "maker" in told:
        seed = None if told["seed"] is None else _text(told["seed"])
        return Seeding(_text(told["maker"]), seed, place)
    answer = tuple(_leaf(one) for one in _list(told["answer"]))
    if "operands" in told:
        operands = tuple(
            tuple(_entry(one, sizes) if isinstance(one, list) else _number(one) for one in operand)
            for operand in map(_list, told["operands"])
        )
        return Operation(_text(told["name"]), operands, answer, place)
    value = told["value"]
    return Call(
        _text(told["primitive"]),
        _text(told["law"]),
        {_text(name): _parameter(one) for name, one in told["parameters"].items()},
        None if value is None else tuple(_number(_leaf(one)) for one in _list(value)),
        answer,
        place,
        _optional(told["sensitivity"]),
        _text(told["norm"]),
        _optional(told["epsilon"]),
        _optional(told["delta"]),
    )


def _list(found: Any) -> list[Any]:
    if not isinstance(found, list):
        raise ValueError("no list")
    return found


def _whole(found: Any) -> int:
    if type(found) is not int or found < 0:
        raise ValueError("no whole number")
    return found


def _text(found: Any) -> str:
    if not isinstance(found, str) or len(found) > LONGEST or not found.isprintable():
        raise ValueError("a text is short, and printable")
    return found


def _entry(found: Any, sizes: Sequence[int] | None) -> tuple[int, int]:
    step, place = found
    known = sizes is None or (_whole(step) < len(sizes) and _whole(place) < sizes[step])
    if not known:
        raise ValueError("no earlier entry")
    return _whole(step), _whole(place)


def _leaf(found: Any) -> Any:
    """A number, or a text: that of a float is hexadecimal, others follow a colon."""
    if found is None or isinstance(found, bool | int):
        return found
    if not isinstance(found, str):
        raise ValueError("no leaf")
    return (
        "".join(c if c.isprintable() else "?" for c in found[1 : LONGEST + 1])
        if (found.startswith(":"))
        else float.fromhex(found)
    )


def _number(found: Any) -> Any:
    found = _leaf(found) if isinstance(found, str) else found
    if not isinstance(found, bool | int | float):
        raise ValueError("no number")
    return found


def _optional(found: Any) -> Any:
    return None if found is None else _number(found)


def _parameter(found: Any) -> Any:
    return tuple(map(_leaf, found)) if isinstance(found, list) else _leaf(found)
