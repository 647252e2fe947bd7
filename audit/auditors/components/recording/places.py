"""Lines of foreign code, by names that no machine shows in."""

from __future__ import annotations

import functools
import os
import random
import sys
import sysconfig
from types import FrameType
from typing import Any

import numpy as np

_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep
_SUBJECTS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(_OWN[:-1]))), "subjects")
_NUMPY = os.path.dirname(os.path.abspath(np.__file__)) + os.sep
_STANDARD = os.path.dirname(os.path.abspath(random.__file__)) + os.sep

UNKNOWN = "an unknown line"

SEEDED = ("scipy", "torch", "diffprivlib", "sklearn")
"""Packages that make a generator of a seed that they were given: the line is that of whoever gave
it."""


@functools.cache
def _is_passed(name: str, libraries: tuple[str, ...]) -> bool:
    """Whether a file is ours, the library's that makes the noise, or no file."""
    if name.startswith("<") or name.startswith((_OWN, _SUBJECTS, _NUMPY)):
        return True
    inside = name.startswith(_STANDARD) and f"{os.sep}site-packages{os.sep}" not in name
    return inside or any(f"{os.sep}{library}{os.sep}" in name for library in libraries)


def place_of(frame: FrameType | None, libraries: tuple[str, ...] = ("scipy", "torch")) -> str:
    """The file and line of the first frame that is neither ours nor one of the noise's libraries.

    ``libraries``: names of their packages.
    """
    while frame is not None and _is_passed(frame.f_code.co_filename, libraries):
        frame = frame.f_back
    return UNKNOWN if frame is None else line_of(frame.f_code.co_filename, frame.f_lineno)


def line_of(file: str, line: int) -> str:
    """``file:line``, relative to this folder, to where packages lie, or to nothing."""
    return f"{_name_of(file, os.getcwd())}:{line}"


@functools.cache
def _name_of(file: str, here: str) -> str:
    path = os.path.abspath(file)
    for folder in (here, *_package_folders()):
        if path.startswith(folder.rstrip(os.sep) + os.sep):
            inside = os.path.relpath(path, folder)
            if "site-packages" not in inside:
                return inside
    return os.path.basename(path)


def _package_folders() -> tuple[str, ...]:
    known = [sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    found = [one for one in (*known, *sys.path) if one and one.endswith("site-packages")]
    return tuple(os.path.abspath(one) for one in found)


def home_of(subject: Any) -> str | None:
    """The file that a callable's own code lies in; None where that can't be seen."""
    while hasattr(subject, "func"):
        subject = subject.func
    code = getattr(subject, "__code__", None)
    for name in ("fit", "__call__"):
        method = getattr(subject if isinstance(subject, type) else type(subject), name, None)
        code = code or getattr(method, "__code__", None)
    return None if code is None else code.co_filename
