"""An altered program asks what it is told to, and otherwise what the honest one asks."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from audit.channels.enumerate import channel_of
from audit.self_test.altered import Altered, at, every, everywhere
from audit.self_test.instead import look, quieter, truth, unnoised
from audit.self_test.sketches import Parities, Rounds, Sized, Sparse, Thresholded, Views
from synthesizers.curator import Curator, Program, Setting
from synthesizers.domain import Domain
from synthesizers.events import Event, Measure, Sanitize, Select
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Total

SETTING = Setting.of(Domain.from_cells("2x2"), AddRemove(), 1)
ONE = Fraction(1)


def _ledgers(program: Program) -> frozenset[tuple[Event, ...]]:
    return channel_of(program, SETTING, exact=True).ledgers


def test_a_place_that_never_comes_changes_nothing() -> None:
    honest = Rounds(ONE)
    altered = Altered(honest, at(99), unnoised)
    left, right = (channel_of(p, SETTING, exact=True).channel for p in (honest, altered))
    assert left.outputs == right.outputs
    assert np.array_equal(left.exact, right.exact)


def test_one_event_alone_is_replaced() -> None:
    (honest,) = _ledgers(Views(ONE))
    (altered,) = _ledgers(Altered(Views(ONE), at(1), quieter(Fraction(1, 2))))
    assert altered[0] == honest[0]
    first, second = honest[1], altered[1]
    assert isinstance(first, Measure) and isinstance(second, Measure)
    assert isinstance(first.noise, DiscreteLaplace) and isinstance(second.noise, DiscreteLaplace)
    assert second.noise.scale == first.noise.scale / 2
    assert (second.query, second.low, second.high) == (first.query, first.low, first.high)


def test_all_events_of_a_kind_are_replaced() -> None:
    for ledger in _ledgers(Altered(Rounds(ONE), every(Select), quieter(Fraction(1, 3)))):
        for event in ledger:
            if isinstance(event, Select):
                # A quarter of epsilon over twice the sensitivity of a score, which is 1.
                assert event.noise.rate == 3 * Fraction(1, 4) / 2


def test_everywhere_is_every_event() -> None:
    for number, event in enumerate(next(iter(_ledgers(Rounds(ONE))))):
        assert everywhere(number, event)


def test_a_look_shows_the_true_counts_and_costs_without_bound() -> None:
    def program(curator: Curator) -> list[int]:
        return [*look(curator).tolist(), *truth(curator, Total()).tolist()]

    found = channel_of(program, SETTING, exact=True)
    for row, chances in zip(found.channel.databases, found.channel.exact, strict=True):
        place = found.channel.outputs.index((*row.tolist(), int(row.sum())))
        assert chances[place] == 1
    for event in next(iter(found.ledgers)):
        assert isinstance(event, Sanitize)
        assert event.cost(SETTING.domain, SETTING.neighbours).epsilon is None


def test_sketches_spend_what_they_say_under_both_relations() -> None:
    sketches = (Views(ONE), Sized(ONE), Thresholded(ONE, 1), Rounds(ONE), Parities(ONE))
    for relation in (AddRemove(), ReplaceOne()):
        setting = Setting.of(Domain.from_cells("2x2"), relation, 1)
        for sketch in (*sketches, Sparse(ONE, (0, 3))):
            if isinstance(sketch, Sized) and relation.records_public:
                continue
            # The curator refuses the question that would exceed the budget.
            found = channel_of(sketch, setting, budget=sketch.budget(setting))
            for ledger in found.ledgers:
                costs = [event.cost(setting.domain, relation).epsilon for event in ledger]
                assert sum(cost or 0 for cost in costs) == 1
