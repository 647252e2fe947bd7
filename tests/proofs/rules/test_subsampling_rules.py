"""Subsampling: random mechanisms and random samples of every table, by enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Judgment, Private
from proofs.parameters import plain
from proofs.rules import RULES
from proofs.rules.rule import Conclusion
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from tests.proofs.rules.divergences import (
    TINY,
    Law,
    above,
    accepted,
    excess,
    least,
    mp,
    response,
    wide,
)

F = Fraction
SMALL = mp(TINY)
Histogram = tuple[int, ...]
Laws = dict[Histogram, Law]


def apply(premise: Judgment, **given: Any) -> Conclusion:
    return RULES["subsample"].apply([premise], plain(given))


def private(epsilon: Fraction, delta: Fraction, neighbours: Neighbours) -> Private:
    return Private(neighbours, ApproxDP(epsilon, delta))


def amplified(premise: Private, **given: Any) -> ApproxDP:
    """The conclusion with the smallest ε of 20 decimals that the rule accepts."""
    assert isinstance(premise.guarantee, ApproxDP)

    def conclude(epsilon: Fraction) -> Conclusion:
        return apply(premise, epsilon=epsilon, **given)

    epsilon = least(
        lambda value: accepted(lambda: conclude(value)), premise.guarantee.epsilon + 1, 20
    )
    found = conclude(epsilon)
    assert isinstance(found.judgment, Private)
    assert isinstance(found.judgment.guarantee, ApproxDP)
    return found.judgment.guarantee


def histograms(cells: int, records: int) -> list[Histogram]:
    every = itertools.product(range(records + 1), repeat=cells)
    return [histogram for histogram in every if sum(histogram) == records]


def mixed(laws: Laws, samples: dict[Histogram, Fraction]) -> Law:
    """The law of the mechanism on a random sample."""
    outcomes = len(next(iter(laws.values())))
    return tuple(
        sum((chance * laws[sample][at] for sample, chance in samples.items()), F(0))
        for at in range(outcomes)
    )


def poisson_samples(histogram: Histogram, fraction: Fraction) -> dict[Histogram, Fraction]:
    """The chance of each sample: every record by a coin of its own."""
    samples = {}
    for sample in itertools.product(*(range(count + 1) for count in histogram)):
        chance = F(1)
        for kept, count in zip(sample, histogram, strict=True):
            stay = fraction**kept * (1 - fraction) ** (count - kept)
            chance *= math.comb(count, kept) * stay
        samples[sample] = chance
    return samples


def fixed_samples(histogram: Histogram, size: int) -> dict[Histogram, Fraction]:
    """The chance of each sample of so many records without replacement."""
    total = math.comb(sum(histogram), size)
    samples = {}
    for sample in itertools.product(*(range(count + 1) for count in histogram)):
        if sum(sample) == size:
            ways = math.prod(map(math.comb, histogram, sample))
            samples[sample] = F(ways, total)
    return samples


def delta_between(laws: Laws, neighbours: Neighbours, epsilon: Fraction) -> mpmath.mpf:
    """The least δ at ε over all neighbouring databases, both directions."""
    gamma = wide.exp(mp(epsilon))
    related = [
        (first, second)
        for first, second in itertools.permutations(laws, 2)
        if neighbours.are_neighbours(first, second)
    ]
    assert related
    return max(excess(gamma, laws[first], laws[second]) for first, second in related)


def drawn_laws(draw: Callable[[Any], Any], databases: list[Histogram]) -> Laws:
    laws: Laws = {}
    for database in databases:
        row = draw(st.lists(st.integers(1, 12), min_size=3, max_size=3))
        laws[database] = tuple(F(value, sum(row)) for value in row)
    return laws


fractions = st.fractions(F(1, 20), 1, max_denominator=20)
epsilons = st.fractions(0, 2, max_denominator=10)


@given(st.data(), fractions, epsilons)
@settings(max_examples=25, deadline=None)
def test_samples_of_random_mechanisms_keep_their_bound(
    data: st.DataObject, fraction: Fraction, epsilon: Fraction
) -> None:
    databases = [each for size in range(4) for each in histograms(2, size)]
    laws = drawn_laws(data.draw, databases)
    delta = above(delta_between(laws, AddRemove(), epsilon))
    premise = private(epsilon, delta, AddRemove())
    found = amplified(premise, fraction=fraction)
    assert found.delta == fraction * delta
    sampled = {each: mixed(laws, poisson_samples(each, fraction)) for each in databases}
    assert delta_between(sampled, AddRemove(), found.epsilon) <= mp(found.delta) + SMALL


@given(st.data(), st.integers(1, 3), epsilons)
@settings(max_examples=25, deadline=None)
def test_samples_of_a_fixed_size_keep_their_bound(
    data: st.DataObject, sample: int, epsilon: Fraction
) -> None:
    laws = drawn_laws(data.draw, histograms(2, sample))
    delta = above(delta_between(laws, ReplaceOne(), epsilon))
    premise = private(epsilon, delta, ReplaceOne())
    for records in range(sample, 5):
        found = amplified(premise, sample=sample, records=records)
        assert found.delta == F(sample, records) * delta
        sampled = {
            each: mixed(laws, fixed_samples(each, sample)) for each in histograms(2, records)
        }
        assert delta_between(sampled, ReplaceOne(), found.epsilon) <= mp(found.delta) + SMALL


@pytest.mark.parametrize("fraction", [F(1, 100), F(1, 2), F(9, 10), F(1)])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 10), F(1), F(5)])
def test_one_record_that_answers_at_random_attains_the_amplification(
    fraction: Fraction, epsilon: Fraction
) -> None:
    yes, no = response(epsilon)
    attained = max(
        wide.log(mp(fraction * a + (1 - fraction) * b) / mp(b))
        for a, b in zip(yes, no, strict=True)
    )
    fixed = {"sample": fraction.numerator, "records": fraction.denominator}
    schemes: list[tuple[Neighbours, dict[str, Any]]] = [
        (AddRemove(), {"fraction": fraction}),
        (ReplaceOne(), fixed),
    ]
    for neighbours, size in schemes:
        found = amplified(private(epsilon, F(0), neighbours), **size)
        assert mp(found.epsilon) - wide.mpf(10) ** -19 < attained <= mp(found.epsilon) + SMALL
        assert found.delta == 0


def test_a_sample_of_all_records_changes_nothing() -> None:
    schemes: list[tuple[Neighbours, dict[str, Any]]] = [
        (AddRemove(), {"fraction": 1}),
        (ReplaceOne(), {"sample": 7, "records": 7}),
    ]
    for neighbours, size in schemes:
        found = apply(private(F(1), F(1, 7), neighbours), epsilon=1, **size).judgment
        assert isinstance(found, Private)
        assert found.guarantee == ApproxDP(F(1), F(1, 7))


def test_poisson_sampling_amplifies_nothing_where_a_record_is_replaced() -> None:
    # It says how large its sample is, and answers for the only record at random: ε = 1 when
    # replaced. Sampled with q = 1/10, what is answered at all is answered with ε = 1.
    yes, no = response(F(1))
    fraction = F(1, 10)
    laws: Laws = {(0, 0): (F(1), F(0), F(0)), (1, 0): (F(0), *yes), (0, 1): (F(0), *no)}
    sampled = {each: mixed(laws, poisson_samples(each, fraction)) for each in ((1, 0), (0, 1))}
    bound = 1 + fraction * (mp(above(wide.e, 30)) - 1)
    assert excess(bound, sampled[1, 0], sampled[0, 1]) > wide.mpf("0.01")
    with pytest.raises(ProofError, match="add-remove"):
        apply(private(F(1), F(0), ReplaceOne()), fraction=fraction, epsilon=1)


PERSONS = Unit("person", 1)
AR, RO = private(F(1), F(0), AddRemove()), private(F(1), F(0), ReplaceOne())


@pytest.mark.parametrize(
    ("premise", "given"),
    [
        (RO, {"fraction": "0.5", "epsilon": 1}),
        (private(F(1), F(0), AddRemove(PERSONS)), {"fraction": "0.5", "epsilon": 1}),
        (AR, {"fraction": "1.01", "epsilon": 9}),
        (AR, {"fraction": 0, "epsilon": 9}),
        (AR, {"fraction": "-0.5", "epsilon": 9}),
        (AR, {"fraction": "0.5", "epsilon": "0.62"}),
        (AR, {"fraction": "0.5", "epsilon": -1}),
        (Private(AddRemove(), ZCDP(F(1))), {"fraction": "0.5", "epsilon": 1}),
        (AR, {"sample": 1, "records": 2, "epsilon": 1}),
        (private(F(1), F(0), ReplaceOne(PERSONS)), {"sample": 1, "records": 2, "epsilon": 1}),
        (RO, {"sample": 3, "records": 2, "epsilon": 9}),
        (RO, {"sample": 0, "records": 2, "epsilon": 9}),
        (RO, {"sample": -1, "records": 2, "epsilon": 9}),
        (RO, {"sample": 1, "records": 2, "epsilon": "0.62"}),
        (RO, {"sample": "1/2", "records": 2, "epsilon": 9}),
        # One scheme, and all of it.
        (AR, {"epsilon": 9}),
        (RO, {"sample": 1, "epsilon": 9}),
        (RO, {"records": 2, "epsilon": 9}),
        (AR, {"fraction": "0.5", "sample": 1, "records": 2, "epsilon": 9}),
        (AR, {"fraction": "0.5", "records": 2, "epsilon": 9}),
    ],
)
def test_a_sample_of_another_kind_is_refused(premise: Private, given: dict[str, Any]) -> None:
    with pytest.raises(ProofError):
        apply(premise, **given)


def test_a_sample_is_secret_and_names_the_mechanism_within() -> None:
    found = apply(AR, fraction="0.25", epsilon=1)
    assert found.hypotheses == {"secret-sample"}
    assert isinstance(found.judgment, Private)
    assert found.judgment.neighbours == AddRemove()
    found = apply(RO, sample=2, records=8, epsilon=1)
    assert found.hypotheses == {"secret-sample"}
    assert isinstance(found.judgment, Private)
    assert found.judgment.neighbours == ReplaceOne()
