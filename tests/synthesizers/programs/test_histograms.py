"""Combined histograms: one scale for all, counted by joint sensitivity."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.histograms import Histograms
from synthesizers.queries import Marginal, Total
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.programs.answering import on_answers

EIGHT = Domain.from_cells("2x2x2")
HALF = Histograms(Fraction(1, 2), (("a3", "a1"),))


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_scale_is_the_joint_sensitivity_over_epsilon(neighbours: Neighbours) -> None:
    setting = Setting.of(EIGHT, neighbours, 4)
    _, curator = on_answers(HALF, setting, [(1, 1, 1, 1), (2, 2)])
    moves = neighbours.unit.max_records * (2 if isinstance(neighbours, ReplaceOne) else 1)
    events = curator.ledger
    assert [e.query for e in events if isinstance(e, Measure)] == [
        Marginal(("a3", "a1")), Marginal(("a2",)),
    ]  # fmt: skip
    for event in events:
        assert isinstance(event, Measure)
        assert event.noise == DiscreteLaplace(Fraction(2 * moves) / Fraction(1, 2))
    assert curator.spent.epsilon == Fraction(1, 2)


def test_the_authors_scale() -> None:
    # (2 histograms x 20 records + 1 population query of up to 20 records) / epsilon.
    neighbours = AddRemove(Unit("person", 20))
    setting = Setting.of(EIGHT, neighbours, None)
    output, curator = on_answers(HALF, setting, [(1, 1, 1, 1), (2, 2), (8,)])
    assert isinstance(curator.ledger[-1], Measure) and curator.ledger[-1].query == Total()
    for event in curator.ledger:
        assert isinstance(event, Measure) and event.noise == DiscreteLaplace(Fraction(60 * 2))
    assert curator.spent.epsilon == Fraction(1, 2)
    assert output.histogram().tolist() == [1] * 8


def test_one_scale_for_questions_that_a_person_moves_unequally() -> None:
    # An exchanged person of up to 3 records moves a histogram by 6, the number of records by 3.
    setting = Setting.of(EIGHT, ReplaceOne(Unit("person", 3)), None)
    _, curator = on_answers(HALF, setting, [(1, 1, 1, 1), (2, 2), (4,)])
    noises = [event.noise for event in curator.ledger if isinstance(event, Measure)]
    assert noises == [DiscreteLaplace(Fraction(15 * 2))] * 3
    assert curator.spent.epsilon == Fraction(1, 2)


def test_rows_that_nobody_states_are_the_noisy_number_of_records() -> None:
    answers = [(1, 1, 1, 1), (2, 2), (16,)]
    output, _ = on_answers(HALF, Setting.of(EIGHT, AddRemove(), None), answers)
    assert output.histogram().tolist() == [2] * 8


def test_weights_are_clipped_and_multiplied() -> None:
    output, _ = on_answers(HALF, Setting.of(EIGHT, AddRemove(), 12), [(-4, 0, 1, 3), (2, -1)])
    # The first group's cells are a3, a1: 1 at (1, 0), 3 at (1, 1); a2 = 0.
    wanted = [0, 3, 0, 0, 0, 9, 0, 0]
    assert output.histogram().tolist() == wanted


def test_a_table_known_beforehand_costs_nothing() -> None:
    one = Domain.from_cells("1x1")
    output, curator = on_answers(Histograms(Fraction(1)), Setting.of(one, ReplaceOne(), 3), [])
    assert curator.ledger == () and output.histogram().tolist() == [3]


def test_bad_input() -> None:
    with pytest.raises(InputError, match="epsilon"):
        Histograms(Fraction(-1))
    with pytest.raises(InputError, match="once"):
        Histograms(Fraction(1), (("a1", "a1"),))
    with pytest.raises(InputError, match="no attribute"):
        on_answers(Histograms(Fraction(1), (("b",),)), Setting.of(EIGHT, AddRemove(), 4), [])
