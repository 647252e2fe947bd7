"""Digests of subjects: whether the code that is here is the code that was audited.

A digest covers all code that a subject may be made of, found without running any of it: of a
subject beside the user, every file of code below the folder that it is loaded from; of an installed
package, the package; of a program of the system, its file.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.subjects.box_paths import SYSTEM_PATHS
from synthesizers.errors import InputError

MAX_FILES = 10_000
"""The most files and folders below a subject's folder."""

MAX_BYTES = 256 * 2**20
"""The most bytes of code that a digest covers."""

SUFFIXES = (
    *importlib.machinery.all_suffixes(),
    *(".sh", ".bash", ".awk", ".sed", ".r", ".jl", ".js", ".mjs", ".ts", ".rb", ".pl", ".pm"),
    *(".lua", ".m", ".c", ".cc", ".cpp", ".h", ".hpp", ".rs", ".go", ".java", ".class", ".jar"),
    *(".scala", ".kt", ".cs", ".dll", ".exe", ".bin", ".wasm", ".dylib", ".hs", ".ml", ".sql"),
)
"""What code is called. Beside these: whatever may be executed, or begins with ``#!``."""

DOCUMENTS = (
    *(".csv", ".gz", ".parquet", ".json", ".jsonl", ".toml", ".html", ".md", ".txt", ".log"),
    *(".xlsx", ".feather", ".pkl", ".npy", ".npz", ".db", ".sqlite", ".rds", ".dta", ".sav"),
)
"""What no digest covers: a subject's folder may hold private data, of which no certificate may
carry a digest, and reports that dp-audit itself has just written there."""

OLDER, KEY = "source_sha256", "sources_sha256"
"""The keys of a digest in a certificate: of the named file alone, in older certificates, and of all
code."""


@dataclass(frozen=True)
class Source:
    """Where a subject's code lies.

    ``files``: those that are named; ``folders``: those whose code belongs to it.
    """

    files: tuple[Path, ...]
    folders: tuple[Path, ...]

    def lies_below(self, folder: Path) -> bool:
        """Whether all of it does, links followed."""
        places = (*self.files, *self.folders)
        return all(place.resolve().is_relative_to(folder.resolve()) for place in places)

    def identity(self) -> dict[str, str]:
        """What a certificate says of it; raises InputError beyond the limits."""
        return {KEY: self.digest()}

    def digest(self) -> str:
        """The SHA-256 of the code: of the names of its files, in order, and of what is in them.

        Guarantee
        ---------
        Another digest if a file of code that is named, or lies below its folders, is changed, added
        or removed; not for what is hidden, for documents, and for environments. Backed by
        ``tests/audit/subjects/test_digests.py``.
        """
        digest, left = hashlib.sha256(), MAX_BYTES
        listed = [(path.name, path) for path in self.files]
        for place, folder in enumerate(self.folders):
            listed += [(f"{place}/{path.relative_to(folder)}", path) for path in _code(folder)]
        for name, path in listed:
            content = _content(path, left)
            left -= len(content)
            digest.update(f"{name!r} {hashlib.sha256(content).hexdigest()}\n".encode())
        return digest.hexdigest()

    def older_digest(self, kind: object, form: object) -> str:
        """The digest as it was once written: of the files that are named alone."""
        digests = [hashlib.sha256(_content(path, MAX_BYTES)) for path in self.files]
        if kind == "command" and form == "program":
            return hashlib.sha256(b"".join(one.digest() for one in digests)).hexdigest()
        return digests[0].hexdigest()


