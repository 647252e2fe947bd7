"""What a stranger may hand over: honest text, bytes and documents, changed in a few places.

`mutations_of` changes plain data by their structure, `changed_text` and `changed_bytes` by their
characters. `taken` hands such a value to a reader, which may refuse it by an error of ours and must
neither end otherwise, nor take longer than `SECONDS` or more than `MEGABYTES`.
"""

from __future__ import annotations

import copy
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from hypothesis import strategies as st

from synthesizers.errors import DPAuditError

SECONDS = 20
"""The most processor time that a reader may take for a small input; most take a millisecond."""

MEGABYTES = 2_000
"""The most that a reader may add to the memory of the process."""

REFUSED = object()
"""What `taken` gives where the reader refuses."""


def deep(levels: int, inside: Any = 1) -> Any:
    """Lists in one another."""
    for _ in range(levels):
        inside = [inside]
    return inside


TEXTS = (
    *("", " ", "0", "-1", "+1", "-0", " 1 ", "1.", ".5", "1e3", "1e-3", "1e999", "1e-999"),
    *("1e99999", "1e9999999999", "9" * 5_000, "0." + "9" * 5_000, "1/" + "9" * 5_000, "1/0"),
    *("0/0", "1/3", "2/6", "-1/3", "1_000", "0x10", "0x" + "f" * 9_000, "１", "１/２", "nan"),
    *("NaN", "inf", "-inf", "Infinity", "None", "true", "x", "epsilon=1", "a,b", "a\nb", "é"),
    *("\x00", "\x1b[31m", "\ud800", "\u202e", "\u2028", "[bold]", "{0}", "%s", "../../passwd"),
)  # fmt: skip
"""Texts at which readers have stumbled, here or elsewhere."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**53, 2**63, -(2**63), 10**30, 10**400, 1 << 20_000),
    *(1.5, -0.0, 1e308, float("inf"), float("nan"), [], {}, [[]], {"": 1}, {"x": None}),
    *(deep(90), deep(300), {"x": deep(50)}, ["x"], [1, "1", None]),
)
"""Plain values of every kind and size."""

values = st.sampled_from((*VALUES, *TEXTS))
marks = "0123456789+-*/.,=()[]{}\"'\\ \t\n\r#_eE:é１\x00\ud800"
pieces = st.one_of(st.sampled_from(TEXTS), st.text(alphabet=marks, max_size=6))


@st.composite
def changed_text(draw: st.DrawFn, honest: Sequence[str]) -> str:
    """One of some texts, with up to four pieces put in, taken out or repeated."""
    text = draw(st.sampled_from(list(honest)))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        stop = min(len(text), start + draw(st.integers(0, 8)))
        inside = draw(st.one_of(pieces, st.just(text[start:stop] * 2)))
        text = text[:start] + inside + text[stop:]
    return text


@st.composite
def changed_bytes(draw: st.DrawFn, honest: Sequence[bytes]) -> bytes:
    """The same of bytes; a cut end as well."""
    content = draw(st.sampled_from(list(honest)))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.integers(0, 8)))
        inside = draw(st.one_of(st.binary(max_size=8), st.just(content[start:stop] * 2)))
        content = content[:start] + inside + content[stop:]
    return (
        content[: draw(st.integers(0, len(content)))] if draw(st.integers(0, 5)) == 0 else content
    )


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in plain data, the whole included."""
    yield path
    if isinstance(value, dict | list):
        for key, member in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(member, (*path, key))


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """The document with another value at a place; it is changed, unless the place is the whole."""
    if not path:
        return value
    inside = document
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return document


def at(document: Any, path: tuple[Any, ...]) -> Any:
    """What stands at a place."""
    for key in path:
        document = document[key]
    return document


def nearby(value: Any) -> st.SearchStrategy[Any]:
    """Values like this one: of its kind and about its size, or turned about."""
    if type(value) is bool:
        return st.just(not value)
    if type(value) is int:
        near = (value + 1, value - 1, -value, 2 * value, hex(value), float(value % 2**53))
        return st.sampled_from(near)
    if type(value) is str:
        return st.one_of(changed_text([value]), st.just(value + value), st.just(value.upper()))
    if type(value) is list:
        named = {str(place): member for place, member in enumerate(value)}
        turned = [value[::-1], value[1:], value[:-1], value + value, [value], named]
        return st.sampled_from(turned)
    if type(value) is dict:
        fewer = [{k: v for k, v in value.items() if k != name} for name in value]
        more = [
            {**value, "spare": 1},
            {**value, "": None},
            [*map(list, value.items())],
            list(value),
        ]
        return st.sampled_from([*fewer, *more])
    return values


@st.composite
def mutations_of(draw: st.DrawFn, honest: Any, most: int = 3) -> Any:
    """A plain document, changed in one to ``most`` places, of any depth.

    There a field goes, comes or is named otherwise; a list is cut, reversed or repeated; a value
    becomes a near one, one of another kind, or another part of the document.
    """
    document = json.loads(json.dumps(honest))
    for _ in range(draw(st.integers(1, most))):
        found = list(places(document))
        path = draw(st.sampled_from(found))
        inside = at(document, path)
        kind = draw(st.integers(0, 3))
        if kind == 0:
            new = draw(values)
        elif kind == 1:
            new = at(document, draw(st.sampled_from(found)))
        else:
            new = draw(nearby(inside))
        document = put(document, path, copy.deepcopy(new))
    return document


def text_of(document: Any) -> str:
    """The document as JSON, its numbers of any length, as a stranger may write them."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return json.dumps(document)
    finally:
        sys.set_int_max_str_digits(limit)


@contextmanager
def bounded() -> Iterator[None]:
    """Within this, more processor time or memory than allowed is an error."""

    def late(number: int, frame: FrameType | None) -> None:
        raise AssertionError(f"it takes more than {SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        with _memory():
            yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@contextmanager
def _memory() -> Iterator[None]:
    status = Path("/proc/self/statm")
    if not status.is_file():
        yield
        return
    import resource

    used = int(status.read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEGABYTES * 2**20, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def taken(reader: Callable[[Any], Any], value: Any) -> Any:
    """What a reader makes of a value, or `REFUSED`; any other exception fails the test."""
    with bounded():
        try:
            return reader(value)
        except DPAuditError as error:
            str(error).encode("utf-8", "surrogatepass")
            return REFUSED
