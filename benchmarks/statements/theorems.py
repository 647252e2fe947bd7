"""Theorems: what the kernel proves of a described mechanism. Nothing else here calls `prove`.

Where the claim's neighbours are several steps of the given ones apart, what holds of a step is
scaled to all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import mpmath
from examples import premise_of
from laws import ADDITIVE, matrix_of, sampling_rate, variance
from reading import Formal, Mechanism, Query

from proofs.components import (
    Component,
    additive_theorems,
    component,
    event_theorems,
    query_theorem,
)
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.judgments import Private, RenyiCurve, canonical, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.prover import strongest
from proofs.search.decimals import smallest_proved
from synthesizers.errors import InputError
from synthesizers.exact import enclose
from synthesizers.intervals import to_mpf
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

ZERO = Fraction(0)


def renyi_theorems(components: Sequence[Component], claim: Guarantee) -> Iterator[Theorem]:
    """What follows of mechanisms that all have a Rényi guarantee, at the least of their orders."""
    curves = [held for one in components if (held := one.of(RenyiCurve))]
    if not curves or len(curves) != len(components):
        return
    order = min(curve.points[0][0] for _, curve in curves)
    common = [
        prove("weaken", [theorem], {"guarantee": _curve(order, curve.points[0][1])})
        for theorem, curve in curves
    ]
    theorem = prove("compose-renyi", common, {"counts": [one.count for one in components]})
    yield theorem
    if isinstance(claim, ApproxDP):
        own = {"epsilon": claim.epsilon, "delta": claim.delta, "order": order}
        yield prove("renyi-to-approx", [theorem], own)


def _curve(order: Fraction, epsilon: Fraction) -> dict[str, Any]:
    return guarantee_to_json(RenyiCurve(((order, epsilon),)))


def channel_theorem(mechanism: Mechanism, neighbours: Neighbours, claim: ApproxDP) -> Theorem:
    """What the matrix of one respondent shows of (ε, δ), with zeros in it or without."""
    rows = matrix_of(mechanism)
    ends = [[enclose(chance) for chance in row] for row in rows]
    given: dict[str, object] = {
        "neighbours": neighbours,
        "databases": [[int(i == j) for j in range(len(rows))] for i in range(len(rows))],
        "rows": [[[str(chance.lower), str(chance.upper)] for chance in row] for row in ends],
        "epsilon": claim.epsilon,
        "delta": claim.delta,
    }
    return prove("finite-channel", [], given)


def stable_theorem(query: Query, neighbours: Neighbours) -> Theorem:
    """How far the query moves: derived of a declared one, else as its moves say."""
    if query.declared is not None:
        assert query.shape is not None
        return query_theorem(query.declared, query.shape, neighbours)
    sizes = [[abs(x) for x in move] for move in query.moves]
    one_way = all(min(move) >= 0 or max(move) <= 0 for move in query.moves)
    given: dict[str, object] = {
        "neighbours": neighbours,
        "query": canonical([[str(x) for x in move] for move in query.moves]),
        "l0": max(sum(x > 0 for x in move) for move in sizes),
        "l1": max(map(sum, sizes)),
        "l2_squared": max(sum(x * x for x in move) for move in sizes),
        "linf": max(map(max, sizes)),
        "monotone": one_way,
        "integers": all(x.denominator == 1 for move in sizes for x in move),
    }
    return prove("stated-sensitivity", [], given)


def theorems_of(mechanism: Mechanism, formal: Formal) -> list[Theorem]:
    """What is proved of one run between the claim's neighbours; ProofError without any rule."""
    found = list(of_one(mechanism, formal.query, formal.given))
    if formal.given == formal.neighbours:
        return found
    return [scaled for theorem in found for scaled in _scale(theorem, formal)]


def _scale(theorem: Theorem, formal: Formal) -> Iterator[Theorem]:
    """A theorem between neighbours that are several steps apart, where there is a rule for it."""
    judgment, steps = theorem.judgment, formal.steps
    given: dict[str, object] = {"neighbours": formal.neighbours}
    assert isinstance(judgment, Private)
    match judgment.guarantee:
        case RenyiCurve(((order, epsilon),)) if order > steps:
            # Σ over steps j of order/(order - j)·ε, at the order divided by the steps.
            total = sum((order / (order - j) * epsilon for j in range(steps)), ZERO)
            given |= {"orders": [order / steps], "epsilons": [total]}
    yield from _attempt("group", [theorem], given, steps)


def _attempt(
    rule: str, premises: Sequence[Theorem], given: dict[str, object], steps: int = 1
) -> Iterator[Theorem]:
    """The theorem of a rule where it applies; over several steps it states the least δ, if any."""
    points = [one.judgment.guarantee for one in premises if isinstance(one.judgment, Private)]
    approximate = [point for point in points if isinstance(point, ApproxDP)]
    epsilon = max((point.epsilon for point in approximate), default=ZERO)
    delta = max((point.delta for point in approximate), default=ZERO)
    try:
        if delta and steps > 1:
            growth = [to_mpf(step * epsilon) for step in range(steps)]
            yield smallest_proved(
                lambda: to_mpf(delta) * sum(map(mpmath.exp, growth)),
                lambda most: prove(rule, premises, {**given, "delta": most}),
            )
        else:
            yield prove(rule, premises, given)
    except ProofError:
        return


