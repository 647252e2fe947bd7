"""DESIGN.md shows how many lines a proof rests on, and no file of the kernel is left out."""

from __future__ import annotations

from pathlib import Path

from docs.trusted_lines import (
    FAMILIES,
    PARTS,
    ROOT,
    code_lines,
    files_of,
    pieces_of,
    table,
    table_of_families,
)


def test_the_page_shows_the_tables_of_today() -> None:
    """If this fails: python docs/trusted_lines.py, and put what it prints into DESIGN.md."""
    page = (ROOT / "DESIGN.md").read_text(encoding="utf-8")
    assert table() in page and table_of_families() in page


def test_a_kind_of_ledger_has_files_of_the_kernel() -> None:
    for _, patterns in FAMILIES.values():
        assert len(files_of(patterns)) == len(patterns)


def test_a_rule_is_a_piece_by_its_name() -> None:
    source = '@rule("a-b", kind=1)\ndef _(x):\n    return x\n\n\nclass C:\n    y = 1\n'
    assert pieces_of(source) == {
        "a-b": '@rule("a-b", kind=1)\ndef _(x):\n    return x',
        "C": "class C:\n    y = 1",
    }


def test_comments_blank_lines_and_docstrings_do_not_count() -> None:
    source = (
        '"""A module."""\n\n# why\nX = (\n    1,\n)\n"""What X is."""\n\n'
        'def f():\n    """F."""\n    return """a\n\nb"""\n'
    )
    assert code_lines(source) == 3 + 1 + 3


def test_every_file_of_the_rules_and_profiles_is_counted_once() -> None:
    counted = [path for patterns in PARTS.values() for path in files_of(patterns)]
    assert len(counted) == len(set(counted))
    folders = (ROOT / "proofs/rules", ROOT / "proofs/profiles")
    trusted: set[Path] = {path for folder in folders for path in folder.glob("*.py")}
    assert {path for path in trusted if path.name != "__init__.py"} <= set(counted)
