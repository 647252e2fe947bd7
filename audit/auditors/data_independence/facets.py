"""Facets: what can be seen of a run, as names with sets of tokens that can be compared.

A token is plain, and two runs show the same of a facet where they have the same tokens. Texts are
taken word by word and outputs entry by entry, so that a noisy number does not hide a true one
beside it.
"""

from __future__ import annotations

import hashlib
import math
import pickle
import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from audit.auditors.data_independence.recorded_draws import Draw, Seeding
from audit.auditors.data_independence.surroundings import Reached, Said, read_written
from audit.subjects.outcomes import Raised

MOST_ENTRIES = 64
"""Entries of an output, values of a column and words of a text that are looked at one by one."""

MOST_SHOWN = 80
"""Characters of a list or an array that is shown as it is; of a longer one, a digest."""

MOST_BITS = 10_000
"""Bits of a whole number that is told in decimal (Python refuses more
than 4300 digits)."""

MOST_DEPTH = 4
"""How deep outputs are nested that are taken apart."""


class Facet(Enum):
    """What can be seen of a run."""

    OUTCOME = "kind of outcome"
    SCHEMA = "schema"
    ROWS = "number of rows"
    VALUES = "values of the output"
    LOGS = "logs and streams"
    FILES = "files"
    EXCEPTIONS = "exceptions"
    ATTRIBUTES = "fitted attributes"
    SEEDS = "seeds"
    SCALES = "scales of noise"
    DRAWS = "number of random draws"
    ITERATIONS = "number of iterations"


RELEASED = frozenset(Facet) - {Facet.DRAWS, Facet.ITERATIONS}
"""What honest mechanisms keep the data out of: what leaves the run, and how its noise is made.

How often a line runs and how many numbers are drawn depends on the data in honest mechanisms too,
such as those that count records in a loop or add noise to the cells that occur alone. Who
publishes running times asks for these as well.
"""


class Digested(NamedTuple):
    """What is too much to be a token itself: its type and size in words, and its digest."""

    kind: str
    size: str
    digest: str


_OF_PARTS = (pd.DataFrame, pd.Series, np.ndarray, Mapping, list, tuple)
"""Attributes that are looked at part by part."""

Name = tuple[Facet, str]
Tokens = frozenset[Hashable]
Facets = dict[Name, Tokens]

PRESENT: Tokens = frozenset((True,))
ABSENT: Tokens = frozenset((False,))
"""The tokens of a value that is somewhere in an output, or isn't."""


@dataclass(frozen=True, eq=False)
class Observed:
    """A run: its outcome, what it said and drew in order, and lines by how often they ran.

    ``hidden``: a global generator was drawn from, nobody saw when.
    """

    output: Any
    error: BaseException | None
    fitted: Any
    events: tuple[Draw | Seeding | Said | Reached, ...]
    lines: Mapping[str, int]
    hidden: bool = False


def facets(run: Observed) -> Facets:
    """All facets of a run."""
    found: Facets = {}
    for name, tokens in _all(run):
        found[name] = found.get(name, frozenset()) | tokens
    return found


def before_draws(run: Observed) -> Facets:
    """Those that were settled before anything random: what was said, read, seeded and scaled.

    Empty where nothing random was seen, since then it is not known what came before it.
    """
    events = list(run.events)
    first = next((i for i, e in enumerate(events) if isinstance(e, Draw | Seeding)), None)
    if first is None or run.hidden:
        return {}
    found: Facets = {}
    for name, tokens in _of_events(events[: first + 1], False):
        found[name] = found.get(name, frozenset()) | tokens
    return {name: tokens for name, tokens in found.items() if name[0] is not Facet.DRAWS}


def _all(run: Observed) -> Iterator[tuple[Name, Tokens]]:
    yield from _of_events(list(run.events), True)
    if run.error is not None:
        kind = type(run.error).__name__
        yield (Facet.OUTCOME, "kind"), _one(("raised", kind))
        yield (Facet.EXCEPTIONS, "type"), _one(kind)
        yield from _of_text(Facet.EXCEPTIONS, "message", str(run.error))
    else:
        yield (Facet.EXCEPTIONS, "type"), _one(None)
        yield from _of_output(run.output, "output", 0)
    if run.fitted is not None:
        yield from _facets_of_fit(run.fitted)
    for place, times in run.lines.items():
        yield (Facet.ITERATIONS, f"runs of {place}"), _one(times)


