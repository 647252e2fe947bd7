"""Arguments of a test that don't fit are refused in a sentence, not by a traceback."""

from __future__ import annotations

from typing import Any

import pytest

from audit.testing.claims.asked import Asked
from synthesizers.errors import InputError

pytestmark = pytest.mark.smoke


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"pair": 5}, "two databases"),
        ({"pair": ([], [], [])}, "two databases"),
        ({"pair": "ab"}, "two databases"),
        ({"require": ["exact"]}, "require must be"),
        ({"require": "exactly"}, "require must be"),
        ({"neighbours": None}, "name the neighbours"),
        ({"domain": 5}, "a domain is"),
        ({"records": 0}, "records must be"),
        ({"rows": "x"}, "rows must be"),
        ({"seed": -1}, "seed must be"),
        ({"runs": 1.5}, "runs must be"),
    ],
)
def test_an_argument_of_another_kind_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        Asked(**{"claim": "epsilon=1", "neighbours": "add-remove", **wrong})
