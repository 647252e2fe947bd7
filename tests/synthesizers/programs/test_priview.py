"""PriView: the views, their noise, and what is made of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Event, Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.programs.priview import PriView, reconcile
from synthesizers.queries import Marginal, answer
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from tests.synthesizers.brute_force import RELATIONS, relation_id

ONE = Fraction(1)
THREE = Domain.from_cells("2x2x2")
WIDE = Domain.from_cells("x".join(["2"] * 14))
CHAIN = (("a1", "a2"), ("a2", "a3"))


def played(program: PriView, setting: Setting, reply: Any) -> tuple[list[Event], Any]:
    curator = Curator(setting, program.budget(setting), reply)
    output = program(curator)
    assert curator.spent.epsilon == program.epsilon
    return list(curator.ledger), output


def truth_of(dataset: Dataset) -> Any:
    def reply(event: Event) -> tuple[int, ...]:
        if isinstance(event, Measure):
            return tuple(answer(event.query, dataset).tolist())
        return (7,)

    return reply


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_every_view_has_the_noise_of_all(neighbours: Neighbours) -> None:
    dataset = Dataset.from_histogram(THREE, np.array([1, 0, 2, 0, 0, 0, 0, 2]))
    program = PriView(Fraction(1, 2), length=2, slack=1)
    events, _ = played(program, Setting.of(THREE, neighbours, 5), truth_of(dataset))
    m = neighbours.unit.max_records
    moved = m if isinstance(neighbours, AddRemove) else 2 * m
    assert [event.query for event in events] == [
        Marginal(("a1", "a2")), Marginal(("a1", "a3")), Marginal(("a2", "a3"))
    ]  # fmt: skip
    for event in events:
        assert isinstance(event, Measure)
        assert event.noise.scale == 3 * moved * 2
        assert (event.low, event.high) == (-1, 6)


@pytest.mark.parametrize("neighbours", [AddRemove(), ReplaceOne()], ids=relation_id)
def test_without_noise_what_the_views_hold_comes_out(neighbours: Neighbours) -> None:
    # a1 and a3 are independent given a2, so that the two views say all.
    counts = np.multiply.outer([4, 2], [1, 3])[:, None, :] * np.array([1, 2])[None, :, None]
    dataset = Dataset.from_histogram(THREE, counts.ravel())
    setting = Setting.of(THREE, neighbours, dataset.records)
    _, output = played(PriView(ONE, views=CHAIN), setting, truth_of(dataset))
    assert canonical_output(output, THREE) == tuple(counts.ravel())


def test_views_agree_and_are_not_negative() -> None:
    noisy = ((9, -4, 3, 2), (1, 5, -3, 12))
    for total in (None, 11):
        first, second = reconcile(THREE, CHAIN, noisy, total)
        assert min(first.counts.min(), second.counts.min()) >= 0
        assert first.onto(["a2"]) == pytest.approx(second.onto(["a2"]), abs=1)
        assert first.total == pytest.approx(11 if total else (10 + 15) / 2)


def test_triples_are_covered_where_there_are_rows_for_it() -> None:
    domain = Domain.from_cells("x".join(["2"] * 12))
    program = PriView(ONE, strength="predicted")
    for rows, strength in ((1000, 2), (1_000_000, 3)):
        views = program.chosen(Setting.of(domain, AddRemove(), rows))
        assert views == PriView(ONE, strength=str(strength)).chosen(
            Setting.of(domain, AddRemove(), rows)
        )
        held = [set(view) for view in views]
        chosen = list(combinations(domain.names, strength))
        assert all(any(set(names) <= view for view in held) for names in chosen)
    # Twelve attributes, as in Example 1 of Li, Zhang & Wang 2021: three views.
    assert len(program.chosen(Setting.of(domain, AddRemove(), 1000))) == 3


def test_the_limit_of_three_thousandths() -> None:
    # One view of 4 attributes: a cell of three sums 2 cells of variance 2/epsilon².
    domain = Domain.from_cells("2x2x2x2")
    program = PriView(ONE, length=4, strength="predicted", views=None)
    views = {
        rows: len(program._design(domain, 3)) == 1
        and program._affordable(Setting.of(domain, AddRemove(), rows), (domain.names,))
        for rows in (666, 667)
    }
    # sqrt(4)/0.003 = 666.7 rows.
    assert views == {666: False, 667: True}


def test_what_cannot_be_done_is_refused_before_any_question() -> None:
    def refused(event: Event) -> tuple[int, ...]:
        raise AssertionError("a question was asked")

    for program, words in (
        (PriView(ONE, views=(("a1",), ("b",))), "no attribute 'b'"),
        (PriView(ONE, views=(("a1", "a1"),)), "different attributes"),
    ):
        setting = Setting.of(THREE, AddRemove(), 5)
        with pytest.raises(InputError, match=words):
            program(Curator(setting, UnlimitedBudget(), refused))
    private = Setting(THREE, AddRemove(), None, None)
    with pytest.raises(InputError, match="--rows"):
        PriView(ONE, strength="predicted")(Curator(private, UnlimitedBudget(), refused))


def test_a_noisy_total_says_how_many_rows() -> None:
    setting = Setting(THREE, AddRemove(), None, None)
    for each, rows in ((3, 12), (-3, 0)):
        _, output = played(PriView(ONE, views=CHAIN), setting, lambda event, e=each: (e,) * 4)
        assert output.records == rows


def test_one_cell_of_public_records_needs_no_question() -> None:
    setting = Setting.of(Domain.from_cells("1x1"), ReplaceOne(), 4)
    curator = Curator(setting, UnlimitedBudget(), truth_of)
    assert PriView(ONE)(curator).records == 4 and curator.ledger == ()


def test_larger_domains_release_records_that_have_the_views() -> None:
    generator = np.random.default_rng(3)
    driver = generator.random((20_000, 1))
    codes = (generator.random((20_000, 14)) < driver).astype(np.int64)
    dataset, setting = Dataset(WIDE, codes), Setting.of(WIDE, AddRemove(), 20_000)
    program = PriView(Fraction(10), rounds=10)
    found = run(program, dataset, setting, program.budget(setting), InsecureSeededEntropy(1))
    assert found.output.records == 20_000
    apart = [
        np.abs(
            np.bincount(dataset.codes[:, i] * 2 + dataset.codes[:, j], minlength=4)
            - np.bincount(found.output.codes[:, i] * 2 + found.output.codes[:, j], minlength=4)
        ).sum()
        / 40_000
        for i, j in combinations(range(14), 2)
    ]
    # Independent columns would be 1/12 apart in covariance, so 1/6 in total variation.
    assert np.mean(apart) < 0.01


def test_attributes_in_no_view_are_spread_evenly() -> None:
    setting = Setting.of(WIDE, AddRemove(), 4000)
    program = PriView(ONE, views=(("a1", "a2"),), rounds=3)
    curator = Curator(
        setting, UnlimitedBudget(), lambda e: (9, 0, 0, 0) if isinstance(e, Measure) else (7,)
    )
    output = program(curator)
    assert not output.codes[:, :2].any()
    assert output.codes[:, 2:].mean(axis=0) == pytest.approx([0.5] * 12)
