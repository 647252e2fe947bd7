"""Tight rules promise no less than mechanisms keep; the soundness tests' instrument works."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from proofs.entries import BoundedRangeLoss, ConcentratedLoss, NoiseLoss, RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP
from proofs.judgments import LossList
from proofs.kernel import Theorem, prove
from proofs.ledger.events import of_events
from proofs.ledger.programs import shape_of
from proofs.losses import DiscreteGaussianLoss, GaussianLoss
from proofs.profiles import grid
from proofs.profiles.entry_moments import largest
from proofs.profiles.methods import METHODS
from synthesizers.domain import Domain
from synthesizers.events import Measure, Select
from synthesizers.neighbours import Neighbours
from synthesizers.noise import DiscreteLaplace
from synthesizers.queries import CellCounts, Marginal
from synthesizers.selection import Exponential
from tests.proofs.all_conversions import covers
from tests.proofs.drawn_mechanisms import (
    RECORD,
    SWAP,
    guarantee_of,
    stated,
    written,
)
from tests.proofs.small_mechanisms import (
    TINY,
    Table,
    above,
    all_databases,
    delta,
    directed_pairs,
    epsilon,
    mass,
    mp,
    mu,
    normal_quantile,
    of_event,
    renyi,
    responses,
    table,
    together,
    wide,
)
from tests.synthesizers.brute_force import RELATIONS

F = Fraction


def read(theorem: Theorem, method: str, epsilon: Fraction, delta: Fraction, **hint: int) -> Theorem:
    """(ε, δ), read off the theorem's losses."""
    own = {"method": method, "epsilon": epsilon, "delta": delta}
    return prove("to-approx", [theorem], own | {"hints": {"remove": hint} if hint else {}})


def noisy_counts(scale: int) -> LossList:
    """One answer that moves by 1, with Laplace noise."""
    return LossList(((1, NoiseLoss("laplace", F(scale), 1, F(1), F(1), F(1))),))


def test_basic_composition_of_randomised_response_is_attained() -> None:
    matrix = responses(F(2, 3), 2)
    listed = all_databases(True, 2, 1)
    one = table(listed, lambda counts: {o: c for o, c in enumerate(matrix[counts[1]])})
    pairs = directed_pairs(SWAP, listed)
    given_ = {"neighbours": SWAP, "values": 2, "epsilon": F(2, 3)}
    single = prove("local-randomizer", [], given_)
    theorem = prove("compose", [single], {"counts": [3]})
    assert guarantee_of(read(theorem, "sum", F(2), F(0))) == ApproxDP(F(2))
    assert abs(epsilon(together([one] * 3), pairs) - 2) < TINY


