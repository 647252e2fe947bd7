"""A write-up's list of queries beside what a run spent, difference by difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import islice
from operator import add
from typing import Literal

from audit.review.submissions.stated_numbers import agrees_with, read_number, spell_share
from audit.review.submissions.submission import StatedQuery
from audit.review.write_ups.asked import AskedQuery, spell_place
from audit.review.write_ups.matching import Match, has_noise, has_place, match_queries

Kind = Literal["missing", "extra", "number", "sensitivity", "share", "noise", "place"]
"""What differs: a question that is not stated, a stated one that is not asked, how often it is
asked, or one of its fields."""


@dataclass(frozen=True)
class Difference:
    """One thing that a write-up says otherwise than the run showed.

    ``name``: the query's. ``sentence``: what differs; ``question``: what to ask its author.
    """

    kind: Kind
    name: str
    sentence: str
    question: str


@dataclass(frozen=True)
class Silence:
    """A field that a write-up leaves out of a query, and what the run showed of it."""

    name: str
    field: str
    shown: str

    @property
    def words(self) -> str:
        """What is not stated, in words: the field comes first."""
        return f"the {self.field} of '{self.name}'"


@dataclass(frozen=True)
class Comparison:
    """A write-up's list beside a run's: what differs, and what it does not state."""

    stated: int
    asked: int
    differences: tuple[Difference, ...]
    silences: tuple[Silence, ...]


def compare_write_up(
    stated: Sequence[StatedQuery], asked: Sequence[AskedQuery]
) -> tuple[Difference, ...]:
    """Where a write-up's queries differ from those of a run, in the write-up's order.

    What is asked and not stated comes last. A field that is not stated differs from nothing.

    Guarantee
    ---------
    Nothing is returned only if every question is in a match with a stated query, and the other way
    round, and no field that both know differs; numbers are compared exactly, up to the digits that
    are stated. Backed by ``tests/audit/review/write_ups/test_comparing.py``.
    """
    return compare_in_full(stated, asked).differences


def compare_in_full(stated: Sequence[StatedQuery], asked: Sequence[AskedQuery]) -> Comparison:
    """The same, with the fields that the write-up does not state."""
    matches = match_queries(stated, asked)
    return Comparison(
        len(stated),
        len(asked),
        tuple(one for match in matches for one in _differences(match)),
        tuple(one for match in matches for one in _silences(match)),
    )


def _differences(match: Match) -> Iterator[Difference]:
    if not match.stated:
        yield _missing(match.asked[0])
    elif not match.asked:
        for one in match.stated:
            yield _extra(one)
    else:
        for field in (_number, _sensitivity, _share, _noise, _place):
            yield from field(match)


def _missing(asked: AskedQuery) -> Difference:
    at = f" at {asked.place}" if asked.place else ""
    takes = "" if asked.share is None else f", and takes {_spell(asked.share)} of the budget"
    return Difference(
        "missing",
        asked.name,
        f"The program asks for {_quote(asked.name)}{at} with {asked.noise} noise{takes}; the "
        "write-up does not state it.",
        f"Where does the write-up account for {_quote(asked.name)}, which the program asks{at}?",
    )


def _extra(stated: StatedQuery) -> Difference:
    place = spell_place(stated.file, stated.line)
    at = f" at {place}" if place else ""
    return Difference(
        "extra",
        stated.name,
        f"The write-up states {_quote(stated.name)}{at}; the program was not seen to ask it.",
        f"Where, and under which conditions, does the program ask {_quote(stated.name)}?",
    )


def _number(match: Match) -> Iterator[Difference]:
    """More rows than there were questions: some state what is never asked."""
    rows, times = len(match.stated), sum(one.times for one in match.asked)
    if rows > times:
        name = match.stated[0].name
        yield Difference(
            "number",
            name,
            f"The write-up states {_quote(name)} {rows} times; the program asks it {times} times.",
            f"How often is {_quote(name)} asked?",
        )


def _sensitivity(match: Match) -> Iterator[Difference]:
    stated = match.stated[0]
    if stated.sensitivity is None:
        return
    number = read_number(stated.sensitivity, f"the sensitivity of {stated.name}")
    others = (
        one
        for one in match.asked
        if one.sensitivity is not None and not agrees_with(number, one.sensitivity)
    )
    for asked in islice(others, 1):
        yield _disagree(
            "sensitivity",
            stated,
            f"states sensitivity {stated.sensitivity} for {_quote(stated.name)}",
            f"under {asked.neighbours} it is {asked.sensitivity} in {asked.norm}{_at(asked)}",
        )


def _share(match: Match) -> Iterator[Difference]:
    stated, texts = match.stated[0], [one.share for one in match.stated]
    shares = [one.share for one in match.asked]
    if None in texts or None in shares:
        return
    numbers = (read_number(str(text), f"the share of {stated.name}") for text in texts)
    spent = sum((share for share in shares if share is not None), Fraction(0))
    if not reduce(add, numbers).agrees(spent):
        yield _disagree(
            "share",
            stated,
            f"gives {_quote(stated.name)} the share {' + '.join(map(str, texts))} of the budget",
            f"the program spends {_spell(spent)} of it there{_at(match.asked[0])}",
        )


def _noise(match: Match) -> Iterator[Difference]:
    stated = match.stated[0]
    for asked in islice((one for one in match.asked if not has_noise(stated, one)), 1):
        yield _disagree(
            "noise",
            stated,
            f"states {stated.noise} noise for {_quote(stated.name)}",
            f"the program adds {asked.law}{_at(asked)}",
        )


def _place(match: Match) -> Iterator[Difference]:
    stated, asked = match.stated[0], match.asked[0]
    if not has_place(stated, asked):
        yield _disagree(
            "place",
            stated,
            f"places {_quote(stated.name)} at {spell_place(stated.file, stated.line)}",
            f"the program asks it at {asked.place}",
            "Does the write-up describe this version of the code?",
        )


def _disagree(
    kind: Kind, stated: StatedQuery, says: str, shown: str, asks: str = "Which is meant?"
) -> Difference:
    sentence = f"The write-up {says}; {shown}."
    return Difference(kind, stated.name, sentence, f"{sentence} {asks}")


def _silences(match: Match) -> Iterator[Silence]:
    if not (match.stated and match.asked):
        return
    stated, asked = match.stated[0], match.asked[0]
    share = sum((one.share for one in match.asked if one.share is not None), Fraction(0))
    shown = {
        "question": asked.question,
        "sensitivity": asked.sensitivity,
        "share": None if asked.share is None else spell_share(share),
        "noise": asked.noise,
        "file": asked.file,
        "line": None if asked.line is None else str(asked.line),
    }
    for field, value in shown.items():
        if value is not None and any(getattr(one, field) is None for one in match.stated):
            yield Silence(stated.name, field, value)


def _at(asked: AskedQuery) -> str:
    return f" at {asked.place}" if asked.place else ""


def _quote(name: str) -> str:
    return f"'{name}'"


def _spell(share: Fraction) -> str:
    """A share for a sentence: exact where that is short."""
    text = spell_share(share)
    return text if len(text) <= 12 else f"about {float(share):.4g}"
