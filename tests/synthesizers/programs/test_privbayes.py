"""PrivBayes: degrees, parents, shares and scales as in the paper, and what comes out."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthesizers.budget import PureBudget
from synthesizers.curator import Curator, Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Draw, Measure, Select
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.privbayes import PrivBayes, maximal_sets
from synthesizers.queries import IndependenceDistance, MaximalCorrelation, MutualInformation
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table
from tests.synthesizers.programs.answering import on_counts, pair_errors

ONE = Fraction(1)
EIGHT = Domain.from_cells("x".join("2" * 8))
MIXED = Domain.from_cells("2x3x4x5x2")


def followed(domain: Domain, records: int, seed: int = 5) -> Dataset:
    """Records of which each attribute mostly repeats the one before it."""
    random = np.random.default_rng(seed)
    codes = np.zeros((records, len(domain.shape)), np.int64)
    codes[:, 0] = random.integers(0, domain.shape[0], records)
    for place, size in enumerate(domain.shape[1:], 1):
        fresh = random.integers(0, size, records)
        kept = random.random(records) < 0.9
        codes[:, place] = np.where(kept, codes[:, place - 1] % size, fresh)
    return Dataset(domain, codes)


def asked(program: PrivBayes, data: Dataset) -> tuple[Any, Curator]:
    """The output and the curator, with noise of 0 and choices of the best score."""
    setting = Setting.of(data.domain, ReplaceOne(), data.records)
    return on_counts(program, setting, data, lambda query: 0)


def usefulness(records: int, epsilon: float, d: int, k: int) -> float:
    """The paper's n·ε₂/((d-k)·2^(k+2)), with ε₂ = 7/10 of epsilon."""
    return records * 0.7 * epsilon / ((d - k) * 2 ** (k + 2))


@pytest.mark.parametrize("records", [20, 100, 1000, 20_000])
@pytest.mark.parametrize("epsilon", ["1/10", "1", "8"])
def test_the_degree_of_binary_data_is_the_largest_useful_one(records: int, epsilon: str) -> None:
    value = Fraction(epsilon)
    _, curator = asked(PrivBayes(value), followed(EIGHT, records))
    measured = [event for event in curator.ledger if isinstance(event, Measure)]
    useful = [k for k in range(1, 8) if usefulness(records, float(value), 8, k) >= 4]
    degree = max(useful, default=0)
    # d - k joints of k + 1 attributes; each noised for 2(d - k)/ε₂.
    assert [len(event.query.attributes) for event in measured] == [degree + 1] * (8 - degree)
    share = Fraction(7, 10) if degree else ONE
    for event in measured:
        assert isinstance(event.noise, DiscreteLaplace)
        assert event.noise.scale == 2 * (8 - degree) / (share * value)
    choices = [event for event in curator.ledger if isinstance(event, Select)]
    assert len(choices) == (7 if degree else 0)
    assert curator.spent.epsilon == value
    for place, event in enumerate(choices, 1):
        assert isinstance(event.scores, MaximalCorrelation)
        number = (8 - place) * math.comb(place, min(degree, place))
        assert len(event.scores.candidates) == number
        # ε₁/(d - 1) over twice the sensitivity 2.
        assert event.noise.rate == Fraction(3, 10) * value / 7 / 4


def test_general_domains_have_useful_joints_and_noise_for_all_of_them() -> None:
    records, data = 3000, followed(MIXED, 3000)
    for score, kind in (("R", IndependenceDistance), ("I", MutualInformation)):
        _, curator = asked(PrivBayes(ONE, score), data)
        limit = records * 0.7 / (2 * 5 * 4)
        measured = [event for event in curator.ledger if isinstance(event, Measure)]
        assert len(measured) == 5
        for event in measured:
            assert event.query.size(MIXED) <= limit
            assert event.noise.scale == 2 * 5 / Fraction(7, 10)
        choices = [event for event in curator.ledger if isinstance(event, Select)]
        assert len(choices) == 4
        for event in choices:
            assert isinstance(event.scores, kind)
            moved = event.scores.sensitivity(MIXED, ReplaceOne()).linf
            assert event.noise.rate == Fraction(3, 10) / 4 / (2 * moved)
        assert curator.spent.epsilon == ONE


@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    cells=st.fractions(0, 200, max_denominator=7),
    most=st.integers(0, 6),
)
def test_maximal_sets_are_those_that_cannot_grow(
    sizes: list[int], cells: Fraction, most: int
) -> None:
    named = {f"a{place}": size for place, size in enumerate(sizes)}

    def fits(names: frozenset[str]) -> bool:
        return len(names) <= most and math.prod(named[name] for name in names) <= cells

    every = [
        frozenset(names)
        for number in range(1, len(named) + 1)
        for names in itertools.combinations(named, number)
    ]
    wanted = {
        names
        for names in every
        if fits(names) and not any(fits(names | {name}) for name in named if name not in names)
    }
    found = [frozenset(names) for names in maximal_sets(named, cells, most)]
    assert len(found) == len(set(found))
    assert set(found) == wanted


def test_the_network_follows_the_data_and_its_joints_are_kept() -> None:
    """Without noise the marginal of every child with its parents is the data's."""
    data = followed(MIXED, 4000)
    output, curator = asked(PrivBayes(Fraction(10)), data)
    assert output.records == 4000
    for event in curator.ledger:
        if isinstance(event, Measure):
            ones = np.ones((1, 4000), np.int64)
            true, made = (
                event.query.answers(MIXED, table.codes, ones)[0] for table in (data, output)
            )
            assert np.abs(true - made).max() <= 5


