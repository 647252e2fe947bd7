"""Answers that are kept are those that are counted anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers import true_answers
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.queries import (
    CellErrors,
    Marginal,
    ModelError,
    Query,
    RecodedMarginal,
    TableDistances,
    Total,
    answer,
)
from synthesizers.true_answers import TrueAnswers

DOMAIN = Domain.from_cells("2x3x2")
TABLES = (
    Marginal(("a1",)),
    Marginal(("a2",)),
    Marginal(("a2", "a1")),
    Marginal(("a1", "a2")),
    RecodedMarginal(("a2",), ((0, 0, 1),)),
    RecodedMarginal(("a2",), ((0, -1, 1),)),
)

RECORDS = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1)), max_size=9)


@st.composite
def scored_queries(draw: st.DrawFn) -> Query:
    """Scores of some of the tables against models drawn at random."""
    tables = draw(st.lists(st.sampled_from(TABLES), min_size=1, max_size=4))
    models = tuple(
        tuple(draw(st.integers(-5, 9)) for _ in range(table.size(DOMAIN))) for table in tables
    )
    plain = tuple(table for table in tables if isinstance(table, Marginal))
    if draw(st.booleans()) or len(plain) < len(tables):
        weights = tuple(range(1, len(tables) + 1)) if draw(st.booleans()) else ()
        return ModelError(tuple(tables), models, weights)
    if draw(st.booleans()):
        numbers = sum(models, ())
        return TableDistances(plain, (numbers, numbers[::-1]), draw(st.integers(1, 3)))
    cells = tuple(tuple(range(len(model)))[::-1] for model in models)
    return CellErrors(plain, cells, models, draw(st.integers(1, 3)))


@given(RECORDS, st.lists(scored_queries(), min_size=1, max_size=5))
def test_every_answer_is_that_of_the_query(
    records: list[tuple[int, int, int]], queries: list[Query]
) -> None:
    data = Dataset(DOMAIN, np.array(records, np.int64).reshape(-1, 3))
    truth = TrueAnswers(data)
    for query in (*queries, *TABLES, Total(), *queries):
        assert truth(query).tolist() == answer(query, data).tolist()


def test_an_answer_that_is_changed_by_its_reader_changes_no_other() -> None:
    data = Dataset(DOMAIN, np.zeros((4, 3), np.int64))
    truth = TrueAnswers(data)
    query = ModelError((TABLES[0],), ((0, 0),))
    truth(TABLES[0])[:] = 99
    truth(query)[:] = 99
    assert truth(query).tolist() == [4]


def test_tables_beyond_the_limit_are_counted_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Query] = []

    def watched(query: Query, dataset: Dataset) -> object:
        counted.append(query)
        return answer(query, dataset)

    monkeypatch.setattr(true_answers, "answer", watched)
    monkeypatch.setattr(true_answers, "MAX_ANSWERS", 3)
    truth = TrueAnswers(Dataset(DOMAIN, np.zeros((4, 3), np.int64)))
    query = ModelError((TABLES[0], TABLES[1]), ((0, 0), (0, 0, 0)))
    truth(query)
    truth(query)
    assert counted == [TABLES[0], TABLES[1], TABLES[1]]


def test_a_model_that_does_not_fit_is_refused() -> None:
    truth = TrueAnswers(Dataset(DOMAIN, np.zeros((4, 3), np.int64)))
    with pytest.raises(InputError, match="needs 2 counts, found 3"):
        truth(ModelError((TABLES[0],), ((0, 0, 0),)))
