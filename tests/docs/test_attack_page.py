"""The page on attacks lists the causes that are known, each with its mend."""

from __future__ import annotations

from pathlib import Path

from audit.auditors.attack.veils.causes import CAUSES
from tests.docs.lists import read_items

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "attack.md").read_text()


def test_the_page_lists_every_cause_with_its_mend() -> None:
    listed = {
        words.strip("`"): parts["the mend"]
        for words, parts in read_items(PAGE)
        if "the mend" in parts
    }
    assert listed == {kind.name: kind.mend for kind in CAUSES.values()}
