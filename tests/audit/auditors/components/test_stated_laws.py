"""A law that is stated of a function is tested on what it adds."""

from __future__ import annotations

import pytest

import dp_audit as dpa
from tests.audit.auditors.components import noisy_functions

MODULE = noisy_functions.__name__


@pytest.mark.parametrize(
    ("name", "against"),
    [("inverse", set()), ("halved", {"noise scale"}), ("bell", {"noise law", "noise scale"})],
)
def test_noise_of_another_law_is_named(name, against):
    found = dpa.components(
        getattr(noisy_functions, f"count_{name}"),
        "epsilon=1",
        neighbours="add-remove",
        cells=2,
        records=2,
        record=f"{MODULE}:{name}=laplace(scale=b)",
    )
    bad = [one for one in found.findings if one.violated]
    assert bool(bad) is bool(against)
    assert all(f"{MODULE}:{name}" in one.about for one in bad)
    assert all("noisy_functions.py:" in str(one.responsible) for one in bad)
    assert found.lines_spending
