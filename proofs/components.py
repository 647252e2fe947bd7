"""Components: a mechanism, how often it runs, and the theorem about its loss.

The theorem is made by the kernel from its base rules; what is read off a composition is the
prover's choice. Nothing here is trusted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs.entries import Entries
from proofs.entry_moments import pairs
from proofs.errors import ProofError
from proofs.judgments import LossList, Private, Stable
from proofs.kernel import Theorem, prove
from proofs.losses import FixedSizeLoss, GaussianLoss, Losses, SampledGaussianLoss
from proofs.search.decimals import rounded_up
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational
from synthesizers.intervals import log_interval
from synthesizers.neighbours import Neighbours

AMOUNTS = {
    "gaussian": "sigma_squared",
    "discrete-gaussian": "variance",
    "laplace": "scale",
    "rounded-laplace": "scale",
    "discrete-laplace": "scale",
}
"""The number that says how much noise each law adds, as events name it."""

ATTAINED = frozenset(
    {"additive-noise", "response", "sampled-gaussian", "allocated-gaussian", "fixed-size-gaussian"}
)
"""The rules whose pair, or one nearly as large, some two neighbours have."""


@dataclass(frozen=True)
class Component:
    """``count`` runs of one mechanism; ``theorem``: the losses of one run.

    ``repetition``: of one that tells one of a random number of runs of another, what it repeats.
    """

    name: str
    count: int
    theorem: Theorem
    repetition: Repetition | None = None

    @property
    def entries(self) -> Entries:
        """The losses of one run."""
        return entries_of(self.theorem)


@dataclass(frozen=True, eq=False)
class Repetition:
    """A mechanism that is repeated, and the law of how often, as the rules read it."""

    run: Component
    runs: Mapping[str, Any]


def entries_of(theorem: Theorem) -> Entries:
    """The losses that a theorem is about; ProofError where it is about another guarantee."""
    judgment = theorem.judgment
    if not isinstance(judgment, Private) or not isinstance(judgment.guarantee, LossList):
        raise ProofError("the theorem is not about a list of losses")
    return judgment.guarantee.entries


def attained(component: Component) -> Losses | None:
    """The losses of a pair that some two neighbours have, or have at least; None if unknown.

    They are those of its dominating pair for noise on one answer that moves by its stated
    sensitivity, not for a pair that stands for a guarantee. Of a query whose sensitivity was
    derived, all answers need not move as far as the rule allows for at once. Records in k > 1 of t
    steps have at least the Gaussian loss of kμ/√t, that of the sum of all steps' outputs; samples
    of a fixed size that of a Poisson sample, where the record that takes the other's place never
    moves an answer.
    """
    theorem = component.theorem
    stated = [one.rule for one in theorem.premises] == ["stated-sensitivity"]
    if theorem.rule not in ATTAINED or not stated:
        return None
    given = theorem.parameters
    if theorem.rule == "allocated-gaussian" and given["times"] > 1:
        stable = theorem.premises[0].judgment
        assert isinstance(stable, Stable)
        squared = stable.l2_squared / parse_rational(given["sigma_squared"], "sigma_squared")
        return ((1, GaussianLoss(squared * given["times"] ** 2 / given["steps"])),)
    losses = pairs(component.entries)
    return tuple(
        (count, SampledGaussianLoss(loss.fraction, loss.mu_squared))
        if isinstance(loss, FixedSizeLoss)
        else (count, loss)
        for count, loss in losses
    )


def attains(component: Component) -> bool:
    """Whether some two neighbours have exactly the component's dominating pair."""
    losses = attained(component)
    return losses is not None and losses == pairs(component.entries)


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


def noise_theorem(stable: Theorem, law: str, amount: Fraction) -> Theorem:
    """The loss of additive noise; ``amount``: the scale of a Laplace law, σ² of a Gaussian one."""
    return prove("additive-noise", [stable], {"law": law, "amount": amount})


SHAPES = {"geometric": "1", "logarithmic": "0"}
"""The η of each law of runs of a question."""


