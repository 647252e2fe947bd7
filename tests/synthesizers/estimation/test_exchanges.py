"""Exchanges: what is judged, what is moved, and that targets which can be met are met."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synthesizers.estimation.exchanges import Standing, exchange, exchange_records
from synthesizers.estimation.gum import Rates, Stop
from synthesizers.estimation.record_targets import Codes, FloatArray, IntArray, RecordTarget
from synthesizers.estimation.view_records import gradually

SHAPE = (3, 2, 4)
SETS = ((0, 1), (1, 2), (2, 0), (2, 1, 0), (1,))


def targets_of(
    codes: Codes, shape: tuple[int, ...], sets: tuple[tuple[int, ...], ...]
) -> list[RecordTarget]:
    """The targets that some records meet."""
    found = []
    for columns in sets:
        sizes = tuple(shape[column] for column in columns)
        empty = RecordTarget(columns, sizes, np.zeros(math.prod(sizes), np.int64))
        found.append(RecordTarget(columns, sizes, empty.count_cells(empty.cells(codes))))
    return found


def drawn(rows: int, seed: int) -> Codes:
    random = np.random.default_rng(seed)
    columns = [random.integers(0, size, rows) for size in SHAPE]
    return np.asfortranarray(np.stack(columns, axis=1).astype(np.int32))


def surplus_of(codes: Codes, targets: list[RecordTarget]) -> IntArray:
    return np.concatenate(
        [target.count_cells(target.cells(codes)) - target.counts for target in targets]
    )


def apart(codes: Codes, targets: list[RecordTarget]) -> FloatArray:
    """How many records lie where they should not, and should lie where they do not, by target."""
    return np.array([np.abs(surplus_of(codes, [target])).sum() for target in targets], float)


def test_what_is_held_is_the_targets_own() -> None:
    codes, targets = drawn(50, 0), targets_of(drawn(50, 1), SHAPE, SETS)
    standing = Standing.of(codes, targets)
    for place, target in enumerate(targets):
        assert (standing.count_cells(place) == target.count_cells(target.cells(codes))).all()
        assert standing.distances()[place] == pytest.approx(target.distance(codes))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32), st.integers(1, 12), st.data())
def test_changes_are_made_where_the_weighted_distance_falls_by_each(
    seed: int, other: int, rows: int, data: st.DataObject
) -> None:
    codes, targets = drawn(12, seed), targets_of(drawn(12, other), SHAPE, SETS)
    weights = data.draw(st.lists(st.integers(1, 5), min_size=len(SETS), max_size=len(SETS)))
    before, standing = codes.copy(), Standing.of(codes, targets)
    columns = data.draw(st.sets(st.integers(0, 2)))
    wanted, expected = before[:rows].copy(), before.copy()
    for row in range(rows):
        for column in columns:
            wanted[row, column] = data.draw(st.integers(0, SHAPE[column] - 1))
        moved = before.copy()
        moved[row] = wanted[row]
        if np.array(weights) @ (apart(moved, targets) - apart(before, targets)) < 0:
            expected[row] = wanted[row]
    standing.change(np.arange(rows), wanted, np.array(weights, float))
    assert (codes == expected).all()
    assert (standing.surplus == surplus_of(codes, targets)).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 2**32), st.integers(0, 4), st.sampled_from([0.2, 1.0]))
def test_an_exchange_keeps_its_account_and_never_moves_a_target_alone_away(
    seed: int, other: int, place: int, rate: float
) -> None:
    codes, targets = drawn(60, seed), targets_of(drawn(60, other), SHAPE, SETS)
    target = targets[place]
    before = target.distance(codes)
    standing = Standing.of(codes, [target])
    exchange(standing, 0, rate, np.ones(1), np.eye(3), np.random.default_rng(seed))
    assert (standing.surplus == surplus_of(codes, [target])).all()
    # No more goes into a cell than it lacks, and at the rate 1 something does.
    assert target.distance(codes) <= before
    if rate == 1 and before:
        assert target.distance(codes) < before


def test_columns_that_hang_together_are_taken_together() -> None:
    # The records of the gaining cell have 1 in the second column, and 1 in the third.
    codes = np.array([[0, 0, 0]] * 6 + [[1, 1, 1]] * 2, np.int32, order="F")
    target = RecordTarget((0,), (2,), np.array([4, 4]))
    for hold, wanted in ((1.0, [1, 1, 0]), (0.0, [1, 0, 0])):
        holds = np.eye(3)
        holds[0, 1] = holds[1, 0] = hold
        records = codes.copy(order="F")
        standing = Standing.of(records, [target])
        exchange(standing, 0, 1.0, np.ones(1), holds, np.random.default_rng(0))
        changed = records[(records != codes).any(axis=1)]
        assert changed.tolist() == [wanted] * 2


def test_others_that_lose_more_keep_a_record_where_it_is() -> None:
    # The first column's target wants a 1 more, the pair's has all it wants, and weighs more.
    for weight, moved in ((3, False), (0.1, True)):
        codes = np.array([[0, 0], [0, 0], [1, 1]], np.int32, order="F")
        targets = [
            RecordTarget((0,), (2,), np.array([1, 2])),
            *targets_of(codes, (2, 2), ((0, 1),)),
        ]
        standing = Standing.of(codes, targets)
        weights = np.array([1.0, weight])
        exchange(standing, 0, 1.0, weights, np.eye(2), np.random.default_rng(0))
        assert (targets[0].distance(codes) == 0) == moved


def test_records_take_from_those_that_agree_in_a_column_of_the_target() -> None:
    """Cells (0, k) have ten too many, cells (1, k) lack as many, and the second column weighs most.

    In the order of the first column hardly any pair agrees in the second, in its own order all do.
    None of six draws is the second with chance 1/64, and the seeds are fixed.
    """
    cells = [[first, k] for first in (0, 0, 1) for k in range(10)]
    codes = np.array(cells * 10, np.int32, order="F")
    targets = [
        RecordTarget((0, 1), (2, 10), np.repeat([10, 20], 10)),
        RecordTarget((1,), (10,), np.full(10, 30)),
    ]
    left = []
    for seed in range(6):
        records = codes.copy(order="F")
        standing = Standing.of(records, targets)
        random = np.random.default_rng(seed)
        exchange(standing, 0, 1.0, np.array([1.0, 100.0]), np.eye(2), random)
        assert targets[1].distance(records) == 0
        left.append(targets[0].distance(records))
    assert min(left) == 0


def chained(rows: int, seed: int) -> tuple[Codes, tuple[int, ...]]:
    """Records of columns that follow from one another, nearly: (0, 1, 2) in a ring, and (3, 4)."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 12, rows)
    y = np.where(random.random(rows) < 0.9, x, random.integers(0, 12, rows))
    z = (x + y + random.integers(0, 2, rows)) // 3
    v = random.integers(0, 5, rows)
    w = (v * 2 + (x > 5)) % 7
    return np.asfortranarray(np.stack([x, y, z, v, w], axis=1).astype(np.int32)), (12, 12, 9, 5, 7)


