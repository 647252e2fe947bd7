"""Theorems: what the kernel proves of a described mechanism. Nothing else here calls `prove`.

Where the claim's neighbours are several steps of the given ones apart, what holds of a step is
scaled to all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import mpmath
from examples import premise_of
from laws import ADDITIVE, matrix_of, sampling_rate, variance
from reading import Formal, Mechanism, Query

from proofs.derivation import canonical
from proofs.entries import RenyiCurve
from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, RenyiDP
from proofs.judgments import Guarantee, LossList, Private, guarantee_to_json
from proofs.kernel import Theorem, prove
from proofs.ledger.events import event_theorem, noise_theorem, query_theorem
from proofs.parts import Part
from proofs.search.best import strongest
from proofs.search.decimals import smallest_proved
from proofs.search.ways import by_sum
from synthesizers.errors import InputError
from synthesizers.exact import enclose
from synthesizers.intervals import to_mpf
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne

ZERO = Fraction(0)


def losses_of(mechanism: Mechanism, formal: Formal) -> Theorem:
    """The losses of one run between the claim's neighbours; raises InputError without any rule."""
    theorem = of_one(mechanism, formal.query, formal.given)
    if formal.given == formal.neighbours:
        return as_losses(theorem)
    given: dict[str, object] = {"neighbours": formal.neighbours}
    match _guarantee(theorem):
        case RenyiCurve(((order, epsilon),)) if order > formal.steps:
            # Σ over steps j of order/(order - j)·ε, at the order divided by the steps.
            total = sum((order / (order - j) * epsilon for j in range(formal.steps)), ZERO)
            given |= {"orders": [order / formal.steps], "epsilons": [total]}
    return as_losses(_over_steps("group", [theorem], given, formal.steps))


def as_losses(theorem: Theorem) -> Theorem:
    """A theorem as one about losses, which compose."""
    held = isinstance(_guarantee(theorem), LossList)
    return theorem if held else prove("as-losses", [theorem])


def _guarantee(theorem: Theorem) -> Guarantee:
    assert isinstance(theorem.judgment, Private)
    return theorem.judgment.guarantee


def _over_steps(
    rule: str, premises: Sequence[Theorem], given: dict[str, object], steps: int
) -> Theorem:
    """The theorem of a rule over several steps, which states the least δ, if any."""
    guarantees = [_guarantee(premise) for premise in premises]
    points = [point for point in guarantees if isinstance(point, ApproxDP)]
    epsilon = max((point.epsilon for point in points), default=ZERO)
    delta = max((point.delta for point in points), default=ZERO)
    if delta == 0 or steps == 1:
        return prove(rule, premises, given)
    growth = [to_mpf(step * epsilon) for step in range(steps)]
    return smallest_proved(
        lambda: to_mpf(delta) * sum(map(mpmath.exp, growth)),
        lambda most: prove(rule, premises, {**given, "delta": most}),
    )


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


