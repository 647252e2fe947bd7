"""``dp-audit attest``: what it writes, what it refuses, and that it writes all or nothing."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
import yaml

from tests.audit.calls import Command
from tests.audit.review.attestations.made_attestations import ABOUT

GIVEN = "--neighbours replace-one --cells 2 --records 2 --quiet"
WRITTEN = "--registry e.yaml --label l.html --in-toto t.json --svr v.json"


@pytest.fixture
def prepared(dp_audit: Command, folder: Path) -> Path:
    """A folder with certificates of a claim that holds and of one that does not, and a file."""
    line = f"certify geometric-sanitizer --set epsilon=1 {GIVEN} --claim"
    assert dp_audit(f"{line} epsilon=1 --out proved.json").code == 0
    assert dp_audit(f"{line} epsilon=1/2 --out refuted.json").code == 1
    (folder / "about.toml").write_text(ABOUT)
    return folder


def test_a_release_is_attested(dp_audit: Command, prepared: Path) -> None:
    (prepared / "cells.toml").write_text('name = "c"\n[attributes]\ncell = {values = ["0", "1"]}\n')
    (prepared / "cells.csv").write_text("cell\n0\n1\n")
    made = "release geometric-sanitizer --set epsilon=1 --data cells.csv --domain cells.toml"
    assert dp_audit(f"{made} --out s.csv --ledger ledger.json --quiet").code == 0
    line = "attest proved.json --about about.toml --ledger ledger.json --of s.csv"
    shown = dp_audit(f"{line} {WRITTEN} --time 2026-01-31T12:00:00Z --json j.json --quiet")
    assert (shown.code, shown.err) == (0, "")
    assert "PROVED: Clinic visits" in shown.out and "at most 73.2 %" in shown.out
    entry = yaml.safe_load((prepared / "e.yaml").read_text())
    assert entry["deployment"]["privacy_loss"]["privacy_parameters"] == {"epsilon": 1.0}
    assert "By its ledger the release asked" in entry["deployment"]["accounting"]["composition"]
    assert "Clinic visits" in (prepared / "l.html").read_text()
    tested, verified = (json.loads((prepared / f"{name}.json").read_text()) for name in "tv")
    assert tested["predicate"]["result"] == "PASSED"
    assert "DP_AUDIT_PROOF_CHECKED" in verified["predicate"]["properties"]
    for statement in (tested, verified):
        for subject in statement["subject"]:
            held = (prepared / subject["name"]).read_bytes()
            assert subject["digest"] == {"sha256": hashlib.sha256(held).hexdigest()}
    before = {name: (prepared / name).read_text() for name in ("e.yaml", "l.html", "t.json")}
    assert dp_audit(f"{line} {WRITTEN} --time 2026-01-31T12:00:00Z --quiet").code == 0
    assert before == {name: (prepared / name).read_text() for name in before}


def test_a_refuted_claim_has_a_label_and_a_failed_test_and_nothing_else(
    dp_audit: Command, prepared: Path
) -> None:
    shown = dp_audit("attest refuted.json --label l.html --in-toto t.json --quiet")
    assert shown.code == 1 and "REFUTED" in shown.out and "no limit is known" in shown.out
    assert json.loads((prepared / "t.json").read_text())["predicate"]["result"] == "FAILED"
    for flag in ("--registry e.yaml --about about.toml", "--svr v.json"):
        shown = dp_audit(f"attest refuted.json {flag} --label other.html")
        assert shown.code == 2 and "the verdict is REFUTED" in shown.err
    assert not any((prepared / name).exists() for name in ("e.yaml", "v.json", "other.html"))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("", "name a certificate"),
        ("nowhere.json", "nowhere.json cannot be read"),
        ("about.toml", "is not JSON"),
        ("proved.json --registry e.yaml", "--draft-about FILE drafts"),
        ("proved.json --time noon", "a time is written as"),
        ("proved.json --of nowhere.csv", "nowhere.csv cannot be read"),
        ("proved.json --ledger refuted.json", "is no ledger"),
        ("proved.json --about domain.toml", "domain.toml: no entry has the field"),
        ("proved.json --label proved.json", "is used twice"),
        ("proved.json --in-toto -", "name a file to write"),
        ("proved.json --draft-about new.toml", "give it alone"),
        ("--draft-about about.toml", "is there already"),
    ],
)
def test_bad_input_is_one_clear_error(
    dp_audit: Command, prepared: Path, line: str, says: str
) -> None:
    before = sorted(prepared.iterdir())
    shown = dp_audit(f"attest {line}")
    assert shown.code == 2 and says in " ".join(shown.err.split()), shown.err
    assert shown.out == "" and sorted(prepared.iterdir()) == before


def test_a_draft_is_written_once(dp_audit: Command, folder: Path) -> None:
    shown = dp_audit("attest --draft-about about.toml")
    assert shown.code == 0 and "wrote about.toml" in shown.err and shown.out == ""
    assert "FILL IN" in (folder / "about.toml").read_text()
    assert dp_audit("attest --draft-about other.toml --quiet").err == ""
