"""Folders of strangers: what lies in one is listed and copied, and nothing outside is read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from synthesizers.errors import InputError

MOST_FILES = 10_000
"""The most files of a submission."""

MOST_BYTES = 2**30
"""The most bytes of all files of a submission."""

DEEPEST = 40
"""The most folders inside one another."""

LEFT_OUT = frozenset({".git", ".venv", "__pycache__", "__MACOSX", ".DS_Store"})
"""Names of what is no part of a submission, wherever they stand: caches, histories, environments of
one machine (``python`` names an interpreter instead)."""

_AT_ONCE = 2**20


@dataclass(frozen=True)
class File:
    """A file of a folder: its name from there with slashes, and where its bytes lie."""

    name: str
    source: Path
    executable: bool
    size: int


def list_files(folder: Path) -> tuple[File, ...]:
    """The files of a folder by their names, in order; raises InputError.

    A link counts as the file that it leads to.

    Guarantee
    ---------
    Every file lies within the folder: a link that leaves it is refused, and so are links to
    folders, what is neither file nor folder, names that can't be printed, and more than
    `MOST_FILES` files, `MOST_BYTES` bytes or `DEEPEST` folders in one another. Backed by
    ``tests/audit/review/submissions/test_trees.py``.
    """
    root = folder.resolve()
    files: list[File] = []
    size = 0
    for file in _walk(root, root, ""):
        files.append(file)
        size += file.size
        if len(files) > MOST_FILES:
            raise InputError(f"it holds more than {MOST_FILES} files; hand in what is needed")
        if size > MOST_BYTES:
            raise InputError(f"it holds more than {MOST_BYTES // 2**20} MiB; hand in less")
    return tuple(sorted(files, key=lambda file: file.name))


def copy_files(files: tuple[File, ...], target: Path) -> None:
    """Copy files into a folder, which is made; raises InputError where one can't be read.

    Guarantee
    ---------
    What becomes a link, or grows, after it was listed is refused. Backed by
    ``tests/audit/review/submissions/test_trees.py``.
    """
    target.mkdir(parents=True, exist_ok=True)
    for file in files:
        place = target / file.name
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            _copy(file, place)
        except OSError as error:
            reason = error.strerror or "an error"
            raise InputError(f"its file {file.name!r} cannot be copied: {reason}") from None


def _copy(file: File, place: Path) -> None:
    held = os.open(file.source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(held, "rb") as source, place.open("xb") as written:
        if not stat.S_ISREG(os.fstat(held).st_mode):
            raise InputError(f"{file.name!r} is no regular file")
        left = file.size
        while data := source.read(min(left + 1, _AT_ONCE)):
            left -= len(data)
            if left < 0:
                raise InputError(f"{file.name!r} changed while it was read; try again")
            written.write(data)
    place.chmod(0o755 if file.executable else 0o644)


def _walk(root: Path, folder: Path, within: str, depth: int = 0) -> Iterator[File]:
    if depth > DEEPEST:
        raise InputError(f"its folders lie more than {DEEPEST} deep in one another")
    try:
        with os.scandir(folder) as entries:
            found = [entry for entry in entries if entry.name not in LEFT_OUT]
    except OSError as error:
        raise InputError(f"{within or 'it'!r} can't be read: {error.strerror}") from None
    if len(found) > MOST_FILES:
        raise InputError(f"{within or 'it'!r} holds more than {MOST_FILES} files")
    for entry in found:
        name = within + entry.name
        if not name.isprintable():
            raise InputError(f"the name {name!r} holds characters that can't be printed; rename it")
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(root, Path(entry.path), f"{name}/", depth + 1)
        else:
            yield _file(root, Path(entry.path), name)


def _file(root: Path, path: Path, name: str) -> File:
    source = path
    if path.is_symlink():
        try:
            source = path.resolve(strict=True)
        except (OSError, RuntimeError):
            raise InputError(f"the link {name!r} leads nowhere; hand in the file itself") from None
        if not source.is_relative_to(root):
            raise InputError(f"the link {name!r} leads out of its folder; hand in the file itself")
        if source.is_dir():
            raise InputError(f"the link {name!r} leads to a folder; hand in the folder itself")
    status = source.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{name!r} is neither a file nor a folder, but a pipe or a device")
    return File(name, source, bool(status.st_mode & 0o111), status.st_size)
