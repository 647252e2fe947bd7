"""What a plan says of the number of runs is what then happens."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dp_audit import certify

PLAN = re.compile(r"plan: at most ([\d,]+) runs, and some ([\d,]+) beside them")


def honest(records: Any, rng: np.random.Generator) -> float:
    return len(records) + round(rng.laplace())


def leaky(records: Any, rng: np.random.Generator) -> float:
    return len(records) + rng.random() / 2


def blind(records: Any, rng: np.random.Generator) -> float:
    return rng.random()


def listing(records: Any, rng: np.random.Generator) -> list[float]:
    return [sum(one["cell"] == "1" for one in records) + rng.laplace(), rng.random()]


SEARCHED: dict[str, Any] = {"cells": 2, "records": 3}
GIVEN: dict[str, Any] = {"pair": ([], [1])}


@pytest.mark.parametrize(
    ("subject", "about", "runs"),
    [
        (honest, SEARCHED, 300),
        (honest, GIVEN, 600),
        (leaky, SEARCHED, 300),
        (blind, SEARCHED, 300),
        (listing, SEARCHED, 600),
    ],
)
def test_as_many_runs_are_made_as_the_plan_says(
    subject: Callable[..., Any], about: dict[str, Any], runs: int, tmp_path: Path
) -> None:
    told: list[str] = []

    def count_calls(records: Any, rng: np.random.Generator) -> Any:
        with open(tmp_path / "runs", "ab", buffering=0) as file:
            file.write(b".")
        return subject(records, rng)

    certify(
        count_calls,
        "epsilon=1",
        neighbours="add-remove",
        runs=runs,
        seed=1,
        progress=lambda what, done, total, words="", *rest: told.append(str(words)),
        **about,
    )
    (plan,) = filter(None, map(PLAN.search, told))
    planned = sum(int(number.replace(",", "")) for number in plan.groups())
    made = (tmp_path / "runs").stat().st_size
    assert planned / 2 <= made <= 2 * planned, (planned, made)
