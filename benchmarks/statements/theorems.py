"""Theorems: what the kernel proves of a described mechanism. Nothing else here calls `prove`.

A mechanism becomes components, as in `proofs.accounts`, and `proofs.prover` composes and converts
them. Where persons own several records, what holds of a record is scaled to a group of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import mpmath
from examples import premise_of
from laws import ADDITIVE, matrix_of, sampling_rate, variance
from reading import Formal, Mechanism, Norm, Query

from proofs.checker import check
from proofs.components import (
    Component,
    additive_theorems,
    component,
    event_theorems,
    query_theorem,
)
from proofs.derivation import derivation
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from proofs.implication import implies
from proofs.judgments import Private, RenyiCurve, Stable, canonical, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.offers import tight_at
from proofs.prover import settling, strongest
from proofs.search.decimals import smallest_proved
from synthesizers.errors import InputError
from synthesizers.exact import enclose
from synthesizers.intervals import to_mpf
from synthesizers.neighbours import AddRemove, Neighbours

ZERO = Fraction(0)


@dataclass(frozen=True)
class Proof:
    """A theorem that implies a statement's claim.

    ``kernel_only``: it holds a number that the independent checker can't afford.
    """

    theorem: Theorem
    kernel_only: bool

    @property
    def rules(self) -> list[str]:
        """The rules of its steps, each after those that it rests on."""
        return [step["rule"] for step in derivation(self.theorem)["steps"]]


def prove_statement(formal: Formal) -> Proof | None:
    """A theorem that the checker does not reject and that implies the claim; None without one."""
    for theorem in _candidates(formal):
        status = check(derivation(theorem)).status
        if status in ("checked", "kernel only"):
            return Proof(theorem, status != "checked")
    return None


def _candidates(formal: Formal) -> Iterator[Theorem]:
    claim, neighbours = formal.claim, formal.neighbours
    try:
        if isinstance(claim, Norm):
            stable = _stable(formal.query, neighbours)
            if _norm(stable, claim.name) <= claim.value:
                yield stable
            return
        components = [
            component(mechanism.name, count, _theorems(mechanism, formal))
            for count, mechanism in formal.mechanism
        ]
        found = settling(strongest(components, claim), claim, neighbours)
        if found is not None:
            yield found.theorem
        for theorem in _at_the_claim(components, claim):
            if implies(theorem, claim, neighbours):
                yield theorem
        yield from _of_single(formal)
    except InputError:
        # Some mechanism, or what the statement makes of it, has no rule.
        return


def _of_single(formal: Formal) -> Iterator[Theorem]:
    """What is proved of one mechanism at the numbers of a claim of ε and δ > 0."""
    claim, ((count, mechanism), *more) = formal.claim, formal.mechanism
    if more or count != 1 or not isinstance(claim, ApproxDP) or claim.delta == 0:
        return
    match mechanism.name:
        case "local" | "randomized_response":
            yield _of_channel(mechanism, formal.neighbours, claim)
        case "poisson" | "without_replacement" if formal.given == formal.neighbours:
            theorem = _of_sample(mechanism, formal, claim)
            if theorem is not None:
                yield theorem


def _norm(stable: Theorem, name: str) -> Fraction:
    judgment = stable.judgment
    assert isinstance(judgment, Stable)
    return Fraction(getattr(judgment, name))


def _at_the_claim(components: Sequence[Component], claim: Guarantee) -> Iterator[Theorem]:
    """What follows at the claimed numbers themselves: of a profile, or of a Rényi guarantee."""
    if isinstance(claim, ApproxDP) and claim.delta:
        exact = tight_at(components, claim.epsilon, claim.delta)
        if exact is not None:
            yield exact.theorem
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


def _of_channel(mechanism: Mechanism, neighbours: Neighbours, claim: ApproxDP) -> Theorem:
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


def _of_sample(mechanism: Mechanism, formal: Formal, claim: ApproxDP) -> Theorem | None:
    """What a point of the profile of the mechanism inside gives at the claim's ε on a sample."""
    ((_, inner),) = mechanism.inner
    whole = component(inner.name, 1, list(_of_one(inner, formal.query, formal.given)))
    rate = sampling_rate(mechanism)
    with mpmath.workdps(30):
        # The least digits are cut off, so that the sample's ε is no larger than the claim's.
        point = mpmath.log1p(mpmath.expm1(to_mpf(claim.epsilon)) / to_mpf(rate))
        epsilon = Fraction(int(point * 10**15), 10**15)
    found = tight_at([whole], epsilon, claim.delta / rate)
    if found is None:
        return None
    return _sample(mechanism, found.theorem, claim.epsilon)


def _stable(query: Query, neighbours: Neighbours) -> Theorem:
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


def _theorems(mechanism: Mechanism, formal: Formal) -> list[Theorem]:
    """What is proved of one run between the claim's neighbours; ProofError without any rule."""
    found = list(_of_one(mechanism, formal.query, formal.given))
    if formal.given == formal.neighbours:
        return found
    return [scaled for theorem in found for scaled in _scale(theorem, formal)]


