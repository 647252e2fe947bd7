"""Files that a test writes and the code under test reads."""

from __future__ import annotations

import gzip
from pathlib import Path


def written(folder: Path, text: str, name: str = "table.csv") -> Path:
    """The path of a file with the given text, compressed if its name says so."""
    path = folder / name
    content = text.encode()
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path
