"""Sampling agrees with enumeration for every program: the same law, read twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from synthesizers.arithmetic import FloatArithmetic
from synthesizers.budget import UnlimitedBudget
from synthesizers.curator import Curator, Setting, canonical_output
from synthesizers.domain import Dataset, Domain
from synthesizers.enumeration import Listing, leaves, transcript_of
from synthesizers.events import Databases, is_seed
from synthesizers.laws.public_laws import Multinomial, UniformChoice
from synthesizers.laws.responses import RandomizedResponse
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne
from synthesizers.noise import DiscreteGaussian, DiscreteLaplace
from synthesizers.programs import PROGRAMS, build
from synthesizers.programs.one_law import OneLaw
from synthesizers.queries import CellCounts, Marginal, ModelError, Total, whole_table
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import Run, run
from synthesizers.selection import Exponential

ERROR = 1e-6
"""Probability with which a correct program fails its test, over the choice of the seed: the
chi-square quantile, whose approximation is good for pooled cells of 20 expected draws or more."""

AnyProgram = Callable[[Curator], Any]
Law = dict[tuple[Any, ...], float]


def select_then_measure(curator: Curator) -> Any:
    """A selection by model error, then the chosen marginal, then records drawn from it."""
    choices = (Marginal(("a1",)), Marginal(("a2",)))
    chosen = curator.select(ModelError(choices, ((1, 1), (3, 0))), Exponential(Fraction(1, 2)))
    noise = DiscreteGaussian(Fraction(2))
    noisy = curator.measure(choices[chosen], noise, low=0, high=3)
    drawn = curator.draw(Multinomial(2, tuple(noisy + 1)))
    return [chosen, *drawn]


def answer_decides_question(curator: Curator) -> Any:
    """A total decides whether to flip records, count cells, or toss a coin."""
    total = int(curator.measure(Total(), DiscreteLaplace(Fraction(2)), low=0, high=2)[0])
    if total == 0:
        return [0, *curator.sanitize(RandomizedResponse(Fraction(1)))]
    if total == 1:
        return [
            1,
            *curator.measure(CellCounts((3, 0)), DiscreteLaplace(Fraction(1)), low=-1, high=1),
        ]
    return [2, *curator.draw(UniformChoice(3))]


Case = tuple[str, dict[str, str] | AnyProgram, Neighbours, str, tuple[int, ...]]

CASES: list[Case] = [
    ("geometric-sanitizer", {"epsilon": "2"}, ReplaceOne(), "2", (2, 3)),
    ("geometric-sanitizer", {"epsilon": "1/2"}, AddRemove(), "3", (0, 3, 1)),
    ("geometric-sanitizer", {"epsilon": "1", "rescale": "false"}, ReplaceOne(), "2x2",
     (2, 0, 1, 0)),
    ("laplace-sanitizer", {"epsilon": "2"}, ReplaceOne(), "2", (0, 5)),
    ("laplace-sanitizer", {"epsilon": "2/3"}, AddRemove(), "3", (1, 1, 2)),
    ("laplace-sanitizer", {"epsilon": "3", "rescale": "false"}, AddRemove(), "2", (4, 1)),
    ("multinomial-dirichlet", {}, ReplaceOne(), "3", (2, 0, 1)),
    ("multinomial-dirichlet", {"alpha": "1/3,2"}, AddRemove(), "2", (4, 1)),
    ("multinomial-dirichlet", {"posterior": "mean"}, ReplaceOne(), "2", (0, 5)),
    ("multinomial-dirichlet", {"posterior": "mean", "alpha": "1,1/2,3"}, AddRemove(), "3",
     (1, 0, 2)),
    ("subsample", {"fraction": "1/2"}, ReplaceOne(), "3", (3, 1, 2)),
    ("subsample", {"fraction": "2/3"}, AddRemove(), "2x2", (1, 2, 0, 3)),
    ("swap", {"share": "3/4"}, ReplaceOne(), "2x2", (2, 2, 1, 3)),
    ("swap", {"share": "1", "attribute": "a2"}, AddRemove(), "2x3", (1, 2, 0, 1, 1, 1)),
    ("swap", {"share": "1", "key": "a1"}, AddRemove(), "2x2x2", (2, 1, 1, 2, 1, 0, 2, 1)),
    ("suppress", {"threshold": "3"}, ReplaceOne(), "2x2", (2, 4, 0, 5)),
    ("suppress", {"threshold": "3", "complementary": "false"}, AddRemove(), "3", (2, 4, 0)),
    ("coarsen", {"groups": "0,0,1,1"}, ReplaceOne(), "4", (2, 4, 0, 5)),
    ("k-anonymity", {"k": "3"}, AddRemove(), "2x2", (2, 4, 0, 5)),
    ("k-anonymity", {"k": "3", "suppressed": "2"}, ReplaceOne(), "2x2", (2, 4, 0, 5)),
    ("k-anonymity", {"k": "9"}, AddRemove(), "2", (2, 4)),
    ("bootstrap", {}, ReplaceOne(), "3", (3, 0, 2)),
    ("bootstrap", {"records": "4"}, AddRemove(), "2x2", (1, 2, 0, 3)),
    ("pram", {"retain": "3/4"}, ReplaceOne(), "3", (2, 0, 3)),
    ("pram", {"retain": "2/3", "attribute": "a1"}, AddRemove(), "2x3", (2, 0, 1, 0, 1, 1)),
    ("pram", {"retain": "1/5", "attribute": "a2"}, ReplaceOne(), "2x2x2",
     (1, 0, 1, 0, 2, 0, 0, 1)),
    ("random-round", {"base": "3"}, ReplaceOne(), "2x2", (1, 5, 3, 2)),
    ("random-round", {"base": "5"}, AddRemove(), "3", (4, 0, 8)),
    ("cell-key", {"deviation": "2", "variance": "1"}, ReplaceOne(), "3", (1, 0, 4)),
    ("cell-key", {"deviation": "3", "variance": "2", "smallest": "3", "keys": "100"}, AddRemove(),
     "2", (2, 5)),
    ("fourier", {"epsilon": "4", "slack": "0"}, AddRemove(), "2", (1, 1)),
    ("fourier", {"epsilon": "8", "slack": "0"}, ReplaceOne(), "2x2", (1, 0, 1, 0)),
    ("priview", {"epsilon": "4", "views": "a1;a2", "slack": "0"}, AddRemove(), "2x2",
     (1, 0, 1, 0)),
    ("privbasis", {"epsilon": "8", "k": "1", "items": "ones", "slack": "0"}, AddRemove(), "2x2",
     (0, 0, 1, 0)),
    ("independent-marginals", {"epsilon": "2", "noise": "laplace", "slack": "1"}, AddRemove(),
     "2x2", (1, 0, 1, 0)),
    ("independent-marginals", {"epsilon": "3", "delta": "1/10", "slack": "0"}, ReplaceOne(),
     "2x2", (1, 0, 0, 1)),
    ("dp-field-groups", {"epsilon": "4", "groups": "a1;a2", "slack": "0"}, AddRemove(),
     "2x2", (1, 0, 1, 0)),
    ("pfr-style", {"epsilon": "4", "queries": "a1;a2", "slack": "1"}, AddRemove(),
     "2x2", (1, 0, 1, 0)),
    ("histograms", {"epsilon": "4", "groups": "a1;a2", "slack": "0"}, AddRemove(),
     "2x2", (1, 0, 1, 0)),
    ("archetypes",
     {"epsilon": "2", "noise": "laplace", "archetype": "a1", "company": "a2", "slack": "0"},
     ReplaceOne(), "2x2", (1, 0, 1, 0)),
    ("mwem", {"epsilon": "8", "rounds": "1", "slack": "0"}, ReplaceOne(), "2x2", (2, 0, 1, 0)),
    ("mwem", {"epsilon": "8", "rounds": "2", "variant": "theory", "slack": "0"}, AddRemove(), "2",
     (2, 0)),
    ("adagrid", {"epsilon": "1", "delta": "1/100", "threshold": "1/4", "unit": "2", "steps": "2",
                 "slack": "0"}, ReplaceOne(), "2x2", (1, 0, 0, 0)),
    ("aim", {"epsilon": "2", "delta": "1/100", "rounds": "3", "steps": "2", "last-steps": "2",
             "slack": "0"}, ReplaceOne(), "2x2", (1, 0, 0, 0)),
    ("dp-wgan", {"epsilon": "1", "delta": "1/100", "batch": "1", "steps": "1", "hidden": "0",
                 "generator-hidden": "2", "noise": "1", "critic-steps": "1", "clip": "1",
                 "grid": "1", "bound": "3"}, AddRemove(), "2", (1, 1)),
    ("dpsyn", {"epsilon": "2", "delta": "1/100", "rounds": "1", "slack": "0"}, AddRemove(),
     "2x2", (1, 0, 1, 0)),
    ("dpsyn-2020", {"epsilon": "2", "delta": "1/100", "rounds": "1", "slack": "0"}, ReplaceOne(),
     "2x2", (1, 0, 1, 0)),
    ("gem", {"epsilon": "2", "delta": "1/100", "degree": "1", "rounds": "1", "steps": "5",
             "slack": "0"}, ReplaceOne(), "2x2", (1, 0, 1, 0)),
    ("mst", {"epsilon": "2", "delta": "1/100", "steps": "2", "slack": "0"}, ReplaceOne(),
     "2x2", (1, 0, 0, 0)),
    ("mwem-pgm", {"epsilon": "2", "delta": "1/100", "rounds": "1", "steps": "2", "slack": "0"},
     ReplaceOne(), "2x2", (1, 0, 1, 0)),
    ("nist-mst", {"epsilon": "2", "delta": "1/100", "steps": "2", "slack": "0"}, AddRemove(),
     "2x2", (1, 0, 0, 0)),
    ("privbayes", {"epsilon": "2", "slack": "0"}, ReplaceOne(), "2x2", (1, 0, 1, 0)),
    ("privbayes-gauss", {"epsilon": "2", "delta": "1/100", "slack": "0"}, ReplaceOne(), "2x2",
     (1, 0, 0, 0)),
    ("privmrf", {"epsilon": "2", "delta": "1/100", "steps": "2", "slack": "0"}, ReplaceOne(),
     "2x2", (1, 0, 0, 0)),
    ("privsyn", {"epsilon": "8", "delta": "1/100", "rounds": "1", "slack": "0"}, ReplaceOne(),
     "2x2", (1, 0, 0, 0)),
    ("two-way-marginals", {"epsilon": "2", "delta": "1/100", "steps": "2", "slack": "0"},
     AddRemove(), "2x2", (1, 0, 1, 0)),
    ("adaptive", select_then_measure, AddRemove(), "2x2", (2, 0, 1, 1)),
    ("adaptive", answer_decides_question, ReplaceOne(), "2x2", (1, 0, 0, 1)),
]  # fmt: skip

QUICK = {name for name, program in PROGRAMS.items() if issubclass(program, OneLaw)} | {
    "adaptive",
    "geometric-sanitizer",
    "laplace-sanitizer",
}
"""Programs that answer in a tenth of a millisecond; the others are drawn a fifth as often."""


def test_every_program_has_a_case() -> None:
    assert {name for name, *_ in CASES} - {"adaptive"} == set(PROGRAMS)


def enumerated(program: AnyProgram, setting: Setting, counts: tuple[int, ...]) -> Law:
    """The law of the output under one database."""
    listed = Databases(setting.domain, np.array([counts], np.int64))
    law: Law = {}
    for leaf in leaves(Listing(program, setting, listed, FloatArithmetic())):
        # What a seed makes has too many outputs: the transcript before it is compared.
        shown = transcript_of(leaf) if leaf.output is None else leaf.output
        law[shown] = law.get(shown, 0.0) + float(leaf.chances[0])
    assert abs(sum(law.values()) - 1) < 1e-12
    return law


def sampled(
    program: AnyProgram, setting: Setting, counts: tuple[int, ...], draws: int, seed: int
) -> Counter[tuple[Any, ...]]:
    """Outputs of independent runs on one database; transcripts where a seed makes the output."""
    data = Dataset.from_histogram(setting.domain, np.array(counts, np.int64))
    entropy = InsecureSeededEntropy(seed)
    runs = (run(program, data, setting, UnlimitedBudget(), entropy) for _ in range(draws))
    return Counter(shown(one, setting.domain) for one in runs)


def shown(made: Run, domain: Domain) -> tuple[Any, ...]:
    """What is compared of a run."""
    if made.ledger and is_seed(made.ledger[-1]):
        return tuple(value for _, outcome in made.transcript[:-1] for value in outcome)
    return canonical_output(made.output, domain)


def disagreement(law: Law, seen: Counter[tuple[Any, ...]]) -> float:
    """The p-value of Pearson's chi-square over outputs, the rare ones pooled; 0 off the support."""
    if set(seen) - {output for output, chance in law.items() if chance > 0}:
        return 0.0
    draws = sum(seen.values())
    pools: list[tuple[float, int]] = []
    expected, found = 0.0, 0
    for output in sorted(law, key=law.__getitem__):
        expected, found = expected + draws * law[output], found + seen[output]
        if expected >= 20:
            pools.append((expected, found))
            expected, found = 0.0, 0
    if pools and expected:
        last = pools.pop()
        pools.append((last[0] + expected, last[1] + found))
    if len(pools) < 2:
        return 1.0
    statistic = sum((found - expected) ** 2 / expected for expected, found in pools)
    return float(chi2.sf(statistic, len(pools) - 1))


