"""What one question reveals, exactly: its worst loss over neighbours, against its stated cost."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.epsilon import decide_epsilon
from audit.channels.measures.zcdp import decide_zcdp
from audit.statements.decimals import Enclosure
from audit.statements.evidence import Decision, Witness
from synthesizers.budget import Cost, UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.events import (
    Databases,
    Event,
    Measure,
    MeasureBest,
    MeasureSampled,
    Sanitize,
    Select,
)

EXACT_PRODUCTS = 20_000
"""Answers × databases up to which chances are exact, as in `audit.auditors.exhaustive`."""


@dataclass(frozen=True)
class Question:
    """One question's loss on an instance, in the unit that its cost is finite in.

    ``unit``: "epsilon" or "rho". ``stated``: its cost; ``loss``: the smallest value that holds on
    the instance; ``decision``: whether that is at most the cost. ``witness``: a pair that has it.
    """

    unit: str
    stated: Fraction
    loss: Enclosure
    decision: Decision
    witness: Witness | None


def loss_of(event: Event, cost: Cost, setting: Setting, databases: Databases) -> Question | None:
    """The question's loss on all pairs of neighbours; None where its cost has no finite bound.

    Guarantee
    ---------
    VIOLATED only if the exact loss is above the cost. Backed by
    ``tests/audit/auditors/composition/test_questions.py``.
    """
    if cost.epsilon is None and cost.rho is None:
        return None
    channel = channel_of_question(event, setting, databases)
    if cost.epsilon is not None:
        decision, extreme = decide_epsilon(channel, cost.epsilon)
        return Question("epsilon", cost.epsilon, extreme.enclosure, decision, extreme.witness)
    assert cost.rho is not None
    decision, extreme = decide_zcdp(channel, cost.rho)
    return Question("rho", cost.rho, extreme.enclosure, decision, extreme.witness)


def channel_of_question(event: Event, setting: Setting, databases: Databases) -> Channel:
    """The channel of the program that asks this alone and releases the answer."""
    exact = event.width(databases) * len(databases.rows) <= EXACT_PRODUCTS
    found = channel_of(
        Asking(event),
        setting,
        released="transcript",
        exact=exact,
        databases=databases,
        budget=UnlimitedBudget(),
    )
    return found.channel


@dataclass(frozen=True)
class Asking:
    """The program that asks one question."""

    event: Event

    def __call__(self, curator: Curator) -> Any:
        """The answer."""
        match self.event:
            case Measure(query, noise, low, high):
                return curator.measure(query, noise, low=low, high=high)
            case MeasureSampled(query, rate, rounded, low, high):
                return curator.measure_sampled(query, rate, rounded, low=low, high=high)
            case MeasureBest(query, noise, runs, low, high):
                return curator.measure_best(query, noise, runs, low=low, high=high)
            case Select(scores, noise):
                return curator.select(scores, noise)
            case Sanitize(law):
                return curator.sanitize(law)
            case _:
                return curator.draw(self.event.law)