def test_targets_that_can_be_met_are_met() -> None:
    truth, shape = chained(20_000, 0)
    sets = ((0, 1), (1, 2), (0, 2), (3, 4), (4, 0), (2, 3, 4))
    targets = targets_of(truth, shape, sets)
    told: list[tuple[int, float]] = []
    codes = gradually(
        targets, [0.0] * 6, 5, 20_000, Rates(), Stop(40, 0.02), np.random.default_rng(3),
        lambda done, distance: told.append((done, distance)),
    )  # fmt: skip
    reached = max(target.distance(codes) for target in targets)
    assert reached <= 0.02
    assert [done for done, _ in told] == list(range(1, len(told) + 1)) and told[-1][1] == reached
    # Nothing is left to do, so that nothing is done.
    before = codes.copy()
    again = exchange_records(
        codes, targets, Rates(), np.eye(5), Stop(5, 0.02), np.random.default_rng(0)
    )
    assert again == reached and (codes == before).all()


def test_equal_generators_give_equal_records() -> None:
    truth, shape = chained(500, 1)
    targets = targets_of(truth, shape, ((0, 1), (1, 2), (3, 4), (0, 4)))
    one, other = (
        gradually(targets, [0.0] * 4, 5, 500, Rates(), Stop(3), np.random.default_rng(7))
        for _ in range(2)
    )
    assert (one == other).all()


def test_a_round_that_gains_little_is_the_last() -> None:
    # One column, whose targets contradict each other: no round after the first gains anything.
    codes = np.zeros((100, 1), np.int32, order="F")
    targets = [
        RecordTarget((0,), (2,), np.array(counts, np.int64)) for counts in ((40, 60), (60, 40))
    ]
    told: list[int] = []

    def tell(done: int, _distance: float) -> None:
        told.append(done)

    for stop in (Stop(9, 0.0, 0.1), Stop(9)):
        again = codes.copy(order="F")
        exchange_records(again, targets, Rates(), np.eye(1), stop, np.random.default_rng(1), tell)
    assert told[:2] == [1, 2] and told[2:] == list(range(1, 10))
