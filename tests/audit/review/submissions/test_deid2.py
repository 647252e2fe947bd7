"""Submissions to DeID2: what their ``parameters.json`` says is what they claim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from audit.review.submissions.challenge import Terms
from audit.review.submissions.claims import ClaimTerms
from audit.review.submissions.deid2 import BINS, read_deid2
from audit.review.submissions.submission import Challenge, Launch, StatedClaim
from synthesizers.errors import InputError
from synthesizers.schemas import load_domain
from tests.audit.review.made_submissions import PARAMETERS, SILENT, write_deid2, write_files

CLAIM = StatedClaim("epsilon={epsilon}, delta=2.5e-05", ("1", "10"), "add-remove", "person", 3)


def altered(**run: Any) -> dict[str, Any]:
    first, second = PARAMETERS["runs"]
    return {**PARAMETERS, "runs": [{**first, **run}, second]}


def test_the_claim_and_the_domain_are_those_of_the_parameters(tmp_path: Path) -> None:
    folder = write_deid2(tmp_path / "x")
    found = read_deid2(folder, "x", SILENT, tmp_path / "made.toml")
    assert found.claim == CLAIM and found.asked is None and found.beside == ()
    assert found.launch == Launch("deid2", ("main.py",))
    domain = load_domain(found.domain)
    assert domain.names == ("shift", "fare") and domain.individual == "who"
    assert domain.attributes[0].values == ("0", "1", "2")
    assert domain.attributes[1].size == BINS


def test_the_files_of_the_challenge_fill_in(tmp_path: Path) -> None:
    folder = write_files(tmp_path / "x", {"main.R": ""})
    shared = write_files(
        tmp_path / "shared", {"parameters.json": json.dumps(PARAMETERS), "format.csv": "epsilon"}
    )
    terms = Terms(
        Challenge("c"), parameters=shared / "parameters.json", format=shared / "format.csv"
    )
    found = read_deid2(folder, "x", terms, tmp_path / "made.toml")
    assert found.claim == CLAIM and found.launch.words == ("main.R",)
    assert found.beside == (shared / "parameters.json", shared / "format.csv")


def test_another_claim_than_that_of_the_challenge_is_kept_beside_it(tmp_path: Path) -> None:
    terms = Terms(Challenge("c"), ClaimTerms(epsilons=("1",), max_records=3))
    found = read_deid2(write_deid2(tmp_path / "x"), "x", terms, tmp_path / "made.toml")
    assert found.claim == CLAIM
    assert found.asked is not None and found.asked.epsilons == ("1",)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        (altered(delta=1e-6), "differ in delta"),
        (altered(max_records_per_individual=4), "differ in delta or in max_records"),
        ({**PARAMETERS, "runs": []}, "must state its epsilon"),
        ({**PARAMETERS, "runs": [{"delta": 0}]}, "must state its epsilon"),
        (altered(epsilon="x"), "must state its epsilon"),
        (altered(epsilon=-1.0), "above 0"),
        ({"runs": PARAMETERS["runs"]}, "schema, an object"),
        ({**PARAMETERS, "schema": {"a": {"dtype": "int", "values": [1]}}}, "no column of kind id"),
        ({**PARAMETERS, "schema": {"a": {"dtype": "object"}}}, "does not say what 'a' holds"),
        ({**PARAMETERS, "schema": {"a": 1}}, "none of the forms"),
    ],
)
def test_parameters_that_make_no_claim_are_refused(
    tmp_path: Path, parameters: dict[str, Any], said: str
) -> None:
    folder = write_deid2(tmp_path / "x", parameters=parameters)
    with pytest.raises(InputError) as refusal:
        read_deid2(folder, "x", SILENT, tmp_path / "made.toml")
    assert said in str(refusal.value)
    assert str(tmp_path) not in str(refusal.value)


def test_what_is_absent_or_no_json_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no parameters\.json beside its main file"):
        read_deid2(write_files(tmp_path / "x", {"main": ""}), "x", SILENT, tmp_path / "m.toml")
    broken = write_files(tmp_path / "y", {"main.py": "", "data/parameters.json": "{"})
    with pytest.raises(InputError, match="is not JSON"):
        read_deid2(broken, "x", SILENT, tmp_path / "m.toml")