def _of_events(
    events: list[Draw | Seeding | Said | Reached], whole: bool
) -> Iterator[tuple[Name, Tokens]]:
    texts: dict[str, list[str]] = {"stdout": [], "stderr": [], "log": [], "warning": []}
    counts: dict[str, int] = {}
    files: list[Reached] = []
    seeds = 0
    for event in events:
        match event:
            case Said(stream, text):
                texts[stream].append(text if stream in ("stdout", "stderr") else text + "\n")
            case Reached():
                files.append(event)
            case Seeding(maker, seed, place):
                seeds += 1
                if seed is not None:
                    yield (Facet.SEEDS, f"seed {seeds}, of {maker} at {place}"), _one(token(seed))
            case Draw():
                where = f"{event.law} at {event.place}"
                counts[where] = counts.get(where, 0) + 1
                if event.scale is not None and counts[where] <= MOST_ENTRIES:
                    # Draws of one line apart, so that a scale does not hide another one.
                    again = f", draw {counts[where]} there" if counts[where] > 1 else ""
                    yield (Facet.SCALES, f"scale of {where}{again}"), _one(token(event.scale))
    for stream, parts in texts.items():
        yield from _of_text(Facet.LOGS, stream, "".join(parts))
    yield (Facet.FILES, "number of files"), _one(len(files))
    for number, file in enumerate(files[:MOST_ENTRIES], 1):
        yield (Facet.FILES, f"file {number}"), _one((file.kind, file.name))
        if whole and file.kind == "written":
            yield from _of_bytes(f"contents of file {number}", read_written(file))
    if whole:
        for where, times in counts.items():
            yield (Facet.DRAWS, f"draws of {where}"), _one(times)


def _of_text(facet: Facet, name: str, text: str) -> Iterator[tuple[Name, Tokens]]:
    lines = text.splitlines()
    yield (facet, f"lines of {name}"), _one(len(lines))
    for number, line in enumerate(lines[:MOST_ENTRIES], 1):
        # Numbers stand alone, so that a true one is seen beside a noisy one.
        words = re.findall(r"[-+]?\d[\d.]*(?:[eE][-+]?\d+)?|[^\W\d]+|[^\w\s]", line)
        yield (facet, f"words in line {number} of {name}"), _one(len(words))
        for place, word in enumerate(words[:MOST_ENTRIES], 1):
            yield (facet, f"word {place} in line {number} of {name}"), _one(word)


def _of_bytes(name: str, content: bytes) -> Iterator[tuple[Name, Tokens]]:
    yield (Facet.FILES, f"size of the {name}"), _one(len(content))
    try:
        text = content.decode()
    except UnicodeDecodeError:
        yield (Facet.FILES, name), _one(Digested("file", f"{len(content)} bytes", _hash(content)))
        return
    yield from _of_text(Facet.FILES, name, text)


def _of_output(output: Any, name: str, depth: int) -> Iterator[tuple[Name, Tokens]]:
    if isinstance(output, Raised):
        yield (Facet.OUTCOME, name), _one(("raised", output.type_name))
        return
    kind = (Facet.OUTCOME, f"type of {name}")
    yield kind, _one(type(output).__name__)
    match output:
        case pd.DataFrame():
            yield from _of_frame(output, name)
        case pd.Series():
            yield from _of_frame(output.to_frame(), name)
        case np.ndarray():
            yield (Facet.SCHEMA, f"type of the entries of {name}"), _one(str(output.dtype))
            yield (Facet.ROWS, f"shape of {name}"), _one(output.shape)
            for place, value in enumerate(output.ravel()[:MOST_ENTRIES].tolist()):
                yield (Facet.VALUES, f"entry {place} of {name}"), _one(token(value))
        case Mapping() if depth < MOST_DEPTH:
            keys = list(output)
            yield (Facet.ROWS, f"number of keys of {name}"), _one(len(keys))
            yield from _presence(Facet.SCHEMA, f"key of {name}", [token(key) for key in keys])
            for key in keys[:MOST_ENTRIES]:
                yield from _of_output(output[key], f"{name}[{_short(key)}]", depth + 1)
        case list() | tuple() if depth < MOST_DEPTH:
            yield (Facet.ROWS, f"length of {name}"), _one(len(output))
            if output and all(isinstance(item, Mapping) for item in output):
                yield from _of_frame(pd.DataFrame(list(output)), name)
                return
            for place, item in enumerate(output[:MOST_ENTRIES]):
                yield from _of_output(item, f"{name}[{place}]", depth + 1)
        case set() | frozenset():
            yield (Facet.ROWS, f"size of {name}"), _one(len(output))
            yield from _presence(Facet.SCHEMA, f"member of {name}", [token(x) for x in output])
        case str():
            yield from _of_text(Facet.VALUES, name, output)
        case bytes():
            yield (Facet.ROWS, f"size of {name}"), _one(len(output))
            yield (Facet.VALUES, name), _one(token(output))
        case None | bool() | int() | float() | complex() | np.generic():
            yield (Facet.VALUES, name), _one(token(output))
        case _ if depth == 0 and hasattr(output, "__dict__"):
            yield from _facets_of_fit(output)
        case _ if depth < MOST_DEPTH and hasattr(output, "__dict__"):
            yield from _of_output(vars(output), name, depth + 1)
        case _:
            yield (Facet.VALUES, name), _one(_digest(output))