def test_the_first_attributes_of_binary_data_follow_the_first_joint() -> None:
    domain = Domain.from_cells("2x2x2")
    data = followed(domain, 400)
    output, curator = asked(PrivBayes(Fraction(10), theta=Fraction(1, 10)), data)
    (event,) = [event for event in curator.ledger if isinstance(event, Measure)]
    assert len(event.query.attributes) == 3
    assert np.abs(output.histogram() - data.histogram()).max() <= 1


@pytest.mark.parametrize("score", ["F", "auto"])
def test_small_epsilon_leaves_attributes_apart(score: str) -> None:
    program = PrivBayes(Fraction(1, 1000), score)
    _, curator = asked(program, followed(EIGHT, 50))
    assert not [event for event in curator.ledger if isinstance(event, Select)]
    assert curator.spent.epsilon == program.epsilon


def test_parents_may_be_limited() -> None:
    _, curator = asked(PrivBayes(Fraction(10), parents=1), followed(MIXED, 4000))
    sizes = [len(e.query.attributes) for e in curator.ledger if isinstance(e, Measure)]
    assert max(sizes) == 2
    _, curator = asked(PrivBayes(Fraction(10), parents=0), followed(MIXED, 4000))
    assert not [event for event in curator.ledger if isinstance(event, Select)]


def test_one_attribute_and_attributes_of_one_value() -> None:
    for cells in ("4", "1", "1x1", "1x3", "2x1x2"):
        domain = Domain.from_cells(cells)
        data = Dataset(domain, np.zeros((30, len(domain.shape)), np.int64))
        output, curator = asked(PrivBayes(ONE), data)
        assert output.histogram().tolist() == data.histogram().tolist()
        assert curator.spent.epsilon is not None and curator.spent.epsilon <= ONE


def test_the_root_is_a_public_coin() -> None:
    _, curator = asked(PrivBayes(ONE), followed(MIXED, 100))
    first = curator.ledger[0]
    assert isinstance(first, Draw) and first.law.count() == 5


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne(Unit("person", 2))])
def test_a_private_number_of_records_is_refused_before_any_question(neighbours: Any) -> None:
    domain = Domain("people", MIXED.attributes, individual="person")
    setting = Setting.of(domain, neighbours, 20)
    curator = Curator(setting, PureBudget(ONE), lambda event: (0,))
    with pytest.raises(InputError, match="public number of records"):
        PrivBayes(ONE)(curator)
    assert curator.ledger == ()


def test_the_score_f_needs_attributes_of_two_values() -> None:
    curator = Curator(Setting.of(MIXED, ReplaceOne(), 9), PureBudget(ONE), lambda event: (0,))
    with pytest.raises(InputError, match="two values"):
        PrivBayes(ONE, "F")(curator)
    assert curator.ledger == ()


def test_too_many_sets_of_parents_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("synthesizers.programs.privbayes.MAX_CANDIDATES", 2)
    with pytest.raises(InputError, match=r"more than 2 sets of parents.*--set parents=K"):
        asked(PrivBayes(Fraction(10)), followed(MIXED, 400))


def test_many_attributes_that_all_fit_are_one_set() -> None:
    sizes = {f"a{place}": 2 for place in range(60)}
    assert [len(names) for names in maximal_sets(sizes, Fraction(2**60), 60)] == [60]
    assert len(list(maximal_sets(sizes, Fraction(2**59), 60))) == 60


def test_negatives_are_clipped_as_in_the_paper_where_asked_for() -> None:
    domain = Domain.from_cells("4")
    setting = Setting.of(domain, ReplaceOne(), 8)
    for negatives, wanted in (("clip", [5, 3, 0, 0]), ("norm-sub", [6, 2, 0, 0])):
        program = PrivBayes(ONE, negatives=negatives)
        replies = iter([(0,), (10, 6, -4, -4)])
        curator = Curator(setting, PureBudget(ONE), lambda event, left=replies: next(left))
        assert program(curator).histogram().tolist() == wanted


def test_a_middling_table_comes_back_nearly() -> None:
    """12 attributes, 20,000 records, epsilon 4: pairs that depend stay within 5 in 100."""
    domain = Domain.from_cells("x".join(["2", "3", "4"] * 4))
    data = followed(domain, 20_000)
    program = PrivBayes(Fraction(4))
    setting = Setting.of(domain, ReplaceOne(), data.records)
    released = run(program, data, setting, program.budget(setting), InsecureSeededEntropy(7)).output
    for place in range(11):
        size = domain.shape[place + 1]
        tables = [
            np.bincount(table.codes[:, place] * size + table.codes[:, place + 1], minlength=12)
            for table in (data, released)
        ]
        assert np.abs(tables[0] - tables[1]).sum() / 2 / 20_000 < 0.05


@pytest.mark.slow
def test_adult(shared_data: Path) -> None:
    """Seconds, and a mean total variation of all 91 pairs below 0.085 at epsilon 1."""
    domain = load_domain(shared_data / "adult_coded.schema.json")
    data = read_table(shared_data / "adult_coded.csv.gz", domain)
    program = PrivBayes(ONE)
    setting = Setting.of(domain, ReplaceOne(), data.records)
    released = run(program, data, setting, program.budget(setting), InsecureSeededEntropy(7)).output
    assert pair_errors(data, released) < 0.085
