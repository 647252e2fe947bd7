"""Outputs of very many numbers: what is looked at is bounded, and said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from audit.auditors.attack.columns.columns import FOREMOST, MOST_KEYS, columns_for
from audit.auditors.attack.columns.number_columns import HELD_AT_ONCE, NumberColumns
from audit.statements.certificate_json import encode
from audit.subjects.outcomes import (
    MOST_NUMBERS,
    WIDE,
    Outcomes,
    count_numbers,
    places_looked_at,
)
from audit.subjects.pair import Pair
from audit.subjects.runs import Runs
from audit.subjects.wire import Received, Writer
from dp_audit import certify

PAIR = Pair([], [1])
FAR = 98_765


def keys_of(values: Any, coins: Any) -> list[str]:
    runs = Runs(Outcomes.of_batch(values, len(coins)), coins)
    families = columns_for(runs, PAIR).families
    (numbers,) = [one for one in families if isinstance(one, NumberColumns) and one.features]
    return [one.name for one in numbers.features if one.what == "value"]


def test_one_far_number_that_tells_is_among_those_that_are_learned_from() -> None:
    random = np.random.default_rng(1)
    coins = random.random(200) < 0.5
    values = random.laplace(size=(200, 100_000))
    values[:, FAR] += coins
    found = keys_of(values, coins)
    assert len(found) == MOST_KEYS < FOREMOST
    assert f"coordinate {FAR + 1}" in found


def test_of_longer_outputs_an_even_spread_is_looked_at_and_named_by_its_places() -> None:
    length = MOST_NUMBERS * 3 + 7
    places = places_looked_at(length)
    assert len(np.unique(places)) == MOST_NUMBERS
    assert (places[0], places[-1]) == (0, length - 1)
    found = Outcomes.of_outputs([np.arange(length, dtype=np.float64)])
    assert np.array_equal(found.blocks[0][0], places)
    assert count_numbers(found) == (MOST_NUMBERS, length)
    assert count_numbers(Outcomes.of_outputs([np.zeros(MOST_NUMBERS)])) is None
    received = Received()
    frames, at = Writer().frames(found), 0
    while at < len(frames):
        number, size = int.from_bytes(frames[at : at + 4], "little", signed=True), frames[at + 4 :]
        size = int.from_bytes(size[:8], "little")
        received.take(number, frames[at + 12 : at + 12 + size], 1)
        at += 12 + size
    assert np.array_equal(received.outcomes().blocks[0], found.blocks[0])
    coins = np.arange(100) % 2 == 1
    values = np.random.default_rng(1).laplace(size=(100, length))
    values[:, places[1000]] = coins
    assert f"coordinate {places[1000] + 1}" in keys_of(values, coins)


@pytest.mark.parametrize("width", [3, WIDE + 1])
def test_digests_are_of_the_row_alone(width: int) -> None:
    rows = np.random.default_rng(1).random((5, width))
    codes = Outcomes.of_batch(rows, 5).codes()
    assert np.array_equal(codes[2:3], Outcomes.of_batch(rows[2:3], 1).codes())
    rows[2, -1] = 0.5
    assert Outcomes.of_batch(rows, 5).codes()[2] != codes[2]


def test_what_whole_outputs_give_does_not_depend_on_the_outputs_beside_them() -> None:
    width = HELD_AT_ONCE // 2 - 1
    rows = np.random.default_rng(1).normal(size=(5, width))
    runs = Runs(Outcomes.of_batch(rows, 5), np.arange(5) % 2 == 1)
    columns = columns_for(runs, PAIR)
    one = runs.take(np.array([3])).outcomes
    assert np.array_equal(columns.matrix(runs.outcomes)[3:4], columns.matrix(one))


def test_a_certificate_says_how_many_numbers_were_looked_at() -> None:
    length = MOST_NUMBERS + 1

    def wide(records: Any, rng: np.random.Generator) -> Any:
        return np.full(length, len(records) + rng.laplace())

    found = certify(
        wide,
        "epsilon=1",
        neighbours="add-remove",
        pair=([], [1]),
        runs=30,
        seed=1,
        auditors="attack",
    )
    replay = encode(found.certificate.evidence[0].replay)
    assert replay["numbers"] == [MOST_NUMBERS, length]
    assert f"Of the {length:,} numbers of an output {MOST_NUMBERS:,} were looked at" in (
        " ".join(str(found).split())
    )
