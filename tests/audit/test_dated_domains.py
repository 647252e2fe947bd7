"""Audits over domains with bins of dates: records hold dates, and certificates say them."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

import dp_audit as dpa
from audit.auditors.attack.pairs.records import Encoding, Records
from audit.auditors.sensitivity.records import DomainRecords, values_of
from audit.testing.strategies.databases import databases
from synthesizers.domain_toml import domain_from_toml
from synthesizers.tables import from_frame
from tests.audit.processes import ROOT

DOMAIN = domain_from_toml(
    """
    [attributes]
    day = { bins = [2020-02-28, 2020-02-29, 2020-03-01], missing = true }
    seen = { bins = [2020-01-01T00:00:00, "2020-01-02T00:00:00.25"] }
    """,
    "visits",
)


def read_back(records: list[dict[str, Any]]) -> list[list[int]]:
    frame = pd.DataFrame(records, columns=list(DOMAIN.names))
    return from_frame(frame, DOMAIN).codes.tolist()


@pytest.mark.parametrize("encoding", Encoding)
def test_records_of_an_attack_hold_dates_or_labels_and_no_seconds(encoding: Encoding) -> None:
    records = Records(DOMAIN, encoding)
    cells = [records.cell(number) for number in range(DOMAIN.size)]
    assert read_back(cells) == DOMAIN.codes().tolist()
    assert read_back([records.low(), records.high()]) == [[0, 0], [1, 0]]
    expected = "2020-02-29" if encoding is Encoding.NUMBERS else "[2020-02-29, 2020-03-01]"
    assert cells[1]["day"] == expected


def test_queries_are_examined_on_the_edges() -> None:
    assert values_of(DOMAIN.attributes[0]) == ("2020-02-28", "2020-02-29", "2020-03-01", None)
    listed = DomainRecords(DOMAIN).list_records()
    assert listed is not None and len(listed) == 8 and read_back(list(listed))
    asked: dict[str, Any] = {"neighbours": "add-remove", "domain": DOMAIN, "records": 2}
    count = dpa.sensitivity(len, "l1=1", examples=20, **asked)
    assert not count.exceeded


@pytest.mark.slow
def test_a_function_of_dates_is_attacked() -> None:
    def late(database: list[dict[str, str]], rng: np.random.Generator) -> float:
        return sum(one["day"] == "2020-02-29" for one in database) + rng.laplace(scale=0.1)

    asked: dict[str, Any] = {"neighbours": "add-remove", "domain": DOMAIN, "records": 2}
    result = dpa.certify(late, "epsilon=1", runs=4000, seed=1, **asked)
    # The leak is tenfold: a right attack misses it with a chance far below 1e-9.
    assert result.verdict == "REFUTED"


def test_a_certificate_of_a_dated_domain_is_checked_again(tmp_path: Path) -> None:
    certificate = dpa.certify(
        "geometric-sanitizer",
        "epsilon=1",
        neighbours="replace-one",
        domain=DOMAIN,
        records=1,
        parameters={"epsilon": 1},
    )
    certificate.save(tmp_path / "cert.json")
    document = json.loads((tmp_path / "cert.json").read_text())
    edges = [attribute["edges"] for attribute in document["domain"]["attributes"]]
    assert edges[0] == ["2020-02-28", "2020-02-29", "2020-03-01"]
    assert edges[1] == ["2020-01-01T00:00:00", "2020-01-02T00:00:00.25"]
    schema = ROOT / "audit" / "statements" / "schema" / "1" / "certificate.json"
    Draft202012Validator(json.loads(schema.read_text())).validate(document)
    assert dpa.verify(tmp_path / "cert.json").confirmed
    document["domain"]["attributes"][0]["edges"][1] = "2020-02-29T06:00:00"
    (tmp_path / "forged.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match="labels of its bins"):
        dpa.verify(tmp_path / "forged.json")


@settings(max_examples=20)
@given(databases(DOMAIN, max_records=3))
def test_drawn_databases_hold_dates(found: list[dict[str, Any]]) -> None:
    assert len(read_back(list(found))) == len(found)


def test_edges_are_seconds() -> None:
    assert DOMAIN.attributes[1].edges == (1577836800, Fraction("1577923200.25"))