@pytest.mark.parametrize(("name", "parameters", "neighbours", "shape", "counts"), CASES)
def test_sampling_agrees_with_enumeration(
    name: str,
    parameters: dict[str, str] | AnyProgram,
    neighbours: Neighbours,
    shape: str,
    counts: tuple[int, ...],
) -> None:
    # Each case fails by chance with probability 1e-6 (see ERROR).
    program = build(name, parameters) if isinstance(parameters, dict) else parameters
    setting = Setting.of(Domain.from_cells(shape), neighbours, sum(counts))
    law = enumerated(program, setting, counts)
    draws = 4000 if name in QUICK else 800
    assert disagreement(law, sampled(program, setting, counts, draws, seed=20)) > ERROR


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters", "neighbours", "shape", "counts"), CASES)
def test_sampling_agrees_with_enumeration_in_many_draws(
    name: str,
    parameters: dict[str, str] | AnyProgram,
    neighbours: Neighbours,
    shape: str,
    counts: tuple[int, ...],
) -> None:
    # Each case fails by chance with probability 1e-6 (see ERROR).
    program = build(name, parameters) if isinstance(parameters, dict) else parameters
    setting = Setting.of(Domain.from_cells(shape), neighbours, sum(counts))
    law = enumerated(program, setting, counts)
    draws = 40000 if name in QUICK else 8000
    assert disagreement(law, sampled(program, setting, counts, draws, seed=21)) > ERROR


