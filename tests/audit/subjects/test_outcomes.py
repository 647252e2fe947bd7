"""Outcomes: whatever a run gave, told apart exactly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from audit.subjects.outcomes import Ended, Outcomes, Raised, Shape
from synthesizers.errors import InputError

ALIKE_NEVER = [
    0.0,
    -0.0,
    math.nan,
    math.inf,
    1,
    1.0,
    True,
    np.float32(1),
    2**60,
    2**60 + 1,
    10**400,
    "1",
    "\ud800",
    b"1",
    None,
    [1.0, 2.0],
    (1.0, 2.0),
    [1, 2],
    [1.0, 2.0, 3.0],
    np.array([1.0, 2.0]),
    np.array([[1.0], [2.0]]),
    {"a": 1},
    {"a": 1.0},
    {"a": True},
    {1: 1},
    {"1": 1},
    [1, "a"],
    [True, 2],
    [1.0, 2],
    1j,
    -1j,
    [1j, 2],
    np.array([1j]),
    {1, 2},
    pd.DataFrame({"a": [1, 2]}),
    pd.DataFrame({"a": [2, 1]}),
    pd.DataFrame({"a": [1.0, 2.0]}),
    pd.DataFrame({"b": [1, 2]}),
    pd.DataFrame({"a": ["1", "2"]}),
    pd.DataFrame({"a": [1]}),
    Raised("ValueError"),
    Raised("KeyError"),
    Ended("time"),
    Ended("died"),
]


def test_different_outputs_have_different_codes_and_equal_ones_the_same() -> None:
    once = Outcomes.of_outputs(ALIKE_NEVER)
    again = Outcomes.of_outputs(list(reversed(ALIKE_NEVER)))
    assert len(set(once.codes().tolist())) == len(ALIKE_NEVER)
    assert once.codes().tolist() == again.codes().tolist()[::-1]


def test_a_generator_or_an_object_is_known_by_its_type_alone() -> None:
    found = Outcomes.of_outputs([object(), object(), (x for x in "ab")])
    assert found.shapes == (Shape("other", "object"), Shape("other", "generator"))


def test_taking_and_joining_keep_every_outcome_in_its_place() -> None:
    whole = Outcomes.of_outputs(ALIKE_NEVER)
    chosen = np.random.default_rng(1).permutation(len(whole))
    assert whole.take(chosen).codes().tolist() == whole.codes()[chosen].tolist()
    mask = np.arange(len(whole)) % 3 == 0
    parts = [whole.take(mask), whole.take(~mask)]
    order = [*np.flatnonzero(mask), *np.flatnonzero(~mask)]
    assert Outcomes.join(parts).codes().tolist() == whole.codes()[order].tolist()
    assert len(Outcomes.join([])) == 0


@pytest.mark.parametrize(
    "batch",
    [
        np.linspace(0, 1, 6),
        np.arange(12).reshape(6, 2),
        np.array([2**60, 2**60 + 1, 0, 1, 2, 3]),
        ["a", "b", "a", None, 1, 2.0],
        [[1, 2], [3], [], [1.0], "x", {}],
        [pd.DataFrame({"a": [k]}) for k in range(6)],
    ],
)
def test_a_batch_is_read_as_its_items_are(batch: Any) -> None:
    found = Outcomes.of_batch(batch, 6)
    single = Outcomes.of_outputs(list(batch))
    assert found.codes().tolist() == single.codes().tolist()


def test_a_series_and_a_frame_are_batches_of_values_and_of_rows() -> None:
    assert len(Outcomes.of_batch(pd.Series([1, 2]), 2)) == 2
    assert len(Outcomes.of_batch(pd.DataFrame({"a": [1, 2], "b": [3, 4]}), 2)) == 2


@pytest.mark.parametrize("batch", [None, 3.0, "abcd", [1, 2], np.zeros(4), np.float64(1), iter([])])
def test_a_batch_of_another_number_of_outputs_is_refused(batch: object) -> None:
    with pytest.raises(InputError, match="must return a list or an array of 3 outputs"):
        Outcomes.of_batch(batch, 3)


def test_an_empty_batch_has_no_outcomes() -> None:
    assert len(Outcomes.of_batch(np.zeros(0), 0)) == len(Outcomes.of_batch([], 0)) == 0


def test_an_outcome_is_told_in_words_and_cut() -> None:
    found = Outcomes.of_outputs(
        [1.5, (1, 0), "x" * 200, Raised("KeyError"), pd.DataFrame({"a": [1]})]
    )
    told = [found.text(run) for run in range(len(found))]
    assert told[:2] == ["1.5", "(1.0, 0.0)"]
    assert len(told[2]) == 80
    assert told[3:] == ["raised KeyError", "a table of 1 rows"]
