"""MST, NIST-MST and AIM on stated answers: what is merged, chosen, priced and fitted, by hand."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.events import Measure, Select
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.programs.aim import Aim
from synthesizers.programs.marginal_questions import model_counts
from synthesizers.programs.mst import Mst
from synthesizers.programs.nist_mst import NistMst
from synthesizers.queries import Marginal, ModelError, RecodedMarginal
from tests.synthesizers.programs.answering import on_answers, on_counts
from tests.synthesizers.truthful import dependent_records

DELTA = Fraction(1, 10**6)
# So large an epsilon that no value is rare.
LARGE = Fraction(10**6)
SIX = Domain.from_cells("2x3")
MANY = 10**5


def costs(curator: Curator) -> list[Fraction]:
    """The rho of each question."""
    found = [event.cost(curator.domain, curator.neighbours).rho for event in curator.ledger]
    return [rho for rho in found if rho is not None]


def asked(curator: Curator) -> list[Any]:
    """The measured queries."""
    return [event.query for event in curator.ledger if isinstance(event, Measure)]


def fits(program: Any, monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[Any], float, int]]:
    """What models of a program will be fitted to: attributes, total and steps of each."""
    seen: list[tuple[list[Any], float, int]] = []
    module = sys.modules[type(program).__module__]
    true = module.fit_model

    def fitted(shape: Any, noisy: Any, total: float, steps: int, *rest: Any, **named: Any) -> Any:
        seen.append(([one.attributes for one in noisy], total, steps))
        return true(shape, noisy, total, steps, *rest, **named)

    monkeypatch.setattr(module, "fit_model", fitted)
    return seen


@pytest.mark.parametrize(
    ("program", "times", "choice"),
    [
        # Two marginals have a third of rho: variance 3/rho; of NIST-MST a half: 2/rho.
        (Mst(Fraction(1), DELTA, 5), 3, [(0,)]),
        (NistMst(Fraction(1), DELTA, steps=5), 2, []),
    ],
    ids=["mst", "nist-mst"],
)
def test_values_below_three_deviations_are_merged(
    program: Any, times: int, choice: list[tuple[int, ...]]
) -> None:
    three = 3 * float(times / program.rho) ** 0.5
    above, below = round(three) + 1, round(three) - 1
    answers = [(MANY, below, above, below), (MANY, MANY), *choice, (MANY,) * 6]
    setting = Setting.of(Domain.from_cells("4x2"), AddRemove(), MANY)
    _, curator = on_answers(program, setting, answers)
    assert asked(curator)[2] == RecodedMarginal(("a1", "a2"), ((0, 2, 1, 2), (0, 1)))


def test_exempt_values_are_not_merged() -> None:
    program = NistMst(Fraction(1), DELTA, exempt=("a1",), steps=5)
    setting = Setting.of(Domain.from_cells("4x3"), AddRemove(), MANY)
    _, curator = on_answers(program, setting, [(MANY, 0, 0, 0), (0, MANY, 0), (1,) * 8])
    assert asked(curator)[2] == RecodedMarginal(("a1", "a2"), ((0, 1, 2, 3), (1, 0, 1)))


ONES = [(20, 20), (20, 20, 20)]


@pytest.mark.parametrize(
    ("program", "answers", "rows"),
    [
        # Totals 40 of two cells and 60 of three, of equal variance: (40/2 + 60/3)/(1/2 + 1/3).
        (Mst(LARGE, DELTA, 5), [*ONES, (0,), (20,) * 6], 48),
        (NistMst(LARGE, DELTA, steps=5), [*ONES, (20,) * 6], 48),
        # AIM counts its later answers too: ones at 9/10 of rho/3, then 120 of six cells at 9/10 of
        # what is left, 4/10: (40·0.15 + 60·0.1 + 120·0.06)/0.31.
        (Aim(LARGE, DELTA, rounds=3, steps=5, last_steps=5), [*ONES, (2,), (20,) * 6], 62),
    ],
    ids=["mst", "nist-mst", "aim"],
)
def test_rows_that_nobody_states_are_the_weighted_mean_of_totals(
    program: Any, answers: Sequence[Sequence[int]], rows: int
) -> None:
    output, _ = on_answers(program, Setting.of(SIX, AddRemove(), None), answers)
    assert output.records == rows


def test_mst_scores_by_single_attributes_and_fits_all(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Mst(LARGE, DELTA, 5)
    seen = fits(program, monkeypatch)
    on_answers(program, Setting.of(SIX, ReplaceOne(), 50), [*ONES, (0,), (20,) * 6])
    ones = [("a1",), ("a2",)]
    assert seen == [(ones, 50, 5), ([*ones, ("a1", "a2")], 50, 5)]


def test_choices_of_mst_join_parts_of_the_forest() -> None:
    setting = Setting.of(Domain.from_cells("2x2x2x2"), ReplaceOne(), 40)
    # The first pair of all; then the third of five, a2 with a3, so that a1 and a3 are joined.
    answers = [*[(20, 20)] * 4, (0,), (2,), (1,), *[(10,) * 4] * 3]
    _, curator = on_answers(Mst(LARGE, DELTA, 5), setting, answers)
    scores = [event.scores for event in curator.ledger if isinstance(event, Select)]
    offered = [
        [
            f"{candidate.attributes[0][1]}{candidate.attributes[1][1]}"
            for candidate in one.candidates
        ]
        for one in scores
        if isinstance(one, ModelError)
    ]
    assert offered == [
        ["12", "13", "14", "23", "24", "34"], ["13", "14", "23", "24", "34"], ["14", "24", "34"]
    ]  # fmt: skip
    found = [query.attributes for query in asked(curator)[4:]]
    assert found == [("a1", "a2"), ("a2", "a3"), ("a2", "a4")]


def test_one_attribute_of_nist_mst_takes_all() -> None:
    program = NistMst(LARGE, DELTA, steps=5)
    _, curator = on_answers(
        program, Setting.of(Domain.from_cells("3"), AddRemove(), 6), [(1, 2, 3)]
    )
    assert costs(curator) == [program.rho]


def test_nist_mst_fits_all_and_prices_its_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    program = NistMst(LARGE, DELTA, doubled=("a2",), steps=5)
    seen = fits(program, monkeypatch)
    setting = Setting.of(Domain.from_cells("2x2x2"), AddRemove(), 40)
    _, curator = on_answers(program, setting, [*[(20, 20)] * 3, *[(10,) * 4] * 2])
    # Half of rho by the squares of 1, 2 and 1; half on the pairs of neighbours in the domain.
    shares = [Fraction(1, 12), Fraction(4, 12), Fraction(1, 12), Fraction(1, 4), Fraction(1, 4)]
    assert costs(curator) == [program.rho * share for share in shares]
    (fit,) = seen
    assert fit[0] == [("a1",), ("a2",), ("a3",), ("a1", "a2"), ("a2", "a3")]


def test_nist_mst_spends_on_what_it_keeps_of_its_list() -> None:
    # With the third pair the model is one clique of 24 cells; 6 + 12 without.
    listed = (("a1", "a2"), ("a2", "a3"), ("a1", "a3"))
    program = NistMst(LARGE, DELTA, listed, cells=20, steps=5)
    setting = Setting.of(Domain.from_cells("2x3x4"), AddRemove(), 240)
    answers = [(120,) * 2, (80,) * 3, (60,) * 4, (40,) * 6, (20,) * 12]
    _, curator = on_answers(program, setting, answers)
    assert [query.attributes for query in asked(curator)[3:]] == list(listed[:2])
    assert costs(curator)[3:] == [program.rho / 4] * 2


def test_a_round_of_aim_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Aim(LARGE, DELTA, rounds=3, steps=5, last_steps=7)
    seen = fits(program, monkeypatch)
    _, curator = on_answers(program, Setting.of(SIX, ReplaceOne(), 40), [*ONES, (2,), (20,) * 6])
    choice = curator.ledger[2]
    assert isinstance(choice, Select) and isinstance(choice.scores, ModelError)
    # The pair shares two attributes with the one marginal of the workload.
    assert choice.scores.weights == (1, 1, 2)
    assert asked(curator) == [Marginal(("a1",)), Marginal(("a2",)), Marginal(("a1", "a2"))]
    # Nine tenths of a third each; the first round is the last, and takes the 4/10 that are left.
    parts = [float(cost / program.rho) for cost in costs(curator)]
    assert parts == pytest.approx([0.3, 0.3, 0.04, 0.36])
    assert [steps for _, _, steps in seen] == [5, 7]


def test_aim_pays_more_after_rounds_that_taught_nothing() -> None:
    program = Aim(Fraction(1), DELTA, rounds=12, steps=200, last_steps=200)
    setting = Setting.of(Domain.from_cells("2x2"), ReplaceOne(), 2000)
    told = [(2,), (900, 100, 100, 900)]
    _, curator = on_answers(program, setting, [(1000, 1000), (1000, 1000), *told * 4])
    rounds = [float(12 * sum(costs(curator)[k : k + 2]) / program.rho) for k in (2, 4, 6, 8)]
    # The first round moves the model, no other one does: a twelfth, the same, four times as much,
    # and the last takes what is left beside the 1.8 of the single attributes.
    assert rounds == pytest.approx([1, 1, 4, 4.2])


def test_aim_offers_what_fits_beside_what_was_measured() -> None:
    # Of 20 cells a share as large as what is spent by then: 12, 15 and 20. Beside the pair of 6
    # and that of 8 the one of 12 closes a triangle of 24.
    program = Aim(LARGE, DELTA, rounds=6, cells=20, steps=20, last_steps=20)
    setting = Setting.of(Domain.from_cells("2x3x4"), ReplaceOne(), 240)
    first, second = (90, 30, 0, 0, 30, 90), (60, 60, 0, 0, 0, 0, 60, 60)
    answers = [(120,) * 2, (80,) * 3, (60,) * 4, (3,), first, (4,), second, (4,), second]
    _, curator = on_answers(program, setting, answers)
    offered = [len(event.scores.candidates) for event in curator.ledger
               if isinstance(event, Select) and isinstance(event.scores, ModelError)]  # fmt: skip
    assert offered == [5, 5, 5]


def test_scores_are_asked_with_the_nearest_whole_counts_of_a_model() -> None:
    assert model_counts(np.array([0.4, 0.6, 7.0])) == (0, 1, 7)


def test_rounds_of_aim_by_default() -> None:
    program = Aim(Fraction(3), DELTA, steps=2, last_steps=2)
    data = dependent_records(500, Domain.from_cells("2x2"), 1)
    _, curator = on_counts(program, Setting.of(data.domain, AddRemove(), 500), data, lambda _: 0)
    # 16 rounds an attribute.
    assert costs(curator)[:2] == [Fraction(9, 10) * program.rho / 32] * 2


@pytest.mark.parametrize(("cells", "offered"), [(1142, 2), (1143, 3)])
def test_the_model_of_aim_grows_with_what_is_spent(cells: int, offered: int) -> None:
    # Two single attributes have cost nine tenths of a round each, of 32; with the next round the
    # model may hold 2.8/32 of the cells. The pair has 100.
    program = Aim(Fraction(3), DELTA, cells=cells, steps=2, last_steps=2)
    data = dependent_records(500, Domain.from_cells("10x10"), 1)
    _, curator = on_counts(program, Setting.of(data.domain, AddRemove(), 500), data, lambda _: 0)
    choice = curator.ledger[2]
    assert isinstance(choice, Select) and isinstance(choice.scores, ModelError)
    assert len(choice.scores.candidates) == offered
