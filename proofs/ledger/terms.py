"""The terms of an expression as parts: what is known of each mechanism named.

It rests on the open hypothesis that its sensitivity, or its guarantee, is as stated under the
stated neighbours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath

from proofs.errors import ProofError
from proofs.guarantees import ApproxDP
from proofs.judgments import guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.ledger.events import noise_theorem
from proofs.ledger.expressions import REPEATING, Term
from proofs.ledger.repetitions import repeat
from proofs.parts import Part, Repetition
from proofs.profiles.entry_moments import largest, leak
from proofs.search.decimals import smallest_proved
from proofs.search.runs import gamma_of
from proofs.search.ways import compose
from synthesizers.errors import TooLargeError
from synthesizers.intervals import to_mpf
from synthesizers.neighbours import Neighbours

MAX_DIFFERENT = 1000
"""The most different mechanisms that are added up."""


def of_terms(terms: Sequence[Term], neighbours: Neighbours) -> tuple[Part, ...]:
    """The parts of an expression, equal terms counted.

    Raises InputError where a rule refuses a term, or for more than `MAX_DIFFERENT` of them.
    """
    counts: dict[str, int] = {}
    singles: dict[str, Term] = {}
    for term in terms:
        single = replace(term, count=1)
        name = str(single)
        counts[name] = counts.get(name, 0) + term.count
        singles[name] = single
    if len(singles) > MAX_DIFFERENT:
        raise TooLargeError(
            f"at most {MAX_DIFFERENT} different mechanisms are added up, found {len(singles)}"
        )
    return tuple(_part(name, counts[name], single, neighbours) for name, single in singles.items())


def _part(name: str, count: int, term: Term, neighbours: Neighbours) -> Part:
    if term.name not in REPEATING:
        return Part(name, count, _theorem(term, neighbours))
    run = compose(of_terms(term.inner, neighbours))
    whole = Part(" + ".join(map(str, term.inner)), 1, run)
    return repeat(name, count, Repetition(whole, _law_of_runs(term)))


def _law_of_runs(term: Term) -> dict[str, str]:
    """The law of an expression's number of runs, as the rules of repetition read it."""
    given = term.parameters
    if term.name == "best_of_poisson":
        return {"law": "poisson", "mean": str(given["expected"])}
    if term.name == "until_accepted":
        return {"law": "until-accepted", "gamma": str(given["stop"])}
    eta = given.get("eta", Fraction(0))
    gamma = given["gamma"] if "gamma" in given else gamma_of(given["expected"], eta)
    return {"law": "truncated-negative-binomial", "eta": str(eta), "gamma": str(gamma)}


def _theorem(term: Term, neighbours: Neighbours) -> Theorem:
    given = term.parameters
    match term.name:
        case "gaussian" | "discrete_gaussian" | "laplace" | "discrete_laplace":
            sensitivity = given.get("sensitivity", Fraction(1))
            amount = _amount(given, sensitivity)
            if not amount:
                return _free(neighbours)
            stable = with_stated_sensitivity(neighbours, sensitivity, str(term))
            return noise_theorem(stable, term.name.replace("_", "-"), amount)
        case "randomized_response":
            one = with_stated_sensitivity(neighbours, Fraction(1), str(term))
            return prove("response", [one], {"epsilon": given["epsilon"]})
        case "exponential":
            if given["epsilon"] == 0:
                return _free(neighbours)
            scores = with_stated_sensitivity(neighbours, Fraction(1), str(term))
            return prove("exponential", [scores], {"rate": given["epsilon"] / 2})
        case "pure":
            point = ApproxDP(given["epsilon"], given.get("delta", Fraction(0)))
            return _take_guarantee_as_stated(term, neighbours, guarantee_to_json(point))
        case "zcdp":
            rho = {"kind": "zcdp", "rho": str(given["rho"])}
            return _take_guarantee_as_stated(term, neighbours, rho)
        case "renyi":
            curve = {"kind": "renyi", "points": [[str(given["order"]), str(given["epsilon"])]]}
            return _take_guarantee_as_stated(term, neighbours, curve)
        case "allocated" | "fixed_size":
            return _in_secret(term, neighbours)
        case _:
            return _sample(term, neighbours)


