"""The pages of reference are what the code gives, and they leave nothing out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from audit.cli.commands import COMMANDS
from docs.reference import MADE, PAGE
from docs.schemas import SCHEMAS


@pytest.mark.parametrize("page", MADE, ids=lambda page: page.stem)
def test_a_page_is_what_the_code_gives(page: Path) -> None:
    assert page.read_text("utf-8") == MADE[page]()


def test_every_command_and_every_document_has_its_section() -> None:
    for page, names in (("commands", COMMANDS), ("json", SCHEMAS)):
        headings = re.findall(r"^### (.+)$", (PAGE / f"{page}.md").read_text("utf-8"), re.MULTILINE)
        assert sorted(headings) == sorted(names)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_key_of_a_document_has_a_meaning(name: str) -> None:
    for branch in SCHEMAS[name].get("oneOf", [SCHEMAS[name]]):
        unsaid = [key for key, value in branch["properties"].items() if "description" not in value]
        assert unsaid == []
