"""The page on domain files: its example is one, its commands are, and its limits are the code's."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pandas as pd

from audit.cli.main import main
from audit.utility.rules import read_rule
from synthesizers.column_schemas import MAX_INTEGERS
from synthesizers.domain_toml import domain_from_toml, rules_from_toml
from synthesizers.drafts.forms import FORMS
from synthesizers.drafts.from_table import MOST_VALUES
from synthesizers.drafts.names import TYPES
from synthesizers.quantities import Quantity
from tests.synthesizers.drafts.samples import METADATA

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "domains.md").read_text()

FENCED = [block.partition("\n") for block in PAGE.split("```")[1::2]]
"""What stands in fences: the language, and the code."""


def blocks(language: str) -> list[str]:
    return [code for spoken, _, code in FENCED if spoken == language]


def test_the_example_is_a_domain_file_with_every_quantity() -> None:
    (text,) = blocks("toml")
    domain = domain_from_toml(text, "d")
    assert {attribute.quantity for attribute in domain.attributes} == set(Quantity)
    assert all(read_rule(rule, domain) for rule in rules_from_toml(text))


def test_the_commands_write_drafts(tmp_path: Path) -> None:
    commands = [line for block in blocks("") for line in block.splitlines()]
    assert len(commands) == 3
    (tmp_path / "metadata.json").write_text(json.dumps(METADATA))
    pd.DataFrame({"age": range(300)}).to_csv(tmp_path / "last-year.csv", index=False)
    for number, line in enumerate(commands):
        files = {name: str(tmp_path / name) for name in ("metadata.json", "last-year.csv")}
        files["domain.toml"] = str(tmp_path / f"{number}.toml")
        words = [files.get(word, word) for word in shlex.split(line)[1:]]
        assert main(words) == 0 and (tmp_path / f"{number}.toml").exists()


def test_the_page_knows_all_forms_types_and_limits() -> None:
    assert all(kind in PAGE for kind in TYPES)
    for tool in ("SDNist", "DeID2", "SDV", "SDMetrics", "Frictionless Data", "column schema"):
        assert tool in PAGE and any(tool in form.spoken for form in FORMS)
    assert f"more than {MOST_VALUES} texts" in PAGE and f"at most {MAX_INTEGERS} whole" in PAGE
