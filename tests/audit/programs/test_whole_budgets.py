"""Every program's budget is what its claim allows, and a run spends the whole of it.

A curator refuses what is beyond a budget; here is the other side, noise that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from proofs.guarantees import ApproxDP
from proofs.ledger.programs import of_budget
from proofs.search.best import strongest
from synthesizers.budget import Budget, Cost, PureBudget, SampledGaussianBudget, ZCDPBudget
from synthesizers.curator import Setting
from synthesizers.domain import Dataset, Domain
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit
from synthesizers.programs import PROGRAMS, BuiltIn, build
from synthesizers.randomness import InsecureSeededEntropy
from synthesizers.sampling import run
from tests.synthesizers.brute_force import relation_id
from tests.synthesizers.truthful import dependent_records

EPSILON, DELTA, RECORDS = Fraction(2), Fraction(1, 10**6), 2000
PURE = {"epsilon": "2"}
GAUSSIAN = {"epsilon": "2", "delta": "1e-6"}
CASES: dict[str, Mapping[str, str]] = {
    "adagrid": {**GAUSSIAN, "steps": "8"},
    "aim": {**GAUSSIAN, "steps": "5", "last-steps": "8"},
    "archetypes": GAUSSIAN,
    "dp-field-groups": PURE,
    "dp-wgan": {**GAUSSIAN, "steps": "6", "generator-hidden": "8", "noise": "4"},
    "dpsyn": {**GAUSSIAN, "recode-from": "4", "least-count": "9", "rounds": "3"},
    "dpsyn-2020": {**GAUSSIAN, "rounds": "3"},
    "fourier": PURE,
    "gem": {**GAUSSIAN, "rounds": "3", "steps": "3", "rows": "8", "width": "4", "hidden": "8"},
    "geometric-sanitizer": PURE,
    "histograms": PURE,
    "independent-marginals": GAUSSIAN,
    "laplace-sanitizer": PURE,
    "mst": {**GAUSSIAN, "steps": "8"},
    "mwem": {**PURE, "rounds": "3"},
    "mwem-pgm": {**GAUSSIAN, "rounds": "3", "steps": "5"},
    "nist-mst": {**GAUSSIAN, "steps": "8", "doubled": "a1"},
    "pfr-style": PURE,
    "privbasis": {**PURE, "k": "3", "output": "records"},
    "privbayes": PURE,
    "privbayes-gauss": GAUSSIAN,
    "priview": {**PURE, "rounds": "3"},
    "privmrf": {**GAUSSIAN, "steps": "8"},
    "privsyn": {**GAUSSIAN, "rounds": "3"},
    "two-way-marginals": {**GAUSSIAN, "steps": "8"},
}  # fmt: skip
"""Each program that spends a budget, with parameters that make a run quick."""

ONE_LAW = {
    "bootstrap", "cell-key", "coarsen", "k-anonymity", "multinomial-dirichlet", "pram",
    "random-round", "subsample", "suppress", "swap",
}  # fmt: skip
"""Programs of one law, whose guarantee is the law's own."""

RELATIONS: tuple[Neighbours, ...] = (
    AddRemove(), ReplaceOne(), AddRemove(Unit("person", 2)), ReplaceOne(Unit("person", 2)),
)  # fmt: skip

REFUSED = {("dp-wgan", relation) for relation in RELATIONS[1:]} | {
    ("privbayes", relation) for relation in (RELATIONS[0], *RELATIONS[2:])
}
"""What the cards of these programs exclude."""

SLACK = Fraction(1, 10**6)
"""The rates of choices have nine digits after the point, and so are rounded down."""

ROUNDED = Fraction(1, 1000)
"""The noise derived for sampled steps is rounded up (`calibration.noise_multiplier`)."""

RUNS = [
    pytest.param(name, relation, id=f"{name}-{relation_id(relation)}")
    for name in CASES
    for relation in RELATIONS
    if (name, relation) not in REFUSED
]


def _data(name: str) -> Dataset:
    """Records of two to a person, each attribute mostly following the one before it."""
    domain = Domain.from_cells("2x2x2x2" if name == "fourier" else "3x4x2x3")
    if name == "archetypes":
        first, *middle, last = domain.attributes
        ends = replace(first, name="archetype"), replace(last, name="company")
        domain = replace(domain, attributes=(ends[0], *middle, ends[1]))
    people = replace(domain, individual="person")
    records = dependent_records(RECORDS, domain, 1)
    return Dataset(people, records.codes, np.arange(RECORDS) // 2)


def _opened(name: str, relation: Neighbours) -> tuple[BuiltIn, Dataset, Setting, Budget]:
    program, data = build(name, CASES[name]), _data(name)
    public = RECORDS if relation.records_public else None
    setting = Setting(data.domain, relation, public, RECORDS)
    return program, data, setting, program.budget(setting)


def _used(budget: Budget, spent: Cost) -> Fraction:
    """The share of a budget that is spent."""
    match budget:
        case PureBudget(epsilon):
            assert spent.epsilon is not None
            return spent.epsilon / epsilon
        case ZCDPBudget(rho):
            assert spent.rho is not None
            return spent.rho / rho
        case SampledGaussianBudget(rate, squared, steps):
            assert spent.sampled is not None
            (made,) = spent.sampled
            assert (made.rate, made.mu_squared) == (rate, squared)
            return Fraction(made.steps, steps)
    raise AssertionError(budget)


def test_no_program_is_left_out() -> None:
    assert CASES.keys() | ONE_LAW == PROGRAMS.keys()


@pytest.mark.parametrize(("name", "relation"), RUNS)
def test_a_run_spends_the_whole_budget(name: str, relation: Neighbours) -> None:
    program, data, setting, budget = _opened(name, relation)
    done = run(program, data, setting, budget, InsecureSeededEntropy(1))
    assert 1 - SLACK <= _used(budget, done.spent) <= 1


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow) if name == "dp-wgan" else name for name in CASES],
)
def test_the_budget_is_what_the_claim_allows(name: str) -> None:
    relation = next(relation for relation in RELATIONS if (name, relation) not in REFUSED)
    budget = _opened(name, relation)[3]
    proved = of_budget(budget, relation, {})
    assert proved is not None
    delta = Fraction(0) if isinstance(budget, PureBudget) else DELTA
    found = strongest(proved, ApproxDP(EPSILON, delta))
    # Budgets are derived from moments, as these proofs are; the kernel alone may do better.
    moments = min(offer.value for offer in found if not offer.kernel_only)
    assert (1 - ROUNDED) * EPSILON <= moments <= EPSILON
