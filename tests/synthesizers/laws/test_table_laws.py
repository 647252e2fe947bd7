"""Laws of whole tables against slow definitions, and their costs against the exhaustive loss."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from synthesizers.budget import UNBOUNDED
from synthesizers.errors import InputError
from synthesizers.exact import Exact, ExpRational, add, compare, is_zero, log_enclosure
from synthesizers.intervals import log_interval
from synthesizers.laws.dirichlet import DirichletMultinomial, PlugInMultinomial
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.laws.subsample import Subsample
from synthesizers.laws.table_laws import TableLaw
from synthesizers.neighbours import (
    AddRemove,
    Neighbours,
    ReplaceOne,
    Unit,
    databases,
    histograms,
)
from synthesizers.randomness import InsecureSeededEntropy
from tests.synthesizers.brute_force import RELATIONS, close, fraction, relation_id
from tests.synthesizers.slow_tables import largest_ratio

HALF = Fraction(1, 2)
UNEVEN = (Fraction(1, 3), Fraction(2))


def laws(cells: int) -> Iterator[TableLaw]:
    for alpha in ((HALF,), (Fraction(3),), tuple(Fraction(1, 1 + i) for i in range(cells))):
        for records in (0, 1, 3):
            yield DirichletMultinomial(alpha, records)
            yield PlugInMultinomial(alpha, records)
    for part in (Fraction(1, 10), HALF, Fraction(2, 3), Fraction(1)):
        yield Subsample(part)
    for epsilon in (Fraction(1, 3), Fraction(2)):
        yield RandomizedResponse(epsilon)


@pytest.mark.parametrize(("cells", "records"), [(1, 2), (2, 4), (3, 3), (4, 2)])
def test_every_law_sums_to_one_for_every_database(cells: int, records: int) -> None:
    for neighbours in (AddRemove(), ReplaceOne()):
        rows = databases(neighbours, cells, records)
        for law in laws(cells):
            outcomes = law.outcomes(rows)
            assert len(set(outcomes)) == len(outcomes)
            possible: set[tuple[int, ...]] = set()
            for counts in map(tuple, rows.tolist()):
                chances: list[Exact] = [law.chance(counts, outcome) for outcome in outcomes]
                total = functools.reduce(add, chances)
                assert compare(total, Fraction(1)) == 0
                assert all(compare(chance, Fraction(0)) != -1 for chance in chances)
                possible |= {o for o, c in zip(outcomes, chances, strict=True) if not is_zero(c)}
            assert possible == set(outcomes)
            for outcome in ((records + 5,) + (0,) * (cells - 1), (-1,) * cells):
                assert is_zero(law.chance(tuple(rows[-1].tolist()), outcome))


def gamma_form(
    alpha: tuple[Fraction, ...], counts: tuple[int, ...], drawn: tuple[int, ...]
) -> mpmath.mpf:
    """Equation (1) of Abowd & Vilhuber, by gamma functions."""
    weights = [fraction(a) + n for a, n in zip(alpha, counts, strict=True)]
    size, total = sum(drawn), mpmath.fsum(weights)
    value = mpmath.factorial(size) * mpmath.gamma(total) / mpmath.gamma(total + size)
    for weight, count in zip(weights, drawn, strict=True):
        value *= mpmath.gamma(weight + count) / mpmath.gamma(weight) / mpmath.factorial(count)
    return value


@pytest.mark.parametrize("alpha", [(HALF, HALF), UNEVEN])
def test_predictive_law_is_equation_one(alpha: tuple[Fraction, ...]) -> None:
    law = DirichletMultinomial(alpha, 5)
    with mpmath.workdps(50):
        for counts in ((0, 5), (2, 3), (5, 0), (0, 0), (1, 9)):
            for drawn in ((0, 5), (3, 2), (5, 0)):
                assert close(law.chance(counts, drawn), gamma_form(alpha, counts, drawn))


def test_predictive_law_is_an_urn() -> None:
    """Draw by draw: every drawn record is put back with another of its kind."""
    alpha, counts, size = (HALF, Fraction(2), Fraction(1, 3)), (1, 0, 2), 3
    wanted: Counter[tuple[int, ...]] = Counter()
    for sequence in itertools.product(range(3), repeat=size):
        weights = [a + n for a, n in zip(alpha, counts, strict=True)]
        chance = Fraction(1)
        for cell in sequence:
            chance *= weights[cell] / sum(weights)
            weights[cell] += 1
        wanted[tuple(map(sequence.count, range(3)))] += chance
    law = DirichletMultinomial(alpha, size)
    assert {outcome: law.chance(counts, outcome) for outcome in wanted} == dict(wanted)


def test_plug_in_law_is_a_multinomial_of_the_posterior_mean() -> None:
    law = PlugInMultinomial((HALF,), 5)
    for first in range(6):
        for drawn in range(6):
            p = (first + HALF) / 6
            wanted = math.comb(5, drawn) * p**drawn * (1 - p) ** (5 - drawn)
            assert law.chance((first, 5 - first), (drawn, 5 - drawn)) == wanted
    # Figure 1 of Abowd & Vilhuber, top left; equation (1) would give 0.715975.
    assert round(float(law.chance((0, 5), (0, 5))), 6) == 0.647228
    predictive = DirichletMultinomial((HALF,), 5)
    assert round(float(predictive.chance((0, 5), (0, 5))), 6) == 0.715975


@pytest.mark.parametrize("part", [Fraction(1, 4), HALF, Fraction(4, 5), Fraction(1)])
@pytest.mark.parametrize("counts", [(3, 2), (1, 0, 4), (2, 2, 1), (0, 0), (1,)])
def test_subsample_against_every_subset(part: Fraction, counts: tuple[int, ...]) -> None:
    records = [cell for cell, count in enumerate(counts) for _ in range(count)]
    size = int(part * len(records))
    subsets = list(itertools.combinations(range(len(records)), size))
    wanted = Counter(
        tuple(sum(records[i] == cell for i in subset) for cell in range(len(counts)))
        for subset in subsets
    )
    law = Subsample(part)
    outcomes = law.outcomes(np.array([counts]))
    found = {outcome: law.chance(counts, outcome) for outcome in outcomes}
    assert found == {outcome: Fraction(ways, len(subsets)) for outcome, ways in wanted.items()}
    assert law.draw_count(len(records)) == size


@pytest.mark.parametrize("counts", [(0, 0), (3,), (2, 1), (1, 0, 2), (0, 1, 1, 1)])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3)])
def test_randomized_response_against_every_vector_of_answers(
    counts: tuple[int, ...], epsilon: Fraction
) -> None:
    cells = len(counts)
    records = [cell for cell, count in enumerate(counts) for _ in range(count)]
    law = RandomizedResponse(epsilon)
    with mpmath.workdps(50):
        keep = mpmath.exp(fraction(epsilon)) / (mpmath.exp(fraction(epsilon)) + cells - 1)
        move = (1 - keep) / (cells - 1) if cells > 1 else mpmath.mpf(0)
        wanted: dict[tuple[int, ...], mpmath.mpf] = {}
        for answers in itertools.product(range(cells), repeat=len(records)):
            chance = mpmath.mpf(1)
            for record, answer in zip(records, answers, strict=True):
                chance *= keep if record == answer else move
            outcome = tuple(map(answers.count, range(cells)))
            wanted[outcome] = wanted.get(outcome, mpmath.mpf(0)) + chance
        outcomes = law.outcomes(np.array([counts]))
        assert set(outcomes) == set(wanted)
        for outcome in outcomes:
            assert close(law.chance(counts, outcome), wanted[outcome], 40)


@pytest.mark.parametrize("neighbours", RELATIONS[:6], ids=relation_id)
@pytest.mark.parametrize(("cells", "records"), [(1, 3), (2, 4), (3, 3)])
def test_costs_bound_the_exhaustive_loss(neighbours: Neighbours, cells: int, records: int) -> None:
    for law in laws(cells):
        epsilon = law.cost(neighbours).epsilon
        found = largest_ratio(law, neighbours, cells, records)
        if epsilon is None:
            assert law.cost(neighbours) == UNBOUNDED
            continue
        assert found is not None
        order = compare(found, ExpRational.exp(epsilon))
        assert order is not None and order <= 0, (law, neighbours)


@pytest.mark.parametrize("cells", [2, 3, 4])
@pytest.mark.parametrize("alpha", [HALF, Fraction(1), Fraction(2)])
def test_predictive_epsilon_is_ln_one_plus_m_over_alpha(cells: int, alpha: Fraction) -> None:
    size = 3
    law = DirichletMultinomial((alpha,), size)
    assert largest_ratio(law, ReplaceOne(), cells, size) == 1 + size / alpha
    uneven = DirichletMultinomial((alpha, *(alpha + 1 + i for i in range(cells - 1))), size)
    assert largest_ratio(uneven, ReplaceOne(), cells, size) == 1 + size / alpha
    epsilon = law.cost(ReplaceOne()).epsilon
    assert epsilon is not None
    exact = log_interval(1 + size / alpha)
    assert exact.lower <= epsilon and epsilon - exact.upper < Fraction(1, 2**60)


def test_plug_in_epsilon_of_the_figures_is_five_ln_three() -> None:
    law = PlugInMultinomial((HALF,), 5)
    assert largest_ratio(law, ReplaceOne(), 2, 5) == 3**5
    epsilon = law.cost(ReplaceOne()).epsilon
    assert epsilon is not None and 0 <= epsilon - 5 * log_interval(Fraction(3)).upper < HALF**50
    assert round(float(epsilon), 4) == 5.4931


def test_predictive_loss_of_an_added_record() -> None:
    """The larger of ln((α+m)/α · A/(A+m)) and ln(1 + m/α₀); α = 1/2, k = 2, m = 5: ln 6."""
    found = largest_ratio(DirichletMultinomial((HALF,), 5), AddRemove(), 2, 3)
    assert found == max(Fraction(11) * 1 / 6, Fraction(6)) == 6
    assert round(float(log_enclosure(Fraction(6)).lower), 4) == 1.7918


def test_randomized_response_loses_exactly_epsilon() -> None:
    for cells in (2, 3):
        found = largest_ratio(RandomizedResponse(Fraction(2, 3)), ReplaceOne(), cells, 1)
        assert found is not None and compare(found, ExpRational.exp(Fraction(2, 3))) == 0


def test_what_has_no_finite_bound_says_so() -> None:
    for neighbours in RELATIONS:
        assert Subsample(HALF).cost(neighbours) == UNBOUNDED
        finite = RandomizedResponse(Fraction(1)).cost(neighbours).epsilon is not None
        assert finite == (neighbours == ReplaceOne())
    assert largest_ratio(Subsample(HALF), ReplaceOne(), 2, 2) is None
    assert largest_ratio(RandomizedResponse(Fraction(1)), AddRemove(), 2, 2) is None


def test_persons_cost_their_records() -> None:
    law = DirichletMultinomial((HALF,), 3)
    one = law.cost(AddRemove()).epsilon
    assert one is not None and law.cost(ReplaceOne()).epsilon == one
    for m in (1, 2, 3):
        added = law.cost(AddRemove(Unit("person", m))).epsilon
        exchanged = law.cost(ReplaceOne(Unit("person", m))).epsilon
        assert added is not None and exchanged is not None
        assert added == m * one <= exchanged


def test_samples_lie_in_the_support() -> None:
    counts = np.array([2, 0, 1])
    for law in laws(3):
        outcomes = set(law.outcomes(counts[None, :]))
        for seed in range(20):
            drawn = law.sample(counts, InsecureSeededEntropy(seed))
            assert drawn.dtype == np.int64 and tuple(drawn.tolist()) in outcomes


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: DirichletMultinomial((), 1), "alpha"),
        (lambda: DirichletMultinomial((Fraction(0),), 1), "alpha"),
        (lambda: PlugInMultinomial((Fraction(-1),), 1), "alpha"),
        (lambda: PlugInMultinomial((0.5,), 1), "alpha"),
        (lambda: DirichletMultinomial((HALF,), -1), "records"),
        (lambda: DirichletMultinomial((HALF,), 1.0), "records"),
        (lambda: DirichletMultinomial(UNEVEN, 1).chance((1, 1, 1), (1, 0, 0)), "1 or 3"),
        (lambda: Subsample(Fraction(0)), "fraction"),
        (lambda: Subsample(Fraction(11, 10)), "at most 1"),
        (lambda: Subsample(0.5), "fraction"),
        (lambda: RandomizedResponse(Fraction(0)), "epsilon"),
    ],
)
def test_parameters_are_checked(make: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()


@pytest.mark.parametrize("make", [DirichletMultinomial, PlugInMultinomial])
def test_whole_priors_are_as_good_as_fractions(make: type) -> None:
    whole, same = make((2,), 3), make((Fraction(2),), 3)
    for neighbours in RELATIONS:
        assert whole.cost(neighbours) == same.cost(neighbours)
    for outcome in histograms(2, 3).tolist():
        assert whole.chance((1, 2), tuple(outcome)) == same.chance((1, 2), tuple(outcome))


def test_plain_data() -> None:
    for law in laws(2):
        assert law.to_json()["law"] == law.name
