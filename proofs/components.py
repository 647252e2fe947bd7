"""Components: a mechanism, how often it runs, and every theorem about it that composes.

A component's theorems are made by the kernel from its base rules; which of them
a composition uses is the prover's choice. Nothing here is trusted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import mpmath

from proofs.errors import ProofError
from proofs.guarantees import ZCDP, ApproxDP
from proofs.judgments import Dominated, Guarantee, Private, Stable
from proofs.kernel import Theorem, prove
from proofs.losses import FixedSizeLoss, GaussianLoss, Losses, SampledGaussianLoss
from proofs.search.decimals import rounded_up, smallest_proved
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.intervals import log_interval, to_mpf
from synthesizers.neighbours import Neighbours

G = TypeVar("G", bound=Guarantee)

AMOUNTS = {
    "gaussian": "sigma_squared",
    "discrete-gaussian": "variance",
    "laplace": "scale",
    "rounded-laplace": "scale",
    "discrete-laplace": "scale",
}
"""The number that says how much noise each law adds."""


@dataclass(frozen=True)
class Component:
    """``count`` runs of one mechanism; ``theorems``: what is proved of one run, best first."""

    name: str
    count: int
    theorems: tuple[Theorem, ...]

    def of(self, kind: type[G]) -> tuple[Theorem, G] | None:
        """The first theorem whose guarantee is of a kind."""
        for theorem in self.theorems:
            judgment = theorem.judgment
            if isinstance(judgment, Private) and isinstance(judgment.guarantee, kind):
                return theorem, judgment.guarantee
        return None


def attained(component: Component) -> Losses | None:
    """The losses of a pair that some two neighbours have, or have at least; None if unknown.

    They are those of its dominating pair for noise on one answer that moves by its stated
    sensitivity, not for a pair that stands for a guarantee. Of a query whose sensitivity was
    derived, all answers need not move as far as the rule allows for at once. Records in k > 1 of t
    steps have at least the Gaussian loss of kμ/√t, that of the sum of all steps' outputs; samples
    of a fixed size that of a Poisson sample, where the record that takes the other's place never
    moves an answer.
    """
    pairs = component.of(Dominated)
    if pairs is None or [one.rule for one in pairs[0].premises] != ["stated-sensitivity"]:
        return None
    theorem, held = pairs
    given = theorem.parameters
    if theorem.rule == "allocated-gaussian" and given["times"] > 1:
        stable = theorem.premises[0].judgment
        assert isinstance(stable, Stable)
        squared = stable.l2_squared / parse_rational(given["sigma_squared"], "sigma_squared")
        return ((1, GaussianLoss(squared * given["times"] ** 2 / given["steps"])),)
    if theorem.rule == "fixed-size-gaussian":
        return tuple(
            (count, SampledGaussianLoss(loss.fraction, loss.mu_squared))
            for count, loss in held.losses
            if isinstance(loss, FixedSizeLoss)
        )
    return held.losses


def attains(component: Component) -> bool:
    """Whether some two neighbours have exactly the component's dominating pair."""
    pairs = component.of(Dominated)
    return pairs is not None and attained(component) == pairs[1].losses


def component(name: str, count: int, theorems: Sequence[Theorem]) -> Component:
    """The component of its base theorems, with what single conversions add to them."""
    found = Component(name, count, tuple(theorems))
    pure = found.of(ApproxDP)
    pairs = found.of(Dominated)
    more: list[Theorem | None] = []
    if pairs is not None:
        more += [_attempt("pair-to-pure", pairs[0]), _attempt("pair-to-zcdp", pairs[0])]
        pure = pure or Component(name, 1, tuple(t for t in more if t)).of(ApproxDP)
    if pure is not None:
        more += [_attempt("pure-to-zcdp", pure[0]), _tight_zcdp(*pure)]
        if pairs is None:
            more.append(_attempt("pure-to-pair", pure[0]))
    extended = (*found.theorems, *(theorem for theorem in more if theorem is not None))
    return Component(name, count, tuple(sorted(extended, key=_strength)))


def _strength(theorem: Theorem) -> tuple[Fraction, ...]:
    """Theorems of one kind in order, the strongest first."""
    judgment = theorem.judgment
    guarantee = judgment.guarantee if isinstance(judgment, Private) else None
    match guarantee:
        case ApproxDP(epsilon, delta):
            return (delta, epsilon)
        case ZCDP(rho):
            return (rho,)
        case _:
            return (Fraction(0),)


def _tight_zcdp(pure: Theorem, point: ApproxDP) -> Theorem | None:
    """ρ = ε·tanh(ε/2), the least of a pure guarantee."""
    epsilon = to_mpf(point.epsilon)
    try:
        return smallest_proved(
            lambda: epsilon * mpmath.tanh(epsilon / 2),
            lambda rho: prove("pure-to-zcdp-tight", [pure], {"rho": rho}),
        )
    except InputError:
        return None


