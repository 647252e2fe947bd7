"""Certificates of every state of the schema: what was true stays true, and is still found so.

Each file was written by the version that its name begins with: ``before-isolation`` has neither an
isolation nor questions, and its proofs do not name their domain; ``with-isolation`` has a digest of
one file alone; ``all-code`` has one of all code; ``budget`` says what a release may spend. They
are never written anew.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from audit.auditors.attack.finding.evidence import list_versions
from audit.statements.checks import Status
from audit.statements.stated_proofs import renew
from audit.verify import load_certificate, verify
from proofs import checker

FOLDER = Path(__file__).parent / "certificates"
NAMES = sorted(path.stem for path in FOLDER.glob("*.json"))
SLOW = ("large", "irrational", "smaller", "delta", "persons", "undecided", "attacked-program")


def marked(names: list[str]) -> list[Any]:
    return [
        pytest.param(name, marks=pytest.mark.slow if name.endswith(SLOW) else ()) for name in names
    ]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the subjects that the certificates are about, as they were audited."""
    shutil.copytree(FOLDER / "subjects", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def redrawn(document: dict[str, Any]) -> bool:
    """Whether an attack among the evidence finds the same again with the versions that are here."""
    attacks = [one for one in document["evidence"] if one["auditor"] == "attack"]
    return all(one["replay"]["versions"] == list_versions() for one in attacks)


@pytest.mark.parametrize("name", marked(NAMES))
def test_a_true_certificate_of_any_version_is_still_true(here: Path, name: str) -> None:
    document = load_certificate(str(FOLDER / f"{name}.json"))
    found = verify(document)
    assert not [check for check in found.checks if check.status is Status.FALSE]
    undecided = document["subject"]["kind"] == "module" and any(
        "apart on this machine" in check.note for check in found.checks
    )
    # Said before an attack had to show what its runs see; these are too few.
    weak = any("see less than an attack must today" in check.note for check in found.checks)
    assert weak == (name in ("before-isolation-outputs-kept", "with-isolation-outputs-kept"))
    assert found.exit_code == (0 if redrawn(document) and not undecided and not weak else 3)


def renewed(name: str) -> dict[str, Any]:
    """A certificate whose proof is of today's version, as `verify` hands it to the checker."""
    document: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return {**document, "proof": renew(document["proof"])}


@pytest.mark.parametrize("name", [n for n in NAMES if not n.startswith("before")])
def test_the_checker_alone_checks_what_is_proved(tmp_path: Path, name: str) -> None:
    document = renewed(name)
    if document["verdict"] != "PROVED":
        pytest.skip("the checker shows PROVED")
    path = tmp_path / "certificate.json"
    path.write_text(json.dumps(document))
    done = subprocess.run(
        [sys.executable, "-I", str(checker.__file__), str(path)], capture_output=True, check=False
    )
    assert done.returncode == 0


@pytest.mark.parametrize("name", [n for n in NAMES if n.startswith("before")])
def test_the_checker_rejects_no_older_proof(name: str) -> None:
    """They do not say what they are about, so that it can't check them either."""
    document = renewed(name)
    if document["proof"] is None:
        pytest.skip("it carries no proof")
    assert checker.check(document).status in ("checked", "not re-checked")


def test_they_are_many_and_small() -> None:
    documents = [json.loads((FOLDER / f"{name}.json").read_text()) for name in NAMES]
    assert len(NAMES) >= 30
    assert {"PROVED", "EXACT", "REFUTED", "NOT REFUTED", "UNDECIDED"} <= {
        document["verdict"] for document in documents
    }
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 200_000
