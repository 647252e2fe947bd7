"""Laws without chance: one outcome a table, the same however it is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from synthesizers.budget import UNBOUNDED
from synthesizers.laws.deterministic_laws import DeterministicLaw
from synthesizers.laws.generalisation import GlobalRecoding, KAnonymity, ladder
from synthesizers.laws.suppression import CellSuppression
from synthesizers.neighbours import AddRemove, ReplaceOne, databases
from synthesizers.randomness import InsecureSeededEntropy
from tests.synthesizers.brute_force import RELATIONS
from tests.synthesizers.entropies import ScriptedEntropy

FOUR = ladder(4, [(0, 0, 1, 1)])
LAWS: list[DeterministicLaw] = [
    CellSuppression((4,), 2),
    CellSuppression((4,), 3),
    CellSuppression((2, 2), 3),
    CellSuppression((2, 2), 3, complementary=False),
    GlobalRecoding(((0, 0, 1, 1),)),
    GlobalRecoding(((0, 1), (0, 0))),
    KAnonymity((FOUR,), 2),
    KAnonymity((FOUR,), 3, suppressed=1),
    KAnonymity((ladder(2, ()), ladder(2, ())), 2),
]


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
@pytest.mark.parametrize("law", LAWS)
def test_every_table_has_its_image_for_certain(
    law: DeterministicLaw, neighbours: AddRemove | ReplaceOne
) -> None:
    rows = databases(neighbours, 4, 4)
    outcomes = law.outcomes(rows)
    assert outcomes == sorted(set(outcomes))
    reached = set()
    for row in rows:
        counts = tuple(row.tolist())
        chances = {outcome: law.chance(counts, outcome) for outcome in outcomes}
        # Not a word of entropy: the script is empty.
        drawn = tuple(law.sample(row, ScriptedEntropy(())).tolist())
        assert {outcome for outcome, chance in chances.items() if chance} == {drawn}
        assert chances[drawn] == 1
        reached.add(drawn)
    assert reached == set(outcomes)
    assert law.chance(tuple(rows[-1].tolist()), (9,) * 4) == 0


def test_laws_of_other_parameters_are_told_apart() -> None:
    """The images are remembered by law and table; 2 is hidden by one of these alone."""
    two, three = CellSuppression((4,), 2), CellSuppression((4,), 3)
    table = (2, 5, 5, 5)
    assert two.chance(table, table) == 1 and three.chance(table, table) == 0
    assert three.chance(table, (-1, -1, 5, 5)) == 1


@pytest.mark.parametrize("law", LAWS)
def test_no_finite_cost_and_plain_data(law: DeterministicLaw) -> None:
    for neighbours in RELATIONS:
        assert law.cost(neighbours) == UNBOUNDED
    assert law.to_json()["law"] == law.name
    assert len({str(other.to_json()) for other in LAWS}) == len(LAWS)


def test_samples_are_integers() -> None:
    for law in LAWS:
        drawn = law.sample(np.array([1, 0, 2, 1]), InsecureSeededEntropy(1))
        assert drawn.dtype == np.int64 and drawn.ndim == 1
