"""Functions that add noise are recounted from what they draw, and nothing else is."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from audit.auditors.composition import Term, recount_function, terms_of, violates
from audit.statements.claim import Claim
from audit.statements.finding import Rigour
from audit.subjects.pair import Pair
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from synthesizers.domain import Domain
from synthesizers.neighbours import AddRemove, ReplaceOne

DOMAIN = Domain.from_cells("3")
ADDED = Claim(ApproxDP(Fraction(1)), AddRemove(), "output", DOMAIN, 6)
REPLACED = Claim(ApproxDP(Fraction(1)), ReplaceOne(), "output", DOMAIN, 4)


def counts(database):
    return np.array([sum(record["cell"] == value for record in database) for value in "012"])


def histogram(database, rng):
    return counts(database) + rng.laplace(size=3)


def wide_histogram(database, rng):
    return (counts(database) + rng.laplace(scale=2.0, size=3)).tolist()


def frame(database, rng):
    return pd.DataFrame({"n": rng.laplace(counts(database), 1.0)})


def three_rounds(database, rng):
    """Three questions of 1/2 each."""
    return {f"round {k}": len(database) + rng.laplace(0, 2) for k in range(3)}


def two_rounds(database, rng):
    return {f"round {k}": len(database) + rng.laplace(0, 2) for k in range(2)}


def persons_unclipped(database, rng):
    return 3 * len(database) + rng.laplace(0, 1), "public"


def normal(database, rng):
    return len(database) + rng.normal(0, 2)


def one(function, claim, **more):
    (finding,) = recount_function(function, claim, **more)
    return finding


@pytest.mark.parametrize(
    ("function", "claim", "bad"),
    [
        (histogram, ADDED, False),
        (frame, ADDED, False),
        (histogram, REPLACED, True),
        (wide_histogram, REPLACED, False),
        (two_rounds, ADDED, False),
        (three_rounds, ADDED, True),
        (three_rounds, REPLACED, False),
        (normal, ADDED, True),
        (normal, dataclasses.replace(ADDED, guarantee=ZCDP(Fraction(1, 8))), False),
        (normal, dataclasses.replace(ADDED, guarantee=ZCDP(Fraction(1, 9))), True),
        (normal, dataclasses.replace(ADDED, guarantee=GaussianDP(Fraction(1, 2))), False),
        (normal, dataclasses.replace(ADDED, guarantee=GaussianDP(Fraction(49, 100))), True),
    ],
)
def test_what_is_spent_is_compared_with_the_claim(function, claim, bad):
    finding = one(function, claim)
    assert finding.violated is bad
    assert finding.rigour is Rigour.FLOOR
    assert "recounted" not in finding.found
    if bad:
        assert finding.pair is not None
        assert "test_recounted_functions.py" in str(finding.responsible)


def test_the_worst_pair_is_the_smallest_that_spends_as_much():
    finding = one(three_rounds, ADDED)
    assert len(finding.pair.first) + len(finding.pair.second) == 1
    assert "3/2" in finding.found


def test_a_change_of_three_shows_by_the_terms():
    def tripled(database, rng):
        return 3 * len(database) + rng.laplace(0, 1)

    (term,) = terms_of(tripled, Pair([], [{"cell": "0"}]), 0)
    assert (term.law, term.scale, term.moved, term.spent) == ("laplace", 1, 3, 3)


def clamped(database, rng):
    return max(0.0, len(database) + rng.laplace())


def rounded(database, rng):
    return round(len(database) + rng.laplace())


def same_noise_twice(database, rng):
    noise = rng.laplace()
    return len(database) + noise, 2 * len(database) + noise


def adaptive(database, rng):
    first = len(database) + rng.laplace()
    return first, (len(database) if first > 0 else 0) + rng.laplace()


def subsampled(database, rng):
    return sum(rng.random() < 0.5 for _ in database) + rng.laplace()


def rarely_shifted(database, rng):
    """Something else is drawn, though it hardly ever shows."""
    return len(database) + rng.laplace() + (1000.0 if rng.random() < 1e-9 else 0.0)


def other_generator(database, rng):
    return len(database) + np.random.laplace()


def own_generator(database, rng):
    return len(database) + np.random.default_rng(1).laplace()


def scale_of_the_data(database, rng):
    return len(database) + rng.laplace(0, 1 / (1 + len(database)))


def raises(database, rng):
    if not database:
        raise ValueError("none")
    return "text"


@pytest.mark.parametrize(
    "function",
    [
        clamped,
        rounded,
        same_noise_twice,
        adaptive,
        subsampled,
        rarely_shifted,
        other_generator,
        own_generator,
        scale_of_the_data,
        raises,
        persons_unclipped,
    ],
)
def test_of_what_is_no_statistic_plus_noise_nothing_is_concluded(function):
    """At a claim of 1/100, so that whatever were concluded would accuse."""
    finding = one(function, dataclasses.replace(ADDED, guarantee=ApproxDP(Fraction(1, 100))))
    assert not finding.violated
    assert "not recounted" in finding.found


ABOVE = [
    wanted
    for wanted in (Fraction(k, 1000) for k in range(1, 1000))
    if 1 / Fraction(1 / float(wanted)) > wanted
]
"""Claims whose scale, as a double, is too small by a part of 2^53."""


@pytest.mark.parametrize("epsilon", ["1/3", str(ABOVE[0]), str(ABOVE[-1])])
def test_parameters_that_no_double_holds_are_no_violation(epsilon):
    exact = Fraction(epsilon)

    def mechanism(database, rng):
        return len(database) + rng.laplace(0, 1 / float(exact))

    assert not one(mechanism, dataclasses.replace(ADDED, guarantee=ApproxDP(exact))).violated
    less = ApproxDP(exact * Fraction(999, 1000))
    assert one(mechanism, dataclasses.replace(ADDED, guarantee=less)).violated


def term(law, scale, moved=1):
    return Term(law, Fraction(scale), Fraction(moved), "here")


def test_normal_noise_is_judged_by_its_exact_delta():
    """Balle & Wang 2018, Theorem 8."""
    epsilon, mu = Fraction(1), 0.5
    exact = norm.cdf(mu / 2 - 1 / mu) - math.e * norm.cdf(-mu / 2 - 1 / mu)
    terms = (term("normal", 2),)
    assert violates(terms, ApproxDP(epsilon, Fraction(exact * 0.999)))
    assert not violates(terms, ApproxDP(epsilon, Fraction(exact * 1.001)))


def test_laplace_noise_is_judged_by_its_exact_delta():
    """One loss of ε₀ = 1 at ε = 1/2: δ = 1 - e^((ε - ε₀)/2)."""
    exact = 1 - math.exp(-0.25)
    terms = (term("laplace", 1),)
    assert violates(terms, ApproxDP(Fraction(1, 2), Fraction(exact * 0.999)))
    assert not violates(terms, ApproxDP(Fraction(1, 2), Fraction(exact * 1.001)))


def test_renyi_claims_are_judged_by_closed_forms():
    """Mironov 2017, Propositions 6 and 7, at order 2."""
    exact = math.log(2 / 3 * math.exp(1) + 1 / 3 * math.exp(-2))
    terms = (term("laplace", 1),)
    assert violates(terms, RenyiDP(Fraction(2), Fraction(exact * 0.999)))
    assert not violates(terms, RenyiDP(Fraction(2), Fraction(exact * 1.001)))
    assert violates((term("normal", 1),), RenyiDP(Fraction(2), Fraction(999, 1000)))
    assert not violates((term("normal", 1),), RenyiDP(Fraction(2), Fraction(1)))


def test_laplace_noise_keeps_the_rho_that_is_true_of_it():
    """ε²/2 (Bun & Steinke 2016, Proposition 1.4) is enough, a hundredth of it is not."""
    terms = (term("laplace", 1), term("laplace", 2))
    assert not violates(terms, ZCDP(Fraction(1, 2) + Fraction(1, 8)))
    assert violates(terms, ZCDP(Fraction(1, 100)))
    assert not violates(terms, GaussianDP(Fraction(1, 100)))


def test_the_same_seed_gives_the_same_finding():
    assert one(three_rounds, ADDED, seed=4) == one(three_rounds, ADDED, seed=4)
