"""What a reviewer hands over: one submission, or a folder of them, as folders and zips."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from audit.review.submissions.archives import unpack
from audit.review.submissions.challenge import FILE as CHALLENGE
from audit.review.submissions.challenge import Terms, read_terms
from audit.review.submissions.deid2 import find_main, read_deid2
from audit.review.submissions.names import choose_names, clean_name
from audit.review.submissions.reading import FILE, read_submission
from audit.review.submissions.submission import Intake, Submission, Unread
from audit.review.submissions.trees import LEFT_OUT, list_files
from synthesizers.errors import InputError

ZIP = ".zip"

_NEITHER = (
    f"it holds neither {FILE} nor a main.py, main.R or main of DeID2; dp-audit init-submission "
    "writes an example"
)


def open_path(path: str | Path, unpacked: str | Path) -> Intake:
    """All submissions at a path, read; those that can't be read, with the reason.

    ``path``: a folder with ``submission.toml`` or a main file of DeID2, a zip of such, or a folder
    of folders and zips, perhaps with a ``challenge.toml``; of a single submission, that of the
    folder around it holds. ``unpacked``: a folder of ours, for what zips hold and what is made.
    Raises InputError where there is no submission at the path, or the challenge can't be read.
    """
    source, place = Path(path), Path(unpacked)
    if not source.exists():
        raise InputError(f"{source}: there is nothing there; give a folder or a .zip")
    if _is_one(source):
        terms = read_terms(source.absolute().parent)
        found = [source.resolve() if source.is_symlink() else source]
    else:
        terms = read_terms(source)
        found = list(_list_submissions(source, terms))
    if not found:
        raise InputError(f"{source} holds no submission: {_NEITHER}")
    read = [_read(one, terms, place) for one in found]
    read = [_refuse_own_python(one, (source, place)) for one in read]
    names = choose_names([one.name for one in read], list(map(_name, found)))
    renamed = [dataclasses.replace(one, name=name) for one, name in zip(read, names, strict=True)]
    return Intake(
        terms.challenge,
        tuple(one for one in renamed if isinstance(one, Submission)),
        tuple(one for one in renamed if isinstance(one, Unread)),
    )


def _is_one(path: Path) -> bool:
    if path.is_file():
        return True
    if (path / CHALLENGE).is_file():
        return False
    return (path / FILE).is_file() or find_main(path) is not None


def _list_submissions(folder: Path, terms: Terms) -> list[Path]:
    """The folders and zips of a folder, but for what the challenge names."""
    named = {file.resolve() for file in terms.files}
    around = {parent for file in named for parent in file.parents}
    return [
        path
        for path in sorted(folder.iterdir())
        if not path.name.startswith(".")
        and path.name not in LEFT_OUT
        and path.resolve() not in named | around
        and (path.is_dir() or path.suffix.lower() == ZIP)
    ]


def _read(path: Path, terms: Terms, unpacked: Path) -> Submission | Unread:
    name = _name(path)
    try:
        return _read_one(path, name, terms, unpacked)
    except InputError as error:
        return Unread(name, str(error))
    except OSError as error:
        return Unread(name, f"it cannot be read: {error.strerror or 'an error'}")


def _refuse_own_python(one: Submission | Unread, places: tuple[Path, ...]) -> Submission | Unread:
    """A submission, or why not: its interpreter lies within what strangers handed in.

    What an interpreter says of its own folders decides what its box shows.
    """
    if isinstance(one, Unread) or one.launch.python is None:
        return one
    stated = Path(one.launch.python)
    # /proc/self/cwd and links lead there as well.
    real = [path.resolve() for path in (stated, *stated.parents)]
    if any(path.is_relative_to(place.resolve()) for path in real for place in places):
        return Unread(
            one.name, f"{FILE}: [run]: python lies among submissions; name one of the machine"
        )
    return one


def _name(path: Path) -> str:
    """What its folder or zip is called."""
    return clean_name(path.stem if path.is_file() else path.absolute().name)


def _read_one(path: Path, name: str, terms: Terms, unpacked: Path) -> Submission:
    folder = path
    if path.is_symlink():
        raise InputError("it is a link; hand in the folder or the zip itself")
    if path.is_file():
        folder = _free(unpacked / "files" / name)
        folder.parent.mkdir(parents=True, exist_ok=True)
        unpack(path, folder)
    # What is there at all is looked at before any of it is.
    list_files(folder)
    folder = _root(folder.absolute())
    made = _free(unpacked / "domains" / f"{name}.toml")
    if (folder / FILE).is_file():
        return read_submission(folder, name, terms, made)
    if find_main(folder) is not None:
        return read_deid2(folder, name, terms, made)
    raise InputError(_NEITHER)


def _root(folder: Path) -> Path:
    """The folder itself, or the one in it that holds a submission."""
    if (folder / FILE).is_file() or find_main(folder) is not None:
        return folder
    inner = [one for one in sorted(folder.iterdir()) if one.is_dir() and one.name not in LEFT_OUT]
    fits = [one for one in inner if (one / FILE).is_file() or find_main(one) is not None]
    if len(fits) > 1:
        raise InputError("it holds several submissions; hand in each by itself")
    return fits[0] if fits else folder


def _free(path: Path) -> Path:
    """The path, or one beside it that nothing has yet."""
    number, found = 1, path
    while found.exists():
        number += 1
        found = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return found
