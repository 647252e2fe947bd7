"""The demonstration: four files, figures that agree, a certificate that verifies."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from audit.cli import demo
from tests.audit.processes import run


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    folder = tmp_path_factory.mktemp("demo")
    done = run("demo", "--out", "made", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout, done.stderr


def test_it_leaves_its_files(shown: tuple[Path, str, str]) -> None:
    folder, out, err = shown
    made = {path.name for path in (folder / "made").iterdir()}
    assert made == {
        "report.html",
        "certificate.json",
        "synthetic.csv",
        "ledger.json",
        "patients.toml",
    }
    assert {path.name for path in folder.iterdir()} == {"made"}
    for name in made:
        assert name in out
    assert "releasing 442 patients" in err and "Traceback" not in err


def test_its_certificate_verifies_in_a_fresh_process(shown: tuple[Path, str, str]) -> None:
    folder, _, _ = shown
    done = run("verify", "made/certificate.json", cwd=folder)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads((folder / "made" / "certificate.json").read_text())
    assert document["verdict"] == "PROVED" and document["domain"]["records"] == 442


def test_the_paper_agrees_to_the_last_digit(shown: tuple[Path, str, str]) -> None:
    folder, out, _ = shown
    assert "132 of 132 printed numbers agree" in out
    page = (folder / "made" / "report.html").read_text()
    rows = re.findall(r"Figure (\d).*?</t[hd]>\s*<td[^>]*>(\d+)</td>\s*<td[^>]*>(\d+)</td>", page)
    numbers = {figure: (int(printed), int(agree)) for figure, printed, agree in rows}
    assert set(numbers) == {"1", "2", "3", "4"}
    assert sum(printed for printed, _ in numbers.values()) == 132
    assert all(printed == agree for printed, agree in numbers.values())


def test_the_report_says_what_the_paper_leaves_out(shown: tuple[Path, str, str]) -> None:
    folder, _, _ = shown
    page = (folder / "made" / "report.html").read_text()
    # 5 ln 3, ln 11, the averaged and the worst-case probabilities of the figures' table.
    for number in ("5.49306", "2.39789", "0.00062316", "0.0659", "0.1035"):
        assert number in page
    assert "<script src" not in page and "http://" not in page.replace("http://www.w3.org", "")


def test_the_table_is_442_records_of_the_declared_domain(shown: tuple[Path, str, str]) -> None:
    folder, _, _ = shown
    domain = demo.patients_domain()
    with (folder / "made" / "synthetic.csv").open(newline="") as file:
        header, *rows = list(csv.reader(file))
    assert tuple(header) == domain.names and len(rows) == 442
    for row in rows:
        assert all(v in a.values for v, a in zip(row, domain.attributes, strict=True))
    ledger = json.loads((folder / "made" / "ledger.json").read_text())
    assert ledger["spent"]["epsilon"] == "1" and len(ledger["events"]) == 1


def test_the_rivals_are_told_apart(shown: tuple[Path, str, str]) -> None:
    _, out, _ = shown
    for verdict in ("PROVED", "REFUTED"):
        assert verdict in out


def test_a_file_in_the_way_is_an_input_error(tmp_path: Path) -> None:
    (tmp_path / "made").write_text("mine")
    done = run("demo", "--out", "made", "--quiet", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert (tmp_path / "made").read_text() == "mine"
