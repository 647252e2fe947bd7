"""``dp-audit compare``: what it says of files, its exit codes, its errors."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.audit.calls import Command
from tests.audit.review.certificates import change, plain


def write(folder: Path, **documents: object) -> None:
    for name, document in documents.items():
        (folder / f"{name}.json").write_text(json.dumps(document))


def test_certificates_of_other_questions_have_other_rulers(dp_audit: Command, folder: Path) -> None:
    write(folder, a=plain("exact"), b=plain("persons"), c=plain("refuted"))
    shown = dp_audit("compare a.json b.json c.json --html o.html --csv o.csv --json o.json")
    assert (shown.code, shown.err) == (0, "")
    words = " ".join(shown.out.split())
    assert "NOT COMPARABLE" in words and "Ruler 3 of 3" in words
    rows = list(csv.reader((folder / "o.csv").open()))
    assert [row[0] for row in rows] == ["certificate", "a.json", "b.json", "c.json"]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert "Ruler 1 of 3" in (folder / "o.html").read_text()
    found = json.loads((folder / "o.json").read_text())
    assert [group["certificates"] for group in found["groups"]] == [
        ["a.json"],
        ["b.json"],
        ["c.json"],
    ]


def test_an_altered_certificate_is_marked(dp_audit: Command, folder: Path) -> None:
    forged = change("exact", lambda document: document.update(verdict="PROVED"))
    write(folder, a=plain("exact"), b=forged)
    shown = dp_audit("compare a.json b.json --json o.json")
    assert shown.code == 0 and "NOT BELIEVED" in shown.out
    found = json.loads((folder / "o.json").read_text())
    assert found["certificates"][1]["verdict"] is None
    assert found["groups"][0]["certificates"] == ["a.json"]


def test_files_of_one_name_are_called_as_they_were_typed(dp_audit: Command, folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "c.json").write_text(json.dumps(plain("exact")))
    assert "two/c.json" in dp_audit("compare one/c.json two/c.json").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("a.json", "two certificates at the least"),
        ("a.json a.json", "named twice"),
        ("a.json absent.json", "absent.json cannot be read"),
        ("a.json other.json", "no certificate that this version reads"),
        ("a.json b.json --csv a.json", "used twice"),
        ("a.json b.json --csv o.csv --html o.csv", "used twice"),
    ],
)
def test_bad_input_is_one_error_and_no_file(
    dp_audit: Command, folder: Path, words: str, said: str
) -> None:
    write(folder, a=plain("exact"), b=plain("wide"), other={"schema": "x"})
    shown = dp_audit(f"compare {words}")
    assert (shown.code, shown.out) == (2, "") and said in " ".join(shown.err.split())
    assert not (folder / "o.csv").exists()