def of_one(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Theorem:
    """What is proved of one run between the given neighbours; raises InputError without any rule.

    Of a mechanism that is known by a guarantee, and of what is made of such a one, that guarantee;
    of others their losses.
    """
    name, number = mechanism.name, mechanism.number
    if name in ADDITIVE:
        amount = variance(mechanism) if "gaussian" in name else number("scale")
        return noise_theorem(stable_theorem(query, neighbours), name.replace("_", "-"), amount)
    match name:
        case "exponential" | "permute_and_flip" | "noisy_max" | "sparse_vector":
            return _choice(mechanism, stable_theorem(query, neighbours))
        case "randomized_response" if "values" not in mechanism.given:
            stable = stable_theorem(query, neighbours)
            return prove("response", [stable], {"epsilon": number("epsilon")})
        case "randomized_response":
            own = {"values": mechanism.whole("values"), "epsilon": number("epsilon")}
            return prove("local-randomizer", [], {"neighbours": neighbours, **own})
        case "local":
            return _local(mechanism, neighbours)
        case "pure" | "zcdp" | "gdp" | "renyi":
            return _stated(mechanism, neighbours)
        case "post":
            inner = of_one(_only(mechanism), query, neighbours)
            return prove("post-processing", [inner], {"map": "any map"})
        case "parallel":
            return _parallel(mechanism, query, neighbours)
        case "poisson" | "without_replacement":
            return _sampled(mechanism, query, neighbours)
    raise InputError(f"no rule is known for {name}")


def _choice(mechanism: Mechanism, scores: Theorem) -> Theorem:
    name, given = mechanism.name, dict(mechanism.given)
    if name == "noisy_max":
        given.setdefault("noise", "laplace")
        if given["noise"] == "gumbel":
            name, given = "exponential", {"rate": 1 / mechanism.number("scale")}
    if name == "sparse_vector":
        given = {"releases": "bits", "resampled": False, **given}
        if "count" in given:
            given["count"] = mechanism.whole("count")
    return prove(name.replace("_", "-"), [scores], given)


def _local(mechanism: Mechanism, neighbours: Neighbours) -> Theorem:
    rows = [list(map(str, row)) for row in matrix_of(mechanism)]
    law = {"law": "post-randomisation", "before": 1, "after": 1, "matrix": rows}
    found = event_theorem({"event": "sanitize", "law": law}, {"value": len(rows)}, neighbours)
    if found is None:
        raise InputError("no finite epsilon holds of the matrix, or none between such neighbours")
    return found


def _stated(mechanism: Mechanism, neighbours: Neighbours) -> Theorem:
    """A mechanism that is known by its guarantee."""
    premise = premise_of(mechanism)
    if isinstance(premise, RenyiDP):
        plain = guarantee_to_json(RenyiCurve(((premise.alpha, premise.epsilon),)))
    else:
        plain = guarantee_to_json(premise)
    given = {"neighbours": neighbours, "mechanism": mechanism.name, "guarantee": plain}
    return prove("stated-guarantee", [], given)


def _only(mechanism: Mechanism) -> Mechanism:
    """The only mechanism that another one wraps."""
    ((count, inner),) = mechanism.inner
    if count != 1:
        raise InputError(f"{mechanism.name} wraps one run of a mechanism")
    return inner


def _parallel(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Theorem:
    """The worst part of the first kind of guarantee that all parts have."""
    parts = [as_losses(of_one(part, query, AddRemove())) for _, part in mechanism.inner]
    given: dict[str, object] = {"counts": [count for count, _ in mechanism.inner]}
    given |= {"relation": neighbours.name, "key": "a public attribute"}
    steps = 2 if isinstance(neighbours, ReplaceOne) else 1
    for read in (by_sum, _read_mu, _read_rho):
        try:
            premises = [read(part) for part in parts]
        except ProofError:
            continue
        return _over_steps("parallel", premises, given, steps)
    raise ProofError("the parts have no guarantee of one kind")


def _read_mu(losses: Theorem) -> Theorem:
    return _read(losses, GaussianDP(ZERO))


def _read_rho(losses: Theorem) -> Theorem:
    return _read(losses, ZCDP(ZERO))


def _read(losses: Theorem, kind: GaussianDP | ZCDP) -> Theorem:
    """The strongest guarantee of a kind; ProofError for none."""
    found = strongest([Part("part", 1, losses)], kind)
    if not found:
        raise ProofError(f"the losses have no {type(kind).__name__}")
    return found[0].theorem


def _sampled(mechanism: Mechanism, query: Query, neighbours: Neighbours) -> Theorem:
    inner, rate = _only(mechanism), sampling_rate(mechanism)
    if mechanism.name == "poisson" and inner.name == "gaussian":
        given = {"fraction": rate, "sigma_squared": variance(inner)}
        return prove("sampled-gaussian", [stable_theorem(query, neighbours)], given)
    premise = by_sum(as_losses(of_one(inner, query, neighbours)))
    point = _guarantee(premise)
    assert isinstance(point, ApproxDP)
    return smallest_proved(
        lambda: mpmath.log1p(to_mpf(rate) * mpmath.expm1(to_mpf(point.epsilon))),
        lambda epsilon: sample_theorem(mechanism, premise, epsilon),
    )


def sample_theorem(mechanism: Mechanism, premise: Theorem, epsilon: Fraction) -> Theorem:
    """A mechanism of known ε and δ on a sample, with the ε that is stated of it."""
    if mechanism.name == "poisson":
        given: dict[str, object] = {"fraction": mechanism.number("q")}
    else:
        given = {name: mechanism.whole(name) for name in ("sample", "records")}
    return prove("subsample", [premise], {**given, "epsilon": epsilon})
