"""What DPSyn, DPSyn-2020, PrivSyn and two-way marginals make of views: totals, weights, rounds."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.estimation.consistency import View
from synthesizers.estimation.gum import Rates
from synthesizers.estimation.recoding import Recoding
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.dpsyn import DPSyn
from synthesizers.programs.dpsyn_2020 import DPSyn2020
from synthesizers.programs.privsyn import PrivSyn
from synthesizers.programs.two_way_marginals import TwoWayMarginals
from synthesizers.programs.view_questions import all_pairs, recode_view
from tests.synthesizers.programs.answering import on_answers

# So large an epsilon that no value is rare.
LARGE, DELTA = Fraction(10**6), Fraction(1, 10**9)
PROGRAMS: list[Any] = [
    DPSyn(LARGE, DELTA, least_count=0, rounds=3, consistency_rounds=4),
    DPSyn2020(LARGE, DELTA, rounds=3, consistency_rounds=4),
    PrivSyn(LARGE, DELTA, rounds=3, consistency_rounds=4),
    TwoWayMarginals(LARGE, DELTA, model_cells=0, rounds=4),
]
EACH = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: type(program).__name__)
TWO, TWELVE = Domain.from_cells("2"), Domain.from_cells("2x2x3")


@EACH
def test_a_public_number_of_records_is_met_by_the_same_change_in_every_cell(program: Any) -> None:
    # 12 and 4 are 6 too many: 3 in each cell, where shares of 10 would be 7.5 and 2.5.
    output, _ = on_answers(program, Setting.of(TWO, ReplaceOne(), 10), [(12, 4)])
    assert output.histogram().tolist() == [9, 1]
    # With n private nothing corrects the answers, and the rows are those of the answers.
    output, _ = on_answers(program, Setting.of(TWO, AddRemove(), None), [(12, 4)])
    assert output.histogram().tolist() == [12, 4]


PAIRS = [(10,) * 4, (10,) * 6, (10,) * 6]


@pytest.mark.parametrize(
    ("program", "answers", "rows"),
    [
        # Totals 40, 60 and 60 of 4, 6 and 6 cells: 30 / (1/4 + 1/6 + 1/6).
        (PROGRAMS[1], PAIRS, 51),
        (PROGRAMS[3], PAIRS, 51),
        # a3 alone, then the pair: 60 of 3 cells, 40 of 4.
        (DPSyn(LARGE, DELTA, (("a1", "a2"), ("a3",)), least_count=0), [(20,) * 3, (10,) * 4], 51),
        # Distances that choose no pair, and the single attributes: 40, 40 and 60 of 2, 2 and 3.
        (PROGRAMS[2], [(-(10**9),) * 3, (20, 20), (20, 20), (20,) * 3], 45),
    ],
    ids=["dpsyn-2020", "two-way-marginals", "dpsyn", "privsyn"],
)
def test_rows_that_nobody_states_are_the_weighted_mean_of_totals(
    program: Any, answers: Sequence[Sequence[int]], rows: int
) -> None:
    output, _ = on_answers(program, Setting.of(TWELVE, AddRemove(), None), answers)
    assert output.records == rows


def test_single_attributes_of_dpsyn_are_views_too() -> None:
    # a3 stands in no set; a1 and a2 are asked alone for their recoding, with half the pair's
    # variance when it is summed: (2·90 + 60)/3 = 80 and (2·30 + 60)/3 = 40.
    domain = Domain.from_cells("2x2x2")
    program = DPSyn(LARGE, DELTA, (("a1", "a2"),), least_count=0, recode_from=2)
    setting = Setting.of(domain, AddRemove(), 120)
    output, _ = on_answers(program, setting, [(90, 30), (60, 60), (100, 20), (30,) * 4])
    found = [np.bincount(column).tolist() for column in output.codes.T]
    assert found == [[80, 40], [60, 60], [100, 20]]


@EACH
def test_rounds_are_those_of_the_parameters(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    module, seen = sys.modules[type(program).__module__], []

    def watched(name: str, place: int) -> None:
        true = getattr(module, name)

        def call(*given: Any) -> Any:
            seen.append(given[place])
            return true(*given)

        monkeypatch.setattr(module, name, call)

    watched("settle_views", 2)
    watched("records_of_views", 4)
    on_answers(program, Setting.of(TWO, AddRemove(), None), [(12, 4)])
    assert seen == [getattr(program, "consistency_rounds", 4), program.rounds]


def test_the_rate_of_dpsyn_is_the_same_in_every_round() -> None:
    assert DPSyn(LARGE, DELTA)._update == Rates(0.2, 1.0)
    assert DPSyn(LARGE, DELTA, rate=Fraction(1, 10))._update == Rates(0.1, 1.0)


def test_a_single_attribute_of_the_list_is_asked_though_a_set_holds_it() -> None:
    single, sets = DPSyn(LARGE, DELTA, (("a1",), ("a1", "a2"), ("a3",)))._questions(TWELVE)
    assert single == [("a1",), ("a3",)] and sets == [("a1", "a2")]


def test_pairs_of_as_many_cells_as_allowed() -> None:
    domain = Domain.from_cells("50x100x101")
    assert all_pairs(domain, 5000) == (("a1", "a2"), ("a3",))
    assert all_pairs(domain, 4999) == (("a1",), ("a2",), ("a3",))


def test_a_recoded_view_keeps_the_variance_of_a_count() -> None:
    view = recode_view(View(("a",), np.array([1.0, 2, 4]), 7.0), {"a": Recoding((0, 1, 0))})
    assert view.counts.tolist() == [5, 2] and view.variance == 7
