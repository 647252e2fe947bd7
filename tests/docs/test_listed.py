"""What ``dp-audit list`` prints is what the registries hold."""

from __future__ import annotations

import ast
import inspect
import sys
from pathlib import Path

from docs.listed import FILE, rendered
from synthesizers.programs import PROGRAMS, card


def test_the_file_is_what_the_registries_give() -> None:
    assert FILE.read_text() == rendered()


def test_a_card_is_the_docstring_of_the_module() -> None:
    for name in PROGRAMS:
        assert card(name) == inspect.cleandoc(sys.modules[PROGRAMS[name].__module__].__doc__ or "")


def test_every_module_of_a_program_begins_with_its_card() -> None:
    for name in PROGRAMS:
        path = Path(inspect.getfile(PROGRAMS[name]))
        assert card(name) == ast.get_docstring(ast.parse(path.read_text()))
