"""Words and numbers: how reports spell verdicts, bounds, databases and chances."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from audit.review.comparison.yardsticks import Yardstick
from audit.statements.decimals import (
    Enclosure,
    Extended,
    decimal_above,
    decimal_below,
    parse_extended,
)
from audit.statements.evidence import Bound, Decision, Side, Verdict
from proofs.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, RenyiDP
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import describe

DIGITS = 7
"""Significant digits of a number that is meant to be read, not computed with."""

STATISTICAL = 4
"""Those of a statistical floor, of which repeated runs change the second."""

MEANINGS: Mapping[Verdict, str] = {
    Verdict.PROVED: (
        "A proof, checked step by step, shows that the claim holds for every database of the "
        "domain, and no finding contradicts it."
    ),
    Verdict.EXACT: (
        "Every database that the claim speaks of is covered exactly, one by one or cell by cell, "
        "and the claim holds between all neighbours."
    ),
    Verdict.NOT_REFUTED: (
        "No violation was found within the effort stated below; this does not show that there "
        "is none."
    ),
    Verdict.UNDECIDED: (
        "The bounds found do not separate from the claim: it is neither confirmed nor refuted."
    ),
    Verdict.REFUTED: "The claim does not hold: at least one finding below violates it.",
    Verdict.INVALID_RUN: (
        "Repeated runs of the subject were not independent draws, so nothing can be concluded "
        "from them."
    ),
    Verdict.CONTRADICTION: (
        "Findings below contradict each other, which is a fault of this audit: draw no conclusion "
        "about the subject, and please report it."
    ),
}
"""What each verdict means, in one sentence."""

DECISIONS: Mapping[Decision, str] = {
    Decision.HOLDS: "claim holds here",
    Decision.VIOLATED: "claim violated",
    Decision.UNDECIDED: "undecided",
    Decision.SILENT: "another instance, decides nothing",
    Decision.OPEN: "does not reach the claim",
    Decision.INVALID: "the runs were no independent draws",
    Decision.UNSEEN: "no violation seen",
    Decision.KEPT: "nothing beyond what is declared",
    Decision.ROUNDED: "nothing beyond what is declared but rounding",
    Decision.EXCEEDED: "beyond what is declared",
}

RELEASED: Mapping[str, str] = {
    "output": "output: the synthetic data alone",
    "transcript": "transcript: every noisy answer that the program saw",
}

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def clean(text: str) -> str:
    r"""Text with control, direction and other invisible characters spelled out, as ``\u202e``.

    A name comes from whoever wrote the subject: it must not reorder, hide or
    add lines around it.
    """
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if unicodedata.category(character) in _HIDDEN:
        return character.encode("unicode_escape").decode("ascii")
    return character


def plural(count: int, one: str, many: str | None = None) -> str:
    """A count with its noun."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """A time in words, of two digits at most: ``40 seconds``, ``3 minutes``, ``2 hours``."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= 1.5 * length:
            return plural(round(seconds / length), unit)
    return plural(max(round(seconds), 1), "second")


def number(value: Extended, digits: int = DIGITS) -> str:
    """The nearest decimal of that many significant digits; ``∞`` for infinity."""
    if isinstance(value, float):
        if math.isinf(value):
            return "∞"
        value = Fraction(value)
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=-999999, Emax=999999)
    quotient = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    normal = quotient.normalize(context)
    return format(normal, "f") if -5 <= normal.adjusted() < digits + 3 else str(normal).lower()


def enclosure_text(ends: Enclosure, digits: int = DIGITS) -> str:
    """An enclosed value: ``2`` if exact, ``≈ 2.397895`` if tight, else ``1.9 to 2.1``."""
    low, high = number(ends.lower, digits), number(ends.upper, digits)
    if low != high:
        return f"{below(ends.lower, digits)} to {above(ends.upper, digits)}"
    if isinstance(ends.lower, float) or (ends.lower == ends.upper == Fraction(low)):
        return low
    return f"≈ {low}"


def is_wide(ends: Enclosure) -> bool:
    """Whether an enclosure is no single number, as it is printed."""
    return number(ends.lower) != number(ends.upper)


def below(value: Extended, digits: int = DIGITS) -> str:
    """The largest decimal of that many significant digits that is at most the value."""
    return decimal_below(value, digits).lower().replace("inf", "∞")


def above(value: Extended, digits: int = DIGITS) -> str:
    """The smallest decimal of that many significant digits that is at least the value."""
    return decimal_above(value, digits).lower().replace("inf", "∞")


def equation(name: str, ends: Enclosure, digits: int = DIGITS) -> str:
    """``ε = 2``, ``ε ≈ 2.397895`` or ``ε = 1.9 to 2.1``."""
    value = enclosure_text(ends, digits)
    return f"{name} {value}" if value.startswith("≈") else f"{name} = {value}"


def in_full(ends: Enclosure) -> str:
    """Both ends as a certificate writes them, or nothing where one short number says all."""
    data = ends.to_json()
    if data["lower"] == data["upper"] and len(data["lower"]) <= DIGITS + 2:
        return ""
    return f"[{data['lower']}, {data['upper']}]".replace("inf", "∞")


