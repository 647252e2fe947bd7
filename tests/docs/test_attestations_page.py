"""The page on attestations: its commands are read, its tables are those of the code."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from audit.cli.main import parser
from audit.report.attestation.facts import MARKS
from audit.review.attestations.in_toto import (
    TEST_RESULT,
    find_result,
    state_test_result,
    state_verification,
)
from tests.audit.report.samples import certificates
from tests.audit.review.attestations.made_attestations import CONFIRMED, attest
from tests.docs.lists import read_items

PAGE = (Path(__file__).parents[2] / "docs/reference/attestations.md").read_text("utf-8")


def test_its_commands_are_read() -> None:
    blocks = re.findall(r"```\n(.*?)```", PAGE, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", "").splitlines()]
    commands = [line.split("#")[0].split()[1:] for line in lines if line.startswith("dp-audit")]
    assert len(commands) == 2
    for words in commands:
        parser().parse_args(words)


def test_its_marks_and_results_are_those_of_the_code() -> None:
    items = list(read_items(PAGE))
    marks = {words.strip("*"): parts["how it is known"] for words, parts in items if parts}
    assert list(marks) == list(MARKS)
    for mark, text in MARKS.items():
        assert marks[mark].replace("`", "").startswith(text)
    results = dict(words.split("`: ", 1) for words, _ in items if re.match("`[A-Z]+ED`: ", words))
    for certificate in certificates().values():
        result = find_result(attest(certificate, CONFIRMED).reread)
        assert certificate.verdict.value in results[f"`{result}"]


def test_it_names_every_property() -> None:
    named = set(re.findall(r"`(DP_AUDIT_[A-Z_]+)", PAGE))
    made = {
        text.split()[0]
        for name in ("exact", "proved")
        for text in state_verification(attest(certificates()[name], CONFIRMED))["predicate"][
            "properties"
        ]
    }
    assert made == named


def test_its_gate_opens_for_what_passed_alone(tmp_path: Path) -> None:
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    assert f"--type {TEST_RESULT} " in PAGE
    (gate,) = (line for line in PAGE.splitlines() if line.startswith("jq "))
    for name, code in (("proved", 0), ("attack unseen", 1), ("refuted", 1)):
        statement = json.dumps(state_test_result(attest(certificates()[name], CONFIRMED)))
        payload = base64.b64encode(statement.encode()).decode()
        (tmp_path / "test.sigstore.json").write_text(
            json.dumps({"dsseEnvelope": {"payload": payload}})
        )
        found = subprocess.run(["sh", "-c", gate], cwd=tmp_path, capture_output=True, check=False)
        assert found.returncode == code, name
