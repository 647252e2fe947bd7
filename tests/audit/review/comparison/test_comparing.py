"""Comparisons: what is not believed is compared with nothing."""

from __future__ import annotations

import pytest

from audit.review.comparison.comparing import compare_certificates
from audit.review.rereading import reread
from synthesizers.errors import InputError
from tests.audit.review.certificates import change, read


def test_certificates_stand_in_the_group_of_their_question() -> None:
    found = compare_certificates([read("exact"), read("refuted"), read("wide")])
    assert [[one.name for one in group.entries] for group in found.groups] == [
        ["exact", "wide"],
        ["refuted"],
    ]
    assert found.disbelieved == () and found.revisions == ()


def test_what_is_not_believed_ranks_nowhere() -> None:
    forged = reread("forged", change("exact", lambda document: document.update(verdict="PROVED")))
    found = compare_certificates([forged, read("wide")])
    assert [one.name for one in found.disbelieved] == ["forged"]
    assert [one.name for group in found.groups for one in group.entries] == ["wide"]
    assert len(found.entries) == 2


def test_one_certificate_and_one_twice_are_no_comparison() -> None:
    with pytest.raises(InputError, match="two certificates at the least, found 1"):
        compare_certificates([read("exact")])
    with pytest.raises(InputError, match="named twice"):
        compare_certificates([read("exact"), read("exact")])
