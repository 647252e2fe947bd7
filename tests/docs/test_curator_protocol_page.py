"""The page of the curator protocol says what the schema and the codec say, and its examples run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import audit
from audit.subjects.curator_messages import LONGEST_TEXT
from audit.subjects.lines import LARGEST_LINE
from audit.subjects.program_process import MOST_QUESTIONS, RUN_SECONDS, START_SECONDS
from synthesizers.domain import Domain
from synthesizers.laws.public_laws import SEED_BITS
from synthesizers.plain_forms import MAX_MEMBERS
from synthesizers.plain_values import LARGEST_NUMBER, MAX_DIGITS, MAX_TEXT
from synthesizers.questions_json import (
    budget_from_json,
    question_from_json,
    question_schemas,
    setting_from_json,
)
from tests.docs.lists import read_items

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reference" / "curator-protocol.md").read_text("utf-8")
EXAMPLES = DOCS / "examples" / "curator"
_FILE = Path(audit.__file__).parent / "statements/schema/curator-protocol-1.json"
SCHEMA = json.loads(_FILE.read_text())


@pytest.mark.parametrize("language, name", [("python", "py"), ("sh", "sh"), ("r", "R")])
def test_the_code_on_the_page_is_that_of_the_files(language: str, name: str) -> None:
    (text,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert text == (EXAMPLES / f"geometric.{name}").read_text("utf-8")


def test_no_example_imports_anything_of_ours() -> None:
    imported = re.findall(r"^(?:import|from) (\w+)", (EXAMPLES / "geometric.py").read_text(), re.M)
    assert set(imported) <= sys.stdlib_module_names


def conversation() -> list[tuple[str, dict[str, Any]]]:
    (block,) = re.findall(r"## A conversation.*?```\n(.*?)```", PAGE, re.DOTALL)
    return [(line[0], json.loads(line[2:])) for line in block.splitlines()]


def test_the_conversation_is_that_of_the_python_example() -> None:
    lines = conversation()
    heard = "".join(json.dumps(message) + "\n" for side, message in lines if side == "<")
    ended = subprocess.run(
        [sys.executable, "-I", EXAMPLES / "geometric.py"],
        input=heard,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    said = [json.loads(line) for line in ended.stdout.splitlines()]
    assert said == [message for side, message in lines if side == ">"]


def test_every_message_of_the_page_is_of_the_schema() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    for side, message in conversation():
        name = {">": "from_program", "<": "from_curator"}[side]
        jsonschema.validate(message, {"$ref": f"#/$defs/{name}", "$defs": SCHEMA["$defs"]})


def test_every_message_of_the_schema_is_on_the_page() -> None:
    sides = ("from_program", "from_curator")
    names = [one["$ref"].split("/")[-1] for side in sides for one in SCHEMA["$defs"][side]["oneOf"]]
    for name in names:
        for key in SCHEMA["$defs"][name]["properties"]:
            assert f'"{key}"' in PAGE or f"`{key}`" in PAGE, (name, key)


def fields_by_name(label: str) -> dict[str, str]:
    """Names and fields of a list of the page, by what its items say of each."""
    items = [(words, parts) for words, parts in read_items(PAGE) if label in parts]
    return {words.strip("`"): parts.get("fields", "") for words, parts in items}


def test_the_lists_name_every_kind_of_question_with_its_fields() -> None:
    schemas = question_schemas()
    told = fields_by_name("what it asks") | fields_by_name("answers") | fields_by_name("of")
    assert told.keys() == schemas.keys() - {"question"}
    for name, cell in told.items():
        key = next(key for key in ("event", "kind", "law") if key in schemas[name]["properties"])
        fields = [field for field in schemas[name]["properties"] if field != key]
        if schemas[name]["properties"].get("event"):
            fields = [field for field in schemas[name]["properties"] if field != "event"]
        assert re.findall(r"`([a-z_]+)`", cell) == fields, name
        optional = [field for field in fields if field not in schemas[name]["required"]]
        assert re.findall(r"\[`([a-z_]+)`\]", cell) == optional, name


def test_the_plain_data_on_the_page_are_read() -> None:
    lines = [message for _, message in conversation()]
    setting = setting_from_json(lines[1]["setting"])
    assert setting.domain == Domain.from_cells("2")
    assert question_from_json(lines[4]["ask"], setting.domain).kind == "measure"
    (seed,) = re.findall(r'> (\{"ask": .*?"seed".*?\})`', PAGE)
    assert question_from_json(json.loads(seed)["ask"], setting.domain).kind == "draw"
    (item,) = re.findall(r"- `budget` is(.*?)- `ledger`", PAGE, re.DOTALL)
    found = re.findall(r"`(\{.*?\})`", item.replace("\n", ""))
    assert len(found) == 4
    for plain in found:
        budget_from_json(json.loads(plain))


def test_the_figures_on_the_page_are_those_of_the_code() -> None:
    text = " ".join(PAGE.split())
    assert f"at most {LARGEST_LINE // 2**20} MiB" in text
    assert f"texts of at most {LONGEST_TEXT} characters" in text
    assert f"at most {MOST_QUESTIONS} different questions" in text
    assert f"{START_SECONDS:g} seconds for each of its first two" in text
    assert f"{RUN_SECONDS:g} for any other" in text
    assert LARGEST_NUMBER == 2**53 - 1 and "2^53 - 1" in text
    assert text.count(f"at most {MAX_DIGITS} digits") == 3
    assert MAX_TEXT == 2**25 and "At most 2^25 characters" in text
    assert MAX_MEMBERS == 2**24 and "At most 2^24 members" in text
    assert f"2^{SEED_BITS} - 1" in text and f"always {SEED_BITS} random bits" in text


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a POSIX shell")
def test_the_steps_by_hand_play_a_run(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "geometric.sh", tmp_path)
    (steps,) = re.findall(r"## By hand\n\n.*?```\n(.*?)```", PAGE, re.DOTALL)
    ended = subprocess.run(
        ["/bin/sh", "-c", steps],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    *said, code = ended.stdout.splitlines()
    assert code == "0" and json.loads(said[-1]) == {"output": {"values": [3, 0]}}
    asked = question_from_json(json.loads(said[2])["ask"], Domain.from_cells("2"))
    assert asked.noise.scale == 2  # type: ignore[union-attr]
