"""An order is written before anything runs, and read as it was written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from audit.review.orders import FILE, read_order, write_order
from audit.review.submissions.submission import StatedClaim, StatedQuery, Unread
from synthesizers.errors import InputError
from tests.audit.review.orders import make_order, make_prepared


def test_an_order_is_read_as_it_was_written(tmp_path: Path) -> None:
    queries = (StatedQuery("counts", sensitivity="1", line=3),)
    prepared = make_prepared(tmp_path, unit="person", queries=queries)
    other = StatedClaim("rho={epsilon}", ("1/2",), "replace-one")
    submission = replace(prepared.submission, asked=other, other_domain=True)
    prepared = replace(prepared, submission=submission)
    order = replace(
        make_order(prepared, data=tmp_path / "data.csv"), unread=(Unread("two", "broken"),)
    )
    write_order(order, tmp_path)
    assert read_order(tmp_path) == order


def test_a_folder_that_was_moved_is_read_where_it_is(tmp_path: Path) -> None:
    first = tmp_path / "first"
    write_order(make_order(make_prepared(first), data=first / "data.csv"), first)
    first.rename(tmp_path / "second")
    order = read_order(tmp_path / "second")
    assert order is not None
    assert order.prepared[0].folder == tmp_path / "second" / "prepared" / "one"
    assert order.challenge.data == tmp_path / "second" / "data.csv"


def test_a_folder_without_an_order_has_none(tmp_path: Path) -> None:
    assert read_order(tmp_path) is None


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "dp-audit/review-order/1"}', "{"])
def test_another_document_is_no_order(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(InputError, match="no order of a review"):
        read_order(tmp_path)


def test_a_field_that_is_not_known_is_no_order(tmp_path: Path) -> None:
    write_order(make_order(make_prepared(tmp_path)), tmp_path)
    document = json.loads((tmp_path / FILE).read_text())
    document["prepared"][0]["submission"]["launch"]["more"] = 1
    (tmp_path / FILE).write_text(json.dumps(document))
    with pytest.raises(InputError, match="no order of a review"):
        read_order(tmp_path)
