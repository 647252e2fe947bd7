"""An accounting as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from audit.decimals import decimal_above, decimal_below
from audit.report.words import above, below, number
from proofs.accounting import Accounting
from proofs.components import Component
from proofs.derivation import derivation
from proofs.hypotheses import HYPOTHESES
from proofs.kernel import Theorem
from proofs.prover import Offer
from synthesizers.neighbours import Neighbours, describe
from synthesizers.neighbours import to_json as neighbours_to_json

DIGITS = 15
"""Significant digits of the ends that are printed."""


def accounting_lines(
    components: Sequence[Component], neighbours: Neighbours, account: Accounting
) -> Iterator[str]:
    """The accounting for a terminal, line by line."""
    yield from heading(components, neighbours)
    best = account.best
    yield f"at δ = {account.delta}"
    yield ""
    yield f"  {_ends(account.lower, best.value, 'ε')}"
    yield f"  by {best.rule}{_marked(best)}"
    if best.kernel_only and account.recheckable is not None:
        other = account.recheckable
        yield f"  ε ≤ {above(other.value, 8)} by {other.rule}: every step can be re-checked"
    yield ""
    yield "what each rule gives"
    width = max(len(offer.rule) for offer in account.found)
    for offer in account.found:
        yield f"  {offer.rule:<{width}}  ε ≤ {above(offer.value, 8)}{_marked(offer)}"
    yield ""
    yield from rests_on(best.theorem)


def heading(components: Sequence[Component], neighbours: Neighbours) -> Iterator[str]:
    """What is composed, and under which neighbours."""
    for component in components:
        times = "" if component.count == 1 else f"{component.count} × "
        yield f"{times}{component.name}"
    yield describe(neighbours)


def rests_on(theorem: Theorem) -> Iterator[str]:
    """The open hypotheses of a theorem."""
    yield "the theorem rests on"
    for name in sorted(theorem.hypotheses):
        yield f"  {HYPOTHESES[name]}"


def _ends(lower: Fraction, upper: Fraction, symbol: str) -> str:
    if lower == upper:
        return f"{symbol} = {number(upper, DIGITS)}"
    if lower == 0:
        return f"{symbol} ≤ {above(upper, DIGITS)}"
    return f"{below(lower, DIGITS)} ≤ {symbol} ≤ {above(upper, DIGITS)}"


def _marked(offer: Offer) -> str:
    return "  (kernel only)" if offer.kernel_only else ""


def accounting_json(
    components: Sequence[Component], neighbours: Neighbours, account: Accounting
) -> dict[str, Any]:
    """The accounting as plain data."""
    best, other = account.best, account.recheckable
    return {
        **_composed_json(components, neighbours),
        "delta": str(account.delta),
        "epsilon": {
            "lower": decimal_below(account.lower, DIGITS + 5),
            "upper": decimal_above(best.value, DIGITS + 5),
        },
        "rule": best.rule,
        "kernel_only": best.kernel_only,
        "others": [_offer_json(offer) for offer in account.found[1:]],
        "recheckable": None if other is None else _offer_json(other),
        "hypotheses": {name: HYPOTHESES[name] for name in sorted(best.theorem.hypotheses)},
        "proof": {
            "derivation": derivation(best.theorem),
            "alternatives": (
                [derivation(other.theorem)] if best.kernel_only and other is not None else []
            ),
        },
    }


def _composed_json(components: Sequence[Component], neighbours: Neighbours) -> dict[str, Any]:
    mechanisms = [{"count": part.count, "mechanism": part.name} for part in components]
    return {**neighbours_to_json(neighbours), "mechanisms": mechanisms}


def _offer_json(offer: Offer) -> dict[str, Any]:
    upper = decimal_above(offer.value, DIGITS + 5)
    return {"rule": offer.rule, "epsilon": upper, "kernel_only": offer.kernel_only}


def delta_lines(
    components: Sequence[Component],
    neighbours: Neighbours,
    epsilon: Fraction,
    ends: tuple[Fraction, Fraction],
    rule: str,
    theorem: Theorem,
) -> Iterator[str]:
    """Both ends of δ at an ε for a terminal."""
    yield from heading(components, neighbours)
    yield f"at ε = {epsilon}"
    yield ""
    yield f"  {_ends(*ends, 'δ')}"
    yield f"  by {rule}"
    yield ""
    yield from rests_on(theorem)


def delta_json(
    components: Sequence[Component],
    neighbours: Neighbours,
    epsilon: Fraction,
    ends: tuple[Fraction, Fraction],
    rule: str,
    theorem: Theorem,
) -> dict[str, Any]:
    """Both ends of δ at an ε as plain data."""
    return {
        **_composed_json(components, neighbours),
        "epsilon": str(epsilon),
        "delta": {
            "lower": decimal_below(ends[0], DIGITS + 5),
            "upper": decimal_above(ends[1], DIGITS + 5),
        },
        "rule": rule,
        "proof": {"derivation": derivation(theorem)},
    }
