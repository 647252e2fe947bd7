"""PrivBayes with Gaussian noise: shares and scales, greedy parents, and what comes out."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.calibration import zcdp_rho
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian
from synthesizers.programs.privbayes_gauss import PrivBayesGauss, greedy_families
from synthesizers.queries import IndependenceDistance, Marginal, Total
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.programs.answering import on_counts, pair_errors
from tests.synthesizers.programs.test_privbayes import MIXED, followed

DELTA = Fraction(1, 10**9)
PROGRAM = PrivBayesGauss(Fraction(1), DELTA)
RHO = zcdp_rho(Fraction(1), DELTA)
PEOPLE = replace(MIXED, individual="person")


def measures(curator: Curator) -> list[Measure]:
    return [event for event in curator.ledger if isinstance(event, Measure)]


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_rho_is_spent_exactly(neighbours: Neighbours) -> None:
    data = Dataset(PEOPLE, followed(MIXED, 4000).codes)
    setting = Setting.of(PEOPLE, neighbours, 4000)
    _, curator = on_counts(PROGRAM, setting, data, lambda query: 0)
    scores, *joints = measures(curator)
    assert curator.spent.rho == RHO
    assert isinstance(scores.query, IndependenceDistance)
    assert len(scores.query.candidates) == 10
    assert scores.cost(PEOPLE, neighbours).rho == Fraction(3, 10) * RHO
    for event in joints:
        assert isinstance(event.noise, DiscreteGaussian) and isinstance(event.query, Marginal)
        assert event.cost(PEOPLE, neighbours).rho == Fraction(7, 10) * RHO / len(joints)
    # By hand: distances of ten pairs move by 4; under replace-one three of them, without a side
    # of two values, by 6.
    if neighbours in (AddRemove(), ReplaceOne()):
        squares = 10 * 16 if neighbours == AddRemove() else 7 * 16 + 3 * 36
        assert scores.noise.variance == Fraction(squares) / (2 * Fraction(3, 10) * RHO)


def test_a_total_is_asked_where_no_size_is_public() -> None:
    data = followed(MIXED, 4000)
    setting = Setting.of(MIXED, AddRemove(), None)
    output, curator = on_counts(PROGRAM, setting, data, lambda query: 0)
    first = measures(curator)[0]
    assert isinstance(first.query, Total)
    assert first.cost(MIXED, AddRemove()).rho == RHO / 50
    assert curator.spent.rho == RHO
    assert output.records == 4000


def test_joints_keep_the_stated_usefulness_and_none_is_within_another() -> None:
    data = followed(MIXED, 4000)
    setting = Setting.of(MIXED, AddRemove(), 4000)
    _, curator = on_counts(PROGRAM, setting, data, lambda query: 0)
    deviation = math.sqrt(5 / (2 * 0.7 * RHO))
    sets = []
    for event in measures(curator)[1:]:
        assert isinstance(event.query, Marginal)
        sets.append(set(event.query.attributes))
        assert len(sets[-1]) == 1 or event.query.size(MIXED) <= 4000 / (4 * deviation)
    assert set().union(*sets) == set(MIXED.names)
    assert not any(left < right for left in sets for right in sets)


@pytest.mark.parametrize(("records", "sets"), [(770, [1, 1]), (790, [2])])
def test_the_most_cells_of_a_joint_by_hand(records: int, sets: list[int]) -> None:
    """20 cells fit n/(4·9.768): two joints at 7/10 of rho 0.0149730575 deviate by 9.768."""
    data = followed(Domain.from_cells("4x5"), records)
    setting = Setting.of(data.domain, AddRemove(), records)
    _, curator = on_counts(PROGRAM, setting, data, lambda query: 0)
    queries = [event.query for event in measures(curator)[1:]]
    assert [len(q.attributes) for q in queries if isinstance(q, Marginal)] == sets


def test_greedy_families_by_hand() -> None:
    """b has the largest sum, 5 + 4; then a (5), then c with b and a (4 + 1), d has no pair."""
    sizes = {"a": 2, "b": 3, "c": 2, "d": 9}
    scores = {frozenset("ab"): 5.0, frozenset("bc"): 4.0, frozenset("ac"): 1.0}
    found = greedy_families(sizes, scores, 12, 4)
    assert found == [("b", ()), ("a", ("b",)), ("c", ("b", "a")), ("d", ())]
    assert greedy_families(sizes, scores, 11, 4)[2] == ("c", ("b",))
    assert greedy_families(sizes, scores, 12, 1)[2] == ("c", ("b",))
    assert greedy_families(sizes, {}, 12, 4) == [(name, ()) for name in "abcd"]


@given(st.integers(0, 10**6), st.integers(0, 5), st.floats(0, 300))
def test_greedy_families_are_a_network_within_its_limits(
    seed: int, most: int, cells: float
) -> None:
    random = np.random.default_rng(seed)
    sizes = {f"a{place}": int(random.integers(1, 9)) for place in range(6)}
    scores = {
        frozenset(pair): float(random.integers(1, 50))
        for pair in itertools.combinations(sizes, 2)
        if random.random() < 0.6
    }
    families = greedy_families(sizes, scores, cells, most)
    assert sorted(child for child, _ in families) == sorted(sizes)
    for place, (child, parents) in enumerate(families):
        before = {name for name, _ in families[:place]}
        assert set(parents) <= before and len(set(parents)) == len(parents) <= most
        assert all(frozenset((child, parent)) in scores for parent in parents)
        assert not parents or math.prod(sizes[name] for name in (child, *parents)) <= cells


@pytest.mark.parametrize("cells", ["4", "1", "1x1", "1x3", "2x1x2"])
@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=relation_id)
def test_one_attribute_and_attributes_of_one_value(cells: str, neighbours: Neighbours) -> None:
    domain = Domain.from_cells(cells)
    data = Dataset(domain, np.zeros((30, len(domain.shape)), np.int64))
    setting = Setting.of(domain, neighbours, 30)
    output, curator = on_counts(PROGRAM, setting, data, lambda query: 0)
    assert output.histogram().tolist() == data.histogram().tolist()
    assert curator.spent.rho is not None and curator.spent.rho <= RHO


def test_noise_of_any_sign_is_answered() -> None:
    data = followed(MIXED, 300)
    setting = Setting.of(MIXED, AddRemove(), 300)
    for noise in (-1000, 1000):
        output, _ = on_counts(PROGRAM, setting, data, lambda query, by=noise: by)
        assert output.records == 300


def test_what_does_not_fit_is_refused() -> None:
    for kind, words in (
        ({"delta": Fraction(0)}, "delta"),
        ({"share": Fraction(1)}, "share"),
        ({"theta": Fraction(0)}, "theta"),
    ):
        given_: dict[str, Any] = {"epsilon": Fraction(1), "delta": DELTA, **kind}
        with pytest.raises(InputError, match=words):
            PrivBayesGauss(**given_)


@pytest.mark.slow
def test_adult(shared_data: Path) -> None:
    """Seconds, and a mean total variation of all 91 pairs below 0.06 at epsilon 1 (MST: 0.051)."""
    domain = load_domain(shared_data / "adult_coded.schema.json")
    data = read_table(shared_data / "adult_coded.csv.gz", domain)
    setting = Setting.of(domain, AddRemove(), data.records)
    budget, entropy = PROGRAM.budget(setting), InsecureSeededEntropy(7)
    released = run(PROGRAM, data, setting, budget, entropy).output
    assert pair_errors(data, released) < 0.06
