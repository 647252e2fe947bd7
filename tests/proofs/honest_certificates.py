"""Certificates around a proof or a channel: what the checker compares, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from proofs.derivation import derivation
from proofs.kernel import Theorem, prove
from synthesizers.neighbours import AddRemove, Neighbours

SUBJECT = {"kind": "module", "name": "mine:program", "rows": 3}
SHAPE = {"sex": 2, "age": 3}


def domain(shape: Mapping[str, int] = SHAPE, records: int | None = 3) -> dict[str, Any]:
    """A domain of some attributes, as certificates write it."""
    cells = 1
    for size in shape.values():
        cells *= size
    attributes = [
        {"name": name, "values": [str(code) for code in range(size)]}
        for name, size in shape.items()
    ]
    return {"name": "small", "attributes": attributes, "cells": cells, "records": records}


def setting(shape: Mapping[str, int] = SHAPE, records: int | None = None) -> dict[str, Any]:
    """The same as the parameter of a rule about a program."""
    return {"attributes": dict(shape), "records": records}


def filtered(
    budget: object = 1,
    program: Any = SUBJECT,
    at: Neighbours | dict[str, Any] | None = None,
    **more: Any,
) -> Theorem:
    """What holds of a program under a budget of ε, or of another measure, in its setting."""
    measure, order = more.pop("measure", "epsilon"), more.pop("order", None)
    loss, name, read = {
        "epsilon": (
            {"loss": "response", "epsilon": budget, "delta": 0},
            "to-approx",
            {"method": "sum", "epsilon": budget, "delta": 0, "hints": {}},
        ),
        "rho": (
            {"loss": "concentrated", "xi": 0, "rho": budget, "delta": 0},
            "to-zcdp",
            {"rho": budget},
        ),
        "renyi": (
            {"loss": "curve", "points": [[order, budget]]},
            "to-renyi",
            {"orders": [order], "epsilons": [budget]},
        ),
    }[measure]
    given = {"neighbours": at or AddRemove(), "budget": {"count": 1, **loss}, "program": program}
    return prove(name, [prove("filter", [], {**given, "setting": setting(), **more})], read)


def output(theorem: Theorem, released: str = "output") -> Theorem:
    """What is released of a program."""
    return prove("post-processing", [theorem], {"map": "a model", "released": released})


def carried(theorem: Theorem, *others: Theorem) -> dict[str, Any]:
    """A proof as certificates carry it."""
    more = {"alternatives": [derivation(other) for other in others]} if others else {}
    return {"derivation": derivation(theorem), **more}


ANY_SIZE = "databases of any size over 6 cells"
"""What a theorem about `SHAPE` covers."""


def by_theorem(covers: str = ANY_SIZE, **numbers: str) -> dict[str, Any]:
    """The bounds and the evidence of a ceiling by a theorem."""
    ends = {name: {"lower": value, "upper": value} for name, value in numbers.items()}
    bound = {**ends, "covers": covers, "rigour": "rigorous"}
    evidence = [{"auditor": "proof", "bound": {**bound, "side": "ceiling"}}]
    return {"bounds": {"floor": None, "exact": None, "ceiling": bound}, "evidence": evidence}


def certificate(proof: Any, verdict: Any = "PROVED", claim: str = "epsilon=1", **more: Any) -> Any:
    """A certificate as a file holds it."""
    whole = {
        "verdict": verdict,
        "subject": SUBJECT,
        "claim": claim,
        "neighbours": "add-remove",
        "unit": {"name": "record", "max_records": 1},
        "released": "output",
        "domain": domain(),
        "bounds": {"floor": None, "exact": None, "ceiling": None},
        "evidence": [],
        "proof": proof,
        **more,
    }
    return json.loads(json.dumps(whole))
