"""Inspired by pfr: shares, thresholds, denoising, chains of queries, rules."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.events import Measure
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.pfr_style import PfrStyle, column_rules, denoise, query_groups
from synthesizers.queries import Marginal, Total
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from tests.synthesizers.brute_force import RELATIONS, relation_id
from tests.synthesizers.programs.answering import on_answers

ONE = Fraction(1)
FOUR = Domain.from_cells("2x2x2x2")


def program(queries: str = "", rules: str = "", denoise: bool = False) -> PfrStyle:
    return PfrStyle(
        ONE,
        query_groups(queries, "queries") if queries else (),
        rules=column_rules(rules, "rules") if rules else (),
        denoise=denoise,
    )


@pytest.mark.parametrize("neighbours", RELATIONS, ids=relation_id)
def test_shares_follow_columns_and_then_queries(neighbours: Neighbours) -> None:
    setting = Setting.of(FOUR, neighbours, 4)
    answers = [(1, 1, 1, 1), (1, 1, 1, 1), (2, 2)]
    _, curator = on_answers(program("a1+a2,a2+a3;a4"), setting, answers)
    moves = neighbours.unit.max_records * (2 if isinstance(neighbours, ReplaceOne) else 1)
    asked = [(e.query, e.noise) for e in curator.ledger if isinstance(e, Measure)]
    # Three of four columns: 3/4 of epsilon for two queries, 1/4 for the other one.
    assert asked == [
        (Marginal(("a1", "a2")), DiscreteLaplace(moves / Fraction(3, 8))),
        (Marginal(("a2", "a3")), DiscreteLaplace(moves / Fraction(3, 8))),
        (Marginal(("a4",)), DiscreteLaplace(moves / Fraction(1, 4))),
    ]
    assert curator.spent.epsilon == 1


def test_a_query_is_dropped_by_the_noisy_number_of_records() -> None:
    both = program("a1+a2@6;a3@2")
    setting = Setting.of(FOUR, AddRemove(), 32)
    output, curator = on_answers(both, setting, [(5,), (3, 1)])
    total, kept = curator.ledger
    assert isinstance(total, Measure) and total.query == Total()
    assert total.noise == DiscreteLaplace(Fraction(20))
    assert isinstance(kept, Measure) and kept.noise == DiscreteLaplace(Fraction(20, 19))
    assert curator.spent.epsilon == 1
    assert output.codes.sum(axis=0).tolist() == [16, 16, 8, 16]
    _, curator = on_answers(both, setting, [(6,), (1, 1, 1, 1), (3, 1)])
    assert len(curator.ledger) == 3 and curator.spent.epsilon == 1


def test_a_public_number_of_records_is_free() -> None:
    setting = Setting.of(FOUR, ReplaceOne(), 5)
    _, curator = on_answers(program("a1+a2@6;a3@2"), setting, [(3, 2)])
    (kept,) = curator.ledger
    assert isinstance(kept, Measure) and kept.noise == DiscreteLaplace(Fraction(2))


def test_everything_may_be_dropped() -> None:
    output, curator = on_answers(program("a1@9"), Setting.of(FOUR, ReplaceOne(), 5), [])
    assert curator.ledger == () and output.records == 5


def test_denoising_matches_the_negative_counts() -> None:
    # a = e^(-1/scale) = 1/2: an empty cell is negative with chance 1/3; two are, so six are empty.
    scale = 1 / np.log(2)
    noisy = np.array([-1, 9, 0, 2, -2, 1, 7, 0, 1, 8])
    assert denoise(noisy, scale).tolist() == [0, 9, 0, 2, 0, 0, 7, 0, 0, 8]
    assert denoise(np.array([3, 0, 1]), scale).tolist() == [3, 0, 1]
    assert denoise(np.array([-3, -1, 5]), scale).tolist() == [0, 0, 0]


def test_one_negative_count_among_little_noise_empties_no_other_cell() -> None:
    # a = e^-5: one count below 0 alone would stand for 149 empty cells, but of as many 148 would
    # be 0.
    noisy = np.array([-1, *range(1, 200)])
    assert denoise(noisy, 1 / 5).tolist() == [0, *range(1, 200)]


def test_what_noise_does_not_reach_is_kept_however_many_cells_look_empty() -> None:
    # 60 of 100 counts below 0 stand for 120 empty cells and more. An empty cell's count passes
    # 14·log(20·100) = 106.4 with chance below 1/2000.
    noisy = np.array([-1] * 60 + [1] * 37 + [106, 107, 40_000])
    assert denoise(noisy, 14.0).tolist() == [0] * 98 + [107, 40_000]


def test_denoising_finds_the_empty_cells_of_a_large_histogram() -> None:
    generator = np.random.default_rng(4)
    a = np.exp(-1 / 5)
    noise = generator.geometric(1 - a, 10_000) - generator.geometric(1 - a, 10_000)
    counts = np.zeros(10_000, np.int64)
    counts[:500] = 200
    kept = denoise(counts + noise, 5.0)
    # 9500 empty cells, of which a share of a/(1+a) = 0.45 with deviation 48 is negative, so that
    # the estimate has deviation 107; six of them fail with probability < 1e-8.
    assert (kept[:500] > 0).all() and (kept > 0).sum() < 500 + 6 * 107


def test_a_chain_of_queries_is_drawn_through_what_they_share() -> None:
    setting = Setting.of(FOUR, AddRemove(), 64)
    answers = [(1, 0, 0, 3), (3, 3, 1, 0)]
    output, _ = on_answers(program("a1+a2,a3+a2"), setting, answers)
    counts = output.histogram().reshape(2, 2, 2, 2).sum(axis=3)
    # a1 = a2, a quarter 0. Given a2 = 0, a3 is 0 or 1 as 3 : 1; given a2 = 1, as 3 : 0.
    wanted = np.zeros((2, 2, 2))
    wanted[0, 0] = 16 * np.array([3, 1]) / 4
    wanted[1, 1, 0] = 48
    assert np.abs(counts - wanted).max() <= 1


def test_rules_fill_their_columns() -> None:
    setting = Setting.of(FOUR, AddRemove(), 40)
    output, _ = on_answers(program("a1", "a2=a1:1,0;a4=a3:0,0"), setting, [(1, 3)])
    codes = output.codes
    assert (codes[:, 1] == 1 - codes[:, 0]).all() and not codes[:, 3].any()
    assert codes.sum(axis=0).tolist() == [30, 10, 20, 0]


def test_by_default_columns_are_packed_and_ruled_ones_not_asked() -> None:
    ruled = program(rules="a2=a1:1,0")
    _, curator = on_answers(ruled, Setting.of(FOUR, AddRemove(), 4), [(1,) * 8])
    (event,) = curator.ledger
    assert isinstance(event, Measure) and event.query == Marginal(("a1", "a3", "a4"))


def test_unstated_rows_are_the_noisy_number_of_records() -> None:
    output, _ = on_answers(program("a1"), Setting.of(FOUR, AddRemove(), None), [(9,), (1, 3)])
    assert output.records == 9


@pytest.mark.parametrize(
    ("queries", "rules", "words"),
    [
        ("a1+a2;a2", "", "once"),
        ("a1", "a1=a2:0,1", "once"),
        ("a1", "a2=a1:0", "for each of the 2 codes"),
        ("a1", "a2=a1:0,2", "below 2"),
        ("a1", "a2=a3:0,1;a3=a1:0,1", "which has a rule"),
        ("a1,a9", "", "no attribute"),
    ],
)
def test_lists_that_do_not_fit(queries: str, rules: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        on_answers(program(queries, rules), Setting.of(FOUR, AddRemove(), 4), [])


@pytest.mark.parametrize("text", ["", "a+", "a@x", "a@-1", "a,,b"])
def test_queries_that_cannot_be_read(text: str) -> None:
    with pytest.raises(InputError):
        query_groups(text, "queries")


def test_a_table_of_many_cells() -> None:
    domain = Domain.from_cells("30x30x30")
    generator = np.random.default_rng(2)
    first = generator.integers(0, 30, 20_000)
    codes = np.stack([first, (first * 7) % 30, first // 2], axis=1)
    setting = Setting.of(domain, AddRemove(), 20_000)
    chained = program("a1+a2,a1+a3", denoise=True)
    output = run(
        chained, Dataset(domain, codes), setting, chained.budget(setting), InsecureSeededEntropy(5)
    ).output
    # 667 records in each of thirty cells of 900 that hold noise of scale 2.
    assert (output.codes[:, 1] == (output.codes[:, 0] * 7) % 30).mean() > 0.9
    assert (output.codes[:, 2] == output.codes[:, 0] // 2).mean() > 0.9
