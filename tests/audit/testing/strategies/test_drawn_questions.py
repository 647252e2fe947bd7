"""Queries, events and programs: declared, enumerable, of every kind."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st

from audit.channels.enumerate import channel_of
from audit.testing.strategies import (
    Pipeline,
    amounts,
    budgets,
    claims,
    domains,
    events,
    marginals,
    measurements,
    noises,
    pipelines,
    public_laws,
    queries,
    relations,
    run_settings,
    scores,
    selections,
    table_laws,
)
from proofs.guarantees import ApproxDP
from synthesizers.budget import PureBudget, UnlimitedBudget, ZCDPBudget
from synthesizers.curator import Setting
from synthesizers.declared import NOISES, QUERIES, TABLE_LAWS, require_declared
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import BudgetExceeded, InputError
from synthesizers.events import Databases, Event, Measure
from synthesizers.neighbours import AddRemove, Neighbours
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import Total, answers_of_histograms
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run

quick = settings(max_examples=30, deadline=None, derandomize=True, database=None)
thorough = settings(
    quick, max_examples=3000, phases=(Phase.generate, Phase.shrink), report_multiple_bugs=False
)
SMALL = Domain.from_cells("2x2")


@quick
@given(domains(), st.data())
def test_events_are_declared_and_can_be_answered(domain: Domain, data: st.DataObject) -> None:
    event = data.draw(events(domain, max_width=64))
    require_declared(event)
    rows = np.eye(domain.size, dtype=np.int64)
    for coordinate in event.coordinates(Databases(domain, rows)):
        assert np.allclose(coordinate.floats.sum(axis=0), 1)


@quick
@given(domains(max_cells=200, max_values=20), st.integers(2, 50), st.data())
def test_questions_keep_their_bounds(domain: Domain, width: int, data: st.DataObject) -> None:
    found = data.draw(measurements(domain, max_width=width))
    one = np.zeros((1, domain.size), np.int64)
    assert 2 <= found.width(Databases(domain, one)) <= width
    most = data.draw(st.integers(1, 30))
    query = data.draw(queries(domain, max_answers=most))
    assert answers_of_histograms(query, domain, one).shape == (1, query.size(domain))
    assert query.size(domain) <= most
    assert data.draw(scores(domain, max_candidates=most)).size(domain) <= most


@pytest.mark.slow
def test_every_declared_class_is_drawn() -> None:
    for kinds, strategy in (
        (NOISES, noises()),
        (QUERIES, queries(SMALL)),
        (TABLE_LAWS, table_laws(SMALL)),
    ):
        for kind in kinds:
            find(strategy, lambda value, k=kind: type(value) is k, settings=thorough)
    for name in ("measure", "select", "sanitize", "draw"):
        find(events(SMALL), lambda e, n=name: e.kind == n, settings=thorough)


def test_questions_shrink_to_the_simplest() -> None:
    assert find(queries(SMALL), lambda q: True, settings=thorough) == Total()
    assert find(noises(), lambda n: True, settings=thorough).to_json() == {
        "law": "discrete-laplace",
        "scale": "1",
    }
    assert find(amounts(), lambda a: a != 1, settings=thorough) == 2
    assert find(amounts(max_amount=50), lambda a: a > 7, settings=thorough) == 8
    assert find(claims(), lambda c: True, settings=thorough).guarantee == ApproxDP(Fraction(1))
    found = find(pipelines(SMALL), lambda p: type(p.question) is Measure, settings=thorough)
    assert found.then == () and found.question.query == Total()


def depth(program: Pipeline) -> int:
    return 1 + max((depth(step) for step in program.then), default=0)


def test_adaptive_programs_are_drawn_and_kept_within_bounds() -> None:
    drawn = pipelines(SMALL, max_questions=3, max_branches=3)
    adaptive = find(drawn, lambda p: len(p.then) > 1, settings=thorough)
    assert depth(adaptive) == 2 and len(adaptive.then) == 2
    find(drawn, lambda p: depth(p) == 3, settings=thorough)

    @settings(quick, max_examples=15)
    @given(drawn)
    def bounded(program: Pipeline) -> None:
        assert depth(program) <= 3 and len(program.then) <= 3

    bounded()


@settings(quick, max_examples=15)
@given(relations(), st.data())
def test_a_pipeline_runs_is_enumerated_and_keeps_its_own_budget(
    relation: Neighbours, data: st.DataObject
) -> None:
    domain = Domain.from_cells("2")
    program = data.draw(pipelines(domain, max_questions=2))
    setting = Setting.of(domain, relation, 1)
    budget = program.budget(setting)
    found = channel_of(program, setting, size=1, budget=budget).channel
    data_set = Dataset.from_histogram(domain, found.databases[0])
    if relation.unit.is_record:
        made = run(program, data_set, setting, budget, InsecureSeededEntropy(1))
        assert tuple(made.output) in found.outputs


def test_a_pipelines_budget_is_that_of_its_dearest_path() -> None:
    dear, cheap = (
        Measure(Total(), DiscreteLaplace(scale), 0, 2) for scale in (Fraction(1, 2), Fraction(2))
    )
    program = Pipeline(cheap, (Pipeline(cheap), Pipeline(dear)))
    setting = Setting.of(SMALL, AddRemove(), 2)
    assert program.budget(setting) == PureBudget(Fraction(5, 2))
    with pytest.raises(BudgetExceeded):
        channel_of(program, setting, budget=PureBudget(Fraction(12, 5)))
    free: Event = find(events(SMALL), lambda e: e.kind == "draw", settings=thorough)
    assert Pipeline(free).budget(setting) == PureBudget(Fraction(0))


def test_budgets_and_settings_of_every_kind_are_drawn() -> None:
    for kind in (PureBudget, ZCDPBudget, UnlimitedBudget):
        find(budgets(), lambda b, k=kind: type(b) is k, settings=thorough)
    found = find(run_settings(SMALL, AddRemove(), min_records=3), lambda s: True, settings=thorough)
    assert (found.records, found.rows) == (None, 3)


@pytest.mark.parametrize(
    "refused",
    [
        lambda: noises(min_amount=0),
        lambda: noises(min_amount=3, max_amount=2),
        lambda: selections(min_rate=-1),
        lambda: amounts(max_amount=0.5),
        lambda: marginals(SMALL, max_answers=1),
        lambda: queries(SMALL, max_answers=0),
        lambda: scores(SMALL, max_candidates=0),
        lambda: pipelines(SMALL, max_questions=0),
        lambda: pipelines(SMALL, max_branches=-1),
        lambda: public_laws(max_options=0),
        lambda: run_settings(SMALL, AddRemove(), min_records=2, max_records=1),
    ],
)
def test_impossible_bounds_are_refused_at_once(refused: Any) -> None:
    with pytest.raises(InputError):
        refused()
