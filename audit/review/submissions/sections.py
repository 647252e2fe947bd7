"""TOML of strangers, read key by key: what is wrong with a file is gathered, and told at once."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

MOST_BYTES = 2**20
"""The largest file that is read: what people write about a submission is a page or two, and a list
of its queries that is made by a program may be longer."""

LONGEST = 2000
"""The most characters of a text of one line."""

LONGEST_WORDS = 100_000
"""The most characters of words: a question spells its attributes, as many as they are."""

MOST = 1000
"""The most entries of a list."""

MOST_SAID = 20
"""The most problems of a file that are said at once."""

MOST_COUNT = 10**15
"""Whole numbers are below it: no table has as many records."""


class Number(str):
    """A number as it is written, which no float has rounded."""


@dataclass
class Section:
    """A table of a file. ``where``: what it is called; ``problems``: of the whole file, in words.

    Each method reads a key, None where it is absent, and notes a problem where its value is of
    another type; `end` notes the keys that nobody read.
    """

    fields: Mapping[str, Any]
    where: str
    problems: list[str]
    known: list[str] = field(default_factory=list)

    def text(self, key: str) -> str | None:
        """A printable text of one line."""
        found: str | None = self.take(key, is_text, "must be a text of one line, in quotes")
        return found

    def words(self, key: str) -> str | None:
        """A text of any characters: whoever shows it makes it harmless."""
        found: str | None = self.take(
            key,
            lambda value: type(value) is str and len(value) <= LONGEST_WORDS,
            f"must be a text in quotes, of at most {LONGEST_WORDS} characters",
        )
        return found

    def choice(self, key: str, among: Sequence[str]) -> str | None:
        """One of a few words."""
        found: str | None = self.take(
            key, lambda value: is_text(value) and value in among, f"must be {' or '.join(among)}"
        )
        return found

    def truth(self, key: str) -> bool:
        """Whether a key is there and true."""
        return (
            self.take(key, lambda value: isinstance(value, bool), "must be true or false") is True
        )

    def whole(self, key: str, least: int) -> int | None:
        """A whole number of at least ``least``."""
        found: int | None = self.take(
            key,
            lambda value: type(value) is int and least <= value < MOST_COUNT,
            f"must be a whole number of at least {least}",
        )
        return found

    def number(self, key: str) -> str | None:
        """An exact number, as it is written: 3, 0.1, "1/3"."""
        found = self.take(key, is_number, 'must be a number, as 0.1 or "1/3"')
        return None if found is None else str(found)

    def numbers(self, key: str) -> tuple[str, ...] | None:
        """A list of such numbers."""
        found = self.take(
            key, lambda value: is_list(value, is_number), "must be a list of numbers, as [0.1, 1]"
        )
        return None if found is None else tuple(map(str, found))

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of texts."""
        found = self.take(
            key, lambda value: is_list(value, is_text), "must be a list of texts in quotes"
        )
        return None if found is None else tuple(found)

    def table(self, key: str) -> Section:
        """A table within; an empty one where there is none."""
        found = self.take(key, is_table, f"must be a table: write {self._inner(key)}")
        return Section(found or {}, self._inner(key), self.problems)

    def tables(self, key: str, most: int = MOST) -> list[Section]:
        """A list of at most so many tables."""
        inner = self._inner(key).strip("[]")
        found = self.take(
            key,
            lambda value: is_list(value, is_table, most),
            f"must be at most {most} tables: write [[{inner}]]",
        )
        named = enumerate(found or (), 1)
        return [Section(one, f"[[{inner}]] number {place}", self.problems) for place, one in named]

    def end(self) -> None:
        """Note the keys that no method read."""
        unknown = [key for key in self.fields if key not in self.known]
        if unknown:
            self.problems.append(
                f"{self.where} has the unknown key{'s' if len(unknown) > 1 else ''} "
                f"{', '.join(repr(key[:60]) for key in unknown[:5])}; known there: "
                f"{', '.join(self.known)}"
            )

    def note(self, problem: str) -> None:
        """Note a problem of this section."""
        self.problems.append(f"{self.where}: {problem}")

    def take(self, key: str, fits: Callable[[Any], bool], why: str) -> Any:
        """The value of a key; None, and the problem ``why``, for one that does not fit."""
        self.known.append(key)
        value = self.fields.get(key)
        if value is None or fits(value):
            return value
        self.note(f"{key} {why}")
        return None

    def _inner(self, key: str) -> str:
        outer = self.where.strip("[]") if self.where.startswith("[") else ""
        return f"[{outer}.{key}]" if outer else f"[{key}]"


def read_document(path: Path) -> Section:
    """The whole of a TOML file; raises InputError where it is none, or too large."""
    try:
        with path.open("rb") as file:
            held = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise InputError(f"{path.name} cannot be read: {error.strerror or 'an error'}") from None
    if len(held) > MOST_BYTES:
        raise InputError(f"{path.name} is larger than {MOST_BYTES} bytes; it is not read")
    try:
        fields = tomllib.loads(held.decode("utf-8"), parse_float=_as_written)
    except UnicodeDecodeError:
        raise InputError(f"{path.name} is not UTF-8 text") from None
    except (ValueError, RecursionError) as error:
        place = str(error).rpartition("(")[2].rstrip(")") if "(at " in str(error) else ""
        raise InputError(
            f"{path.name} is not valid TOML{f' ({place})' if place else ''}: expected tables such "
            'as [run] with lines such as command = "python synth.py {input} {output}"'
        ) from None
    return Section(fields, path.name, [])


def require_no_problem(section: Section, spoken: str) -> None:
    """Raise InputError with the problems of a file, if there are any: as many as one reads."""
    said, more = section.problems[:MOST_SAID], len(section.problems) - MOST_SAID
    if said:
        rest = f"; and {more} more" if more > 0 else ""
        raise InputError(f"{spoken}: {'; '.join(said)}{rest}")


def is_text(value: object) -> bool:
    """Whether a value is a text that one line can show."""
    return (
        isinstance(value, str)
        and not isinstance(value, Number)
        and 0 < len(value) <= LONGEST
        and value.isprintable()
    )


def is_number(value: object) -> bool:
    """Whether a value is a number, or the text of one."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return False
    if isinstance(value, int):
        return abs(value) < MOST_COUNT
    return exact_number(value) is not None


def is_table(value: object) -> bool:
    """Whether a value is a table."""
    return isinstance(value, dict)


def is_list(value: object, fits: Callable[[Any], bool], most: int = MOST) -> bool:
    """Whether a value is a list of some entries, and not of too many, that all fit."""
    return isinstance(value, list) and len(value) <= most and all(map(fits, value))


def exact_number(text: str) -> Fraction | None:
    """The number of a text; None where it is none."""
    try:
        return parse_rational(str(text), "a number") if len(text) <= 60 else None
    except InputError:
        return None


def _as_written(text: str) -> Number:
    return Number(text.replace("_", ""))
