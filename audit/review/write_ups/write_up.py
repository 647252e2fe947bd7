"""What a write-up says of a program: filled from its runs, its budget and its theorem."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from audit.auditors import proof
from audit.review.submissions.stated_numbers import spell_root
from audit.review.submissions.stated_write_ups import MOST_QUERIES
from audit.review.write_ups.asked import AskedQuery
from audit.review.write_ups.asking import PlacedEvent, run_on
from audit.review.write_ups.made_up import TABLES, made_up_tables
from audit.review.write_ups.shares import describe_budget, find_share
from audit.review.write_ups.spelling import (
    define_question,
    name_question,
    spell_law,
    spell_question,
)
from audit.statements.claim import Claim
from audit.statements.evidence import Bound, Decision
from audit.subjects.subject import ProgramSubject
from proofs.ledger.programs import fixed_ledger
from synthesizers.budget import FREE, Cost
from synthesizers.curator import Setting, pricing
from synthesizers.errors import InputError
from synthesizers.events import Draw, Event, MeasureSampled, Sanitize, Select
from synthesizers.programs import card

Course = Literal["fixed", "alike", "varying"]
"""Of a program's questions: shown to be the same in every run; the same in the runs that were seen;
or others in another run."""


@dataclass(frozen=True)
class Composition:
    """What bounds the total: a theorem as data, or why there is none.

    ``bound``: what the theorem says. ``holds``: it implies the claim. ``refusal``: why there is
    no theorem, in the prover's words.
    """

    derivation: Mapping[str, Any] | None = None
    bound: Bound | None = None
    holds: bool = False
    refusal: str = ""


@dataclass(frozen=True)
class WriteUp:
    """A program's four sections, as values.

    ``card``: that of a built-in program (``ours``), otherwise empty. ``parameters``: what is set of
    it. ``asked``: the questions of the first
    run; ``elsewhere``: those of the other runs alone. ``tables``: what was made up for each run.
    ``draws``: the laws of public randomness that the first run drew from. ``shares_of``: what the
    shares are shares of.
    """

    program: str
    ours: bool
    card: str
    parameters: tuple[tuple[str, str], ...]
    claim: Claim
    setting: Setting
    course: Course
    tables: tuple[str, ...]
    asked: tuple[AskedQuery, ...]
    elsewhere: tuple[AskedQuery, ...]
    draws: tuple[str, ...]
    shares_of: str
    composition: Composition


def write_up_of(
    subject: ProgramSubject,
    claim: Claim,
    setting: Setting,
    progress: Callable[[int, int, str], None],
) -> WriteUp:
    """Run a program on made-up tables, and write down what it asks and why that is private.

    ``progress``: told of the runs. Raises InputError for what makes no sense, and ProtocolError
    where the program breaks the curator's protocol.
    """
    words: list[str] = []
    runs: list[tuple[PlacedEvent, ...]] = []
    for number, table in enumerate(made_up_tables(setting)):
        progress(number, len(TABLES), table.words)
        words.append(table.words)
        runs.append(run_on(subject, setting, table))
    price = pricing(setting, subject.budget(setting))
    totals = [sum((price(one.event) for one in run), FREE) for run in runs]
    seen = [_group(run, subject, setting, total) for run, total in zip(runs, totals, strict=True)]
    first, elsewhere = _count_runs(seen)
    return WriteUp(
        program=subject.name,
        ours=subject.built_in,
        card=card(subject.name) if subject.built_in else "",
        parameters=tuple(subject.identity.get("parameters", {}).items()),
        claim=claim,
        setting=setting,
        course=_course(subject, setting, seen),
        tables=tuple(words),
        asked=first,
        elsewhere=elsewhere,
        draws=tuple(
            dict.fromkeys(one.event.law.name for one in runs[0] if isinstance(one.event, Draw))
        ),
        shares_of=describe_budget(subject.budget(setting), totals[0]),
        composition=_compose(subject, claim, setting),
    )


def _group(
    run: Sequence[PlacedEvent], subject: ProgramSubject, setting: Setting, total: Cost
) -> tuple[AskedQuery, ...]:
    """The questions about the data, equal ones at one place together."""
    budget = subject.budget(setting)
    price = pricing(setting, budget)
    groups: dict[AskedQuery, list[Event]] = {}
    for one in run:
        if not isinstance(one.event, Draw):
            groups.setdefault(_describe(one, setting), []).append(one.event)
    if len(groups) > MOST_QUERIES:
        raise InputError(
            f"the program asks {len(groups)} different questions in a run; a write-up states at "
            f"most {MOST_QUERIES}: take fewer attributes, or ask several in one question"
        )
    return tuple(
        replace(
            asked,
            times=len(events),
            share=find_share(sum(map(price, events), FREE), budget, total),
        )
        for asked, events in groups.items()
    )


def _describe(one: PlacedEvent, setting: Setting) -> AskedQuery:
    """A question without what it costs."""
    norm, sensitivity = _find_sensitivity(one.event, setting)
    noise, law = spell_law(one.event)
    definition, reason = define_question(one.event)
    return AskedQuery(
        name=name_question(one.event),
        question=spell_question(one.event),
        neighbours=setting.neighbours.name,
        norm=norm,
        sensitivity=sensitivity,
        noise=noise,
        law=law,
        share=None,
        file=one.file,
        line=one.line,
        definition=definition,
        reason=reason,
    )


def _find_sensitivity(event: Event, setting: Setting) -> tuple[str, str | None]:
    """The norm that a question's noise is measured against, and the sensitivity in it."""
    if isinstance(event, Sanitize | Draw):
        return "", None
    if isinstance(event, Select):
        moved = event.scores.sensitivity(setting.domain, setting.neighbours)
        return "L∞", str(moved.linf)
    moved = event.query.sensitivity(setting.domain, setting.neighbours)
    gaussian = isinstance(event, MeasureSampled) or "gaussian" in event.noise.to_json()["law"]
    return ("L2", spell_root(moved.l2_squared)) if gaussian else ("L1", str(moved.l1))


def _key(one: AskedQuery) -> AskedQuery:
    """A question apart from how often it was asked and what that took."""
    return replace(one, share=None, times=1, runs=1)


def _count_runs(
    seen: Sequence[tuple[AskedQuery, ...]],
) -> tuple[tuple[AskedQuery, ...], tuple[AskedQuery, ...]]:
    """The questions of the first run, each with the number of its runs, and those of others."""
    keys = [{_key(one) for one in asked} for asked in seen]
    every: dict[AskedQuery, AskedQuery] = {}
    for asked in seen:
        for one in asked:
            every.setdefault(_key(one), one)
    counted = {
        key: replace(one, runs=sum(key in other for other in keys)) for key, one in every.items()
    }
    first = tuple(one for key, one in counted.items() if key in keys[0])
    return first, tuple(one for key, one in counted.items() if key not in keys[0])


def _course(
    subject: ProgramSubject, setting: Setting, seen: Sequence[tuple[AskedQuery, ...]]
) -> Course:
    budget = subject.budget(setting)
    if fixed_ledger(subject.program, budget, setting, None, ours=subject.built_in) is not None:
        return "fixed"
    return "alike" if all(asked == seen[0] for asked in seen) else "varying"


def _compose(subject: ProgramSubject, claim: Claim, setting: Setting) -> Composition:
    evidence = proof.conclude(subject, claim, setting, None)
    if evidence is None or evidence.proof is None:
        return Composition(refusal=proof.explain_refusal(subject, claim, setting, None))
    holds = evidence.decision is Decision.HOLDS
    return Composition(evidence.proof["derivation"], evidence.bound, holds)
