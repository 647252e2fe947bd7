"""Which certificates bound something: those that speak of the tables, and no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import dp_audit as dpa
from audit.disclosure.assurances import Assurance
from audit.disclosure.assurances import read_assurance as read
from audit.disclosure.ceilings import Ceiling
from audit.disclosure.tables import Tables
from audit.statements.certificate import digest
from audit.utility.records import Records
from audit.verify import recheck_proof
from synthesizers.domain import Domain

CELLS = Domain.from_cells("2x2")


def hold_back(size: int, coins: bool = True, domain: Domain = CELLS) -> Tables:
    one = Records(domain, np.zeros((size, len(domain.attributes)), np.int64))
    chosen = np.arange(2 * size) < size
    return Tables(one, one, one, chosen if coins else None)


def read_assurance(file: str, plain: dict[str, Any], tables: Tables) -> Assurance:
    return read(file, plain, tables, recheck_proof(plain))


def advantage(ceiling: Ceiling | None) -> float:
    assert ceiling is not None
    return float(ceiling.advantage)


def certificate(neighbours: str = "replace-one", **more: Any) -> dict[str, Any]:
    given = {"claim": "epsilon=1", "cells": "2x2", "parameters": {"epsilon": 1}, **more}
    claim = given.pop("claim")
    made = dpa.certify("geometric-sanitizer", claim, neighbours=neighbours, **given)
    return dict(made.to_json())


def test_a_proof_bounds_one_step_or_two() -> None:
    exact = certificate(records=2)
    for coins in (True, False):
        said = read_assurance("c", exact, hold_back(2, coins))
        assert said.obstacle is None and said.steps == 1 and said.ceiling == said.alone
        assert advantage(said.ceiling) == pytest.approx(0.46211716)
    private = certificate("add-remove", records=2)
    assert read_assurance("c", private, hold_back(2)).steps == 1
    said = read_assurance("c", private, hold_back(2, False))
    assert said.steps == 2
    assert advantage(said.ceiling) == pytest.approx(0.76159416)
    assert advantage(said.alone) == pytest.approx(0.46211716)


@pytest.mark.parametrize(
    ("more", "tables", "obstacle"),
    [
        ({"claim": "epsilon=1/2", "records": 2}, hold_back(2), "nothing was shown"),
        ({"records": 2}, hold_back(3), "speaks of databases of 2 records"),
        ({"records": 2, "neighbours": "add-remove"}, hold_back(3), "databases of 0 to 2 records"),
        ({"records": 2}, hold_back(2, domain=Domain.from_cells("2x3")), "another domain"),
        (
            {"records": 2, "neighbours": "add-remove", "unit": "person", "max_records": 2,
             "claim": "epsilon=2"},
            hold_back(2),
            "a person with several records",
        ),
    ],
)  # fmt: skip
def test_others_bound_nothing_and_say_why(
    more: dict[str, Any], tables: Tables, obstacle: str
) -> None:
    said = read_assurance("c", certificate(**more), tables)
    assert said.ceiling is None is said.alone
    assert said.obstacle is not None and obstacle in said.obstacle


def test_a_forged_verdict_bounds_nothing() -> None:
    refuted = certificate(claim="epsilon=1/2", records=2)
    assert refuted["verdict"] == "REFUTED"
    forged = {**refuted, "verdict": "PROVED"}
    assert read_assurance("c", forged, hold_back(2)).obstacle == (
        "its text was changed after it was written"
    )
    forged["digest"] = digest(forged)
    said = read_assurance("c", forged, hold_back(2))
    assert said.ceiling is None and "entails REFUTED" in (said.obstacle or "")


def test_every_change_of_the_text_is_seen_by_its_digest() -> None:
    changed = {**certificate(records=2), "assumptions": ["none"]}
    assert "changed" in (read_assurance("c", changed, hold_back(2)).obstacle or "")


def test_a_forged_claim_bounds_nothing() -> None:
    proved = certificate(records=2, auditors=["proof"])
    assert proved["verdict"] == "PROVED"
    assert read_assurance("c", proved, hold_back(2)).rechecked
    forged = {**proved, "claim": "epsilon=0.01"}
    forged["digest"] = digest(forged)
    said = read_assurance("c", forged, hold_back(2))
    assert said.ceiling is None and "rejects its proof" in (said.obstacle or "")
    bare = {**forged, "proof": None}
    bare["digest"] = digest(bare)
    said = read_assurance("c", bare, hold_back(2))
    assert said.ceiling is None and "entails NOT REFUTED" in (said.obstacle or "")


def test_persons_of_several_records_are_none_that_a_claim_of_one_each_speaks_of() -> None:
    claim = certificate("add-remove", records=2, unit="person", max_records=1)
    tables = hold_back(2)
    assert read_assurance("c", claim, tables).obstacle is None
    for persons, obstacle in (([0, 1], None), ([0, 0], "persons have several here")):
        real = replace(tables.real, persons=np.array(persons))
        said = read_assurance("c", claim, replace(tables, real=real))
        assert (said.obstacle is None) == (obstacle is None)
        assert obstacle is None or obstacle in (said.obstacle or "")
