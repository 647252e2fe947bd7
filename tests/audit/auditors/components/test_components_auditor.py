"""The auditor in certificates, mechanisms that are told a sensitivity, estimators, given pairs."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest

import dp_audit as dpa
from audit.auditors.components.asking import Wanted, ask_live
from audit.auditors.components.case import Case
from audit.auditors.components.examine import examine
from audit.auditors.components.recording import inside
from audit.auditors.components.recording.primitives import Primitive, Said
from audit.statements.evidence import Decision
from audit.subjects.pair import Pair
from audit.subjects.subject import LiveObject
from proofs.guarantees import parse_guarantee
from tests.audit.auditors.components.honest_functions import laplace_histogram
from tests.audit.auditors.components.planted_functions import exact_size, scale_halved

ABOUT = {"neighbours": "add-remove", "cells": 3, "records": 3, "seed": 1, "runs": 1000}
EMPTY = Pair([], [{"cell": "0"}])


class Mechanism:
    """As libraries have them."""

    def __init__(self, sensitivity: float) -> None:
        self.sensitivity = sensitivity

    def randomise(self, value: float) -> float:
        return value + np.random.laplace(scale=self.sensitivity)


PRIMITIVE = Primitive(
    f"{__name__}:Mechanism.randomise",
    lambda given: Said(
        "laplace",
        {"scale": given["self"].sensitivity},
        given["value"],
        True,
        sensitivity=given["self"].sensitivity,
    ),
)


def told_right(records, rng):
    return Mechanism(2.0).randomise(2 * len(records))


def told_too_little(records, rng):
    return Mechanism(1.0).randomise(3 * len(records))


def asking(function):
    return ask_live(LiveObject(function, "function", {}, None, None), function.__name__, ())


@pytest.mark.parametrize(("function", "told"), [(told_right, False), (told_too_little, True)])
def test_a_mechanism_that_is_told_too_little_is_named(monkeypatch, function, told):
    monkeypatch.setattr(inside, "PRIMITIVES", (PRIMITIVE,))
    case = Case(asking(function), parse_guarantee("epsilon=3"), (EMPTY,))
    findings = {one.about: one for one in examine(case).findings}
    found = findings.get("sensitivity that a mechanism was told")
    assert (found is not None) is told
    if found is not None:
        assert found.decision is Decision.EXCEEDED
        assert (found.declared, found.found) == ("1", "3")
        assert str(found.responsible).startswith("tests/")


def test_a_primitive_swallows_its_own_draws(monkeypatch):
    monkeypatch.setattr(inside, "PRIMITIVES", (PRIMITIVE,))
    (found,) = asking(told_right)([[]], [Wanted(0, 1)])
    assert [step.primitive for step in found.steps] == [PRIMITIVE.name]


class Synthesizer:
    """An estimator that draws its table from noisy shares."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, table: pd.DataFrame) -> Synthesizer:
        rng = np.random.default_rng(self.random_state)
        counts = np.array([(table["cell"] == cell).sum() for cell in "012"])
        noisy = np.maximum(counts + rng.laplace(scale=1.0, size=3), 0) + 1e-9
        self.shares_ = noisy / noisy.sum()
        self.rng_ = rng
        return self

    def sample(self, rows: int) -> pd.DataFrame:
        return pd.DataFrame({"cell": self.rng_.choice(list("012"), size=rows, p=self.shares_)})


def test_an_estimator_is_recorded():
    found = dpa.components(
        Synthesizer, "epsilon=1", neighbours="add-remove", cells=3, records=3, rows=4
    )
    assert not found.violated
    assert found.rows()[0][-2:] == ("ε 1", "100 %")
    less = dpa.components(
        Synthesizer, "epsilon=0.9", neighbours="add-remove", cells=3, records=3, rows=4
    )
    assert not less.violated and less.undecided


@pytest.mark.parametrize(
    ("function", "verdict"), [(laplace_histogram, "UNDECIDED"), (scale_halved, "REFUTED")]
)
def test_findings_stand_in_a_certificate_that_is_read_again(function, verdict, tmp_path):
    result = dpa.certify(function, "epsilon=1", auditors="components", **ABOUT)
    found = {one.about: one for one in result.certificate.evidence}
    claimed = "epsilon=0.5" if function is scale_halved else "epsilon=1"
    again = dpa.certify(function, claimed, auditors="components", **ABOUT)
    assert again.verdict == verdict
    assert "what its calls of noise spend" in found
    assert str(tmp_path) not in again.json_text()


def test_what_only_runs_refute_is_left_to_the_attack():
    alone = dpa.certify(exact_size, "epsilon=1", auditors="components", **ABOUT)
    assert alone.verdict == "UNDECIDED"
    assert any(one.decision is Decision.EXCEEDED for one in alone.certificate.evidence)
    both = dpa.certify(exact_size, "epsilon=1", auditors="components,attack", **ABOUT)
    assert both.verdict == "REFUTED"


def test_nothing_is_told_of_given_databases():
    pair = ([{"cell": "0"}], [{"cell": "0"}, {"cell": "1"}])
    about = {key: value for key, value in ABOUT.items() if key != "records"}
    found = dpa.certify(scale_halved, "epsilon=0.5", auditors="components", pair=pair, **about)
    assert found.verdict == "REFUTED"
    assert all(one.pair is None for one in found.certificate.evidence)
    worst = found.certificate.evidence[0]
    assert "--data-is-public" in worst.finding
    assert "moves by" not in found.json_text()
    public = dpa.certify(
        scale_halved, "epsilon=0.5", auditors="components", pair=pair, data_is_public=True, **about
    )
    assert "moves by" in public.json_text()


def test_the_same_seed_gives_the_same_findings():
    about = {"neighbours": "add-remove", "cells": 3, "records": 3, "seed": 5}
    one, other = (dpa.components(scale_halved, "epsilon=0.5", **about) for _ in range(2))
    assert one == other


def test_global_generators_are_left_as_they_were():
    before = random.getstate(), np.random.get_state()[1].tolist()
    dpa.components(laplace_histogram, "epsilon=1", neighbours="add-remove", cells=2, records=1)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
