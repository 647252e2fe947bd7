"""Calls of libraries in component mode: honest ones kept, bugs named by their line.

The libraries themselves are asked where ``DP_AUDIT_PEERS`` names the Python of an environment that
has them (docs/explanation/components.md says how to make it); everywhere else stand-ins with their
names and attributes take their place, so that what reads those is run.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
import pytest

import dp_audit as dpa
from audit.auditors.components.recording.libraries.diffprivlib import permuted_and_flipped
from audit.statements.evidence import Decision

HERE = Path(__file__).parent / "stand_ins"
PEERS = os.environ.get("DP_AUDIT_PEERS")
PLACES = ("stand-ins", "libraries")


def names_in(file: str) -> list[str]:
    """The functions of a file that are subjects."""
    text = (HERE / f"{file}.py").read_text()
    lines = [line for line in text.splitlines() if line.startswith("def ")]
    return [line[4 : line.index("(")] for line in lines if "records, rng" in line]


def line_of(name: str) -> str:
    """The marked line of a bug, as findings spell it."""
    lines = (HERE / "library_bugs.py").read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"def {name}("))
    place = next(n for n in range(start, len(lines)) if lines[n].endswith("# here"))
    return f"library_bugs.py:{place + 1}"


@pytest.fixture(params=PLACES)
def look(request, monkeypatch, tmp_path):
    """Looks at a function by its name, with stand-ins or with the libraries."""
    python = None
    folder = HERE
    if request.param == "libraries":
        if PEERS is None:
            pytest.skip("DP_AUDIT_PEERS names no Python of an environment with the libraries")
        python, folder = PEERS, tmp_path
        for file in ("library_calls.py", "library_bugs.py"):
            (folder / file).write_text((HERE / file).read_text())
    monkeypatch.chdir(folder)

    def at(name: str, relation: str = "add-remove") -> dpa.results.ComponentsResult:
        if name.endswith("_replace_one"):
            relation = "replace-one"
        return dpa.components(
            name, "epsilon=1", neighbours=relation, cells=6, records=3, python=python
        )

    return at


@pytest.mark.parametrize("name", names_in("library_calls"))
def test_honest_calls_are_not_accused(name, look):
    result = look(f"library_calls:{name}")
    assert not result.violated, result
    assert not any(one.decision is Decision.UNDECIDED for one in result.findings), result
    assert result.lines_spending


@pytest.mark.parametrize("name", names_in("library_bugs"))
def test_a_bug_is_named_by_its_line(name, look):
    result = look(f"library_bugs:{name}")
    told = [one for one in result.findings if one.decision is not Decision.KEPT]
    assert any(line_of(name) in (one.responsible or "") for one in told), result


def test_a_sum_that_overflows_is_named(monkeypatch):
    """No noise of a scale that fits the declared sensitivity hides an infinity."""
    monkeypatch.chdir(HERE)
    result = dpa.components(
        "library_floats:overflowing",
        "epsilon=1",
        neighbours="add-remove",
        floats="x=0..1e308",
        records=3,
    )
    told = [one for one in result.findings if one.decision is not Decision.KEPT]
    assert any("library_floats.py:9" in (one.responsible or "") for one in told), result


OPENDP = """
import opendp.combinators
from opendp.measurements import make_gaussian, make_laplace, make_randomized_response_bool
from opendp.mod import Transformation

DOMAIN = "AtomDomain(T=i32)"


def total(values):
    return sum(values)


GIVEN, TOLD = "SymmetricDistance()", "AbsoluteDistance(i32)"
summed = Transformation("values", GIVEN, DOMAIN, TOLD, total, abs)
honest = summed >> make_laplace(DOMAIN, "AbsoluteDistance(i32)", scale=2.0)
normal = make_gaussian(DOMAIN, "AbsoluteDistance(i32)", scale=2.0)


def chained(records, rng):
    return honest([int(record["cell"]) for record in records])


def zcdp(records, rng):
    return normal(sum(int(record["cell"]) for record in records))


def twice(records, rng):
    values = [int(record["cell"]) for record in records]
    return [honest(values) for _ in range(2)]


coin = make_randomized_response_bool(0.75)


def respond(records, rng):
    return coin(len(records) > 1)
"""


def test_the_law_of_a_measurement_is_that_of_its_constructor(monkeypatch, tmp_path):
    """Though it is made as its module is imported, before anything is recorded."""
    for file in sorted((HERE / "opendp").glob("*.py")):
        target = tmp_path / "opendp" / file.name
        target.parent.mkdir(exist_ok=True)
        target.write_text(file.read_text())
    (tmp_path / "uses.py").write_text(OPENDP)
    monkeypatch.chdir(tmp_path)
    about = {"neighbours": "add-remove", "cells": 3, "records": 3}
    kept = dpa.components("uses:chained", "epsilon=1", **about)
    assert kept.exit_code == 0, kept
    assert [row[:3] for row in kept.rows()] == [("uses.py:20", "discrete laplace", "2")]
    assert dpa.components("uses:zcdp", "rho=1/2", **about).exit_code == 0
    stated = dpa.components("uses:respond", "epsilon=1.1", **about)
    assert stated.exit_code == 0 and "at the word of their library" in stated.findings[0].found
    less = dpa.components("uses:respond", "epsilon=1.09", **about)
    assert less.exit_code == 3 and not less.violated
    assert dpa.components("uses:zcdp", "rho=1/4", **about).exit_code != 0
    broken = dpa.components("uses:twice", "epsilon=1", **about)
    assert broken.exit_code in (1, 3)
    assert any("uses.py:29" in (one.responsible or "") for one in broken.findings)


def test_a_mechanism_of_compiled_code_is_read_by_position(monkeypatch):
    monkeypatch.chdir(HERE)
    about = {"neighbours": "add-remove", "cells": 3, "records": 3}
    assert dpa.components("pydp_calls:total", "epsilon=1", **about).exit_code == 0
    assert dpa.components("pydp_calls:too_small", "epsilon=1", **about).exit_code == 1


@pytest.mark.parametrize("scores", [[0.0], [0.0, -1.0], [-2.0, 0.0, -0.5]])
def test_the_chances_of_permute_and_flip_are_those_of_all_orders(scores):
    """Against the definition: candidates in every order, each a coin."""
    from itertools import permutations

    weights = [math.exp(score) for score in scores]
    chances = np.zeros(len(scores))
    orders = list(permutations(range(len(scores))))
    for order in orders:
        left = 1.0
        for place in order:
            chances[place] += left * weights[place] / len(orders)
            left *= 1 - weights[place]
    assert permuted_and_flipped(scores) == pytest.approx(chances.tolist(), rel=1e-12)
