"""Planting: a control is refuted in as few runs as those that could see a leak of its size."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from audit.auditors.attack.attacked import AttackedBox
from audit.auditors.attack.auditor import attack_box
from audit.auditors.attack.finding.planting import MARKS, MOST_PLANTED, Leak, find_planted_rate
from audit.auditors.attack.guessing.guesses import Guesses
from audit.auditors.effort import Attack
from audit.parallel import here
from audit.statements.claim import Claim
from audit.subjects.function import FunctionBox
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.runs import Drawing, Runs, Seeds
from proofs.guarantees import parse_guarantee
from synthesizers.neighbours import AddRemove

CLAIM = Claim(parse_guarantee("epsilon=1"), AddRemove(), "output", None, None)
ATTACK = Attack(runs=300, seed=1, error=Fraction(1, 20), alarm=Fraction(1, 10**6), pair=Pair(0, 1))


def noisy(database: int, rng: np.random.Generator, runs: int) -> np.ndarray:
    """A count with the noise that its claim needs."""
    stop = 1 - np.exp(-1)
    return database + rng.geometric(stop, runs) - rng.geometric(stop, runs)


def test_controls_of_few_runs_are_refuted_where_these_could_see_the_leak() -> None:
    refuted = []
    for seed in range(12):
        box = FunctionBox("noisy", noisy, True)
        target = AttackedBox(Drawing(box, Seeds(seed), here), box)
        found = attack_box(target, CLAIM, replace(ATTACK, seed=seed))
        if found.control is not None:
            refuted.append(found.control.refuted)
    # Of four fifths planted, some 96 % of controls are refuted; of a half, where 62 % are, two or
    # more of nine are not with a chance of 91 %.
    assert len(refuted) >= 8
    assert refuted.count(False) <= 1


@pytest.mark.parametrize(
    ("guesses", "rate"),
    [
        (Guesses(100, 100, 0, abstains=False), MOST_PLANTED),
        (Guesses(100, 30, 10), 0.4),
        (Guesses(100, 10, 5, one_sided=True), 0.3),
        (Guesses(100, 0, 0), 0.0),
    ],
)
def test_a_leak_is_as_frequent_as_guesses_and_leaves_some_outputs(
    guesses: Guesses, rate: float
) -> None:
    assert find_planted_rate(guesses) == pytest.approx(rate)


def test_what_is_not_replaced_stays_in_its_place() -> None:
    numbers = np.arange(20_000.0)
    runs = Runs(Outcomes.of_outputs(numbers.tolist()), np.arange(20_000) % 2 == 1)
    leak = Leak.of_size(2.0, 0.8, CLAIM.guarantee, 1)
    planted = leak.plant(runs, np.random.default_rng(3))
    kinds = [planted.outcomes.shapes[shape] for shape in planted.outcomes.of]
    marks = np.array([kind.kind == "raised" for kind in kinds])
    # Four standard deviations either way: a chance of 6e-5.
    assert abs(marks.mean() - 0.8) < 4 * 0.4 / 20_000**0.5
    kept = planted.outcomes.blocks[[s.kind for s in planted.outcomes.shapes].index("numbers")]
    assert np.array_equal(np.asarray(kept)[:, 0], numbers[~marks])
    said = np.array([MARKS[1].type_name in kind.detail for kind in kinds])[marks]
    right = (said == runs.coins[marks]).mean()
    assert abs(right - 1 / (1 + np.exp(-2))) < 4 * 0.33 / marks.sum() ** 0.5