def file_sha256(path: str | Path) -> str:
    """The SHA-256 of a file, in hexadecimal; raises OSError."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def restate(
    identity: Mapping[str, Any], stated: Mapping[str, Any], source: Source
) -> dict[str, Any]:
    """What a fresh subject says of itself, with its digest in the form that is ``stated``."""
    if OLDER not in stated or KEY in stated:
        return dict(identity)
    rest = {key: value for key, value in identity.items() if key != KEY}
    return {**rest, OLDER: source.older_digest(stated.get("kind"), stated.get("form"))}


def module_source(name: str, folders: Sequence[str] | None = None) -> Source | None:
    """Where the code of ``module:attribute`` lies, found without running it; None where nowhere.

    ``folders``: where another environment's interpreter looks for it after the current folder. A
    module beside the user comes with all code below the folder that is searched for it, which it
    may import; an installed one with its package.
    """
    path: Sequence[str] | None = module_folders() if folders is None else [os.getcwd(), *folders]
    module = name.partition(":")[0]
    file: Path | None = None
    top: Path | None = None
    parts = module.split(".")
    for number in range(1, len(parts) + 1):
        spec = _find_spec(".".join(parts[:number]), path)
        if spec is None:
            return None
        file = Path(spec.origin) if spec.has_location and spec.origin else None
        path = list(spec.submodule_search_locations or ())
        if top is None:
            # A package without a file of its own may lie in several folders: all are its code.
            several = [Path(folder) for folder in path]
            if len(several) > 1:
                return None
            top = several[0] if several else file
    if file is None or top is None or not file.is_file():
        return None
    root = Path(os.path.abspath(top)).parent
    if not (is_installed(root) or (folders is not None and str(root) in folders)):
        return Source((file,), (root,))
    return Source((file,), (top,) if top.is_dir() else ())


def command_source(files: Sequence[str]) -> Source:
    """The code of a command: the files among its words, and all code beside and below them."""
    paths = [Path(os.path.abspath(file)) for file in files]
    beside = dict.fromkeys(path.resolve().parent for path in paths)
    return Source(tuple(paths), tuple(folder for folder in beside if not is_installed(folder)))


def module_folders() -> list[str]:
    """Where modules are looked for: beside the user first, as `python -m` does."""
    here = os.getcwd()
    return list(dict.fromkeys([here, *(os.path.abspath(folder) for folder in sys.path)]))


def _find_spec(name: str, path: Sequence[str] | None) -> importlib.machinery.ModuleSpec | None:
    """A module's spec; what it lies in is not imported, as `importlib.util.find_spec` would."""
    try:
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        # Packages that are installed to be edited have finders of their own.
        if spec is None and name and "." not in name and path == module_folders():
            spec = importlib.util.find_spec(name)
    except Exception:
        return None
    return spec


def is_installed(folder: Path) -> bool:
    """Whether a folder is the system's, or one that packages are installed into."""
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    places = [*SYSTEM_PATHS, *own, *site.getsitepackages(), site.getusersitepackages()]
    real = folder.resolve()
    return any(real.is_relative_to(Path(place).resolve()) for place in places)


def _code(folder: Path) -> Iterator[Path]:
    """The files of code below a folder, in the order of their names.

    Left out are what is hidden, caches, environments and links to what was met already. Raises
    InputError where there are too many.
    """
    seen: set[str] = set()
    met = 0
    for place, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(place)
        left_out = real in seen or (place != str(folder) and _is_environment(place, files))
        seen.add(real)
        folders[:] = [] if left_out else sorted(filter(_counts, folders))
        met += len(folders) + len(files)
        if met > MAX_FILES:
            raise InputError(
                f"the subject lies in {folder}, which holds more than {MAX_FILES} files (is it "
                "your home?): move it to a folder of its own, so that a digest can cover its code"
            )
        for file in [] if left_out else sorted(files):
            path = Path(place, file)
            if not file.startswith(".") and _is_code(path):
                yield path


def _is_environment(folder: str, files: Sequence[str]) -> bool:
    """Whether packages are installed into it for an interpreter of its own."""
    interpreters = (Path(folder, "bin", "python"), Path(folder, "Scripts", "python.exe"))
    has_one = any(map(os.path.lexists, interpreters))
    return "pyvenv.cfg" in files and has_one and "__init__.py" not in files


def _counts(folder: str) -> bool:
    return not folder.startswith(".") and folder not in ("__pycache__", "node_modules")


def _is_code(path: Path) -> bool:
    if not path.is_file():
        return False
    name = path.name.lower()
    if name.endswith(SUFFIXES):
        return True
    if name.endswith(DOCUMENTS):
        return False
    if os.access(path, os.X_OK):
        return True
    try:
        with path.open("rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def _content(path: Path, most: int) -> bytes:
    try:
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > most:
        raise InputError(
            f"the code beside the subject has more than {MAX_BYTES} bytes, which its digest "
            "would cover: put the subject into a folder of its own"
        )
    return content
