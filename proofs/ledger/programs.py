"""Ledgers: what a program asks along every transcript, seen by running it under a curator."""

from __future__ import annotations

import contextlib
from fractions import Fraction
from typing import Any

from proofs.entries import ConcentratedLoss, Entry, entry_to_json
from proofs.errors import ProofError
from proofs.kernel import Theorem, prove
from proofs.ledger.events import of_events
from proofs.losses import ResponseLoss, SampledGaussianLoss
from proofs.parts import Part
from proofs.rules.structure import SEEN
from synthesizers.budget import Budget, PureBudget, SampledGaussianBudget, ZCDPBudget
from synthesizers.curator import Curator, Program, Setting, ask_program, declared_ledger
from synthesizers.domain import Domain
from synthesizers.errors import BudgetExceeded
from synthesizers.events import Draw, Event, Outcome
from synthesizers.neighbours import AddRemove, Neighbours


def fixed_ledger(
    program: Program,
    budget: Budget,
    setting: Setting,
    ledgers: frozenset[tuple[Event, ...]] | None,
    *,
    ours: bool,
) -> tuple[Event, ...] | None:
    """The private events of every transcript where they are the same; otherwise None.

    ``ledgers``: all ledgers met in a full enumeration, where there was one. ``ours``: the program
    is a built-in one, which tosses no coins of its own.

    Guarantee
    ---------
    An answer that is not None is the ledger of every transcript: the program declares it, and the
    curator refuses every other question; or all transcripts were visited; or, of a built-in
    program, the first question, asked before any answer, exhausts the budget, and the curator
    refuses every other. Having seen a ledger once or twice is not enough. Backed by
    ``tests/audit/auditors/test_factorised.py`` and ``tests/hostile/test_hostile_programs.py``.
    """
    declared = declared_ledger(program, setting)
    if declared is not None:
        return declared
    if ledgers is not None:
        private = {tuple(e for e in ledger if not isinstance(e, Draw)) for ledger in ledgers}
        return private.pop() if len(private) == 1 else None
    if not ours:
        return None
    first = _first_question(program, budget, setting)
    if first is None:
        return None
    counted = budget.neighbours or setting.neighbours
    # What is free under replace-one (the total) may cost under add-remove; never the reverse.
    if counted != setting.neighbours and counted.name != AddRemove.name:
        return None
    return (first,) if budget.is_exhausted(first.cost(setting.domain, counted)) else None


def _first_question(program: Program, budget: Budget, setting: Setting) -> Event | None:
    """The first event where it is private: asked before any answer is seen."""
    asked: list[Event] = []

    def answer(event: Event) -> Outcome:
        asked.append(event)
        raise BudgetExceeded("one question is enough to know")

    with contextlib.suppress(BudgetExceeded):
        ask_program(program, Curator(setting, budget, answer))
    return asked[0] if asked and not isinstance(asked[0], Draw) else None


def shape_of(domain: Domain) -> dict[str, int]:
    """How many values each attribute has: what the stability rules need to know of a domain."""
    return dict(zip(domain.names, domain.shape, strict=True))


def of_ledger(events: tuple[Event, ...], setting: Setting) -> tuple[Part, ...]:
    """The parts of a fixed ledger; raises InputError where no rule knows one of its laws."""
    plain = [event.to_json(setting.domain, setting.neighbours) for event in events]
    return of_events(plain, shape_of(setting.domain), setting.neighbours)


def about_program(
    theorem: Theorem,
    program: dict[str, Any],
    ledgers: frozenset[tuple[Event, ...]] | None,
    setting: Setting | None = None,
    *,
    declared: bool = False,
) -> Theorem:
    """A theorem about a `fixed_ledger`, as one about the program in a setting."""
    everywhere, first, beforehand = SEEN
    seen = beforehand if declared else first if ledgers is None else everywhere
    given = {"program": program, "seen": seen, **_setting_parameter(setting)}
    return prove("fixed-ledger", [theorem], given)


def _setting_parameter(setting: Setting | None) -> dict[str, Any]:
    """The setting as the parameter of a rule about a program."""
    if setting is None:
        return {}
    own = {"attributes": shape_of(setting.domain), "records": setting.records}
    return {"setting": own}


def of_budget(
    budget: Budget,
    neighbours: Neighbours,
    program: dict[str, Any],
    setting: Setting | None = None,
) -> tuple[Part, ...]:
    """The filter's theorem of a curator that opens with a budget, as the only part.

    Whatever the program asks, adaptively or not, it can't spend more. ``program``: what runs, as
    plain data; ``setting``: on what, where that is known. Raises ProofError without a budget, or
    where the budget is counted under neighbours from which nothing follows for those wanted.
    """
    loss: Entry
    match budget:
        case PureBudget(epsilon):
            count, loss = 1, ResponseLoss(epsilon)
        case ZCDPBudget(rho):
            count, loss = 1, ConcentratedLoss(Fraction(0), rho, Fraction(0))
        case SampledGaussianBudget(rate, squared, steps):
            count, loss = steps, SampledGaussianLoss(rate, squared)
        case _:
            raise ProofError("there is no budget that bounds whatever is asked")
    counted = budget.neighbours or neighbours
    given = {"neighbours": counted, "budget": entry_to_json(count, loss), "program": program}
    theorem: Theorem = prove("filter", [], {**given, **_setting_parameter(setting)})
    if counted != neighbours:
        theorem = prove("group", [theorem], {"neighbours": neighbours})
    return (Part("the program's budget", 1, theorem),)
