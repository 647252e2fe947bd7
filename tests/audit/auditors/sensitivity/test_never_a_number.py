"""A function whose answer is never a number has no sensitivity to be found."""

from __future__ import annotations

import math
from typing import Any

import pytest

from audit.auditors.sensitivity.declaration import parse_declaration
from audit.auditors.sensitivity.examine import StatedQuery, examine
from synthesizers.domain import Domain
from synthesizers.errors import ProtocolError
from synthesizers.neighbours import AddRemove


def _examined(function: Any) -> Any:
    query = StatedQuery("f", function, Domain.from_cells("2"), parse_declaration("l1=1"))
    return examine(query, AddRemove(), (2,), examples=20)


def test_always_nan_is_no_answer() -> None:
    with pytest.raises(ProtocolError, match="returned NaN"):
        _examined(lambda records: math.nan)


def test_nan_on_one_neighbour_alone_is_an_infinite_change() -> None:
    found = _examined(lambda records: math.nan if records else 0.0)
    assert any(finding.violated and finding.found == "inf" for finding in found)


def test_an_empty_answer_is_one() -> None:
    assert not any(finding.violated for finding in _examined(lambda records: []))
