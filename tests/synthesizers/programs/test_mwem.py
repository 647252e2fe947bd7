"""MWEM: what each round asks, against the weights of the whole domain, theory and practice."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from synthesizers.budget import ZCDPBudget
from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.errors import InputError
from synthesizers.estimation.rounding import largest_remainder
from synthesizers.events import Measure, Select
from synthesizers.neighbours import AddRemove, ReplaceOne, Unit
from synthesizers.noise import DiscreteLaplace
from synthesizers.programs.mwem import Mwem
from synthesizers.queries import CellErrors, Marginal, RecodedMarginal, Total
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from synthesizers.selection import Exponential
from tests.synthesizers.programs.answering import on_answers, on_counts

ONE = Fraction(1)
FOUR = Domain.from_cells("2x2")
EIGHT = Domain.from_cells("2x2x2")
RECORDS = ReplaceOne()


def test_two_rounds_by_hand() -> None:
    # Queries: two cells of a1, two of a2, then (0,0), (0,1), (1,0), (1,1). The sixth is chosen,
    # noisy count 4 of 8, then the last, count 0.
    program = Mwem(ONE, rounds=2, variant="theory")
    setting = Setting.of(FOUR, RECORDS, 8)
    output, curator = on_answers(program, setting, [(5,), (4,), (7,), (0,)])
    first, noisy, second, last = curator.ledger
    assert isinstance(first, Select) and isinstance(second, Select)
    assert first.scores == CellErrors(
        (Marginal(("a1",)), Marginal(("a2",)), Marginal(("a1", "a2"))),
        ((0, 1), (0, 1), (0, 1, 2, 3)),
        ((400, 400), (400, 400), (200, 200, 200, 200)),
        100,
    )
    # Of epsilon/4, the score moves by 100: a rate of 1/(4·2·100).
    assert first.noise == second.noise == Exponential(Fraction(1, 800))
    assert isinstance(noisy, Measure) and isinstance(last, Measure)
    assert noisy.query == RecodedMarginal(("a1", "a2"), ((0, -1), (-1, 0)))
    assert last.query == RecodedMarginal(("a1", "a2"), ((-1, 0), (-1, 0)))
    assert noisy.noise == last.noise == DiscreteLaplace(Fraction(4))
    assert curator.spent.epsilon == 1
    # The cell is multiplied by exp((4 - 2)/16), and all brought back to 8.
    factor = np.exp(1 / 8)
    after = np.array([1, factor, 1, 1]) * 8 / (3 + factor)
    assert isinstance(second.scores, CellErrors)
    assert second.scores.models[2] == tuple(np.rint(100 * after).astype(int).tolist())
    # The average of the uniform model and of this one, rounded to 8 rows: 2 in each cell.
    assert output.histogram().tolist() == [2, 2, 2, 2]


def test_the_average_leaves_out_the_last_count_and_the_last_model_has_it() -> None:
    setting = Setting(FOUR, RECORDS, 800, 10**6)
    for variant, answers in (("theory", [(4,), (800,)]), ("practice", [(4,), (800,)])):
        output, _ = on_answers(Mwem(ONE, rounds=1, variant=variant), setting, answers)
        if variant == "theory":
            assert output.histogram().tolist() == [250_000] * 4
        else:
            assert output.histogram()[0] > 950_000


def slow(
    cells: list[NDArray[np.bool_]], counts: list[float], total: float, passes: int
) -> list[NDArray[np.float64]]:
    """Weights of every cell of the whole domain: the model before each round and after the last."""
    table = np.full(len(cells[0]), total / len(cells[0]))
    models = [table]
    for step in range(len(cells)):
        used = range(step, step + 1) if passes == 1 else range(step + 1)
        for _ in range(passes):
            for q in used:
                table = table * np.exp(cells[q] * (counts[q] - table[cells[q]].sum()) / (2 * total))
                table = table * total / table.sum()
        models.append(table)
    return models


@pytest.mark.parametrize("variant", ["theory", "practice"])
def test_blocks_are_the_weights_of_the_whole_domain(variant: str) -> None:
    program = Mwem(ONE, rounds=3, variant=variant, width=1, blocks=(("a1", "a3"), ("a2",)),
                   initial=Fraction(0))  # fmt: skip
    rows = 10_000
    setting = Setting(EIGHT, RECORDS, 20, rows)
    # Queries: a1=0, a1=1, a3=0, a3=1, a2=0, a2=1.
    chosen, counts = [2, 5, 1], [14, 3, 25]
    answers = [(n,) for pair in zip(chosen, counts, strict=True) for n in pair]
    output, _ = on_answers(program, setting, answers)
    codes = EIGHT.codes()
    cells = [codes[:, 2] == 0, codes[:, 1] == 1, codes[:, 0] == 1]
    models = slow(cells, [14.0, 3.0, 20.0], 20.0, 1 if variant == "theory" else 100)
    table = np.mean(models[:-1], axis=0) if variant == "theory" else models[-1]
    # In practice blocks that were not measured keep their weights, which 100 passes had settled.
    assert np.abs(output.histogram() - table / 20 * rows).max() < 12


def test_blocks_begin_with_one_way_marginals() -> None:
    blocks = (("a1", "a3"), ("a2",))
    program = Mwem(ONE, rounds=1, variant="theory", blocks=blocks, initial=Fraction(1, 2))
    setting = Setting(EIGHT, RECORDS, 8, 800)
    # Theory with one round leaves its count out: what is released is where the weights begin.
    output, curator = on_answers(program, setting, [(6, 2), (5, 3), (12, -4), (0,), (4,)])
    ones, choice, noisy = curator.ledger[:3], curator.ledger[3], curator.ledger[4]
    for event, name in zip(ones, EIGHT.names, strict=True):
        # A sixth of epsilon, of sensitivity 2.
        assert isinstance(event, Measure) and event.query == Marginal((name,))
        assert event.noise == DiscreteLaplace(Fraction(12))
    assert isinstance(choice, Select) and choice.noise == Exponential(Fraction(1, 800))
    assert isinstance(noisy, Measure) and noisy.noise == DiscreteLaplace(Fraction(4))
    assert curator.spent.epsilon == 1
    first, second, third = np.array([6, 2]) / 8, np.array([5, 3]) / 8, np.array([8, 1]) / 9
    product = np.einsum("i,j,k->ijk", first, second, third).ravel()
    assert np.abs(output.histogram() - 800 * product).max() <= 1


def test_one_block_begins_uniform() -> None:
    setting = Setting.of(FOUR, RECORDS, 8)
    _, curator = on_answers(Mwem(ONE, rounds=1, initial=Fraction(1, 2)), setting, [(0,), (2,)])
    assert isinstance(curator.ledger[0], Select) and curator.spent.epsilon == 1


def test_practice_is_nearer_than_theory() -> None:
    domain = Domain.from_cells("4x4")
    counts = np.zeros(16, np.int64)
    counts[[0, 5, 10, 15]] = [400, 300, 200, 100]
    data = Dataset.from_histogram(domain, counts)
    setting = Setting.of(domain, RECORDS, 1000)
    far = {}
    for variant in ("theory", "practice"):
        output, _ = on_counts(Mwem(ONE, rounds=8, variant=variant), setting, data, lambda _: 0)
        far[variant] = np.abs(output.histogram() - counts).sum() / 2000
    # The largest errors are measured without noise: four counts are enough in practice.
    assert far["practice"] < 0.05 < 0.25 < far["theory"]


def test_the_zcdp_version_splits_a_round_in_halves() -> None:
    program = Mwem(ONE, Fraction(1, 10**6), noise="gaussian", rounds=2)
    setting = Setting.of(FOUR, RECORDS, 8)
    _, curator = on_answers(program, setting, [(0,), (2,), (0,), (2,)])
    budget = program.budget(setting)
    assert isinstance(budget, ZCDPBudget)
    assert curator.spent.rho is not None and budget.rho >= curator.spent.rho
    assert curator.spent.rho == budget.rho
    costs = [event.cost(FOUR, RECORDS).rho for event in curator.ledger]
    for cost in costs:
        assert cost is not None and float(cost) == pytest.approx(float(budget.rho / 4), rel=1e-6)


def test_a_private_number_of_records_is_paid_for() -> None:
    program = Mwem(ONE, rounds=3)
    setting = Setting.of(FOUR, AddRemove(), None)
    answers = [(8,), *[(0,), (2,)] * 3]
    output, curator = on_answers(program, setting, answers)
    first = curator.ledger[0]
    assert isinstance(first, Measure) and first.query == Total()
    assert first.noise == DiscreteLaplace(Fraction(4))
    assert curator.spent.epsilon == 1 and output.records == 8


def test_persons_multiply_the_scales() -> None:
    setting = Setting.of(FOUR, AddRemove(Unit("person", 3)), 8)
    _, curator = on_answers(Mwem(ONE, rounds=1), setting, [(8,), (0,), (2,)])
    _, choice, noisy = curator.ledger
    assert isinstance(choice, Select) and isinstance(noisy, Measure)
    assert choice.noise == Exponential(Fraction(1, 4 * 2 * 300))
    assert noisy.noise == DiscreteLaplace(Fraction(12))
    assert curator.spent.epsilon == 1


def test_a_domain_of_one_cell_asks_nothing() -> None:
    one = Domain.from_cells("1x1")
    output, curator = on_answers(Mwem(ONE), Setting.of(one, RECORDS, 5), [])
    assert curator.ledger == () and output.records == 5


def test_no_records_and_wild_counts() -> None:
    setting = Setting(FOUR, RECORDS, 0, 4)
    output, _ = on_answers(Mwem(ONE, rounds=2), setting, [(0,), (10**9,), (1,), (-(10**9),)])
    assert output.records == 4


def test_rounding_is_that_of_largest_remainder() -> None:
    setting = Setting(FOUR, RECORDS, 8, 7)
    output, _ = on_answers(Mwem(ONE, rounds=1, variant="theory"), setting, [(0,), (2,)])
    assert output.histogram().tolist() == largest_remainder([1] * 4, 7)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rounds": 0}, "rounds must be at least 1"),
        ({"width": 0}, "width must be at least 1"),
        ({"initial": ONE}, "initial must be at least 0 and below 1"),
        ({"blocks": (("a1",), ("a1",))}, "once"),
        ({"noise": "gaussian"}, "needs a delta"),
        ({"blocks": (("a9",),)}, "no attribute"),
    ],
)
def test_bad_parameters(given: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        on_answers(Mwem(ONE, **given), Setting.of(FOUR, RECORDS, 5), [])


def test_blocks_that_are_too_large_are_refused_before_anything_is_asked() -> None:
    wide = Domain.from_cells("1500x1500")
    with pytest.raises(InputError, match="name blocks"):
        on_answers(Mwem(ONE, blocks=(("a1", "a2"),)), Setting.of(wide, RECORDS, 5), [])


@pytest.mark.parametrize("variant", ["theory", "practice"])
def test_a_table_of_many_cells(variant: str) -> None:
    domain = Domain.from_cells("8x8x8x16")
    generator = np.random.default_rng(2)
    first = generator.choice(8, 4000, p=[0.7, 0.3, 0, 0, 0, 0, 0, 0])
    codes = np.stack([first, first, first * 0, generator.integers(0, 16, 4000)], axis=1)
    setting = Setting.of(domain, RECORDS, 4000)
    program = Mwem(Fraction(4), rounds=6, variant=variant, cells=64)
    output = run(
        program, Dataset(domain, codes), setting, program.budget(setting), InsecureSeededEntropy(5)
    ).output
    assert output.records == 4000
    if variant == "practice":
        # Two cells of 2800 and 1200 records stand out of 64, at a noise of scale 3.
        assert (output.codes[:, 0] == output.codes[:, 1]).mean() > 0.9
