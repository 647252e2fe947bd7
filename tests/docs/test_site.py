"""The documentation builds as a site, without a warning."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

from docs.links import on_page_markdown
from tests.audit.processes import ROOT


@pytest.mark.slow
@pytest.mark.skipif(find_spec("material") is None, reason="needs the extra docs")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "index.html").exists()


@pytest.mark.parametrize(
    ("repository", "link"),
    [
        ("", "a rule (`proofs/x.md`)"),
        ("https://host/us/", "[a rule](https://host/us/blob/HEAD/proofs/x.md)"),
    ],
)
def test_a_link_that_leaves_the_pages_leads_to_the_repository(repository: str, link: str) -> None:
    page = SimpleNamespace(file=SimpleNamespace(src_uri="reference/rules.md"))
    text = "[a rule](../../proofs/x.md), [its words](../explanation/proofs.md#words)"
    shown = on_page_markdown(text, page, SimpleNamespace(repo_url=repository))
    assert shown == f"{link}, [its words](../explanation/proofs.md#words)"
