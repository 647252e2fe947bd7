"""A certificate beside the methods of statistical agencies, by the same measures.

The figures of these methods are exact and those of small tables; ``docs/agency_figures.py`` makes
them. Those of a certificate are limits, for all tables that it covers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from audit.report.attestation.guessing import most_right
from audit.report.certificate.attacker import CERTIFIED, EVENS, certified_guarantee, surest
from audit.report.percentages import at_least, percent, percent_above
from audit.report.words import plural
from audit.statements.certificate import Certificate
from audit.statements.decimals import Enclosure
from proofs.guarantees import ApproxDP

RARE = Fraction(1, 1000)

HEADS = (
    "Method",
    "Surest, from 1 in 2",
    "Surest, from 1 in 1000",
    "Right guesses, on average",
)
NO_LIMIT = "no limit"


@dataclass(frozen=True)
class Agencies:
    """A table with ``heads``, that of the certificate first, and what it says in ``sentences``."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sentences: tuple[str, ...]


def beside_agencies(certificate: Certificate) -> Agencies | None:
    """What the certificate bounds, beside what agencies' methods reach; None if it bounds nothing.

    Guarantee
    ---------
    A method is named as an equivalent in one measure alone, the guesses that are right on average,
    in which all of them have one. Backed by ``tests/audit/report/certificate/test_agencies.py``.
    """
    if certificate.verdict not in CERTIFIED:
        return None
    data, guarantee = _figures(), certified_guarantee(certificate)
    right = most_right(guarantee)
    beliefs = [NO_LIMIT, NO_LIMIT]
    if isinstance(guarantee, ApproxDP) and not guarantee.delta:
        most = (surest(guarantee.epsilon, prior) for prior in (EVENS, RARE))
        beliefs = [f"at most {percent_above(belief)}" for belief in most]
    own = ("this certificate", *beliefs, f"at most {percent_above(right)}")
    methods = sorted(data["methods"], key=_right)
    tables = f"{plural(data['records'], 'record')} in {plural(data['cells'], 'cell')}"
    return Agencies(
        HEADS,
        (own, *(_row(method) for method in methods)),
        (
            "The attacker knows every record but one, and holds the truth about that one to be 1 "
            "in 2 or 1 in 1000 likely. “Surest” is the belief after the release that tells most. "
            "“Right guesses” are those about two equally likely answers, on average over "
            "releases; without a release half of them are right.",
            _compare(right, methods),
            f"The figures of the other methods are exact, for tables of {tables}. "
            "Those of this certificate are limits for all databases that it covers.",
        ),
    )


def _row(method: Mapping[str, Any]) -> tuple[str, ...]:
    epsilon = Enclosure.from_json(method["epsilon"])
    right = at_least(Enclosure.from_json(method["right"]))
    if isinstance(epsilon.upper, float):
        return method["name"], "100 %", "100 %", right
    beliefs = (percent(surest(epsilon.upper, prior)) for prior in (EVENS, RARE))
    return method["name"], *beliefs, right


def _compare(right: Fraction, methods: list[Mapping[str, Any]]) -> str:
    """Between which methods the certificate lies by the one measure in which each has its place."""
    start = "By right guesses on average, and by no other measure here,"
    above = [method for method in methods if right <= _right(method)]
    below = [method for method in methods if right > _right(method)]
    if not below:
        return f"{start} the limit lies below each of the methods below."
    if not above:
        return f"{start} the limit lies above each of the methods below."
    return f"{start} the limit lies between {below[-1]['name']} and {above[0]['name']}."


def _right(method: Mapping[str, Any]) -> Fraction:
    return Fraction(Enclosure.from_json(method["right"]).lower)


@cache
def _figures() -> Mapping[str, Any]:
    text = files("audit.report.certificate").joinpath("agencies.json").read_text("utf-8")
    data: Mapping[str, Any] = json.loads(text)
    return data