def _amount(given: Mapping[str, Fraction], sensitivity: Fraction) -> Fraction:
    """A variance or a scale; 0 where nothing is told, be the noise without end or the answer fixed.

    That is so of an epsilon of 0, and of a guarantee for an answer that never moves.
    """
    if "scale" in given:
        return given["scale"]
    if "epsilon" in given:
        return sensitivity / given["epsilon"] if given["epsilon"] else Fraction(0)
    if "mu" in given:
        return (sensitivity / given["mu"]) ** 2
    return given["sigma_squared"] if "sigma_squared" in given else given["sigma"] ** 2


def _free(neighbours: Neighbours) -> Theorem:
    """Noise without end, or a query that never moves: nothing is told."""
    return prove("public-draw", [], {"neighbours": neighbours, "law": {"law": "independent"}})


def _take_guarantee_as_stated(
    term: Term, neighbours: Neighbours, guarantee: Mapping[str, Any]
) -> Theorem:
    given = {"neighbours": neighbours, "mechanism": str(term), "guarantee": guarantee}
    return prove("as-losses", [prove("stated-guarantee", [], given)])


def _in_secret(term: Term, neighbours: Neighbours) -> Theorem:
    """A Gaussian in some of several steps, or on a sample of a fixed size."""
    given, (inner,) = term.parameters, term.inner
    if inner.name != "gaussian":
        raise ProofError(f"{inner.name} within {term.name} has no rule here; gaussian has")
    sensitivity = inner.parameters.get("sensitivity", Fraction(1))
    squared = _amount(inner.parameters, sensitivity)
    if not squared or not sensitivity:
        return _free(neighbours)
    if term.name == "fixed_size" and given["sample"] == given["records"]:
        return _theorem(inner, neighbours)
    one = with_stated_sensitivity(neighbours, sensitivity, str(inner))
    own = {**{name: int(value) for name, value in given.items()}, "sigma_squared": squared}
    if term.name == "fixed_size":
        return prove("fixed-size-gaussian", [one], own)
    return prove("allocated-gaussian", [one], {"times": 1, **own})


def _sample(term: Term, neighbours: Neighbours) -> Theorem:
    """A mechanism on a Poisson sample; of all records, it is the mechanism."""
    rate, (inner,) = term.parameters["q"], term.inner
    if rate == 1:
        return _theorem(inner, neighbours)
    if inner.name == "gaussian":
        sensitivity = inner.parameters.get("sensitivity", Fraction(1))
        squared = _amount(inner.parameters, sensitivity)
        if not sensitivity or not squared:
            return _free(neighbours)
        one = with_stated_sensitivity(neighbours, sensitivity, str(inner))
        return prove("sampled-gaussian", [one], {"fraction": rate, "sigma_squared": squared})
    whole = Part(str(inner), 1, _theorem(inner, neighbours))
    try:
        epsilon = sum((n * largest(entry) for n, entry in whole.entries), Fraction(0))
    except ProofError:
        raise ProofError(
            f"{inner.name} on a Poisson sample has no rule here; gaussian has, and so has "
            "everything with a pure guarantee"
        ) from None
    delta = sum((n * leak(entry) for n, entry in whole.entries), Fraction(0))
    own = {"method": "sum", "epsilon": epsilon, "delta": delta, "hints": {}}
    premise = prove("to-approx", [whole.theorem], own)
    sampled = smallest_proved(
        lambda: mpmath.log1p(to_mpf(rate) * mpmath.expm1(to_mpf(epsilon))),
        lambda value: prove("subsample", [premise], {"fraction": rate, "epsilon": value}),
    )
    return prove("as-losses", [sampled])


def with_stated_sensitivity(
    neighbours: Neighbours, sensitivity: Fraction, description: str
) -> Theorem:
    """One answer of a stated sensitivity."""
    return prove(
        "stated-sensitivity",
        [],
        {
            "neighbours": neighbours,
            "query": description,
            "l0": 1,
            "l1": sensitivity,
            "l2_squared": sensitivity * sensitivity,
            "linf": sensitivity,
            "monotone": False,
            "integers": sensitivity.denominator == 1,
        },
    )
