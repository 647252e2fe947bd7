"""Where Hypothesis keeps its files while it searches: nowhere that outlives the search."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from hypothesis import configuration


@contextmanager
def storage_apart() -> Iterator[None]:
    """Within it Hypothesis writes to a folder of its own, which is removed with what is in it.

    Otherwise it writes to the current folder what it read off all code that is loaded. A folder
    that the user named for it, by ``HYPOTHESIS_STORAGE_DIRECTORY``, is left to it.
    """
    before = vars(configuration)["__hypothesis_home_directory"]
    if before is not None or os.environ.get("HYPOTHESIS_STORAGE_DIRECTORY"):
        yield
        return
    with tempfile.TemporaryDirectory() as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)
