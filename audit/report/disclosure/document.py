"""Disclosure checks as JSON, in a published form."""

from __future__ import annotations

from typing import Any

from audit.disclosure.assurances import Assurance
from audit.disclosure.ceilings import Ceiling
from audit.disclosure.checks import Disclosure
from audit.disclosure.distances import Nearness
from audit.disclosure.risks import Risk, Trials
from audit.report.disclosure.warnings import find_warnings
from audit.report.disclosure.words import ASSUMED, FLOOR, REASONS, SHOWN
from audit.report.utility.words import NOTICE
from audit.statements.decimals import decimal_above


def disclosure_json(found: Disclosure) -> dict[str, Any]:
    """What was found: counts and rates, and no value of a record."""
    attackers, member, far = found.attackers, found.membership, found.distances
    parts = ("real", "holdout", "synthetic")
    return {
        "notice": NOTICE,
        "floor": FLOOR,
        "domain": found.domain,
        "records": dict(zip(parts, found.records, strict=True)),
        "holdout": {"by_coins": found.by_coins, "says": SHOWN if found.by_coins else ASSUMED},
        "confidence": 1 - found.error,
        "seed": found.seed,
        "quasi_identifiers": None if attackers.known is None else list(attackers.known),
        "secrets": list(attackers.secrets),
        "link": None if attackers.sides is None else [list(side) for side in attackers.sides],
        "undeclared": {table: list(columns) for table, columns in found.undeclared.items()},
        "warnings": list(find_warnings(found)),
        "copies": {
            "records": found.copies.records,
            "of_unique": found.copies.of_unique,
            "whole": found.copies.whole,
            "persons": found.copies.persons,
        },
        "matches": [
            {
                "columns": list(one.columns),
                "synthetic": one.synthetic,
                "real": one.real,
                "real_once": one.real_once,
                "holdout": one.holdout,
                "holdout_once": one.holdout_once,
            }
            for one in found.matches
        ],
        "attacks": [_risk(one) for one in found.risks],
        "membership": {
            "neighbours": "replace-one" if member.pairs else "add-remove",
            "coins": member.coins,
            "guesses": member.guesses,
            "right": member.right,
            "gain": member.gain,
            "advantage": member.advantage,
            "epsilon": member.epsilon,
        },
        "certificates": [_assurance(one) for one in found.assurances],
        "not_evidence_of_privacy": {
            "reason": REASONS,
            "records": far.records,
            "real": _nearness(far.real),
            "holdout": _nearness(far.holdout),
            "nearer": far.nearer,
        },
    }


def _risk(one: Risk) -> dict[str, Any]:
    return {
        "attack": one.attack,
        "real": _trials(one.real),
        "holdout": _trials(one.holdout),
        "baseline": _trials(one.baseline),
        "has_power": one.has_power,
        "risk": one.estimate,
        "interval": list(one.interval),
    }


def _trials(one: Trials) -> dict[str, int]:
    return {"made": one.made, "hits": one.hits}


def _assurance(one: Assurance) -> dict[str, Any]:
    verdict, subject, claim, neighbours = one.states
    return {
        "file": one.file,
        "verdict": verdict,
        "subject": subject,
        "claim": claim,
        "neighbours": neighbours,
        "rechecked": one.rechecked,
        "obstacle": one.obstacle,
        "steps": one.steps,
        "ceiling": None if one.ceiling is None else _ceiling(one.ceiling),
    }


def _ceiling(one: Ceiling) -> dict[str, str | None]:
    factor, addend = one.factor, one.addend
    return {
        "advantage": decimal_above(one.advantage),
        "factor": None if factor is None else decimal_above(factor),
        "addend": None if addend is None else decimal_above(addend),
    }


def _nearness(one: Nearness) -> dict[str, list[float]]:
    return {"distance": list(one.distance), "ratio": list(one.ratio)}