def _of_frame(frame: pd.DataFrame, name: str) -> Iterator[tuple[Name, Tokens]]:
    columns = tuple(str(column) for column in frame.columns)
    yield (Facet.SCHEMA, f"columns of {name}"), _one(("columns", columns))
    yield (Facet.ROWS, f"rows of {name}"), _one(len(frame))
    if frame.attrs:
        yield from _of_output(frame.attrs, f"attrs of {name}", MOST_DEPTH - 1)
    # Rows that are numbered from 0 are named by no data.
    if not frame.index.equals(pd.RangeIndex(len(frame))):
        levels = range(frame.index.nlevels)
        index = {level: frame.index.get_level_values(level) for level in levels}
        yield from _of_columns(pd.DataFrame(index), "index ")
    yield from _of_columns(frame, "")


def _of_columns(frame: pd.DataFrame, kind: str) -> Iterator[tuple[Name, Tokens]]:
    for place, label in enumerate(frame.columns):
        column = f"{kind}{label}"
        series = frame.iloc[:, place]
        yield (Facet.SCHEMA, f"type of {column!r}"), _one(str(series.dtype).partition(",")[0])
        if isinstance(series.dtype, pd.CategoricalDtype):
            listed = [token(value) for value in series.dtype.categories]
            yield from _presence(Facet.SCHEMA, f"category of {column!r}", listed)
        values = _distinct(series)
        if pd.api.types.is_numeric_dtype(series) and len(series):
            ends = (token(series.min()), token(series.max()))
            for end, value in zip(("smallest", "largest"), ends, strict=True):
                yield (Facet.VALUES, f"{end} value of {column!r}"), _one(value)
        if len(values) <= MOST_ENTRIES:
            yield from _presence(Facet.VALUES, f"value of {column!r}", values)


def _distinct(series: pd.Series[Any]) -> list[Hashable]:
    try:
        return list(map(token, pd.unique(series)))
    except TypeError:
        # Lists and the like, which pandas can't tell apart.
        return list(dict.fromkeys(map(token, series)))


def _facets_of_fit(fitted: Any) -> Iterator[tuple[Name, Tokens]]:
    held = {name: value for name, value in vars(fitted).items() if not name.startswith("_")}
    yield from _presence(Facet.ATTRIBUTES, "attribute", [token(name) for name in held])
    for name, value in held.items():
        whole = f"attribute {name!r}"
        # What differs in it comes before that it differs.
        if isinstance(value, _OF_PARTS):
            for (_, part), tokens in _of_output(value, whole, 1):
                own = part if whole in part else f"{part} in {whole}"
                yield (Facet.ATTRIBUTES, own), tokens
        yield (Facet.ATTRIBUTES, whole), _one(_digest(value))
    try:
        size = len(pickle.dumps(fitted, pickle.HIGHEST_PROTOCOL))
    except Exception:
        # What can't be pickled is not published that way.
        return
    yield (Facet.ATTRIBUTES, "pickled size"), _one(size)


def _presence(facet: Facet, name: str, values: list[Hashable]) -> Iterator[tuple[Name, Tokens]]:
    """That some values are there; `tokens_of` knows where they are not."""
    for value in values[:MOST_ENTRIES]:
        yield (facet, f"{name}: {_short(_plain(value))}"), PRESENT


def _one(token: Hashable) -> Tokens:
    return frozenset((token,))


def token(value: Any) -> Hashable:
    """A value as something that can be compared: its type's name, and what it says."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return type(value).__name__, hex(value)
    if isinstance(value, bool | int | str | bytes | None):
        return type(value).__name__, value
    if isinstance(value, float):
        return "float", "nan" if math.isnan(value) else value
    return _digest(value)


def _plain(value: Hashable) -> Any:
    return value[1] if isinstance(value, tuple) and len(value) == 2 else value


def _digest(value: Any) -> Hashable:
    """What tells a value from others of its kind; its type alone where nothing can be said."""
    if isinstance(value, bool | int | float | str | bytes | None | np.generic):
        return token(value)
    if isinstance(value, tuple | list | np.ndarray):
        text = _describe(value)
        if len(text) <= MOST_SHOWN:
            return type(value).__name__, text
    try:
        data = pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except Exception:
        return type(value).__name__
    return Digested(type(value).__name__, _size_in_words(value), _hash(data))


def _size_in_words(value: Any) -> str:
    match value:
        case pd.DataFrame():
            return f"{_count(len(value), 'row')} and {_count(len(value.columns), 'column')}"
        case pd.Series():
            return _count(len(value), "row")
        case np.ndarray():
            return f"shape {'x'.join(map(str, value.shape))}"
        case Mapping() | list() | tuple() | set() | frozenset():
            return _count(len(value), "member")
    return ""


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _hash(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _short(value: Any) -> str:
    text = _describe(value)
    if len(text) <= 40:
        return text
    # Texts that start alike are told apart.
    return f"{text[:31]}…{hashlib.blake2b(text.encode(), digest_size=4).hexdigest()}"


def _describe(value: Any) -> str:
    try:
        return repr(value)
    except Exception:
        # An object's own, or that of a number of too many digits.
        return type(value).__name__
