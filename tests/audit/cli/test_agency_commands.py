"""Programs whose outputs are no tables of records: channels, certificates, releases of them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.audit.calls import Command
from tests.audit.processes import ROOT

PROGRAMS = {
    "suppress": ("suppress --set threshold=3", "4"),
    "coarsen": ("coarsen --set groups=0,0,1,1", "4"),
    "k-anonymity": ("k-anonymity --set k=2 --set groups=0,0,1,1", "4"),
    "swap": ("swap --set share=1/2", "2x2"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_channel_in_every_form_and_read_again(dp_audit: Command, folder: Path, name: str) -> None:
    program, cells = PROGRAMS[name]
    code, out, err = dp_audit(
        f"channel {program} --cells {cells} --records 3 --neighbours replace-one --epsilon 1 "
        "--html c.html --json c.json --csv c.csv --quiet"
    )
    assert (code, err) == (0, "") and "ε = ∞" in out
    data = json.loads((folder / "c.json").read_text())
    assert all(sum(row) == pytest.approx(1, abs=1e-12) for row in data["probabilities"])
    assert data["delta"] == {"1": {"lower": 1.0, "upper": 1.0}}
    header, *rows = csv.reader((folder / "c.csv").read_text().splitlines())
    assert len(set(header)) == len(data["outputs"]) + 1 and len(rows) == 20
    again = "certify c.csv --neighbours replace-one --claim epsilon=5 --quiet --json r.json"
    assert dp_audit(again)[0] == 1
    read = json.loads((folder / "r.json").read_text())
    assert read["bounds"]["exact"]["epsilon"] == {"lower": "inf", "upper": "inf"}


@pytest.mark.parametrize("released", ["output", "transcript"])
@pytest.mark.parametrize("neighbours", ["replace-one", "add-remove"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_certificate_that_verifies(
    dp_audit: Command, folder: Path, name: str, neighbours: str, released: str
) -> None:
    program, cells = PROGRAMS[name]
    words = f"--cells {cells} --records 2 --neighbours {neighbours} --released {released}"
    assert dp_audit(f"certify {program} {words} --claim epsilon=3 --quiet --out x.json")[0] == 1
    certificate = json.loads((folder / "x.json").read_text())
    schema = json.loads((ROOT / "audit/statements/schema/1/certificate.json").read_text())
    Draft202012Validator(schema).validate(certificate)
    assert dp_audit("verify x.json")[0] == 0


def test_outputs_as_json_and_csv(dp_audit: Command, folder: Path) -> None:
    base = "--records 1 --neighbours add-remove --quiet --json c.json --csv c.csv"

    def shown(program: str) -> tuple[list[Any], list[str]]:
        assert dp_audit(f"channel {program} {base}")[0] == 0
        outputs: list[Any] = json.loads((folder / "c.json").read_text())["outputs"]
        return outputs, (folder / "c.csv").read_text().splitlines()[0].split(",")

    # One record is small, and the other cell goes with it.
    suppressed = shown("suppress --cells 2 --set threshold=2")
    assert suppressed == ([[None, None], [0, 0]], ["database", "?-?", "0-0"])
    coarse = shown("coarsen --cells 3 --set groups=0,1,0")
    assert coarse == ([[0, 0], [0, 1], [1, 0]], ["database", "0-0", "0-1", "1-0"])
    anonymous = shown("k-anonymity --cells 2 --set k=2")
    assert anonymous == ([["cell=0", 0, 0], ["nothing"]], ["database", "cell=0-0-0", "nothing"])


def test_a_violation_far_beyond_enumeration(dp_audit: Command) -> None:
    for name, (program, _) in PROGRAMS.items():
        if name != "coarsen":
            words = f"certify {program.replace(' --set groups=0,0,1,1', '')} --cells 2x3"
            words += " --records 400 --neighbours replace-one --claim epsilon=9 --quiet"
            assert dp_audit(words)[0] == 1, name


@pytest.mark.parametrize(
    "program",
    ["suppress --set threshold=2", "coarsen --set attribute=age --set level=1",
     "k-anonymity --set k=2", "k-anonymity --set k=9"],
)  # fmt: skip
def test_a_release_of_what_is_no_table_writes_nothing(
    dp_audit: Command, folder: Path, program: str
) -> None:
    before = sorted(folder.iterdir())
    code, out, err = dp_audit(
        f"release {program} --data table.csv --domain domain.toml --out s.csv --ledger l.json"
    )
    assert (code, out) == (2, "") and err.count("dp-audit: ") == 1
    assert "over the domain's 6 cells" in err and "channel or certify" in err
    assert sorted(folder.iterdir()) == before


def test_a_swapped_table_is_released(dp_audit: Command, folder: Path) -> None:
    code, _, _ = dp_audit(
        "release swap --set share=1 --data table.csv --domain domain.toml --out s.csv "
        "--ledger l.json --quiet"
    )
    assert code == 0
    lines = (folder / "s.csv").read_text().splitlines()
    assert lines[0] == "sex,age" and len(lines) == 4
    ledger = json.loads((folder / "l.json").read_text())
    assert ledger["spent"]["epsilon"] is None and ledger["budget"] == {"unlimited": True}
    assert ledger["events"][0]["law"] == {
        "law": "record-swapping", "shape": [2, 3], "attribute": 0, "key": [], "share": "1",
    }  # fmt: skip
