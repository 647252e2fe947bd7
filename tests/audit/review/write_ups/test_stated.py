"""The [write-up] table is read strictly."""

from __future__ import annotations

import tomllib
from decimal import Decimal
from typing import Any

import pytest

from audit.review.submissions.submission import StatedQuery, StatedWriteUp
from audit.review.write_ups.stated import KEYS, MOST_QUERIES, read_stated
from synthesizers.errors import InputError


def test_all_that_may_be_stated_is_read() -> None:
    text = """
        [write-up]
        file = "write-up.pdf"
        [[write-up.query]]
        name = "ages"
        question = '{"kind": "marginal"}'
        sensitivity = 2
        share = 0.50
        noise = "discrete-laplace"
        file = "synth.py"
        line = 14
        [[write-up.query]]
        name = "sexes"
    """
    table = tomllib.loads(text, parse_float=Decimal)["write-up"]
    ages = StatedQuery(
        "ages", '{"kind": "marginal"}', "2", "0.50", "discrete-laplace", "synth.py", 14
    )
    assert read_stated(table) == StatedWriteUp("write-up.pdf", (ages, StatedQuery("sexes")))
    assert read_stated({}) == StatedWriteUp()


def test_its_keys_are_those_of_the_value() -> None:
    assert set(KEYS) == set(StatedQuery.__dataclass_fields__)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ({"queries": []}, r"\[write-up\] has the keys file, query; found 'queries'"),
        ({"file": 3}, "file of .* is a text"),
        ({"query": {}}, "is a list of at most"),
        ({"query": [{"name": "a"}] * (MOST_QUERIES + 1)}, "is a list of at most"),
        ({"query": [3]}, "query 1 .* is a table"),
        ({"query": [{"name": "a"}, {}]}, "query 2 .* needs a name"),
        ({"query": [{"name": ""}]}, "needs a name"),
        ({"query": [{"name": "a", "epsilon": "1"}]}, "found 'epsilon'"),
        ({"query": [{"name": "a", "share": 0.5}]}, 'is a text such as "1/2" or "0.5"'),
        ({"query": [{"name": "a", "share": "half"}]}, "share of query 1 .* is a number"),
        ({"query": [{"name": "a", "share": "2"}]}, "from 0 to 1"),
        ({"query": [{"name": "a", "share": "sqrt(1/2)"}]}, "from 0 to 1"),
        ({"query": [{"name": "a", "sensitivity": True}]}, "sensitivity of query 1"),
        ({"query": [{"name": "a", "sensitivity": "-1"}]}, "sensitivity of query 1"),
        ({"query": [{"name": "a", "line": 0}]}, "from 1 on"),
        ({"query": [{"name": "a", "line": True}]}, "from 1 on"),
        ({"query": [{"name": "a", "line": "14"}]}, "from 1 on"),
        ({"query": [{"name": "a" * 200_000}]}, "name of query 1"),
    ],
)
def test_anything_else_is_refused_by_its_place(table: dict[str, Any], says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_stated(table)
