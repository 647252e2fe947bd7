"""Models and measurements as functions."""

from __future__ import annotations

import numpy as np
import pytest

from audit.subjects.forms import form_of
from audit.subjects.mapped import as_run, read_input
from audit.subjects.models import is_model, release_of
from synthesizers.errors import InputError
from tests.audit.auditors.stability import transformations

RECORDS = [{"x": 1, "label": 0}, {"x": 2, "label": 1}, {"x": 6, "label": 1}]


class Scaler:
    def __init__(self, factor=1.0):
        self.factor = factor

    def fit(self, X, y=None):
        self.means_, self._kept_ = X.mean(axis=0) * self.factor, X
        return self

    def transform(self, X):
        return X

    def get_params(self, deep=True):
        return {"factor": self.factor}


class Classifier(Scaler):
    released = ("shares",)

    def fit(self, X, y):
        self.shares = {label: float(np.mean(X[y == label])) for label in sorted(set(y))}
        return self


class Synthesizer(Scaler):
    def sample(self, rows):
        return rows


def test_a_model_releases_what_fitting_leaves():
    release = as_run(Scaler)
    assert form_of(release) == "function"
    assert release(RECORDS, None)["means_"].tolist() == [3, 2 / 3]
    assert list(release(RECORDS, None)) == ["means_"]
    assert release(RECORDS, None, factor=2.0)["means_"].tolist() == [6, 4 / 3]


def test_an_object_is_made_anew_with_its_parameters():
    release = release_of(Scaler(factor=3.0))
    assert release(RECORDS, None)["means_"].tolist() == [9, 2]


def test_labels_are_the_last_attribute_where_they_are_asked_for():
    assert as_run(Classifier)(RECORDS, None) == {"shares": {"0.0": 1.0, "1.0": 4.0}}


def test_what_gives_tables_is_no_model():
    assert not is_model(Synthesizer)
    assert as_run(Synthesizer) is Synthesizer


def test_a_model_is_fitted_on_numbers():
    with pytest.raises(InputError, match="numbers"):
        as_run(Scaler)([{"x": "blue"}], None)


@pytest.mark.parametrize(
    ("database", "atom", "given"),
    [
        ([{"cell": "3"}, {"cell": 4}], "i32", [3, 4]),
        ([{"cell": "3"}], "f64", [3.0]),
        ([{"cell": None}], "String", [None]),
        (2, "f64", 2.0),
        (True, "bool", True),
        ([1, 2], "i32", [1, 2]),
    ],
)
def test_a_measurement_is_given_values_of_its_domain(database, atom, given):
    assert read_input(database, atom) == given


def test_a_measurement_is_a_function_and_a_transformation_is_none():
    assert form_of(as_run(transformations.measured)) == "function"
    assert isinstance(as_run(transformations.measured)([{"cell": "3"}], None), int)
    with pytest.raises(InputError, match="releases nothing"):
        as_run(transformations.total)
    with pytest.raises(InputError, match="one attribute"):
        as_run(transformations.measured)([{"a": 1, "b": 2}], None)
