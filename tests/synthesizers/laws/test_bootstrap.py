"""The bootstrap against every sequence of draws."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import UNBOUNDED
from synthesizers.errors import InputError, TooLargeError
from synthesizers.laws import table_laws
from synthesizers.laws.bootstrap import Bootstrap
from synthesizers.laws.product_laws import ProductLaw
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.randomness import InsecureSeededEntropy
from tests.synthesizers.brute_force import RELATIONS
from tests.synthesizers.slow_tables import (
    Law,
    excess,
    far,
    law_of,
    put,
    records,
    require_law,
    worst_excess,
)


def by_sequences(counts: tuple[int, ...], drawn: int) -> Law:
    """Every sequence of drawn records, each as likely as any other."""
    law: Law = {}
    for sequence in itertools.product(records(counts), repeat=drawn):
        outcome = tuple(map(sequence.count, range(len(counts))))
        put(law, outcome, Fraction(1, sum(counts) ** drawn))
    return law


@pytest.mark.parametrize("counts", [(1,), (3,), (2, 1), (1, 0, 3), (0, 1, 1, 1)])
@pytest.mark.parametrize("drawn", [0, 1, 2, 4])
def test_law_against_every_sequence(counts: tuple[int, ...], drawn: int) -> None:
    assert law_of(Bootstrap(drawn), counts) == by_sequences(counts, drawn)


@pytest.mark.parametrize("drawn", [0, 1, 3])
@pytest.mark.parametrize(("cells", "size"), [(1, 0), (1, 3), (2, 1), (2, 4), (3, 3), (4, 2)])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()])
def test_it_is_a_law(neighbours: Any, cells: int, size: int, drawn: int) -> None:
    require_law(Bootstrap(drawn), neighbours, cells, size)


def test_an_empty_table_gives_an_empty_one() -> None:
    assert law_of(Bootstrap(5), (0, 0, 0)) == {(0, 0, 0): 1}
    drawn = Bootstrap(5).sample(np.zeros(3, np.int64), InsecureSeededEntropy(1))
    assert drawn.tolist() == [0, 0, 0]
    assert Bootstrap(2).outcomes(np.array([[0, 0], [1, 0]])) == [(0, 0), (2, 0)]


def test_only_tables_of_the_drawn_size_count_towards_the_cap() -> None:
    """C(64, 4) = 635 376 tables of at most 60 records over four cells, C(63, 3) = 39 711 of 60."""
    assert len(Bootstrap(60).outcomes(np.array([[1, 1, 1, 1]]))) == 39_711
    with pytest.raises(TooLargeError, match="fewer cells or records"):
        Bootstrap(60).outcomes(np.array([[1, 1, 1, 1, 1]]))


def test_many_tables_of_many_databases_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([[2, 0, 0], [0, 1, 1]])
    assert Bootstrap(2).outcomes(rows) == [(0, 0, 2), (0, 1, 1), (0, 2, 0), (2, 0, 0)]
    monkeypatch.setattr(table_laws, "MAX_PAIRS", 7)
    with pytest.raises(TooLargeError, match="2 databases"):
        Bootstrap(2).outcomes(rows)


@pytest.mark.parametrize(("size", "drawn"), [(1, 1), (2, 2), (3, 3), (3, 1), (4, 4)])
def test_a_unique_record_shows_with_its_chance_whatever_epsilon(size: int, drawn: int) -> None:
    shows = 1 - (1 - Fraction(1, size)) ** drawn
    law = Bootstrap(drawn)
    rest = (1, size - 1, 0), (0, size - 1, 1)
    for factor in (Fraction(1), Fraction(3), Fraction(1000)):
        assert excess(law, *rest, factor) == shows
        assert worst_excess(law, ReplaceOne(), 3, size, factor) == shows


def test_the_chance_to_show_is_about_0_632_for_many_records() -> None:
    size = 442
    unseen = Bootstrap(size).chance((1, size - 1), (0, size))
    assert unseen == Fraction(size - 1, size) ** size
    assert 0.632 < float(1 - unseen) < 0.633


def test_draws_are_uniform_over_records() -> None:
    # 60 000 draws; a right sampler fails with probability at most 10^-10: see `far`.
    counts = (3, 0, 1, 6)
    drawn = Bootstrap(60_000).sample(np.array(counts), InsecureSeededEntropy(2))
    assert drawn.sum() == 60_000 and drawn[1] == 0
    assert not far(drawn.tolist(), [Fraction(count, 10) for count in counts])


def test_no_finite_bound_is_stated() -> None:
    assert {Bootstrap(2).cost(neighbours) for neighbours in RELATIONS} == {UNBOUNDED}


def test_numbers_and_plain_data() -> None:
    assert isinstance(Bootstrap(1), ProductLaw)
    law = Bootstrap(np.int64(40))
    assert type(law.records) is int and law.to_json() == {"law": "bootstrap", "records": 40}
    for wrong in (-1, 1.0, True):
        with pytest.raises(InputError, match="number of draws"):
            Bootstrap(wrong)
