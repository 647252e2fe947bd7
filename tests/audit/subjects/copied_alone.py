"""Functions that the caller holds: whatever they do to their process leaves the caller's alone.

A worker of pytest-xdist can't be copied, so that `test_forked.py` runs this file in a process of
its own.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from audit.subjects.copied import CopiedBox
from audit.subjects.function import FunctionBox
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from dp_audit import certify
from synthesizers.errors import ProtocolError

PAIR = Pair([0], [1])
COINS = np.arange(6) % 2 == 1


def leave() -> None:
    os._exit(3)


def leave_by_exception() -> None:
    sys.exit(3)


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def leave_a_child() -> None:
    if not os.fork():
        time.sleep(100)
        os._exit(0)
    os._exit(3)


def come_back_twice() -> None:
    if not os.fork():
        return
    os._exit(3)


def recurse() -> None:
    recurse()


def allocate() -> None:
    np.ones(2**50)


def print_much() -> None:
    for _ in range(40):
        print("x" * 2**20)
        os.write(2, b"x" * 2**20)
    raise ValueError


def close_all() -> None:
    os.closerange(0, 400)
    raise ValueError


def change_streams() -> None:
    sys.stdout = sys.stderr = None
    raise ValueError


ACTS = (
    leave,
    leave_by_exception,
    kill,
    leave_a_child,
    come_back_twice,
    recurse,
    allocate,
    print_much,
    close_all,
    change_streams,
)


def box(function: Callable[..., Any], batch: bool = False) -> CopiedBox:
    return CopiedBox(FunctionBox("f", function, batch))


def kinds(found: Outcomes) -> list[str]:
    return [found.shapes[shape].kind for shape in found.of]


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.__name__)
def test_what_a_run_does_to_its_process_is_its_outcome(act: Callable[[], None]) -> None:
    def function(database: list[int], rng: np.random.Generator) -> float:
        if database == [1]:
            act()
        return float(rng.random())

    found = box(function).draw(PAIR, COINS, 1)
    assert set(kinds(found)[::2]) == {"numbers"}
    assert set(kinds(found)[1::2]) <= {"ended", "raised"}


def test_runs_are_those_of_this_process() -> None:
    kept = np.random.default_rng(5)

    def function(database: list[int], rng: np.random.Generator) -> float:
        return database[0] + kept.random() + rng.random()

    copied = box(function)
    twice = [copied.draw(PAIR, COINS, seed).codes().tolist() for seed in (1, 1)]
    # What is kept from run to run goes on: the second call is no repetition.
    assert not set(twice[0]) & set(twice[1])
    assert [FunctionBox("f", function, False).draw(PAIR, COINS, 1).codes().tolist()] == twice[:1]


def test_a_batch_form_is_called_as_in_this_process() -> None:
    def function(database: list[int], rng: np.random.Generator, runs: int) -> Any:
        return database[0] + rng.random(runs)

    own = FunctionBox("f", function, True).draw(PAIR, COINS, 1).codes().tolist()
    assert box(function, True).draw(PAIR, COINS, 1).codes().tolist() == own


@pytest.mark.parametrize("act", [leave, kill], ids=lambda act: act.__name__)
def test_a_subject_that_ends_on_both_databases_is_refused_in_words(act: Callable[[], None]) -> None:
    def function(records: list[Any], rng: np.random.Generator) -> float:
        act()
        return 0.0

    with pytest.raises(ProtocolError, match=r"all of 5 runs failed: 5 ended \(died\)"):
        certify(function, "epsilon=1", neighbours="add-remove", cells=2, records=3, runs=60, seed=1)


def test_a_subject_that_ends_on_one_database_is_refuted() -> None:
    def function(records: list[Any], rng: np.random.Generator) -> float:
        if len(records) == 2:
            os._exit(3)
        return float(rng.integers(100))

    asked = {"neighbours": "add-remove", "cells": 2, "records": 3, "runs": 150, "seed": 1}
    found = certify(function, "epsilon=1", auditors="attack", **asked)
    assert found.exit_code == 1


@pytest.mark.parametrize("auditors", [None, "attack"])
@pytest.mark.parametrize("handed", [True, False], ids=["handed", "own"])
def test_noise_that_is_kept_for_each_database_accuses_nobody(
    auditors: str | None, handed: bool
) -> None:
    own, kept = np.random.default_rng(3), {}

    def function(records: list[Any], rng: np.random.Generator) -> int:
        key = repr(sorted(map(repr, records)))
        if key not in kept:
            drawn = (rng if handed else own).geometric(0.632, 2)
            kept[key] = len(records) + int(drawn[0] - drawn[1])
        return kept[key]

    asked = {"neighbours": "add-remove", "cells": 2, "records": 3, "runs": 1000, "seed": 1}
    found = certify(function, "epsilon=1", auditors=auditors, **asked)
    assert found.verdict == "INVALID RUN"


def test_an_exact_answer_is_no_kept_noise() -> None:
    asked = {"neighbours": "add-remove", "cells": 2, "records": 3, "runs": 1000, "seed": 1}
    found = certify(lambda records, rng: len(records), "epsilon=1", auditors="attack", **asked)
    assert found.verdict == "REFUTED"
