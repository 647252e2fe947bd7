"""The figures of agencies' methods that the package carries are those of its command."""

from __future__ import annotations

import json

from audit.channels.measures.attacker import last_record
from audit.channels.measures.epsilon import epsilon
from docs import agency_figures
from tests.docs.agency_channels import BY_NAME, published


def test_the_file_is_what_its_command_writes() -> None:
    assert agency_figures.FILE.read_text("utf-8") == agency_figures.figures()


def test_every_method_of_the_page_has_its_name_and_its_certainty() -> None:
    assert set(agency_figures.NAMES) == set(BY_NAME)
    rows = json.loads(agency_figures.FILE.read_text("utf-8"))["methods"]
    for row, program in zip(rows, BY_NAME, strict=True):
        sure = last_record(epsilon(published(program))).posterior
        assert (sure.lower == 1) == (row["epsilon"]["lower"] == "inf")
