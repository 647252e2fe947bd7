"""Markdown of strangers' words shows them as words."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from audit.report.page import Page, TableSection, TextSection
from audit.report.write_up.markdown import markdown

HOSTILE = (
    "# not a title",
    "- no list",
    "+ no list",
    "1. no list",
    "1) no list",
    "=== no rule",
    "---",
    "> no quote",
    "<script>alert(1)</script>",
    "[a](javascript:alert(1))",
    "![a](http://elsewhere/x.png)",
    "`code` *b* _i_ ~~s~~ $x$ &amp; \\",
    "a | b | c",
    "http://elsewhere/ <http://elsewhere/>",
    "one\n\ntwo\n# three",
)


def shows(text: str) -> str:
    """What a reader sees of Markdown: the tags that it makes, then its words."""
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    inner = [child for token in tokens for child in token.children or ()]
    made = {token.tag for token in [*tokens, *inner] if token.tag}
    return f"{sorted(made)} {''.join(child.content for child in inner)}"


@pytest.mark.parametrize("words", HOSTILE)
def test_a_paragraph_is_a_paragraph(words: str) -> None:
    page = Page("A title", "", (TextSection("A section", (words,)),))
    plain = " ".join(words.split())
    assert shows(markdown(page)) == f"['h1', 'h2', 'p'] A titleA section{plain}"


@pytest.mark.parametrize("words", HOSTILE)
def test_a_cell_a_title_and_a_note_are_no_markup(words: str) -> None:
    table = TableSection(words, ("head",), ((words,),), words)
    plain = " ".join(words.split())
    tags = "['h1', 'h2', 'p', 'table', 'tbody', 'td', 'th', 'thead', 'tr']"
    assert shows(markdown(Page(words, "", (table,)))) == f"{tags} {plain}{plain}head{plain}{plain}"


def test_characters_that_hide_others_are_spelt_out() -> None:
    page = Page("a\u202eb", "\x1b[2J", ())
    assert markdown(page) == "# a\\\\u202eb\n\n\\\\x1b\\[2J\n"