def of_one(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Iterator[Theorem]:
    """What is proved of one run between the given neighbours; raises ProofError without any."""
    name, number = mechanism.name, mechanism.number
    if name in ADDITIVE:
        amount = variance(mechanism) if "gaussian" in name else number("scale")
        yield from additive_theorems(
            stable_theorem(query, neighbours), name.replace("_", "-"), amount
        )
        return
    match name:
        case "exponential" | "permute_and_flip" | "noisy_max" | "sparse_vector":
            yield from _choices(mechanism, stable_theorem(query, neighbours))
        case "randomized_response" if "values" not in mechanism.given:
            yield prove(
                "response", [stable_theorem(query, neighbours)], {"epsilon": number("epsilon")}
            )
        case "randomized_response":
            law = {"law": "randomized-response", "epsilon": str(number("epsilon"))}
            shape = {"value": mechanism.whole("values")}
            yield from event_theorems({"event": "sanitize", "law": law}, shape, neighbours)
        case "local":
            rows = [list(map(str, row)) for row in matrix_of(mechanism)]
            matrix = {"law": "post-randomisation", "before": 1, "after": 1, "matrix": rows}
            shape = {"value": len(rows)}
            yield from event_theorems({"event": "sanitize", "law": matrix}, shape, neighbours)
        case "pure" | "zcdp" | "gdp" | "renyi":
            yield from _stated(mechanism, neighbours)
        case "post":
            for theorem in _inner(mechanism, query, neighbours):
                yield from _attempt("post-processing", [theorem], {"map": "any map"})
        case "parallel":
            yield from _parallel(mechanism, query, neighbours)
        case "poisson" | "without_replacement":
            yield from _sampled(mechanism, query, neighbours)


def _choices(mechanism: Mechanism, scores: Theorem) -> Iterator[Theorem]:
    name, given = mechanism.name, dict(mechanism.given)
    if name == "noisy_max":
        given.setdefault("noise", "laplace")
        if given["noise"] == "gumbel":
            name, given = "exponential", {"rate": 1 / mechanism.number("scale")}
    if name == "sparse_vector":
        given = {"releases": "bits", "resampled": False, **given}
        if "count" in given:
            given["count"] = mechanism.whole("count")
    yield prove(name.replace("_", "-"), [scores], given)
    if name == "exponential":
        yield prove("exponential-zcdp", [scores], given)


def _stated(mechanism: Mechanism, neighbours: Neighbours) -> Iterator[Theorem]:
    """A mechanism that is known by its guarantee, and a Gaussian guarantee also as its pair."""
    premise = premise_of(mechanism)
    if isinstance(premise, RenyiDP):
        plain = _curve(premise.alpha, premise.epsilon)
    else:
        plain = guarantee_to_json(premise)
    given = {"neighbours": neighbours, "mechanism": mechanism.name, "guarantee": plain}
    stated = prove("stated-guarantee", [], given)
    yield from _gaussian_pair(stated)


def _gaussian_pair(theorem: Theorem) -> Iterator[Theorem]:
    """The theorem, or of a Gaussian guarantee its pair and its zCDP: those compose."""
    judgment = theorem.judgment
    if isinstance(judgment, Private) and isinstance(judgment.guarantee, GaussianDP):
        yield prove("gdp-to-pair", [theorem])
        yield prove("gdp-to-zcdp", [theorem])
    else:
        yield theorem


def _inner(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Sequence[Theorem]:
    """What is proved of the only mechanism that another one wraps, conversions included."""
    ((count, inner),) = mechanism.inner
    if count != 1:
        raise InputError(f"{mechanism.name} wraps one run of a mechanism")
    return component(inner.name, 1, list(of_one(inner, query, neighbours))).theorems


def _parallel(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Iterator[Theorem]:
    """The worst part of each kind of guarantee that all parts have."""
    parts = [
        component(part.name, 1, list(of_one(part, query, AddRemove())))
        for _, part in mechanism.inner
    ]
    given: dict[str, object] = {"counts": [count for count, _ in mechanism.inner]}
    given |= {"relation": neighbours.name, "key": "a public attribute"}
    steps = 2 if isinstance(neighbours, ReplaceOne) else 1
    gaussian = [strongest([part], GaussianDP(ZERO)) for part in parts]
    for premises in (
        [pure[0] for part in parts if (pure := part.of(ApproxDP))],
        [zcdp[0] for part in parts if (zcdp := part.of(ZCDP))],
        [found[0].theorem for found in gaussian if found],
    ):
        if len(premises) == len(parts):
            for theorem in _attempt("parallel", premises, given, steps):
                yield from _gaussian_pair(theorem)


def _sampled(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Iterator[Theorem]:
    ((_, inner),) = mechanism.inner
    rate = sampling_rate(mechanism)
    if mechanism.name == "poisson" and inner.name == "gaussian":
        given = {"fraction": rate, "sigma_squared": variance(inner)}
        yield prove("poisson-gaussian", [stable_theorem(query, neighbours)], given)
        return
    whole = Component(inner.name, 1, tuple(_inner(mechanism, query, neighbours))).of(ApproxDP)
    if whole is not None:
        premise, point = whole
        yield smallest_proved(
            lambda: mpmath.log1p(to_mpf(rate) * mpmath.expm1(to_mpf(point.epsilon))),
            lambda epsilon: sample_theorem(mechanism, premise, epsilon),
        )


def sample_theorem(mechanism: Mechanism, premise: Theorem, epsilon: Fraction) -> Theorem:
    """A mechanism of known ε and δ on a sample, with the ε that is stated of it."""
    if mechanism.name == "poisson":
        given: dict[str, object] = {"fraction": mechanism.number("q"), "epsilon": epsilon}
        return prove("poisson", [premise], given)
    size = {name: mechanism.whole(name) for name in ("sample", "records")}
    return prove("without-replacement", [premise], {**size, "epsilon": epsilon})
