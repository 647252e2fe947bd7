"""The first runs of a subject: what fails ends in seconds, says why, and keeps secrets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from audit.auditors.attack.independence.starting import CALL, FIRST, start
from audit.subjects.function import FunctionBox
from audit.subjects.outcomes import Ended, Outcomes
from audit.subjects.pair import Pair
from synthesizers.errors import ProtocolError

PAIRS = (Pair([1], [2]), Pair(["1"], ["2"]), Pair([1, 2], [2, 1]))


class Counted:
    """A function of one database as a box that counts its runs."""

    def __init__(self, function: Callable[[Any], object], pieces: int = 500) -> None:
        self.runs = 0
        self.function = function
        self.name = "counted"
        self.block = pieces

    def draw(self, pair: Pair, coins: NDArray[np.bool_], seed: int) -> Outcomes:
        self.runs += len(coins)
        return Outcomes.of_outputs(
            [self.function((pair.first, pair.second)[int(coin)]) for coin in coins]
        )


def test_five_identical_failures_on_each_pair_end_it() -> None:
    """However many runs are asked for: none of them is made."""
    box = Counted(lambda database: Ended("exit code 1"))
    with pytest.raises(ProtocolError, match=r"all of 15 runs failed: 15 ended \(exit code 1\)"):
        start(box, PAIRS, 3, True, print)
    assert box.runs == FIRST * len(PAIRS)


def test_runs_that_never_end_are_not_tried_on_other_pairs() -> None:
    box = Counted(lambda database: Ended("time"))
    with pytest.raises(ProtocolError, match="all of 5 runs failed"):
        start(box, PAIRS, 3, True, print)
    assert box.runs == FIRST


def test_failures_that_differ_are_left_to_the_attack() -> None:
    """One exit code on either database gives it away."""
    told: list[str] = []
    box = Counted(lambda database: Ended(f"exit code {database[0]}"))
    start(box, PAIRS, 3, True, told.append)
    assert told == ["a run failed: ended (exit code 1) in phase run"]


def test_a_subject_that_reads_one_encoding_alone_is_told_and_goes_on() -> None:
    def reads_texts(database: Any, rng: np.random.Generator) -> int:
        return len(database[0].strip())

    told: list[str] = []
    start(FunctionBox("f", reads_texts, False), PAIRS, 3, True, told.append)
    (line,) = told
    place = f"test_starting.py:{reads_texts.__code__.co_firstlineno + 1}"
    assert f"raised AttributeError at {place} in phase run: 'int' object has no" in line


def test_what_works_is_told_nothing_of_and_its_runs_are_timed() -> None:
    told: list[str] = []
    box = Counted(lambda database: 1.0)
    assert start(box, PAIRS, 3, True, told.append) > 0
    assert box.runs == FIRST
    assert told == []


def test_a_batch_form_is_timed_by_a_call_of_its_own() -> None:
    box = Counted(lambda database: 1.0, pieces=50_000)
    start(box, PAIRS, 3, True, print)
    assert box.runs == FIRST + CALL


def failing(database: Any, rng: np.random.Generator) -> float:
    raise KeyError(f"patient {database[0]}")


def test_a_confidential_database_is_not_quoted_and_one_that_is_public_is() -> None:
    box = FunctionBox("f", failing, False)
    place = f"test_starting.py:{failing.__code__.co_firstlineno + 1}"
    with pytest.raises(ProtocolError) as hidden:
        start(box, [Pair(["Ann"], ["Bob"])], 3, False, print)
    assert f"raised KeyError at {place} in phase run" in str(hidden.value)
    assert "--data-is-public" in str(hidden.value)
    assert not any(word in str(hidden.value) for word in ("Ann", "Bob", "patient"))
    with pytest.raises(ProtocolError, match="patient Ann"):
        start(box, [Pair(["Ann"], ["Bob"])], 3, True, print)


def test_without_a_pair_nothing_runs() -> None:
    box = Counted(lambda database: 1.0)
    assert start(box, [], 3, True, print) == 0
    assert box.runs == 0
