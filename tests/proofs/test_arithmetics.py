"""Enclosures of both arithmetics have numbers in common, and a proof of one is one of the other."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs.derivation import derivation, replay
from synthesizers import reals

pytest.importorskip("flint", reason="needs FLINT: pip install 'dp-audit[flint]'")

ROOT = Path(__file__).parents[2]


def numbers_of(arithmetic: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.proofs.central_numbers"],
        env=os.environ | {reals.VARIABLE: arithmetic},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["arithmetic"] == arithmetic
    return found


@pytest.fixture(scope="module")
def both() -> tuple[dict[str, Any], dict[str, Any]]:
    return numbers_of("mpmath"), numbers_of("flint")


def test_every_enclosure_has_numbers_in_common(both: tuple[dict[str, Any], dict[str, Any]]) -> None:
    own, proved = (found["numbers"] for found in both)
    assert own.keys() == proved.keys() and len(own) > 80
    methods = {name.split(",")[0] for name in own if name.startswith("profile")}
    assert methods >= {
        f"profile {method}" for method in ("gaussian", "laplace", "responses", "values")
    }
    assert {"profile contour", "profile lattice"} <= methods
    for name in own:
        (low, high), (least, most) = (map(Fraction, ends[name]) for ends in (own, proved))
        assert max(low, least) <= min(high, most), name
        # FLINT's are as wide, so that a proof made with it can be made again without.
        assert abs((most - least) - (high - low)) * 2**32 <= high - low, name


def test_a_proof_of_one_arithmetic_is_one_of_the_other(
    both: tuple[dict[str, Any], dict[str, Any]],
) -> None:
    other = next(found for found in both if found["arithmetic"] != reals.ARITHMETIC)
    assert len(other["derivations"]) > 30
    for steps in other["derivations"].values():
        assert derivation(replay(steps)) == steps
