"""Places: both encodings of bins, candidates from elsewhere, the fewest records; end to end."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dp_audit as dpa
from audit.auditors.attack.pairs.outliers import list_outlier_pairs
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, ReplaceOne
from synthesizers.tables import read_table

AGES = Domain("ages", (Attribute.binned("age", [0, 40, 60, 120]),))
LABELS = AGES.attributes[0].values
ROOT = Path(__file__).parents[5]


def certify(function: Any, **more: Any) -> Any:
    given: dict[str, Any] = {
        "neighbours": "add-remove",
        "domain": AGES,
        "records": 50,
        "runs": 500,
        "seed": 1,
    }
    return dpa.certify(function, "epsilon=1", **(given | more)).certificate


def labels_without_noise(records: list[Any], rng: np.random.Generator) -> list[int]:
    return [sum(record["age"] == label for record in records) for label in LABELS]


def geometric(rng: np.random.Generator) -> Any:
    return rng.geometric(1 - np.exp(-1), 3) - rng.geometric(1 - np.exp(-1), 3)


def labels_alone(records: list[Any], rng: np.random.Generator) -> list[int]:
    places = np.array([LABELS.index(record["age"]) for record in records], np.int64)
    return [int(n) for n in np.bincount(places, minlength=3) + geometric(rng)]


def numbers_alone(records: list[Any], rng: np.random.Generator) -> list[int]:
    ages = [record["age"] + 0.0 for record in records]
    return [int(n) for n in np.histogram(ages, [0, 40, 60, 120])[0] + geometric(rng)]


@pytest.mark.parametrize("until_decided", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_leak_of_labels_is_found(until_decided: bool) -> None:
    found = certify(labels_without_noise, until_decided=until_decided)
    assert found.verdict.value == "REFUTED"


@pytest.mark.parametrize("until_decided", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("function", [labels_alone, numbers_alone])
def test_who_reads_one_encoding_alone_is_not_accused(function: Any, until_decided: bool) -> None:
    found = certify(function, runs=2000, until_decided=until_decided)
    assert found.verdict.value == "NOT REFUTED"


@pytest.mark.slow
def test_the_example_of_the_protocol_is_refuted_without_its_noise(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "reference" / "submission-protocol.md").read_text(encoding="utf-8")
    code, *_ = re.findall(r"```python\n(#!/usr/bin/env python3\n.*?)```", text, re.DOTALL)
    silent = code.replace(" + geometric() - geometric()", "")
    assert silent != code
    program = tmp_path / "submission"
    program.write_text(silent, encoding="utf-8")
    program.chmod(0o755)
    found = dpa.certify(
        f"command:{program}",
        "epsilon=1",
        neighbours="add-remove",
        domain=ROOT / "audit" / "cli" / "patients.toml",
        records=50,
        runs=100,
        seed=1,
    )
    assert found.verdict == "REFUTED"


def fine_from_three(records: list[Any], rng: np.random.Generator) -> float:
    assert len(records) >= 3
    return float(len(records) + geometric(rng)[0])


def test_no_searched_database_is_smaller_than_is_said_and_the_certificate_says_it() -> None:
    assert certify(fine_from_three, runs=2000).verdict.value == "REFUTED"
    found = certify(fine_from_three, min_records=3, runs=2000)
    assert found.verdict.value == "NOT REFUTED"
    (searched,) = (one.replay for one in found.evidence if one.auditor == "attack")
    assert searched.search.min_records == 3


def test_records_far_from_others_of_a_public_table_are_tried_first(tmp_path: Path) -> None:
    domain = Domain("wide", tuple(Attribute(name, tuple("xyz")) for name in "abcd"))
    rows = ["a,b,c,d", *["x,x,x,x"] * 8, "z,y,z,y", "x,x,x,y"]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    far = dict(zip("abcd", "zyzy", strict=True))
    for neighbours in (AddRemove(), ReplaceOne()):
        first = list_outlier_pairs(read_table(table, domain), neighbours, 10)[0]
        assert far in first.second and far not in first.first and first.verified
    assert list_outlier_pairs(read_table(table, domain), ReplaceOne(), 11) == ()
    with pytest.raises(InputError, match="--data-is-public"):
        dpa.certify(
            "command:/bin/true", "epsilon=1", neighbours="add-remove", domain=AGES, data=table
        )
