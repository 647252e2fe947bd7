"""PrivBasis: its steps, their shares, and what comes out."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Event, Measure, Select
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.programs.privbasis import PrivBasis
from synthesizers.queries import ItemsetCounts, RankDistance, RecodedMarginal, answer
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from tests.synthesizers.brute_force import RELATIONS, relation_id

ONE, ADDED = Fraction(1), AddRemove()
THREE = Domain.from_cells("2x2x2")
WIDE = Domain.from_cells("4x4x4x4x4x4x4")
COUNTS = np.array([3, 0, 1, 2, 0, 4, 1, 9])


def truthful(dataset: Dataset) -> Callable[[Event], tuple[int, ...]]:
    """Answers without noise: the best candidate, the true counts."""

    def reply(event: Event) -> tuple[int, ...]:
        if isinstance(event, Select):
            return (int(answer(event.scores, dataset).argmax()),)
        if isinstance(event, Measure):
            return tuple(answer(event.query, dataset).tolist())
        return (7,)

    return reply


def played(
    program: PrivBasis, dataset: Dataset, neighbours: Neighbours = ADDED
) -> tuple[Curator, Any]:
    setting = Setting.of(dataset.domain, neighbours, dataset.records)
    curator = Curator(setting, program.budget(setting), truthful(dataset))
    return curator, program(curator)


def skewed(records: int = 4000) -> Dataset:
    generator = np.random.default_rng(2)
    first = np.minimum(generator.geometric(0.6, (records, 1)) - 1, 3)
    own = np.minimum(generator.geometric(0.6, (records, 7)) - 1, 3)
    codes = np.where(generator.random((records, 7)) < 0.6, first, own)
    return Dataset(WIDE, codes.astype(np.int64))


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_the_shares_of_one_basis(neighbours: Neighbours) -> None:
    dataset = Dataset.from_histogram(THREE, COUNTS)
    curator, _ = played(PrivBasis(ONE, 3, "ones"), dataset, neighbours)
    rank, first, second, bins = curator.ledger
    m = neighbours.unit.max_records
    added = isinstance(neighbours, AddRemove)
    assert isinstance(rank, Select) and isinstance(rank.scores, RankDistance)
    # ceil(1.1 · 3) = 4: the fourth most frequent itemset.
    assert (rank.scores.rank, rank.scores.length) == (4, 12)
    assert rank.noise.rate == Fraction(1, 10) / 2 / (m if added else 2 * m)
    # Counts 14, 16 and 15; itemsets 12, 11, 13 and 9: the fourth count is 13, nearest to rank 3.
    for choice, left in ((first, 3), (second, 2)):
        assert isinstance(choice, Select) and isinstance(choice.scores, ItemsetCounts)
        assert len(choice.scores.itemsets) == left
        assert choice.noise.rate == Fraction(4, 10) / 3 / (m if added else 2 * m)
    assert isinstance(bins, Measure) and isinstance(bins.query, RecodedMarginal)
    assert bins.noise.scale == 2 * (m if added else 2 * m)
    # The third of three items was not asked for.
    assert curator.spent.epsilon == 1 - Fraction(4, 10) / 3


def test_without_noise_the_most_frequent_itemsets_come_out() -> None:
    dataset = Dataset.from_histogram(THREE, COUNTS)
    _, output = played(PrivBasis(ONE, 4, "ones"), dataset)
    table = COUNTS.reshape(2, 2, 2)
    ones = [table[1].sum(), table[:, 1].sum(), table[:, :, 1].sum()]
    assert ones == [14, 13, 15]
    assert output == [
        "a3=1", 15, "a1=1", 14, "a1=1 & a3=1", 13, "a2=1", 13
    ]  # fmt: skip


def test_values_are_items_and_exclude_each_other() -> None:
    domain = Domain.from_cells("3x2")
    dataset = Dataset.from_histogram(domain, np.array([5, 1, 0, 6, 2, 2]))
    curator, output = played(PrivBasis(ONE, 20), dataset)
    assert len(PrivBasis(ONE).all_items(domain)) == 5
    query = curator.ledger[-1].query
    assert query.attributes == ("a1", "a2")
    found = dict(zip(output[::2], output[1::2], strict=True))
    assert found["a1=0 & a2=0"] == 5 and found["a1=1"] == 6 and found["a2=1"] == 9


def test_many_items_are_split_into_bases() -> None:
    dataset = skewed()
    program = PrivBasis(ONE, 40, longest=4)
    curator, output = played(program, dataset)
    choices = [event for event in curator.ledger if isinstance(event, Select)]
    bins = [event for event in curator.ledger if isinstance(event, Measure)]
    pairs = [c for c in choices if isinstance(c.scores, ItemsetCounts)
             and len(c.scores.itemsets[0]) == 2]  # fmt: skip
    size = len(choices) - len(pairs) - 1
    # 44 - size more, and by the paper's root where these are more than the items.
    more = 44 - size
    assert len(pairs) == (more if more <= size else int((more * size) ** 0.5))
    assert len(bins) > 1 and curator.spent.epsilon == 1
    assert all(len(event.query.groups) <= 4 for event in bins)
    assert {event.noise.scale for event in bins} == {len(bins) * 2}
    rate = choices[1].noise.rate
    assert rate == Fraction(4, 10) * Fraction(size, size + len(pairs)) / size
    assert pairs[0].noise.rate == rate
    assert len(output) == 80
    for text, count in zip(output[::2], output[1::2], strict=True):
        held = np.ones(dataset.records, np.bool_)
        for part in text.split(" & "):
            name, value = part.split("=")
            held &= dataset.codes[:, WIDE.position(name)] == int(value)
        assert count == held.sum()


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=relation_id)
def test_records_have_the_bins(neighbours: Neighbours) -> None:
    dataset = Dataset.from_histogram(THREE, COUNTS)
    _, output = played(PrivBasis(ONE, 4, "ones", output="records"), dataset, neighbours)
    assert canonical_output(output, THREE) == tuple(COUNTS)


def test_larger_domains_release_records_that_have_the_bins() -> None:
    dataset = skewed()
    setting = Setting.of(WIDE, AddRemove(), dataset.records)
    program = PrivBasis(Fraction(10), 30, longest=6, output="records")
    found = run(program, dataset, setting, program.budget(setting), InsecureSeededEntropy(4))
    assert found.output.records == dataset.records
    for event, outcome in found.transcript:
        if isinstance(event, Measure):
            held = answer(event.query, found.output)
            apart = np.abs(held - np.maximum(outcome, 0)).sum() / 2 / dataset.records
            assert apart < 0.05


def test_a_noisy_total_says_how_many_rows() -> None:
    setting = Setting(THREE, AddRemove(), None, None)
    for each, rows in ((4, 8), (-1, 0)):
        curator = Curator(
            setting,
            UnlimitedBudget(),
            lambda event, e=each: (0,) if isinstance(event, Select) else (e, e),
        )
        assert PrivBasis(ONE, 1, "ones", output="records")(curator).records == rows


def test_what_cannot_be_done_is_refused_before_any_question() -> None:
    def refused(event: Event) -> tuple[int, ...]:
        raise AssertionError("a question was asked")

    setting = Setting.of(Domain.from_cells("3x3"), AddRemove(), 4)
    with pytest.raises(InputError, match="two values"):
        PrivBasis(ONE, items="ones")(Curator(setting, UnlimitedBudget(), refused))


def test_one_item_is_not_asked_for() -> None:
    setting = Setting.of(Domain.from_cells("1"), ReplaceOne(), 4)
    curator = Curator(setting, UnlimitedBudget(), lambda event: (0,))
    assert PrivBasis(ONE)(curator) == ["cell=0", 4] and curator.ledger == ()
