"""The notebook of the examples: every function is used, and shows its page."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import dp_audit

NOTEBOOK = Path(__file__).parents[2] / "docs" / "examples" / "functions.ipynb"
SOURCES = [
    "".join(cell["source"])
    for cell in json.loads(NOTEBOOK.read_text())["cells"]
    if cell["cell_type"] == "code"
]


def test_the_notebook_uses_each_function() -> None:
    used = set(re.findall(r"dpa\.(\w+)\(", "\n".join(SOURCES)))
    assert {name for name in dp_audit.__all__ if name.islower()} <= used


def test_the_notebook_is_kept_without_outputs() -> None:
    assert all(not cell.get("outputs") for cell in json.loads(NOTEBOOK.read_text())["cells"])


@pytest.mark.slow
def test_every_cell_runs_and_shows_its_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", str(NOTEBOOK.parents[2]))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": tmp_path}}
    ).execute()
    shown: list[dict[str, Any]] = [
        output["data"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "execute_result"
    ]
    assert len(shown) == len(SOURCES) - 1, "a cell shows nothing"
    for data in shown:
        text, page = data["text/plain"], data["text/html"]
        if text.startswith("<"):
            assert "\n" not in text and page.startswith("<iframe srcdoc=")
        else:
            assert "<table" in page