@pytest.mark.parametrize("times", [1, 2, 5])
def test_optimal_composition_is_that_of_randomised_response(times: int) -> None:
    e = F(2, 3)
    matrix = responses(e, 2)
    listed = all_databases(True, 2, 1)
    one = table(listed, lambda counts: {o: c for o, c in enumerate(matrix[counts[1]])})
    found, pairs = together([one] * times), directed_pairs(SWAP, listed)
    given_ = {"neighbours": SWAP, "values": 2, "epsilon": e}
    single = prove("local-randomizer", [], given_)
    whole = prove("compose", [single], {"counts": [times]})
    for drop in range((times + 1) // 2):
        at = (times - 2 * drop) * e
        exact = delta(found, pairs, at)
        read(whole, "responses", at, above(exact, 30), bits=128)
        if exact > TINY:
            with pytest.raises(ProofError):
                read(whole, "responses", at, above(exact, 30) - F(2, 10**30), bits=128)


@pytest.mark.parametrize("relation", RELATIONS, ids=lambda r: f"{r.name}-{r.unit.max_records}")
def test_the_geometric_law_spends_all_of_its_epsilon(relation: Neighbours) -> None:
    domain, scale = Domain.from_cells("2"), F(3, 2)
    event = Measure(Marginal(("cell",)), DiscreteLaplace(scale), -1, 6)
    listed = all_databases(relation.records_public, 2, 4)
    found = of_event(written(event, domain, relation), shape_of(domain), listed)
    (only,) = of_events([written(event, domain, relation)], shape_of(domain), relation)
    ((_, entry),) = only.entries
    exact = epsilon(found, directed_pairs(relation, listed))
    assert abs(exact - mp(largest(entry))) < TINY


def test_the_gaussian_pair_is_the_mechanism_itself() -> None:
    stable = prove(
        "marginal",
        [],
        {
            "neighbours": SWAP,
            "shape": {"cell": 2},
            "query": {"kind": "marginal", "attributes": ["cell"]},
        },
    )
    pair = prove("additive-noise", [stable], {"law": "gaussian", "amount": F(8)})
    assert guarantee_of(pair) == LossList(((1, GaussianLoss(F(1, 4))),))
    # One record exchanged moves two counts by 1: a length of √2, μ = √2/√8 = 1/2.
    for at in (F(0), F(1, 2), F(2)):
        ends = [wide.ncdf(side * wide.mpf("0.25") - 2 * mp(at)) for side in (1, -1)]
        exact = ends[0] - wide.exp(mp(at)) * ends[1]
        read(pair, "gaussian", at, above(exact, 30))
        with pytest.raises(ProofError):
            read(pair, "gaussian", at, above(exact, 30) - F(2, 10**30))
    assert guarantee_of(prove("to-zcdp", [pair], {"rho": F(1, 8)})) == ZCDP(F(1, 8))
    own = {"mu": F(1, 2), "shares": list[Fraction]()}
    assert guarantee_of(prove("to-gdp", [pair], own)) == GaussianDP(F(1, 2))


def test_the_exponential_mechanism_spends_all_of_its_epsilon_in_the_limit() -> None:
    domain, relation = Domain.from_cells("2"), SWAP
    listed = all_databases(True, 2, 3)
    event = Select(CellCounts((0, 1)), Exponential(F(9)))
    plain = written(event, domain, relation)
    found = of_event(plain, shape_of(domain), listed)
    (only,) = of_events([plain], shape_of(domain), relation)
    assert only.entries == ((1, BoundedRangeLoss(F(18))),)
    exact = epsilon(found, directed_pairs(relation, listed))
    assert 17 < exact <= 18


def test_a_laplace_answer_told_exactly_has_the_profile_of_its_pair() -> None:
    stable = prove(
        "total", [], {"neighbours": RECORD, "shape": {"cell": 2}, "query": {"kind": "total"}}
    )
    pair = prove("additive-noise", [stable], {"law": "laplace", "amount": F(1)})
    assert guarantee_of(pair) == noisy_counts(1)
    # P = Laplace(1), Q = Laplace(0): P - e^ε·Q on x > (1 + ε)/2 integrates to 1 - e^((ε-1)/2).
    for at in (F(0), F(1, 3)):
        exact = 1 - wide.exp(mp((at - 1) / 2))
        read(pair, "laplace", at, above(exact, 25), bits=120)
        with pytest.raises(ProofError):
            read(pair, "laplace", at, above(exact, 25) - F(2, 10**25), bits=120)


def test_a_loss_beyond_the_lattice_is_not_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    # Cut off at z² > 20 instead of 280, which leaves at most e^-10 < 2^-14, the lattice holds
    # losses up to (2·6 - 1)/2.
    monkeypatch.setattr(grid, "TAIL", 20)
    monkeypatch.setattr(grid, "CUT", F(1, 2**14))
    window = {"step": "1/8", "size": 1024, "start": "-60"}
    hint = window | {"order": "5", "below": "1/2", "above": "5"}
    found = METHODS["lattice"](((1, DiscreteGaussianLoss(F(1), 1)),), "remove", F(6), hint)
    exact = wide.fsum(
        mass("discrete-gaussian", F(1), z - 1) - wide.exp(6) * mass("discrete-gaussian", F(1), z)
        for z in range(7, 60)
    )
    assert 0 < exact <= mp(found.upper) < 1


def test_the_sparse_vector_theorem_is_about_bits_alone() -> None:
    counts = {"kind": "cell-counts", "cells": [0, 1]}
    given_ = {"neighbours": RECORD, "shape": {"cell": 2}, "query": counts}
    stable = prove("cell-counts", [], given_)
    own = {"threshold_scale": 1, "query_scale": 1, "count": 1, "resampled": False}
    prove("sparse-vector", [stable], own | {"releases": "bits"})
    for releases in ("answers", "values", "gaps", "scores"):
        with pytest.raises(ProofError):
            prove("sparse-vector", [stable], own | {"releases": releases})


def test_tables_are_compared_with_hand_computed_numbers() -> None:
    """The instrument itself: two databases, chances 3/4 and 1/4 against 1/2 and 1/2."""
    listed = all_databases(True, 2, 1)
    half, rest = wide.mpf(1) / 2, wide.mpf(3) / 4
    found = Table(listed, np.array([[rest, 1 - rest], [half, half]], dtype=object))
    pairs = directed_pairs(SWAP, listed)
    assert delta(found, pairs, F(0)) == wide.mpf(1) / 4
    assert abs(epsilon(found, pairs) - wide.log(2)) < TINY
    # D₂ of (3/4, 1/4) against (1/2, 1/2) is ln(9/8 + 1/8); the other way ln(1/3 + 1).
    assert abs(renyi(found, pairs, F(2)) - wide.log(wide.mpf(4) / 3)) < TINY
    assert abs(mu(found, pairs) - normal_quantile(rest)) < TINY * 10**6
    with pytest.raises(AssertionError, match="delta at 0"):
        covers(stated(SWAP, ApproxDP(F(0), F(24, 100))), found)
    covers(stated(SWAP, ApproxDP(F(0), F(1, 4))), found)
    for wrong in (ZCDP(F(1, 10)), GaussianDP(F(2, 3)), RenyiCurve(((F(2), F(1, 4)),))):
        with pytest.raises(AssertionError):
            covers(stated(SWAP, wrong), found)
    odd = LossList(((1, ConcentratedLoss(F(0), F(0), F(1, 10))),))
    for losses in (odd, noisy_counts(5)):
        with pytest.raises(AssertionError):
            covers(stated(SWAP, losses), found)
