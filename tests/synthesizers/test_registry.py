"""Registries: names without imports, entries on demand."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from synthesizers.registry import Registry


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of its own for each test: what is imported stays."""
    return tmp_path / tmp_path.name.replace("-", "_")


@pytest.fixture
def registry(package: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[int]:
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "one.py").write_text('"""A card.\n\nOf two lines."""\n\nONE = 1\n')
    (package / "broken.py").write_text('"""A card of code that fails."""\n\nraise ValueError\n')
    monkeypatch.syspath_prepend(str(package.parent))
    return Registry(package.name, {"one": "one:ONE", "broken": "broken:X"})


def test_names_import_nothing(registry: Registry[int], package: Path) -> None:
    assert isinstance(registry, Mapping)
    assert list(registry) == ["one", "broken"] and len(registry) == 2
    assert "broken" in registry and "two" not in registry and 3 not in registry
    assert not any(name.startswith(package.name) for name in sys.modules)


def test_an_entry_is_imported_when_it_is_asked_for(registry: Registry[int]) -> None:
    assert registry["one"] == 1
    with pytest.raises(KeyError):
        registry["two"]
    with pytest.raises(ValueError):
        registry["broken"]


def test_a_docstring_is_read_without_running_the_module(registry: Registry[int]) -> None:
    assert registry.module_docstring("one") == "A card.\n\nOf two lines."
    assert registry.module_docstring("broken") == "A card of code that fails."
