"""The curator protocol's messages as values: docs/reference/curator-protocol.md describes them.

The parent reads them strictly; the child of ours writes them. Everything is plain data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from synthesizers.curator import Output
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError, ProtocolError
from synthesizers.events import Outcome
from synthesizers.plain_values import LARGEST_NUMBER, decode_whole, encode_whole
from synthesizers.playing import Play, Script

PROTOCOL = "dp-audit/curator"
VERSION = 1

LONGEST_PLACE = 200
"""The most characters of a file's or a step's name beside a question."""

LONGEST_TEXT = 10_000
"""The most characters of one text of an output."""


def encode_answer(outcome: Outcome) -> list[int | str]:
    """The whole numbers of an answer."""
    return [encode_whole(value) for value in outcome]


def decode_answer(plain: object) -> Outcome:
    """The answer that `encode_answer` wrote."""
    if type(plain) is not list:
        raise ProtocolError("an answer is a list of whole numbers")
    return tuple(decode_whole(value) for value in plain)


def encode_place(file: str, line: int) -> dict[str, str | int]:
    """The ``where`` of a question that a line of a file asks."""
    return {"file": file[-LONGEST_PLACE:], "line": line}


def describe_place(plain: object) -> str:
    """The ``where`` of a question in words, such as "paper.tex, line 3, step 2a".

    It is the submission's own word and decides nothing. Raises ProtocolError where the keys or
    their values are not those of the protocol.
    """
    if type(plain) is not dict or plain.keys() - {"file", "line", "step"}:
        raise ProtocolError("the where of a question has a file, a line, a step, and nothing else")
    words = [plain[key] for key in ("file", "step") if key in plain]
    if any(type(word) is not str or len(word) > LONGEST_PLACE for word in words):
        raise ProtocolError(f"a file and a step are texts of at most {LONGEST_PLACE} characters")
    line = plain.get("line", 1)
    if type(line) is not int or not 1 <= line <= LARGEST_NUMBER:
        raise ProtocolError("a line is a whole number from 1 on")
    parts = {"file": "{}", "line": "line {}", "step": "step {}"}
    return ", ".join(form.format(plain[key]) for key, form in parts.items() if key in plain)


def encode_script(script: Script) -> list[Any]:
    """A script: its answers, null where a question was refused."""
    return [None if outcome is None else encode_answer(outcome) for outcome in script]


def encode_scripts(scripts: Sequence[Script]) -> list[Any]:
    """Scripts; those of small numbers alone are written as they are."""
    values = [value for script in scripts for answer in script if answer for value in answer]
    if not values or (min(values) >= -LARGEST_NUMBER and max(values) <= LARGEST_NUMBER):
        return list(scripts)
    return [encode_script(script) for script in scripts]


def decode_script(plain: Sequence[Any]) -> Script:
    """The script that `encode_script` wrote."""
    return tuple(None if answer is None else decode_answer(answer) for answer in plain)


def decode_scripts(plain: Sequence[Any]) -> list[Script]:
    """The scripts that `encode_scripts` wrote."""
    values = [value for script in plain for answer in script if answer for value in answer]
    if set(map(type, values)) <= {int}:
        # The parent writes lists alone: what is not text is a small number.
        return [tuple([None if a is None else tuple(a) for a in script]) for script in plain]
    return [decode_script(script) for script in plain]


def encode_output(output: Output) -> dict[str, Any]:
    """An output: records as codes, anything else as a list of plain values."""
    if isinstance(output, Dataset):
        return {"records": output.codes.tolist()}
    return {"values": [_encode_value(value) for value in output]}


def _encode_value(value: int | str | None) -> Any:
    if type(value) is int and abs(value) > LARGEST_NUMBER:
        return {"whole": encode_whole(value)}
    return value


def decode_output(plain: object, domain: Domain) -> Output:
    """An output in its canonical form, or a Dataset; ProtocolError for anything else.

    Guarantee
    ---------
    What is returned holds Python's own ints, texts and Nones, or codes of ``domain``, and nothing
    that the program made. Backed by ``tests/audit/subjects/test_curator_messages.py``.
    """
    if type(plain) is dict and len(plain) == 1:
        if type(values := plain.get("values")) is list:
            if {type(value) for value in values} <= {int} and (
                not values or max(map(abs, values)) <= LARGEST_NUMBER
            ):
                return tuple(values)
            return tuple(_decode_value(value) for value in values)
        if type(records := plain.get("records")) is list:
            return _decode_records(records, domain)
    raise ProtocolError(
        'the program wrote no output; expected {"values": [whole numbers, texts, null]} or '
        '{"records": [[codes of a record], …]}'
    )


def _decode_value(value: object) -> int | str | None:
    if value is None or (type(value) is str and len(value) <= LONGEST_TEXT):
        return value
    if type(value) is int and abs(value) <= LARGEST_NUMBER:
        return value
    if type(value) is dict and value.keys() == {"whole"} and type(value["whole"]) is str:
        try:
            return decode_whole(value["whole"])
        except InputError:
            pass
    raise ProtocolError(
        'an output holds whole numbers up to 2^53 - 1, larger ones as {"whole": "…"}, null, and '
        f"texts of at most {LONGEST_TEXT} characters"
    )


def _decode_records(records: list[Any], domain: Domain) -> Dataset:
    width = len(domain.shape)
    if not all(
        type(record) is list and len(record) == width and {type(code) for code in record} <= {int}
        for record in records
    ):
        raise ProtocolError(f"a record of an output is a list of {width} codes, one an attribute")
    try:
        codes = np.array(records, np.int64).reshape(len(records), width)
        if not ((codes >= 0) & (codes < np.array(domain.shape))).all():
            raise OverflowError
    except OverflowError:
        raise ProtocolError("a record of an output has a code that the domain lacks") from None
    return Dataset(domain, codes)


def encode_play(play: Play) -> list[Any]:
    """A play; ``["stopped"]`` is never needed, as a seed is a question like any other."""
    if play.next is not None:
        return [play.asked, "asks", play.next]
    if play.output is None:
        return [play.asked, "refused"]
    return [play.asked, "output", encode_output(play.output)]


def decode_play(plain: object, questions: int, domain: Domain) -> Play:
    """The play that `encode_play` wrote; ``questions``: how many the process has sent so far."""
    match plain:
        case [list() as asked, "asks", int() as further] if _numbers([*asked, further], questions):
            return Play(tuple(asked), further, None)
        case [list() as asked, "refused"] if _numbers(asked, questions):
            return Play(tuple(asked), None, None)
        case [list() as asked, "output", output] if _numbers(asked, questions):
            return Play(tuple(asked), None, _decode_canonical(output, domain))
    raise ProtocolError("the program wrote no play; see docs/reference/curator-protocol.md")


def encode_plays(plays: Sequence[Play]) -> dict[str, Any]:
    """Plays, with every output once, and successive ones of the same questions together."""
    outputs: dict[Output, int] = {}
    played: list[list[Any]] = []
    asked: tuple[int, ...] | None = None
    numbers: list[int] = []
    for play in plays:
        if play.output is None:
            played.append(encode_play(play))
            asked = None
            continue
        if play.asked != asked:
            asked, numbers = play.asked, []
            played.append([asked, "outputs", numbers])
        numbers.append(outputs.setdefault(play.output, len(outputs)))
    return {"outputs": [encode_output(output) for output in outputs], "played": played}


def decode_plays(
    outputs: Sequence[Any], played: Sequence[Any], questions: int, domain: Domain
) -> list[Play]:
    """The plays that `encode_plays` wrote; raises ProtocolError, as `decode_play` does.

    Guarantee
    ---------
    As for `decode_output`. Backed by ``tests/audit/subjects/test_curator_messages.py``.
    """
    released = [_decode_canonical(output, domain) for output in outputs]
    plays: list[Play] = []
    for plain in played:
        match plain:
            case [list() as asked, "outputs", list() as numbers] if _numbers(
                asked, questions
            ) and _numbers(numbers, len(released)):
                questioned = tuple(asked)
                plays += [Play(questioned, None, released[number]) for number in numbers]
            case _:
                plays.append(decode_play(plain, questions, domain))
    return plays


def _decode_canonical(plain: object, domain: Domain) -> tuple[Any, ...]:
    """An output in its canonical form."""
    output = decode_output(plain, domain)
    return tuple(output.histogram().tolist()) if isinstance(output, Dataset) else output


def _numbers(numbers: list[Any], count: int) -> bool:
    """Whether all are whole numbers from 0 to below ``count``."""
    if not set(map(type, numbers)) <= {int}:
        return False
    return not numbers or (min(numbers) >= 0 and max(numbers) < count)
