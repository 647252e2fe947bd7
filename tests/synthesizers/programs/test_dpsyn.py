"""DPSyn: what it asks, how it recodes, and what it makes of true answers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.programs.dpsyn import DPSyn
from synthesizers.queries import Marginal, RecodedMarginal
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.truthful import dependent_records, largest_distance, truthful

DELTA = Fraction(1, 10**9)


def asked(program: DPSyn, data: Dataset, neighbours: Neighbours) -> tuple[Dataset, Curator]:
    setting = Setting.of(data.domain, neighbours, data.records)
    curator = Curator(setting, program.budget(setting), truthful(data))
    return program(curator), curator


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_all_marginals_share_one_noise_and_spend_all(neighbours: Neighbours) -> None:
    data = dependent_records(60, Domain.from_cells("2x9x3x2"), 0)
    sets = (("a1", "a2"), ("a2", "a3"))
    program = DPSyn(Fraction(1), DELTA, sets, least_count=5, rounds=2)
    output, curator = asked(program, data, neighbours)
    assert output.records == 60
    questions = [event for event in curator.ledger if isinstance(event, Measure)]
    # a2 has nine values and is recoded; a4 stands in no set.
    assert [question.query.attributes for question in questions] == [("a2",), ("a4",), *sets]
    assert isinstance(questions[0].query, Marginal)
    (noise,) = {question.noise for question in questions}
    rho = program.budget(curator.setting).rho
    m = neighbours.unit.max_records
    each = m * m * (1 if neighbours == AddRemove(neighbours.unit) else 2)
    assert noise.variance == 4 * each / (2 * rho)
    # A single group leaves a marginal of a lower price.
    assert curator.spent.rho <= rho
    recoded = [question.query for question in questions[2:]]
    assert all(isinstance(query, RecodedMarginal) for query in recoded)


def test_rare_values_are_put_together_or_left_out_by_the_threshold() -> None:
    domain = Domain.from_cells("4x2")
    counts = np.array([[400, 100], [20, 10], [200, 50], [15, 5]])
    data = Dataset.from_histogram(domain, counts.ravel())
    pair = (("a1", "a2"),)
    # At epsilon = 10^6 the noise is small, so that the threshold is the least count.
    for least, groups in ((50, (0, 2, 1, 2)), (60, (0, -1, 1, -1)), (260, (0, 1, 1, 1))):
        program = DPSyn(Fraction(10**6), DELTA, pair, least_count=least, recode_from=4)
        output, curator = asked(program, data, AddRemove())
        (query,) = (
            e.query for e in curator.ledger
            if isinstance(e, Measure) and isinstance(e.query, RecodedMarginal)
        )  # fmt: skip
        assert query.groups == (groups, (0, 1))
        found = output.histogram().reshape(4, 2)
        assert found.sum() == 800
        if -1 in groups:
            assert (found[[1, 3]] == 0).all()
            assert abs(found[0, 0] / found.sum() - 400 / 750) < 0.01
        else:
            # Binomial of 50 and 2/5: outside of these with chance below 1e-4.
            assert 5 <= found[3].sum() <= 35


def test_the_threshold_is_four_and_a_half_deviations_where_that_is_more() -> None:
    domain = Domain.from_cells("3x2")
    data = Dataset.from_histogram(domain, np.array([500, 500, 60, 60, 60, 60]))
    groups = []
    for rho_epsilon in ("1/2", "3"):
        program = DPSyn(
            Fraction(rho_epsilon), DELTA, (("a1", "a2"),), least_count=0, recode_from=3, rounds=1
        )
        _, curator = asked(program, data, AddRemove())
        question = curator.ledger[1]
        assert isinstance(question, Measure) and isinstance(question.query, RecodedMarginal)
        groups.append(question.query.groups[0])
        # Two marginals: variance 1/rho, so 4.5 deviations are 73 at epsilon 1/2 and 13 at 3.
    assert groups == [(0, 1, 2), (0, 1, 2)]
    loud = DPSyn(Fraction(1, 5), DELTA, (("a1", "a2"),), least_count=0, recode_from=3, rounds=1)
    question = asked(loud, data, AddRemove())[1].ledger[1]
    assert isinstance(question, Measure) and isinstance(question.query, RecodedMarginal)
    assert question.query.groups[0] == (0, 1, 1)


@pytest.mark.parametrize("updater", ["gum", "mcf"])
def test_true_answers_become_records_of_nearly_the_same_pairs(updater: str) -> None:
    data = dependent_records(4000, Domain.from_cells("2x3x3x2"), 2)
    program = DPSyn(Fraction(1), DELTA, updater=updater, rounds=40)
    output, curator = asked(program, data, AddRemove())
    assert len([e for e in curator.ledger if isinstance(e, Measure)]) == 6
    pairs = [(a, b) for a in range(4) for b in range(a)]
    assert largest_distance(data, output, pairs) < {"gum": 0.02, "mcf": 0.1}[updater]


def test_pairs_of_too_many_cells_are_left_out_by_default() -> None:
    domain = Domain.from_cells("2x80x100")
    single, sets = DPSyn(Fraction(1), DELTA)._questions(domain)
    assert sets == [("a1", "a2"), ("a1", "a3")]
    assert single == [("a2",), ("a3",)]


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"rate": Fraction(0)}, "rate must be above 0"),
        ({"rate": Fraction(2)}, "rate must be above 0"),
        ({"marginals": (("a", "b"), ("b", "a"))}, "once"),
        ({"marginals": (("a", "a"),)}, "different"),
        ({"delta": Fraction(0)}, "delta"),
    ],
)
def test_parameters_that_do_not_fit(parameters: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        DPSyn(**{"epsilon": Fraction(1), "delta": DELTA, **parameters})


def test_unknown_attributes_are_refused_before_any_question() -> None:
    data = dependent_records(5, Domain.from_cells("2x2"), 0)
    setting = Setting.of(data.domain, AddRemove(), 5)
    program = DPSyn(Fraction(1), DELTA, (("a1", "sex"),))
    curator = Curator(setting, program.budget(setting), truthful(data))
    with pytest.raises(InputError, match="no attribute 'sex'"):
        program(curator)
    assert curator.ledger == ()
