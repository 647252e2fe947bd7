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
    (one,) = [f for f in document["findings"] if f["violated"]]
    assert one["found"] == "7" and "this smallest pair changes by 5" in one["responsible"]
    assert len(one["pair"]["second"]) == 3
    for line in (one["replay"], _printed_replay(found.out)):
        words = shlex.split(line)
        assert words[:2] == ["python", "-c"] and len(words) == 3
        assert line.count("'") == 2
        again = subprocess.run(
            [sys.executable, *words[1:]], capture_output=True, cwd=beside, check=True
        )
        assert again.stdout.split() == [b"4", b"9"]


def _printed_replay(shown: str) -> str:
    """The line under "replay:", as whoever pastes it hands it to a shell."""
    pasted = shown.partition("replay:")[2].partition("\n\n")[0].strip()
    # A shell joins these lines; shlex does not.
    return pasted.replace("\\\n", "")


def test_nothing_is_left_in_the_folder_but_what_was_asked_for(
    dp_audit: Command, beside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HYPOTHESIS_STORAGE_DIRECTORY", raising=False)
    before = {path.name for path in beside.iterdir()}
    lines = {
        "sensitivity": "sensitivity queries:floats --declared l1=1 --floats x=0..1 --records 3",
        "certify": "certify geometric-sanitizer --claim epsilon=1 --records 2 --cells 2 "
        "--set epsilon=1 --auditors sensitivity",
    }
    for name, line in lines.items():
        words = f"{line} --neighbours add-remove --json {name}.json".split()
        script = [sys.executable, "-c", "from audit.cli.main import main; main()", *words]
        done = subprocess.run(script, cwd=beside, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 3), done.stderr
    left = {path.name for path in beside.iterdir()} - before - {"__pycache__"}
    assert left == {"sensitivity.json", "certify.json"}


def test_persons_and_domain_files(dp_audit: Command, beside: Path) -> None:
    line = "sensitivity queries:size --declared l1=2 --domain domain.toml --examples 5 --records 2"
    person = "--neighbours add-remove --unit person --max-records 2"
    assert dp_audit(f"{line} {person}").code == 0
    found = dp_audit(f"{line.replace('l1=2', 'l1=1')} {person}")
    assert found.code == 1 and "persons with at most 2 records" in found.out


def test_floats_within_bounds(dp_audit: Command, beside: Path) -> None:
    line = "sensitivity queries:floats --declared l1=1 --records 2 --examples 5"
    found = dp_audit(f"{line} --neighbours add-remove --floats x=0..1")
    assert found.code == 0 and "L1 sensitivity: holds up to rounding" in found.out
    assert "instead of ε" in found.out and "on exact numbers" in " ".join(found.out.split())
    loose = line.replace("l1=1", "l1=1.001")
    assert dp_audit(f"{loose} --neighbours add-remove --floats x=0..1").code == 0


def test_a_tolerance_is_exact_and_stands_in_the_json(dp_audit: Command, beside: Path) -> None:
    line = "sensitivity queries:floats --neighbours add-remove --floats x=0..1 --records 2"
    for declared, tolerance, verdict in (
        ("l1=1", "0", "exceeded"),
        ("l1=0.9", "0.12", "holds up to rounding"),
        ("l1=0.9", "1/10", "exceeded"),
    ):
        found = dp_audit(
            f"{line} --declared {declared} --tolerance {tolerance} --examples 5 --json -"
        )
        document = json.loads(found.out)
        assert (document["verdict"], document["exceeded"]) == (verdict, verdict == "exceeded")
        assert found.code == int(verdict == "exceeded")
    for wrong in ("-1", "inf", "some"):
        refused = dp_audit(f"{line} --declared l1=1 --tolerance={wrong}")
        assert refused.code == 2 and "a tolerance" in refused.err


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
        ("queries:absent --declared l1=1 --cells 2", "has no attribute"),
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
