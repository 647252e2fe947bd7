"""Nearest records beside a loop over all pairs, in fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from audit.disclosure import nearest as module
from audit.disclosure.nearest import nearest, nearest_without, two_nearest
from audit.disclosure.tables import STEPS
from tests.audit.disclosure.made_tables import tables


def apart(first: np.ndarray, second: np.ndarray, ordered: np.ndarray) -> list[int]:
    pairs = zip(first.tolist(), second.tolist(), ordered.tolist(), strict=True)
    return [min(abs(a - b), STEPS) if by else STEPS * (a != b) for a, b, by in pairs]


@pytest.mark.parametrize("block", [1, 77, 1 << 16])
def test_they_are_those_of_a_loop(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", block)
    monkeypatch.setattr(module, "AROUND", 5 * block)
    made = tables(3, 5, 25)
    real, _, synthetic = made.places
    loop = [
        [apart(record, other, made.ordered) for other in synthetic.T.copy()]
        for record in real.T.copy()
    ]
    sums = np.array([[sum(one) for one in row] for row in loop])
    assert nearest(real, synthetic, made.ordered).tolist() == sums.argmin(axis=1).tolist()
    for column, found in enumerate(nearest_without(real, synthetic, made.ordered)):
        rest = [[sum(one) - one[column] for one in row] for row in loop]
        assert found.tolist() == np.argmin(rest, axis=1).tolist()
    two = two_nearest(real, synthetic, made.ordered)
    for row, expected in zip(two.tolist(), np.sort(sums, axis=1)[:, :2].tolist(), strict=True):
        assert row == [float(Fraction(one, 5 * STEPS)) for one in expected]
    assert (two[:5, 0] == 0).all()


def test_a_single_other_record_is_both_the_nearest_and_the_second() -> None:
    made = tables(3, 0, 4)
    one = made.places[2][:, :1]
    found = two_nearest(made.places[0], one, made.ordered)
    assert (found[:, 0] == found[:, 1]).all()