def repetition_of(
    event: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> Repetition:
    """One measurement of an event that tells the best of several, and the law of how many."""
    theorem = event_theorem({**event, "event": "measure"}, shape, neighbours)
    assert theorem is not None
    try:
        eta, gamma = SHAPES[event["runs"]["law"]], parse_rational(event["runs"]["gamma"], "gamma")
    except (KeyError, TypeError):
        raise ProofError("an event of the kind 'measure-best' is malformed") from None
    law = {"law": "truncated-negative-binomial", "eta": eta, "gamma": str(gamma)}
    return Repetition(Component("a run", 1, theorem), law)


def event_theorem(
    event: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> Theorem | None:
    """What is proved of one event of a ledger; None where no rule knows its law.

    ``event``: as ledgers write it, but none that repeats a measurement (`repetition_of`).
    Raises InputError for an event that no ledger writes.
    """
    kind = event.get("event")
    try:
        match kind:
            case "measure":
                stable = query_theorem(event["query"], shape, neighbours)
                law = event["noise"]["law"]
                amount = parse_rational(event["noise"][AMOUNTS[law]], AMOUNTS[law])
                return noise_theorem(stable, law, amount)
            case "measure-sampled":
                stable = query_theorem(event["query"], shape, neighbours)
                squared = parse_rational(event["noise"]["deviation"], "deviation") ** 2
                rate = parse_rational(event["rate"], "rate")
                if rate == 1:
                    return noise_theorem(stable, "gaussian", squared)
                sampled = {"fraction": rate, "sigma_squared": squared}
                return prove("sampled-gaussian", [stable], sampled)
            case "select" if event["noise"]["law"] == "exponential":
                stable = query_theorem(event["scores"], shape, neighbours)
                rate = parse_rational(event["noise"]["rate"], "rate")
                return prove("exponential", [stable], {"rate": rate})
            case "sanitize":
                return _law_theorem(event["law"], shape, neighbours)
            case "draw":
                return prove("public-draw", [], {"neighbours": neighbours, "law": event["law"]})
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError):
        raise ProofError(f"an event of the kind {str(kind)[:40]!r} is malformed") from None
    raise ProofError(f"a ledger has no events of the kind {str(kind)[:40]!r}")


def _law_theorem(
    law: Mapping[str, Any], shape: Mapping[str, int], neighbours: Neighbours
) -> Theorem | None:
    match law["law"]:
        case "dirichlet-multinomial" | "plug-in-multinomial":
            return _posterior(law, neighbours)
        case "randomized-response" if neighbours.records_public:
            values = math.prod(shape.values())
            own = {"neighbours": neighbours, "values": values, "epsilon": law["epsilon"]}
            return prove("local-randomizer", [], own)
        case "post-randomisation" if (
            neighbours.records_public
            and law["before"] == 1 == law["after"]
            and len(law["matrix"]) == math.prod(shape.values())
        ):
            matrix = [[parse_rational(entry, "a chance") for entry in row] for row in law["matrix"]]
            columns = [column for column in zip(*matrix, strict=True) if any(column)]
            if not all(map(all, columns)):
                return None
            ratio = max(max(column) / min(column) for column in columns)
            epsilon = rounded_up(log_interval(ratio).upper)
            own = {"neighbours": neighbours, "matrix": matrix, "epsilon": epsilon}
            return prove("local-randomizer", [], own)
        case _:
            return None


def _posterior(law: Mapping[str, Any], neighbours: Neighbours) -> Theorem:
    """Of records drawn from the posterior of a Dirichlet prior, or from its mean."""
    least = min(parse_rational(weight, "alpha") for weight in law["alpha"])
    rows, steps = parse_rational(law["records"], "records"), neighbours.unit.max_records
    if law["law"] == "plug-in-multinomial":
        epsilon = steps * rows * log_interval(1 + 1 / least).upper
    else:
        epsilon = steps * log_interval(1 + rows / least).upper
    given = {"neighbours": neighbours, "law": law["law"], "alpha_min": least}
    own = {"records": law["records"], "epsilon": rounded_up(epsilon)}
    return prove("posterior-draws", [], {**given, **own})
