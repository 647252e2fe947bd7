"""Every metric that is built in: its name, its modes, its range, and what a table scores itself."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from audit.utility.catalogue import METRICS, metric_named
from audit.utility.metric import FIXED, Metric
from audit.utility.pair import Pair
from audit.utility.parameters import parameter_names, plan_metric
from audit.utility.records import Records, of_frame
from audit.utility.score import Score
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from tests.audit.utility.mixed_tables import MIXED, frame

PEOPLE = Domain("people", MIXED.attributes, individual="id")

PARAMETERS: Mapping[str, Mapping[str, object]] = {
    "longitudinal-k-marginal": {"period": "sex"},
    "validity": {"rules": ["age < 10 -> rooms in [1, 2]", "sex = 1 or wage is present"]},
    "edge-map": {"origin": "colour", "destination": "type"},
    "hoc": {"attributes": ["type", "sex"]},
    "sprint-3-total": {"origin": "colour", "destination": "type", "shift": "sex"},
    "pie-chart": {"place": "colour", "period": "sex", "type": "type"},
    "inv-pie": {"place": "colour", "period": "sex", "type": "type"},
    "inequality": {"city": "colour", "sex": "sex", "wage": "wage"},
    "nist-2018-total": {"city": "colour", "sex": "sex", "wage": "wage"},
    "train-on-synthetic": {"target": "sex"},
    "interval-overlap": {"outcome": "sex", "predictors": ["rooms", "age"]},
}
"""What metrics need that cannot be taken without parameters."""

NO_PERFECTION = {
    # The largest per cent of its subsamples, which is said to be a lower bound.
    "subsample-equivalent": (90.0, 90.0),
    # About 0 if the null holds, and a copy is nearer than its null.
    "standardised-pmse": (-math.inf, 0.0),
    # A model that has seen the tested records may do better than one that has not.
    "train-on-synthetic": (-1.0, 0.0),
    # The share of records that the rules allow, which need not be all of a real table.
    "validity": (0.0, 1.0),
    # The percentage points above those of a coin.
    "po50": (0.0, 0.0),
}
"""Metrics of which a table's score against itself is not the best end, and where it lies."""

WRONG_DRAWS: tuple[list[object], ...] = (
    [-1],
    [1.5],
    [math.nan],
    [None],
    [True],
    ["x"],
    [[]],
    [{"a": 1}],
    [["no such column"]],
    [[["colour", 99]]],
    [{"row": 10**30}],
)
"""Draws of no metric's form, or of no table's."""


def people(seed: int, records: int) -> Records:
    """Persons of three records each."""
    table = frame(seed, records).assign(id=np.arange(records) // 3)
    return of_frame(table, PEOPLE)


def metric(name: str) -> Metric:
    return plan_metric(METRICS[name], PARAMETERS.get(name, {}), metric_named)


@pytest.fixture(scope="module")
def itself() -> Pair:
    table = people(0, 240)
    return Pair.of(table, table, PEOPLE)


@pytest.fixture(scope="module")
def other() -> Pair:
    return Pair.of(people(0, 240), people(1, 150), PEOPLE)


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_found_by_its_own_name(name: str) -> None:
    found = metric_named(name)
    assert type(found) is METRICS[name] and found.name == name
    assert name == name.lower() and " " not in name and "." not in name


def test_an_unknown_name_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(InputError, match="there is no metric 'nothing'; there are total-variation"):
        metric_named("nothing")


@pytest.mark.parametrize("name", METRICS)
def test_its_first_line_says_what_it_is(name: str) -> None:
    first = (METRICS[name].__doc__ or "").splitlines()[0]
    assert first.endswith(".") and 20 < len(first) <= 100


@pytest.mark.parametrize("name", METRICS)
def test_its_range_has_two_ends_and_a_better_one(name: str) -> None:
    found = METRICS[name]
    assert found.lowest < found.highest
    assert found.direction in ("higher", "lower")


@pytest.mark.parametrize("name", METRICS)
def test_it_can_be_made_in_each_of_its_modes(name: str) -> None:
    modes = METRICS[name].modes
    assert modes[0] == FIXED == metric_named(name).mode and len(set(modes)) == len(modes)
    for mode in modes:
        assert METRICS[name](mode=mode).mode == mode
    with pytest.raises(InputError, match=f"{name}: the mode must be one of"):
        METRICS[name](mode="no-such-program")


@pytest.mark.parametrize("name", METRICS)
def test_no_parameter_is_called_as_what_a_plan_cannot_set(name: str) -> None:
    assert {"mode", "given", "name"}.isdisjoint(parameter_names(METRICS[name]))
    with pytest.raises(InputError, match=name):
        plan_metric(METRICS[name], {"no such parameter": 1}, metric_named)


@pytest.mark.parametrize("name", METRICS)
def test_a_table_scores_itself_best(name: str, itself: Pair) -> None:
    found = metric(name)
    found.check(PEOPLE)
    score = found.score(itself)
    assert score.undefined is None and score.value is not None
    if name in NO_PERFECTION:
        least, most = NO_PERFECTION[name]
        assert least <= score.value <= most
    else:
        best = score.highest if score.direction == "higher" else score.lowest
        assert score.value == pytest.approx(best, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", METRICS)
def test_another_table_scores_within_the_range_and_the_same_again(name: str, other: Pair) -> None:
    found = metric(name)
    score = found.score(other)
    assert score.value is not None and math.isfinite(score.value)
    assert score.lowest <= score.value <= score.highest
    assert (score.mode, score.direction) == (FIXED, METRICS[name].direction)
    assert len(score.parts) in (0, len(score.drawn))
    assert _numbers(found.score(other)) == _numbers(score)


@pytest.mark.parametrize("name", METRICS)
def test_the_marginals_that_it_wants_are_marginals(name: str) -> None:
    for names in metric(name).marginals_read(PEOPLE):
        assert names == tuple(n for n in PEOPLE.names if n in names)


@pytest.mark.parametrize("name", METRICS)
def test_its_draws_given_back_give_its_numbers_back(name: str, other: Pair) -> None:
    found = metric(name)
    score = found.score(other)
    if not score.drawn:
        with pytest.raises(InputError, match=name):
            found.with_draws([["colour"]])
        return
    given = found.with_draws(score.drawn)
    given.check(PEOPLE)
    assert _numbers(given.score(other)) == _numbers(score)
    for wrong in WRONG_DRAWS:
        with pytest.raises(InputError):
            refused = found.with_draws(wrong)
            refused.check(PEOPLE)
            refused.score(other)


def _numbers(score: Score) -> tuple[object, ...]:
    return score.value, score.standard_error, score.parts, score.drawn