_END = r"(?:inf|-?[0-9.]+(?:[Ee][+-]?[0-9]+)?)"
_STATED = re.compile(
    rf"(?P<most>at most )?(?:exactly (?P<exact>-?[0-9]+(?:/[0-9]+)?)"
    rf"|in \[(?P<lower>{_END}), (?P<upper>{_END})\])"
)


def shorten_numbers(sentence: str) -> str:
    """A finding whose exact numbers and enclosures are short: ``is ≈ 1.94591``, ``at most 2``.

    A number after "at most" is rounded up.
    """
    return _STATED.sub(_shorten, sentence)


def _shorten(stated: re.Match[str]) -> str:
    low, high = stated["exact"] or stated["lower"], stated["exact"] or stated["upper"]
    try:
        ends = Enclosure(parse_extended(low), parse_extended(high))
    except InputError:
        return stated[0]
    return f"at most {above(ends.upper)}" if stated["most"] else enclosure_text(ends)


_SYMBOLS = {"epsilon": "ε", "delta": "δ", "rho": "ρ", "mu": "μ", "alpha": "α", "rdp": "ε(α)"}


def decisive_value(bound: Bound) -> tuple[str, Enclosure]:
    """What a bound bounds, by symbol, and its value: the claim's own parameter, or else ε."""
    name, ends = bound.parameter or ("epsilon", bound.epsilon)
    return _SYMBOLS[name], ends


def claimed_value(guarantee: Guarantee) -> tuple[str, Fraction]:
    """What a claim bounds, by symbol, and the largest value that it allows."""
    match guarantee:
        case ApproxDP(epsilon=most):
            name = "epsilon"
        case ZCDP(rho=most):
            name = "rho"
        case GaussianDP(mu=most):
            name = "mu"
        case RenyiDP(epsilon=most):
            name = "rdp"
    return _SYMBOLS[name], most


def claimed_text(guarantee: Guarantee) -> str:
    """The part of a claim that `claimed_value` speaks of, without its δ or its order: ``ε = 2``."""
    start = f"{claimed_value(guarantee)[0]} = "
    return next(p for p in guarantee_symbols(guarantee).split(", ") if p.startswith(start))


def bound_text(bound: Bound) -> str:
    """A bound with its direction, rounded in that direction: ``ε ≥ 1.62``."""
    symbol, ends = decisive_value(bound)
    if bound.side is Side.EXACT and is_wide(ends):
        return f"{symbol} between {below(ends.lower)} and {above(ends.upper)}"
    if bound.side is Side.EXACT:
        return equation(symbol, ends)
    if bound.side is Side.FLOOR:
        least = below(ends.lower, STATISTICAL if bound.rigour == "statistical" else DIGITS)
        return f"{symbol} = ∞" if least == "∞" else f"{symbol} ≥ {least}"
    return f"{symbol} ≤ {above(ends.upper)}"


def guarantee_symbols(guarantee: Guarantee) -> str:
    """A guarantee's parameters: ``ε = 2, δ = 0.000001``."""
    return re.sub(r"(\w+)=", lambda match: f"{_SYMBOLS[match[1]]} = ", str(guarantee))


def guarantee_words(guarantee: Guarantee) -> str:
    """A guarantee by its name, with its parameters."""
    match guarantee:
        case ApproxDP(delta=delta):
            name = "pure" if delta == 0 else "approximate"
        case ZCDP():
            name = "zero-concentrated"
        case GaussianDP():
            name = "Gaussian"
        case RenyiDP():
            name = "Rényi"
    return f"{name} differential privacy with {guarantee_symbols(guarantee)}"


def yardstick_words(stick: Yardstick) -> str:
    """What bounds are measured by: ``pure differential privacy; add-remove: …``."""
    kind = f"{stick.kind} differential privacy"
    if stick.at is not None:
        kind += f" at {'α' if stick.kind == 'Rényi' else 'δ'} = {number(stick.at)}"
    return f"{kind}; {describe(stick.neighbours)}"


def vector(values: Sequence[Any]) -> str:
    """A database or an output: ``(3, 2)``; a suppressed count is named; text is quoted.

    A leading text heads what follows: ``“age=1”: (3, 2)``.
    """
    if values and isinstance(values[0], str):
        head, rest = _element(values[0]), values[1:]
        return f"{head}: {vector(rest)}" if rest else head
    return f"({', '.join(_element(value) for value in values)})"


def _element(value: Any) -> str:
    if value is None:
        return "suppressed"
    if isinstance(value, str):
        return f"“{value}”"
    if isinstance(value, tuple | list):
        return vector(value)
    return str(value)


def short(text: str, limit: int = 60) -> str:
    """Text cut to a length that a table's head can bear."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def cell_name(domain: Domain, cell: int) -> str:
    """A cell by its attributes' values: ``sex = female, age = [0, 30)``."""
    codes = domain.codes_of(np.array([cell]))[0].tolist()
    return ", ".join(
        f"{attribute.name} = {attribute.labels[code] or '(missing)'}"
        for attribute, code in zip(domain.attributes, codes, strict=True)
    )


def record_text(record: Any) -> str:
    """A record by its attributes, ``age = 30, sex = (missing)``, or a value by itself."""
    if not isinstance(record, Mapping):
        return _value_text(record)
    named = ", ".join(f"{name} = {_value_text(value)}" for name, value in record.items())
    return named or "a record without attributes"


def _value_text(value: Any) -> str:
    if value is None or value == "":
        return "(missing)"
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
