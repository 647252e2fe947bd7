"""Scratch folders within a review's: named for their process, so that what one left can go."""

from __future__ import annotations

import os
import shutil
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

_SIGN = ".scratch"


def make_scratch(folder: Path) -> TemporaryDirectory[str]:
    """A new folder in ``folder``, which goes with the block that uses it."""
    prefix = f"{_SIGN}-{socket.gethostname()}-{os.getpid()}-"
    made = TemporaryDirectory(dir=folder, prefix=prefix, ignore_cleanup_errors=True)
    # What is made ready there may run as another user, who must get to it.
    os.chmod(made.name, 0o711)
    return made


def is_scratch(path: Path) -> bool:
    """Whether it is such a folder."""
    return path.name.startswith(_SIGN)


def remove_leftovers(folder: Path) -> None:
    """Remove those of processes of this machine that were killed."""
    for place in folder.glob(f"{_SIGN}-{socket.gethostname()}-*"):
        try:
            os.kill(int(place.name.rsplit("-", 2)[1]), 0)
        except ProcessLookupError:
            shutil.rmtree(place, ignore_errors=True)
        except (PermissionError, ValueError):
            # It lives, or is not ours.
            continue
