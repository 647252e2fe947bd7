"""``dp-audit sensitivity``: exit codes, the text, the JSON."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.audit.calls import Command

SOURCE = Path(__file__).parents[1] / "auditors" / "sensitivity" / "hostile_queries.py"


@pytest.fixture
def beside(folder: Path) -> Path:
    """The user's folder with a module of queries."""
    (folder / "queries.py").write_text(SOURCE.read_text())
    return folder


FEW = "--examples 5 --neighbours add-remove"


def test_an_honest_query_ends_with_0(dp_audit: Command, beside: Path) -> None:
    found = dp_audit(f"sensitivity queries:size --declared l1=1 --cells 2 --records 2 {FEW}")
    assert (found.code, found.err) == (0, "")
    assert "L1 sensitivity: not violated" in found.out
    assert "all databases of 0 to 2 records over 2 cells (add-remove)" in found.out
    assert "a line on standard output" not in found.out


def test_a_liar_ends_with_1_its_pair_and_a_line_that_shows_it(
    dp_audit: Command, beside: Path
) -> None:
    line = f"sensitivity queries:squared --declared l1=3 --cells 2 --records 4 {FEW}"
    found = dp_audit(f"{line} --json out.json")
    assert found.code == 1 and "L1 sensitivity: VIOLATED" in found.out
    document = json.loads((beside / "out.json").read_text())
    assert document["exceeded"] is True and document["declared"] == "l1=3"
    assert document["unit"] == {"name": "record", "max_records": 1}
    smallest, largest = [f for f in document["findings"] if f["violated"]]
    assert (smallest["found"], largest["found"]) == ("5", "7")
    assert len(smallest["pair"]["second"]) == 3
    words = shlex.split(smallest["replay"])
    assert words[:2] == ["python", "-c"]
    again = subprocess.run(
        [sys.executable, *words[1:]], capture_output=True, cwd=beside, check=True
    )
    assert again.stdout.split() == [b"4", b"9"]


def test_persons_and_domain_files(dp_audit: Command, beside: Path) -> None:
    line = "sensitivity queries:size --declared l1=2 --domain domain.toml --examples 5 --records 2"
    person = "--neighbours add-remove --unit person --max-records 2"
    assert dp_audit(f"{line} {person}").code == 0
    found = dp_audit(f"{line.replace('l1=2', 'l1=1')} {person}")
    assert found.code == 1 and "persons with at most 2 records" in found.out


def test_floats_within_bounds(dp_audit: Command, beside: Path) -> None:
    line = "sensitivity queries:floats --declared l1=1 --records 2 --examples 5"
    found = dp_audit(f"{line} --neighbours add-remove --floats x=0..1")
    assert found.code == 1 and "rounding" in found.out
    loose = line.replace("l1=1", "l1=1.001")
    assert dp_audit(f"{loose} --neighbours add-remove --floats x=0..1").code == 0


def test_a_function_that_always_fails_ends_with_4(dp_audit: Command, beside: Path) -> None:
    found = dp_audit(f"sensitivity queries:raises --declared l1=1 --cells 2 --records 2 {FEW}")
    assert found.code == 4 and "raised ValueError" in found.err and "private" not in found.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("queries:size --declared l1=1", "state the domain once"),
        ("queries:size --declared l1=1 --cells 2 --floats x=0..1", "give one of them"),
        ("queries:size --declared l1=1 --floats x=0", "reads NAME=LOW..HIGH"),
        ("queries:size --declared l1=1 --floats x=0..inf", "finite bounds"),
        ("queries:size --declared l9=1 --cells 2", "a declared sensitivity reads like"),
        ("queries:size --declared l1=inf --cells 2", "finite number"),
        ("queries:size --declared l1=1 --cells 2 --records 0", "--records must be"),
        ("queries:size --declared l1=1 --cells 2 --records 100000", "10000 at most"),
        ("queries:absent --declared l1=1 --cells 2", "could not be imported"),
        ("nowhere:f --declared l1=1 --cells 2", "could not be imported"),
        ("size --declared l1=1 --cells 2", "expected module:function"),
        ("queries:LIMIT --declared l1=1 --cells 2", "can't be called"),
    ],
)
def test_bad_input_ends_with_2_and_a_sentence(
    dp_audit: Command, beside: Path, line: str, said: str
) -> None:
    found = dp_audit(f"sensitivity {line} --neighbours add-remove")
    assert found.code == 2 and said in found.err
    assert "Traceback" not in found.err and found.out == ""
