"""Registries: things by name, each in a module that is imported when the thing is asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar, cast

Entry = TypeVar("Entry")


class Registry(Mapping[str, Entry]):
    """Named attributes of modules; to look at the names imports nothing.

    ``package``: of all modules; ``places``: ``module:attribute`` by name.
    """

    def __init__(self, package: str, places: Mapping[str, str]) -> None:
        self._places = {name: f"{package}.{place}" for name, place in places.items()}

    def __getitem__(self, name: str) -> Entry:
        """The attribute; its module is imported."""
        module, _, attribute = self._places[name].partition(":")
        return cast(Entry, getattr(import_module(module), attribute))

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def module_docstring(self, name: str) -> str:
        """The docstring of an entry's module, which is read and not imported."""
        spec: Any = find_spec(self._places[name].partition(":")[0])
        # The rest of the module need not be parsed.
        head, quotes, rest = Path(spec.origin).read_text(encoding="utf-8").partition('"""')
        text, *_ = rest.partition('"""')
        return ast.get_docstring(ast.parse(f"{head}{quotes}{text}{quotes}")) or ""