@pytest.mark.parametrize(
    ("name", "right", "wrong", "neighbours", "counts"),
    [
        ("geometric-sanitizer", {"epsilon": "1"}, {"epsilon": "5/4"}, AddRemove(), (0, 3, 1)),
        ("geometric-sanitizer", {"epsilon": "1"},
         {"epsilon": "1", "calibrated-for": "replace-one"}, AddRemove(), (0, 3, 1)),
        ("laplace-sanitizer", {"epsilon": "1"}, {"epsilon": "5/4"}, AddRemove(), (0, 3, 1)),
        ("multinomial-dirichlet", {"posterior": "mean"}, {}, ReplaceOne(), (0, 3, 1)),
        ("multinomial-dirichlet", {"alpha": "1"}, {"alpha": "4/3"}, ReplaceOne(), (0, 3, 1)),
    ],
)  # fmt: skip
def test_the_comparison_notices_a_wrong_scale(
    name: str,
    right: dict[str, str],
    wrong: dict[str, str],
    neighbours: Neighbours,
    counts: tuple[int, ...],
) -> None:
    """The test of the test: draws of one program against the law of its neighbour."""
    setting = Setting.of(Domain.from_cells("3"), neighbours, sum(counts))
    seen = sampled(build(name, right), setting, counts, 4000, seed=22)
    assert disagreement(enumerated(build(name, right), setting, counts), seen) > ERROR
    assert disagreement(enumerated(build(name, wrong), setting, counts), seen) < ERROR


def test_the_comparison_notices_a_draw_outside_the_support() -> None:
    law: Law = {(0,): 0.5, (1,): 0.5, (2,): 0.0}
    assert disagreement(law, Counter({(0,): 500, (1,): 500})) > 0.5
    assert disagreement(law, Counter({(0,): 500, (1,): 499, (2,): 1})) == 0.0
    assert disagreement(law, Counter({(0,): 500, (1,): 499, (9,): 1})) == 0.0


def test_whole_tables_of_noise_agree_for_negative_bounds() -> None:
    # Fails by chance with probability 1e-6 (see ERROR).
    def program(curator: Curator) -> Any:
        noise = DiscreteGaussian(Fraction(5, 2))
        return curator.measure(whole_table(curator.domain), noise, low=-2, high=1)

    setting = Setting.of(Domain.from_cells("2"), AddRemove(), 2)
    law = enumerated(program, setting, (2, 0))
    assert disagreement(law, sampled(program, setting, (2, 0), 4000, seed=23)) > ERROR
