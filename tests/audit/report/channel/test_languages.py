from __future__ import annotations

import math
from dataclasses import replace
from statistics import NormalDist

import pytest

from audit.channels.analysis import Analysis
from audit.channels.measures.extreme import Extreme
from audit.channels.measures.groups import GroupLosses
from audit.channels.measures.unavailable import Unavailable
from audit.channels.measures.zcdp import SmallestRho
from audit.report.channel.languages import (
    chosen_grid,
    groups_grid,
    groups_note,
    languages,
    law_notes,
    renyi_grid,
)
from audit.statements.decimals import Enclosure
from tests.audit.report import samples
from tests.audit.report.display import assert_rounds, numbers

ANALYSES = samples.analyses()
HELD = [name for name in ANALYSES if name != "streamed"]


def test_randomized_response_in_every_language() -> None:
    pure, concentrated, gaussian = languages(ANALYSES["response"])
    # ln 3; half of it, at order 1; Φ⁻¹(3/4) - Φ⁻¹(1/4) = 1.3489795.
    assert [pure.value, concentrated.value] == ["ε ≈ 1.098612", "ρ ≈ 0.5493061"]
    assert gaussian.value == f"μ ≈ {2 * NormalDist().inv_cdf(0.75):.6f}".rstrip("0")
    assert pure.meaning == (
        "No output is more than e^ε = 3 times as likely under a database as under its neighbour."
    )
    assert concentrated.meaning.endswith("and come closest to it as α falls to 1.")


def test_infinity_in_every_language() -> None:
    rows = languages(ANALYSES["disclosing"])
    assert [row.value for row in rows] == ["ε = ∞", "ρ = ∞", "μ = ∞"]
    assert "never under a neighbour" in rows[0].meaning
    assert renyi_grid(ANALYSES["disclosing"]) is None


def test_what_is_not_available_is_left_out() -> None:
    assert [row.name for row in languages(ANALYSES["streamed"])] == ["pure"]
    grid = renyi_grid(ANALYSES["streamed"])
    assert grid is not None and [name for name, _ in grid.rows] == ["largest divergence"]


@pytest.mark.parametrize("name", ANALYSES)
def test_every_number_is_a_rounded_one_of_the_analysis(name: str) -> None:
    analysis = ANALYSES[name]
    pure, *others = languages(analysis)
    assert_rounds(pure.value, analysis.epsilon.enclosure)
    if math.isfinite(pure_gain := float(analysis.last_record.gain.lower)):
        text = pure.meaning.split(" times")[0].split("e^ε")[1]
        assert_rounds(text, analysis.last_record.gain)
        assert pure_gain >= 1
    for row in others:
        measure = {"ρ": _rho, "μ": _mu}[row.value[0]]
        assert_rounds(row.value, measure(analysis))
    _check_renyi(analysis)
    _check_groups(analysis)
    _check_chosen(analysis)


def _rho(analysis: Analysis) -> Enclosure:
    assert isinstance(analysis.zcdp, SmallestRho)
    return analysis.zcdp.extreme.enclosure


def _mu(analysis: Analysis) -> Enclosure:
    assert isinstance(analysis.gdp, Extreme)
    return analysis.gdp.enclosure


def _check_renyi(analysis: Analysis) -> None:
    grid = renyi_grid(analysis)
    if grid is None:
        return
    orders = list(analysis.renyi)
    assert [float(head) for head in grid.columns] == [float(order) for order in orders]
    for order, cell in zip(orders, grid.rows[0][1], strict=True):
        assert_rounds(cell, analysis.renyi[order])
    if len(grid.rows) > 1:
        rho = float(_rho(analysis).upper)
        for order, cell in zip(orders, grid.rows[1][1], strict=True):
            assert float(cell) == pytest.approx(rho * float(order), rel=1e-6)


def _check_groups(analysis: Analysis) -> None:
    if isinstance(analysis.groups, Unavailable) or not analysis.groups.losses:
        return
    grid = groups_grid(analysis.groups)
    assert grid is not None
    assert grid.columns[3:] == tuple(f"δ({text})" for text in analysis.deltas)
    for (distance, cells), loss in zip(grid.rows, analysis.groups.losses, strict=True):
        assert (distance, cells[0]) == (str(loss.distance), str(loss.pairs))
        assert_rounds(cells[1], loss.epsilon.enclosure)
        assert_rounds(cells[2], loss.naive)
        for cell, found in zip(cells[3:], loss.deltas.values(), strict=True):
            assert_rounds(cell, found.enclosure)


def _check_chosen(analysis: Analysis) -> None:
    grid = chosen_grid(analysis)
    assert grid is not None
    assert [name for name, _ in grid.rows] == list(analysis.deltas)
    for epsilon, cells in grid.rows:
        found = analysis.probabilistic[epsilon]
        assert_rounds(cells[0], analysis.deltas[epsilon].enclosure)
        assert_rounds(cells[1].split(" at ")[0], found.worst)
        if found.worst.upper > 0:
            assert [int(n) for n in numbers(cells[1].split(" at ")[1])] == list(found.table)
        for cell, average in zip(cells[2:], found.average.values(), strict=True):
            assert_rounds(cell, average)


def test_nothing_chosen_nothing_shown() -> None:
    bare = replace(ANALYSES["response"], deltas={}, probabilistic={})
    assert chosen_grid(bare) is None and law_notes(bare) == ()


def test_without_neighbours_there_are_no_groups() -> None:
    groups = ANALYSES["strangers"].groups
    assert isinstance(groups, GroupLosses) and groups_grid(groups) is None


def test_distances_left_out_are_told() -> None:
    groups = ANALYSES["figure 1"].groups
    assert isinstance(groups, GroupLosses)
    assert groups_note(groups) == "" == groups_note(Unavailable("too large"))
    cut = GroupLosses(groups.losses[:1], "9 pairs at distance 2 are too many")
    assert groups_note(cut) == (
        "Larger distances are left out: 9 pairs at distance 2 are too many."
    )
