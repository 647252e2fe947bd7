"""Databases in certificates: what a compact form says is the list, and forged ones are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.statements.databases import MOST_EXPANDED, compact, expand, is_compact
from audit.subjects.pair import CARRIED_CHARACTERS, Pair
from synthesizers.errors import InputError

RECORDS = st.sampled_from([{"a": 0}, {"a": -0.0}, {"a": None}, {"a": "0"}, [0], "0", 1, 1.0, True])


@given(st.lists(RECORDS, max_size=20))
def test_a_compact_form_says_what_the_list_says_in_its_order(database: list[Any]) -> None:
    shown = compact(database)
    assert is_compact(shown) and json.dumps(expand(shown)) == json.dumps(database)
    assert not is_compact(database) and expand(database) is database


@pytest.mark.parametrize(
    "forged",
    [
        {"kinds": {}, "order": []},
        {"kinds": [1], "order": [0]},
        {"kinds": [1], "order": [1, 1]},
        {"kinds": [1], "order": [0, -1]},
        {"kinds": [1], "order": [0, True]},
        {"kinds": [1], "order": [0, 1.0]},
        {"kinds": [1], "order": [0, MOST_EXPANDED + 1]},
    ],
)
def test_forged_forms_are_refused(forged: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="a database of the certificate"):
        expand(forged)


def test_long_databases_of_few_kinds_are_carried_and_others_named_by_their_digest() -> None:
    few, many = [{"a": "x"}] * 5000, [{"a": n} for n in range(5000)]
    pair = Pair(few, many).show()
    assert expand(pair.first) == few and set(pair.second) == {"sha256"}
    assert len(json.dumps(pair.first)) <= CARRIED_CHARACTERS
    # A user's own mapping that looks like the form is not taken for one.
    assert set(Pair({"kinds": [1], "order": [0, 2]}, 1).show().first) == {"sha256"}
