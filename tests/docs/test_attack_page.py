"""The page on attacks lists the causes that are known, each with its mend."""

from __future__ import annotations

from pathlib import Path

from audit.auditors.attack.veils.causes import CAUSES

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "attack.md").read_text()


def test_the_page_lists_every_cause_with_its_mend() -> None:
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    listed = {row[0].strip("| `"): row[-1].removesuffix(" |") for row in rows if len(row) == 3}
    assert listed == {kind.name: kind.mend for kind in CAUSES.values()}
