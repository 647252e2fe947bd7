"""Estimators: a new object a run, a table fitted, a table sampled."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

from audit.subjects.estimator import as_function
from audit.subjects.function import FunctionBox
from audit.subjects.isolated import IsolatedBox
from audit.subjects.loading import describe, prepare
from audit.subjects.pair import Pair
from audit.subjects.specs import Spec
from synthesizers.errors import InputError
from tests.audit.subjects import estimators

FOLDER = str(Path(__file__).parent)
MODULE = "tests.audit.subjects.estimators"
RECORDS = [{"sex": "m", "age": 3}, {"sex": "f", "age": None}, {"sex": "f", "age": 5}]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def test_an_estimator_is_fitted_on_the_table_of_the_records_and_asked_for_rows():
    table = as_function(estimators.Resampler, {}, 7)(RECORDS, rng())
    assert table.shape == (7, 2)
    assert list(table.columns) == ["sex", "age"]
    assert set(table["sex"]) <= {"m", "f"}


def test_every_run_makes_a_new_object():
    function = as_function(estimators.Accumulator, {}, 1)
    assert [function(RECORDS, rng()) for _ in range(3)] == [3, 3, 3]


def test_every_run_copies_an_object():
    made = estimators.Accumulator()
    function = as_function(made, {}, 1)
    assert [function(RECORDS, rng()) for _ in range(3)] == [3, 3, 3]
    assert made.seen == 0


@pytest.mark.parametrize(
    "estimator",
    [estimators.Resampler, estimators.Resampler(), estimators.Seeded, estimators.Seeded()],
)
def test_a_seed_that_nobody_set_comes_from_our_generator(estimator):
    function = as_function(estimator, {}, 20)
    first, again, other = (function(RECORDS, rng(seed)) for seed in (1, 1, 2))
    assert first.equals(again)
    assert not first.equals(other)


@pytest.mark.parametrize(
    "function",
    [
        as_function(estimators.Resampler, {"random_state": 4}, 20),
        as_function(estimators.Resampler(random_state=4), {}, 20),
    ],
)
def test_a_seed_that_was_set_stays_and_shows(function):
    assert function(RECORDS, rng(1)).equals(function(RECORDS, rng(2)))


def test_a_database_without_records_has_the_stated_columns():
    function = as_function(estimators.Columns, {}, 1, ("sex", "age"))
    assert function([], rng()) == function(RECORDS, rng()) == ["sex", "age"]


def test_parameters_reach_the_constructor():
    assert as_function(estimators.Scaled, {"factor": 3}, 2)(RECORDS, rng()) == 6


@pytest.mark.parametrize(
    ("estimator", "parameters", "rows"),
    [
        (estimators.Scaled, {}, 1),
        (estimators.Scaled, {"factor": 1, "other": 2}, 1),
        (estimators.Scaled(1), {"factor": 1}, 1),
        (estimators.Resampler, {}, -1),
    ],
)
def test_parameters_that_do_not_fit_are_refused(estimator, parameters, rows):
    with pytest.raises(InputError):
        as_function(estimator, parameters, rows)


def test_an_estimator_in_this_process_is_a_function_box():
    function = pickle.loads(pickle.dumps(as_function(estimators.FailsOnEmpty, {}, 5)))
    coins = np.array([False, True, False])
    found = FunctionBox("e", function, False).draw(Pair(RECORDS, []), coins, 1)
    assert [found.shapes[k].kind for k in found.of] == ["table", "raised", "table"]


def test_an_isolated_estimator_gives_the_tables_of_one_in_this_process():
    box = IsolatedBox("e", "estimators:Resampler", "estimator", folder=FOLDER, rows=4)
    coins = np.arange(10) % 2 == 0
    pair = Pair(RECORDS, RECORDS[:1])
    found = box.draw(pair, coins, 1)
    here = FunctionBox("e", as_function(estimators.Resampler, {}, 4), False).draw(pair, coins, 1)
    assert {shape.kind for shape in found.shapes} == {"table"}
    assert found.codes().tolist() == here.codes().tolist()
    assert box.block == 20


def test_other_tables_than_data_frames_come_out_as_they_are():
    function = as_function(estimators.Arrays, {}, 2)
    found = FunctionBox("e", function, False).draw(Pair(RECORDS, []), np.zeros(2, np.bool_), 1)
    assert [shape.kind for shape in found.shapes] == ["numbers"]
    assert np.asarray(found.blocks[0]).shape == (2, 4)


@pytest.mark.parametrize(
    ("subject", "rows", "parameters"),
    [
        ("Resampler", None, {}),
        ("Scaled", 3, {}),
        ("Scaled", 3, {"factor": "1", "more": "2"}),
        ("ready", 3, {"factor": "1"}),
        ("not_one", 3, {}),
    ],
)
def test_what_can_not_be_made_is_an_input_error(subject, rows, parameters):
    spec = Spec(f"{MODULE}:{subject}", "estimator", parameters, rows=rows)
    with pytest.raises(InputError):
        prepare(spec)


def test_a_class_and_an_object_of_a_module_are_estimators():
    for subject in ("Resampler", "ready"):
        assert describe(Spec(f"{MODULE}:{subject}", None, {})).form == "estimator"
        assert callable(prepare(Spec(f"{MODULE}:{subject}", "estimator", {}, rows=2)))
