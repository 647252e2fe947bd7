"""An accounting as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from audit.report.words import above, below, clean, number
from audit.statements.decimals import decimal_above, decimal_below
from proofs.derivation import derivation
from proofs.hypotheses import HYPOTHESES
from proofs.kernel import Theorem
from proofs.parts import Part
from proofs.search.account import Account
from proofs.search.ways import Offer
from synthesizers.neighbours import Neighbours, describe
from synthesizers.reals import ARITHMETIC

DIGITS = 15
"""Significant digits of the ends that are printed."""


@dataclass(frozen=True)
class Asked:
    """What an accounting is of: ``wanted``, epsilon or delta, where the other is ``given``."""

    parts: Sequence[Part]
    neighbours: Neighbours
    wanted: str
    given: Fraction

    @property
    def other(self) -> str:
        """The one that is given."""
        return "delta" if self.wanted == "epsilon" else "epsilon"


SYMBOLS = {"epsilon": "ε", "delta": "δ"}


def accounting_lines(asked: Asked, account: Account) -> Iterator[str]:
    """The accounting for a terminal, line by line."""
    symbol, best = SYMBOLS[asked.wanted], account.best
    yield from _ledger(asked, account)
    yield describe(asked.neighbours)
    yield f"at {SYMBOLS[asked.other]} = {number(asked.given, DIGITS)}"
    yield ""
    yield f"  {_ends(account.lower, best.value, symbol)}"
    yield f"  by {best.rule}{_mark(best)}"
    other = account.recheckable
    if best.kernel_only and other is not None:
        bound = f"{symbol} ≤ {above(other.value, 8)}"
        yield f"  {bound} by {other.rule}: every step can be re-checked"
    yield ""
    yield "what each rule gives"
    width = max(len(offer.rule) for offer in account.found)
    for offer in account.found:
        bound = f"{symbol} ≤ {above(offer.value, 8)}"
        yield f"  {offer.rule:<{width}}  {bound}{_mark(offer)}"
    yield ""
    yield from rests_on(best.theorem)


def _ledger(asked: Asked, account: Account) -> Iterator[str]:
    """The ledger line by line, each with its share of ε where there are several."""
    lines = [
        clean(f"{'' if part.count == 1 else f'{part.count} × '}{part.name}") for part in asked.parts
    ]
    if account.shares is None or len(lines) == 1:
        yield from lines
        return
    whole = sum(account.shares)
    width = max(map(len, lines))
    for line, share in zip(lines, account.shares, strict=True):
        part = f"{share / whole:5.0%}" if whole else "    -"
        yield f"{line:<{width}}  ≈ {share:<9.4g} {part}"
    yield "(≈ is each line's share of ε: how fast ε grows with its runs, times their number; an"
    yield "estimate, in per cent of the sum of all shares. What δ costs is no line's share)"


def rests_on(theorem: Theorem) -> Iterator[str]:
    """The open hypotheses of a theorem, and the arithmetic that enclosed its numbers."""
    yield "the theorem rests on"
    for name in sorted(theorem.hypotheses):
        yield f"  {HYPOTHESES[name]}"
    yield f"  the arithmetic of {ARITHMETIC}"


def _ends(lower: Fraction, upper: Fraction, symbol: str) -> str:
    if lower == upper:
        return f"{symbol} = {number(upper, DIGITS)}"
    if lower == 0:
        return f"{symbol} ≤ {above(upper, DIGITS)}"
    return f"{below(lower, DIGITS)} ≤ {symbol} ≤ {above(upper, DIGITS)}"


def _mark(offer: Offer) -> str:
    return "  (kernel only)" if offer.kernel_only else ""


def relation_json(neighbours: Neighbours) -> dict[str, Any]:
    """The relation as certificates write it."""
    unit = neighbours.unit
    return {
        "neighbours": neighbours.name,
        "unit": {"name": unit.name, "max_records": unit.max_records},
    }


def accounting_json(asked: Asked, account: Account) -> dict[str, Any]:
    """The accounting as plain data."""
    best, other = account.best, account.recheckable
    beside = [derivation(other.theorem)] if best.kernel_only and other is not None else []
    return {
        **relation_json(asked.neighbours),
        "mechanisms": _mechanisms_json(asked, account),
        asked.other: str(asked.given),
        asked.wanted: {
            "lower": decimal_below(account.lower, DIGITS + 5),
            "upper": decimal_above(best.value, DIGITS + 5),
        },
        "rule": best.rule,
        "kernel_only": best.kernel_only,
        "arithmetic": ARITHMETIC,
        "others": [_offer_json(offer, asked.wanted) for offer in account.found[1:]],
        "recheckable": None if other is None else _offer_json(other, asked.wanted),
        "hypotheses": {name: HYPOTHESES[name] for name in sorted(best.theorem.hypotheses)},
        "proof": {"derivation": derivation(best.theorem), "alternatives": beside},
    }


def _mechanisms_json(asked: Asked, account: Account) -> list[dict[str, Any]]:
    """The ledger's lines, each with its estimated share of ε where that is asked for."""
    found = [{"count": part.count, "mechanism": part.name} for part in asked.parts]
    if account.shares is None:
        return found
    shares = zip(found, account.shares, strict=True)
    return [{**line, "share": f"{share:.6g}"} for line, share in shares]


def _offer_json(offer: Offer, wanted: str) -> dict[str, Any]:
    upper = decimal_above(offer.value, DIGITS + 5)
    return {"rule": offer.rule, wanted: upper, "kernel_only": offer.kernel_only}
