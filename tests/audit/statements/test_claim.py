"""Claims: what they cover, and their way through JSON."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.statements.certificate import Certificate
from audit.statements.certificate_json import decode
from audit.statements.claim import Claim
from proofs.guarantees import ApproxDP, parse_guarantee
from synthesizers.domain import Domain
from synthesizers.errors import InputError
from synthesizers.neighbours import AddRemove, Neighbours, ReplaceOne, Unit

pytestmark = pytest.mark.smoke

PERSON = Unit("person", 2)
RELATIONS = (AddRemove(), ReplaceOne(), AddRemove(PERSON), ReplaceOne(PERSON))
ONE = ApproxDP(Fraction(1))


def claim(
    relation: Neighbours, records: Any = 3, cells: str = "2x3", guarantee: Any = ONE, **parts: Any
) -> Claim:
    return Claim(guarantee, relation, "output", Domain.from_cells(cells), records, **parts)


def plain(made: Claim) -> dict[str, Any]:
    """A certificate without evidence about the claim."""
    subject = {"kind": "outputs", "name": "outputs:a,b", "sha256": ["0" * 64] * 2}
    document: dict[str, Any] = json.loads(
        json.dumps(Certificate(subject, made, (), (), "").to_json())
    )
    return document


def read(document: dict[str, Any]) -> Claim:
    return decode(document).about


@pytest.mark.parametrize(
    ("relation", "records", "cells", "expected"),
    [
        (ReplaceOne(), 3, "2x3", "databases of 3 records over 6 cells"),
        (AddRemove(), 3, "2x3", "databases of 0 to 3 records over 6 cells"),
        (ReplaceOne(PERSON), 3, "4", "databases of 0 to 3 records over 4 cells"),
        (AddRemove(), None, "1", "databases of any size over 1 cell"),
        (ReplaceOne(), None, "2", "databases of any size over 2 cells"),
    ],
)
def test_covers_names_the_databases_that_the_relation_and_records_leave(
    relation: Neighbours, records: int | None, cells: str, expected: str
) -> None:
    assert claim(relation, records, cells).covers == expected


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("records", [0, 7, None])
def test_json_and_back_is_the_same_claim(relation: Neighbours, records: int | None) -> None:
    made = claim(relation, records)
    again = read(plain(made))
    assert again == made
    assert plain(again) == plain(made)


def test_json_has_the_contracts_keys() -> None:
    data = plain(claim(ReplaceOne(PERSON), 4, "2x3", parse_guarantee("epsilon=0.1, delta=1e-6")))
    assert data["claim"] == "epsilon=0.1, delta=0.000001"
    assert data["neighbours"] == "replace-one"
    assert data["unit"] == {"name": "person", "max_records": 2}
    assert data["released"] == "output"
    assert (data["domain"]["cells"], data["domain"]["records"]) == (6, 4)


@given(
    st.fractions(min_value=0, max_value=10**6),
    st.fractions(min_value=0, max_value=1).filter(lambda d: d < 1),
)
def test_the_numbers_of_a_claim_survive_its_text_exactly(
    epsilon: Fraction, delta: Fraction
) -> None:
    guarantee = ApproxDP(epsilon, delta)
    assert parse_guarantee(str(guarantee)) == guarantee


@pytest.mark.parametrize("shift", [Fraction(1, 10**30), Fraction(1, 10**31), Fraction(1, 3**70)])
def test_a_tiny_difference_is_not_lost_in_the_text(shift: Fraction) -> None:
    guarantee = ApproxDP(1 - shift)
    assert parse_guarantee(str(guarantee)).epsilon == 1 - shift


@pytest.mark.parametrize("records", [-1, 2.0, 2.5, True, "3", float("nan"), [3]])
def test_records_must_be_a_whole_number(records: Any) -> None:
    with pytest.raises(InputError, match="records"):
        claim(ReplaceOne(), records)


def test_released_is_one_of_two_words() -> None:
    with pytest.raises(InputError, match="released"):
        Claim(ONE, ReplaceOne(), "table", Domain.from_cells("2"), 3)


@pytest.mark.parametrize("key", ["claim", "neighbours", "unit", "released", "domain"])
def test_a_missing_key_is_an_input_error(key: str) -> None:
    data = plain(claim(ReplaceOne()))
    del data[key]
    with pytest.raises(InputError):
        read(data)


BROKEN: list[tuple[str, Any]] = [
    ("claim", 5),
    ("claim", None),
    ("claim", "epsilon=-1"),
    ("claim", "epsilon=nan"),
    ("claim", "epsilon=1e999999999"),
    ("claim", "delta=0"),
    ("neighbours", None),
    ("neighbours", "add-one"),
    ("unit", "record"),
    ("unit", {"name": "record", "max_records": 2}),
    ("unit", {"name": "person", "max_records": 0}),
    ("unit", {"name": "person", "max_records": True}),
    ("unit", {"name": "person", "max_records": "2"}),
    ("unit", {"name": "person"}),
    ("released", []),
    ("domain", []),
    ("domain", {"cells": 2, "records": 3}),
]


@pytest.mark.parametrize(("key", "value"), BROKEN)
def test_a_malformed_value_is_an_input_error(key: str, value: Any) -> None:
    data = {**plain(claim(ReplaceOne())), key: value}
    with pytest.raises(InputError):
        read(data)


def test_a_black_box_may_have_no_domain() -> None:
    given = Claim(parse_guarantee("epsilon=1"), ReplaceOne(), "output", None, None)
    assert plain(given)["domain"] is None
    assert read(plain(given)) == given
    assert "whatever kind" in given.covers
    with pytest.raises(InputError, match="--domain"):
        given.require_domain()
