"""Pages rendered and read back: whether they are well formed, and their text."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

from audit.report.html import render
from audit.report.page import Page

VOID = {"meta", "br", "img", "source"}


class Balanced(HTMLParser):
    """Checks that elements close in order, and collects what would be loaded."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on"), "no event handlers"
            if name in ("src", "href", "srcset", "data", "action"):
                self.loads.append(value or "")
            if name == "id":
                self.ids.append(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def page_of(*sections: object) -> str:
    """A page of some sections."""
    return render(Page("A title", "A lead.", sections))


def text_of(document: str) -> str:
    """The text of a page's body, on one line."""
    root = ElementTree.fromstring(document.removeprefix("<!DOCTYPE html>"))
    body = root.find("{http://www.w3.org/1999/xhtml}body")
    assert body is not None
    return re.sub(r"\s+", " ", "".join(body.itertext()))


def checked(document: str) -> str:
    """The text of a document that is well formed and loads nothing."""
    parser = Balanced()
    parser.feed(document)
    parser.close()
    assert parser.open == []
    assert "script" not in parser.tags and "link" not in parser.tags
    assert all(load.startswith(("#", "data:image/png;base64,")) for load in parser.loads)
    assert len(set(parser.ids)) == len(parser.ids)
    assert "@import" not in document
    assert all(target.startswith("#") for target in re.findall(r"url\(([^)]*)", document))
    return text_of(document)
