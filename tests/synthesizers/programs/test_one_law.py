"""Programs of one law: they ask it once, and promise what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

from synthesizers.budget import PureBudget, UnlimitedBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Domain
from synthesizers.events import Sanitize
from synthesizers.laws.dirichlet import DirichletMultinomial
from synthesizers.laws.rounding import RandomRounding
from synthesizers.laws.table_laws import TableLaw
from synthesizers.neighbours import Neighbours, ReplaceOne
from synthesizers.programs import PROGRAMS, build
from synthesizers.programs.one_law import OneLaw
from tests.synthesizers.brute_force import RELATIONS, relation_id

pytestmark = pytest.mark.smoke

NEEDED = {
    "bootstrap": {},
    "cell-key": {"deviation": "1", "variance": "1/2"},
    "coarsen": {"attribute": "a1", "level": "1"},
    "k-anonymity": {"k": "2"},
    "multinomial-dirichlet": {},
    "pram": {"retain": "3/4"},
    "random-round": {"base": "3"},
    "subsample": {"fraction": "1/2"},
    "suppress": {"threshold": "3"},
    "swap": {"share": "1/2"},
}
"""Each such program, with the parameters that it cannot do without."""

OUTCOME = (3, 0, 2, 0)
GUARANTEED = {"multinomial-dirichlet": RELATIONS, "pram": [ReplaceOne()]}
"""Programs whose law has a finite cost, and the relations under which it has."""


@dataclass(frozen=True, slots=True)
class Doubled(OneLaw):
    """Draws twice as many rows as are public."""

    def law(self, setting: Setting) -> TableLaw:
        return DirichletMultinomial((Fraction(1),), 2 * setting.require_rows())


@dataclass(frozen=True, slots=True)
class Rounded(OneLaw):
    """Rounds to base 2."""

    def law(self, setting: Setting) -> TableLaw:
        return RandomRounding(2)


def test_every_program_of_one_law_is_here() -> None:
    assert set(NEEDED) == {name for name, kind in PROGRAMS.items() if issubclass(kind, OneLaw)}


def test_the_law_is_that_of_the_curators_setting() -> None:
    setting = Setting(Domain.from_cells("2x2"), ReplaceOne(), 5, 8)
    curator = Curator(setting, Doubled().budget(setting), lambda event: OUTCOME)
    assert Doubled()(curator).tolist() == list(OUTCOME)
    assert curator.ledger == (Sanitize(DirichletMultinomial((Fraction(1),), 16)),)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_budget_is_the_cost_of_the_law_or_none(neighbours: Neighbours) -> None:
    setting = Setting.of(Domain.from_cells("2x2"), neighbours, 8)
    cost = DirichletMultinomial((Fraction(1),), 16).cost(neighbours)
    assert cost.epsilon is not None
    assert Doubled().budget(setting) == PureBudget(cost.epsilon)
    assert Rounded().budget(setting) == UnlimitedBudget()


def test_a_program_must_name_its_law() -> None:
    lawless: Any = OneLaw
    with pytest.raises(TypeError, match="law"):
        lawless()


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("name", NEEDED)
def test_built_in_ones_ask_their_law_once_and_promise_its_cost(
    name: str, neighbours: Neighbours
) -> None:
    setting = Setting.of(Domain.from_cells("2x2"), neighbours, 5)
    program: Any = build(name, NEEDED[name])
    budget, law = program.budget(setting), program.law(setting)
    curator = Curator(setting, budget, lambda event: OUTCOME)
    program(curator)
    assert curator.ledger == (Sanitize(law),)
    if neighbours in GUARANTEED.get(name, ()):
        assert isinstance(budget, PureBudget) and budget.neighbours is None
        assert budget.epsilon == curator.spent.epsilon > 0
    else:
        assert budget == UnlimitedBudget() and curator.spent.epsilon is None