def _scale(theorem: Theorem, formal: Formal) -> Iterator[Theorem]:
    """A theorem between neighbours that are several steps apart, where there is a rule for it."""
    judgment, given = theorem.judgment, {"neighbours": formal.neighbours}
    assert isinstance(judgment, Private)
    try:
        match judgment.guarantee:
            case ApproxDP(epsilon, delta) if delta:
                growth = [to_mpf(step * epsilon) for step in range(formal.steps)]
                yield smallest_proved(
                    lambda: to_mpf(delta) * sum(map(mpmath.exp, growth)),
                    lambda most: prove("group", [theorem], {**given, "delta": most}),
                )
            case RenyiCurve(((order, epsilon),)) if order > formal.steps:
                # Σ over steps j of order/(order - j)·ε, at the order divided by the steps.
                total = sum((order / (order - j) * epsilon for j in range(formal.steps)), ZERO)
                own = {"orders": [order / formal.steps], "epsilons": [total]}
                yield prove("group", [theorem], {**given, **own})
            case _:
                yield prove("group", [theorem], given)
    except ProofError:
        return


def _of_one(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Iterator[Theorem]:
    name, number = mechanism.name, mechanism.number
    if name in ADDITIVE:
        amount = variance(mechanism) if "gaussian" in name else number("scale")
        yield from additive_theorems(_stable(query, neighbours), name.replace("_", "-"), amount)
        return
    match name:
        case "exponential" | "permute_and_flip" | "noisy_max" | "sparse_vector":
            yield from _choices(mechanism, _stable(query, neighbours))
        case "randomized_response" if "values" not in mechanism.given:
            yield prove("response", [_stable(query, neighbours)], {"epsilon": number("epsilon")})
        case "randomized_response":
            law = {"law": "randomized-response", "epsilon": str(number("epsilon"))}
            shape = {"value": mechanism.whole("values")}
            yield from event_theorems({"event": "sanitize", "law": law}, shape, neighbours)
        case "local":
            matrix = [list(map(str, row)) for row in matrix_of(mechanism)]
            law = {"law": "post-randomisation", "before": 1, "after": 1, "matrix": matrix}
            shape = {"value": len(matrix)}
            yield from event_theorems({"event": "sanitize", "law": law}, shape, neighbours)
        case "pure" | "zcdp" | "gdp" | "renyi":
            yield from _stated(mechanism, neighbours)
        case "post":
            for theorem in _inner(mechanism, query, neighbours):
                yield from _attempt("post-processing", [theorem], {"map": "any map"})
        case "parallel":
            yield from _parallel(mechanism, query, neighbours)
        case "poisson" | "without_replacement":
            yield from _sampled(mechanism, query, neighbours)
        case _:
            raise InputError(f"there is no mechanism {name}")


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
    return component(inner.name, 1, list(_of_one(inner, query, neighbours))).theorems


def _parallel(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Iterator[Theorem]:
    """The worst part of each kind of guarantee that all parts have."""
    parts = [
        component(part.name, 1, list(_of_one(part, query, AddRemove())))
        for _, part in mechanism.inner
    ]
    given: dict[str, object] = {"counts": [count for count, _ in mechanism.inner]}
    given |= {"relation": neighbours.name, "key": "a public attribute"}
    gaussian = [strongest([part], GaussianDP(ZERO)) for part in parts]
    for premises in (
        [pure[0] for part in parts if (pure := part.of(ApproxDP))],
        [zcdp[0] for part in parts if (zcdp := part.of(ZCDP))],
        [found[0].theorem for found in gaussian if found],
    ):
        if len(premises) == len(parts):
            for theorem in _attempt("parallel", premises, given):
                yield from _gaussian_pair(theorem)


def _attempt(rule: str, premises: Sequence[Theorem], given: dict[str, object]) -> Iterator[Theorem]:
    """The theorem of a rule where it applies, at the least δ of two steps where it asks for one."""
    points = [one.judgment.guarantee for one in premises if isinstance(one.judgment, Private)]
    approximate = [point for point in points if isinstance(point, ApproxDP)]
    epsilon = max((point.epsilon for point in approximate), default=ZERO)
    delta = max((point.delta for point in approximate), default=ZERO)
    try:
        if delta and given.get("relation") == "replace-one":
            yield smallest_proved(
                lambda: to_mpf(delta) * (1 + mpmath.exp(to_mpf(epsilon))),
                lambda most: prove(rule, premises, {**given, "delta": most}),
            )
        else:
            yield prove(rule, premises, given)
    except ProofError:
        return


def _sampled(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Iterator[Theorem]:
    ((_, inner),) = mechanism.inner
    rate = sampling_rate(mechanism)
    if mechanism.name == "poisson" and inner.name == "gaussian":
        given = {"fraction": rate, "sigma_squared": variance(inner)}
        yield prove("poisson-gaussian", [_stable(query, neighbours)], given)
        return
    whole = Component(inner.name, 1, tuple(_inner(mechanism, query, neighbours))).of(ApproxDP)
    if whole is not None:
        premise, point = whole
        yield smallest_proved(
            lambda: mpmath.log1p(to_mpf(rate) * mpmath.expm1(to_mpf(point.epsilon))),
            lambda epsilon: _sample(mechanism, premise, epsilon),
        )


def _sample(mechanism: Mechanism, premise: Theorem, epsilon: Fraction) -> Theorem:
    """A mechanism of known ε and δ on a sample, with the ε that is stated of it."""
    if mechanism.name == "poisson":
        given: dict[str, object] = {"fraction": mechanism.number("q"), "epsilon": epsilon}
        return prove("poisson", [premise], given)
    size = {name: mechanism.whole(name) for name in ("sample", "records")}
    return prove("without-replacement", [premise], {**size, "epsilon": epsilon})
