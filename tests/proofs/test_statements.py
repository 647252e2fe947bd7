"""Every rule has its page, and every test that a page or a Guarantee section names exists."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from pathlib import Path

import pytest

from proofs import statements
from proofs.rules import RULES
from proofs.statements import page, summary

ROOT = Path(__file__).resolve().parents[2]
PAGES = Path(statements.__file__).parent
HEADINGS = ["Statement", "Side conditions", "Why", "Source", "Tests"]
TEST = re.compile(r"((?:tests/[\w/]*/)?(?:test|slow)_\w+\.py)(?:::(\w+))?")


@cache
def functions(path: Path) -> frozenset[str]:
    """The functions that a file of tests defines."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@cache
def files(name: str) -> tuple[Path, ...]:
    """The files of tests of a path, or of a bare name."""
    if "/" in name:
        return (ROOT / name,) if (ROOT / name).is_file() else ()
    return tuple((ROOT / "tests").rglob(name))


def missing(text: str) -> list[str]:
    """The tests that a text names and nobody wrote."""
    return [
        found[0]
        for found in TEST.finditer(text)
        if not any(found[2] is None or found[2] in functions(path) for path in files(found[1]))
    ]


def test_pages_and_rules_are_the_same() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} == set(RULES)


@pytest.mark.parametrize("rule", RULES)
def test_a_page_has_its_headings_and_nothing_is_empty(rule: str) -> None:
    text = (PAGES / f"{rule}.md").read_text(encoding="utf-8")
    assert re.findall(r"^#.*$", text, re.MULTILINE) == [f"# {rule}", *(f"## {h}" for h in HEADINGS)]
    assert page(rule)[""] == rule
    assert list(page(rule)) == ["", *HEADINGS]
    assert all(page(rule).values())
    assert summary(rule) and "\n" not in summary(rule)


@pytest.mark.parametrize("rule", RULES)
def test_a_page_lists_tests_that_exist(rule: str) -> None:
    lines = page(rule)["Tests"].splitlines()
    bullets = [re.fullmatch(r"- `(tests/[\w/]+\.py)::(\w+)`", line) for line in lines]
    assert bullets and None not in bullets, lines
    assert missing(page(rule)["Tests"]) == []


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_says_what_backs_it(rule: str) -> None:
    text = inspect.getdoc(RULES[rule].concludes) or ""
    _, found, backing = text.partition("\nGuarantee\n---------\n")
    assert found, f"{rule} has no Guarantee section"
    assert TEST.search(backing), f"the Guarantee of {rule} names no test"
    assert missing(backing) == []


def test_every_guarantee_section_of_the_proofs_names_tests_that_exist() -> None:
    without: dict[str, list[str]] = {}
    for path in (ROOT / "proofs").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                _, _, backing = (ast.get_docstring(node) or "").partition("Guarantee\n---------\n")
                if missing(backing):
                    without[f"{path.relative_to(ROOT)}: {node.name}"] = missing(backing)
    assert without == {}


def test_a_test_that_nobody_wrote_is_missed() -> None:
    here = "tests/proofs/test_statements.py"
    assert missing(f"`{here}::test_pages_and_rules_are_the_same`, ``{here}``") == []
    assert missing(f"`{here}::test_of_nothing`") == [f"{here}::test_of_nothing"]
    assert missing("`tests/proofs/test_of_nothing.py`") == ["tests/proofs/test_of_nothing.py"]
    assert missing("``test_statements.py::test_pages_and_rules_are_the_same``") == []


def test_a_rule_without_a_page_has_none() -> None:
    with pytest.raises(FileNotFoundError):
        page("no-such-rule")
