"""Which stated query means which question: best matches first, the same every time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from audit.review.submissions.stated_numbers import StatedNumber, read_number
from audit.review.submissions.submission import StatedQuery
from audit.review.write_ups.asked import AskedQuery
from audit.review.write_ups.spelling import fix_question
from synthesizers.errors import InputError

MOST_PAIRS = 500_000
"""The most pairs of a stated query and a question that it may mean (some seconds, 200 MB)."""


@dataclass(frozen=True)
class Match:
    """What a write-up states as one, and what was asked of it; one of the two may be empty.

    ``stated``: one row, or several that say the same of a question but for its share.
    """

    stated: tuple[StatedQuery, ...]
    asked: tuple[AskedQuery, ...]


@dataclass(frozen=True)
class _Row:
    """A stated query; ``plain``: its question as JSON, None of another text."""

    stated: StatedQuery
    plain: dict[str, Any] | None
    share: StatedNumber | None

    @classmethod
    def of(cls, stated: StatedQuery) -> _Row:
        share = stated.share
        number = None if share is None else read_number(share, f"the share of {stated.name}")
        return cls(stated, _read_question(stated.question), number)

    @property
    def alike(self) -> StatedQuery | None:
        """What rows of one question have in common; None of a row that says of none."""
        stated = self.stated
        silent = stated.question is None and stated.line is None
        return None if silent else replace(stated, name="", share=None)


def match_queries(stated: Sequence[StatedQuery], asked: Sequence[AskedQuery]) -> tuple[Match, ...]:
    """Every stated query and every question in one match, in the order of the write-up.

    A stated question that is a JSON object means every question that has its fields; any other
    row means what is asked at its place, or what has its name. The best pairs are taken first, by
    question, place, name, noise and share. A question that is left over then joins a row that means
    it, such as the rounds of a loop that a write-up states once, and a row that is left over joins
    one that says the same. Raises InputError where the rows leave so much open that there are more
    pairs than `MOST_PAIRS`.
    """
    rows = [_Row.of(one) for one in stated]
    questions = [json.loads(one.question) for one in asked]
    taken: dict[int, list[int]] = {}
    left = set(range(len(asked)))
    meant = (
        (_worth(row, asked[place], questions[place]), number, place)
        for number, row in enumerate(rows)
        for place in range(len(asked))
        if _means(row, asked[place], questions[place])
    )
    pairs = sorted(islice(meant, MOST_PAIRS + 1))
    if len(pairs) > MOST_PAIRS:
        raise InputError(
            f"the write-up leaves open which of {len(asked)} questions its {len(rows)} queries "
            "mean: state the question of each, with its attributes"
        )
    for _, number, place in pairs:
        if number not in taken and place in left:
            taken[number] = [place]
            left.discard(place)
    for _, number, place in pairs:
        if place in left and _covers(rows[number], asked[place], questions[place]):
            taken.setdefault(number, []).append(place)
            left.discard(place)
    found = [
        Match(group, tuple(asked[place] for place in taken.get(number, ())))
        for number, group in _group(rows, taken)
    ]
    return (*found, *(Match((), (asked[place],)) for place in sorted(left)))


def _group(
    rows: Sequence[_Row], taken: Mapping[int, Sequence[int]]
) -> Iterator[tuple[int, tuple[StatedQuery, ...]]]:
    """Each row that means a question, with those that say the same and mean no other; the rest."""
    hosts: dict[StatedQuery, int] = {}
    for number in taken:
        if (alike := rows[number].alike) is not None:
            hosts[alike] = min(number, hosts.get(alike, number))
    groups: dict[int, list[StatedQuery]] = {}
    for number, row in enumerate(rows):
        host = number if number in taken or row.alike is None else hosts.get(row.alike, number)
        groups.setdefault(host, []).append(row.stated)
    for number in sorted(groups):
        yield number, tuple(groups[number])


def has_place(stated: StatedQuery, asked: AskedQuery) -> bool:
    """Whether a question is asked where a row says, as far as both say it.

    Of two paths the one may be the end of the other: a program tells its file without folders.
    """
    if stated.line is not None and asked.line is not None and stated.line != asked.line:
        return False
    if stated.file is None or asked.file is None:
        return True
    own, other = (PurePosixPath(file).parts for file in (stated.file, asked.file))
    shared = min(len(own), len(other))
    return own[-shared:] == other[-shared:]


def has_noise(stated: StatedQuery, asked: AskedQuery) -> bool:
    """Whether a row's noise is that of a question, as far as it says it."""
    return stated.noise is None or _spell_law(stated.noise) == _spell_law(asked.noise)


def _spell_law(name: str) -> str:
    return "-".join(name.lower().replace("_", " ").replace("-", " ").split())


def _read_question(text: str | None) -> dict[str, Any] | None:
    """The question of a row as JSON, fixed like those that are asked; None of another text."""
    try:
        plain = json.loads(text or "")
        return fix_question(plain) if isinstance(plain, dict) else None
    except (ValueError, RecursionError):
        return None


def _means(row: _Row, asked: AskedQuery, question: dict[str, Any]) -> bool:
    if row.plain is not None:
        return _within(row.plain, question)
    return _at(row.stated, asked) or row.stated.name == asked.name


def _at(stated: StatedQuery, asked: AskedQuery) -> bool:
    """Whether a row names the line that asks."""
    return stated.line is not None and stated.line == asked.line and has_place(stated, asked)


def _covers(row: _Row, asked: AskedQuery, question: dict[str, Any]) -> bool:
    """Whether a row may mean a question beside others: it leaves open which one, or says where."""
    if not (has_place(row.stated, asked) and has_noise(row.stated, asked)):
        return False
    if row.plain is None:
        return _at(row.stated, asked)
    return row.plain != question or _at(row.stated, asked)


def _within(stated: dict[str, Any], question: dict[str, Any]) -> bool:
    return bool(stated) and all(
        key in question and question[key] == value for key, value in stated.items()
    )


def _worth(row: _Row, asked: AskedQuery, question: dict[str, Any]) -> tuple[int, ...]:
    """Smaller is better: the question, the place, the name, and what else agrees."""
    return tuple(-value for value in _points(row, asked, question))


def _points(row: _Row, asked: AskedQuery, question: dict[str, Any]) -> Iterator[int]:
    yield 0 if row.plain is None else len(row.plain.keys() & question.keys())
    yield (
        (2 if _at(row.stated, asked) else int(row.stated.file is not None))
        if has_place(row.stated, asked)
        else -1
    )
    yield int(row.stated.name == asked.name)
    yield int(row.stated.noise is not None and has_noise(row.stated, asked))
    share = asked.share
    yield int(row.share is not None and share is not None and row.share.agrees(share))
