"""An independent recount: what each transcript's questions cost, whatever budget was declared.

A curator refuses the question that passes its budget. Here nothing is refused, so that a program
that asks for more than it declares is seen and not ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from audit.subjects.subject import ProgramSubject
from synthesizers.arithmetic import Arithmetic, FloatArithmetic, ScaledArithmetic
from synthesizers.budget import FREE, Budget, Cost, PureBudget
from synthesizers.curator import Curator, Program, Setting
from synthesizers.enumeration import Leaf, Listing, leaves
from synthesizers.errors import BelowDoublesError, TooLargeError
from synthesizers.event_words import describe
from synthesizers.events import Databases, Event, Outcome
from synthesizers.neighbours import Neighbours
from synthesizers.plan import plan

Unit = Literal["epsilon", "rho"]

MOST_QUESTIONS = 1000
"""Questions of one transcript, after which a program is taken to ask without end."""


@dataclass(frozen=True, slots=True)
class _Unrefusing(PureBudget):
    """Refuses no cost, and prices as the budget declared does; ends what asks without end."""

    asked: list[int] = field(default_factory=lambda: [0])

    def check(self, spent: Cost) -> None:
        """Count a question."""
        self.asked[0] += 1
        if self.asked[0] > MOST_QUESTIONS:
            raise TooLargeError(
                f"the program asks more than {MOST_QUESTIONS} questions where none is refused; a "
                "program that asks until its budget ends it can't be recounted"
            )


@dataclass(frozen=True, eq=False)
class Unrefused:
    """A program whose curator refuses nothing: with `budget`, for the readings of enumeration."""

    program: Program
    budget: Budget

    @classmethod
    def of(cls, subject: ProgramSubject, setting: Setting) -> Unrefused:
        """That of a subject."""
        declared = subject.budget(setting)
        return cls(subject.program, _Unrefusing(Fraction(0), declared.neighbours))

    def __call__(self, curator: Curator) -> Any:
        """Play it, the questions counted anew."""
        if isinstance(self.budget, _Unrefusing):
            self.budget.asked[0] = 0
        return self.program(curator)


@dataclass(frozen=True)
class Ledger:
    """The questions of a transcript and what each costs; ``answers`` are those of one transcript.

    ``answers``: of the first transcript that was met with these questions.
    """

    events: tuple[Event, ...]
    answers: tuple[Outcome, ...]
    costs: tuple[Cost, ...]

    @property
    def total(self) -> Cost:
        """The sum of the costs."""
        return sum(self.costs, FREE)

    def spent(self, unit: Unit) -> Fraction | None:
        """The sum in one unit; None where there is no finite bound."""
        found: Fraction | None = getattr(self.total, unit)
        return found

    def passes(self, unit: Unit, limit: Fraction) -> int | None:
        """The place of the first question with which the sum is above a limit; None if none."""
        spent = FREE
        for place, cost in enumerate(self.costs):
            spent += cost
            value: Fraction | None = getattr(spent, unit)
            if value is None or value > limit:
                return place
        return None

    def name_question(self, place: int) -> str:
        """A question in words: which, and after what."""
        asked = f"question {place + 1}: {describe(self.events[place])}"
        if place == 0:
            return asked
        return f"{asked}, after the answers {list(map(list, self.answers[:place]))}"

    def sum_in_words(self, unit: Unit) -> str:
        """Such as "1/2 + 1/2 = 1"."""
        parts: Sequence[Fraction | None] = [getattr(cost, unit) for cost in self.costs]
        whole = self.spent(unit)
        told = in_words(whole)
        terms = [in_words(part) for part in parts if part != 0]
        return told if len(terms) < 2 else f"{' + '.join(terms)} = {told}"


def in_words(value: Fraction | None) -> str:
    """A cost or a change: exactly where that is short, else to ten digits; None is infinite."""
    if value is None:
        return "infinite"
    return str(value) if value.denominator < 10**6 else f"{float(value):.10g}"


@dataclass(frozen=True)
class Ledgers:
    """All ledgers of a program, by where their sums are largest.

    ``dearest``: by unit, the ledger of the largest sum. ``questions``: each question with the
    first ledger that holds it and its place there.
    """

    dearest: dict[Unit, Ledger]
    questions: dict[Event, tuple[Ledger, int]]
    transcripts: int
    ledgers: frozenset[tuple[Event, ...]]


def recount(
    program: Unrefused, setting: Setting, databases: Databases, relation: Neighbours
) -> Ledgers:
    """What the questions of every transcript cost under a relation.

    Raises TooLargeError where the transcripts are too many, ProtocolError where the program breaks
    the curator's protocol.

    Guarantee
    ---------
    Every transcript that has a chance under one of the databases is visited, and the sums are
    those of its questions' own costs. Backed by
    ``tests/audit/auditors/composition/test_recount.py``.
    """
    plan(program, setting, databases, program.budget).require(FloatArithmetic.cap)
    try:
        return _recount(program, setting, databases, relation, FloatArithmetic())
    except BelowDoublesError:
        return _recount(program, setting, databases, relation, ScaledArithmetic())


def _recount(
    program: Unrefused,
    setting: Setting,
    databases: Databases,
    relation: Neighbours,
    arithmetic: Arithmetic,
) -> Ledgers:
    price = lru_cache(maxsize=4096)(lambda event: event.cost(setting.domain, relation))
    dearest: dict[Unit, Ledger] = {}
    questions: dict[Event, tuple[Ledger, int]] = {}
    met: dict[tuple[Event, ...], None] = {}
    last: tuple[Event, ...] | None = None
    transcripts = 0
    listing = Listing(program, setting, databases, arithmetic, program.budget, replays=1)
    for leaf in leaves(listing):
        transcripts += 1
        # Successive leaves share their ledger.
        if leaf.ledger is last or leaf.ledger in met:
            last = leaf.ledger
            continue
        last = leaf.ledger
        met[last] = None
        ledger = _ledger(leaf, tuple(map(price, leaf.ledger)))
        for unit in ("epsilon", "rho"):
            if unit not in dearest or _more(ledger.spent(unit), dearest[unit].spent(unit)):
                dearest[unit] = ledger
        for place, event in enumerate(ledger.events):
            questions.setdefault(event, (ledger, place))
    return Ledgers(dearest, questions, transcripts, frozenset(met))


def _ledger(leaf: Leaf, costs: tuple[Cost, ...]) -> Ledger:
    return Ledger(leaf.ledger, tuple(outcome for _, outcome in leaf.transcript), costs)


def _more(value: Fraction | None, than: Fraction | None) -> bool:
    return than is not None and (value is None or value > than)
