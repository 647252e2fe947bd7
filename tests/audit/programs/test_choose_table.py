"""The program that chooses a table: its exact law, its exact epsilon, its proof, its refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import dp_audit as dpa
from audit.channels.channel import log_odds
from audit.channels.enumerate import channel_of
from proofs.guarantees import ApproxDP
from proofs.ledger.programs import of_ledger
from proofs.search.best import strongest
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.exact import enclose
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs.choose_table import ChooseTable
from synthesizers.queries import Marginal

F = Fraction
NOTHING = F(0)
SQUARE = Domain.from_cells("2x2")
MARGINALS = (Marginal(("a1",)), Marginal(("a2",)), Marginal(("a1", "a2")))
TABLES = ((1, 1, 1, 0), (0, 2, 0, 0), (0, 0, 0, 1))
RELATIONS: tuple[Neighbours, ...] = (
    ReplaceOne(),
    AddRemove(),
    AddRemove(Unit("person", 2)),
    ReplaceOne(Unit("person", 2)),
)


def table(counts: tuple[int, ...]) -> Dataset:
    return Dataset(SQUARE, np.repeat(SQUARE.codes(), counts, axis=0))


def program(*counts: tuple[int, ...], telling: Fraction = NOTHING) -> ChooseTable:
    return ChooseTable.of(tuple(map(table, counts)), MARGINALS, F(1), telling)


def setting(neighbours: Neighbours, size: int = 2) -> Setting:
    return Setting.of(SQUARE, neighbours, size)


def largest_loss(made: ChooseTable, neighbours: Neighbours, size: int = 2) -> float:
    channel = channel_of(made, setting(neighbours, size)).channel
    found = [abs(odds) for _, _, row in log_odds(channel) for odds in row if odds is not None]
    return max(found)


def distance(real: tuple[int, ...], other: tuple[int, ...]) -> Fraction:
    """The mean total variation of two tables of the square, written out."""
    found = F(0)
    for groups in (((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0,), (1,), (2,), (3,))):
        shares = [
            F(sum(real[k] for k in own), sum(real)) - F(sum(other[k] for k in own), sum(other))
            for own in groups
        ]
        found += sum(map(abs, shares), F(0)) / 2
    return found / 3


def test_the_choice_has_the_closed_form() -> None:
    """P[i] ∝ e^(-ε·n·distance/2): a record moves n times the mean total variation by 1."""
    channel = channel_of(program(*TABLES), setting(ReplaceOne(), 3), exact=True).channel
    assert channel.outputs == ((0,), (1,), (2,))
    for place, counts in enumerate(channel.databases.tolist()):
        weights = [math.exp(-3 * distance(tuple(counts), own) / 2) for own in TABLES]
        for number, weight in enumerate(weights):
            chance = channel.chance(place, number)
            assert chance is not None
            middle = float(enclose(chance).lower)
            assert middle == pytest.approx(weight / sum(weights), rel=1e-12)


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("telling", [F(0), F(1, 2)])
def test_no_output_loses_more_than_epsilon(neighbours: Neighbours, telling: Fraction) -> None:
    assert 0 < largest_loss(program(*TABLES, telling=telling), neighbours) <= 1 + 1e-9


def test_one_distance_loses_all_of_epsilon() -> None:
    """Of a table that is far from all data a record moves the score by its whole sensitivity."""
    alone = program((1, 0, 0, 0), telling=F(1, 2))
    assert largest_loss(alone, ReplaceOne()) == pytest.approx(1, abs=1e-9)


def test_many_tables_choose_nearly_at_their_cost() -> None:
    """One table to the left of the data, many to the right: a record moves both scores, apart."""
    crowd = program((1, 0, 0, 0), *[(0, 0, 0, 1)] * 60)
    assert 0.9 < largest_loss(crowd, ReplaceOne(), 1) < 1


@pytest.mark.parametrize("kind", ["replace-one", "add-remove"])
@pytest.mark.parametrize(
    ("tables", "telling"), [(TABLES, F(1, 2)), (TABLES, F(0)), (TABLES[:1], F(1, 2))]
)
def test_certify_proves_it(
    kind: str, tables: tuple[tuple[int, ...], ...], telling: Fraction
) -> None:
    made = program(*tables, telling=telling)
    rows = {"rows": 2} if kind == "add-remove" else {}
    about: dict[str, Any] = {"neighbours": kind, "cells": "2x2", "records": 2, **rows}
    assert dpa.certify(made, "epsilon=1", auditors="proof", **about).verdict == "PROVED"
    narrower = dpa.certify(made, "epsilon=1/3", auditors="proof", **about).verdict
    assert narrower == "UNDECIDED"


@pytest.mark.parametrize("neighbours", RELATIONS, ids=str)
@pytest.mark.parametrize("telling", [F(0), F(1, 3)])
def test_the_ledger_costs_epsilon_by_the_rules(neighbours: Neighbours, telling: Fraction) -> None:
    """Each question is proved by the rule of its kind, and they add up to what is spent."""
    made, where = program(*TABLES, telling=telling), setting(neighbours)
    curator = Curator(where, made.budget(where), lambda event: (0,))
    made(curator)
    assert curator.spent.epsilon == 1 and len(curator.ledger) == (2 if telling else 1)
    best, *_ = strongest(of_ledger(curator.ledger, where), ApproxDP(F(0)))
    assert best.value == 1


def test_tables_of_other_sizes_are_compared_exactly() -> None:
    made, where = program((1, 1, 1, 0), (3, 1, 0, 0)), setting(ReplaceOne(), 2)
    query = made.distances(where)
    assert query.scale == 6 and sum(query.models[0]) == sum(query.models[1]) == 3 * 2 * 6
    assert made.farthest(where) == 2 * 6 * 3 * 2


def test_sizes_without_a_small_multiple_are_rounded_and_it_is_known_how_far() -> None:
    sizes, where = (2**31 - 1, 2**31 - 2), setting(ReplaceOne(), 5)
    made = ChooseTable(MARGINALS[:1], ((2**30, 2**30 - 1), (3, 2**31 - 5)), sizes, F(1))
    query, off = made.distances(where), made.rounding(where)
    assert query.scale == 2**20 and 0 < off < F(1, 2**20)
    for model, counts, own in zip(query.models, made.counts, sizes, strict=True):
        moved = [abs(n - F(5 * 2**20 * c, own)) for n, c in zip(model, counts, strict=True)]
        assert max(moved) <= F(1, 2) and sum(moved) / made.farthest(where) <= off
    assert program(*TABLES).rounding(where) == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: program(), "one or more candidates"),
        (lambda: program((0, 0, 0, 0), (1, 0, 0, 0)), "no records"),
        (lambda: program(*TABLES, telling=F(1)), "both excluded"),
        (lambda: program(*TABLES, telling=F(-1)), "both excluded"),
        (lambda: program(TABLES[0]), "nothing to choose"),
        (lambda: program(*TABLES).distances(setting(ReplaceOne(), 0)), "at least 1"),
        (lambda: program(*TABLES).distances(Setting.of(SQUARE, AddRemove(), None)), "rows"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()
