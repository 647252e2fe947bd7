"""PrivBayes on small domains: enumerated, proved, attacked; its choices in large databases."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.events import Select
from synthesizers.neighbours import ReplaceOne, neighbour_pairs
from synthesizers.programs.privbayes import PrivBayes
from synthesizers.queries import answers_of_histograms
from tests.audit.programs.instances import (
    Instance,
    require_not_refuted,
    require_proved_and_exact,
)
from tests.synthesizers.programs.answering import on_answers

ONE, SMALL = Fraction(1), Fraction(1, 100)
TWO, THREE = Domain.from_cells("2x2"), Domain.from_cells("2x2x2")


@pytest.mark.parametrize("score", ["I", "F", "R"])
def test_the_choices_of_a_structure(score: str) -> None:
    # No rows and no slack: every noisy count is clamped to 0, and the choices alone are left.
    program = PrivBayes(ONE, score, theta=SMALL, parents=1, slack=0)
    exact, _ = require_proved_and_exact(Instance(program, "epsilon=1", ReplaceOne(), THREE, 3, 0))
    assert exact.bound is not None
    # Two choices, 3/10 of epsilon between them.
    assert 0.05 < exact.bound.epsilon.upper <= 0.3


@pytest.mark.parametrize("released", ["transcript", "output"])
def test_noisy_joints_attain_their_share(released: str) -> None:
    # One joint of two attributes, of 7/10 of epsilon; there is no choice to make.
    program = PrivBayes(ONE, theta=SMALL, slack=0)
    exact, _ = require_proved_and_exact(
        Instance(program, "epsilon=1", ReplaceOne(), TWO, 1, released=released)
    )
    assert exact.bound is not None
    assert float(exact.bound.epsilon.upper) == pytest.approx(0.7)


@pytest.mark.slow
@pytest.mark.parametrize(("domain", "records", "rows"), [("2x2x2", 2, 1), ("2x3", 2, 1)])
def test_choices_and_joints_together(domain: str, records: int, rows: int) -> None:
    program = PrivBayes(ONE, theta=Fraction(1, 20), parents=1, slack=0)
    require_proved_and_exact(
        Instance(program, "epsilon=1", ReplaceOne(), Domain.from_cells(domain), records, rows)
    )


def test_an_attack_does_not_refute_it() -> None:
    program = PrivBayes(ONE, theta=SMALL, slack=0)
    instance = Instance(program, "epsilon=1", ReplaceOne(), TWO, 3, released="output")
    require_not_refuted(instance, runs=400)


def low_entropy(cells: int, records: int, pile: tuple[int, ...]) -> NDArray[np.int64]:
    """Databases of which all records but 3 lie evenly on the cells of the pile."""
    base = np.zeros(cells, np.int64)
    base[list(pile)] = (records - 3) // len(pile)
    base[pile[0]] += records - 3 - base.sum()
    free = itertools.combinations_with_replacement(range(cells), 3)
    rows = [base + np.bincount(places, minlength=cells) for places in free]
    return np.unique(np.array(rows), axis=0)


def largest_loss(event: Select, domain: Domain, rows: NDArray[np.int64]) -> float:
    """The exponential mechanism's largest |ln ratio| over all neighbours among the databases."""
    scores = answers_of_histograms(event.scores, domain, rows) * float(event.noise.rate)
    log_chances = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    pairs = neighbour_pairs(ReplaceOne(), rows)
    return float(np.abs(log_chances[pairs[:, 0]] - log_chances[pairs[:, 1]]).max())


def choices(score: str, domain: Domain, records: int) -> list[Select]:
    """The choices that PrivBayes makes where each is answered by its first candidate."""
    program = PrivBayes(ONE, score, theta=Fraction(1, 10), parents=1)
    setting = Setting.of(domain, ReplaceOne(), records)
    sizes = domain.shape
    chosen: list[Any] = [(0,)] * (len(sizes) - 1)
    first = 1 if set(sizes) == {2} else 0
    joints = [(sizes[place] * (sizes[0] if place else 1)) for place in range(first, len(sizes))]
    _, curator = on_answers(program, setting, [*chosen, *[(1,) * size for size in joints]])
    return [event for event in curator.ledger if isinstance(event, Select)]


@pytest.mark.parametrize("records", [20, 10_000])
@pytest.mark.parametrize(
    ("score", "cells"), [("I", "2x2x2"), ("F", "2x2x2"), ("R", "2x2x2"), ("I", "3x3x2"),
                         ("R", "3x3x2")]
)  # fmt: skip
def test_choices_keep_their_share_in_large_databases(score: str, cells: str, records: int) -> None:
    domain = Domain.from_cells(cells)
    events = choices(score, domain, records)
    assert len(events) == 2
    for event in events:
        # The one pile is any, its values renamed; of pairs, neighbours and opposites.
        for pile in ((0,), (0, 1), (0, domain.size - 1)):
            loss = largest_loss(event, domain, low_entropy(domain.size, records, pile))
            # 3/10 of epsilon over two choices; doubles err by far less than the slack.
            assert loss <= 0.15 + 1e-9