def _attempt(rule: str, premise: Theorem, **parameters: object) -> Theorem | None:
    try:
        return prove(rule, [premise], parameters)
    except ProofError:
        return None


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


def query_theorem(
    query: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> Theorem:
    """The stability of a declared query, derived by the rule of its kind."""
    return prove(
        str(query.get("kind")),
        [],
        {"neighbours": neighbours, "shape": dict(shape), "query": dict(query)},
    )


def additive_theorems(stable: Theorem, law: str, amount: Fraction) -> list[Theorem]:
    """What is proved of additive noise; ``amount``: the law's own, as in `AMOUNTS`."""
    given = {AMOUNTS[law]: amount}
    if law == "gaussian":
        return [prove("gaussian", [stable], given)]
    if law == "discrete-gaussian":
        first = prove("discrete-gaussian", [stable], given)
        pair = _attempt("discrete-gaussian-pair", stable, **given)
    else:
        first = prove("laplace", [stable], {"law": law, **given})
        pair = _attempt("laplace-pair", stable, law=law, **given)
    return [first, *([] if pair is None else [pair])]


def event_theorems(
    event: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> list[Theorem]:
    """What is proved of one event of a ledger; empty where no rule knows its law.

    ``event``: as ledgers write it. Raises InputError for an event that no ledger writes.
    """
    kind = event.get("event")
    try:
        match kind:
            case "measure":
                stable = query_theorem(event["query"], shape, neighbours)
                law = event["noise"]["law"]
                amount = parse_rational(event["noise"][AMOUNTS[law]], AMOUNTS[law])
                return additive_theorems(stable, law, amount)
            case "measure-sampled":
                stable = query_theorem(event["query"], shape, neighbours)
                squared = parse_rational(event["noise"]["deviation"], "deviation") ** 2
                rate = parse_rational(event["rate"], "rate")
                if rate == 1:
                    return additive_theorems(stable, "gaussian", squared)
                sampled = {"fraction": rate, "sigma_squared": squared}
                return [prove("poisson-gaussian", [stable], sampled)]
            case "select" if event["noise"]["law"] == "exponential":
                stable = query_theorem(event["scores"], shape, neighbours)
                rate = parse_rational(event["noise"]["rate"], "rate")
                rules = ("exponential", "exponential-zcdp")
                return [prove(rule, [stable], {"rate": rate}) for rule in rules]
            case "sanitize":
                return _law_theorems(event["law"], shape, neighbours)
            case "draw":
                given = {"neighbours": neighbours, "law": event["law"]}
                return [prove("public-draw", [], given)]
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
        raise ProofError(f"an event of the kind {str(kind)[:40]!r} is malformed") from None
    raise ProofError(f"a ledger has no events of the kind {str(kind)[:40]!r}")


def _law_theorems(
    law: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> list[Theorem]:
    match law["law"]:
        case "dirichlet-multinomial" | "plug-in-multinomial":
            return [_posterior(law, neighbours)]
        case "randomized-response" if neighbours.records_public:
            values = math.prod(shape.values())
            own = {"neighbours": neighbours, "values": values, "epsilon": law["epsilon"]}
            return [prove("randomized-response", [], own)]
        case "post-randomisation" if (
            neighbours.records_public
            and law["before"] == 1 == law["after"]
            and len(law["matrix"]) == math.prod(shape.values())
        ):
            matrix = [[parse_rational(entry, "a chance") for entry in row] for row in law["matrix"]]
            columns = [column for column in zip(*matrix, strict=True) if any(column)]
            if not all(map(all, columns)):
                return []
            ratio = max(max(column) / min(column) for column in columns)
            epsilon = rounded_up(log_interval(ratio).upper)
            own = {"neighbours": neighbours, "matrix": matrix, "epsilon": epsilon}
            return [prove("local-matrix", [], own)]
        case _:
            return []


def _posterior(law: Mapping[str, Any], neighbours: Neighbours) -> Theorem:
    """Of records drawn from the posterior of a Dirichlet prior, or from its mean."""
    least = min(parse_rational(weight, "alpha") for weight in law["alpha"])
    rows, steps = parse_rational(law["records"], "records"), neighbours.unit.max_records
    if law["law"] == "plug-in-multinomial":
        epsilon = steps * rows * log_interval(1 + 1 / least).upper
    else:
        epsilon = steps * log_interval(1 + rows / least).upper
    given = {"neighbours": neighbours, "alpha_min": least, "records": law["records"]}
    return prove(law["law"], [], {**given, "epsilon": rounded_up(epsilon)})
