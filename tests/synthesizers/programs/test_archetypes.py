"""Archetypes: two histograms, and public tables for the rest."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from synthesizers.budget import ZCDPBudget
from synthesizers.curator import Setting
from synthesizers.domain import Dataset
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.programs.archetypes import Archetypes, public_tables
from synthesizers.queries import Marginal
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from tests.audit.programs.instances import renamed
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.programs.answering import on_answers

ONE = Fraction(1)
TAXIS = renamed("2x3x2x2", "archetype", "company", "shift", "area")
SHIFTS = public_tables("shift=1,3|1,0", "tables")


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_a_tenth_for_archetypes_and_the_rest_for_companies(neighbours: Neighbours) -> None:
    program = Archetypes(ONE, noise="laplace")
    _, curator = on_answers(program, Setting.of(TAXIS, neighbours, 4), [(2, 2), (1, 1, 2)])
    moves = neighbours.unit.max_records * (2 if isinstance(neighbours, ReplaceOne) else 1)
    asked = [(e.query, e.noise) for e in curator.ledger if isinstance(e, Measure)]
    assert asked == [
        (Marginal(("archetype",)), DiscreteLaplace(Fraction(10 * moves))),
        (Marginal(("company",)), DiscreteLaplace(Fraction(10 * moves, 9))),
    ]
    assert curator.spent.epsilon == 1


def test_gaussian_noise_shares_rho() -> None:
    program = Archetypes(ONE, Fraction(1, 10**6), share=Fraction(1, 4))
    setting = Setting.of(TAXIS, AddRemove(), 4)
    _, curator = on_answers(program, setting, [(2, 2), (1, 1, 2)])
    budget = program.budget(setting)
    assert isinstance(budget, ZCDPBudget) and curator.spent.rho == budget.rho
    first, second = curator.ledger
    assert isinstance(first, Measure) and isinstance(second, Measure)
    assert first.noise == DiscreteGaussian(2 / budget.rho)
    assert second.noise == DiscreteGaussian(Fraction(2, 3) / budget.rho)


def test_the_rest_follows_the_tables_of_the_archetype() -> None:
    program = Archetypes(ONE, noise="laplace", tables=SHIFTS)
    setting = Setting.of(TAXIS, AddRemove(), 96)
    output, _ = on_answers(program, setting, [(1, 2), (3, -4, 1)])
    counts = output.histogram().reshape(TAXIS.shape)
    # 96 rows: archetypes 32 and 64, companies 3 : 0 : 1, shifts 1 : 3 and 1 : 0, areas 1 : 1.
    for cell in np.ndindex(*TAXIS.shape):
        kind, company, shift, _ = cell
        wanted = (32, 64)[kind] * (3, 0, 1)[company] / 4 * ((1, 3), (4, 0))[kind][shift] / 4 / 2
        assert counts[cell] == wanted


def test_archetypes_of_negative_counts_do_not_occur() -> None:
    program = Archetypes(ONE, noise="laplace")
    output, _ = on_answers(program, Setting.of(TAXIS, AddRemove(), 12), [(-6, 3), (4, 0, 8)])
    found = output.histogram().reshape(2, 3, 4).sum(axis=2)
    assert found.tolist() == [[0, 0, 0], [4, 0, 8]]


def test_trips_multiply_archetypes_and_unstated_rows() -> None:
    program = Archetypes(ONE, noise="laplace", trips=(Fraction(5), Fraction(1, 2)))
    setting = Setting.of(TAXIS, AddRemove(), None)
    output, _ = on_answers(program, setting, [(4, 8), (1, 0, 0)])
    assert output.records == 24
    assert np.bincount(output.codes[:, 0]).tolist() == [20, 4]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"share": ONE}, "share"),
        ({"tables": public_tables("shift=1,3", "tables")}, "2 lines of 2 weights"),
        ({"tables": public_tables("shift=1,3|1", "tables")}, "2 lines of 2 weights"),
        ({"tables": public_tables("shift=1,-3|1,1", "tables")}, "negative"),
        ({"tables": public_tables("company=1,3,1|1,1,1", "tables")}, "once"),
        ({"trips": (ONE,)}, "trips must be one number"),
        ({"archetype": "kind"}, "no attribute 'kind'"),
        ({"company": "firm"}, "no attribute 'firm'"),
    ],
)
def test_what_does_not_fit(given: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words):
        program = Archetypes(ONE, noise="laplace", **given)
        on_answers(program, Setting.of(TAXIS, AddRemove(), 4), [])


def test_a_table_of_many_cells() -> None:
    domain = renamed("3x40x50", "archetype", "company", "area")
    generator = np.random.default_rng(2)
    kinds = generator.choice(3, 5000, p=[0.6, 0.3, 0.1])
    codes = np.stack([kinds, generator.integers(0, 10, 5000), np.zeros(5000, np.int64)], axis=1)
    lines = [[1.0 if area % 3 == kind else 0.0 for area in range(50)] for kind in range(3)]
    text = "area=" + "|".join(",".join(str(int(w)) for w in line) for line in lines)
    program = Archetypes(ONE, noise="laplace", tables=public_tables(text, "tables"))
    setting = Setting.of(domain, AddRemove(), 5000)
    output = run(
        program, Dataset(domain, codes), setting, program.budget(setting), InsecureSeededEntropy(5)
    ).output
    assert (output.codes[:, 2] % 3 == output.codes[:, 0]).all()
    # Noise of scale 10 on 3000, 1500 and 500 records.
    assert np.abs(np.bincount(output.codes[:, 0]) - np.bincount(kinds)).max() < 200
