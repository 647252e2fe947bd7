"""Times of attestations: RFC 3339 in UTC, or an error."""

from __future__ import annotations

import pytest

from audit.review.attestations.attestation import parse_time
from synthesizers.errors import InputError


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00+00:00"),
        ("2026-01-31T13:30:00.9+01:30", "2026-01-31T12:00:00+00:00"),
    ],
)
def test_a_time_is_in_utc_to_the_second(text: str, time: str) -> None:
    assert parse_time(text).isoformat() == time


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-01-31", "2026-01-31T12:00:00", "0001-01-01T00:00:00+23:00"]
)
def test_a_time_without_a_zone_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="a time is written as 2026-01-31T12:00:00Z"):
        parse_time(text)
