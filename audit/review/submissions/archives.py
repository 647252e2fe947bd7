"""Zips of strangers: unpacked into a folder of our own, or refused with a reason."""

from __future__ import annotations

import lzma
import shutil
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from audit.review.submissions.trees import DEEPEST, LEFT_OUT, MOST_BYTES, MOST_FILES
from synthesizers.errors import InputError

LARGEST_RATIO = 200
"""How many bytes one byte of a zip may become, where they are more than `SMALL`: tables of numbers
reach a few tens, and what is made to fill a disk a thousand."""

SMALL = 100 * 2**20

DIRECTORY_BYTES = 512 * MOST_FILES
"""The longest list of files of a zip: it is read as a whole before a name of it is known."""

LONGEST_NAME = 255
"""Bytes of a name, which every file system takes."""

_END, _LOCATOR = b"PK\x05\x06", b"PK\x06\x07"
_END_BYTES, _LOCATOR_BYTES, _MOST_COMMENT = 22, 20, 2**16
_ENCRYPTED = 0x1
_AT_ONCE = 2**20
_BROKEN = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError, NotImplementedError, RuntimeError, KeyError),
)


def unpack(archive: Path, target: Path) -> None:
    """Unpack a zip into the folder ``target``, which must not exist yet; raises InputError.

    Guarantee
    ---------
    Nothing is written but below ``target``, and nothing at all is left of a zip that is refused:
    for a name that is absolute, leaves the folder, can't be printed, is there twice or would be on
    a disk that ignores case; for a link or a device; for a password; for more than `MOST_FILES`
    files or `MOST_BYTES` bytes, by what it says or by what comes out. Backed by
    ``tests/audit/review/submissions/test_archives.py``.
    """
    try:
        _require_short_list(archive)
        with zipfile.ZipFile(archive) as held:
            members = [one for one in held.infolist() if not _is_left_out(one.orig_filename)]
            _check(members, archive.stat().st_size)
            target.mkdir(parents=True)
            try:
                for member in members:
                    _write(held, member, target)
            except BaseException:
                shutil.rmtree(target, ignore_errors=True)
                raise
    except InputError:
        raise
    except _BROKEN:
        raise InputError("it is no zip that can be read: it is damaged; make it anew") from None


def _require_short_list(archive: Path) -> None:
    """Raise InputError unless the end of a zip announces a list of bounded length."""
    with archive.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - _MOST_COMMENT - _END_BYTES - _LOCATOR_BYTES, 0))
        tail = file.read()
    place = len(tail) - _END_BYTES
    if not (tail[place:].startswith(_END) and tail.endswith(b"\0\0")):
        place = tail.rfind(_END)
    if place < 0 or len(tail) < place + _END_BYTES:
        raise InputError("it is no zip; hand in a folder, or a .zip of it")
    (length,) = struct.unpack_from("<L", tail, place + 12)
    large = tail[max(place - _LOCATOR_BYTES, 0) : place].startswith(_LOCATOR)
    if large or length > DIRECTORY_BYTES:
        raise InputError(f"it lists more than {MOST_FILES} files, or more than 4 GB")


def _check(members: Sequence[zipfile.ZipInfo], size: int) -> None:
    if len(members) > MOST_FILES:
        raise InputError(f"it holds more than {MOST_FILES} files; hand in what is needed")
    for member in members:
        _check_member(member)
    _check_names(members)
    total = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if total > MOST_BYTES:
        raise InputError(f"it unpacks to more than {MOST_BYTES // 2**20} MiB; hand in less")
    if packed > size:
        raise InputError("its files overlap: it is made to unpack to more than it holds")
    if total > SMALL and total > LARGEST_RATIO * packed:
        raise InputError(f"it unpacks to more than {LARGEST_RATIO} times its size")


def _check_member(member: zipfile.ZipInfo) -> None:
    name, shown = member.orig_filename, repr(member.orig_filename[:80])
    if not name.isprintable():
        raise InputError(f"its name {shown} holds characters that can't be printed; rename it")
    parts = name.removesuffix("/").split("/")
    if "\\" in name or ":" in parts[0] or not all(parts) or {".", ".."} & set(parts):
        raise InputError(f"its name {shown} is no path within a folder; make the zip of a folder")
    if len(parts) > DEEPEST or any(len(part.encode()) > LONGEST_NAME for part in parts):
        raise InputError(f"its name {shown} is too long")
    kind = stat.S_IFMT(member.external_attr >> 16)
    if kind not in (0, stat.S_IFDIR if member.is_dir() else stat.S_IFREG):
        raise InputError(f"{shown} is a link or a device; hand in the file itself")
    if member.flag_bits & _ENCRYPTED:
        raise InputError(f"{shown} has a password; hand in a zip without one")


def _check_names(members: Sequence[zipfile.ZipInfo]) -> None:
    """Raise InputError where two names are one, perhaps on a disk that ignores case."""
    folders: dict[str, str] = {}
    files: set[str] = set()
    for member in members:
        name = member.orig_filename
        for folder in _folders(name):
            if folders.setdefault(_fold(folder), folder) != folder:
                raise _twice(folder)
        if not member.is_dir():
            if _fold(name) in files:
                raise _twice(name)
            files.add(_fold(name))
    for both in files & folders.keys():
        raise _twice(folders[both])


def _folders(name: str) -> Iterator[str]:
    parts = name.split("/")[:-1]
    return ("/".join(parts[: place + 1]) for place in range(len(parts)))


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _twice(name: str) -> InputError:
    return InputError(
        f"its name {name[:80]!r} is there twice, perhaps with other capitals; keep one of them"
    )


def _is_left_out(name: str) -> bool:
    return bool(LEFT_OUT & set(name.split("/")))


def _write(held: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path) -> None:
    place = target.joinpath(*member.orig_filename.removesuffix("/").split("/"))
    if member.is_dir():
        place.mkdir(parents=True, exist_ok=True)
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    left = member.file_size
    with held.open(member) as source, place.open("xb") as written:
        while data := source.read(_AT_ONCE):
            left -= len(data)
            if left < 0:
                raise InputError("it unpacks to more than it says; make it anew")
            written.write(data)
    place.chmod(0o755 if (member.external_attr >> 16) & 0o111 else 0o644)
