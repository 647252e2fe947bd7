"""Streamed channels against the same channels held whole."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from audit.channels.enumerate import channel_of, instance
from audit.channels.streamed import StreamedChannel, streamed_channel
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.errors import ProtocolError, TooLargeError
from synthesizers.exact import enclose, is_zero
from synthesizers.laws.subsample import Subsample
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs import build
from synthesizers.queries import Total

pytestmark = pytest.mark.smoke

CASES: list[tuple[str, dict[str, str], Neighbours, str, int]] = [
    ("multinomial-dirichlet", {"alpha": "1/2"}, ReplaceOne(), "3", 5),
    ("multinomial-dirichlet", {"alpha": "1,2,3"}, ReplaceOne(), "3", 4),
    ("multinomial-dirichlet", {"posterior": "mean"}, AddRemove(), "2", 6),
    ("subsample", {"fraction": "1/2"}, ReplaceOne(), "3", 4),
    ("subsample", {"fraction": "1/2"}, AddRemove(), "2", 5),
    ("geometric-sanitizer", {"epsilon": "1"}, ReplaceOne(), "2", 4),
]


def both(case: tuple[str, dict[str, str], Neighbours, str, int], released: str) -> Any:
    name, values, neighbours, cells, size = case
    setting = Setting.of(Domain.from_cells(cells), neighbours, size)
    listed = instance(setting, size)
    program = build(name, values)
    streamed = streamed_channel(program, setting, listed, released)
    return streamed, channel_of(program, setting, released=released, exact=True).channel


@pytest.mark.parametrize("released", ["output", "transcript"])
@pytest.mark.parametrize("case", CASES)
def test_blocks_and_rows_enclose_the_exact_chances(
    case: tuple[str, dict[str, str], Neighbours, str, int],
    released: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("audit.channels.streamed.BLOCK", 4)
    streamed, whole = both(case, released)
    assert np.array_equal(streamed.databases, whole.databases)
    assert set(streamed.outputs) == set(whole.outputs)
    assert np.array_equal(streamed.pairs, whole.pairs)
    seen = 0
    for block in streamed.blocks():
        assert block.first == seen
        seen += block.lower.shape[1]
        down, up = 1 - Fraction(block.error), 1 + Fraction(block.error)
        for place in range(block.lower.shape[1]):
            column = whole.outputs.index(streamed.outputs[block.first + place])
            for row in range(len(whole.databases)):
                exact = whole.exact[row, column]
                low = Fraction(float(block.lower[row, place])) * down
                high = Fraction(float(block.upper[row, place])) * up
                ends = enclose(exact)
                assert low <= ends.upper and ends.lower <= high
                assert (high == 0) == is_zero(exact)
                if isinstance(exact, Fraction):
                    assert low <= exact <= high
    assert seen == len(whole.outputs)
    chosen = [len(whole.databases) - 1, 0]
    lower, upper = streamed.rows(chosen)
    order = [whole.outputs.index(output) for output in streamed.outputs]
    assert lower.shape == (2, len(order))
    assert (lower <= whole.upper[chosen][:, order]).all()
    assert (whole.lower[chosen][:, order] <= upper).all()
    np.testing.assert_allclose(lower, whole.lower[chosen][:, order], rtol=1e-12)


def streamed(program: Any, cells: str = "2", size: int = 3) -> StreamedChannel:
    setting = Setting.of(Domain.from_cells(cells), ReplaceOne(), size)
    return streamed_channel(program, setting, instance(setting, size), "output")


def two_questions(curator: Curator) -> Any:
    curator.sanitize(Subsample(Fraction(1, 2)))
    return curator.sanitize(Subsample(Fraction(1, 2)))


def now_and_then(curator: Curator) -> Any:
    first = curator.sanitize(Subsample(Fraction(1, 2)))
    return curator.sanitize(Subsample(Fraction(1, 2))) if first[0] else first


def merging(curator: Curator) -> Any:
    return int(curator.sanitize(Subsample(Fraction(1)))[0] > 1)


def silent(curator: Curator) -> Any:
    return [0, 0]


def several_answers(curator: Curator) -> Any:
    return build("geometric-sanitizer", {"epsilon": "1", "rescale": "false"})(curator)


@pytest.mark.parametrize(
    ("program", "cells", "words"),
    [
        (two_questions, "2", "one question"),
        (now_and_then, "2", "more than one question"),
        (merging, "2", "several answers"),
        (silent, "2", "one question"),
        (several_answers, "3", "one answer"),
    ],
)
def test_what_cannot_be_streamed_says_why(program: Any, cells: str, words: str) -> None:
    with pytest.raises(TooLargeError, match=words):
        streamed(program, cells)


def test_the_cap_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("audit.channels.streamed.MAX_STREAMED", 15)
    with pytest.raises(TooLargeError, match="16 entries"):
        streamed(build("multinomial-dirichlet", {}))


def test_randomness_of_its_own_is_seen() -> None:
    calls: list[int] = []

    def restless(curator: Curator) -> Any:
        calls.append(0)
        noise = DiscreteLaplace(Fraction(len(calls)))
        return curator.measure(Total(), noise, low=0, high=3)

    with pytest.raises(ProtocolError):
        streamed(restless)
