"""``dp-audit components``: exit codes, the text, the JSON, another interpreter."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.audit.calls import Command

SOURCE = """
import numpy as np

def honest(records, rng):
    return len(records) + rng.laplace(scale=1.0)

def halved(records, rng, scale=0.5):
    return len(records) + rng.laplace(scale=scale)

def coin(records, rng):
    truth = bool(records) and records[-1]["cell"] == "0"
    return truth if rng.random() < 0.7 else not truth

def add_noise(value, b):
    u = float(np.random.random()) - 0.5
    return value - b * np.sign(u) * np.log(1 - 2 * abs(u))

def named(records, rng):
    return add_noise(len(records), 2.0)
"""
ABOUT = "--declared epsilon=1 --neighbours add-remove --cells 2 --records 2"


@pytest.fixture(autouse=True)
def module(folder: Path) -> None:
    (folder / "foreign.py").write_text(SOURCE)


@pytest.mark.parametrize(("name", "code"), [("honest", 0), ("halved", 1), ("coin", 0)])
def test_the_exit_code_says_what_was_seen(dp_audit: Command, name: str, code: int) -> None:
    found = dp_audit(f"components foreign:{name} {ABOUT}")
    assert found.code == code
    assert ("VIOLATED" in found.out) is (code == 1)
    assert ("LEFT OPEN" in found.out) is (code == 3)


def test_places_are_relative_and_the_table_is_in_the_json(dp_audit: Command, folder: Path) -> None:
    found = dp_audit(f"components foreign:halved {ABOUT} --json out.json --html out.html --quiet")
    assert found.code == 1
    document = json.loads((folder / "out.json").read_text())
    (line,) = document["lines"]
    assert line == {
        "line": "foreign.py:8",
        "law": "laplace",
        "scale": "0.5",
        "moved": "1",
        "spends": "ε 2",
        "share": "100 %",
    }
    assert str(folder) not in (folder / "out.json").read_text()
    assert "foreign.py:8" in (folder / "out.html").read_text()


def test_parameters_are_set(dp_audit: Command) -> None:
    assert dp_audit(f"components foreign:halved {ABOUT} --set scale=1").code == 0


def test_a_named_function_is_one_call_of_noise(dp_audit: Command) -> None:
    line = f"components foreign:named {ABOUT} --quiet --json -"
    plain = json.loads(dp_audit(line).out)
    assert plain["undecided"]
    stated = json.loads(dp_audit(f"{line} --record 'foreign:add_noise=laplace(scale=b)'").out)
    assert not stated["undecided"] and not stated["violated"]
    assert stated["lines"][0]["spends"] == "ε 0.5"


def test_another_interpreter_records_the_same(dp_audit: Command, folder: Path) -> None:
    found = dp_audit(f"components foreign:halved {ABOUT} --python {sys.executable}")
    assert found.code == 1 and "foreign.py:8" in found.out


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nowhere", "expected module:attribute"),
        ("foreign:nothing", "no attribute"),
        ("foreign:honest --record honest", "--record reads module:attribute"),
        ("foreign:honest --record 'foreign:add_noise=cauchy(scale=b)'", "a law of --record"),
        ("foreign:honest --record 'foreign:add_noise=laplace(scale=b())'", "is made of numbers"),
    ],
)
def test_what_makes_no_sense_is_refused(dp_audit: Command, line: str, told: str) -> None:
    found = dp_audit(f"components {line} {ABOUT}")
    assert found.code == 2 and told in found.err
