"""Writing a file whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from synthesizers.errors import InputError


@contextmanager
def replacing(target: Path) -> Iterator[BinaryIO]:
    """Return a new file that takes the place of ``target`` when the block ends without an error.

    It is written beside the target, so that the last step is a rename: a reader
    sees the old content or the new, never a part. After an error the target is
    as it was and nothing is left behind. Raises ``InputError`` if the place
    cannot be written.
    """
    draft = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
    try:
        try:
            with draft.open("xb") as file:
                yield file
            os.replace(draft, target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or "input/output error"
        raise InputError(f"{target} cannot be written: {reason}") from error
