"""Derivations of the first version, made again by today's rules.

The first version had a rule for each conversion and each way of composing; what they concluded
follows by today's fewer rules. Each old step becomes one or more new ones that conclude the same,
and the kernel proves them: nothing here is trusted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from proofs.derivation import SCHEMA, canonical, derivation
from proofs.entries import Entry, NoiseLoss, entry_to_json
from proofs.errors import ProofError
from proofs.judgments import LossList, Private
from proofs.kernel import Theorem, prove
from proofs.losses import SIDES, sides
from proofs.parts import entries_of
from proofs.search.orders import best_order
from synthesizers.errors import InputError
from synthesizers.exact import parse_rational

OLDER = "dp-audit/derivation/1"

Given = Mapping[str, Any]
Step = Callable[[list[Theorem], Given, Given], Theorem]
"""From an old step's premises, its parameters and its conclusion to the new theorem."""


def translate(data: Mapping[str, Any]) -> dict[str, Any]:
    """A derivation of any version as one of today's.

    Raises ProofError for data that are no derivation, and where a step does not follow.

    Guarantee
    ---------
    The theorem says what the old one stated, under the same hypotheses. Backed by
    ``tests/proofs/test_older.py``.
    """
    if data.get("schema") == SCHEMA:
        return dict(data)
    if data.get("schema") != OLDER:
        raise ProofError(f"a derivation has the schema {SCHEMA!r}, or the older {OLDER!r}")
    theorems: list[Theorem] = []
    try:
        for number, step in enumerate(data["steps"]):
            if any(type(place) is not int or place < 0 for place in step["premises"]):
                raise ProofError(f"step {number} of the derivation needs numbers of earlier steps")
            premises = [theorems[place] for place in step["premises"]]
            theorem = _STEPS[step["rule"]](premises, step["parameters"], step["conclusion"])
            if not _says(theorem, step["conclusion"]):
                raise ProofError(f"step {number} of the derivation concludes otherwise")
            theorems.append(theorem)
        agreed = data["hypotheses"] == sorted(theorems[-1].hypotheses)
    except InputError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError):
        raise ProofError("the derivation is malformed") from None
    if not agreed:
        raise ProofError("the derivation states other hypotheses than its steps rest on")
    return derivation(theorems[-1])


def _says(theorem: Theorem, stated: Given) -> bool:
    """Whether a theorem is the stated old conclusion; lists of losses were written otherwise."""
    found = theorem.judgment.to_json()
    kind = stated.get("guarantee", {}).get("kind")
    if kind in ("dominated", "approx-zcdp"):
        rest = canonical({**found, "guarantee": None}) == canonical({**stated, "guarantee": None})
        return rest and found["guarantee"]["kind"] == "losses"
    # As text: to Python, true is 1.
    return canonical(found) == canonical(stated)


def _losses(theorem: Theorem) -> Theorem:
    """A theorem as one about a list of losses."""
    held = isinstance(theorem.judgment, Private) and isinstance(
        theorem.judgment.guarantee, LossList
    )
    return theorem if held else prove("as-losses", [theorem])


def _read(theorem: Theorem, stated: Given, method: str = "sum", hints: Any = None) -> Theorem:
    """The old conclusion's guarantee, read off a theorem's losses."""
    own, losses = stated["guarantee"], _losses(theorem)
    match own["kind"]:
        case "approx":
            given = {"method": method, "hints": _of_sides(losses, hints or {})}
            return prove("to-approx", [losses], {**given, **_numbers(own)})
        case "profile":
            each = [_of_sides(losses, hint) for hint in hints]
            points = {"method": method, "hints": each, "points": own["points"]}
            return prove("to-profile", [losses], points)
        case "zcdp":
            return prove("to-zcdp", [losses], _numbers(own))
        case "gdp":
            gaussian = [entry.name for _, entry in entries_of(losses)] in ([], ["gaussian"])
            return prove(
                "to-gdp", [losses], {**_numbers(own), "shares": [] if gaussian else [own["mu"]]}
            )
        case "renyi":
            orders, epsilons = zip(*own["points"], strict=True)
            return prove("to-renyi", [losses], {"orders": orders, "epsilons": epsilons})
    return losses


def _of_sides(losses: Theorem, hints: Given) -> dict[str, Any]:
    """The hints for the sides that differ; others were not looked at.

    A contour's nodes were all that it looked at.
    """
    found = {side: hints[side] for side in sides(entries_of(losses)) if side in hints}
    return {
        side: {"reach": hint["nodes"], **hint} if "nodes" in hint else hint
        for side, hint in found.items()
    }


def _numbers(guarantee: Given) -> dict[str, Any]:
    return {name: value for name, value in guarantee.items() if name != "kind"}


