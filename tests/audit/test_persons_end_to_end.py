"""Persons with several records, from the table to the certificate: every part is told of them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from audit.cli.main import main
from synthesizers.schemas import load_domain
from synthesizers.tables import read_table

MOST = 3
KEPT = 2
"""Persons of the table have up to three records, of which a release may use two."""

PERSON = ["--neighbours", "add-remove", "--unit", "person", "--max-records", str(KEPT)]
PROGRAMS = {
    "geometric-sanitizer": ["--set", "epsilon=1"],
    "histograms": ["--set", "epsilon=1", "--set", "slack=1"],
    "dpsyn-2020": ["--set", "epsilon=1", "--set", "delta=1e-6", "--set", "slack=1"],
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("persons") / "benchmark"
    size = ["--attributes", "2", "--values", "3", "--records", "600", "--max-records", str(MOST)]
    assert main(["generate", *size, "--seed", "persons", "--out", str(folder), "--quiet"]) == 0
    return folder


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_release_is_made_of_at_most_m_records_a_person(
    table: Path, tmp_path: Path, program: str
) -> None:
    domain, out, ledger = table / "domain.toml", tmp_path / "out.csv", tmp_path / "ledger.json"
    command = ["release", program, *PROGRAMS[program], *PERSON, "--rows", "400", "--quiet"]
    files = ["--data", str(table / "table.csv"), "--domain", str(domain), "--out", str(out)]
    assert main([*command, *files, "--ledger", str(ledger)]) == 0
    told = json.loads(ledger.read_text())
    assert (told["unit"], told["max_records"]) == ("person", KEPT)
    for event in told["events"]:
        if event["event"] == "measure":
            # One marginal of a person's two records: L1 2 and L2 2, in whichever cells they lie.
            assert event["sensitivity"]["l1"] % KEPT == 0
            assert event["sensitivity"]["l2_squared"] % KEPT**2 == 0
    assert len(read_table(out, load_domain(domain)).codes) == 400
    scores = tmp_path / "scores.json"
    utility = ["utility", str(table / "table.csv"), str(out), "--domain", str(domain), "--quiet"]
    assert main([*utility, "--metric", "workload-error", "--json", str(scores)]) == 0
    assert json.loads(scores.read_text())["scores"][0]["value"] is not None


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_claim_of_a_person_is_proved_enumerated_and_attacked(
    table: Path, tmp_path: Path, program: str
) -> None:
    claim = "epsilon=1" + (", delta=1e-6" if "delta=1e-6" in PROGRAMS[program] else "")
    small = ["--cells", "2x2", "--records", "2", "--rows", "1", "--released", "transcript"]
    out = tmp_path / "certificate.json"
    narrow = [text.replace("slack=1", "slack=0") for text in PROGRAMS[program]]
    command = ["certify", program, *narrow, *PERSON, "--claim", claim, *small, "--jobs", "1"]
    assert main([*command, "--runs", "200", "--quiet", "--out", str(out)]) == 0
    certificate = json.loads(out.read_text())
    assert certificate["verdict"] == "PROVED"
    assert {e["auditor"] for e in certificate["evidence"]} >= {"exhaustive", "proof", "attack"}
    assert main(["verify", str(out), "--jobs", "1"]) in (0, 3)


@pytest.mark.parametrize("program", PROGRAMS)
def test_noise_of_a_record_does_not_cover_a_person(tmp_path: Path, program: str) -> None:
    narrow = [text.replace("slack=1", "slack=0") for text in PROGRAMS[program]]
    halved = [text.replace("epsilon=1", "epsilon=2") for text in narrow]
    small = ["--cells", "2x2", "--records", "2", "--rows", "1", "--released", "transcript"]
    claim = "epsilon=1" + (", delta=1e-6" if "delta=1e-6" in halved else "")
    command = ["certify", program, *halved, *PERSON, "--claim", claim, *small]
    assert main([*command, "--quiet"]) == 1


def test_records_beyond_the_most_are_left_out(table: Path) -> None:
    domain = load_domain(table / "domain.toml")
    dataset = read_table(table / "table.csv", domain)
    assert dataset.persons is not None
    assert np.bincount(dataset.persons).max() == MOST
    clipped = dataset.clip_persons(KEPT)
    assert clipped.persons is not None
    assert np.bincount(clipped.persons).max() == KEPT
