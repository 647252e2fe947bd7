"""Instances at the edge of doubles, against the same instances in exact chances."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from audit.channels.channel import Channel
from audit.channels.enumerate import channel_of
from audit.channels.measures.delta import delta
from audit.channels.measures.epsilon import epsilon
from audit.channels.measures.probabilistic import probabilistic_delta
from audit.channels.measures.renyi import renyi
from audit.channels.measures.zcdp import zcdp
from synthesizers.curator import Setting
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.programs import build

GEOMETRIC = "geometric-sanitizer"
MD = "multinomial-dirichlet"

Case = tuple[str, dict[str, str], Neighbours, str, int]

CASES: dict[str, Case] = {
    # Chances down to e^-800, below the doubles (e^-708).
    "steep": (GEOMETRIC, {"epsilon": "20"}, ReplaceOne(), "2", 40),
    "steep, kept apart": (GEOMETRIC, {"epsilon": "20", "rescale": "no"}, AddRemove(), "1", 40),
    "steep, several cells": (GEOMETRIC, {"epsilon": "200"}, AddRemove(), "2", 4),
    "steep prior": (MD, {"alpha": "1e-160"}, ReplaceOne(), "3", 5),
    "tiny epsilon": (GEOMETRIC, {"epsilon": "1e-9"}, ReplaceOne(), "3", 3),
    "tiny epsilon, n private": (GEOMETRIC, {"epsilon": "1e-9"}, AddRemove(), "2", 3),
    "many cells": (MD, {}, ReplaceOne(), "12", 2),
    "many cells, one record": (GEOMETRIC, {"epsilon": "1"}, ReplaceOne(), "10", 1),
    "one cell": (GEOMETRIC, {"epsilon": "1"}, ReplaceOne(), "1", 3),
    "one cell, n private": (GEOMETRIC, {"epsilon": "1", "rescale": "no"}, AddRemove(), "1", 3),
    "one record": (GEOMETRIC, {"epsilon": "1"}, ReplaceOne(), "3", 1),
    "no records": (GEOMETRIC, {"epsilon": "1"}, AddRemove(), "3", 0),
}


def channel(case: Case, *, exact: bool) -> Channel:
    name, values, neighbours, cells, size = case
    setting = Setting.of(Domain.from_cells(cells), neighbours, size)
    return channel_of(build(name, values), setting, size=size, exact=exact).channel


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_doubles_enclose_what_exact_chances_give(case: Case) -> None:
    rough, exact = channel(case, exact=False), channel(case, exact=True)
    assert rough.outputs == exact.outputs
    found, truth = epsilon(rough).enclosure, epsilon(exact).enclosure
    assert found.lower <= truth.upper and truth.lower <= found.upper
    assert (found.upper == math.inf) == (truth.upper == math.inf)
    if not isinstance(found.upper, float) and not isinstance(found.lower, float):
        assert found.upper - found.lower <= Fraction(1, 10**10)
    for value in (Fraction(0), Fraction(1), Fraction(19)):
        pair = delta(rough, value).enclosure, delta(exact, value).enclosure
        assert pair[0].lower <= pair[1].upper and pair[1].lower <= pair[0].upper
        worst = probabilistic_delta(rough, value).worst, probabilistic_delta(exact, value).worst
        assert worst[0].lower <= worst[1].upper and worst[1].lower <= worst[0].upper
    for order in (Fraction(2), Fraction(30)):
        ends = renyi(rough, order).enclosure, renyi(exact, order).enclosure
        assert ends[0].lower <= ends[1].upper and ends[1].lower <= ends[0].upper
        assert ends[0].upper <= found.upper + Fraction(1, 10**9)
    rho = zcdp(rough).extreme.enclosure
    assert rho.upper < math.inf or found.upper == math.inf


def test_the_steep_cases_lie_below_the_doubles() -> None:
    for name in ("steep", "steep, kept apart", "steep, several cells", "steep prior"):
        assert channel(CASES[name], exact=False).powers is not None


def test_the_nominal_epsilon_of_a_steep_geometric() -> None:
    found = epsilon(channel(CASES["steep"], exact=False)).enclosure
    assert found.lower <= 20 <= found.upper
    assert epsilon(channel(CASES["steep"], exact=True)).enclosure.upper == 20


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", [ReplaceOne(), AddRemove()])
def test_a_steep_geometric_of_four_cells_and_25_records(neighbours: Neighbours) -> None:
    """Log-probabilities near -1000; some minutes."""
    found = epsilon(channel((GEOMETRIC, {"epsilon": "20"}, neighbours, "4", 25), exact=False))
    assert not isinstance(found.enclosure.upper, float)
    assert found.enclosure.lower <= 20 <= found.enclosure.upper


@pytest.mark.slow
def test_twelve_cells_and_three_records() -> None:
    """The predictive costs ln(1 + m/min α) = ln 7 whatever the number of cells."""
    found = epsilon(channel((MD, {}, ReplaceOne(), "12", 3), exact=False)).enclosure
    low, high = found.floats()
    assert low <= math.log(7) <= high
    assert high - low < 1e-12
