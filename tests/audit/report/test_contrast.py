"""Whether the words of a page are read easily on what lies below them, in both themes.

The requirement is that of W3C, "Web Content Accessibility Guidelines 2.1", level AA: a contrast of
4.5 for writing, of 3 for marks.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import audit.report
from audit.report.contrast import contrast, writing_on
from audit.report.picture import COLOURS, ramp

pytestmark = pytest.mark.smoke

TEMPLATES = Path(audit.report.__file__).parent / "templates"
WORDS = ("ink", "quiet", "accent", "claim", "floor", "ceiling")
VERDICTS = ("good", "plain", "doubt", "bad", "fault")
GROUNDS = ("page", "card", "soft")


def colours(sheet: str, dark: bool) -> dict[str, str]:
    """The colours of a stylesheet by the names of its custom properties."""
    light, _, night = (TEMPLATES / sheet).read_text("utf-8").partition("prefers-color-scheme: dark")
    read = re.compile(r"--([a-z]+): (#[0-9a-f]{3,6})\b").findall
    return dict(read(light.partition("}")[0])) | (
        dict(read(night.partition("}")[0])) if dark else {}
    )


def test_the_contrasts_of_the_guidelines() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert writing_on("#777777") == "#000000" and writing_on("#700000") == "#ffffff"


@pytest.mark.parametrize("dark", [False, True])
def test_words_are_read_on_every_ground(dark: bool) -> None:
    found = colours("style.css", dark)
    for ground in GROUNDS:
        for word in (*WORDS, *VERDICTS):
            assert contrast(found[word], found[ground]) >= 4.5, (word, ground)
    for word in ("ink", "claim"):
        assert contrast(found[word], found["beyond"]) >= 4.5, word


@pytest.mark.parametrize("dark", [False, True])
def test_marks_are_seen_on_the_card(dark: bool) -> None:
    found = colours("style.css", dark)
    for mark in ("a", "b"):
        assert contrast(found[mark], found["card"]) >= 3, mark


def test_the_words_of_a_label_are_read() -> None:
    found = {
        name: value if len(value) > 4 else f"#{value[1:] * 2}"
        for name, value in colours("label.css", False).items()
    }
    for word in ("ink", "quiet", *VERDICTS[:-1]):
        assert contrast(found[word], "#ffffff") >= 4.5, word


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("two_sided", [False, True])
def test_what_is_written_in_a_coloured_cell_is_read(dark: bool, two_sided: bool) -> None:
    steps = ramp(dark, two_sided)
    assert len(steps) == COLOURS
    for colour in steps:
        assert contrast(writing_on(colour), colour) >= 4.5, colour
