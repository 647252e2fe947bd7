"""The user's modules are those of their own folders, compiled from their sources.

Whatever bytecode lies beside them: a digest covers sources, and bytecode in a ``__pycache__`` may
be of another source, with its size and its date, and Python would run it. Whatever our packages are
called: a submission may have an ``audit.py`` of its own.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from types import CodeType
from typing import Any

from audit.subjects.digests import is_installed

Finder = Any
"""What looks for modules in a folder."""


class SourceLoader(importlib.machinery.SourceFileLoader):
    """Reads no bytecode, and writes none."""

    def get_code(self, fullname: str) -> CodeType:
        """The module's code, compiled from its source."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


OURS = ("audit", "dp_audit", "proofs", "synthesizers")
"""The names of our packages."""


def make_way(folders: Sequence[str]) -> None:
    """Both for the user's modules, once all of ours is imported that this process needs.

    Guarantee
    ---------
    A module of the user's in one of these folders is imported by its name, even where a package of
    ours has the same; what was imported of ours goes on. Backed by
    ``tests/hostile/test_names_of_ours.py``.
    """
    read_sources(folders)
    for name in OURS:
        ours, spec = sys.modules.get(name), PathFinder.find_spec(name, list(folders))
        # A folder without a file of its own is hidden by ours, as by any package on the path.
        file = None if spec is None else spec.origin
        if ours is None or file is None or os.path.samefile(file, str(ours.__file__)):
            continue
        for module in [one for one in sys.modules if one == name or one.startswith(f"{name}.")]:
            del sys.modules[module]


def read_sources(folders: Sequence[str]) -> None:
    """From now on, modules below these folders are read from their sources.

    Installed packages are not, as their bytecode saves seconds: whoever can write there can change
    their sources as well.
    """
    real = map(os.path.realpath, folders)
    own = tuple(folder for folder in real if not is_installed(Path(folder)))
    sys.path_hooks.insert(0, _hook(own))
    sys.path_importer_cache.clear()


def _hook(own: Sequence[str]) -> Callable[[str], Finder]:
    finder = importlib.machinery.FileFinder.path_hook(
        (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
        (SourceLoader, importlib.machinery.SOURCE_SUFFIXES),
        (importlib.machinery.SourcelessFileLoader, importlib.machinery.BYTECODE_SUFFIXES),
    )

    def find(folder: str) -> Finder:
        real = os.path.realpath(folder or os.getcwd())
        if is_installed(Path(real)) or not any(_is_below(real, place) for place in own):
            raise ImportError
        return finder(folder)

    return find


def _is_below(folder: str, place: str) -> bool:
    return folder == place or folder.startswith(place.rstrip(os.sep) + os.sep)
