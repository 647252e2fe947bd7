"""Zips of strangers: honest ones are unpacked, hostile ones leave nothing behind."""

from __future__ import annotations

import stat
import struct
import zipfile
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from audit.review.submissions import archives
from audit.review.submissions.archives import unpack
from synthesizers.errors import InputError


def write_zip(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as held:
        for member, content in members:
            held.writestr(member, content)
    return path


def special(name: str, kind: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.external_attr = (kind | 0o777) << 16
    return member


def require_refusal(archive: Path, tmp_path: Path, said: str) -> None:
    target = tmp_path / "place" / "target"
    before = set(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=said) as refusal:
        unpack(archive, target)
    assert "\n" not in str(refusal.value) and str(refusal.value).isprintable()
    assert not target.exists()
    assert set(tmp_path.rglob("*")) - before <= {target.parent}


def test_files_folders_and_modes_are_unpacked(tmp_path: Path) -> None:
    program = zipfile.ZipInfo("src/run")
    program.external_attr = (stat.S_IFREG | 0o755) << 16
    members = [("src/", b""), (program, b"#!"), ("a.csv", b"1"), ("src/__pycache__/x.pyc", b"x")]
    unpack(write_zip(tmp_path / "a.zip", *members, ("__MACOSX/._a", b"")), tmp_path / "t")
    found = {path.relative_to(tmp_path / "t").as_posix() for path in (tmp_path / "t").rglob("*")}
    assert found == {"src", "src/run", "a.csv"}
    assert (tmp_path / "t/src/run").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "t/a.csv").stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "t/a.csv").read_bytes() == b"1"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../evil", "no path within"),
        ("a/../../evil", "no path within"),
        ("/etc/evil", "no path within"),
        ("C:/evil", "no path within"),
        ("a\\..\\evil", "no path within"),
        ("a//b", "no path within"),
        ("./a", "no path within"),
        ("a\x1b[2J", "can't be printed"),
        ("a\nb", "can't be printed"),
        ("a\u202eb", "can't be printed"),
        ("x" * 300, "too long"),
        ("d/" * 50 + "x", "too long"),
    ],
)
def test_a_name_that_leaves_the_folder_or_hides_is_refused(
    tmp_path: Path, name: str, said: str
) -> None:
    archive = write_zip(tmp_path / "a.zip", ("fine", b""), (name, b"evil"))
    require_refusal(archive, tmp_path, said)


def test_a_zero_byte_does_not_end_a_name(tmp_path: Path) -> None:
    archive = write_zip(tmp_path / "a.zip", ("aXb", b""))
    archive.write_bytes(archive.read_bytes().replace(b"aXb", b"a\0b"))
    require_refusal(archive, tmp_path, "can't be printed")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFSOCK])
def test_links_and_devices_are_refused(tmp_path: Path, kind: int) -> None:
    archive = write_zip(tmp_path / "a.zip", (special("x", kind), b"/etc/passwd"))
    require_refusal(archive, tmp_path, "a link or a device")


@pytest.mark.parametrize(
    "names", [("a", "a"), ("a", "A"), ("d/a", "D/b"), ("a", "a/b"), ("é", "e\u0301")]
)
def test_names_that_are_one_are_refused(tmp_path: Path, names: tuple[str, str]) -> None:
    with pytest.warns(UserWarning) if names == ("a", "a") else nullcontext():
        archive = write_zip(tmp_path / "a.zip", *((name, b"") for name in names))
    require_refusal(archive, tmp_path, "there twice")


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    archive = write_zip(tmp_path / "a.zip", ("a", b"1"))
    held = bytearray(archive.read_bytes())
    for head, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        held[held.index(head) + flags] |= 1
    archive.write_bytes(held)
    require_refusal(archive, tmp_path, "password")


def test_a_zip_that_grows_is_refused(tmp_path: Path) -> None:
    large = b"\0" * (archives.SMALL + 1)
    require_refusal(write_zip(tmp_path / "a.zip", ("a", large)), tmp_path, "200 times its size")


def test_a_zip_of_too_many_bytes_or_files_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = write_zip(tmp_path / "a.zip", ("a", b"123"), ("b", b"123"))
    monkeypatch.setattr(archives, "MOST_BYTES", 5)
    require_refusal(archive, tmp_path, "more than 0 MiB")
    monkeypatch.setattr(archives, "MOST_FILES", 1)
    require_refusal(archive, tmp_path, "more than 1 files")


def test_a_zip_that_says_less_than_comes_out_is_refused(tmp_path: Path) -> None:
    archive = write_zip(tmp_path / "a.zip", ("a", b"x" * 1000))
    held = archive.read_bytes().replace(struct.pack("<L", 1000), struct.pack("<L", 10))
    archive.write_bytes(held)
    require_refusal(archive, tmp_path, "damaged")


def test_files_that_overlap_are_refused(tmp_path: Path) -> None:
    """All names lead to the bytes of one file, which a hostile zip holds once."""
    archive = write_zip(
        tmp_path / "a.zip", *((f"{n:03}", bytes(range(256)) * 40) for n in range(9))
    )
    with zipfile.ZipFile(archive) as held:
        first = held.infolist()[0]
        start, size = held.start_dir, first.compress_size
        cut = archive.read_bytes()[: 30 + 3 + size]
    directory = archive.read_bytes()[start:]
    end = directory.rindex(b"PK\x05\x06")
    entries = b"".join(
        entry[:42] + struct.pack("<L", 0) + entry[46:]
        for entry in (directory[place : place + 49] for place in range(0, end, 49))
    )
    tail = directory[end : end + 16] + struct.pack("<L", len(cut)) + directory[end + 20 :]
    archive.write_bytes(cut + entries + tail)
    require_refusal(archive, tmp_path, "overlap")


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda held: b"no zip", "no zip"),
        (lambda held: b"", "no zip"),
        (lambda held: held[: len(held) // 2], "no zip"),
        (lambda held: held.replace(b"PK\x01\x02", b"PK\x09\x09"), "damaged"),
        (lambda held: b"\xff" * 40 + held[40:], "damaged"),
        (lambda held: held[:-22] + b"PK\x06\x07" + b"\0" * 16 + held[-22:], "4 GB"),
    ],
)
def test_what_is_no_zip_is_refused(
    tmp_path: Path, damage: Callable[[bytes], bytes], said: str
) -> None:
    archive = write_zip(tmp_path / "a.zip", ("a", b"123456789" * 20))
    archive.write_bytes(damage(archive.read_bytes()))
    require_refusal(archive, tmp_path, said)


def test_the_list_of_names_is_bounded_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = write_zip(tmp_path / "a.zip", *((str(n), b"") for n in range(40)))
    monkeypatch.setattr(archives, "DIRECTORY_BYTES", 1000)

    def refuse(*_: object) -> None:
        raise AssertionError("the list was read")

    monkeypatch.setattr(zipfile, "ZipFile", refuse)
    require_refusal(archive, tmp_path, "lists more than")
