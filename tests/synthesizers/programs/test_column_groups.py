"""Groups of attributes: as text, packed, with noise for a share of a budget."""

from __future__ import annotations

from fractions import Fraction

import pytest

from synthesizers.budget import PureBudget, ZCDPBudget
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import Neighbours
from synthesizers.programs.column_groups import (
    attribute_groups,
    noise_for,
    nominal_budget,
    pack,
    partition,
    require_parameters,
)
from synthesizers.queries import Marginal
from tests.synthesizers.brute_force import RELATIONS, relation_id

FOUR = Domain.from_cells("2x3x4x5")


def test_groups_from_text() -> None:
    assert attribute_groups("a + b;c", "groups") == (("a", "b"), ("c",))
    for text, words in (("a+a", "once"), ("a;b+a", "once"), ("a+;b", "must name"), ("", "name")):
        with pytest.raises(InputError, match=words):
            attribute_groups(text, "groups")


@pytest.mark.parametrize(
    ("cells", "groups"),
    [
        (1, [("a1",), ("a2",), ("a3",), ("a4",)]),
        (6, [("a1", "a2"), ("a3",), ("a4",)]),
        (20, [("a1", "a2"), ("a3", "a4")]),
        (24, [("a1", "a2", "a3"), ("a4",)]),
        (120, [("a1", "a2", "a3", "a4")]),
    ],
)
def test_packing_in_order(cells: int, groups: list[tuple[str, ...]]) -> None:
    assert list(pack(FOUR, cells)) == groups


def test_what_is_not_named_is_alone() -> None:
    groups = (("a4", "a2"),)
    assert partition(FOUR, groups, 1) == (("a4", "a2"), ("a1",), ("a3",))
    assert partition(FOUR, (), 6) == pack(FOUR, 6)
    with pytest.raises(InputError, match="no attribute 'a5'"):
        partition(FOUR, (("a5",),), 6)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
@pytest.mark.parametrize("budget", [PureBudget(Fraction(3, 2)), ZCDPBudget(Fraction(1, 7))])
def test_noise_costs_its_share_to_the_last_digit(
    budget: PureBudget | ZCDPBudget, neighbours: Neighbours
) -> None:
    sensitivity = Marginal(("a1", "a2")).sensitivity(FOUR, neighbours)
    cost = noise_for(budget, Fraction(1, 3), sensitivity).cost(sensitivity)
    if isinstance(budget, PureBudget):
        assert cost.epsilon == Fraction(1, 2)
    else:
        assert cost.rho == Fraction(1, 21)


def test_delta_goes_with_gaussian_noise_alone() -> None:
    tiny = Fraction(1, 10**9)
    assert nominal_budget("laplace", Fraction(2), None) == PureBudget(Fraction(2))
    gaussian = nominal_budget("gaussian", Fraction(1), tiny)
    # Canonne, Kamath & Steinke 2020, Corollary 13, minimised by hand: 0.014973.
    assert isinstance(gaussian, ZCDPBudget) and round(float(gaussian.rho), 6) == 0.014973
    for noise, delta, words in (("gaussian", None, "needs a delta"), ("laplace", tiny, "no delta")):
        with pytest.raises(InputError, match=words):
            require_parameters(noise, Fraction(1), delta)
