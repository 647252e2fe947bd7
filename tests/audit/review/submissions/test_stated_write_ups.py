"""The [write-up] table is read strictly, and all that is wrong with it is noted."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from typing import Any

import pytest

from audit.review.submissions.sections import LONGEST_WORDS, Section
from audit.review.submissions.stated_write_ups import MOST_QUERIES, read_write_up
from audit.review.submissions.submission import StatedQuery, StatedWriteUp


def read(table: Any) -> tuple[StatedWriteUp, list[str]]:
    """What a table states, and what is wrong with it."""
    section = Section(table, "[write-up]", [])
    return read_write_up(section), section.problems


def test_all_that_may_be_stated_is_read() -> None:
    text = """
        [write-up]
        file = "write-up.pdf"
        [[write-up.query]]
        name = "ages"
        question = '{"kind": "marginal"}'
        sensitivity = 2
        share = "0.50"
        noise = "discrete-laplace"
        file = "synth.py"
        line = 14
        [[write-up.query]]
        name = "sexes"
        sensitivity = "sqrt(2)"
    """
    ages = StatedQuery(
        "ages", '{"kind": "marginal"}', "2", "0.50", "discrete-laplace", "synth.py", 14
    )
    sexes = StatedQuery("sexes", sensitivity="sqrt(2)")
    assert read(tomllib.loads(text)["write-up"]) == (
        StatedWriteUp("write-up.pdf", (ages, sexes)),
        [],
    )
    assert read({}) == (StatedWriteUp(), [])


def test_its_keys_are_those_of_the_value() -> None:
    _, (problem,) = read({"query": [{"name": "a", "epsilon": "1"}]})
    known = problem.partition("known there: ")[2]
    assert set(known.split(", ")) == set(StatedQuery.__dataclass_fields__)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"queries": []}, "[write-up] has the unknown key 'queries'"),
        ({"file": 3}, "[write-up]: file must be a text"),
        ({"query": {}}, "must be at most"),
        ({"query": [{"name": "a"}] * (MOST_QUERIES + 1)}, "must be at most"),
        ({"query": [3]}, "tables: write [[write-up.query]]"),
        ({"query": [{"name": "a"}, {}]}, "[[write-up.query]] number 2: a query needs a name"),
        ({"query": [{"name": ""}]}, "needs a name"),
        ({"query": [{"name": 3}]}, "name must be a text"),
        ({"query": [{"name": "a", "share": 0.5}]}, "share must be a number"),
        ({"query": [{"name": "a", "share": Decimal("0.5")}]}, "share must be a number"),
        ({"query": [{"name": "a", "share": "half"}]}, "share must be a number"),
        ({"query": [{"name": "a", "share": "2"}]}, "between 0 and 1"),
        ({"query": [{"name": "a", "share": "sqrt(1/2)"}]}, "between 0 and 1"),
        ({"query": [{"name": "a", "sensitivity": True}]}, "sensitivity must be a number"),
        ({"query": [{"name": "a", "sensitivity": "-1"}]}, "sensitivity must be a number"),
        ({"query": [{"name": "a", "sensitivity": 10**5000}]}, "sensitivity must be a number"),
        ({"query": [{"name": "a", "line": 0}]}, "line must be a whole number of at least 1"),
        ({"query": [{"name": "a", "line": True}]}, "line must be a whole number"),
        ({"query": [{"name": "a", "line": "14"}]}, "line must be a whole number"),
        ({"query": [{"name": "a" * (LONGEST_WORDS + 1)}]}, "name must be a text"),
    ],
)
def test_anything_else_is_noted_with_its_place(table: dict[str, Any], says: str) -> None:
    _, problems = read(table)
    assert len(problems) == 1 and says in problems[0]


def test_all_problems_are_noted_at_once() -> None:
    _, problems = read({"query": [{"name": "a", "share": "2", "line": 0}, {"noise": 3}]})
    assert len(problems) == 4
