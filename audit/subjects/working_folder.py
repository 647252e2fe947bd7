"""The folder that a certificate's subject lies in, where that is not the user's own."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from synthesizers.errors import InputError


@contextlib.contextmanager
def work_in(folder: str | Path | None) -> Iterator[None]:
    """Work in a folder as if the user had gone there; in the present one if None is named.

    It is the whole process that goes: names of modules, commands and their files all begin at its
    folder, and what lies there counts as put there by the user, who names it. Raises InputError
    where there is no such folder.

    Guarantee
    ---------
    Afterwards the process is where it was, whatever happened. Backed by
    ``tests/audit/subjects/test_working_folder.py``.
    """
    if folder is None:
        yield
        return
    before = os.getcwd()
    try:
        os.chdir(folder)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"--folder {str(folder)!r} can't be entered: {reason}") from None
    try:
        yield
    finally:
        os.chdir(before)
