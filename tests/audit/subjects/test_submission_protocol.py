"""The written protocol: its examples run, and its table says what a run is handed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.attack.outcomes import Outcomes
from audit.attack.pair import Pair
from audit.subjects.command import PROTOCOL, TABLE_BYTES, CommandBox
from audit.subjects.limits import FILE_BYTES, Limits
from proofs.guarantees import ApproxDP
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import AddRemove

pytestmark = pytest.mark.skipif(os.name != "posix", reason="submissions run on POSIX systems")

TEXT = (Path(__file__).parents[3] / "docs" / "submission-protocol.md").read_text("utf-8")
DOMAIN = Domain("two", (Attribute("sex", ("f", "m")), Attribute("grade", ("1", "2"), missing=True)))
RECORDS = [{"sex": "f", "grade": "2"}, {"sex": "f", "grade": "2"}, {"sex": "m", "grade": None}]


def example(language: str, folder: Path) -> str:
    """The path of the only example in a language, made executable."""
    (text,) = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    path = folder / f"example-{language}"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def drawn(path: str, domain: Domain, pair: Pair, epsilon: int, rows: int | None) -> Outcomes:
    box = CommandBox(path, ApproxDP(Fraction(epsilon)), AddRemove(), domain, rows)
    return box.draw(pair, np.array([False, True, False]), 1)


def test_the_python_example_writes_tables_of_the_domain(tmp_path: Path) -> None:
    found = drawn(example("python", tmp_path), DOMAIN, Pair(RECORDS, []), 1, 4)
    for table in found.blocks[0]:
        assert list(table.columns) == ["sex", "grade"]
        assert len(table) == 4
        assert set(table["sex"]) <= {"f", "m"} and set(table["grade"]) <= {"1", "2", ""}


def test_the_python_example_keeps_the_counts_where_it_adds_no_noise(tmp_path: Path) -> None:
    # At epsilon 200 a cell's noise differs from 0 with a chance of 2e-87.
    found = drawn(example("python", tmp_path), DOMAIN, Pair(RECORDS, []), 200, None)
    assert [len(table) for table in found.blocks[0]] == [3, 0, 3]
    for table in (found.blocks[0][0], found.blocks[0][2]):
        rows = set(table.itertuples(index=False, name=None))
        assert rows <= {("f", "2"), ("m", "")}


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs R")
def test_the_r_example_writes_tables_of_its_attribute(tmp_path: Path) -> None:
    domain = Domain.from_cells("4")
    pair = Pair([{"cell": "3"}] * 5, [])
    found = drawn(example("r", tmp_path), domain, pair, 200, None)
    assert [table["cell"].tolist() for table in found.blocks[0]] == [["3"] * 5, [], ["3"] * 5]


def test_the_shell_example_hands_every_option_on(tmp_path: Path) -> None:
    text = Path(example("sh", tmp_path)).read_text()
    program = tmp_path / "main"
    program.write_text('#!/bin/sh\nshift 7\n{ echo a; echo "$OMP_NUM_THREADS"; } > "$1"\n')
    program.chmod(0o755)
    (called,) = re.findall(r"exec (.*) \"\$@\"", text)
    path = tmp_path / "wrapper"
    path.write_text(text.replace(called, str(program)))
    path.chmod(0o755)
    found = drawn(str(path), DOMAIN, Pair([], []), 1, None)
    assert [table["a"].tolist() for table in found.blocks[0]] == [[1.0]] * 3


def test_the_steps_by_hand_run_a_submission(tmp_path: Path) -> None:
    shutil.copy(example("python", tmp_path), tmp_path / "submission")
    (steps,) = re.findall(r"## By hand\n\n```\n(.*?)```", TEXT, re.DOTALL)
    ended = subprocess.run(
        ["/bin/sh", "-c", steps], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    lines = ended.stdout.split()
    assert lines[:2] == ["0", "cell"] and len(lines) == 5
    assert set(lines[2:]) <= {"0", "1", "2", "3"}
    written = (tmp_path / "run" / "domain.json").read_text()
    assert Domain.from_json(json.loads(written)) == Domain.from_cells("4")


def test_the_table_of_options_names_what_a_run_is_handed(tmp_path: Path) -> None:
    told = re.findall(r"^\| (`--[^|]*) \|", TEXT, re.MULTILINE)
    names = [name for cell in told for name in re.findall(r"`(--[a-z-]+)`", cell)]
    path = tmp_path / "submission"
    path.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/seen\n')
    path.chmod(0o755)
    drawn(str(path), DOMAIN, Pair([], []), 1, 4)
    assert (tmp_path / "seen").read_text().split()[::2] == names


def test_the_figures_in_the_text_are_those_of_the_program() -> None:
    assert f"# Submission protocol, version {PROTOCOL}\n" in TEXT
    assert f"`--protocol` | `{PROTOCOL}`" in TEXT
    assert f"`--seconds` ({Limits().seconds})" in TEXT
    assert f"`--megabytes` ({Limits().megabytes})" in TEXT
    assert f"at most {TABLE_BYTES // 2**20} MiB" in TEXT
    assert f"at most {FILE_BYTES // 2**30} GiB" in TEXT
