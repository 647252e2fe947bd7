from __future__ import annotations

import pytest

from audit.utility.labels import value_labels
from synthesizers.domain import Attribute, Domain
from synthesizers.errors import InputError


def test_every_code_has_a_label_and_the_missing_value_keeps_its_own() -> None:
    domain = Domain(
        "d",
        (
            Attribute("plain", ("a", "b")),
            Attribute("blank", ("a",), missing=True),
            Attribute("named", ("a",), missing=True, missing_label="N"),
        ),
    )
    assert value_labels(domain, "plain") == ("a", "b", "outside the domain")
    assert value_labels(domain, "blank") == ("a", "missing", "outside the domain")
    assert value_labels(domain, "named") == ("a", "N", "outside the domain")
    with pytest.raises(InputError, match="no attribute 'x'"):
        value_labels(domain, "x")
