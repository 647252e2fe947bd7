"""A derivation as text that a person can follow: each step, its rule, and what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from audit.report.words import number, short
from proofs.hypotheses import HYPOTHESES
from proofs.parameters import MAX_TEXT
from proofs.statements import summary

MAX_SHOWN = 60
"""The longest text that is printed in full; a number is half as long."""

RATIONAL = re.compile("-?[0-9]+(/0*[1-9][0-9]*)?")


def proof_lines(data: Mapping[str, Any]) -> Iterator[str]:
    """A replayed derivation, step by step; the rules that it uses are explained at its end."""
    steps = data["steps"]
    for place, step in enumerate(steps):
        premises = ", ".join(f"({premise + 1})" for premise in step["premises"])
        source = f"from {premises} " if premises else ""
        yield f"({place + 1}) {source}by {step['rule']}"
        given = _name_values(step["parameters"])
        if given:
            yield f"      given {given}"
        yield f"      {_judgment(step['conclusion'])}"
    yield ""
    yield "It rests on"
    for name in data["hypotheses"]:
        yield f"  {HYPOTHESES.get(name, name)}"
    yield ""
    yield "The rules"
    for rule in dict.fromkeys(step["rule"] for step in steps):
        yield f"  {rule}: {summary(rule)}"


def _judgment(data: Mapping[str, Any]) -> str:
    unit = (
        "" if data["unit"] == "record" else f", a person of at most {data['max_records']} records"
    )
    relation = f"under {data['neighbours']}{unit}"
    if data["judgment"] == "stable":
        moved = "" if data["l0"] is None else f"at most {data['l0']} answers move; "
        shape = "in one direction" if data["monotone"] else "either way"
        return (
            f"{relation}: {moved}L1 {_short(data['l1'])}, L2 squared {_short(data['l2_squared'])}, "
            f"L∞ {_short(data['linf'])}, {shape}"
        )
    return f"{relation}: {_guarantee(data['guarantee'])}"


def _guarantee(data: Mapping[str, Any]) -> str:
    match data["kind"]:
        case "approx" if data["delta"] == "0":
            return f"{_short(data['epsilon'])}-DP"
        case "approx":
            return f"({_short(data['epsilon'])}, {_short(data['delta'])})-DP"
        case "zcdp":
            return f"{_short(data['rho'])}-zCDP"
        case "gdp":
            return f"{_short(data['mu'])}-GDP"
        case "losses":
            losses = ", ".join(_loss(loss) for loss in data["losses"])
            return f"the loss is that of {losses or 'nothing: the data are not used'}"
        case "renyi":
            points = ", ".join(f"({_short(a)}, {_short(e)})" for a, e in data["points"])
            return f"Rényi DP at (order, epsilon) = {points}"
        case "profile":
            points = ", ".join(f"({_short(e)}, {_short(d)})" for e, d in data["points"])
            return f"DP at (epsilon, delta) = {points}"
        case kind:
            return f"{kind}: {_name_values({k: v for k, v in data.items() if k != 'kind'})}"


def _loss(data: Mapping[str, Any]) -> str:
    own = {key: value for key, value in data.items() if key not in ("loss", "count")}
    return f"{data['count']} × {data['loss']}({_name_values(own)})"


def _name_values(values: Mapping[str, Any]) -> str:
    own = {key: value for key, value in values.items() if key != "neighbours"}
    return ", ".join(f"{key.replace('_', ' ')} = {_short(value)}" for key, value in own.items())


def _short(value: Any) -> str:
    """A value in a sentence; a long rational as a decimal, other long values cut."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if MAX_SHOWN // 2 < len(text) <= MAX_TEXT and RATIONAL.fullmatch(text):
        return f"≈ {number(Fraction(text), 12)}"
    return short(text, MAX_SHOWN)
