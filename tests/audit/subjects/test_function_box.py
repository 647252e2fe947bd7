"""Functions in this process: what comes out of each run, and what never carries over."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

from audit.subjects.forms import form_of
from audit.subjects.function import BATCH_BLOCK, SINGLE_BLOCK, FunctionBox, in_two_calls
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from synthesizers.errors import InputError, ProtocolError
from tests.audit.subjects import hostile_functions as hostile

PAIR = Pair([{"a": 1}], [])
COINS = np.array([False, True, True, False, True, False, False])


def texts(outcomes: Outcomes) -> list[str]:
    return [outcomes.text(run) for run in range(len(outcomes))]


def shown(function, pair: Pair = PAIR, coins=COINS, batch: bool = False) -> list[str]:
    return texts(FunctionBox("f", function, batch).draw(pair, coins, 3))


def test_each_run_is_on_the_database_of_its_coin():
    assert shown(hostile.size) == ["1.0", "0.0", "0.0", "1.0", "0.0", "1.0", "1.0"]


def test_a_batch_form_gives_each_run_the_database_of_its_coin():
    def sizes(database, rng, runs):
        return np.full(runs, float(len(database)))

    assert shown(sizes, batch=True) == ["1.0", "0.0", "0.0", "1.0", "0.0", "1.0", "1.0"]


def test_the_outputs_of_a_call_are_given_to_its_runs_in_their_order():
    def places(database, rng, runs):
        return [f"{len(database)} {place}" for place in range(runs)]

    found = shown(places, batch=True)
    assert found == ["'1 0'", "'0 0'", "'0 1'", "'1 1'", "'0 2'", "'1 2'", "'1 3'"]


@pytest.mark.parametrize("coins", [np.ones(4, np.bool_), np.zeros(4, np.bool_)])
def test_a_database_without_runs_is_not_handed_to_a_batch_form(coins):
    def sizes(database, rng, runs):
        return [(len(database), runs)] * runs

    assert shown(sizes, coins=coins, batch=True) == ["(0.0, 4.0)" if coins[0] else "(1.0, 4.0)"] * 4


def test_no_runs_at_all_are_no_outcomes():
    for batch in (False, True):
        box = FunctionBox("f", hostile.noisy_batch if batch else hostile.noisy, batch)
        assert len(box.draw(PAIR, np.zeros(0, np.bool_), 1)) == 0


def test_which_database_a_batch_form_sees_first_is_a_fair_coin():
    # 400 seeds; a fair coin falls outside 140..260 with probability 2 exp(-2 * 60² / 400) < 1e-7.
    first = 0
    for seed in range(400):
        seen = []

        def call(second, runs, place, seen=seen):
            seen.append(second)
            return Outcomes.of_outputs([0] * runs)

        in_two_calls(call, COINS, seed)
        assert sorted(seen) == [False, True]
        first += seen[0]
    assert 140 <= first <= 260


def test_the_number_of_runs_of_a_call_does_not_tell_which_database_has_more():
    asked = []

    def call(second, runs, place):
        asked.append(runs)
        return Outcomes.of_outputs([0] * runs)

    in_two_calls(call, COINS, 1)
    assert asked == [4, 4]


def test_the_same_seed_gives_the_same_outcomes_and_another_one_others():
    for batch in (False, True):
        box = FunctionBox("f", hostile.noisy_batch if batch else hostile.noisy, batch)
        codes = [box.draw(PAIR, COINS, seed).codes().tolist() for seed in (1, 1, 2)]
        assert codes[0] == codes[1]
        assert not set(codes[0]) & set(codes[2])


def test_no_two_runs_share_their_random_numbers():
    for batch in (False, True):
        box = FunctionBox("f", hostile.noisy_batch if batch else hostile.noisy, batch)
        codes = box.draw(Pair([1], [2]), np.arange(1000) % 2 == 0, 1).codes()
        assert len(set(codes.tolist())) == 1000


def test_a_fixed_seed_of_the_functions_own_shows():
    assert len(set(shown(hostile.fixed_seed))) == 1


def test_the_global_random_numbers_are_left_alone():
    before = np.random.get_state()[1].tolist()
    shown(hostile.noisy)
    shown(hostile.noisy_batch, batch=True)
    assert np.random.get_state()[1].tolist() == before


def test_a_function_that_changes_its_input_changes_no_later_run():
    pair = Pair([{"a": 1}, {"a": 2}], [{"a": 5}])
    found = FunctionBox("f", hostile.mutates, False).draw(pair, COINS, 1)
    codes = found.codes()
    assert len(set(codes[COINS].tolist())) == len(set(codes[~COINS].tolist())) == 1
    assert pair.first == [{"a": 1}, {"a": 2}]
    assert pair.second == [{"a": 5}]


def test_a_batch_form_that_changes_its_input_leaves_the_pair_as_it_is():
    def changing(database, rng, runs):
        database.append(1)
        return [len(database)] * runs

    pair = Pair([0, 0], [0])
    box = FunctionBox("f", changing, True)
    assert texts(box.draw(pair, COINS, 1)) == texts(box.draw(pair, COINS, 1))
    assert (pair.first, pair.second) == ([0, 0], [0])


def test_an_output_that_a_later_run_overwrites_stays_as_it_was_returned():
    buffer = np.zeros(1)

    def counting(database, rng):
        buffer[0] += 1
        return buffer

    assert shown(counting) == [str(float(run)) for run in range(1, 8)]


def test_a_function_that_raises_on_one_database_has_told_which():
    found = FunctionBox("f", hostile.raises_on_one, False).draw(PAIR, COINS, 1)
    assert texts(found) == ["raised KeyError" if coin else "1.0" for coin in COINS]
    assert "secret" not in repr(found.shapes)


def test_a_function_that_leaves_python_has_raised():
    assert shown(hostile.leaves_python) == ["raised SystemExit" if c else "1.0" for c in COINS]


def test_a_batch_form_that_raises_is_run_one_by_one():
    # One exception as the outcome of thousands of runs would be one coin counted as thousands.
    found = FunctionBox("f", hostile.raises_in_batches, True).draw(PAIR, COINS, 1)
    assert {shape.kind for shape in found.shapes} == {"numbers"}
    assert len(set(found.codes().tolist())) == len(COINS)


def test_a_batch_form_that_always_raises_on_one_database_has_told_which():
    for function in (hostile.raises_always, hostile.exits_in_batches):
        found = shown(function, batch=True)
        assert [text.startswith("raised") for text in found] == COINS.tolist()


def test_ctrl_c_ends_the_audit():
    with pytest.raises(KeyboardInterrupt):
        shown(hostile.interrupts)


@pytest.mark.parametrize(
    "function",
    [
        hostile.too_few,
        lambda database, rng, runs: 3,
        lambda database, rng, runs: "text" * 4,
        lambda database, rng, runs: None,
        lambda database, rng, runs: np.float64(3),
    ],
)
def test_a_batch_form_that_does_not_return_one_output_a_run_breaks_the_protocol(function):
    with pytest.raises(ProtocolError, match="4 outputs, one a run"):
        shown(function, batch=True)


def test_a_batch_of_ragged_lists_is_one_output_a_run():
    box = FunctionBox("f", hostile.lists_of_all_lengths, True)
    assert len(box.draw(PAIR, COINS, 1)) == len(COINS)


def test_outputs_of_all_kinds_are_told_apart():
    coins = np.zeros(400, np.bool_)
    found = FunctionBox("f", hostile.all_kinds, False).draw(PAIR, coins, 1)
    # Each of 10 kinds is missed by 400 runs with probability 0.9^400 < 1e-18.
    assert len(set(found.codes().tolist())) == 10


def test_blocks_are_larger_for_batch_forms_and_boxes_pickle():
    single = pickle.loads(pickle.dumps(FunctionBox("f", hostile.size, False)))
    batch = pickle.loads(pickle.dumps(FunctionBox("g", hostile.too_few, True)))
    assert (single.name, single.block) == ("f", SINGLE_BLOCK)
    assert (batch.name, batch.block) == ("g", BATCH_BLOCK)


@pytest.mark.parametrize("database", [3, 2.5, "text", None, True, {"a": [1]}, [1, 2]])
def test_a_database_that_is_no_list_is_handed_over_as_it_is(database):
    found = []
    box = FunctionBox("f", lambda database, rng: found.append(database), False)
    box.draw(Pair(database, database), COINS[:1], 1)
    assert found == [database]
    assert type(found[0]) is type(database)


class Fits:
    def fit(self, table):
        return self

    def sample(self, rows):
        return pd.DataFrame()


@pytest.mark.parametrize(
    ("subject", "form"),
    [
        (hostile.program, "program"),
        (hostile.size, "function"),
        (hostile.scaled, "function"),
        (hostile.too_few, "batch"),
        (hostile.Counter, "function"),
        (hostile.Counter(1), "function"),
        (Fits, "estimator"),
        (Fits(), "estimator"),
        (lambda curator, more=3: 0, "program"),
        (lambda database, rng=None: 0, "function"),
        (lambda database, rng, runs=1: 0, "batch"),
        (lambda database, rng, *more, **others: 0, "function"),
    ],
)
def test_what_a_callable_is_follows_from_its_parameters(subject, form):
    assert form_of(subject) == form


@pytest.mark.parametrize(
    "subject",
    [
        3,
        object,
        "text",
        hostile.four,
        lambda: 0,
        lambda database, rng, epsilon: 0,
        lambda database, runs: 0,
        lambda database, rng, *, epsilon: 0,
        max,
    ],
)
def test_anything_else_is_refused_with_what_is_expected(subject):
    with pytest.raises(InputError, match=r"f.*\(database, rng\).*fit and sample"):
        form_of(subject)
