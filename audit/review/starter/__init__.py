"""The example of ``dp-audit init-submission``: a submission that runs, and keeps its claim."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from synthesizers.errors import InputError

FILES = ("submission.toml", "synth.py", "domain.toml", "writeup.md")
"""What it consists of."""


def write_starter(folder: str | Path) -> Path:
    """Write the example into a folder, which is made; raises InputError where something is there.

    Guarantee
    ---------
    The claim of the example holds: the noise is drawn exactly, from the system's entropy. Backed by
    ``tests/audit/review/test_starter.py``.
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise InputError(f"{target} is there already, and not empty; choose a new folder")
    try:
        target.mkdir(parents=True, exist_ok=True)
        for name in FILES:
            (target / name).write_bytes(files(__name__).joinpath("files", name).read_bytes())
    except OSError as error:
        reason = error.strerror or "an error"
        raise InputError(f"{target} cannot be written: {reason}") from None
    return target
