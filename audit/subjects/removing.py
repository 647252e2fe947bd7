"""Removing what strangers' programs leave: folders too deep to follow, or closed to their owner."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress


def remove_tree(path: str, ended: bool = False) -> bool:
    """Remove a folder with all in it, following no link; whether it is gone.

    ``ended``: nobody can change it meanwhile, so that folders that are closed to us, or read only,
    may be opened by their names.

    Guarantee
    ---------
    Nothing is raised, however deep the folder is. Backed by
    ``tests/audit/subjects/test_removing.py``.
    """
    # As deep as Python calls itself; then the system's own program, which does not.
    with suppress(RecursionError):
        shutil.rmtree(path, ignore_errors=True)
    if os.path.lexists(path):
        if ended and os.geteuid():
            _call("chmod", "-R", "u+rwx", path)
        _call("rm", "-rf", path)
    return not os.path.lexists(path)


@contextmanager
def make_folder(place: str | None = None) -> Iterator[str]:
    """A new folder for strangers' runs, in ``place``; removed at the end as far as it can be.

    Where ``place`` is given, programs that write there may still run, and the rest is left to it.
    """
    folder = tempfile.mkdtemp(prefix="dp-audit-", dir=place)
    try:
        yield folder
    finally:
        remove_tree(folder, ended=place is None)


def _call(program: str, *words: str) -> None:
    """Run a program of the system on absolute paths, and hear nothing of it."""
    with suppress(OSError):
        subprocess.run(
            [program, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