def _same(rule: str) -> Step:
    """A step of the same rule and parameters."""
    return lambda premises, given, stated: prove(rule, premises, given)


def _measure(rule: str, **renamed: str) -> Step:
    """A noisy answer, a selection or a law, whose guarantee was one of several."""

    def step(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
        own = {renamed.get(name, name): value for name, value in given.items()}
        return _read(prove(rule, premises, own), stated)

    return step


def _noise(law: str, amount: str) -> Step:
    def step(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
        own = {"law": given.get("law", law), "amount": given[amount]}
        method = (
            "gaussian" if stated["guarantee"]["kind"] == "approx" and law == "gaussian" else "sum"
        )
        return _read(prove("additive-noise", premises, own), stated, method)

    return step


def _posterior(law: str) -> Step:
    return lambda premises, given, stated: _read(
        prove("posterior-draws", premises, {"law": law, **given}), stated
    )


def _stated_guarantee(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    return prove(
        "stated-guarantee", premises, {**given, "guarantee": _guarantee(given["guarantee"])}
    )


def _guarantee(old: Given) -> dict[str, Any]:
    """A stated guarantee as it is written today."""
    if old["kind"] == "approx-zcdp":
        return {"kind": "losses", "losses": [{"loss": "concentrated", "count": 1, **_numbers(old)}]}
    if old["kind"] == "dominated":
        return {"kind": "losses", "losses": sorted(map(_loss, old["losses"]), key=_order)}
    return dict(old)


def _order(loss: Given) -> tuple[Any, ...]:
    numbers = [parse_rational(value, name) for name, value in loss.items() if name not in _TEXTS]
    return (loss["loss"], loss.get("law", ""), *numbers)


_TEXTS = ("loss", "law", "count")


def _loss(old: Given) -> dict[str, Any]:
    """A loss as it is written today; one move of one answer where it was additive noise."""
    count, shift = old["count"], parse_rational(old.get("shift", 0), "shift")
    match old["loss"]:
        case "laplace":
            return entry_to_json(
                count, _one_move("laplace", Fraction(1), _rational(old, "epsilon"))
            )
        case "discrete-laplace":
            return entry_to_json(count, _one_move(old["loss"], 1 / _rational(old, "rate"), shift))
        case "discrete-gaussian":
            return entry_to_json(count, _one_move(old["loss"], _rational(old, "variance"), shift))
    return dict(old)


def _rational(data: Given, name: str) -> Fraction:
    return parse_rational(data[name], name)


def _one_move(law: str, amount: Fraction, move: Fraction) -> Entry:
    return NoiseLoss(law, amount, 1, move, move**2, move)


def _filter(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    own = {key: given[key] for key in ("neighbours", "program", "setting") if key in given}
    budget = given["budget"]
    loss = {
        "epsilon": {"loss": "response", "epsilon": budget, "delta": "0"},
        "rho": {"loss": "concentrated", "xi": "0", "rho": budget, "delta": "0"},
        "renyi": {"loss": "curve", "points": [[given.get("order"), budget]]},
    }[given["measure"]]
    return _read(prove("filter", premises, {**own, "budget": {"count": 1, **loss}}), stated)


def _sampled_filter(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    own = {key: given[key] for key in ("neighbours", "program", "setting") if key in given}
    loss = {key: given[key] for key in ("fraction", "mu_squared")}
    budget = {"loss": "sampled-gaussian", "count": given["steps"], **loss}
    return prove("filter", premises, {**own, "budget": budget})


def _convert(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    """Another guarantee of the premise's mechanism, of which nothing was chosen."""
    (premise,) = premises
    return _read(premise, stated)


def _weaken(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    """A list of losses is no weaker than what it was made of: approximate zCDP stays one."""
    if stated["guarantee"]["kind"] == "approx-zcdp":
        return premises[0]
    return prove("weaken", premises, {"guarantee": given.get("guarantee", stated["guarantee"])})


def _compose(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    counts = {"counts": given["counts"]} if "counts" in given else {}
    return _read(prove("compose", [_losses(one) for one in premises], counts), stated)


def _by_pairs(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    return _read(premises[0], stated, given["method"], given["hints"])


def _by_moment(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    return _at_order(premises[0], _rational(given, "order"), stated)


def _at_order(theorem: Theorem, order: Fraction, stated: Given) -> Theorem:
    hint = {"order": str(order - 1)}
    return _read(theorem, stated, "moment", {side: hint for side in SIDES})


def _by_tail(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    """By a moment at the order of the old bound on a tail, which the moment is below."""
    split = _rational(given, "delta_split" if "delta_split" in given else "delta")
    losses = _losses(premises[0])
    rho = sum(_rho(entry) * count for count, entry in entries_of(losses))
    order = best_order(lambda at: at * float(rho), split) if rho else Fraction(10**9)
    return _at_order(losses, order, stated)


def _rho(entry: Any) -> Fraction:
    """Of approximate zCDP, or of the (ε, δ) that it was made of."""
    return Fraction(getattr(entry, "rho", getattr(entry, "epsilon", Fraction(0)) ** 2 / 2))


def _compose_by_advanced(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    """By the moment of the runs' ρ = k·ε²/2, whose bound is below that of the old theorem."""
    whole = prove("compose", [_losses(premises[0])], {"counts": [given["count"]]})
    epsilon = max(getattr(entry, "epsilon", Fraction(0)) for _, entry in entries_of(whole))
    rho = float(given["count"] * epsilon**2 / 2)
    slack = _rational(given, "slack")
    order = best_order(lambda at: at * rho, slack) if rho else Fraction(10**9)
    return _at_order(whole, order, stated)


def _optimal(premises: list[Theorem], given: Given, stated: Given) -> Theorem:
    counts = [given["count"]] if "count" in given else given.get("counts", [1] * len(premises))
    whole = prove("compose", [_losses(one) for one in premises], {"counts": counts})
    delta = _rational(stated["guarantee"], "delta")
    hint = {"bits": 128 + (math.ceil(-math.log2(delta)) if delta else 0)}
    hint |= {"grid": given["bits"]} if "bits" in given else {}
    return _read(whole, stated, "responses", {"remove": hint})


_QUERIES = [
    "marginal",
    "recoded-marginal",
    "cell-counts",
    "total",
    "bounded-sum",
    "linear",
    "model-error",
    "cell-errors",
    "independence-distance",
    "mutual-information",
    "maximal-correlation",
    "itemset-counts",
    "rank-distance",
]

_GAUSSIAN = ("gaussian", "analytic-gaussian", "classical-gaussian")

_STEPS: dict[str, Step] = {
    **{rule: _same(rule) for rule in (*_QUERIES, "stated-sensitivity", "transformed")},
    **{rule: _same(rule) for rule in ("finite-channel", "odometer", "parallel")},
    **{rule: _weaken for rule in ("weaken", "approx-to-profile", "profile-to-approx")},
    **{rule: _same(rule) for rule in ("post-processing", "fixed-ledger", "group", "mixture")},
    "worst-branch": _same("mixture"),
    "poisson": _same("subsample"),
    "without-replacement": _same("subsample"),
    "stated-guarantee": _stated_guarantee,
    **{rule: _noise("laplace", "scale") for rule in ("laplace", "laplace-pair")},
    **{rule: _noise("gaussian", "sigma_squared") for rule in _GAUSSIAN},
    "discrete-gaussian": _noise("discrete-gaussian", "variance"),
    "discrete-gaussian-pair": _noise("discrete-gaussian", "variance"),
    **{rule: _measure(rule) for rule in ("public-draw", "exponential", "noisy-max", "response")},
    **{rule: _measure(rule) for rule in ("permute-and-flip", "sparse-vector")},
    "exponential-zcdp": _measure("exponential"),
    "poisson-gaussian": _measure("sampled-gaussian"),
    **{rule: _measure("local-randomizer") for rule in ("randomized-response", "local-matrix")},
    "dirichlet-multinomial": _posterior("dirichlet-multinomial"),
    "plug-in-multinomial": _posterior("plug-in-multinomial"),
    "filter": _filter,
    "sampled-filter": _sampled_filter,
    **{rule: _convert for rule in ("pure-to-zcdp", "pure-to-zcdp-tight", "pure-to-pair")},
    **{rule: _convert for rule in ("pure-to-gdp", "pure-to-renyi", "gdp-to-pair", "gdp-to-zcdp")},
    **{rule: _convert for rule in ("zcdp-to-renyi", "pair-to-pure", "pair-to-zcdp")},
    **{rule: _convert for rule in ("pair-to-gdp", "pair-to-renyi", "zcdp-to-approx-zcdp")},
    "approx-to-approx-zcdp": _convert,
    **{rule: _compose for rule in ("compose", "compose-zcdp", "compose-renyi", "compose-gdp")},
    **{rule: _compose for rule in ("compose-pairs", "compose-approx-zcdp")},
    **{rule: _by_pairs for rule in ("pair-to-approx", "pair-to-profile")},
    **{rule: _by_moment for rule in ("zcdp-to-approx-at-order", "renyi-to-approx")},
    "renyi-to-approx-mironov": _by_moment,
    **{rule: _by_tail for rule in ("zcdp-to-approx", "approx-zcdp-to-approx")},
    "advanced": _compose_by_advanced,
    **{rule: _optimal for rule in ("optimal-homogeneous", "optimal-heterogeneous")},
}
