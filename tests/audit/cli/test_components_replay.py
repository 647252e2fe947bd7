"""The command that a finding is printed with has every flag that it was found with."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path

import pytest

from audit.cli import components as command
from tests.audit.calls import Command

SOURCE = """
import numpy as np

def add_noise(value, b):
    return value + np.random.laplace(scale=b)

def halved(records, rng, scale=0.5):
    return len(records) + rng.laplace(scale=scale)

def hide(records, rng):
    return add_noise(len(records), 0.5)

class Estimator:
    def fit(self, table):
        self.noisy_ = len(table) + np.random.laplace(scale=0.5)
        return self

    def sample(self, rows):
        import pandas as pd
        return pd.DataFrame({"cell": [str(self.noisy_)] * rows})
"""
DOMAIN = '[attributes]\ncell = { values = ["0", "1"] }\n'
BASE = "--declared epsilon=1 --neighbours add-remove --records 2"

ASKED = {
    "--declared": f"foreign:halved {BASE} --cells 2",
    "--domain": f"foreign:halved {BASE} --domain domain.toml",
    "--cells": f"foreign:halved {BASE} --cells 2x3",
    "--floats": f"foreign:halved {BASE} --floats x=0..1",
    "--records": f"foreign:halved {BASE} --cells 2",
    "--rows": f"foreign:Estimator {BASE} --cells 2 --rows 3",
    "--record": f"foreign:hide {BASE} --cells 2 --record 'foreign:add_noise=laplace(scale=b / 2)'",
    "--set": f"foreign:halved {BASE} --cells 2 --set 'scale=0.25'",
    "--python": f"foreign:halved {BASE} --cells 2 --python {sys.executable}",
    "--doubles": f"foreign:halved {BASE} --cells 2 --doubles",
    "--seed": f"foreign:halved {BASE} --cells 2 --seed 7",
    "--seconds": f"foreign:halved {BASE} --cells 2 --seconds 9",
    "--megabytes": f"foreign:halved {BASE} --cells 2 --megabytes 999",
    "--neighbours": "foreign:halved --declared epsilon=1/2 --neighbours add-remove --cells 3",
    "--unit": f"foreign:halved {BASE} --domain persons.toml --unit person --max-records 2",
    "--max-records": f"foreign:halved {BASE} --domain persons.toml --unit person --max-records 2",
}
"""For every flag that says what is looked at, a line with it that ends in a finding."""

SAYING = {"--json", "--html", "--quiet", "--help", "-h", "--neighbors"}
"""Flags that say how the result is told, and other spellings."""


def list_flags() -> set[str]:
    parser = argparse.ArgumentParser()
    command.add(parser)
    return {name for action in parser._actions for name in action.option_strings}


def read_flags(words: list[str]) -> dict[str, object]:
    parser = argparse.ArgumentParser()
    command.add(parser)
    return vars(parser.parse_args(words))


@pytest.fixture(autouse=True)
def module(folder: Path) -> None:
    (folder / "foreign.py").write_text(SOURCE)
    (folder / "domain.toml").write_text(DOMAIN)
    (folder / "persons.toml").write_text(DOMAIN + '[individual]\nid = "id"\n')


def test_every_flag_has_a_line() -> None:
    assert set(ASKED) | SAYING == list_flags()


@pytest.mark.parametrize("flag", ASKED)
def test_the_command_of_a_finding_has_the_flag(dp_audit: Command, flag: str) -> None:
    shown = dp_audit(f"components {ASKED[flag]} --json - --quiet")
    document = json.loads(shown.out)
    told = [one["replay"] for one in document["findings"]]
    assert told and len(set(told)) == 1
    words = shlex.split(told[0])
    assert words[:2] == ["dp-audit", "components"]
    said, asked = read_flags(words[2:]), read_flags(shlex.split(ASKED[flag]))
    assert said == asked


@pytest.mark.parametrize("flag", ["--record", "--set", "--doubles", "--floats"])
def test_the_command_shows_the_same_again(dp_audit: Command, flag: str) -> None:
    first = json.loads(dp_audit(f"components {ASKED[flag]} --json - --quiet").out)
    line = first["findings"][0]["replay"].removeprefix("dp-audit ")
    assert json.loads(dp_audit(f"{line} --json - --quiet").out) == first
