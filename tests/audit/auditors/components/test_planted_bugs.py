"""Planted bugs are found, each with its line."""

from __future__ import annotations

import inspect
import re

import pytest

import dp_audit as dpa
from audit.statements.evidence import Decision
from tests.audit.auditors.components import planted_functions
from tests.audit.auditors.components.planted_functions import PLANTED

MARK = "# BUG"


def line_of(name: str) -> int:
    lines, first = inspect.getsourcelines(getattr(planted_functions, name))
    (marked,) = [place for place, line in enumerate(lines) if MARK in line]
    return first + marked


@pytest.mark.parametrize(("name", "claim", "relation"), PLANTED)
def test_a_planted_bug_is_named_with_its_line(name, claim, relation):
    about = {"neighbours": relation, "cells": 3, "records": 4}
    if relation == "persons":
        about = {"neighbours": "add-remove", "unit": "person", "max_records": 2, "cells": 2}
    found = dpa.components(getattr(planted_functions, name), claim, **about)
    against = [one for one in found.findings if one.decision is Decision.VIOLATED]
    assert against, [(one.about, one.decision, one.found) for one in found.findings]
    place = rf"planted_functions\.py:{line_of(name)}\b"
    assert any(re.search(place, str(one.responsible)) for one in against), against
    assert all(one.pair is not None for one in against)
    assert found.exit_code == 1
