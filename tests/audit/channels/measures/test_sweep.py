"""What a sweep shows of every pair and column, against the exact chances."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from audit.channels.channel import Channel
from audit.channels.columns import Block
from audit.channels.measures.sweep import Chunk, group_pairs, ratios, sweep
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit, databases
from tests.audit.channels.slow_measures import (
    channel_of_rows,
    entries,
    fractions,
    rational_channels,
)

F = Fraction


class Recorder:
    """Keeps what it is shown: (source, target, column) -> ends of P, Q and P/Q."""

    def __init__(self) -> None:
        self.shown: dict[tuple[int, int, int], dict[str, tuple[Fraction | float, Any]]] = {}
        self.finished = 0

    def add(self, chunk: Chunk) -> None:
        width = chunk.block.lower.shape[1]
        assert len(set(chunk.sources.tolist())) == len(chunk.sources)
        assert len(set(chunk.targets.tolist())) == len(chunk.targets)
        down, up = 1 - F(chunk.error), 1 + F(chunk.error)
        for pair in range(len(chunk.sources)):
            for place in range(width):
                key = (
                    int(chunk.sources[pair]),
                    int(chunk.targets[pair]),
                    chunk.block.first + place,
                )
                assert key not in self.shown
                low, high = chunk.low, chunk.high
                self.shown[key] = {
                    "p": (F(low.p[pair, place]) * down, F(high.p[pair, place]) * up),
                    "q": (F(high.q[pair, place]) * down, F(low.q[pair, place]) * up),
                    "ratio": (
                        float(low.ratio[pair, place]) * (1 - chunk.ratio_error),
                        float(high.ratio[pair, place]) * (1 + chunk.ratio_error),
                    ),
                }

    def finish_block(self, block: Block) -> None:
        self.finished += 1


def recorded(channel: Any, pairs: Any = None) -> Recorder:
    listed, groups = group_pairs(channel, channel.pairs if pairs is None else pairs)
    recorder = Recorder()
    sweep(channel, listed, groups, [recorder])
    return recorder


def require_enclosed(recorder: Recorder, chances: list[list[Fraction]]) -> None:
    for (source, target, column), ends in recorder.shown.items():
        p, q = chances[source][column], chances[target][column]
        assert ends["p"][0] <= p <= ends["p"][1]
        assert ends["q"][0] <= q <= ends["q"][1]
        low, high = ends["ratio"]
        if p == q == 0:
            assert low <= 1 <= high
        elif q == 0:
            assert math.isinf(high)
        else:
            assert low <= p / q <= high
            assert not math.isinf(low)


@given(rational_channels())
def test_every_pair_meets_every_column_once(channel: Channel) -> None:
    recorder = recorded(channel)
    keys = {(min(a, b), max(a, b), column) for a, b, column in recorder.shown}
    pairs = {tuple(pair) for pair in channel.pairs.tolist()}
    assert keys == {(*pair, column) for pair in pairs for column in range(len(channel.outputs))}
    assert len(keys) == len(recorder.shown)
    require_enclosed(recorder, fractions(channel))


@pytest.mark.parametrize("chunk", [1, 3, 7, 1 << 16])
@pytest.mark.parametrize("block", [1, 2, 128])
def test_any_cut_shows_the_same(chunk: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [[F(1, 2), F(1, 4), F(1, 4)], [F(1, 3), F(2, 3), F(0)], [F(1, 5), F(0), F(4, 5)]]
    channel = channel_of_rows(rows)
    monkeypatch.setattr("audit.channels.measures.sweep.CHUNK", chunk)
    monkeypatch.setattr("audit.channels.channel.BLOCK", block)
    recorder = recorded(channel)
    assert recorder.finished == -(-3 // block)
    assert len(recorder.shown) == 2 * 3
    require_enclosed(recorder, rows)


@pytest.mark.parametrize(
    ("neighbours", "cells", "records"),
    [
        (ReplaceOne(), 3, 4),
        (AddRemove(), 2, 3),
        (AddRemove(Unit("person", 2)), 2, 3),
        (ReplaceOne(Unit("person", 2)), 2, 3),
    ],
)
def test_groups_cut_the_pairs_by_their_step(neighbours: Any, cells: int, records: int) -> None:
    rows = databases(neighbours, cells, records)
    chances = np.full((len(rows), 1), 1.0)
    domain = channel_of_rows([[F(1)]]).domain
    channel = Channel(domain, neighbours, rows, ((0,),), chances, chances)
    pairs, groups = group_pairs(channel, channel.pairs)
    assert sorted(map(tuple, pairs.tolist())) == sorted(map(tuple, channel.pairs.tolist()))
    assert [part for group in groups for part in range(group.start, group.stop)] == list(
        range(len(pairs))
    )
    for group in groups:
        assert len(np.unique(pairs[group, 0])) == len(np.unique(pairs[group, 1]))
        assert len(np.unique(pairs[group, 0])) == group.stop - group.start
        steps = rows[pairs[group, 1]] - rows[pairs[group, 0]]
        assert len(np.unique(steps, axis=0)) == 1


class Uniform:
    """A channel whose blocks know their chances within one relative error."""

    def __init__(self, channel: Channel, chances: Any, error: float) -> None:
        self.pairs, self.databases = channel.pairs, channel.databases
        self._chances, self._error = chances, error

    def blocks(self) -> Any:
        yield Block(0, self._chances, self._chances, self._error)


def test_one_array_with_an_error_encloses_too() -> None:
    rows = [[F(1, 2), F(1, 2), F(0)], [F(1, 3), F(1, 3), F(1, 3)], [F(1), F(0), F(0)]]
    channel = channel_of_rows(rows)
    generator = np.random.default_rng(5)
    error = 1e-6
    for _ in range(20):
        wrong = 1 + error * generator.uniform(-0.999, 0.999, (3, 3))
        chances = np.array([[float(value) for value in row] for row in rows]) * wrong
        require_enclosed(recorded(Uniform(channel, chances, error)), rows)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (F(1, 10**200), F(1, 10**250)),
        (F(1, 10**400), F(1, 10**420)),
        (F(1, 2), F(1, 10**400)),
        (F(1, 10**400), F(1, 2)),
        (F(1, 10**700), F(1, 10**10)),
        (F(1, 10**400), F(0)),
    ],
)
def test_chances_of_any_size_have_their_quotient(p: Fraction, q: Fraction) -> None:
    rows = [[p, 1 - p], [q, 1 - q]]
    channel = channel_of_rows(rows)
    recorder = recorded(channel)
    require_enclosed(recorder, rows)
    ((key, ends),) = [(k, e) for k, e in recorder.shown.items() if k[2] == 0]
    low, high = ends["ratio"]
    first, second = rows[key[0]][0], rows[key[1]][0]
    if second == 0:
        assert low == math.inf
    elif first and F(1, 10**300) < first / second < 10**300:
        assert high <= low * (1 + 1e-12)


def test_a_quotient_beyond_the_doubles_is_not_infinite_from_below() -> None:
    rows = [[F(1, 2), F(1, 2)], [F(1, 10**320), 1 - F(1, 10**320)]]
    recorder = recorded(channel_of_rows(rows))
    low, high = recorder.shown[(0, 1, 0)]["ratio"]
    assert not math.isinf(low) and math.isinf(high)


def test_ratios_of_one_pair() -> None:
    rows = [[F(1, 2), F(1, 2), F(0)], [F(1, 4), F(0), F(3, 4)]]
    channel = channel_of_rows(rows)
    ((first, side),) = list(ratios(channel, 0, 1))
    assert first == 0
    assert side.ratio[0, 0] == pytest.approx(2)
    assert side.ratio[0].tolist()[1:] == [math.inf, 0.0]
    assert entries(channel)[0][0] == F(1, 2)
