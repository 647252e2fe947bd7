"""The page about the functions for Python is made from their docstrings."""

from __future__ import annotations

import inspect

import dp_audit
from docs.api import PAGE, rendered


def test_the_page_is_what_the_docstrings_give() -> None:
    assert PAGE.read_text() == rendered()


def test_every_argument_is_explained() -> None:
    for name in (name for name in dp_audit.__all__ if name.islower()):
        function = getattr(dp_audit, name)
        section = rendered().split(f"\n## {name}\n")[1].split("\n## ")[0]
        for parameter in inspect.signature(function).parameters.values():
            if parameter.kind is not parameter.VAR_KEYWORD:
                assert f"`{parameter.name}`" in section, (name, parameter.name)
