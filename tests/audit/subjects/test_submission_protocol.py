"""The written protocol: its examples run, and its table says what a run is handed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from audit.auditors.attack.independence.first_runs import COMPARED, FEWEST, MOST
from audit.statements.limits import Limits
from audit.subjects.command import PROTOCOL, TABLE_BYTES, CommandBox
from audit.subjects.confinement import ChildLimits
from audit.subjects.outcomes import Outcomes
from audit.subjects.pair import Pair
from audit.subjects.served import ServedBox
from audit.subjects.server import (
    HELLO_SECONDS,
    LINE_BYTES,
    NAME,
    SERVER_RUNS,
    SERVING,
    Serving,
    ask_serving,
)
from proofs.guarantees import ApproxDP
from synthesizers.domain import Attribute, Domain
from synthesizers.neighbours import AddRemove
from tests.docs.lists import read_items

pytestmark = pytest.mark.skipif(os.name != "posix", reason="submissions run on POSIX systems")

TEXT = (Path(__file__).parents[3] / "docs/reference/submission-protocol.md").read_text("utf-8")
DOMAIN = Domain("two", (Attribute("sex", ("f", "m")), Attribute("grade", ("1", "2"), missing=True)))
RECORDS = [{"sex": "f", "grade": "2"}, {"sex": "f", "grade": "2"}, {"sex": "m", "grade": None}]


def example(language: str, folder: Path, place: int = 0) -> str:
    """The path of an example in a language, made executable."""
    text = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)[place]
    path = folder / f"example-{language}-{place}"
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


def test_the_served_example_serves_what_it_gives_in_processes_of_its_own(tmp_path: Path) -> None:
    path = Path(example("python", tmp_path, 1))
    # By the interpreter that runs the tests, which has pandas.
    path.write_text(path.read_text().replace("/usr/bin/env python3", sys.executable))
    domain, pair = Domain.from_cells("4"), Pair([{"cell": "3"}] * 5, [])
    box, exact = (
        ServedBox(CommandBox(str(path), ApproxDP(Fraction(epsilon)), AddRemove(), domain, None))
        for epsilon in (1, 200)
    )
    assert ask_serving(str(path), Limits()) is Serving.SHARING
    coins = np.array([False, True, False])
    served = box.draw_afresh(pair, coins, 1)
    assert np.array_equal(served.codes(), box.draw_first(pair, coins, 1).codes())
    assert all(set(table["cell"]) <= {"0", "1", "2", "3"} for table in served.blocks[0])
    found = exact.draw_afresh(pair, coins, 1)
    assert [table["cell"].tolist() for table in found.blocks[0]] == [["3"] * 5, [], ["3"] * 5]


def test_the_lines_and_figures_of_the_served_form_are_those_of_the_program() -> None:
    hello, answer = re.findall(r"```json\n(.*?)\n```", TEXT, re.DOTALL)
    assert json.loads(hello) == {"protocol": NAME, "version": SERVING, "serve": True}
    assert json.loads(answer) == {"run": 1, "exit": 0}
    told = (
        f"within {HELLO_SECONDS:g} seconds",
        f"{COMPARED} runs in processes of their own",
        f"{FEWEST} at least, {MOST} at most",
        f"more than {LINE_BYTES} bytes",
        f"after {SERVER_RUNS} runs",
    )
    assert [words for words in told if words not in " ".join(TEXT.split())] == []


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


def test_the_table_of_options_names_what_a_run_is_handed(tmp_path: Path, notes: Path) -> None:
    heads = [words.partition(": ")[0] for words, _ in read_items(TEXT) if words.startswith("`--")]
    names = [name for head in heads for name in re.findall(r"`(--[a-z-]+)`", head)]
    path = tmp_path / "submission"
    path.write_text(f'#!/bin/sh\necho "$@" > {notes}/seen\n')
    path.chmod(0o755)
    drawn(str(path), DOMAIN, Pair([], []), 1, 4)
    assert (notes / "seen").read_text().split()[::2] == names


def test_the_figures_in_the_text_are_those_of_the_program() -> None:
    assert f"# Submission protocol, version {PROTOCOL}\n" in TEXT
    assert f"`--protocol`: `{PROTOCOL}`" in TEXT
    assert f"`--seconds` ({Limits().seconds})" in TEXT
    assert f"`--megabytes` ({Limits().megabytes})" in TEXT
    assert f"at most {TABLE_BYTES // 2**20} MiB" in TEXT
    assert f"at most {ChildLimits().file_bytes // 2**30} GiB" in TEXT
